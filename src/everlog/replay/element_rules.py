"""Rules of replay, element by element: what becomes of the attributes of a captured page.

They are run twice over a document: once to learn what it names, with nothing held, and once with what is held. What
they look at as a fall-back is therefore asked for, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from everlog.core.urls import absolute
from everlog.markup.revealing import LAZY, LAZY_SETS, SPARE, is_empty_picture, lazy_address
from everlog.markup.srcset import candidates, largest, spelled
from everlog.replay.html_places import CSS_ATTRIBUTES, LAZY_BACKGROUNDS, PLACES, SVG_REFERRING, link_kind
from everlog.replay.memento_links import Held, Replayed, View, reference, without_errors
from everlog.replay.style_rewrite import NOWHERE, data_text, data_url, restyled

# The mark of a link to what is not held. No class: style sheets ask whether a link has one.
MISSING = "data-everlog-missing"
# A link that leads nowhere, and still looks like one.
_DEAD_LINK = "#everlog-dead"
_SCHEME = re.compile(r"[\x00-\x20]*([a-z][a-z0-9+.\t\n\r-]*):", re.IGNORECASE)
# Schemes of links that a click hands to another program.
_HANDED_ON = frozenset(("mailto", "tel", "sms"))
# Attributes that ask for something, or answer for it, on whatever element.
DROPPED = frozenset((
    "integrity", "crossorigin", "nonce", "ping", "attributionsrc", "csp", "xml:base", "referrerpolicy", "longdesc",
    "lowsrc", "dynsrc", "codebase", "archive", "classid", "profile", "manifest", "formaction", "formmethod",
    "formtarget", "formenctype", "browsingtopics", "sharedstoragewritable", "credentialless", "imagesrcset",
))
_SIZE = re.compile(r"-\d{2,5}x\d{2,5}(?=\.\w{3,4}$)")
_LOADING_CLASSES = {"lazyload": "lazyloaded", "lazyloading": "lazyloaded", "lazy-hidden": "lazy-loaded"}
_SHOWN_STYLE = "opacity:1!important;visibility:visible!important"
_META_KEPT = frozenset(("content-type", "content-language", "default-style", "x-ua-compatible"))
_ANIMATIONS = frozenset(("animate", "animatemotion", "animatetransform", "set", "animatecolor"))
# What the frames of a page may do, should nothing else hold them: lead the window on when they are clicked.
_FRAME_SANDBOX = "allow-same-origin allow-top-navigation-by-user-activation"


class Attributes(Protocol):
    """The attributes of an element, of an HTML tag or of an XML tree."""

    name: str

    def names(self) -> list[str]: ...
    def has(self, name: str) -> bool: ...
    def get(self, name: str) -> str | None: ...
    def set(self, name: str, value: str) -> None: ...
    def drop(self, name: str) -> None: ...
    def current(self, name: str) -> str | None: ...


@dataclass(slots=True, kw_only=True)
class Rules:
    """The rules for one document: `base` is what its links are relative to, `inner` rewrites a document inside it.

    `answered` finds error pages, too, which frames show; `held` only what was there.
    """

    url: str
    base: str
    view: View
    answered: Held
    inner: Callable[[str, str], str]
    # Addresses of pictures that scripts would have shown, and the classes of these.
    revealed: set[str] = field(default_factory=set)
    revealed_classes: set[str] = field(default_factory=set)
    # Links that were resolved against the base before.
    known: dict[str, tuple[str, str] | None] = field(default_factory=dict)
    held: Held = field(init=False)
    # The best that the sources of the `picture` around an image have.
    _source: str | None = None

    def __post_init__(self) -> None:
        self.held = without_errors(self.answered)

    def apply(self, tag: Attributes) -> None:
        """What holds for every element, and what holds for this one."""
        for name in tag.names():
            if name.startswith("on") or name in DROPPED:
                tag.drop(name)
            elif name in CSS_ATTRIBUTES:
                self._styled(tag, name)
        rule = _RULES.get(tag.name)
        if rule is not None:
            rule(self, tag)
        elif tag.name in SVG_REFERRING:
            self._referring(tag)
        else:
            self._odd_link(tag)
        if any(name.startswith("data-") for name in tag.names()):
            self._background_of_scripts(tag)

    # Addresses

    def meant(self, link: str) -> tuple[str, str] | None:
        """The absolute URL of a link and its fragment."""
        if link not in self.known:
            self.known[link] = reference(self.base, link)
        return self.known[link]

    def file(self, link: str | None) -> str | None:
        """The address of the archive's copy of a file; None if it has none. What holds itself stays."""
        link = (link or "").strip()
        if not link:
            return None
        if link[:5].lower() == "data:":
            return link
        meant = self.meant(link)
        capture = self.held(meant[0]) if meant is not None else None
        return self.view.file(capture, meant[1]) if meant is not None and capture is not None else None

    def css(self, text: str) -> str:
        """A style sheet or a piece of one."""
        return restyled(text, self.base, self.held, self.view)

    def _styled(self, tag: Attributes, name: str) -> None:
        value = tag.get(name) or ""
        if "(" in value or "\\" in value:
            new = self.css(value)
            if new != value:
                tag.set(name, new)

    def _put(self, tag: Attributes, name: str) -> None:
        """An attribute with the archive's copy in it, or none."""
        if tag.has(name):
            new = self.file(tag.get(name))
            if new is None:
                tag.drop(name)
            else:
                tag.set(name, new)

    # Links and forms

    def _link(self, tag: Attributes) -> None:
        for name in ("target", "download", "xlink:show"):
            tag.drop(name)
        for name in ("href", "xlink:href"):
            if tag.has(name):
                self._link_to(tag, name, tag.get(name) or "")

    def _link_to(self, tag: Attributes, name: str, link: str) -> None:
        if link.strip().startswith("#") and self.base == self.url:
            return
        meant = self.meant(link)
        if meant is None:
            scheme = _SCHEME.match(link)
            if scheme is None or scheme[1].lower() not in _HANDED_ON:
                tag.set(name, _DEAD_LINK)
            return
        url, fragment = meant
        if url == self.url and fragment:
            tag.set(name, f"#{fragment}")
            return
        if self.held(url) is None:
            tag.set(MISSING, "")
            title = tag.get("title")
            tag.set("title", f"{title} (not in the archive)" if title else f"Not in the archive: {url}")
        tag.set(name, self.view.link(url, fragment))
        if self.view.modifier == "mp_":
            tag.set("target", "_top")

    def _odd_link(self, tag: Attributes) -> None:
        """Some browsers take elements of MathML for links."""
        for name in ("href", "xlink:href"):
            if tag.has(name):
                self._link_to(tag, name, tag.get(name) or "")

    def _form(self, tag: Attributes) -> None:
        for name in ("action", "target", "enctype"):
            tag.drop(name)
        # Outside of a dialog such a form sends nothing, and it looks as it did.
        tag.set("method", "dialog")

    # The head

    def _link_element(self, tag: Attributes) -> None:
        rel, loaded = tag.get("rel") or "", tag.get("onload") or ""
        kind = link_kind(rel, tag.get("type"), loaded)
        if kind == "style":
            relations = rel.lower().split()
            if relations not in (["stylesheet"], ["alternate", "stylesheet"]):
                tag.set("rel", "alternate stylesheet" if "alternate" in relations else "stylesheet")
            if "media" in loaded and (tag.get("media") or "").strip().lower() in {"print", "none", "only x"}:
                tag.drop("media")
            self._style_link(tag)
        elif kind == "icon":
            self._put(tag, "href")
        else:
            tag.drop("href")

    def _style_link(self, tag: Attributes) -> None:
        link = (tag.get("href") or "").strip()
        if link[:5].lower() == "data:":
            text = data_text(link)
            tag.set("href", data_url("text/css", self.css(text)) if text is not None else NOWHERE)
        else:
            self._put(tag, "href")

    def _meta(self, tag: Attributes) -> None:
        if tag.has("charset"):
            tag.set("charset", "utf-8")
        kind = (tag.get("http-equiv") or "").strip().lower()
        if kind == "content-type":
            tag.set("content", "text/html; charset=utf-8")
        elif tag.has("http-equiv") and kind not in _META_KEPT:
            tag.drop("http-equiv")
            tag.drop("content")
        if (tag.get("name") or "").strip().lower() == "referrer":
            tag.drop("content")

    # Pictures

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
        style = (tag.current("style") or "").strip().rstrip(";")
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

    def keeps_source(self, tag: Attributes) -> bool:
        """Whether a `source` element stays: browsers take the first that they like, not the first that is there."""
        self.apply(tag)
        return tag.current("srcset") is not None or tag.current("src") is not None

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

    # Sounds, films, frames and objects

    def _film(self, tag: Attributes) -> None:
        waiting = next((value for name in LAZY if (value := lazy_address(tag.get(name)))), None)
        for name, other in (("src", waiting), ("poster", lazy_address(tag.get("data-poster")))):
            found = self.file(tag.get(name)) or self.file(other)
            if found is not None:
                tag.set(name, found)
            else:
                tag.drop(name)

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

    def embeds(self, tag: Attributes) -> bool:
        """Whether what an `embed` shows is held."""
        self.apply(tag)
        return tag.current("src") is not None

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

    # SVG

    def _referring(self, tag: Attributes) -> None:
        if tag.name in _ANIMATIONS:
            self._animated(tag)
        for name in ("href", "xlink:href"):
            link = (tag.get(name) or "").strip()
            if tag.has(name) and not link.startswith("#"):
                # An element of another document: from an address that holds it, nobody takes one.
                found = self.file(link) if link[:5].lower() != "data:" or tag.name in {"image", "feimage"} else None
                if found is None:
                    tag.drop(name)
                else:
                    tag.set(name, found)

    def _animated(self, tag: Attributes) -> None:
        is_address = (tag.get("attributename") or "").strip().lower().rpartition(":")[2] in {"href", "src"}
        for name in ("from", "to", "by", "values"):
            if is_address:
                tag.drop(name)
            elif tag.has(name):
                self._styled(tag, name)

    def _svg_image(self, tag: Attributes) -> None:
        # Outside of SVG the parser takes it for an `img`.
        if tag.has("src") or tag.has("srcset"):
            self._image(tag)
        self._referring(tag)

    def _page_background(self, tag: Attributes) -> None:
        self._put(tag, "background")

    def _dead(self, tag: Attributes) -> None:
        for name in ("src", "data", "code", "object", "href", "xlink:href"):
            tag.drop(name)

    def _input(self, tag: Attributes) -> None:
        self._put(tag, "src")


_RULES: Mapping[str, Callable[[Rules, Attributes], object]] = {
    "a": Rules._link, "area": Rules._link, "form": Rules._form, "link": Rules._link_element, "meta": Rules._meta,
    "img": Rules._image, "source": Rules._picture_source, "audio": Rules._film, "video": Rules._film,
    "track": Rules._src, "input": Rules._input, "frame": Rules._frame_of_set, "iframe": Rules.iframe,
    "object": Rules._object, "embed": Rules._embed, "image": Rules._svg_image, "use": Rules._referring,
    "feimage": Rules._referring, "script": Rules._dead, "applet": Rules._dead, "portal": Rules._dead,
    "fencedframe": Rules._dead, "bgsound": Rules._dead, "base": Rules._dead,
    **{element: Rules._page_background for element, attribute in PLACES if attribute == "background"},
}  # fmt: skip
# The elements that are looked at whatever their attributes are.
RULED = frozenset(_RULES) | SVG_REFERRING


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
