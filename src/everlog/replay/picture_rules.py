"""Rules of replay for pictures: the sizes that are held, and those that wait for a script."""

from __future__ import annotations

import re
from dataclasses import dataclass

from everlog.markup.revealing import LAZY, LAZY_SETS, LAZY_SIZES, SPARE, is_empty_picture, lazy_address, lazy_sizes
from everlog.markup.srcset import candidates, largest, spelled
from everlog.replay.file_rules import Attributes, FileRules
from everlog.replay.html_places import LAZY_BACKGROUNDS
from everlog.replay.style_rewrite import NOWHERE

_SIZE = re.compile(r"-\d{2,5}x\d{2,5}(?=\.\w{3,4}$)")
_LOADING_CLASSES = {"lazyload": "lazyloaded", "lazyloading": "lazyloaded", "lazy-hidden": "lazy-loaded"}
_HIDDEN = re.compile(r"(?:^|;)\s{0,9}display\s{0,9}:\s{0,9}none\b[^;]{0,30}", re.IGNORECASE)
_SHOWN_STYLE = "opacity:1!important;visibility:visible!important"


@dataclass(slots=True, kw_only=True)
class PictureRules(FileRules):
    """What becomes of pictures, and of the elements behind which a script would put one."""

    # The best that the sources of the `picture` around an image have.
    _source: str | None = None

    def _image(self, tag: Attributes) -> None:
        lazy, lazy_set = self._waiting(tag)
        sizes = self._candidates(lazy_set) or self._candidates(tag.get("srcset"))
        new = self.file(lazy) or self.file(tag.get("src"))
        shown = new
        if new is None or (lazy is None and is_empty_picture(tag.get("src")) and sizes):
            new = largest(sizes) or new or self._source or self._other_size(tag, lazy)
        if new is not None or tag.has("src"):
            tag.set("src", new or NOWHERE)
        self._sized(tag, "srcset", sizes)
        if lazy_set and sizes:
            self._measured(tag)
        if (lazy and shown and shown == self.file(lazy)) or (lazy_set and sizes):
            self._reveal(tag)

    def _waiting(self, tag: Attributes) -> tuple[str | None, str | None]:
        """The address and the candidates that scripts would have put in place."""
        names = tag.names()
        lazy = next((value for name in LAZY if name in names and (value := lazy_address(tag.get(name)))), None)
        lazy_set = next((value for name in LAZY_SETS if name in names and (value := tag.get(name))), None)
        if lazy is not None and (meant := self.meant(lazy)):
            self.revealed.add(meant[0])
        for link, _ in candidates(lazy_set or ""):
            if meant := self.meant(link):
                self.revealed.add(meant[0])
        if lazy is not None or lazy_set is not None:
            self.revealed_classes.update((tag.get("class") or "").split())
        return lazy, lazy_set

    def _reveal(self, tag: Attributes) -> None:
        """A picture that a style sheet hides until its script has come."""
        before = (tag.get("class") or "").split()
        after = [_LOADING_CLASSES.get(word, word) for word in before]
        if after != before:
            tag.set("class", " ".join(after))
        style = _HIDDEN.sub("", tag.current("style") or "").strip().strip(";")
        tag.set("style", f"{style};{_SHOWN_STYLE}" if style else _SHOWN_STYLE)
        for name in (*LAZY, *LAZY_SETS):
            tag.drop(name)

    def _candidates(self, srcset: str | None) -> list[tuple[str, str]]:
        """The candidates that are held, each with its descriptor."""
        held = ((self.file(link), size) for link, size in candidates(srcset or ""))
        # A comma at the end of an address would part it from its descriptor.
        return [(re.sub(",$", "%2C", address), size) for address, size in held if address is not None]

    def _sized(self, tag: Attributes, name: str, sizes: list[tuple[str, str]]) -> None:
        if sizes:
            tag.set(name, spelled(sizes))
        else:
            tag.drop(name)

    def _measured(self, tag: Attributes) -> None:
        """How wide a script would have said that a picture is: without, it is taken to be as wide as the window."""
        said = lazy_sizes(tag.get(name) for name in LAZY_SIZES)
        if said is not None:
            tag.set("sizes", said)

    def _other_size(self, tag: Attributes, lazy: str | None) -> str | None:
        """Another size of the same picture, by the names that are usual for it."""
        for link in (*(tag.get(name) for name in SPARE if tag.has(name)), lazy, tag.get("src")):
            if not link or link[:5].lower() == "data:":
                continue
            bare = link.partition("?")[0]
            for other in dict.fromkeys((link, bare, _SIZE.sub("", bare))):
                if found := self.file(other):
                    return found
        return None

    def _picture_source(self, tag: Attributes) -> bool:
        """A `source`: whether it has anything to show."""
        _, lazy_set = self._waiting(tag)
        sizes = self._candidates(lazy_set) or self._candidates(tag.get("srcset"))
        self._sized(tag, "srcset", sizes)
        if lazy_set and sizes:
            self._measured(tag)
        if sizes:
            self._source = self._source or largest(sizes)
        waiting = next((value for name in LAZY if (value := lazy_address(tag.get(name)))), None)
        src = self.file(tag.get("src")) or self.file(waiting)
        if src is not None:
            tag.set("src", src)
        else:
            tag.drop("src")
        return bool(sizes) or src is not None

    def begin_picture(self) -> None:
        """A `picture` begins or ends: what sources before it had is none of its own."""
        self._source = None

    def _background_of_scripts(self, tag: Attributes) -> None:
        for name in LAZY_BACKGROUNDS:
            value = (tag.get(name) or "").strip() if tag.has(name) else ""
            if not value:
                continue
            if value.lower().startswith("url("):
                value = value[4:].rstrip(") ;").strip("\"' ")
            elif name == "data-bgset":
                value = largest(candidates(value)) or ""
            found = self.file(lazy_address(value))
            style = (tag.current("style") or "").strip().rstrip(";")
            if found is not None and "url(" not in style:
                picture = f'background-image:url("{found}")'
                tag.set("style", f"{style};{picture}" if style else picture)
                return
