"""Tumblr's old interface as a history source: all posts, 50 a request, without a key.

As documented for its first version, which blogs still answer: `/api/read` in XML and `/api/read/json`, `start` from 0
on, `num` at most 50, the newest first. It counts the posts; it tells neither edits nor comments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from everlog.history.overlap import REPEATS, fit_page
from everlog.history.page_walk import PageWalk, Step, failed_step
from everlog.history.platforms import platform_of
from everlog.history.source import BlogClues, Entrance, Grade, HistoryAnswer, HistoryRequest, HistoryWalk, Told
from everlog.history.tumblr.tumblr_posts import listed_post, posts_of

if TYPE_CHECKING:
    from everlog.records import PostKind

PER_REQUEST = 50
# 100,000 posts: there are such blogs of pictures.
MOST_REQUESTS = 2_000


@dataclass(frozen=True, slots=True)
class TumblrRead:
    """The interface that lists a Tumblr blog."""

    name: str = "Tumblr"
    grade: Grade = "A"
    most_requests: int = MOST_REQUESTS

    def entrance(self, clues: BlogClues) -> Entrance | None:
        """The root of the blog, if its host, headers or pages are Tumblr's.

        >>> from everlog.history.source import BlogClues
        >>> TumblrRead().entrance(BlogClues(home="https://sea.tumblr.com/")).url
        'https://sea.tumblr.com/'
        """
        found = platform_of(clues)
        if found is None or found.name != "Tumblr":
            return None
        return Entrance(url=urljoin(clues.home, "/"), evidence=found.evidence)

    def walk(
        self, entrance: str, *, cursor: Mapping[str, Any] | None = None, wants_comments: bool = True,  # noqa: ARG002
    ) -> HistoryWalk:
        """All posts, the newest first."""
        return PageWalk.of(
            _Posts(entrance), cursor, place={"form": "xml", "at": 0}, most_requests=self.most_requests,
            lists_all=cursor is None,
        )

    def changes(
        self, entrance: str, mark: Mapping[str, Any], *, wants_comments: bool = True,  # noqa: ARG002
    ) -> HistoryWalk | None:
        """None: it says nothing of edits, and the blog's feed tells of new posts."""
        return None

    def listing(
        self, entrance: str, *, kind: PostKind = "post", mark: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> HistoryWalk | None:
        """The same walk: the posts come with their texts, and 50 at a time all the same. Pages are not told."""
        return self.walk(entrance) if kind == "post" else None


@dataclass(frozen=True, slots=True)
class _Posts:
    """The posts of a blog; each answer begins with the last post of the one before it."""

    root: str

    def request(self, place: Any) -> HistoryRequest:
        form = "api/read/json?debug=1&" if place.get("form") == "json" else "api/read?"
        return HistoryRequest(
            url=f"{self.root}{form}num={PER_REQUEST}&start={place.get('at')}", purpose="api",
        )

    def read(self, answer: HistoryAnswer, place: Any) -> Step:
        page = posts_of(answer)
        if page is None:
            return self._failed(answer, place)
        posts = tuple(post for row in page.rows if (post := listed_post(row, self.root)) is not None)
        at, total = int(place.get("at") or 0), page.total
        # Where a row has no address, its number still counts.
        ids = [str(row.get("id") or row.get("url") or "") for row in page.rows]
        has_more = None if total is None or total < at + len(ids) else total > at + len(ids)
        fit = fit_page(place, ids, has_more=has_more)
        if fit.is_lost:
            return Step(told=Told(total=total), next_place=fit.next_place)
        if fit.is_repeated:
            return Step(told=Told(total=total, problem=REPEATS))
        fresh = {ids[number] for number in fit.fresh}
        told = Told(posts=tuple(post for post in posts if (post.id or post.url) in fresh), total=total)
        seen = int(place.get("seen") or 0) + len(fit.fresh)
        if fit.next_place is None:
            is_partial = total is not None and seen < total
            notes = {"total": total} if total is not None else {}
            return Step(told=told, is_end=fit.is_end, is_partial=is_partial, notes=notes)
        left = -(-(total - fit.next_place["at"]) // (PER_REQUEST - 1)) if total is not None else None
        return Step(told=told, next_place={**fit.next_place, "seen": seen}, requests_left=left)

    def _failed(self, answer: HistoryAnswer, place: Any) -> Step:
        failed = failed_step(answer, place, what="the interface", wanted="list of posts")
        if failed.is_put_off or place.get("form") == "json":
            return failed
        # Some hosts in front of Tumblr refuse one of the two forms.
        return Step(next_place={**place, "form": "json"})


SOURCE = TumblrRead()
