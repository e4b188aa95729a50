"""Archived, paged and complete feeds (RFC 5005) and JSON feeds with a next page as history sources.

    complete    `fh:complete`: one document holds all entries there are
    archived    `prev-archive`: documents that stay as they are, from the newest back
    paged       `next`, or `next_url` of JSON Feed: a list in pieces, which shifts while it is walked

The links of a feed are followed on its own site only. What is published meanwhile shows twice in a paged feed, what is
deleted hides another: at the end the first page is asked for once more, and if it lost an entry, the pages are walked
again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from everlog.history.feed_posts import feed_of, ids_of, is_same_site, listed_posts
from everlog.history.overlap import turn_page
from everlog.history.page_walk import PageWalk, Step, failed_step
from everlog.history.source import BlogClues, Entrance, Grade, HistoryAnswer, HistoryRequest, HistoryWalk, Told

if TYPE_CHECKING:
    from collections.abc import Mapping

    from everlog.records import FeedPaging

# Archives of a year or month each, or pages of ten entries: 20,000 posts.
MOST_REQUESTS = 2_000
_NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True)
class ArchivedFeed:
    """The older documents of a feed that names them."""

    name: str = "archived feed"
    grade: Grade = "B"
    most_requests: int = MOST_REQUESTS

    def entrance(self, clues: BlogClues) -> Entrance | None:
        """The feed, if it names a document with older entries on its own site.

        >>> from everlog.history.source import BlogClues
        >>> from everlog.records import Feed, FeedPaging
        >>> feed = Feed(url="https://a.org/feed", paging=FeedPaging(prev_archive="https://a.org/feed/2019"))
        >>> ArchivedFeed().entrance(BlogClues(home="https://a.org/", feed_url=feed.url, feed=feed)).evidence
        'the feed names an archive of older entries'
        """
        feed, url = clues.feed, clues.feed_url
        if feed is None or url is None or feed.paging is None or feed.paging.is_complete:
            return None
        found = _older(feed.paging, url)
        if found is None:
            return None
        words = "an archive of older entries" if found["kind"] == "archive" else "a next page"
        begin = feed.paging.current if feed.paging.is_archive else None
        return Entrance(
            url=begin if begin is not None and is_same_site(begin, url) else url, evidence=f"the feed names {words}",
        )

    def walk(
        self, entrance: str, *, cursor: Mapping[str, Any] | None = None, wants_comments: bool = True,  # noqa: ARG002
    ) -> HistoryWalk:
        """From the newest document back to the one that names no older one."""
        return PageWalk.of(
            _Documents(entrance), cursor, place={"url": entrance, "kind": "first"}, most_requests=self.most_requests,
        )

    def changes(
        self, entrance: str, mark: Mapping[str, Any], *, wants_comments: bool = True,  # noqa: ARG002
    ) -> HistoryWalk | None:
        """None: of what changes in an archive the newest document says nothing."""
        return None

    def listing(self, entrance: str) -> HistoryWalk | None:  # noqa: ARG002
        """None: an archive may still hold what the blog has deleted."""
        return None


@dataclass(frozen=True, slots=True)
class CompleteFeed:
    """A feed that says that it holds all entries there are: what is missing in it was deleted."""

    name: str = "complete feed"
    grade: Grade = "A"
    most_requests: int = 2

    def entrance(self, clues: BlogClues) -> Entrance | None:
        """The feed, if it calls itself complete."""
        if clues.feed is None or clues.feed_url is None or clues.feed.paging is None:
            return None
        is_complete = clues.feed.paging.is_complete
        return Entrance(url=clues.feed_url, evidence="the feed says that it is complete") if is_complete else None

    def walk(
        self, entrance: str, *, cursor: Mapping[str, Any] | None = None, wants_comments: bool = True,  # noqa: ARG002
    ) -> HistoryWalk:
        """One request."""
        return self._walk(entrance, cursor, {})

    def changes(
        self, entrance: str, mark: Mapping[str, Any], *, wants_comments: bool = True,  # noqa: ARG002
    ) -> HistoryWalk | None:
        """The same request, on condition that the feed changed."""
        return self._walk(entrance, None, mark)

    def listing(self, entrance: str) -> HistoryWalk | None:
        """The same request."""
        return self._walk(entrance, None, {})

    def _walk(self, entrance: str, cursor: Mapping[str, Any] | None, mark: Mapping[str, Any]) -> PageWalk:
        walk = PageWalk.of(
            _Whole(entrance), cursor, place={"etag": mark.get("etag"), "last_modified": mark.get("last_modified")},
            most_requests=self.most_requests, lists_all=True,
        )
        walk.notes = {**mark, **walk.notes}
        return walk


@dataclass(frozen=True, slots=True)
class _Whole:
    """The one document of a complete feed."""

    url: str

    def request(self, place: Any) -> HistoryRequest:
        return HistoryRequest(
            url=self.url, purpose="feed", etag=place.get("etag"), last_modified=place.get("last_modified"),
        )

    def read(self, answer: HistoryAnswer, place: Any) -> Step:
        if answer.status == _NOT_MODIFIED:
            return Step(is_end=True, is_partial=True)
        feed = feed_of(answer) if answer.is_ok else None
        if feed is None:
            return failed_step(answer, place)
        posts = listed_posts(feed)
        notes = {"etag": answer.header("ETag"), "last_modified": answer.header("Last-Modified")}
        is_complete = feed.paging is not None and feed.paging.is_complete
        problem = None if is_complete else "the feed no longer says that it is complete"
        return Step(told=Told(posts=posts, total=len(posts), problem=problem), is_end=is_complete, notes=notes)


@dataclass(frozen=True, slots=True)
class _Documents:
    """The documents of a feed, one behind the other. Archives stay as they are: only pages are checked at the end."""

    first: str

    def request(self, place: Any) -> HistoryRequest:
        return HistoryRequest(url=str(place.get("url")), purpose="feed")

    def read(self, answer: HistoryAnswer, place: Any) -> Step:
        feed = feed_of(answer) if answer.is_ok else None
        if feed is None:
            return failed_step(answer, place)
        posts = listed_posts(feed)
        turn = turn_page(place, ids_of(posts))
        paging = feed.paging
        fresh = tuple(posts[number] for number in turn.fresh)
        told = Told(posts=fresh, total=paging.total if paging is not None else None, problem=turn.problem)
        older = _older(paging, self.first) if paging is not None else None
        if turn.is_over:
            return Step(told=told, is_end=turn.problem is None)
        if older is not None:
            return Step(told=told, next_place={**older, **turn.kept} if older["kind"] == "page" else older)
        if place.get("kind") == "page":
            return Step(told=told, next_place={"url": self.first, "kind": "check", **turn.kept})
        return Step(told=told, is_end=True)


def _older(paging: FeedPaging, site: str) -> dict[str, Any] | None:
    """Where older entries are: in an archive, else on a next page; on this site."""
    for kind, url in (("archive", paging.prev_archive), ("page", paging.next_page)):
        if url is not None and is_same_site(url, site):
            return {"url": url, "kind": kind}
    return None


SOURCE = ArchivedFeed()
COMPLETE = CompleteFeed()
