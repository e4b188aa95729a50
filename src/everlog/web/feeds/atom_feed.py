"""Atom feed (RFC 4287), written from entries. What strangers wrote is text, or markup that was cleaned."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lxml import etree

from everlog.core.tree import UNSETTABLE

if TYPE_CHECKING:
    from collections.abc import Sequence

ATOM = "http://www.w3.org/2005/Atom"
CONTENT_TYPE = "application/atom+xml; charset=utf-8"
# A feed has a date; one without entries has none that means anything.
NEVER = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """An entry. `link` is where it is read here, `via` where it was published; `html` is cleaned already."""

    id: str
    title: str
    updated: datetime
    link: str
    published: datetime | None = None
    via: str | None = None
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    language: str | None = None
    summary: str = ""
    html: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedHead:
    """What a feed says of itself: `link` is the page that has the same, `author` who wrote what names nobody."""

    title: str
    self_link: str
    link: str
    author: str
    icon: str


def atom_feed(head: FeedHead, entries: Sequence[FeedEntry]) -> bytes:
    """The feed as it is sent."""
    root = etree.Element(f"{{{ATOM}}}feed", nsmap={None: ATOM})  # type: ignore[dict-item]
    _add(root, "id", head.self_link)
    _add(root, "title", head.title)
    _add(root, "updated", moment(max((entry.updated for entry in entries), default=NEVER)))
    _link(root, "self", head.self_link, "application/atom+xml")
    _link(root, "alternate", head.link, "text/html")
    _add(_add(root, "author"), "name", head.author)
    _add(root, "icon", head.icon)
    _add(root, "generator", "everlog")
    for entry in entries:
        _add_entry(root, entry)
    return etree.tostring(root, xml_declaration=True, encoding="utf-8")


def urn_of(*parts: str) -> str:
    """An id that is the same wherever the archive is served.

    >>> urn_of("edited", "http://a.org/")
    'urn:uuid:fa1d3a6c-aa19-59b8-bd9e-cb88c9b063aa'
    """
    return uuid.uuid5(uuid.NAMESPACE_URL, " ".join(parts).encode("utf-8", "replace").decode()).urn


def moment(at: datetime) -> str:
    """A moment as feeds have it: in UTC, as blogs name clocks that no feed reader knows.

    >>> moment(datetime(2024, 5, 1, 12, 30)), moment(datetime.max.replace(tzinfo=UTC))
    ('2024-05-01T12:30:00Z', '9999-12-31T23:59:59Z')
    """
    try:
        utc = at.astimezone(UTC) if at.tzinfo is not None else at
    except OverflowError:  # at the ends of the calendar
        utc = at
    return utc.replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def _add_entry(root: etree._Element, entry: FeedEntry) -> None:
    element = _add(root, "entry")
    _add(element, "id", entry.id)
    _add(element, "title", entry.title)
    _add(element, "updated", moment(entry.updated))
    if entry.published is not None:
        _add(element, "published", moment(entry.published))
    _link(element, "alternate", entry.link, "text/html")
    if entry.via is not None:
        _link(element, "via", entry.via)
    for name in filter(str.strip, entry.authors):
        _add(_add(element, "author"), "name", name)
    for tag in filter(str.strip, entry.tags):
        _add(element, "category").set("term", _settable(tag))
    if entry.summary.strip():
        _add(element, "summary", entry.summary)
    if entry.html is not None:
        content = _add(element, "content", entry.html)
        content.set("type", "html")
        if entry.language:
            content.set("{http://www.w3.org/XML/1998/namespace}lang", entry.language)


def _add(parent: etree._Element, name: str, text: str | None = None) -> etree._Element:
    element = etree.SubElement(parent, f"{{{ATOM}}}{name}")
    element.text = None if text is None else _settable(text)
    return element


def _link(parent: etree._Element, relation: str, href: str, kind: str | None = None) -> None:
    link = _add(parent, "link")
    link.set("rel", relation)
    if kind is not None:
        link.set("type", kind)
    link.set("href", _settable(href))


def _settable(text: str) -> str:
    return UNSETTABLE.sub("\ufffd", text)
