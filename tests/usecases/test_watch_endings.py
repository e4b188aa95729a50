"""What a poll that ended early leaves behind: nothing is lost, and nobody is asked before they may be."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.core.urls import canonical
from everlog.errors import ArchiveBusy, UsageError
from everlog.records import Exchange, Failure
from everlog.schedule.poll_schedule import never_again
from everlog.usecases.sessions import HostCache
from everlog.usecases.update.blog_liveness import all_is_well
from everlog.usecases.update.update_blog import refresh_blog
from everlog.usecases.watch.watch_loop import Watcher
from usecases.a_site import FEED, POSTS, a_site, crawl, listing, put_feed, work
from usecases.a_watch import START, Clock, a_watcher, watch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from usecases.a_web import MemoryWeb

pytestmark = pytest.mark.slow

A_DAY = (("Cache-Control", "max-age=86400"),)
NEW = a_blog.url(POSTS + 1)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True, options=ArchiveOptions(min_free_bytes=0)) as opened:
        yield opened


@pytest.fixture
def fetcher(archive) -> MemoryWeb:
    """A blog that was crawled to its end, and has a post more by now; its feed may be kept for a day."""
    fetcher = a_site()
    crawl(fetcher, archive)
    publish(fetcher, 1)
    fetcher.asked.clear()
    return fetcher


def publish(fetcher, count: int) -> None:
    newest = POSTS + count
    for number in range(POSTS + 1, newest + 1):
        fetcher.put(a_blog.url(number), a_blog.page(number))
    put_feed(fetcher, range(newest, newest - 5, -1))
    may_be_kept(fetcher)


def put_lists(fetcher, newest: int) -> None:
    for place in range(1, 4):
        first = newest - 5 * (place - 1)
        address = a_blog.HOME if place == 1 else f"{a_blog.HOME}page/{place}"
        fetcher.put(address, listing(range(first, first - 5, -1), older=place + 1))


def may_be_kept(fetcher) -> None:
    answer = fetcher.answers[canonical(FEED)]
    fetcher.answers[canonical(FEED)] = replace(answer, headers=A_DAY)


def held(archive) -> set[str]:
    return {post.url for post in archive.posts()}


def poll_of(archive):
    return archive.polls.of(archive.blogs()[0].id)


def feed_times(fetcher, clock) -> list:
    """When the feed is asked for, from now on."""
    times, plain = [], fetcher.fetch

    async def fetch(url, **how):
        times.extend([clock.now()] if url == FEED else [])
        return await plain(url, **how)

    fetcher.fetch = fetch
    return times


def stop_at(fetcher, archive, clock, url, **settings) -> None:
    """A watch that is stopped while it waits for an answer."""

    async def run():
        watcher, plain, is_asked = a_watcher(archive, fetcher, clock, **settings), fetcher.fetch, asyncio.Event()

        async def fetch(asked, **how):
            if asked == url:
                is_asked.set()
                await asyncio.Event().wait()
            return await plain(asked, **how)

        fetcher.fetch = fetch
        running = asyncio.ensure_future(watcher.run())
        await is_asked.wait()
        watcher.stop()
        await running
        fetcher.fetch = plain
        clock.watchers.remove(watcher)

    asyncio.run(run())


def test_a_walk_that_is_stopped_at_its_first_page_is_made_up_for(fetcher, archive):
    publish(fetcher, 12)
    put_lists(fetcher, POSTS + 12)
    clock = Clock()
    stop_at(fetcher, archive, clock, a_blog.HOME)
    watch(archive, fetcher, clock, hours=30)
    assert held(archive) == {a_blog.url(number) for number in range(1, POSTS + 13)}


def test_a_gap_is_seen_again_after_a_walk_that_died(fetcher, archive):
    publish(fetcher, 12)
    plain, blog = fetcher.fetch, archive.blogs()[0]

    async def fetch(url, **how):
        if url == a_blog.HOME:
            raise KeyboardInterrupt
        return await plain(url, **how)

    fetcher.fetch = fetch
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(refresh_blog(blog, work(fetcher, archive)))
    fetcher.fetch = plain
    put_lists(fetcher, POSTS + 12)
    crawl(fetcher, archive)
    assert held(archive) == {a_blog.url(number) for number in range(1, POSTS + 13)}


def test_an_update_that_is_stopped_before_it_stores_anything_is_told_the_same_news_when_it_may_ask(fetcher, archive):
    clock, known = Clock(), archive.captures.find(archive.blogs()[0].id, FEED)
    stop_at(fetcher, archive, clock, NEW)
    assert NEW not in held(archive)
    assert poll_of(archive).etag == known.etag
    times, stopped_at = feed_times(fetcher, clock), clock.now()
    watch(archive, fetcher, clock, hours=30)
    assert times[0] >= stopped_at + timedelta(days=1)
    assert NEW in held(archive)


def test_posts_that_were_to_be_looked_at_again_still_are_after_a_stop(fetcher, archive):
    clock = Clock(moment=START + timedelta(days=2))
    watch(archive, fetcher, Clock(), hours=0)
    stop_at(fetcher, archive, clock, NEW)
    blog = archive.blogs()[0]
    assert archive.urls.state(blog.id, canonical(a_blog.url(POSTS)))[0] == "queued"


def test_news_that_could_not_be_visited_as_somebody_else_was_writing_are_visited_later(fetcher, archive):
    clock = Clock()
    times = feed_times(fetcher, clock)
    with archive.lock(archive.blogs()[0].id):
        watch(archive, fetcher, clock, hours=30)
    assert NEW not in held(archive)
    watch(archive, fetcher, clock, hours=30)
    assert NEW in held(archive)
    assert all(after - before >= timedelta(days=1) for before, after in pairwise(times))


def test_a_bug_met_on_a_page_does_not_bring_the_next_poll_forward(fetcher, archive):
    clock = Clock()
    times, plain = feed_times(fetcher, clock), fetcher.fetch

    async def fetch(url, **how):
        if url == NEW:
            raise ZeroDivisionError
        return await plain(url, **how)

    fetcher.fetch = fetch
    watch(archive, fetcher, clock, hours=60)
    assert len(times) > 1
    assert all(after - before >= timedelta(days=1) for before, after in pairwise(times))


def test_a_page_that_asks_for_patience_does_not_bring_the_feed_forward(fetcher, archive):
    clock = Clock()
    times, until = feed_times(fetcher, clock), START + timedelta(hours=6)
    fetcher.answers[canonical(NEW)] = Failure(
        url=NEW, trouble="rate-limited", reason="answers 429", status=429, until=until,
    )
    watch(archive, fetcher, clock, hours=30)
    assert len(times) > 1
    assert all(after - before >= timedelta(days=1) for before, after in pairwise(times))


def test_a_feed_that_is_not_there_may_be_kept_too(fetcher, archive):
    clock = Clock()
    times = feed_times(fetcher, clock)
    gone = Exchange(url=FEED, status=404, headers=A_DAY, fetched_at=fetcher.now)
    fetcher.answers[canonical(FEED)] = Failure(
        url=FEED, trouble="http", reason="answers 404", status=404, exchanges=(gone,),
    )
    watch(archive, fetcher, clock, hours=60)
    assert len(times) > 1
    assert all(after - before >= timedelta(days=1) for before, after in pairwise(times))


def test_a_new_post_whose_page_failed_is_asked_for_again_though_the_feed_did_not_change(fetcher, archive):
    clock, page = Clock(), fetcher.answers[canonical(NEW)]
    fetcher.answers[canonical(NEW)] = Failure(url=NEW, trouble="http", reason="answers 404", status=404)
    watch(archive, fetcher, clock, hours=6, recheck_days=0)
    assert fetcher.count(NEW) > 0
    fetcher.answers[canonical(NEW)] = page
    watch(archive, fetcher, clock, hours=72, recheck_days=0)
    assert NEW in held(archive)


def test_a_blog_that_is_forgotten_while_its_feed_answers_is_not_visited(fetcher, archive):
    plain = fetcher.fetch

    async def fetch(url, **how):
        archive.blogs.update(archive.blogs(forgotten=True)[0].id, forgotten_at=START)
        return await plain(url, **how)

    fetcher.fetch = fetch
    watch(archive, fetcher, Clock(), hours=30)
    assert set(fetcher.asked) == {FEED}


def test_a_blog_that_is_back_is_watched_again(fetcher, archive):
    clock = Clock()
    watch(archive, fetcher, clock, hours=0)
    blog, poll = archive.blogs()[0], poll_of(archive)
    archive.polls.set(replace(poll, polling=never_again(poll.polling, "it is dead")))
    gone = archive.blogs.update(blog.id, gone="it is dead", gone_at=START)
    watch(archive, fetcher, clock, hours=30)
    assert fetcher.asked == []
    all_is_well(gone, work(fetcher, archive))
    watch(archive, fetcher, clock, hours=30)
    assert fetcher.count(FEED) > 0


def test_a_blog_whose_feed_is_gone_is_watched_again_once_it_was_crawled_without_one(fetcher, archive):
    blog = archive.blogs()[0]
    archive.blogs.update(blog.id, gone="the feed answers 410 Gone", gone_at=START)
    crawl(fetcher, archive, no_feed=True)
    assert archive.blogs()[0].gone is None
    assert [event.kind for event in archive.events(blog_id=blog.id, kinds=["back"])] == ["back"]


def test_new_posts_of_a_blog_without_a_feed_are_in_its_rhythm(archive):
    fetcher = a_site()
    crawl(fetcher, archive, no_feed=True)
    clock = Clock()
    watch(archive, fetcher, clock, hours=0)
    before = poll_of(archive).polling.rhythm
    fetcher.put(NEW, a_blog.page(POSTS + 1))
    fetcher.put(a_blog.HOME, listing(range(POSTS + 1, POSTS - 4, -1), older=2))
    watch(archive, fetcher, clock, hours=30)
    assert NEW in held(archive)
    assert poll_of(archive).polling.rhythm.last_at > before.last_at


def test_a_watch_whose_archive_takes_nothing_more_ends(tmp_path):
    is_locked = False

    def at(point: str) -> None:
        if is_locked and point == "transaction-open":
            raise ArchiveBusy("another program keeps the database locked", advice="wait for it")

    with open_archive(tmp_path / "archive", create=True, options=ArchiveOptions(min_free_bytes=0, at=at)) as archive:
        fetcher = a_site()
        crawl(fetcher, archive)
        publish(fetcher, 1)
        is_locked = True
        with pytest.raises(ArchiveBusy):
            watch(archive, fetcher, Clock(), hours=30)


def test_settings_that_do_not_fit_one_blog_do_not_end_the_watch(fetcher, archive):
    def run_for(_blog):
        raise UsageError("cookies cannot be read", advice="export them again")

    clock, heard = Clock(), []

    async def run():
        watcher = Watcher(
            archive, now=clock.now, sleep=clock.sleep, run_for=run_for,
            on_polled=lambda _, polled: heard.append(polled.trouble),
        )
        clock.watchers.append(watcher)
        await watcher.run(max_seconds=24 * 3600)

    asyncio.run(run())
    assert set(heard) == {"cookies cannot be read"}
    assert fetcher.asked == []


def test_a_blog_one_of_whose_files_is_damaged_is_watched_on_and_the_file_is_named(fetcher, archive):
    [warc] = archive.files.folder.rglob("*.warc.gz")
    warc.write_bytes(b"")
    before, heard = held(archive), []
    watch(archive, fetcher, Clock(), hours=30, on_polled=lambda _, polled: heard.append(polled))
    assert len(held(archive) - before) == 1
    assert {polled.trouble for polled in heard} == {None}
    [remark] = {remark for polled in heard if polled.report for remark in polled.report.tally.remarks}
    assert f"{warc.name} is missing or truncated" in remark


def test_a_watch_whose_time_is_over_begins_nothing(fetcher, archive):
    clock = Clock()
    watch(archive, fetcher, clock, hours=0)
    clock.moment += timedelta(days=8)
    watch(archive, fetcher, clock, hours=0)
    assert fetcher.asked == []


def test_the_wish_of_a_host_to_be_left_alone_is_in_the_archive_at_once(archive):
    host_cache = HostCache(archive)
    host_cache.remember("robots https://a.blog", "allowed")
    host_cache.remember("wait a.blog", "until then")
    assert archive.hosts.cached("wait a.blog") == "until then"
    assert archive.hosts.cached("robots https://a.blog") is None
    assert host_cache.recall("robots https://a.blog") == "allowed"
    host_cache.write()
    assert archive.hosts.cached("robots https://a.blog") == "allowed"
