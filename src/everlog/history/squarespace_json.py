"""Squarespace's collections as a history source: every list of posts is a JSON document too, 20 posts a page.

What those who use it say of it:

    address    that of the list, with `format=json-pretty`; the feed of a list is at the same address
    paging     `pagination.nextPage`, and `nextPageOffset`: the moment behind which the next page begins, so that what
               is published meanwhile moves nothing
    texts      whole (`body`), with moments in milliseconds (`publishOn`, `updatedOn`)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

from everlog.core.urls import absolute
from everlog.feeds.labels import plain, tags
from everlog.history.answers import json_of, number_at, own_url, text_at
from everlog.history.page_walk import PageWalk, Step
from everlog.history.platforms import platform_of
from everlog.history.source import BlogClues, Entrance, Grade, HistoryAnswer, HistoryRequest, ListedPost, Told
from everlog.records import Entry

# 10,000 posts.
MOST_REQUESTS = 500
_PUT_OFF = frozenset({0, 403, 429, 500, 502, 503, 504})
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_YEAR_9999_MS = 253_370_764_800_000


@dataclass(frozen=True, slots=True)
class SquarespaceJson:
    """The documents that Squarespace's own templates are filled from."""

    name: str = "Squarespace JSON"
    grade: Grade = "B"
    most_requests: int = MOST_REQUESTS

    def entrance(self, clues: BlogClues) -> Entrance | None:
        """The list that the feed is of, else the front page; on a site that is made by Squarespace.

        >>> from everlog.core.tree import parse
        >>> from everlog.history.source import BlogClues
        >>> page = parse(b'<script src="https://assets.squarespace.com/universal/x.js"></script>')
        >>> feed = "https://a.org/journal?format=rss"
        >>> SquarespaceJson().entrance(BlogClues(home="https://a.org/", root=page, feed_url=feed)).url
        'https://a.org/journal'
        """
        platform = platform_of(clues)
        if platform is None or platform.name != "Squarespace":
            return None
        feed = urlsplit(clues.feed_url or "")
        is_list = parse_qs(feed.query).get("format") == ["rss"]
        url = (clues.feed_url or "").partition("?")[0] if is_list else clues.home.partition("?")[0]
        return Entrance(url=url, evidence=platform.evidence, is_sure=is_list)

    def walk(
        self, entrance: str, *, cursor: Mapping[str, Any] | None = None, wants_comments: bool = True,
    ) -> PageWalk:
        """All posts, the newest first. Comments are not in it."""
        del wants_comments
        return PageWalk.of(_Collection(entrance), cursor, place={}, most_requests=self.most_requests)

    def changes(self, entrance: str, mark: Mapping[str, Any], *, wants_comments: bool = True) -> PageWalk | None:
        """The posts that are newer than those of the mark, and those of the first page that were edited since."""
        del wants_comments
        if not isinstance(mark.get("newest"), dict):
            return None
        reader = _Collection(entrance, dict(mark["newest"]))
        return PageWalk.of(reader, None, place={}, most_requests=self.most_requests)


@dataclass(frozen=True, slots=True)
class _Collection:
    """The pages of a list. `before` are the posts of its first page, each with when it changed, as they were."""

    url: str
    before: Mapping[str, Any] | None = None

    def request(self, place: Mapping[str, Any]) -> HistoryRequest:
        offset = f"&offset={place['offset']}" if "offset" in place else ""
        return HistoryRequest(url=f"{self.url}?format=json-pretty{offset}")

    def read(self, answer: HistoryAnswer, place: Mapping[str, Any]) -> Step:
        if answer.status in _PUT_OFF:
            why = f"it answers with HTTP {answer.status}" if answer.status else "no answer"
            return Step(told=Told(problem=why), next_place=place, is_put_off=True)
        found = json_of(answer.body) if answer.is_ok else None
        items = found.get("items") if isinstance(found, dict) else None
        if not isinstance(found, dict) or not isinstance(items, list):
            return Step(told=Told(problem=f"it answers with something that is no list (HTTP {answer.status})"))
        rows = [row for row in items if isinstance(row, dict)]
        posts = [post for post in (_listed(row, self.url) for row in rows) if post is not None]
        notes = {"newest": {post.id: _stamp(post) for post in posts}} if "offset" not in place else {}
        known = set(place.get("last") or ())
        told = [post for post in posts if post.id not in known and self._is_news(post)]
        if self.before is not None and any(post.id in self.before for post in posts):
            return Step(told=Told(posts=tuple(told)), is_end=True, notes=notes)
        return self._go_on(found, place, posts, told, notes)

    def _go_on(
        self, found: Mapping[str, Any], place: Mapping[str, Any], posts: list[ListedPost], told: list[ListedPost],
        notes: dict[str, Any],
    ) -> Step:
        paging = found.get("pagination")
        paging = paging if isinstance(paging, dict) else {}
        offset = number_at(paging, "nextPageOffset") or _offset_of(text_at(paging, "nextPageUrl"))
        news = Told(posts=tuple(told))
        if not paging.get("nextPage"):
            return Step(told=news, is_end=True, notes=notes)
        if offset is None or (not told and "offset" in place):
            problem = "the next page of the list cannot be asked for"
            return Step(told=Told(posts=news.posts, problem=problem), notes=notes)
        # Two posts of one moment stand on both sides of a page's end.
        last = [post.id for post in posts]
        return Step(told=news, next_place={"offset": offset, "last": last}, notes=notes)

    def _is_news(self, post: ListedPost) -> bool:
        return self.before is None or self.before.get(post.id or "") != _stamp(post)


def _listed(row: Mapping[str, Any], base: str) -> ListedPost | None:
    url = own_url(base, row, "fullUrl")
    own = text_at(row, "id") or text_at(row, "urlId") or url
    if url is None or own is None:
        return None
    changed, published = _moment(row, "updatedOn"), _moment(row, "publishOn") or _moment(row, "addedOn")
    markup = text_at(row, "body")
    entry = Entry(
        link=url, title=plain(text_at(row, "title"), is_html=True), content=markup, summary=text_at(row, "excerpt"),
        authors=tuple(filter(None, (plain(text_at(row, "author", "displayName")),))), published=published,
        tags=tags(each for each in [*_texts(row, "categories"), *_texts(row, "tags")]),
        updated=changed if changed is not None and (published is None or changed > published) else None,
        comment_count=number_at(row, "publicCommentCount"),
    )
    return ListedPost(url=url, id=own, entry=entry, is_whole=markup is not None, changed=changed)


def _texts(row: Mapping[str, Any], name: str) -> list[str]:
    values = row.get(name)
    return [each for each in values if isinstance(each, str)] if isinstance(values, list) else []


def _moment(row: Mapping[str, Any], name: str) -> datetime | None:
    """A moment in milliseconds; nothing says in which zone the author was."""
    number = number_at(row, name)
    return _EPOCH + timedelta(milliseconds=number) if number and number < _YEAR_9999_MS else None


def _stamp(post: ListedPost) -> str:
    return post.changed.isoformat() if post.changed is not None else ""


def _offset_of(url: str | None) -> int | None:
    """The offset in an address.

    >>> _offset_of("/journal?offset=1588000000000&reversePaginate=true"), _offset_of("/journal")
    (1588000000000, None)
    """
    whole = absolute("https://host.invalid/", url) if url else None
    found = parse_qs(urlsplit(whole or "").query).get("offset", [""])[0]
    return int(found) if found.isdecimal() and len(found) < len(str(_YEAR_9999_MS)) + 1 else None


SOURCE = SquarespaceJson()
