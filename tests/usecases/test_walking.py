"""The walk back over the lists of a blog without a feed: stored as it goes, stopped, killed, taken up again."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.archive.verify import verify
from everlog.core.urls import canonical
from everlog.records import Failure
from everlog.usecases.crawl.crawl_blog import archive_blog
from everlog.usecases.crawl.walk_lists import MOST_LISTS
from usecases.a_death import STEPS
from usecases.a_site import FEED, a_site, crawl, listing, work
from usecases.a_web import MemoryWeb

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive

# New posts on five lists, of which the archive knows four: enough to be killed between any two.
NEWEST = 38
LISTS = range(1, MOST_LISTS + 12)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True, options=ArchiveOptions(min_free_bytes=0)) as opened:
        yield opened


@pytest.fixture
def fetcher(archive: Archive) -> MemoryWeb:
    """A blog that was crawled to its end and has gained many posts since."""
    fetcher = a_site()
    del fetcher.answers[canonical(FEED)]
    crawl(fetcher, archive)
    publish(fetcher, NEWEST)
    fetcher.asked.clear()
    return fetcher


def publish(fetcher: MemoryWeb, newest: int) -> None:
    numbers = list(range(newest, 0, -1))
    for number in numbers:
        fetcher.put(a_blog.url(number), a_blog.page(number))
    for place, start in enumerate(range(0, newest, 5), 1):
        older = place + 1 if start + 5 < newest else None
        fetcher.put(a_blog.HOME if place == 1 else f"{a_blog.HOME}page/{place}",
                listing(numbers[start : start + 5], older=older))


def assert_whole(archive: Archive, newest: int = NEWEST) -> None:
    posts = list(archive.posts())
    assert sorted(int(post.url.rpartition("/")[2]) for post in posts) == list(range(1, newest + 1))
    assert {post.version for post in posts} == {1}
    assert sum(archive.blogs.counts(archive.blogs()[0].id).queued.values()) == 0
    assert archive.blogs.state(archive.blogs()[0].id).walk is None
    assert list(verify(archive)) == []


class DyingWeb(MemoryWeb):
    """Dies at a request."""

    at = 1

    async def fetch(self, url, **how):
        if len(self.asked) + 1 == self.at:
            raise asyncio.CancelledError
        return await super().fetch(url, **how)


def kill_at(request: int, fetcher: MemoryWeb, archive: Archive) -> None:
    dying = DyingWeb(answers=fetcher.answers)
    dying.at = request
    with pytest.raises(asyncio.CancelledError):
        crawl(dying, archive)


def test_a_walk_leaves_nothing_to_do(fetcher, archive):
    assert crawl(fetcher, archive).ending == "complete"
    assert_whole(archive)
    fetcher.asked.clear()
    crawl(fetcher, archive)
    assert fetcher.asked == [a_blog.HOME]


def test_every_answer_of_a_walk_is_stored_before_the_next_page_is_asked_for(fetcher, archive):
    kill_at(3, fetcher, archive)
    blog = archive.blogs()[0]
    shown = [archive.urls.state(blog.id, canonical(a_blog.url(number))) for number in range(NEWEST, NEWEST - 10, -1)]
    assert shown == [("queued", 0)] * 10


@pytest.mark.parametrize("request_number", [1, 3, *(pytest.param(each, marks=pytest.mark.slow) for each in (2, 4))])
def test_a_walk_that_is_killed_at_a_request_is_taken_up_and_loses_nothing(fetcher, archive, request_number):
    kill_at(request_number, fetcher, archive)
    assert crawl(fetcher, archive).ending == "complete"
    assert_whole(archive)


def test_a_walk_that_is_killed_before_a_list_is_stored_is_taken_up_and_loses_nothing(fetcher, archive):
    with pytest.raises(asyncio.CancelledError):
        crawl(fetcher, archive, steps=STEPS)
    assert crawl(fetcher, archive).ending == "complete"
    assert_whole(archive)


@pytest.mark.parametrize(("request_number", "published"), [
    (3, 13), *(pytest.param(each, 5, marks=pytest.mark.slow) for each in (2, 3, 4)),
])
def test_posts_that_moved_to_later_lists_since_a_walk_was_killed_are_found(fetcher, archive, request_number, published):
    kill_at(request_number, fetcher, archive)
    publish(fetcher, NEWEST + published)
    assert crawl(fetcher, archive).ending == "complete"
    assert_whole(archive, NEWEST + published)


def test_a_walk_ends_at_the_limit_of_pages_and_the_same_command_goes_on(fetcher, archive):
    report = crawl(fetcher, archive, max_pages=2)
    assert (report.ending, report.exit_code, report.tally.requests) == ("limit", 6, 2)
    assert fetcher.asked == [a_blog.HOME, a_blog.HOME + "page/2"]
    endings = []
    while "complete" not in endings:
        fetcher.asked.clear()
        endings.append(crawl(fetcher, archive, max_pages=4).ending)
        assert len(fetcher.asked) <= 4
        assert len(endings) < 20
    assert_whole(archive)


def test_a_walk_ends_at_the_limit_of_time_even_while_it_waits_for_an_answer(fetcher, archive):
    class SilentWeb(MemoryWeb):
        async def fetch(self, url, **how):
            if url.endswith("/page/2"):
                await asyncio.Event().wait()
            return await super().fetch(url, **how)

    report = crawl(SilentWeb(answers=fetcher.answers), archive, max_time=0.5)
    assert (report.ending, report.exit_code) == ("limit", 6)
    assert crawl(fetcher, archive).ending == "complete"
    assert_whole(archive)


def test_an_interrupt_ends_a_walk_and_the_same_command_goes_on(fetcher, archive):
    class InterruptingWeb(MemoryWeb):
        async def fetch(self, url, **how):
            if url.endswith("/page/2"):
                job.stop.interrupt()
                await asyncio.Event().wait()
            return await super().fetch(url, **how)

    job = work(InterruptingWeb(answers=fetcher.answers), archive)
    report = asyncio.run(archive_blog(a_blog.HOME, job))
    assert (report.ending, report.exit_code) == ("interrupted", 130)
    assert crawl(fetcher, archive).ending == "complete"
    assert_whole(archive)


def test_a_list_that_cannot_be_had_for_a_while_is_walked_from_at_the_next_update(fetcher, archive):
    url = a_blog.HOME + "page/2"
    good = fetcher.answers[canonical(url)]
    fetcher.answers[canonical(url)] = Failure(url=url, trouble="timeout", reason="no answer")
    assert crawl(fetcher, archive).ending == "incomplete"
    fetcher.answers[canonical(url)] = good
    assert crawl(fetcher, archive).ending == "complete"
    assert_whole(archive)


def test_a_list_that_never_answers_is_given_up(fetcher, archive):
    url = a_blog.HOME + "page/2"
    fetcher.answers[canonical(url)] = Failure(url=url, trouble="timeout", reason="no answer")
    for _ in range(4):
        crawl(fetcher, archive)
    assert archive.blogs.state(archive.blogs()[0].id).walk is None
    fetcher.asked.clear()
    crawl(fetcher, archive)
    assert fetcher.count(url) == 0


@pytest.mark.slow
def test_a_walk_over_very_many_lists_stops_says_so_and_is_gone_on_with(archive):
    fetcher = a_site_of_new_addresses(archive)
    report = crawl(fetcher, archive)
    assert sum("/tag/" in url for url in fetcher.asked) == MOST_LISTS - 1
    assert (report.ending, report.exit_code) == ("limit", 6)
    assert report.reason.endswith(f"; to continue:  everlog crawl {a_blog.HOME}")
    assert report.tally.new_posts == MOST_LISTS
    fetcher.asked.clear()
    assert crawl(fetcher, archive).ending == "complete"
    assert sum("/tag/" in url for url in fetcher.asked) == len(LISTS) - (MOST_LISTS - 1)
    assert archive.blogs.counts(archive.blogs()[0].id).posts == 20 + 1 + len(LISTS)


@pytest.mark.slow
def test_a_walk_that_shall_be_exhaustive_has_no_bound(archive):
    fetcher = a_site_of_new_addresses(archive)
    assert crawl(fetcher, archive, exhaustive=True).ending == "complete"
    assert archive.blogs.counts(archive.blogs()[0].id).posts == 20 + 1 + len(LISTS)


def a_site_of_new_addresses(archive: Archive) -> MemoryWeb:
    """A crawled blog all whose addresses changed: none of its many lists leads to a post that is held."""
    fetcher = MemoryWeb()
    ways = "".join(f"<a href=/tag/{name}>Tag {name}</a> " for name in LISTS)
    fetcher.put(a_blog.HOME, listing(range(20, 15, -1)).replace("</nav>", f"{ways}</nav>"))
    for number in range(1, 21):
        fetcher.put(a_blog.url(number), a_blog.page(number))
    for name in LISTS:
        fetcher.put(f"{a_blog.HOME}tag/{name}", listing(1 + (name + step) % 20 for step in range(5)))
    crawl(fetcher, archive, exhaustive=True)
    fetcher.put(a_blog.HOME, listing([1000]).replace("</nav>", f"{ways}</nav>"))
    for name in (0, *LISTS):
        fetcher.put(a_blog.url(1000 + name), a_blog.page(1000 + name))
        fetcher.put(f"{a_blog.HOME}tag/{name}", listing([1000 + name]))
    fetcher.asked.clear()
    return fetcher
