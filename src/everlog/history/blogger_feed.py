"""Feeds of Blogger as a history source: all posts and comments, up to 150 a request.

As documented, and as programs that move blogs away from Blogger ask for them:

    start-index      counts from 1; `max-results` is 150 at most (500 until 2015), and large answers hold fewer
    rel=next         is on www.blogger.com, not on the blog: it only tells that there is more
    totalResults     counts the posts of the blog, whichever of them an answer holds
    redirect=false   keeps a blog from sending its readers to FeedBurner
    orderby=updated  puts what was edited or published last first: one request tells that nothing was
    pages/default    the pages that stand beside the posts ("about"); 20 at most until 2021, and few since

The owner decides whether feeds hold articles, their beginnings, or nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlencode, urljoin

from everlog.comments.comment_feeds import site_comments
from everlog.feeds.feed_dates import parse_date
from everlog.history.feed_posts import feed_of, ids_of, listed_posts
from everlog.history.overlap import POSITION, REPEATS, Fit, fit_page
from everlog.history.page_walk import PageWalk, Step, failed_step
from everlog.history.platforms import platform_of
from everlog.history.source import NOTHING_TOLD, Entrance, HistoryRequest, ListedComment, Told

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from everlog.history.source import BlogClues, Grade, HistoryAnswer, HistoryWalk
    from everlog.records import Feed, PostKind

PER_REQUEST = 150
# What was edited since the last visit is most often fewer posts.
FIRST_LOOK = 25
# 100,000 posts and twice as many comments.
MOST_REQUESTS = 2_000
_FEED = re.compile(r"/feeds/(?:\d+/)?posts/(?:default|full|summary)/?(?:\?|$)")
_GUID = re.compile(r"tag:blogger\.com,1999:blog-\d+\.post-\d+$")
_PATHS = {
    "posts": "posts/default", "edited": "posts/default", "listed": "posts/summary", "pages": "pages/default",
    "comments": "comments/default",
}
# What a later part is told by an earlier one.
_CARRIED = ("comments_since", "pages_since", "pages_total")


@dataclass(frozen=True, slots=True)
class BloggerFeed:
    """The feeds that every blog of Blogger has, unless its owner switched them off."""

    name: str = "Blogger"
    grade: Grade = "A"
    most_requests: int = MOST_REQUESTS

    def entrance(self, clues: BlogClues) -> Entrance | None:
        """The folder of the feeds, if the blog's host, pages or feed are Blogger's.

        >>> from everlog.history.source import BlogClues
        >>> BloggerFeed().entrance(BlogClues(home="https://sea.blogspot.com/")).url
        'https://sea.blogspot.com/feeds/'
        """
        found, url = platform_of(clues), urljoin(clues.home, "/feeds/")
        if found is not None:
            return Entrance(url=url, evidence=found.evidence) if found.name == "Blogger" else None
        # Blogs that left Blogger keep the address of their feed, and some the ids of their old posts: 2 of 84 have the
        # one, and only both together are worth a request.
        guids = [entry.guid or "" for entry in clues.feed.entries] if clues.feed is not None else []
        if _FEED.search(clues.feed_url or "") and any(map(_GUID.match, guids)):
            return Entrance(url=url, evidence="the feed has an address and ids of Blogger", is_sure=False)
        return None

    def walk(
        self, entrance: str, *, cursor: Mapping[str, Any] | None = None, wants_comments: bool = True,
    ) -> HistoryWalk:
        """All posts, what was edited meanwhile, then pages and comments."""
        then = ["edited", "pages", *(["comments"] if wants_comments else [])]
        return PageWalk.of(
            _Feeds(entrance), cursor, place={"part": "posts", "at": 1, "then": then}, lists_all=cursor is None,
            most_requests=self.most_requests,
        )

    def changes(
        self, entrance: str, mark: Mapping[str, Any], *, wants_comments: bool = True,
    ) -> HistoryWalk | None:
        """The posts that were edited or published since, then the new comments; the total tells of deleted ones.

        Pages are asked for where posts changed.
        """
        place = {
            "part": "edited", "at": 1, "since": mark.get("updated"), "then": ["comments"] if wants_comments else [],
            "comments_since": mark.get("comment"), "pages_since": mark.get("page"), "known": mark.get("total"),
            "pages_total": mark.get("pages"),
        }
        walk = PageWalk.of(_Feeds(entrance), None, place=place, most_requests=self.most_requests)
        walk.notes = dict(mark)
        return walk

    def listing(
        self, entrance: str, *, kind: PostKind = "post", mark: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> HistoryWalk | None:
        """The addresses of all posts, with the beginnings of their texts; or of all pages."""
        place: dict[str, Any] = {"part": "listed" if kind == "post" else "pages", "at": 1, "then": []}
        return PageWalk.of(_Feeds(entrance), None, place=place, most_requests=self.most_requests, lists_all=True)


@dataclass(frozen=True, slots=True)
class _Feeds:
    """The feeds of a blog, one part behind the other; each begins with the last entry of the answer before it."""

    root: str

    def request(self, place: Any) -> HistoryRequest:
        part = place.get("part")
        is_look = part == "edited" or (part == "comments" and place.get("since"))
        asked = {
            "max-results": FIRST_LOOK if is_look and place.get("at") == 1 else PER_REQUEST,
            **({"start-index": place["at"]} if place.get("at") != 1 else {}),
            **({"orderby": "updated"} if part == "edited" else {}),
            "redirect": "false",
        }
        tells: Literal["posts", "comments"] = "comments" if part == "comments" else "posts"
        return HistoryRequest(url=f"{self.root}{_PATHS[part]}?{urlencode(asked)}", purpose="feed", tells=tells)

    def read(self, answer: HistoryAnswer, place: Any) -> Step:
        feed = feed_of(answer) if answer.is_ok else None
        part = place.get("part")
        if feed is None and part in {"comments", "pages"} and place.get("at") == 1:
            failed = failed_step(answer, place)
            # Comments may be switched off, and not every blog tells its pages; the posts were told.
            said = failed.told if part == "comments" else NOTHING_TOLD
            return failed if failed.is_put_off else _on(place, said, notes={}, has_gap=bool(place.get("has_gap")))
        if feed is None:
            return failed_step(answer, place)
        if part == "pages":
            return self._pages(feed, place)
        return self._comments(feed, answer, place) if part == "comments" else self._posts(feed, place)

    def _posts(self, feed: Feed, place: Any) -> Step:
        posts, total = listed_posts(feed), _total(feed)
        fit = fit_page(place, ids_of(posts), first=1, has_more=_has_more(feed, place, len(posts)))
        fresh = tuple(posts[number] for number in fit.fresh)
        newest = _newest(post.changed for post in posts)
        notes: dict[str, Any] = {"total": total} if total is not None else {}
        if place.get("part") == "edited":
            since = parse_date(place.get("since"))
            edited = tuple(post for post in fresh if _is_after(post.changed, since))
            notes |= {"updated": newest} if place.get("at") == 1 and newest is not None else {}
            is_over = since is None or len(edited) < len(fresh)
            if "known" in place and (edited or total != place["known"]) and "pages" not in place["then"]:
                place = {**place, "then": ["pages", *place["then"]]}
            return _step(Told(posts=edited, total=total), fit, place, notes=notes, is_over=is_over)
        seen = int(place.get("seen") or 0) + len(fresh)
        kept = {**place, "seen": seen, "edited_since": place.get("edited_since") or newest}
        is_partial = fit.next_place is None and total is not None and seen < total
        return _step(Told(posts=fresh, total=total), fit, kept, notes=notes, is_partial=is_partial)

    def _pages(self, feed: Feed, place: Any) -> Step:
        """Pages that are new or were edited since; and whether some are gone."""
        pages, total = listed_posts(feed), _total(feed)
        fit = fit_page(place, ids_of(pages), first=1, has_more=_has_more(feed, place, len(pages)))
        since, before = parse_date(place.get("since")), place.get("pages_total")
        fresh = [replace(pages[number], kind="page") for number in fit.fresh]
        told = tuple(page for page in fresh if _is_after(page.changed, since))
        dates = [page.entry.published for page in told if page.entry is not None]
        new = int(place.get("new") or 0) + sum(date > since for date in dates if date is not None and since is not None)
        newest = max(filter(None, (place.get("newest"), _newest(page.changed for page in pages))), default=None)
        notes = {"page": newest, "pages": total}
        has_lost = since is not None and fit.next_place is None and None not in (total, before) and total < before + new
        said = Told(posts=told, has_lost_pages=has_lost)
        return _step(said, fit, {**place, "new": new, "newest": newest}, notes=notes)

    def _comments(self, feed: Feed, answer: HistoryAnswer, place: Any) -> Step:
        found = site_comments(feed, answer.url)
        if found is None:
            return Step(told=Told(problem="the feed of comments is one of posts"))
        ids = [entry.guid or entry.link or "" for entry in feed.entries]
        fit = fit_page(place, ids, first=1, has_more=_has_more(feed, place, len(ids)))
        since = parse_date(place.get("since"))
        fresh = [(feed.entries[number], found[number]) for number in fit.fresh]
        new = [(entry, each) for entry, each in fresh if _is_after(each.comment.published, since)]
        told = Told(comments_total=_total(feed), comments=tuple(
            ListedComment(comment=each.comment, post_id=entry.in_reply_to, post_urls=each.posts) for entry, each in new
        ))
        newest = _newest(each.comment.published for each in found)
        notes = {"comment": newest} if place.get("at") == 1 and newest is not None else {}
        return _step(told, fit, place, notes=notes, is_over=len(new) < len(fresh))


def _step(
    told: Told, fit: Fit, place: Mapping[str, Any], *, notes: Mapping[str, Any], is_over: bool = False,
    is_partial: bool = False,
) -> Step:
    """On to the next page of this part, or to the next part, or to the end."""
    if fit.is_repeated:
        return Step(told=Told(total=told.total, problem=REPEATS))
    then = list(place.get("then") or ())
    total = told.total if told.total is not None else told.comments_total
    if fit.next_place is not None and (fit.is_lost or not is_over):
        goes_on = {name: value for name, value in fit.next_place.items() if name in POSITION}
        left = -(-max(0, total - goes_on["at"]) // (PER_REQUEST - 1)) + len(then) if total is not None else None
        return Step(told=told, next_place={**place, **goes_on}, notes=notes, requests_left=left)
    has_gap = bool(place.get("has_gap")) or not (fit.is_end or is_over)
    return _on(place, told, notes=notes, has_gap=has_gap, is_partial=is_partial)


def _on(
    place: Mapping[str, Any], told: Told, *, notes: Mapping[str, Any], has_gap: bool, is_partial: bool = False,
) -> Step:
    """On to the next part, or to the end."""
    then = list(place.get("then") or ())
    if not then:
        return Step(told=told, is_end=not has_gap, is_partial=is_partial or has_gap, notes=notes)
    following = {
        "part": then[0], "at": 1, "then": then[1:], "has_gap": has_gap,
        **{name: place.get(name) for name in _CARRIED},
        "since": place.get({"edited": "edited_since", "pages": "pages_since"}.get(then[0], "comments_since")),
    }
    return Step(
        told=told, next_place=following, is_partial=is_partial or has_gap, notes=notes, requests_left=len(then),
    )


def _has_more(feed: Feed, place: Mapping[str, Any], count: int) -> bool | None:
    """Whether there is more behind an answer: by its link to the next one, else by the count of all."""
    paging = feed.paging
    if paging is None:
        return None
    if paging.next_page is not None:
        return True
    seen = int(place.get("at") or 1) - 1 + count
    return None if paging.total is not None and paging.total > seen else False


def _total(feed: Feed) -> int | None:
    return feed.paging.total if feed.paging is not None else None


def _is_after(moment: datetime | None, since: datetime | None) -> bool:
    return since is None or moment is None or moment > since


def _newest(moments: Any) -> str | None:
    known: list[datetime] = [moment for moment in moments if moment is not None]
    return max(known).isoformat() if known else None


SOURCE = BloggerFeed()
