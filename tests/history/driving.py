"""Drives the walks of history sources against sites that are objects in memory: no network, no clock.

A site has `answer(url, headers) -> (status, headers, body)`. Redirects are followed here, as a fetcher does it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urljoin

from everlog.core.tree import parse
from everlog.errors import UnreadableFeed
from everlog.feeds import declared_feeds, parse_feed
from everlog.history import BlogClues, HistoryAnswer, Told
from everlog.records import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from everlog.history import HistorySource, HistoryWalk

MOST_REDIRECTS = 5
# No walk of these tests is longer: one that is has no end.
MOST_REQUESTS = 500


class Site(Protocol):
    """A web site in memory."""

    home: str

    def answer(self, url: str, headers: Mapping[str, str]) -> tuple[int, Mapping[str, str], bytes]: ...


@dataclass
class Walked:
    """A walk that is over: what each answer told, and what was asked for."""

    walk: HistoryWalk
    told: list[Told] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    @property
    def posts(self) -> list[Any]:
        return [post for told in self.told for post in told.posts]

    @property
    def comments(self) -> list[Any]:
        return [comment for told in self.told for comment in told.comments]

    @property
    def urls(self) -> set[str]:
        return {post.url for post in self.posts}

    @property
    def problems(self) -> list[str]:
        return [told.problem for told in self.told if told.problem]


def fetched(site: Site, url: str, headers: Mapping[str, str] | None = None) -> HistoryAnswer:
    """What a site answers in the end, after its redirects."""
    for _ in range(MOST_REDIRECTS):
        status, said, body = site.answer(url, headers or {})
        if status not in {301, 302, 303, 307, 308}:
            return HistoryAnswer(url=url, status=status, body=body, headers=tuple(said.items()))
        url = urljoin(url, said["Location"])
    return HistoryAnswer(url=url, status=310)


def driven(
    walk: HistoryWalk, site: Site, *, between: Callable[[int], None] | None = None,
    again: Callable[[Mapping[str, Any]], HistoryWalk] | None = None,
) -> Walked:
    """Drive a walk to its end. `between` is called before each request with its number, from 0 on.

    With `again` the walk is thrown away after each request, and made from its cursor, which goes through JSON.
    """
    done = Walked(walk)
    while (request := done.walk.next_request()) is not None:
        assert len(done.asked) < MOST_REQUESTS, f"the walk has no end: {done.asked[-5:]}"
        if between is not None:
            between(len(done.asked))
        assert done.walk.next_request() == request, "asked again without an answer, a walk asks for the same"
        done.asked.append(request.url)
        condition = {"If-None-Match": request.etag, "If-Modified-Since": request.last_modified}
        answer = fetched(site, request.url, {name: value for name, value in condition.items() if value})
        done.told.append(done.walk.take(answer))
        if again is not None:
            done.walk = again(json.loads(json.dumps(done.walk.cursor)))
    return done


def walked(
    source: HistorySource, site: Site, *, entrance: str | None = None, wants_comments: bool = True,
    between: Callable[[int], None] | None = None, is_resumed: bool = False,
) -> Walked:
    """All that a source tells of a site; with `is_resumed` by walks that each take one answer."""
    found = entrance
    if found is None:
        seen = source.entrance(clues_of(site))
        assert seen is not None, f"{source.name} is not recognised"
        found = seen.url
    walk = source.walk(found, wants_comments=wants_comments)
    again = None
    if is_resumed:
        def again(cursor: Mapping[str, Any]) -> HistoryWalk:
            return source.walk(found, cursor=cursor, wants_comments=wants_comments)
    return driven(walk, site, between=between, again=again)


def changed_since(
    before: Walked, source: HistorySource, site: Site, *, wants_comments: bool = True,
    between: Callable[[int], None] | None = None,
) -> Walked:
    """What a source tells since a walk, whose mark goes through JSON."""
    mark = json.loads(json.dumps(before.walk.mark))
    assert mark is not None, "a walk that is over has a mark"
    seen = source.entrance(clues_of(site))
    assert seen is not None
    walk = source.changes(seen.url, mark, wants_comments=wants_comments)
    assert walk is not None, f"{source.name} cannot tell what changed"
    return driven(walk, site, between=between)


def clues_of(site: Site) -> BlogClues:
    """What a crawler knows of a blog before it asks for its history: the front page and the feed that it declares."""
    answer = fetched(site, site.home)
    page = Page(url=answer.url, body=answer.body, content_type=answer.header("content-type"))
    root = parse(answer.body, answer.header("content-type"))
    feed_url = next((link.url for link in declared_feeds(root, answer.url) if not link.comments), None)
    feed = None
    if feed_url is not None:
        said = fetched(site, feed_url)
        try:
            feed = parse_feed(said.body, said.url)
        except UnreadableFeed:
            feed_url = None
    robots = fetched(site, urljoin(site.home, "/robots.txt"))
    return BlogClues(
        home=site.home, home_page=page, root=root, headers=answer.headers, feed_url=feed_url, feed=feed,
        robots=robots.body if robots.is_ok else b"",
    )


# What any interface may answer instead of what it should: none of it may be more than a problem.
HOSTILE = (
    b"", b"<!doctype html><html><body><p>Please enable cookies</body></html>", b"null", b"true", b"7", b'"text"', b"[]",
    b"{}", b"[null]", b"[" * 100_000, b'{"posts": 7}', b'{"posts": [null, 7, "x", [], {}]}', b'{"items": {"a": 1}}',
    b'{"found": 1e999, "posts": [{"ID": 1e999, "URL": [], "title": {}, "date": 7, "tags": [], "author": "x"}]}',
    b'{"found": "many", "comments": [{"ID": {}, "post": [], "author": 3}]}', b"\xff\xfe\x00\x00", b"<rss></rss>",
    b"<rss><channel><item></item><item><title/><link/><guid/></item></channel></rss>",
    b'<feed xmlns="http://www.w3.org/2005/Atom"><entry/><entry><link href="javascript:x"/><id/></entry></feed>',
    b'<feed xmlns="http://www.w3.org/2005/Atom"><link rel="next" href="http://["/><entry><id>x</id></entry></feed>',
    b'<tumblr version="1.0"><posts total="-1"><post/><post id="1"/></posts></tumblr>',
    b'<tumblr><posts start="9e9" total="999999999999999999999999"><post url="x" type="photo"/></posts></tumblr>',
)


class Nonsense:
    """A site that answers everything with the same status and body."""

    def __init__(self, home: str, body: bytes, status: int = 200) -> None:
        self.home = home
        self.body = body
        self.status = status

    def answer(self, url: str, headers: Mapping[str, str]) -> tuple[int, Mapping[str, str], bytes]:  # noqa: ARG002
        return self.status, {"Content-Type": "text/html"}, self.body


def named(value: object) -> str | None:
    """The name of a set of traps in the list of tests: the same in every process, as the order of a set is not."""
    return " and ".join(sorted(value)) or "no trap" if isinstance(value, set) else None
