"""Rules of replay for files: what a reference of a captured page leads to, and where that is written.

The rules of pictures, frames and elements build on these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from everlog.replay.memento_links import Held, View, reference, without_errors
from everlog.replay.style_rewrite import restyled


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
class FileRules:
    """What all rules for one document know.

    `base` is what its links are relative to, `inner` rewrites a document inside it.
    `answered` finds error pages, too, which frames show; `held` only what was there.
    """

    url: str
    base: str
    view: View
    answered: Held
    inner: Callable[[str, str], str]
    # That of the document, if it is none of Unicode: queries are sent in it.
    encoding: str | None = None
    # Addresses of pictures that scripts would have shown, and the classes of these.
    revealed: set[str] = field(default_factory=set)
    revealed_classes: set[str] = field(default_factory=set)
    # Links that were resolved against the base before.
    known: dict[str, tuple[str, str] | None] = field(default_factory=dict)
    held: Held = field(init=False)

    def __post_init__(self) -> None:
        self.held = without_errors(self.answered)

    def meant(self, link: str) -> tuple[str, str] | None:
        """The absolute URL of a link and its fragment."""
        if link not in self.known:
            self.known[link] = reference(self.base, link, self.encoding)
        asked = self.known[link]
        if self.encoding is None or link.isascii() or asked is None or self.answered(asked[0]) is not None:
            return asked
        # Crawls follow links with queries in UTF-8.
        followed = reference(self.base, link)
        return followed if followed is not None and self.answered(followed[0]) is not None else asked

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
        return restyled(text, self.base, self.held, self.view, encoding=self.encoding)

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
