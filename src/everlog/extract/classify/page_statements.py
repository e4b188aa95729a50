"""What a page states about itself: whose copy it is, and whether it may be kept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from everlog.core.listing_words import LISTING_WORDS
from everlog.core.scope import Scope
from everlog.core.urls import absolute, canonical

if TYPE_CHECKING:
    from collections.abc import Collection

    from everlog.core.tree import Element

# Copies of a post below its own address: pages of its comments, for phones, for printers, for frames.
_COPY = re.compile(r"(?<=[^/])/(?:comment-page-\d+|amp|print|embed)$", re.IGNORECASE)
_COPY_QUERY = re.compile(r"(?:print|printer|output|view|cpage|amp|noamp|format)(?:=[^&]*)?$", re.IGNORECASE)
_ROBOTS = frozenset(("robots", "everlog"))
_REFUSALS = frozenset(("noarchive", "none"))


def identity(url: str, root: Element | None, home: str, *, repeated: Collection[str] = ()) -> str:
    """The canonical key of the post that a page is, or is a copy of.

    A canonical link counts if it leads to a page of the same blog that can be a post. `repeated` are
    keys that several different posts name: such a link says nothing.

    >>> from lxml import etree
    >>> page = etree.HTML('<link rel="canonical" href="/2020/a-post/">')
    >>> identity("https://a.org/?p=12", page, "https://a.org/")
    'a.org/2020/a-post'
    >>> identity("https://a.org/b/comment-page-2/#c7", etree.HTML("<p>"), "https://a.org/")
    'a.org/b'
    """
    key = without_copy(canonical(url))
    stated = canonical_link(root, url) if root is not None else None
    if stated is None:
        return key
    named = without_copy(canonical(stated))
    inside = Scope(home).is_own_key(named) and named != canonical(home)
    if not inside or named in repeated or _is_listing(named):
        return key
    return named


def canonical_link(root: Element, url: str) -> str | None:
    """The address that a page calls its own, absolute; None if it names none."""
    base = next((element.get("href") for element in root.iter("base")), None)
    for element in root.iter("link"):
        href = element.get("href")
        if href and href.strip() and "canonical" in (element.get("rel") or "").lower().split():
            return absolute(absolute(url, base) or url, href)
    return None


def without_copy(key: str) -> str:
    """The key of a post for the key of a page of its comments, or of its print or phone view.

    >>> without_copy("a.org/b/comment-page-12"), without_copy("a.org/b?print=1"), without_copy("a.org/b?p=1")
    ('a.org/b', 'a.org/b', 'a.org/b?p=1')
    """
    path, mark, query = key.partition("?")
    kept = [pair for pair in query.split("&") if not _COPY_QUERY.match(pair)]
    return _COPY.sub("", path) + (mark + "&".join(kept) if kept and mark else "")


def noarchive(root: Element | None, x_robots_tag: str | None = None) -> bool:
    """Whether a page, or the answer it came with, asks not to be kept.

    >>> from lxml import etree
    >>> noarchive(etree.HTML('<meta name="ROBOTS" content="index, NoArchive">'))
    True
    >>> noarchive(None, "otherbot: noarchive"), noarchive(None, "everlog: noarchive"), noarchive(None, "noindex")
    (False, True, False)
    """
    if root is not None:
        for element in root.iter("meta"):
            if (element.get("name") or "").strip().lower() in _ROBOTS and _refuses(element.get("content") or ""):
                return True
    return x_robots_tag is not None and _header_refuses(x_robots_tag)


def _header_refuses(value: str) -> bool:
    """A header may begin with the name of the robot it is meant for, for all that follows."""
    agent, colon, rules = value.partition(":")
    if not colon or "," in agent or agent.strip().lower() in {"unavailable_after", "max-snippet"}:
        return _refuses(value)
    return agent.strip().lower() in _ROBOTS and _refuses(rules)


def _refuses(words: str) -> bool:
    return not _REFUSALS.isdisjoint(re.split(r"[\s,;]+", words.lower()))


def _is_listing(key: str) -> bool:
    segments = key.partition("?")[0].lower().split("/")[1:]
    return bool(segments) and (segments[0] in LISTING_WORDS or (len(segments) > 1 and segments[-2] in {"page", "tag"}))
