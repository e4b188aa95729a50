"""UpdateCrawl: ask the feed what is new or changed, and visit that; without one, see `revisiting`."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlog.errors import UnreadableFeed
from everlog.feeds import parse_feed
from everlog.flow.comparing import compared_anew, with_company
from everlog.flow.discover import discover, why_unreachable
from everlog.flow.known import Known, entry_marks
from everlog.flow.revisiting import revisit_blog
from everlog.flow.working import (
    MOST_TRIES,
    begin,
    crew_of,
    entry_links,
    finish,
    recorded_run,
    run_to_end,
    store_feed,
    uncommented_posts,
)
from everlog.links import Scope
from everlog.records import Failure
from everlog.urls import canonical

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.flow.report import Report
    from everlog.flow.working import Work
    from everlog.records import Blog, Entry, Feed, Fetched, Link

NOT_MODIFIED = 304


async def refresh_blog(blog: Blog, work: Work, since: datetime | None = None) -> Report:
    """What is new or changed in a finished blog, as its feed tells; `since` leaves older entries alone."""
    with work.archive.lock(blog.id), recorded_run(blog, "update", work.archive) as run:
        known = Known.of(blog)
        if known is None:
            raise AssertionError("a finished blog was learned")
        if known.without_feed or blog.feed_url is None:
            return await revisit_blog(blog, known, work, run)
        work.tally.doing = "asking the feed"
        news = await _ask_feed(blog, work, since)
        # The queue comes before the feed: killed in between, the next update is told the same news again.
        work.archive.enqueue(blog.id, news.links)
        again = [link.key for link in news.links]
        if news.gap:
            again += [canonical(blog.home), *work.archive.fruitful_pages(blog.id)]
        uncommented = uncommented_posts(blog, work)
        work.archive.requeue(blog.id, [*again, *uncommented])
        work.archive.requeue_failed(blog.id, most_tries=MOST_TRIES)
        with crew_of(blog, compared_anew(known, blog, work.archive), work, entries=news.entries) as crew:
            crawl = begin(crew, work, is_update=True)
            # A page that did not change may have other comments by now.
            crawl.asks_anew = frozenset((*uncommented, *news.recounted))
            await store_feed(crew, news.answer.answer.url, news.answer)
            stop = await run_to_end(crawl)
            work.archive.remember(blog.id, "entries", json.dumps(_settled_marks(news, blog, work.archive)))
            work.archive.remember(blog.id, "left alone", "some" if news.left_alone else None)
            is_quiet = stop.ending == "complete" and not (news.links or news.gap or uncommented)
            reason = "nothing new: the feed is unchanged" if is_quiet else stop.reason
            stop = await with_company(crew, work, stop)
            return finish(crew, run, stop.ending or "complete", reason if stop.ending == "complete" else stop.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What a feed says that the archive does not know.

    `links` lead to what is new or changed, `marks` tell the entries apart next time; `gap` says that posts
    may have fallen off the feed's end unseen, `left_alone` that entries were too old for this update.
    """

    answer: Fetched
    links: tuple[Link, ...] = ()
    marks: dict[str, str]
    entry_keys: tuple[tuple[str, tuple[str, ...]], ...] = ()
    gap: bool = False
    left_alone: bool = False
    entries: tuple[Entry, ...] = ()
    recounted: tuple[str, ...] = ()


async def _ask_feed(blog: Blog, work: Work, since: datetime | None) -> News:
    answer, feed = await _feed_now(blog, work)
    before: dict[str, str] = json.loads(work.archive.recall(blog.id, "entries") or "{}")
    if feed is None:
        return News(answer=answer, marks=before, left_alone=work.archive.recall(blog.id, "left alone") is not None)
    scope = Scope(blog.home, blog.scope)
    marks = entry_marks(feed)
    changed = {canonical(entry.link): entry for entry in feed.entries if entry.link}
    changed = {key: entry for key, entry in changed.items() if before.get(key) != marks[key]}
    old = {key for key, entry in changed.items() if not _is_recent(entry, since)}
    news = {key: entry for key, entry in changed.items() if key not in old}
    per_entry = {key: entry_links([entry], blog.home, answer.answer.url, scope) for key, entry in news.items()}
    # When the oldest entry is new as well, posts may have come and gone between two looks at the feed.
    oldest = next((entry.link for entry in reversed(feed.entries) if entry.link), None)
    return News(
        answer=answer,
        links=tuple({link.key: link for links in per_entry.values() for link in links}.values()),
        marks=before | {key: mark for key, mark in marks.items() if key not in old},
        entry_keys=tuple((key, tuple(link.key for link in links)) for key, links in per_entry.items()),
        gap=bool(before) and oldest is not None and canonical(oldest) not in before and canonical(oldest) not in old,
        left_alone=bool(old),
        entries=feed.entries,
        recounted=tuple(
            link.key for key, links in per_entry.items() for link in links if _is_recount(before.get(key), marks[key])
        ),
    )


async def _feed_now(blog: Blog, work: Work) -> tuple[Fetched, Feed | None]:
    """The feed's answer, and the feed if it changed; a feed that has moved is looked for again."""
    feed_url = blog.feed_url or ""
    last = work.archive.capture_of(blog.id, feed_url)
    # Entries that were left alone are news of an unchanged feed.
    known = last if work.archive.recall(blog.id, "left alone") is None else None
    answer = await work.web.fetch(
        feed_url, purpose="feed", etag=known.etag if known else None,
        last_modified=known.last_modified if known else None,
    )
    work.tally.requests += 1
    is_gone = isinstance(answer, Failure) and answer.status in {404, 410}
    if isinstance(answer, Failure) and not is_gone:
        raise why_unreachable(answer)
    if not isinstance(answer, Failure):
        if answer.answer.status == NOT_MODIFIED:
            return answer, None
        with suppress(UnreadableFeed):
            return answer, parse_feed(answer.answer.body, answer.answer.url)
    found = await discover(blog.home, work.web)
    if found.feed_page is None:
        raise AssertionError("what was discovered has a feed")
    work.archive.update_blog(blog.id, feed_url=found.feed_url)
    return found.feed_page, found.feed


def _settled_marks(news: News, blog: Blog, archive: Archive) -> dict[str, str]:
    """The marks to compare with next time; entries whose pages failed are news again, a few times."""
    marks = dict(news.marks)
    for entry, keys in news.entry_keys:
        rows = [row for key in keys if (row := archive.row_state(blog.id, key)) is not None]
        if rows and all(state == "failed" and tries < MOST_TRIES for state, tries in rows):
            marks.pop(entry, None)
    return marks


def _is_recount(before: str | None, now: str) -> bool:
    """Whether only the number of comments differs between two marks of an entry."""
    return before is not None and before.partition(" ")[0] == now.partition(" ")[0]


def _is_recent(entry: Entry, since: datetime | None) -> bool:
    moment = entry.updated or entry.published
    return since is None or moment is None or moment >= since
