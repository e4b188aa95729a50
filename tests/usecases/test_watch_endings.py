"""What a poll that ended early leaves behind: nothing is lost, and nobody is asked before they may be."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from usecases.a_site import FEED, POSTS, a_site, crawl, listing, put_feed, work
from usecases.a_watch import START, Clock, a_watcher, watch

import a_blog
from everlog.archive import open_archive
from everlog.archive.archive import Habits
from everlog.core.urls import canonical
from everlog.errors import ArchiveBusy, UsageError
from everlog.records import Exchange, Failure
from everlog.schedule.poll_schedule import never_again
from everlog.usecases.host_cache import HostMemory
from everlog.usecases.update.blog_liveness import all_is_well
from everlog.usecases.update.update_blog import refresh_blog
from everlog.usecases.watch.watch_loop import Watcher

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from usecases.a_web import MemoryWeb

    from everlog.archive import Archive

A_DAY = (("Cache-Control", "max-age=86400"),)
NEW = a_blog.url(POSTS + 1)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True, habits=Habits(min_free_bytes=0)) as opened:
        yield opened


@pytest.fixture
def web(archive) -> MemoryWeb:
    """A blog that was crawled to its end, and has a post more by now; its feed may be kept for a day."""
    web = a_site()
    crawl(web, archive)
    publish(web, 1)
    web.asked.clear()
    return web


def publish(web, count: int) -> None:
    newest = POSTS + count
    for number in range(POSTS + 1, newest + 1):
        web.put(a_blog.url(number), a_blog.page(number))
    put_feed(web, range(newest, newest - 5, -1))
    may_be_kept(web)


def put_lists(web, newest: int) -> None:
    for place in range(1, 4):
        first = newest - 5 * (place - 1)
        address = a_blog.HOME if place == 1 else f"{a_blog.HOME}page/{place}"
        web.put(address, listing(range(first, first - 5, -1), older=place + 1))


def may_be_kept(web) -> None:
    answer = web.answers[canonical(FEED)]
    web.answers[canonical(FEED)] = replace(answer, headers=A_DAY)


def held(archive) -> set[str]:
    return {post.url for post in archive.posts()}


def poll_of(archive):
    return archive.poll_of(archive.blogs()[0].id)


def feed_times(web, clock) -> list:
    """When the feed is asked for, from now on."""
    times, plain = [], web.fetch

    async def fetch(url, **how):
        times.extend([clock.now()] if url == FEED else [])
        return await plain(url, **how)

    web.fetch = fetch
    return times


def stop_at(web, archive, clock, url, **settings) -> None:
    """A watch that is stopped while it waits for an answer."""

    async def run():
        watcher, plain, is_asked = a_watcher(archive, web, clock, **settings), web.fetch, asyncio.Event()

        async def fetch(asked, **how):
            if asked == url:
                is_asked.set()
                await asyncio.Event().wait()
            return await plain(asked, **how)

        web.fetch = fetch
        running = asyncio.ensure_future(watcher.run())
        await is_asked.wait()
        watcher.stop()
        await running
        web.fetch = plain
        clock.watchers.remove(watcher)

    asyncio.run(run())


def test_a_walk_that_is_stopped_at_its_first_page_is_made_up_for(web, archive):
    publish(web, 12)
    put_lists(web, POSTS + 12)
    clock = Clock()
    stop_at(web, archive, clock, a_blog.HOME)
    watch(archive, web, clock, hours=30)
    assert held(archive) == {a_blog.url(number) for number in range(1, POSTS + 13)}


def test_a_gap_is_seen_again_after_a_walk_that_died(web, archive):
    publish(web, 12)
    plain, blog = web.fetch, archive.blogs()[0]

    async def fetch(url, **how):
        if url == a_blog.HOME:
            raise KeyboardInterrupt
        return await plain(url, **how)

    web.fetch = fetch
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(refresh_blog(blog, work(web, archive)))
    web.fetch = plain
    put_lists(web, POSTS + 12)
    crawl(web, archive)
    assert held(archive) == {a_blog.url(number) for number in range(1, POSTS + 13)}


def test_an_update_that_is_stopped_before_it_stores_anything_is_told_the_same_news_when_it_may_ask(web, archive):
    clock, known = Clock(), archive.capture_of(archive.blogs()[0].id, FEED)
    stop_at(web, archive, clock, NEW)
    assert NEW not in held(archive)
    assert poll_of(archive).etag == known.etag
    times, stopped_at = feed_times(web, clock), clock.now()
    watch(archive, web, clock, hours=30)
    assert times[0] >= stopped_at + timedelta(days=1)
    assert NEW in held(archive)


def test_posts_that_were_to_be_looked_at_again_still_are_after_a_stop(web, archive):
    clock = Clock(moment=START + timedelta(days=2))
    watch(archive, web, Clock(), hours=0)
    stop_at(web, archive, clock, NEW)
    blog = archive.blogs()[0]
    assert archive.row_state(blog.id, canonical(a_blog.url(POSTS)))[0] == "queued"


@pytest.mark.slow
def test_news_that_could_not_be_visited_as_somebody_else_was_writing_are_visited_later(web, archive):
    clock = Clock()
    times = feed_times(web, clock)
    with archive.lock(archive.blogs()[0].id):
        watch(archive, web, clock, hours=30)
    assert NEW not in held(archive)
    watch(archive, web, clock, hours=30)
    assert NEW in held(archive)
    assert all(after - before >= timedelta(days=1) for before, after in pairwise(times))


@pytest.mark.slow
def test_a_bug_met_on_a_page_does_not_bring_the_next_poll_forward(web, archive):
    clock = Clock()
    times, plain = feed_times(web, clock), web.fetch

    async def fetch(url, **how):
        if url == NEW:
            raise ZeroDivisionError
        return await plain(url, **how)

    web.fetch = fetch
    watch(archive, web, clock, hours=60)
    assert len(times) > 1
    assert all(after - before >= timedelta(days=1) for before, after in pairwise(times))


def test_a_page_that_asks_for_patience_does_not_bring_the_feed_forward(web, archive):
    clock = Clock()
    times, until = feed_times(web, clock), START + timedelta(hours=6)
    web.answers[canonical(NEW)] = Failure(
        url=NEW, trouble="rate-limited", reason="answers 429", status=429, until=until,
    )
    watch(archive, web, clock, hours=30)
    assert len(times) > 1
    assert all(after - before >= timedelta(days=1) for before, after in pairwise(times))


@pytest.mark.slow
def test_a_feed_that_is_not_there_may_be_kept_too(web, archive):
    clock = Clock()
    times = feed_times(web, clock)
    gone = Exchange(url=FEED, status=404, headers=A_DAY, fetched_at=web.now)
    web.answers[canonical(FEED)] = Failure(
        url=FEED, trouble="http", reason="answers 404", status=404, exchanges=(gone,),
    )
    watch(archive, web, clock, hours=60)
    assert len(times) > 1
    assert all(after - before >= timedelta(days=1) for before, after in pairwise(times))


def test_a_new_post_whose_page_failed_is_asked_for_again_though_the_feed_did_not_change(web, archive):
    clock, page = Clock(), web.answers[canonical(NEW)]
    web.answers[canonical(NEW)] = Failure(url=NEW, trouble="http", reason="answers 404", status=404)
    watch(archive, web, clock, hours=6, recheck_days=0)
    assert web.count(NEW) > 0
    web.answers[canonical(NEW)] = page
    watch(archive, web, clock, hours=72, recheck_days=0)
    assert NEW in held(archive)


def test_a_blog_that_is_forgotten_while_its_feed_answers_is_not_visited(web, archive):
    plain = web.fetch

    async def fetch(url, **how):
        archive.update_blog(archive.blogs(forgotten=True)[0].id, forgotten_at=START)
        return await plain(url, **how)

    web.fetch = fetch
    watch(archive, web, Clock(), hours=30)
    assert set(web.asked) == {FEED}


def test_a_blog_that_is_back_is_watched_again(web, archive):
    clock = Clock()
    watch(archive, web, clock, hours=0)
    blog, poll = archive.blogs()[0], poll_of(archive)
    archive.set_poll(replace(poll, polling=never_again(poll.polling, "it is dead")))
    gone = archive.update_blog(blog.id, gone="it is dead", gone_at=START)
    watch(archive, web, clock, hours=30)
    assert web.asked == []
    all_is_well(gone, work(web, archive))
    watch(archive, web, clock, hours=30)
    assert web.count(FEED) > 0


def test_a_blog_whose_feed_is_gone_is_watched_again_once_it_was_crawled_without_one(web, archive):
    blog = archive.blogs()[0]
    archive.update_blog(blog.id, gone="the feed answers 410 Gone", gone_at=START)
    crawl(web, archive, no_feed=True)
    assert archive.blogs()[0].gone is None
    assert [event.kind for event in archive.events(blog_id=blog.id, kinds=["back"])] == ["back"]


def test_new_posts_of_a_blog_without_a_feed_are_in_its_rhythm(archive):
    web = a_site()
    crawl(web, archive, no_feed=True)
    clock = Clock()
    watch(archive, web, clock, hours=0)
    before = poll_of(archive).polling.rhythm
    web.put(NEW, a_blog.page(POSTS + 1))
    web.put(a_blog.HOME, listing(range(POSTS + 1, POSTS - 4, -1), older=2))
    watch(archive, web, clock, hours=30)
    assert NEW in held(archive)
    assert poll_of(archive).polling.rhythm.last_at > before.last_at


def test_a_watch_whose_archive_takes_nothing_more_ends(tmp_path):
    is_locked = False

    def at(point: str) -> None:
        if is_locked and point == "transaction-open":
            raise ArchiveBusy("another program keeps the database locked", advice="wait for it")

    with open_archive(tmp_path / "archive", create=True, habits=Habits(min_free_bytes=0, at=at)) as archive:
        web = a_site()
        crawl(web, archive)
        publish(web, 1)
        is_locked = True
        with pytest.raises(ArchiveBusy):
            watch(archive, web, Clock(), hours=30)


def test_settings_that_do_not_fit_one_blog_do_not_end_the_watch(web, archive):
    def work_for(_blog):
        raise UsageError("cookies cannot be read", advice="export them again")

    clock, heard = Clock(), []

    async def run():
        watcher = Watcher(
            archive, now=clock.now, sleep=clock.sleep, work_for=work_for,
            on_polled=lambda _, polled: heard.append(polled.trouble),
        )
        clock.watchers.append(watcher)
        await watcher.run(max_seconds=24 * 3600)

    asyncio.run(run())
    assert set(heard) == {"cookies cannot be read"}
    assert web.asked == []


@pytest.mark.slow
def test_a_blog_one_of_whose_files_is_damaged_is_watched_on_and_the_file_is_named(web, archive):
    [warc] = archive.folder.rglob("*.warc.gz")
    warc.write_bytes(b"")
    before, heard = held(archive), []
    watch(archive, web, Clock(), hours=30, on_polled=lambda _, polled: heard.append(polled))
    assert len(held(archive) - before) == 1
    assert {polled.trouble for polled in heard} == {None}
    [remark] = {remark for polled in heard if polled.report for remark in polled.report.tally.remarks}
    assert f"{warc.name} is missing or truncated" in remark


def test_a_watch_whose_time_is_over_begins_nothing(web, archive):
    clock = Clock()
    watch(archive, web, clock, hours=0)
    clock.moment += timedelta(days=8)
    watch(archive, web, clock, hours=0)
    assert web.asked == []


def test_the_wish_of_a_host_to_be_left_alone_is_in_the_archive_at_once(archive):
    memory = HostMemory(archive)
    memory.remember("robots https://a.blog", "allowed")
    memory.remember("wait a.blog", "until then")
    assert archive.recall(None, "wait a.blog") == "until then"
    assert (archive.recall(None, "robots https://a.blog"), memory.recall("robots https://a.blog")) == (None, "allowed")
    memory.write()
    assert archive.recall(None, "robots https://a.blog") == "allowed"
