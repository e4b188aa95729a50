"""Rules of replay, element by element: what becomes of the attributes of a captured page.

They are run twice over a document: once to learn what it names, with nothing held, and once with what is held. What
they look at as a fall-back is therefore asked for, too. Those of pictures and frames are in modules of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from everlog.replay.frame_rules import FrameRules
from everlog.replay.html_places import CSS_ATTRIBUTES, PLACES, SVG_REFERRING, link_kind
from everlog.replay.style_rewrite import NOWHERE, data_text, data_url

if TYPE_CHECKING:
    from everlog.replay.file_rules import Attributes

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
# Media of style sheets that wait for a script to name others, and what such scripts say.
_NO_SCREEN = frozenset(("print", "none", "only x", "not all", "speech"))
_MEDIA_SET = re.compile(r"""media\s*=\s*(["'])([^"'<>]{0,200})\1""", re.IGNORECASE)
_REL_SET = re.compile(r"""rel\s*=\s*["']stylesheet["']""", re.IGNORECASE)
_META_KEPT = frozenset(("content-type", "content-language", "default-style", "x-ua-compatible"))
_ANIMATIONS = frozenset(("animate", "animatemotion", "animatetransform", "set", "animatecolor"))


class Rules(FrameRules):
    """The rules for one document, all of them."""

    __slots__ = ()

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

    def keeps_source(self, tag: Attributes) -> bool:
        """Whether a `source` element stays: browsers take the first that they like, not the first that is there."""
        self.apply(tag)
        return tag.current("srcset") is not None or tag.current("src") is not None

    def embeds(self, tag: Attributes) -> bool:
        """Whether what an `embed` shows is held."""
        self.apply(tag)
        return tag.current("src") is not None

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
        # Style sheets know links to other sites by how they begin (`a[href^="http"]`).
        tag.set(name, self.view.link(url, fragment, is_relative=_SCHEME.match(link) is None))
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
            self._switch_on(tag, rel.lower().split(), loaded)
            self._style_link(tag)
        elif kind == "icon":
            self._put(tag, "href")
        else:
            tag.drop("href")

    def _switch_on(self, tag: Attributes, relations: list[str], loaded: str) -> None:
        """What the script of a style sheet does when it is loaded: that it counts, and for which media."""
        is_other = "alternate" in relations and not _REL_SET.search(loaded)
        if is_other != ("alternate" in relations) or relations not in (["stylesheet"], ["alternate", "stylesheet"]):
            tag.set("rel", "alternate stylesheet" if is_other else "stylesheet")
        self._style_element(tag)

    def _style_element(self, tag: Attributes) -> None:
        loaded = tag.get("onload") or ""
        if "media" not in loaded or (tag.get("media") or "").strip().lower() not in _NO_SCREEN:
            return
        said = _MEDIA_SET.search(loaded)
        if said is not None and said[2].strip().lower() not in {"", "all"}:
            tag.set("media", said[2])
        else:
            tag.drop("media")

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
    "fencedframe": Rules._dead, "bgsound": Rules._dead, "base": Rules._dead, "style": Rules._style_element,
    **{element: Rules._page_background for element, attribute in PLACES if attribute == "background"},
}  # fmt: skip
# The elements that are looked at whatever their attributes are.
RULED = frozenset(_RULES) | SVG_REFERRING
