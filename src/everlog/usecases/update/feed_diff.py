"""The diff of a feed: entries that are new, changed, came and went unseen, or left it before older ones did."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everlog.core.retry_policy import PAGE_TRIES
from everlog.core.scope import keys_elsewhere
from everlog.core.urls import canonical
from everlog.errors import NothingToLearn, UnreadableFeed
from everlog.feeds import parse_feed
from everlog.records import Blog, Entry, Event, Feed, Fetched, Link
from everlog.usecases.crawl.lifecycle import entry_links
from everlog.usecases.discover.blog_scope import scope_of
from everlog.usecases.learn.learned_blog import entry_marks
from everlog.usecases.page.stored_pages import feed_as_stored

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.usecases.crawl.crawl_context import CrawlRun

NOT_MODIFIED = 304
# How many entries behind one that left the feed must have stayed: a single one may be pinned there.
LEAST_BEHIND = 2


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

    marks: Mapping[str, str]
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


def read_response(answer: Fetched) -> FeedResponse | None:
    """What a feed's answer tells; None if it is no feed."""
    if answer.answer.status == NOT_MODIFIED:
        return FeedResponse(answer=answer)
    with suppress(UnreadableFeed):
        return FeedResponse(answer=answer, feed=parse_feed(answer.answer.body, answer.answer.url))
    return None


def feed_now(response: FeedResponse, blog: Blog, archive: Archive) -> tuple[Fetched, Feed]:
    """The feed as it is now; what is stored of it where it did not change."""
    if response.feed is not None:
        return response.answer, response.feed
    try:
        return feed_as_stored(blog, archive)
    except (NothingToLearn, UnreadableFeed):
        return response.answer, Feed(url=blog.feed_url)


def is_wanted_whole(blog: Blog, archive: Archive) -> bool:
    """Whether the feed is to be sent even if it did not change: some of its entries are news still."""
    return archive.blogs.state(blog.id).left_alone


def names_known_entries(blog: Blog, feed: Feed, archive: Archive) -> bool:
    """Whether a feed still names an entry that it named when it was last read: the quickest sign of the same blog."""
    before = archive.blogs.state(blog.id).entries
    return any(canonical(entry.link) in before for entry in feed.entries if entry.link)


def diff_feed(blog: Blog, response: FeedResponse, archive: Archive, since: datetime | None = None) -> FeedDiff:
    """Compare a feed with what it said before; `since` leaves older entries alone."""
    before = archive.blogs.state(blog.id).entries
    feed = response.feed
    if feed is None:
        return FeedDiff(marks=before, left_alone=is_wanted_whole(blog, archive))
    marks = entry_marks(feed)
    changed = {canonical(entry.link): entry for entry in feed.entries if entry.link}
    changed = {key: entry for key, entry in changed.items() if before.get(key) != marks[key]}
    old = {key for key, entry in changed.items() if not _is_recent(entry, since)}
    news = {key: entry for key, entry in changed.items() if key not in old}
    url, scope = response.answer.answer.url, scope_of(blog, archive)
    per_entry = {key: entry_links([entry], url, scope) for key, entry in news.items()}
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


def keep_diff(diff: FeedDiff, blog: Blog, archive: Archive) -> None:
    """Keep the marks to compare with next time; entries whose pages failed are news again, a few times."""
    marks, is_left = dict(diff.marks), diff.left_alone
    for key in diff.dropped:
        # What left the feed and was looked at is not missed there a second time.
        if (archive.urls.state(blog.id, key) or ("", 0))[0] != "queued":
            marks.pop(key, None)
    for entry, keys in diff.entry_keys:
        rows = [row for key in keys if (row := archive.urls.state(blog.id, key)) is not None]
        if rows and all(state == "failed" and tries < PAGE_TRIES for state, tries in rows):
            marks.pop(entry, None)
            is_left = True
    archive.blogs.change_state(blog.id, lambda state: replace(state, entries=marks, left_alone=is_left))


