"""The watch: who is asked when, what becomes of an answer, and what a stop or a death leaves behind."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.core.urls import canonical
from everlog.records import Failure
from everlog.usecases.watch.watch_loop import LEASE
from usecases.a_site import FEED, POSTS, a_site, crawl, put_feed
from usecases.a_watch import START, Clock, a_watcher, watch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True, options=ArchiveOptions(min_free_bytes=0)) as opened:
        yield opened


@contextmanager
def a_crawled_site(archive: Archive):
    fetcher = a_site()
    crawl(fetcher, archive)
    fetcher.asked.clear()
    yield fetcher


def publish(fetcher, number: int) -> None:
    fetcher.put(a_blog.url(number), a_blog.page(number))
    put_feed(fetcher, range(number, number - 5, -1))


def numbers(archive: Archive) -> set[str]:
    return {post.url for post in archive.posts()}


def test_a_new_post_is_archived_at_the_next_poll(archive):
    with a_crawled_site(archive) as fetcher:
        clock = Clock()
        clock.plans.append((START + timedelta(hours=5), lambda: publish(fetcher, POSTS + 1)))
        watcher = watch(archive, fetcher, clock, hours=48)
        assert a_blog.url(POSTS + 1) in numbers(archive)
        assert watcher.tally.new_posts == 1


def test_an_unchanged_feed_is_asked_for_and_nothing_else(archive):
    with a_crawled_site(archive) as fetcher:
        watch(archive, fetcher, Clock(), hours=12)
        assert set(fetcher.asked) == {FEED}
        assert len(fetcher.asked) > 1


def test_an_unchanged_feed_is_not_stored_again(archive):
    with a_crawled_site(archive) as fetcher:
        blog = archive.blogs()[0]
        before = archive.captures.find(blog.id, FEED)
        watch(archive, fetcher, Clock(), hours=24)
        assert archive.captures.find(blog.id, FEED) == before


def test_the_time_of_the_next_poll_outlives_the_watch(archive):
    with a_crawled_site(archive) as fetcher:
        clock = Clock()
        watch(archive, fetcher, clock, hours=12)
        poll = archive.polls.of(archive.blogs()[0].id)
        assert poll.polling.due_at > clock.now()
        fetcher.asked.clear()
        watch(archive, fetcher, clock, hours=(poll.polling.due_at - clock.now()).total_seconds() / 3600 - 0.01)
        assert fetcher.asked == []


def test_two_watches_share_the_work_and_do_none_twice(archive):
    with a_crawled_site(archive) as fetcher:
        clock, asked_at = Clock(), []
        plain = fetcher.fetch

        async def fetch(url, **how):
            asked_at.extend([clock.now()] if url == FEED else [])
            return await plain(url, **how)

        fetcher.fetch = fetch

        async def both():
            watchers = [a_watcher(archive, fetcher, clock) for _ in range(2)]
            await asyncio.gather(*(watcher.run(max_seconds=48 * 3600) for watcher in watchers))
            return watchers

        watchers = asyncio.run(both())
        assert sum(watcher.tally.polls for watcher in watchers) == len(asked_at)
        gaps = [after - before for before, after in pairwise(asked_at)]
        assert min(gaps) >= timedelta(minutes=15)


def test_what_a_watch_that_died_had_claimed_falls_due_again(archive):
    with a_crawled_site(archive) as fetcher:
        clock = Clock()
        watch(archive, fetcher, clock, hours=1)
        clock.moment += timedelta(days=8)
        [(poll, _)] = archive.polls.claim("dead", now=clock.now(), until=clock.now() + LEASE, limit=10)
        assert archive.polls.claim("alive", now=clock.now(), until=clock.now() + LEASE, limit=10) == ()
        clock.moment += LEASE
        [(again, _)] = archive.polls.claim("alive", now=clock.now(), until=clock.now() + LEASE, limit=10)
        assert again == poll
        # The late word of the first is not heard.
        archive.polls.release("dead", [poll])
        assert archive.polls.claim("third", now=clock.now(), until=clock.now() + LEASE, limit=10) == ()


def test_a_stopped_watch_gives_back_what_it_claimed(archive):
    with a_crawled_site(archive) as fetcher:
        clock = Clock()

        async def stop_in_the_middle():
            watcher = a_watcher(archive, fetcher, clock)
            plain, is_asked = fetcher.fetch, asyncio.Event()

            async def never(url, **how):
                is_asked.set()
                await asyncio.Event().wait()
                return await plain(url, **how)

            fetcher.fetch = never
            run = asyncio.ensure_future(watcher.run())
            await is_asked.wait()
            watcher.stop()
            await run
            fetcher.fetch = plain

        asyncio.run(stop_in_the_middle())
        assert len(archive.polls.claim("next", now=clock.now(), until=clock.now() + LEASE, limit=10)) == 1


def test_a_server_that_says_when_is_not_asked_before(archive):
    with a_crawled_site(archive) as fetcher:
        clock, asked_at = Clock(), []
        until = START + timedelta(days=3)
        plain = fetcher.fetch

        async def fetch(url, **how):
            asked_at.append(clock.now())
            return await plain(url, **how)

        fetcher.fetch = fetch
        fetcher.answers[canonical(FEED)] = Failure(
            url=FEED, trouble="rate-limited", reason="answers 429", status=429, until=until,
        )
        watch(archive, fetcher, clock, hours=24 * 4)
        assert len(asked_at) >= 2
        assert all(moment >= until for moment in asked_at[1:])


@pytest.mark.slow
def test_what_the_server_lets_be_kept_is_not_asked_for(archive):
    with a_crawled_site(archive) as fetcher:
        fetcher.put(FEED, fetcher.answers[canonical(FEED)].body, type="application/rss+xml",
                headers=(("Cache-Control", "max-age=86400"),))
        watch(archive, fetcher, Clock(), hours=24 * 5)
        assert 3 <= fetcher.count(FEED) <= 6
        assert archive.polls.of(archive.blogs()[0].id).polling.signal == "Cache-Control: max-age=86400"


def test_a_forgotten_blog_is_not_asked(archive):
    with a_crawled_site(archive) as fetcher:
        clock = Clock()
        archive.blogs.update(archive.blogs()[0].id, forgotten_at=START)
        watch(archive, fetcher, clock, hours=48)
        assert fetcher.asked == []


def test_a_bug_met_in_one_blog_does_not_end_the_watch(archive):
    with a_crawled_site(archive) as fetcher:
        heard = []

        async def broken(_url, **_how):
            raise ZeroDivisionError("of somebody's own step")

        fetcher.fetch = broken
        watch(archive, fetcher, Clock(), hours=24, on_polled=lambda _, polled: heard.append(polled))
        assert {polled.seen.kind for polled in heard} == {"failed"}
        assert "ZeroDivisionError" in heard[0].trouble
        assert archive.polls.of(archive.blogs()[0].id).polling.failures == len(heard)


def test_with_once_the_watch_ends_when_nothing_is_due(archive):
    with a_crawled_site(archive) as fetcher:
        clock = Clock()
        watch(archive, fetcher, clock, hours=1)
        clock.moment += timedelta(days=8)
        publish(fetcher, POSTS + 1)
        before = clock.now()

        async def once():
            watcher = a_watcher(archive, fetcher, clock)
            await watcher.run(once=True)
            return watcher

        assert asyncio.run(once()).tally.polls == 1
        assert clock.now() - before < timedelta(minutes=2)
        assert a_blog.url(POSTS + 1) in numbers(archive)


def test_a_feed_that_changes_without_news_costs_no_visit(archive):
    with a_crawled_site(archive) as fetcher:
        clock = Clock()
        body = fetcher.answers[canonical(FEED)].body

        def stir() -> None:
            moment = f"<lastBuildDate>{clock.now():%H%M}</lastBuildDate><language>"
            fetcher.put(FEED, body.replace(b"<language>", moment.encode()), type="application/rss+xml")
            clock.plans.append((clock.now() + timedelta(minutes=30), stir))

        stir()
        watcher = watch(archive, fetcher, clock, hours=12)
        assert watcher.tally.polls > 1
        assert set(fetcher.asked) == {FEED}
        assert not any(run.kind == "update" for run in archive.blogs.runs(archive.blogs()[0].id))


def test_a_feed_that_moved_for_good_is_asked_at_its_new_address_from_then_on(archive):
    with a_crawled_site(archive) as fetcher:
        clock, new = Clock(), a_blog.HOME + "new-feed.xml"

        def move() -> None:
            fetcher.answers[canonical(new)] = fetcher.answers[canonical(FEED)]
            fetcher.put(FEED, b"", redirect=new)
            fetcher.asked.clear()

        clock.plans.append((START + timedelta(hours=5), move))
        watch(archive, fetcher, clock, hours=24)
        assert fetcher.count(FEED) == 1
        assert fetcher.count(new) > 1
        assert [event.kind for event in archive.events()] == ["feed-moved"]
