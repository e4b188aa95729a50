"""A feed written from entries, for blogs as they might have been."""

from __future__ import annotations

from email.utils import format_datetime
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.core.tree import Element
    from everlog.records import Entry

_CONTENT = "http://purl.org/rss/1.0/modules/content/"
_DC = "http://purl.org/dc/elements/1.1/"


def write_feed(entries: Iterable[Entry]) -> bytes:
    """The entries as RSS 2.0 with full content."""
    root = etree.Element("rss", nsmap={"content": _CONTENT, "dc": _DC}, version="2.0")
    channel = etree.SubElement(root, "channel")
    for entry in entries:
        item = etree.SubElement(channel, "item")
        _add(item, "title", entry.title)
        _add(item, "link", entry.link)
        _add(item, "pubDate", format_datetime(entry.published) if entry.published else None)
        for name in entry.authors:
            _add(item, f"{{{_DC}}}creator", name)
        for tag in entry.tags:
            _add(item, "category", tag)
        _add(item, f"{{{_CONTENT}}}encoded", entry.content)
    return etree.tostring(root, xml_declaration=True, encoding="utf-8")


def _add(item: Element, name: str, text: str | None) -> None:
    if text:
        etree.SubElement(item, name).text = "".join(c for c in text if c >= " " or c in "\t\n")