def _is_recount(before: str | None, now: str) -> bool:
    """Whether only the number of comments differs between two marks of an entry."""
    return before is not None and before.partition(" ")[0] == now.partition(" ")[0]


def _is_recent(entry: Entry, since: datetime | None) -> bool:
    moment = entry.updated or entry.published
    return since is None or moment is None or moment >= since


def dropped_early(before: Mapping[str, str], feed: Feed, blog: Blog | None = None) -> tuple[str, ...]:
    """The keys of entries that left a feed although older ones are still in it.

    `before` are the marks of the entries in the order of the feed they come from, and behind them those of earlier
    feeds (`merged_marks`). A feed that is sorted anew tells nothing. Entries of a `blog` that moved are those that
    were named at its former homes.

    >>> from everlog.records import Entry, Feed
    >>> feed = Feed(url=None, entries=tuple(Entry(link=f"http://a.example/{n}") for n in (9, 7, 6, 5)))
    >>> dropped_early(dict.fromkeys((f"a.example/{n}" for n in (8, 7, 6, 5)), ""), feed)
    ('a.example/8',)
    """
    now = dict.fromkeys(_as_named(canonical(entry.link), before, blog) for entry in feed.entries if entry.link)
    stayed = [key for key in before if key in now]
    if stayed != [key for key in now if key in before]:
        return ()
    behind, dropped = len(stayed), []
    for key in before:
        behind -= key in now
        if key not in now and behind >= LEAST_BEHIND:
            dropped.append(key)
    return tuple(dropped)


def _as_named(key: str, before: Mapping[str, str], blog: Blog | None) -> str:
    """An entry by the key that it had when the feed was read last."""
    if key in before or blog is None:
        return key
    return next((named for named in keys_elsewhere(key, blog) if named in before), key)


def merged_marks(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """All marks of entries, those of the feed as it is now first and in its order: what `dropped_early` needs."""
    return {**now, **{key: mark for key, mark in before.items() if key not in now}}


def note_dropped(blog: Blog, keys: Collection[str], run: CrawlRun, *, entries: Sequence[Entry] = ()) -> None:
    """Write down which posts left the feed early, those whose pages were seen to be there, once each.

    `entries` are what the feed has now: a post that it names by another address, or has no older ones of, did not.
    """
    if not keys:
        return
    archive, events = run.archive, []
    named = {_held(canonical(entry.link), blog, archive) for entry in entries if entry.link}
    for key in keys:
        held = _held(key, blog, archive)
        state = archive.posts.state(blog.id, held) if held is not None else None
        if held is None or state is None or state.is_missing or held in named:
            continue
        row = archive.urls.state(blog.id, key) or archive.urls.state(blog.id, held)
        if row is None or row[0] != "done" or _has_no_older(held, entries, archive) or _was_told(held, archive):
            continue
        reason = "removed from the feed while older posts are still in it; its page still exists"
        events.append(Event(blog_id=blog.id, post_id=state.id, kind="dropped", at=run.now(), reason=reason))
    archive.events.add(events)


def _held(key: str, blog: Blog, archive: Archive) -> str | None:
    return archive.posts.key(blog.id, key, *keys_elsewhere(key, blog))


def _was_told(held: str, archive: Archive) -> bool:
    return any(archive.events(post_url=f"http://{held}", kinds=["dropped"], limit=1))


def _has_no_older(held: str, entries: Sequence[Entry], archive: Archive) -> bool:
    """Whether a feed's dates say that too few of its entries are older: feeds may be sorted by their last change."""
    post = archive.posts.find(f"http://{held}", as_read=True)
    published = post.published if post is not None else None
    dates = [entry.published for entry in entries if entry.published is not None and entry.published.tzinfo is not None]
    if published is None or published.tzinfo is None or not dates:
        return False
    return sum(date < published for date in dates) < LEAST_BEHIND
