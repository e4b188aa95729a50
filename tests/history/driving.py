"""Driver of history walks for tests: a source is walked against a site in memory, without a network.

A site is any object with `home` and `answer(url, headers) -> (status, headers, body)`: `history.sites` has one for each
platform. `Web` puts it behind a log of what was asked, follows redirects as a fetcher does, and calls `between` with
the number of the request that comes next: there a site changes while it is walked.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urljoin

from everlog.core.tree import parse
from everlog.errors import UnreadableFeed
from everlog.feeds import declared_feeds, parse_feed
from everlog.history import BlogClues, HistoryAnswer
from everlog.records import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from everlog.history import HistoryRequest, HistorySource, HistoryWalk, Told

AT = datetime(2026, 5, 1, tzinfo=UTC)
# No walk of a test is longer: one that is does not end.
MOST_REQUESTS = 1_000
MOST_HOPS = 5


class Site(Protocol):
    """A web site in memory."""

    home: str

    def answer(self, url: str, headers: Mapping[str, str]) -> tuple[int, dict[str, str], bytes]: ...


@dataclass
class Web:
    """A site as a fetcher sees it; `asked` are the addresses that were asked for, redirects among them."""

    site: Site
    between: Callable[[int], None] | None = None
    asked: list[str] = field(default_factory=list)
    requests: int = 0

    def fetch(self, request: HistoryRequest) -> HistoryAnswer:
        """The answer to a request, after redirects."""
        if self.between is not None:
            self.between(self.requests)
        self.requests += 1
        headers = {"If-None-Match": request.etag, "If-Modified-Since": request.last_modified}
        url = request.url
        for _ in range(MOST_HOPS):
            self.asked.append(url)
            status, answered, body = self.site.answer(url, {name: value for name, value in headers.items() if value})
            if status not in {301, 302, 307, 308}:
                break
            url = urljoin(url, answered["Location"])
        return HistoryAnswer(url=url, status=status, body=body, headers=tuple(answered.items()))


@dataclass
class Driven:
    """A walk that came to its end, and what it told, answer by answer."""

    walk: HistoryWalk
    web: Web
    told: list[Told]

    @property
    def urls(self) -> list[str]:
        return [post.url for told in self.told for post in told.posts]

    @property
    def posts(self) -> dict[str, Any]:
        """What was told of each post, by the source's id for it; told twice, the last."""
        return {post.id or post.url: post for told in self.told for post in told.posts}

    @property
    def comments(self) -> list[Any]:
        return [each for told in self.told for each in told.comments]

    @property
    def problems(self) -> list[str]:
        return [told.problem for told in self.told if told.problem is not None]


def drive(walk: HistoryWalk, site: Site, between: Callable[[int], None] | None = None) -> Driven:
    """Walk to the end."""
    web = Web(site, between)
    told: list[Told] = []
    while (request := walk.next_request()) is not None:
        assert walk.next_request() == request, "asked again, a walk says the same"
        told.append(walk.take(web.fetch(request)))
        assert web.requests < MOST_REQUESTS, "a walk without an end"
    return Driven(walk, web, told)


def walked(
    source: HistorySource, site: Site, *, between: Callable[[int], None] | None = None, wants_comments: bool = True,
) -> Driven:
    """Walk over all that a source tells of a site, from the entrance that the site's front page shows."""
    return drive(source.walk(entrance_of(source, site), wants_comments=wants_comments), site, between)


def walked_in_pieces(source: HistorySource, site: Site, *, wants_comments: bool = True) -> Driven:
    """The same, by a walk that is resumed from its cursor, through JSON, after every single request."""
    web, told, entrance = Web(site), [], entrance_of(source, site)
    walk = source.walk(entrance, wants_comments=wants_comments)
    while (request := walk.next_request()) is not None:
        told.append(walk.take(web.fetch(request)))
        assert web.requests < MOST_REQUESTS, "a walk without an end"
        cursor = json.loads(json.dumps(walk.cursor))
        if walk.next_request() is not None:
            walk = source.walk(entrance, cursor=cursor, wants_comments=wants_comments)
    return Driven(walk, web, told)


def changed_since(
    first: Driven, source: HistorySource, site: Site, *, between: Callable[[int], None] | None = None,
    wants_comments: bool = True,
) -> Driven:
    """Walk over what changed since a walk, whose mark went through JSON."""
    mark = json.loads(json.dumps(first.walk.mark))
    assert mark is not None, "a walk that is over has a mark"
    walk = source.changes(entrance_of(source, site), mark, wants_comments=wants_comments)
    assert walk is not None
    return drive(walk, site, between)


def entrance_of(source: HistorySource, site: Site) -> str:
    """Where a source begins on a site."""
    entrance = source.entrance(clues_of(site))
    assert entrance is not None, f"{source.name} does not see its site"
    assert entrance.evidence
    return entrance.url


def clues_of(site: Site) -> BlogClues:
    """What is known of a site before its history is asked for."""
    status, headers, body = site.answer(site.home, {})
    assert status == 200
    page = Page(url=site.home, body=body, content_type=headers.get("Content-Type"), fetched_at=AT)
    root = parse(body, page.content_type)
    robots_status, _, robots = site.answer(urljoin(site.home, "/robots.txt"), {})
    feed_url = next((link.url for link in declared_feeds(root, site.home) if not link.comments), None)
    feed = None
    if feed_url is not None:
        try:
            feed = parse_feed(site.answer(feed_url, {})[2], feed_url)
        except UnreadableFeed:
            feed_url = None
    return BlogClues(
        home=site.home, home_page=page, root=root, headers=tuple(headers.items()),
        robots=robots if robots_status == 200 else b"", feed_url=feed_url, feed=feed,
    )
