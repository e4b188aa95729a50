"""What a feed says that the archive does not know: new and changed entries, and whether any came and went unseen."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlog.core.urls import canonical
from everlog.errors import NothingToLearn, UnreadableFeed
from everlog.feeds import parse_feed
from everlog.records import Feed
from everlog.usecases.crawl.lifecycle import entry_links
from everlog.usecases.discover.blog_scope import scope_of
from everlog.usecases.learn.learned_blog import entry_marks
from everlog.usecases.learn.relearn import feed_as_stored
from everlog.usecases.page.failures import MOST_TRIES
from everlog.usecases.update.dropped_entries import dropped_early, merged_marks

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.records import Blog, Entry, Fetched, Link

NOT_MODIFIED = 304
ENTRIES = "entries"
LEFT_ALONE = "left alone"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedResponse:
    """A feed's answer; `feed` is None where it did not change since it was last read."""

    answer: Fetched
    feed: Feed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedDiff:
    """What a feed says that the archive does not know.

    `links` lead to what is new or changed, `marks` tell the entries apart next time; `gap` says that posts
    may have fallen off the feed's end unseen, `left_alone` that entries were too old for this update. `fresh` are
    the new entries, `recounted` the pages with other numbers of comments, `dropped` what left the feed early.
    """

    marks: dict[str, str]
    links: tuple[Link, ...] = ()
    entry_keys: tuple[tuple[str, tuple[str, ...]], ...] = ()
    gap: bool = False
    left_alone: bool = False
    entries: tuple[Entry, ...] = ()
    fresh: tuple[Entry, ...] = ()
    recounted: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    @property
    def is_quiet(self) -> bool:
        """Whether there is nothing to ask the blog for."""
        return not (self.links or self.gap or self.dropped)


def told_by(answer: Fetched) -> FeedResponse | None:
    """What a feed's answer tells; None if it is no feed."""
    if answer.answer.status == NOT_MODIFIED:
        return FeedResponse(answer=answer)
    with suppress(UnreadableFeed):
        return FeedResponse(answer=answer, feed=parse_feed(answer.answer.body, answer.answer.url))
    return None


def feed_now(told: FeedResponse, blog: Blog, archive: Archive) -> tuple[Fetched, Feed]:
    """The feed as it is now; what is stored of it where it did not change."""
    if told.feed is not None:
        return told.answer, told.feed
    try:
        return feed_as_stored(blog, archive)
    except (NothingToLearn, UnreadableFeed):
        return told.answer, Feed(url=blog.feed_url)


def is_wanted_whole(blog: Blog, archive: Archive) -> bool:
    """Whether the feed is to be sent even if it did not change: some of its entries are news still."""
    return archive.blogs.recall(blog.id, LEFT_ALONE) is not None


def names_known_entries(blog: Blog, feed: Feed, archive: Archive) -> bool:
    """Whether a feed still names an entry that it named when it was last read: the quickest sign of the same blog."""
    before = json.loads(archive.blogs.recall(blog.id, ENTRIES) or "{}")
    return any(canonical(entry.link) in before for entry in feed.entries if entry.link)


def read_news(blog: Blog, told: FeedResponse, archive: Archive, since: datetime | None = None) -> FeedDiff:
    """Compare a feed with what it said before; `since` leaves older entries alone."""
    before: dict[str, str] = json.loads(archive.blogs.recall(blog.id, ENTRIES) or "{}")
    feed = told.feed
    if feed is None:
        return FeedDiff(marks=before, left_alone=is_wanted_whole(blog, archive))
    marks = entry_marks(feed)
    changed = {canonical(entry.link): entry for entry in feed.entries if entry.link}
    changed = {key: entry for key, entry in changed.items() if before.get(key) != marks[key]}
    old = {key for key, entry in changed.items() if not _is_recent(entry, since)}
    news = {key: entry for key, entry in changed.items() if key not in old}
    url, scope = told.answer.answer.url, scope_of(blog, archive)
    per_entry = {key: entry_links([entry], blog.home, url, scope) for key, entry in news.items()}
    # When the oldest entry is new as well, posts may have come and gone between two looks at the feed.
    oldest = next((canonical(entry.link) for entry in reversed(feed.entries) if entry.link), None)
    return FeedDiff(
        links=tuple({link.key: link for links in per_entry.values() for link in links}.values()),
        marks=merged_marks(before, {key: mark for key, mark in marks.items() if key not in old}),
        entry_keys=tuple((key, tuple(link.key for link in links)) for key, links in per_entry.items()),
        gap=bool(before) and oldest is not None and oldest not in before and oldest not in old,
        left_alone=bool(old),
        entries=feed.entries,
        fresh=tuple(entry for key, entry in news.items() if key not in before),
        recounted=tuple(
            link.key for key, links in per_entry.items() for link in links if _is_recount(before.get(key), marks[key])
        ),
        dropped=dropped_early(before, feed, blog),
    )


def remember_news(news: FeedDiff, blog: Blog, archive: Archive) -> None:
    """Keep the marks to compare with next time; entries whose pages failed are news again, a few times."""
    marks, is_left = dict(news.marks), news.left_alone
    for key in news.dropped:
        # What left the feed and was looked at is not missed there a second time.
        if (archive.urls.state(blog.id, key) or ("", 0))[0] != "queued":
            marks.pop(key, None)
    for entry, keys in news.entry_keys:
        rows = [row for key in keys if (row := archive.urls.state(blog.id, key)) is not None]
        if rows and all(state == "failed" and tries < MOST_TRIES for state, tries in rows):
            marks.pop(entry, None)
            is_left = True
    archive.blogs.remember(blog.id, ENTRIES, json.dumps(marks))
    archive.blogs.remember(blog.id, LEFT_ALONE, "some" if is_left else None)


def _is_recount(before: str | None, now: str) -> bool:
    """Whether only the number of comments differs between two marks of an entry."""
    return before is not None and before.partition(" ")[0] == now.partition(" ")[0]


def _is_recent(entry: Entry, since: datetime | None) -> bool:
    moment = entry.updated or entry.published
    return since is None or moment is None or moment >= since
