"""Pictures whose hosts want to be left alone: they wait, without keeping the blog, and nothing is given up unasked."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from usecases.a_site import POSTS, a_site, crawl
from usecases.a_watch import START, Clock, watch
from usecases.a_web import NOW

import a_blog
from everlog.archive import open_archive
from everlog.archive.archive import Habits
from everlog.cli.summary import media_lines
from everlog.core.urls import host_of
from everlog.records import Exchange, Failure
from everlog.usecases.page.failures import MEDIA_WAITS, MOST_TRIES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from usecases.a_web import MemoryWeb

    from everlog.archive import Archive

PICTURES = [f"https://pictures.example/{number}.png" for number in range(1, 6)]
DAY = timedelta(days=1)
CENTURIES = timedelta(days=300 * 365)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True, habits=Habits(min_free_bytes=0)) as opened:
        yield opened


@dataclass
class PictureHost:
    """A host that refuses one picture and is then not asked for any, by a crawl that heeds it."""

    web: MemoryWeb
    rest: timedelta = DAY
    refusals: int = 1
    # How much time passes with each request.
    takes: timedelta = timedelta()
    # Waits up to this are sat out.
    patience: timedelta = timedelta(minutes=10)
    held_until: datetime | None = None

    def __post_init__(self) -> None:
        self.plain = self.web.fetch
        self.web.fetch = self.fetch  # type: ignore[method-assign]

    async def fetch(self, url, *, purpose="page", **how):
        await asyncio.sleep(0)  # as with any web, others come to their turns meanwhile
        if host_of(url) != "pictures.example":
            return await self.plain(url, purpose=purpose, **how)
        if self.held_until is not None and self.held_until - self.web.now > self.patience:
            return Failure(url=url, trouble="rate-limited", reason="the server answered 429", until=self.held_until)
        self.web.now += self.takes
        if not self.refusals:
            return await self.plain(url, purpose=purpose, **how)
        self.refusals -= 1
        self.web.asked.append(url)
        self.held_until = self.web.now + self.rest
        refused = Exchange(url=url, status=429, body=b"too many", fetched_at=self.web.now, purpose=purpose)
        return Failure(
            url=url, trouble="rate-limited", reason="answers 429", status=429, until=self.held_until,
            exchanges=(refused,),
        )


def a_site_with_pictures() -> MemoryWeb:
    web = a_site()
    shown = "".join(f"<img src={url}>" for url in PICTURES)
    web.put(a_blog.url(POSTS), a_blog.page(POSTS, a_blog.article(POSTS) + shown))
    for url in PICTURES:
        web.put(url, b"\x89PNG " + url.encode(), type="image/png")
    return web


def held(archive: Archive) -> list[str]:
    return [item.url for item in archive.find_post(a_blog.url(POSTS)).media if item.path is not None]


def asked(web: MemoryWeb) -> list[str]:
    return [url for url in web.asked if url in PICTURES]


def test_pictures_of_a_host_that_wants_to_be_left_alone_for_a_day_are_fetched_a_day_later(archive):
    web = a_site_with_pictures()
    PictureHost(web)
    for hours in (0, 2, 4, 6):
        web.now = NOW + timedelta(hours=hours)
        report = crawl(web, archive)
        assert (report.ending, report.exit_code) == ("complete", 0)
        assert (report.tally.media_missing, report.tally.media_held_off) == (0, len(PICTURES))
        assert report.tally.media_held_until == NOW + DAY
        assert [line[:25] for line in media_lines(report.tally)] == ["5 pictures or files wait:"]
    assert (asked(web), held(archive)) == (PICTURES[:1], [])
    web.now = NOW + DAY
    report = crawl(web, archive)
    assert held(archive) == PICTURES
    assert (report.tally.media, report.tally.media_held_off, media_lines(report.tally)) == (len(PICTURES), 0, [])
    assert not any(archive.counts(archive.blogs()[0].id).queued.values())


def test_a_crawl_that_goes_on_later_fetches_pictures_whose_time_has_come(archive):
    web = a_site_with_pictures()
    PictureHost(web)
    assert crawl(web, archive, max_pages=15).ending == "limit"
    assert (asked(web), held(archive)) == (PICTURES[:1], [])
    web.now += DAY
    report = crawl(web, archive)
    assert (report.ending, report.tally.media, held(archive)) == ("complete", len(PICTURES), PICTURES)


def test_a_watch_fetches_pictures_whose_time_has_come_though_the_feed_says_nothing_new(archive):
    web, clock = a_site_with_pictures(), Clock()
    host = PictureHost(web)
    crawl(web, archive)
    # From here on the watch keeps the time.
    clock.plans.append((START + DAY, lambda: setattr(web, "now", START + DAY)))
    watch(archive, web, clock, hours=20, recheck_days=0)
    assert (asked(web), held(archive), host.held_until) == (PICTURES[:1], [], START + DAY)
    watch(archive, web, clock, hours=60, recheck_days=0)
    assert held(archive) == PICTURES


def test_pictures_that_wait_do_not_keep_a_crawl_from_its_end_and_one_refused_often_is_given_up(archive):
    web = a_site_with_pictures()
    PictureHost(web, rest=timedelta(seconds=1), refusals=10**9, takes=timedelta(minutes=1))
    for tries in range(1, MOST_TRIES + 1):
        web.asked.clear()
        web.now += timedelta(minutes=1)
        report = crawl(web, archive)
        assert (report.ending, asked(web)) == ("complete", PICTURES)
        assert report.tally.media_missing == (len(PICTURES) if tries == MOST_TRIES else 0)
    web.asked.clear()
    crawl(web, archive)
    assert asked(web) == []


def test_a_picture_whose_host_refuses_others_for_days_is_not_given_up_unasked(archive):
    web = a_site_with_pictures()
    PictureHost(web, refusals=7)
    for _ in range(7):
        crawl(web, archive)
        web.now += DAY
    crawl(web, archive)
    assert set(held(archive)) >= set(PICTURES[3:])


def test_a_host_of_pictures_that_asks_for_centuries_is_asked_a_week_later(archive):
    web = a_site_with_pictures()
    host = PictureHost(web, rest=CENTURIES)
    crawl(web, archive)
    # So long does the archive remember what the host said.
    host.held_until = None
    web.now += timedelta(days=6)
    crawl(web, archive)
    assert held(archive) == []
    web.now += DAY
    crawl(web, archive)
    assert held(archive) == PICTURES


def test_pictures_of_a_host_whose_rules_cannot_be_read_now_are_asked_for_an_hour_later(archive):
    web = a_site_with_pictures()
    pages = dict(web.answers)
    fail_all(web, trouble="robots", reason="robots.txt answers 503", until=NOW + timedelta(minutes=10))
    assert crawl(web, archive).tally.media_missing == len(PICTURES)
    web.answers = pages
    web.now += timedelta(minutes=59)
    crawl(web, archive)
    assert held(archive) == []
    web.now += timedelta(minutes=1)
    crawl(web, archive)
    assert held(archive) == PICTURES


def fail_all(web: MemoryWeb, **how: Any) -> None:
    """Let all pictures fail in this way."""
    for url in PICTURES:
        web.answers[url.removeprefix("https://")] = Failure(url=url, **how)


def test_pictures_that_fail_in_passing_are_asked_for_after_an_hour_a_day_a_week_and_a_month_and_never_given_up(archive):
    web = a_site_with_pictures()
    pages = dict(web.answers)
    fail_all(web, trouble="connection", reason="the connection failed")
    crawl(web, archive)
    waits = [*MEDIA_WAITS, MEDIA_WAITS[-1], MEDIA_WAITS[-1]]
    for wait in waits:
        due = web.now + wait
        missing = [each for each in archive.problems(archive.blogs()[0].id) if each.url in PICTURES]
        assert {(each.reason, each.again_at) for each in missing} == {("the connection failed", due)}
        web.asked.clear()
        web.now = due - timedelta(seconds=1)
        assert crawl(web, archive).tally.media_missing == len(PICTURES)
        assert asked(web) == []
        web.now = due
        crawl(web, archive)
        assert asked(web) == PICTURES
    web.answers = pages
    web.now += waits[-1]
    assert (crawl(web, archive).tally.media_missing, held(archive)) == (0, PICTURES)


def test_pictures_that_are_not_there_are_not_asked_for_again(archive):
    web = a_site_with_pictures()
    for url in PICTURES:
        web.put(url, b"nothing", status=404)
    crawl(web, archive)
    web.asked.clear()
    web.now += timedelta(days=365)
    crawl(web, archive)
    assert asked(web) == []


def test_a_watch_asks_for_pictures_that_failed_when_they_are_due_though_the_feed_says_nothing_new(archive):
    web, clock = a_site_with_pictures(), Clock()
    pages = dict(web.answers)
    fail_all(web, trouble="dns", reason="DNS lookup failed")
    crawl(web, archive)
    web.answers = pages
    web.asked.clear()
    watch(archive, web, clock, hours=60, recheck_days=0)
    assert (asked(web), held(archive)) == (PICTURES, PICTURES)


def test_pictures_that_robots_forbid_are_left_out_for_good(archive):
    web = a_site_with_pictures()
    for url in PICTURES:
        web.answers[url.removeprefix("https://")] = Failure(url=url, trouble="robots", reason="robots.txt disallows it")
    crawl(web, archive)
    web.asked.clear()
    crawl(web, archive)
    assert asked(web) == []
