"""What an article's markup says beyond its words: where its links lead, which pictures it shows.

The rest of the markup is the theme's. So is how a picture is addressed: servers sign, size and spread them over
hosts, which makes other addresses of one picture.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from everlog.core.tree import Element, parse_fragment
from everlog.core.urls import canonical

_SHOWING = ("img", "video", "audio", "source")
_PICTURE = re.compile(r"\.(?:avif|gif|jpe?g|png|svg|webp)$", re.IGNORECASE)
# What servers and themes add to a picture's name for its size: -300x200, _640w, @2x, -scaled.
_SIZE = re.compile(r"(?:[-_]\d{2,5}x\d{2,5}|[-_]\d{2,5}w|@\dx|-scaled)(?=\.[A-Za-z0-9]+$)")
# Parameters that are another at every visit.
_PASSING = re.compile(r"(?<=[?&])[^=&]*(?:nonce|token|sess|signature|expires|timestamp)[^=&]*=[^&]*&?", re.IGNORECASE)


class Marks(NamedTuple):
    """Where links lead and what pictures and films are called, each once, in a spelling that can be compared."""

    links: frozenset[str]
    pictures: frozenset[str]


def marks_of(html: str) -> Marks:
    """The links and pictures of an article.

    >>> marks = marks_of('<a href="https://a.example/b?utm_source=x">b</a><img src="https://i.example/c-300x200.png?w=9">')
    >>> sorted(marks.links), sorted(marks.pictures)
    (['a.example/b'], ['c.png'])
    """
    if "<" not in html:
        return Marks(frozenset(), frozenset())
    links: set[str] = set()
    pictures: set[str] = set()
    for element in parse_fragment(html).iter("a", *_SHOWING):
        is_link, address = element.tag == "a", _address(element)
        if address is None:
            continue
        if is_link and not _PICTURE.search(address.partition("?")[0]):
            links.add(canonical(_PASSING.sub("", address)).rstrip("?"))
        elif not is_link:
            pictures.add(_name(address))
    return Marks(frozenset(links), frozenset(pictures))


def _address(element: Element) -> str | None:
    """Where an element leads, unless it stays on the page or brings its content along."""
    address = (element.get("href") or element.get("src") or "").strip()
    return None if not address or address.startswith(("#", "data:", "javascript:")) else address


def _name(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:  # an address that is none, such as //[x
        return address
    return _SIZE.sub("", unquote(parts.path.rpartition("/")[2])) or parts.netloc
