"""Rules of replay for what stands in a page: sounds, films, frames and objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.core.urls import absolute
from everlog.markup.revealing import LAZY, lazy_address
from everlog.replay.memento_links import Replayed
from everlog.replay.picture_rules import PictureRules
from everlog.replay.style_rewrite import data_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.replay.file_rules import Attributes

# What the frames of a page may do, should nothing else hold them: lead the window on when they are clicked.
_FRAME_SANDBOX = "allow-same-origin allow-top-navigation-by-user-activation"


class FrameRules(PictureRules):
    """What becomes of players, frames and objects."""

    __slots__ = ()

    def _film(self, tag: Attributes) -> None:
        waiting = next((value for name in LAZY if (value := lazy_address(tag.get(name)))), None)
        for name, other in (("src", waiting), ("poster", lazy_address(tag.get("data-poster")))):
            found = self.file(tag.get(name)) or self.file(other)
            if found is not None:
                tag.set(name, found)
            else:
                tag.drop(name)

    def subtitled(self, tag: Attributes, tracks: Iterable[Attributes]) -> None:
        """A film or sound with subtitles: a page without an origin may show only those that are asked for with CORS."""
        if any(self.file(track.get("src")) for track in tracks):
            tag.set("crossorigin", "anonymous")

    def _src(self, tag: Attributes) -> None:
        self._put(tag, "src")

    def _frame_of_set(self, tag: Attributes) -> None:
        meant = self.meant(tag.get("src") or "") if (tag.get("src") or "").strip() else None
        if meant is None:
            tag.drop("src")
            return
        capture = self.answered(meant[0]) or Replayed(timestamp=self.view.timestamp, url=meant[0])
        tag.set("src", self.view.frame(capture, meant[1]))

    def iframe(self, tag: Attributes, drawn: tuple[str, str] | None = None) -> None:
        """An inline frame: what a browser drew of it, its own text, its capture, or the word that there is none."""
        srcdoc = tag.get("srcdoc")
        waiting = next((value for name in LAZY if (value := lazy_address(tag.get(name)))), None)
        link = (tag.get("src") or "").strip()
        if waiting is not None and link.lower() in {"", "about:blank"}:
            link = waiting
        tag.drop("src")
        tag.set("sandbox", _FRAME_SANDBOX)
        if drawn is not None:
            tag.set("srcdoc", self.inner(drawn[1], absolute(self.base, drawn[0]) or self.base))
        elif srcdoc is not None:
            tag.set("srcdoc", self.inner(srcdoc, self.base))
        elif link[:5].lower() == "data:":
            text = data_text(link) if link[5:].lstrip().lower().startswith("text/html") else None
            tag.set("srcdoc", self.inner(text or "", self.base))
        elif (meant := self.meant(link) if link else None) is not None:
            capture = self.answered(meant[0])
            if capture is not None:
                tag.set("src", self.view.frame(capture, meant[1]))
            else:
                tag.set("srcdoc", not_held(meant[0]))

    def _object(self, tag: Attributes) -> None:
        """An object that is not held shows what stands inside it for that case."""
        link = (tag.get("data") or "").strip()
        data = self._embedded(link)
        if data is None:
            tag.drop("data")
            tag.drop("type")
        else:
            tag.set("data", data)

    def embeds_picture(self, tag: Attributes) -> bool:
        """Whether what an `embed` shows is a picture, by what was captured or else by what the page says."""
        meant = self.meant((tag.get("src") or "").strip())
        capture = self.held(meant[0]) if meant is not None else None
        said = (capture.content_type if capture is not None else None) or tag.get("type") or ""
        return said.strip().lower().startswith("image/")

    def _embed(self, tag: Attributes) -> None:
        src = self._embedded((tag.get("src") or "").strip())
        if src is None:
            tag.drop("src")
        else:
            tag.set("src", src)

    def _embedded(self, link: str) -> str | None:
        if link[:5].lower() == "data:":
            # A picture holds all that it is, a document may ask for more.
            kind = link[5:].lstrip().lower()
            return link if kind.startswith("image/") and not kind.startswith("image/svg") else None
        meant = self.meant(link) if link else None
        capture = self.held(meant[0]) if meant is not None else None
        return self.view.frame(capture, meant[1]) if meant is not None and capture is not None else None


def not_held(url: str) -> str:
    """The document that stands in the place of a frame which is not held.

    >>> "https://a.org/?b&amp;c" in not_held("https://a.org/?b&c")
    True
    """
    shown = url.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return (
        "<!DOCTYPE html><meta charset=utf-8><title>Not in the archive</title><style>html,body{height:100%;margin:0}"
        "body{display:flex;align-items:center;justify-content:center;background:#f3f3f3;color:#555;"
        "font:14px/1.4 sans-serif;text-align:center;overflow:hidden;overflow-wrap:anywhere}</style>"
        f"<p>Not in the archive<br><small>{shown}</small></p>"
    )
