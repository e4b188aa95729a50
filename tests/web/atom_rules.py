"""Rules of Atom (RFC 4287) that a feed must keep, checked one by one: what a validator on the web would say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Iterator

ATOM = "{http://www.w3.org/2005/Atom}"
# RFC 3339.
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_IRI = re.compile(r"[a-z][a-z0-9+.-]*:[^\s<>\"{}|\\^`]+", re.IGNORECASE)


def broken_rules(body: bytes) -> list[str]:
    """What is wrong with a feed; nothing, if it is valid."""
    return list(_broken(etree.fromstring(body)))


def _broken(feed: etree._Element) -> Iterator[str]:
    if feed.tag != ATOM + "feed":
        yield "the root is no feed"
    yield from _common(feed, "feed")
    if not [link for link in feed.findall(ATOM + "link") if link.get("rel") == "self"]:
        yield "no link to itself"
    entries = feed.findall(ATOM + "entry")
    ids = [entry.findtext(ATOM + "id") for entry in entries]
    if len(set(ids)) < len(ids):
        yield "an id is twice"
    for number, entry in enumerate(entries):
        yield from _common(entry, f"entry {number}")
        if feed.find(ATOM + "author") is None and entry.find(ATOM + "author") is None:
            yield f"entry {number} has no author"
        content = entry.find(ATOM + "content")
        if content is None and not _alternates(entry):
            yield f"entry {number} has neither content nor a link"
        if content is not None and (content.get("type") not in {"html", "text"} or len(content)):
            yield f"entry {number} has content of a strange kind"


def _common(element: etree._Element, name: str) -> Iterator[str]:
    for wanted in ("id", "title", "updated"):
        if len(element.findall(ATOM + wanted)) != 1:
            yield f"{name} has not one {wanted}"
    if not _IRI.fullmatch(element.findtext(ATOM + "id") or ""):
        yield f"the id of {name} is no address"
    for date in (*element.findall(ATOM + "updated"), *element.findall(ATOM + "published")):
        if not _MOMENT.fullmatch(date.text or ""):
            yield f"{name} has the date {date.text}"
    for link in element.findall(ATOM + "link"):
        if not _IRI.fullmatch(link.get("href", "")) or not urlsplit(link.get("href", "")).netloc:
            yield f"{name} has the link {link.get('href')}"
    if len(_alternates(element)) > 1:
        yield f"{name} has two alternates of a kind"
    yield from _people_and_subjects(element, name)


def _people_and_subjects(element: etree._Element, name: str) -> Iterator[str]:
    for author in element.findall(ATOM + "author"):
        if not (author.findtext(ATOM + "name") or "").strip():
            yield f"{name} has an author without a name"
    for category in element.findall(ATOM + "category"):
        if not category.get("term"):
            yield f"{name} has a category without a term"


def _alternates(element: etree._Element) -> list[etree._Element]:
    return [link for link in element.findall(ATOM + "link") if link.get("rel", "alternate") == "alternate"]
