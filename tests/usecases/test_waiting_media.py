"""Pictures whose hosts want to be left alone: they wait, without keeping the blog, and nothing is given up unasked."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.cli.terminal.crawl_summary import media_lines
from everlog.core.retry_policy import MEDIA_WAITS, PAGE_TRIES
from everlog.core.urls import host_of
from everlog.records import Exchange, Failure
from usecases.a_site import POSTS, a_site, crawl
from usecases.a_watch import START, Clock, watch
from usecases.a_web import NOW

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from everlog.archive import Archive
    from usecases.a_web import MemoryWeb

pytestmark = pytest.mark.slow

PICTURES = [f"https://pictures.example/{number}.png" for number in range(1, 6)]
DAY = timedelta(days=1)
CENTURIES = timedelta(days=300 * 365)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True, options=ArchiveOptions(min_free_bytes=0)) as opened:
        yield opened


@dataclass
class PictureHost:
    """A host that refuses one picture and is then not asked for any, by a crawl that heeds it."""

    fetcher: MemoryWeb
    rest: timedelta = DAY
    refusals: int = 1
    # How much time passes with each request.
    takes: timedelta = timedelta()
    # Waits up to this are sat out.
    patience: timedelta = timedelta(minutes=10)
    held_until: datetime | None = None

    def __post_init__(self) -> None:
        self.plain = self.fetcher.fetch
        self.fetcher.fetch = self.fetch  # type: ignore[method-assign]

    async def fetch(self, url, *, purpose="page", **how):
        await asyncio.sleep(0)  # as with any web, others come to their turns meanwhile
        if host_of(url) != "pictures.example":
            return await self.plain(url, purpose=purpose, **how)
        if self.held_until is not None and self.held_until - self.fetcher.now > self.patience:
            return Failure(url=url, trouble="rate-limited", reason="the server answered 429", until=self.held_until)
        self.fetcher.now += self.takes
        if not self.refusals:
            return await self.plain(url, purpose=purpose, **how)
        self.refusals -= 1
        self.fetcher.asked.append(url)
        self.held_until = self.fetcher.now + self.rest
        refused = Exchange(url=url, status=429, body=b"too many", fetched_at=self.fetcher.now, purpose=purpose)
        return Failure(
            url=url, trouble="rate-limited", reason="answers 429", status=429, until=self.held_until,
            exchanges=(refused,),
        )


def a_site_with_pictures() -> MemoryWeb:
    fetcher = a_site()
    shown = "".join(f"<img src={url}>" for url in PICTURES)
    fetcher.put(a_blog.url(POSTS), a_blog.page(POSTS, a_blog.article(POSTS) + shown))
    for url in PICTURES:
        fetcher.put(url, b"\x89PNG " + url.encode(), type="image/png")
    return fetcher


def held(archive: Archive) -> list[str]:
    return [item.url for item in archive.posts.find(a_blog.url(POSTS)).media if item.path is not None]


def asked(fetcher: MemoryWeb) -> list[str]:
    return [url for url in fetcher.asked if url in PICTURES]


def test_pictures_of_a_host_that_wants_to_be_left_alone_for_a_day_are_fetched_a_day_later(archive):
    fetcher = a_site_with_pictures()
    PictureHost(fetcher)
    for hours in (0, 2, 4, 6):
        fetcher.now = NOW + timedelta(hours=hours)
        report = crawl(fetcher, archive)
        assert (report.ending, report.exit_code) == ("complete", 0)
        assert (report.tally.now.media_missing, report.tally.media_held_off) == (0, len(PICTURES))
        assert report.tally.media_held_until == NOW + DAY
        assert [line[:25] for line in media_lines(report.tally)] == ["5 pictures or files wait:"]
    assert (asked(fetcher), held(archive)) == (PICTURES[:1], [])
    fetcher.now = NOW + DAY
    report = crawl(fetcher, archive)
    assert held(archive) == PICTURES
    assert (report.tally.now.media, report.tally.media_held_off, media_lines(report.tally)) == (len(PICTURES), 0, [])
    assert not any(archive.blogs.counts(archive.blogs()[0].id).queued.values())


def test_a_crawl_that_goes_on_later_fetches_pictures_whose_time_has_come(archive):
    fetcher = a_site_with_pictures()
    PictureHost(fetcher)
    assert crawl(fetcher, archive, max_pages=15).ending == "limit"
    assert (asked(fetcher), held(archive)) == (PICTURES[:1], [])
    fetcher.now += DAY
    report = crawl(fetcher, archive)
    assert (report.ending, report.tally.now.media, held(archive)) == ("complete", len(PICTURES), PICTURES)


def test_a_watch_fetches_pictures_whose_time_has_come_though_the_feed_says_nothing_new(archive):
    fetcher, clock = a_site_with_pictures(), Clock()
    host = PictureHost(fetcher)
    crawl(fetcher, archive)
    # From here on the watch keeps the time.
    clock.plans.append((START + DAY, lambda: setattr(fetcher, "now", START + DAY)))
    watch(archive, fetcher, clock, hours=20, recheck_days=0)
    assert (asked(fetcher), held(archive), host.held_until) == (PICTURES[:1], [], START + DAY)
    watch(archive, fetcher, clock, hours=60, recheck_days=0)
    assert held(archive) == PICTURES


def test_pictures_that_wait_do_not_keep_a_crawl_from_its_end_and_one_refused_often_is_given_up(archive):
    fetcher = a_site_with_pictures()
    PictureHost(fetcher, rest=timedelta(seconds=1), refusals=10**9, takes=timedelta(minutes=1))
    for tries in range(1, PAGE_TRIES + 1):
        fetcher.asked.clear()
        fetcher.now += timedelta(minutes=1)
        report = crawl(fetcher, archive)
        assert (report.ending, asked(fetcher)) == ("complete", PICTURES)
        assert report.tally.now.media_missing == (len(PICTURES) if tries == PAGE_TRIES else 0)
    fetcher.asked.clear()
    crawl(fetcher, archive)
    assert asked(fetcher) == []


def test_a_picture_whose_host_refuses_others_for_days_is_not_given_up_unasked(archive):
    fetcher = a_site_with_pictures()
    PictureHost(fetcher, refusals=7)
    for _ in range(7):
        crawl(fetcher, archive)
        fetcher.now += DAY
    crawl(fetcher, archive)
    assert set(held(archive)) >= set(PICTURES[3:])


def test_a_host_of_pictures_that_asks_for_centuries_is_asked_a_week_later(archive):
    fetcher = a_site_with_pictures()
    host = PictureHost(fetcher, rest=CENTURIES)
    crawl(fetcher, archive)
    # So long does the archive remember what the host said.
    host.held_until = None
    fetcher.now += timedelta(days=6)
    crawl(fetcher, archive)
    assert held(archive) == []
    fetcher.now += DAY
    crawl(fetcher, archive)
    assert held(archive) == PICTURES


def test_pictures_of_a_host_whose_rules_cannot_be_read_now_are_asked_for_an_hour_later(archive):
    fetcher = a_site_with_pictures()
    pages = dict(fetcher.answers)
    fail_all(fetcher, trouble="robots", reason="robots.txt answers 503", until=NOW + timedelta(minutes=10))
    assert crawl(fetcher, archive).tally.now.media_missing == len(PICTURES)
    fetcher.answers = pages
    fetcher.now += timedelta(minutes=59)
    crawl(fetcher, archive)
    assert held(archive) == []
    fetcher.now += timedelta(minutes=1)
    crawl(fetcher, archive)
    assert held(archive) == PICTURES


def fail_all(fetcher: MemoryWeb, **how: Any) -> None:
    """Let all pictures fail in this way."""
    for url in PICTURES:
        fetcher.answers[url.removeprefix("https://")] = Failure(url=url, **how)


def test_pictures_that_fail_in_passing_are_asked_for_after_an_hour_a_day_a_week_and_a_month_and_never_given_up(archive):
    fetcher = a_site_with_pictures()
    pages = dict(fetcher.answers)
    fail_all(fetcher, trouble="connection", reason="the connection failed")
    crawl(fetcher, archive)
    waits = [*MEDIA_WAITS, MEDIA_WAITS[-1], MEDIA_WAITS[-1]]
    for wait in waits:
        due = fetcher.now + wait
        missing = [each for each in archive.urls.problems(archive.blogs()[0].id) if each.url in PICTURES]
        assert {(each.reason, each.again_at) for each in missing} == {("the connection failed", due)}
        fetcher.asked.clear()
        fetcher.now = due - timedelta(seconds=1)
        assert crawl(fetcher, archive).tally.now.media_missing == len(PICTURES)
        assert asked(fetcher) == []
        fetcher.now = due
        crawl(fetcher, archive)
        assert asked(fetcher) == PICTURES
    fetcher.answers = pages
    fetcher.now += waits[-1]
    assert (crawl(fetcher, archive).tally.now.media_missing, held(archive)) == (0, PICTURES)


def test_pictures_that_are_not_there_are_not_asked_for_again(archive):
    fetcher = a_site_with_pictures()
    for url in PICTURES:
        fetcher.put(url, b"nothing", status=404)
    crawl(fetcher, archive)
    fetcher.asked.clear()
    fetcher.now += timedelta(days=365)
    crawl(fetcher, archive)
    assert asked(fetcher) == []


def test_a_watch_asks_for_pictures_that_failed_when_they_are_due_though_the_feed_says_nothing_new(archive):
    fetcher, clock = a_site_with_pictures(), Clock()
    pages = dict(fetcher.answers)
    fail_all(fetcher, trouble="dns", reason="DNS lookup failed")
    crawl(fetcher, archive)
    fetcher.answers = pages
    fetcher.asked.clear()
    watch(archive, fetcher, clock, hours=60, recheck_days=0)
    assert (asked(fetcher), held(archive)) == (PICTURES, PICTURES)


def test_pictures_that_robots_forbid_are_left_out_for_good(archive):
    fetcher = a_site_with_pictures()
    for url in PICTURES:
        fetcher.answers[url.removeprefix("https://")] = Failure(
            url=url, trouble="robots", reason="robots.txt disallows it",
        )
    crawl(fetcher, archive)
    fetcher.asked.clear()
    crawl(fetcher, archive)
    assert asked(fetcher) == []
