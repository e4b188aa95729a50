"""Addresses of replay: what a reference of a captured document becomes.

    {prefix}/web/{timestamp}{modifier}/{url}

`timestamp` is UTC in 14 digits. Modifiers are those of other players: none for a memento by itself, `mp_` for one
inside the frame of the interface, whose links lead out of it, `id_` for the bytes as they were stored. `pic_` is
our own: the screenshot of a page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

from everlog.core.urls import absolute, with_query_in

Modifier = Literal["", "mp_", "id_", "pic_"]

# What browsers write as escapes anyway, and what ends a string, an attribute or a tag.
_UNSAFE = re.compile(r'["<>`\\^{|}\s\x00-\x1f\x7f]')
_DOT = re.compile(r"\.|%2e", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """The capture that is shown for a reference: the one nearest in time to the page.

    `url` is the address that it was captured under, which may be spelled in another way than the reference is, or be
    the target of a redirect. `is_error` is set where all that was captured is an error page: frames show one as the
    live page did, and for everything else nothing is held.
    """

    timestamp: str
    url: str
    content_type: str | None = None
    is_error: bool = False


# All references of a document at once, absolute and without fragments, to those of them that are held.
Resolve = Callable[[Sequence[str]], Mapping[str, Replayed]]
# The capture of one of them; None if it is not held.
Held = Callable[[str], Replayed | None]


def without_errors(held: Held) -> Held:
    """The same look-up for what cannot show an error page: pictures, styles, links."""

    def good(url: str) -> Replayed | None:
        found = held(url)
        return found if found is not None and not found.is_error else None

    return good


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Where and when a memento is shown: what its references are written with.

    `prefix` is the origin of replay, with a scheme (`http://127.0.0.1:8081`); `timestamp` the time of the page that is
    looked at; `interface` the origin to which links lead with the modifier `mp_`.
    """

    prefix: str
    timestamp: str
    modifier: Modifier = ""
    interface: str | None = None

    def file(self, held: Replayed, fragment: str = "") -> str:
        """The address of a file that a memento is shown with.

        >>> View(prefix="http://127.0.0.1:8081", timestamp="20200101000000").file(
        ...     Replayed(timestamp="20191231235959", url="https://a.org/b.css?ver=1"))
        'http://127.0.0.1:8081/web/20191231235959/https://a.org/b.css?ver=1'
        """
        return f"{self.prefix}/web/{held.timestamp}/{_written(held.url, fragment)}"

    def frame(self, held: Replayed, fragment: str = "") -> str:
        """The address of a document inside a memento, whose own links lead to where those of the memento do."""
        return f"{self.prefix}/web/{held.timestamp}{self.modifier}/{_written(held.url, fragment)}"

    def link(self, url: str, fragment: str = "", *, is_relative: bool = False) -> str:
        """The address of another page near the same time; of a link without a scheme another one without, if it can be.

        >>> View(prefix="http://127.0.0.1:8081", timestamp="20200101000000", modifier="mp_",
        ...      interface="http://127.0.0.1:8080").link("https://a.org/b", "c")
        'http://127.0.0.1:8080/web/20200101000000/https://a.org/b#c'
        >>> View(prefix="http://r", timestamp="2020").link("https://a.org/b", is_relative=True)
        '//r/web/2020/https://a.org/b'
        """
        origin = self.interface if self.modifier == "mp_" and self.interface is not None else self.prefix
        if is_relative and origin.partition(":")[0] == self.prefix.partition(":")[0]:
            origin = origin.partition(":")[2]
        return f"{origin}/web/{self.timestamp}/{_written(url, fragment)}"


def reference(base: str, link: str, encoding: str | None = None) -> tuple[str, str] | None:
    """The absolute URL that a link means, and its fragment; None if it is none of the web.

    `encoding` is that of the document, if it is none of Unicode: queries are sent in it.

    >>> reference("https://a.org/b/", "../c%20d/%2E%2e/../../e.png?x=../y#f")
    ('https://a.org/e.png?x=../y', 'f')
    """
    if encoding is not None and not link.isascii():
        link = with_query_in(encoding, link)
    full = absolute(base, link)
    if full is None:
        return None
    bare, _, fragment = full.partition("#")
    if "/." in bare or "%2e" in bare.lower():
        # A browser reads these as steps upwards, whatever stands before them: out of the prefix, too.
        parts = urlsplit(bare)
        bare = urlunsplit(parts._replace(path=_without_dots(parts.path)))
    return bare, fragment


def _without_dots(path: str) -> str:
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        plain = _DOT.sub(".", segment) if len(segment) <= 6 else segment
        if plain == "..":
            kept = kept[:-1] if len(kept) > 1 else kept
        elif plain != ".":
            kept.append(segment)
    if _DOT.sub(".", segments[-1]) in {".", ".."}:
        kept.append("")
    return "/".join(kept) if len(kept) > 1 else "/"


def _written(url: str, fragment: str) -> str:
    url = _UNSAFE.sub(_percent, url)
    return f"{url}#{_UNSAFE.sub(_percent, fragment)}" if fragment else url


def _percent(sign: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in sign[0].encode("utf-8", "replace"))
