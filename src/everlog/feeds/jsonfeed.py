"""JSON Feed 1 and 1.1."""

from __future__ import annotations

import html
import json
import re
from typing import Any

from everlog.core.urls import absolute
from everlog.errors import UnreadableFeed
from everlog.feeds.decoding import with_windows_marks
from everlog.feeds.feed_dates import parse_date
from everlog.feeds.labels import MOST_ENCLOSURES, names, plain, tags
from everlog.records import Entry, Feed, FeedPaging

_SURROGATE = re.compile("[\x00\ud800-\udfff]")


def read_json_feed(text: str, url: str | None, *, limit: int) -> Feed:
    """A JSON Feed's text as a Feed; wrong types are passed over, field by field."""
    where = url or "this"
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableFeed(
            f"{where} starts like a JSON Feed but is not JSON ({error})",
            advice="fetch it again: it may be truncated",
        ) from error
    if not isinstance(data, dict) or not isinstance(data.get("items"), list):
        raise UnreadableFeed(
            f'{where} is JSON but not a JSON Feed: it has no list of "items"',
            advice="pass the address of an RSS, Atom or JSON feed",
        )
    home = absolute(url, _text(data, "home_page_url"))
    base = url or absolute(None, _text(data, "feed_url")) or home
    language = _text(data, "language")
    items = [item for item in data["items"][:limit] if isinstance(item, dict)]
    following = absolute(base, _text(data, "next_url"))
    return Feed(
        url=url,
        title=plain(_text(data, "title")),
        home=home,
        language=language.replace("_", "-") if language else None,
        authors=_authors(data),
        entries=tuple(_entry(item, base, language) for item in items),
        kind="json",
        next_pages=(following,) if following else (),
        paging=FeedPaging(next_page=following) if following else None,
    )


def _entry(item: dict[str, Any], base: str | None, language: str | None) -> Entry:
    guid = _text(item, "id")
    link = _text(item, "url") or _text(item, "external_url")
    if not link and guid and re.match(r"https?://", guid):
        link = guid
    content_text = _text(item, "content_text")
    words = item.get("tags")
    return Entry(
        link=absolute(base, link) or link,
        title=plain(_text(item, "title")),
        content=_text(item, "content_html")
        or (html.escape(content_text, quote=False) if content_text else None),
        summary=_text(item, "summary"),
        authors=_authors(item),
        published=parse_date(_text(item, "date_published"), language),
        updated=parse_date(_text(item, "date_modified"), language),
        tags=tags(word for word in words if isinstance(word, str)) if isinstance(words, list) else (),
        guid=guid,
        enclosures=_attached(item, base),
    )


def _attached(item: dict[str, Any], base: str | None) -> tuple[str, ...]:
    files = item.get("attachments")
    named = (_text(file, "url") for file in files if isinstance(file, dict)) if isinstance(files, list) else ()
    return tuple(dict.fromkeys(full for link in named if (full := absolute(base, link))))[:MOST_ENCLOSURES]


def _authors(holder: dict[str, Any]) -> tuple[str, ...]:
    people = holder.get("authors")
    people = people if isinstance(people, list) else [holder.get("author")]
    return names(_text(person, "name") if isinstance(person, dict) else _string(person) for person in people)


def _text(holder: dict[str, Any], key: str) -> str | None:
    return _string(holder.get(key))


def _string(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    return with_windows_marks(_SURROGATE.sub("", str(value))).strip() or None
