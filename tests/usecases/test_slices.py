"""A crawl in slices, as a fleet's workers do it: every slice comes further, and all of them end where one run does."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.core.urls import canonical
from everlog.frontier.priority_queue import QUIET_PAGES
from everlog.records import Failure
from everlog.usecases.crawl.crawl_blog import archive_blog
from everlog.usecases.crawl.crawl_context import SLICE_OVER, StopSwitch
from everlog.usecases.crawl.crawl_loop import LEAST_TAKEN
from everlog.usecases.watch.poll import poll_blog
from everlog.usecases.watch.poll_source import first_poll
from usecases.a_site import FEED, POSTS, a_site, crawl, put_feed, work
from usecases.a_web import NOW, MemoryWeb

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from everlog.usecases.crawl.report import Report
    from everlog.usecases.watch.poll import PollResult

pytestmark = pytest.mark.slow

ALL = list(range(1, POSTS + 1))
COPIED = 30
SLICE_PAGES = 12


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True, options=ArchiveOptions(min_free_bytes=0)) as opened:
        yield opened


def in_slices(
    fetcher: MemoryWeb, archive: Archive, *, most: int, begun: bool = False, is_over: bool = False, **settings: Any,
) -> list[Report]:
    """Slice after slice until one is not ended by its limit; `is_over`: their time is over before they begin."""
    reports: list[Report] = []
    while not reports or reports[-1].ending == "limit":
        assert len(reports) < most, [report.tally.requests for report in reports]
        part = replace(
            work(fetcher, archive, **settings), goes_on=begun or bool(reports), stop=StopSwitch(is_over=is_over),
        )
        reports.append(asyncio.run(archive_blog(a_blog.HOME, part)))
    return reports


def numbers_held(archive: Archive) -> list[int]:
    return sorted(int(post.url.rstrip("/").rpartition("/")[2].rpartition("-")[2]) for post in archive.posts())


def repeated(fetcher: MemoryWeb) -> int:
    return len(fetcher.asked) - len(set(map(canonical, fetcher.asked)))


def list_of(links: Iterable[str]) -> str:
    rows = "".join(f"<li><a href='{link}'>{link.strip('/')}</a></li>" for link in links)
    return (
        f"<html><head><title>A Blog</title><link rel=alternate type=application/rss+xml href={FEED}></head><body>"
        f"<nav><a href=/>Home</a> <a href=/about>About the blog</a></nav><ul>{rows}</ul></body></html>"
    )


def a_site_of_copies(posts: int = COPIED) -> MemoryWeb:
    """Its lists link posts where they are, its posts name another address at which they are too, and nothing links."""
    fetcher = MemoryWeb()
    for number in range(1, posts + 1):
        page = a_blog.page(min(number, 28), inside=a_blog.article(number),
                           head=f"<link rel=canonical href=/2020/01/post-{number}/>")
        page = page.replace(f"Post {min(number, 28)} of ours".encode(), f"Post {number} of ours".encode())
        fetcher.put(f"{a_blog.HOME}2020/01/post-{number}/", page)
        fetcher.put(f"{a_blog.HOME}2020/02/post-{number}/", page)
    numbers = range(posts, 0, -1)
    fetcher.put(a_blog.HOME, list_of([f"/2020/02/post-{number}/" for number in numbers]))
    items = [a_blog.item(number, link=f"{a_blog.HOME}2020/01/post-{number}/") for number in range(1, 6)]
    fetcher.put(FEED, a_blog.rss(items), type="application/rss+xml")
    return fetcher


@pytest.mark.parametrize("newest_first", [False, True])
def test_copies_whose_originals_nothing_links_hold_up_no_slice(archive, newest_first):
    fetcher = a_site_of_copies()
    reports = in_slices(fetcher, archive, most=10, max_pages=SLICE_PAGES, newest_first=newest_first)
    assert reports[-1].ending == "complete"
    assert numbers_held(archive) == list(range(1, COPIED + 1))
    assert all("/2020/01/" in post.url for post in archive.posts())
    # Those whose originals are under way when a slice ends are asked for once more.
    assert repeated(fetcher) <= COPIED / 3


def test_copies_are_aliases_whether_in_slices_or_in_one_run(archive, tmp_path):
    in_slices(a_site_of_copies(), archive, most=10, max_pages=SLICE_PAGES)
    with open_archive(tmp_path / "whole", create=True, options=ArchiveOptions(min_free_bytes=0)) as whole:
        crawl(a_site_of_copies(), whole)
        assert archive.blogs.counts(1).aliases == whole.counts(1).aliases
        assert {post.url for post in archive.posts()} == {post.url for post in whole.posts()}


def test_copies_that_wait_for_pages_come_after_these_pages(archive):
    fetcher = a_site()
    pairs = range(30, 50)
    for number in pairs:
        # Their originals do not look like posts, and wait among the pages.
        page = a_blog.page(7, inside=a_blog.article(number), head=f"<link rel=canonical href=/notes/on-it-{number}>")
        fetcher.put(a_blog.url(number), page)
        fetcher.put(f"{a_blog.HOME}notes/on-it-{number}", page)
    links = [f"/notes/on-it-{number}" for number in pairs] + [f"/{number}" for number in pairs]
    fetcher.put(a_blog.HOME + "about", list_of(links))
    reports = in_slices(fetcher, archive, most=20, max_pages=SLICE_PAGES)
    assert reports[-1].ending == "complete"
    assert len(list(archive.posts())) == POSTS + len(pairs)


def test_copies_that_name_each_other_are_kept_after_they_waited_once(archive):
    fetcher = a_site()
    pairs = range(30, 60)
    for number in pairs:
        other = number + 1 if number % 2 == 0 else number - 1
        page = a_blog.page(7, inside=a_blog.article(number), head=f"<link rel=canonical href=/{other}>")
        fetcher.put(a_blog.url(number), page.replace(b"Post 7", f"Post {number}".encode()))
    # The one of each pair is far from the other, so that a slice sees one of them.
    fetcher.put(a_blog.HOME + "about", list_of([f"/{number}" for number in [*pairs[::2], *pairs[1::2]]]))
    reports = in_slices(fetcher, archive, most=20, max_pages=SLICE_PAGES)
    assert reports[-1].ending == "complete"
    assert numbers_held(archive) == [*ALL, *pairs]


def test_an_update_in_slices_keeps_the_post_that_a_page_put_off_turns_out_to_be(crawled):
    fetcher, archive = crawled
    for number in (21, 22, 23):
        fetcher.put(a_blog.url(number), a_blog.page(number, head=f"<link rel=canonical href=/{number}?full=1>"))
    put_feed(fetcher, [23, 22, 21, 20, 19])
    reports = in_slices(fetcher, archive, most=20, is_over=True, concurrency=1)
    assert reports[-1].ending == "complete"
    assert numbers_held(archive) == [*ALL, 21, 22, 23]


def a_site_without_end() -> MemoryWeb:
    """Beside its posts it has pages that lead to ever more of their kind."""

    class Endless(MemoryWeb):
        async def fetch(self, url: str, **how: Any) -> Any:
            name = url.removeprefix(a_blog.HOME)
            if name.startswith("shop/") and canonical(url) not in self.answers:
                number = int(name.removeprefix("shop/thing-"))
                self.put(url, list_of([f"/shop/thing-{2 * number}", f"/shop/thing-{2 * number + 1}"]))
            return await super().fetch(url, **how)

    fetcher = Endless(answers=a_site().answers)
    fetcher.put(a_blog.HOME + "about", list_of(["/shop/thing-1"]))
    return fetcher


def test_quiet_pages_end_a_crawl_in_slices_as_they_end_one_run(archive, tmp_path):
    whole, parts = a_site_without_end(), a_site_without_end()
    with open_archive(tmp_path / "whole", create=True, options=ArchiveOptions(min_free_bytes=0)) as other:
        assert crawl(whole, other).ending == "complete"
    assert QUIET_PAGES < len(whole.asked) < QUIET_PAGES + 60
    reports = in_slices(parts, archive, most=10, max_pages=60)
    assert f"the last {QUIET_PAGES} pages" in reports[-1].reason
    assert abs(len(parts.asked) - len(whole.asked)) <= 4 * len(reports)
    assert archive.blogs.state(archive.blogs()[0].id).progress is None


@pytest.mark.parametrize("place", ["", "notes/on-it-"])
def test_quiet_pages_end_no_crawl_before_what_was_put_off_is_settled(archive, place):
    fetcher = a_site_without_end()
    pairs = range(30, 60)
    for number in pairs:
        other = number + 1 if number % 2 == 0 else number - 1
        page = a_blog.page(7, inside=a_blog.article(number), head=f"<link rel=canonical href=/{place}{other}>")
        fetcher.put(f"{a_blog.HOME}{place}{number}", page.replace(b"Post 7", f"Post {number}".encode()))
    links = [f"/{place}{number}" for number in [*pairs[::2], *pairs[1::2]]]
    fetcher.put(a_blog.HOME + "about", list_of([*links, "/shop/thing-1"]))
    reports = in_slices(fetcher, archive, most=40, max_pages=20)
    assert f"the last {QUIET_PAGES} pages" in reports[-1].reason
    assert numbers_held(archive) == [*ALL, *pairs]


def test_quiet_pages_of_an_earlier_crawl_do_not_end_a_new_one(archive):
    fetcher = a_site_without_end()
    crawl(fetcher, archive, max_pages=200)
    fetcher.asked.clear()
    assert f"the last {QUIET_PAGES} pages" in crawl(fetcher, archive).reason
    assert len(fetcher.asked) > QUIET_PAGES


def test_every_slice_visits_a_page_however_late_it_begins(archive):
    fetcher = a_site()
    reports = in_slices(fetcher, archive, most=POSTS + 10, is_over=True, concurrency=1)
    assert reports[-1].ending == "complete"
    assert numbers_held(archive) == ALL
    assert repeated(fetcher) == 0


def test_an_update_whose_time_is_over_before_its_pages_comes_further_with_every_slice(crawled):
    fetcher, archive = crawled
    for number in range(21, 26):
        fetcher.put(a_blog.url(number), a_blog.page(number))
    put_feed(fetcher, range(25, 20, -1))
    reports = in_slices(fetcher, archive, most=30, is_over=True, concurrency=1)
    assert reports[-1].ending == "complete"
    assert numbers_held(archive) == list(range(1, 26))


def test_a_walk_whose_time_is_over_goes_on_with_the_next_slice(crawled):
    fetcher, archive = crawled
    fetcher.answers = a_site(60).answers
    fetcher.asked.clear()
    first = work(fetcher, archive, concurrency=1)
    first.stop.wind_down()
    assert asyncio.run(archive_blog(a_blog.HOME, first)).reason == SLICE_OVER
    assert sum(url == a_blog.HOME or "/page/" in url for url in fetcher.asked) == LEAST_TAKEN
    reports = in_slices(fetcher, archive, most=80, begun=True, is_over=True, concurrency=1)
    assert reports[-1].ending == "complete"
    assert numbers_held(archive) == list(range(1, 61))


def a_mapped_site(archive: Archive, *, maps: int) -> MemoryWeb:
    """A blog without a feed whose front page leads nowhere; each of its maps names one more post by now."""
    fetcher = a_site()
    del fetcher.answers[canonical(FEED)]
    fetcher.put(
        a_blog.HOME, "<html><head><title>A Blog</title></head><body><p>Type what you look for.</p></body></html>",
    )
    put_map(fetcher, "sitemap.xml", ALL)
    crawl(fetcher, archive)
    names = [f"map-{number}.xml" for number in range(21, 21 + maps)]
    for number, name in enumerate(names, 21):
        fetcher.put(a_blog.url(number), a_blog.page(number))
        put_map(fetcher, name, [number])
    maps = tuple(a_blog.HOME + name for name in names)
    archive.blogs.change_state(archive.blogs()[0].id, lambda state: replace(state, sitemaps=maps))
    fetcher.asked.clear()
    return fetcher


def put_map(fetcher: MemoryWeb, name: str, numbers: Iterable[int]) -> None:
    rows = "".join(f"<url><loc>{a_blog.url(number)}</loc></url>" for number in numbers)
    fetcher.put(a_blog.HOME + name, f"<urlset>{rows}</urlset>", type="application/xml")


def test_an_update_without_a_feed_asks_each_map_once_in_all_its_slices(archive):
    fetcher = a_mapped_site(archive, maps=7)
    reports = in_slices(fetcher, archive, most=40, is_over=True, concurrency=1)
    assert reports[-1].ending == "complete"
    assert numbers_held(archive) == list(range(1, 28))
    assert fetcher.count(a_blog.HOME) == 1
    assert [fetcher.count(f"{a_blog.HOME}map-{number}.xml") for number in range(21, 28)] == [1] * 7
    # The next update begins anew.
    assert archive.blogs.state(archive.blogs()[0].id).update is None
    fetcher.asked.clear()
    crawl(fetcher, archive)
    assert fetcher.count(a_blog.HOME) == fetcher.count(a_blog.HOME + "map-21.xml") == 1


def a_poll(fetcher: MemoryWeb, archive: Archive) -> PollResult:
    """One poll whose time is over before it begins."""
    [blog] = archive.blogs()
    part = work(fetcher, archive, concurrency=1)
    part.stop.wind_down()
    poll = archive.polls.of(blog.id) or first_poll(blog, archive, fetcher.now)
    polled = asyncio.run(poll_blog(poll, blog, part))
    archive.polls.set(polled.poll)
    return polled


def until_not_due(fetcher: MemoryWeb, archive: Archive, *, most: int) -> list[PollResult]:
    polls = [a_poll(fetcher, archive)]
    while polls[-1].poll.polling.due_at <= fetcher.now:
        assert len(polls) < most
        polls.append(a_poll(fetcher, archive))
    return polls


def test_polls_whose_time_is_over_are_due_until_nothing_is_left(crawled):
    fetcher, archive = crawled
    newer = range(21, 29)
    for number in newer:
        fetcher.put(a_blog.url(number), a_blog.page(number))
    put_feed(fetcher, range(28, 18, -1))
    polls = until_not_due(fetcher, archive, most=20)
    assert numbers_held(archive) == [*ALL, *newer]
    assert len(polls) > 1
    assert polls[0].report.reason == SLICE_OVER


def test_a_poll_whose_time_is_over_with_nothing_left_waits_for_its_next_time(crawled):
    fetcher, archive = crawled
    [blog] = archive.blogs()
    archive.urls.requeue(blog.id, [canonical(a_blog.url(7))])
    fetcher.asked.clear()
    polled = a_poll(fetcher, archive)
    assert fetcher.asked == [FEED, a_blog.url(7)]
    assert polled.report.reason == SLICE_OVER
    assert polled.poll.polling.due_at > fetcher.now


def test_polls_without_a_feed_whose_time_is_over_ask_each_map_once(archive):
    fetcher = a_mapped_site(archive, maps=5)
    polls = until_not_due(fetcher, archive, most=40)
    assert numbers_held(archive) == list(range(1, 26))
    assert [fetcher.count(f"{a_blog.HOME}map-{number}.xml") for number in range(21, 26)] == [1] * 5
    assert len(polls) > 5 / LEAST_TAKEN


def test_a_further_slice_of_an_update_does_not_ask_for_what_failed_in_an_earlier_one(crawled):
    fetcher, archive = crawled
    broken = a_blog.url(21)
    fetcher.answers[canonical(broken)] = Failure(url=broken, trouble="timeout", reason="too slow")
    fetcher.put(a_blog.url(22), a_blog.page(22))
    fetcher.put(a_blog.url(23), a_blog.page(23))
    put_feed(fetcher, [23, 22, 21, 20, 19])
    reports = in_slices(fetcher, archive, most=20, is_over=True, concurrency=1)
    assert reports[-1].ending == "incomplete"
    assert len(reports) > 2
    assert fetcher.count(broken) == 1
    assert fetcher.now == NOW
