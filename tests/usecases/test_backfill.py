"""Backfill from a web archive: what is gone from the web comes back, labelled, and nothing live is replaced."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.errors import UsageError
from everlog.history.memento import WEB_ARCHIVE
from everlog.records import Failure
from everlog.usecases.foreign.crawl_and_backfill import crawl_and_backfill
from usecases.a_site import POSTS, a_site, crawl, work
from usecases.a_web_archive import WebArchive
from usecases.conftest import OPTIONS

GONE = range(1, 11)
STAMP = "20240302030405"
PARKED = "<html><head><title>This domain is for sale</title></head><body><h1>Buy it {}</h1><p>Offers</p></body></html>"


@pytest.fixture
def archive(tmp_path):
    with open_archive(tmp_path / "archive", create=True, options=OPTIONS) as opened:
        yield opened


def half_gone(kind="wayback", **how):
    """A blog of which the older half is gone, and a web archive that has all of it."""
    web, there = a_site(), WebArchive(kind=kind, **how)
    there.capture_all(web, STAMP)
    for number in GONE:
        del web.answers[a_blog.url(number).partition("://")[2]]
    return web, there


def backfilled(web, archive, there, **settings):
    run = replace(
        work(web, archive, from_wayback=there.endpoint, **settings), web_archive=there,
    )
    return asyncio.run(crawl_and_backfill(a_blog.HOME, run)), run


def held(archive):
    return {post.url: post for post in archive.posts()}


@pytest.mark.parametrize("kind", ["wayback", "pywb", "timemap"])
def test_a_blog_half_of_which_is_gone_comes_back_whole_and_labelled(archive, kind):
    web, there = half_gone(kind)
    report, _ = backfilled(web, archive, there)
    posts = held(archive)
    assert len(posts) == POSTS
    restored = {url: post for url, post in posts.items() if post.origin == "memento"}
    assert restored.keys() == {a_blog.url(number) for number in GONE}
    assert {post.captured for post in restored.values()} == {datetime(2024, 3, 2, 3, 4, 5, tzinfo=UTC)}
    assert report.held == POSTS
    assert any("10 posts" in remark for remark in report.tally.remarks)


def test_the_records_say_where_they_were_taken_from(archive):
    web, there = half_gone()
    backfilled(web, archive, there)
    blog = archive.blogs.find(a_blog.HOME)
    capture = archive.captures.find(blog.id, a_blog.url(3))
    exchange = archive.files.exchange(capture)
    assert (capture.origin, exchange.origin) == ("memento", "memento")
    assert exchange.source_uri == f"http://archive.example/web/{STAMP}id_/{a_blog.url(3)}"
    assert exchange.header("server") == "then"


def test_what_the_archive_gave_reads_as_the_live_page_did(archive, tmp_path):
    with open_archive(tmp_path / "live", create=True, options=OPTIONS) as live:
        crawl(a_site(), live)
        before = {url: (post.title, post.text, post.published) for url, post in held(live).items()}
    web, there = half_gone()
    backfilled(web, archive, there)
    assert {url: (post.title, post.text, post.published) for url, post in held(archive).items()} == before


def test_a_live_copy_is_never_replaced(archive):
    web, there = a_site(), WebArchive()
    there.capture_all(web, STAMP)
    old = a_blog.page(5, noise="<p>It was otherwise once, which is a longer story than it looks.</p>")
    there.captures = [each for each in there.captures if each.url != a_blog.url(5)]
    there.capture(a_blog.url(5), STAMP, old)
    backfilled(web, archive, there)
    posts = held(archive)
    assert {post.origin for post in posts.values()} == {"live"}
    versions = archive.posts.history(a_blog.url(5))
    assert [(each.post.version, each.post.origin) for each in versions] == [(0, "memento"), (1, "live")]
    assert "otherwise once" in versions[0].post.text
    assert len(archive.posts.history(a_blog.url(6))) == 1


def test_earlier_versions_can_be_left_out(archive):
    web, there = a_site(), WebArchive()
    there.capture_all(web, STAMP)
    backfilled(web, archive, there, wayback_versions=0)
    assert not [url for url in there.asked if "id_/" in url]


def test_what_was_taken_is_not_asked_for_again(archive):
    web, there = half_gone()
    backfilled(web, archive, there)
    before = [url for url in there.asked if "id_/" in url]
    there.asked.clear()
    backfilled(web, archive, there)
    assert len(before) >= len(GONE)
    assert [url for url in there.asked if "id_/" in url] == []
    assert len(held(archive)) == POSTS


def test_redirects_errors_and_other_hosts_are_no_posts(archive):
    web, there = half_gone()
    there.captures = [each for each in there.captures if each.url not in map(a_blog.url, (1, 2, 3))]
    there.capture(a_blog.url(1), STAMP, status=301, location=a_blog.HOME)
    there.capture(a_blog.url(2), STAMP, "gone", status=404)
    there.capture("http://other.example/3", STAMP, a_blog.page(3))
    backfilled(web, archive, there)
    assert held(archive).keys() == {a_blog.url(number) for number in range(4, POSTS + 1)}


@pytest.mark.slow
def test_a_capture_that_turns_out_to_be_another_page_is_not_taken(archive):
    web, there = half_gone()
    there.captures = [each for each in there.captures if each.url != a_blog.url(1)]
    # Listed as a page, and replayed as where it led to.
    there.capture(a_blog.url(1), STAMP, "x", location=a_blog.url(2))
    backfilled(web, archive, there)
    assert a_blog.url(1) not in held(archive)


@pytest.mark.parametrize("sold", [1, 3, 9])
def test_what_a_domain_showed_after_the_blog_is_passed_over(archive, sold):
    web, there = half_gone()
    for number in GONE:
        for day in range(10, 10 + sold):
            # Each address another advertisement, as parked domains have them.
            there.capture(a_blog.url(number), f"202404{day}030405", PARKED.format(f"{number} {day}"))
    backfilled(web, archive, there)
    posts = held(archive)
    assert len(posts) == POSTS
    assert {post.captured.month for post in posts.values() if post.origin == "memento"} == {3}


def test_soft_errors_that_all_addresses_share_cost_no_request(archive):
    web, there = half_gone()
    for number in GONE:
        there.capture(a_blog.url(number), "20240502030405", "<html><body>Page not found, sorry.</body></html>")
    backfilled(web, archive, there)
    assert len(held(archive)) == POSTS
    assert not [url for url in there.asked if "20240502030405" in url]


def test_equal_captures_and_twins_of_http_and_https_are_asked_for_once(archive):
    web, there = half_gone()
    for number in GONE:
        there.capture(a_blog.url(number).replace("https://", "http://www."), "20240402030405", a_blog.page(number))
        there.capture(a_blog.url(number), "20240502030405", a_blog.page(number), is_revisit=True)
    backfilled(web, archive, there)
    assert len(held(archive)) == POSTS
    gone = {a_blog.url(number) for number in GONE}
    assert len([url for url in there.asked if "id_/" in url and url.partition("id_/")[2] in gone]) == len(GONE)


def test_what_never_was_a_post_is_asked_for_once_and_not_missing(archive):
    web, there = half_gone()
    odd = a_blog.HOME + "77"
    there.capture(odd, STAMP, PARKED.format(1))
    backfilled(web, archive, there)
    blog = archive.blogs.find(a_blog.HOME)
    there.asked.clear()
    backfilled(web, archive, there)
    assert not [url for url in there.asked if "77" in url]
    assert odd not in held(archive)
    assert archive.blogs.inventory.count(blog.id, WEB_ARCHIVE, kind="address") == len(GONE)


@pytest.mark.parametrize("trap", ["repeats keys", "endless keys"])
@pytest.mark.slow
def test_lists_without_end_end(archive, trap):
    web, there = half_gone()
    there.traps.add(trap)
    report, _ = backfilled(web, archive, there)
    assert len(held(archive)) == POSTS
    assert any("repeats itself" in remark for remark in report.tally.remarks)


@pytest.mark.parametrize("kind", ["wayback", "pywb"])
def test_a_list_that_breaks_off_is_taken_as_far_as_it_goes_and_said_so(archive, kind):
    web, there = half_gone(kind)
    there.traps.add("breaks off")
    report, _ = backfilled(web, archive, there)
    assert len(held(archive)) >= POSTS - 1
    assert any("breaks off" in remark for remark in report.tally.remarks)


def test_an_archive_that_wants_to_be_left_alone_is(archive):
    web, there = half_gone()
    there.traps.add("refuses")
    report, _ = backfilled(web, archive, there)
    assert report.ending == "blocked"
    assert "asked us to wait, retry after" in report.reason
    assert len(there.asked) <= there.patience + 3
    there.traps.clear()
    report, _ = backfilled(web, archive, there)
    assert len(held(archive)) == POSTS


def test_a_limit_of_requests_is_kept_and_the_next_run_goes_on(archive):
    web, there = half_gone(per_page=7)
    seen = set()
    for _ in range(20):
        there.asked.clear()
        report, _run = backfilled(web, archive, there, wayback_requests=8)
        assert len(there.asked) <= 8
        captures = {url for url in there.asked if "id_/" in url}
        seen |= captures
        if report.ending != "limit":
            break
        assert "requests to archive.example" in report.reason
    assert report.ending == "complete"
    assert len(held(archive)) == POSTS


def test_an_address_that_is_no_web_archive_is_an_error_that_says_so(archive):
    web, there = half_gone()
    run = replace(work(web, archive, from_wayback="http://archive.example/elsewhere"), web_archive=there)
    with pytest.raises(UsageError, match="is not a web archive with CDX or TimeMaps"):
        asyncio.run(crawl_and_backfill(a_blog.HOME, run))


def test_pages_that_robots_or_their_owner_refuse_are_not_taken_from_others(archive):
    web, there = half_gone()
    refused = Failure(url=a_blog.url(15), trouble="robots", reason=f"robots.txt disallows {a_blog.url(15)}")
    web.answers[a_blog.url(15).partition("://")[2]] = refused
    there.captures = [each for each in there.captures if each.url != a_blog.url(2)]
    private = a_blog.page(2, head="<meta name=robots content=noarchive>")
    there.capture(a_blog.url(2), STAMP, private)
    backfilled(web, archive, there)
    posts = held(archive)
    assert a_blog.url(15) not in posts
    assert a_blog.url(2) not in posts


def test_pictures_that_are_gone_come_back(archive):
    web, there = a_site(), WebArchive()
    for number in (1, 12):
        web.put(a_blog.url(number), a_blog.page(number, noise=f"<p><img src=/pictures/{number}.png></p>"))
    for number in (1, 12):
        web.put(f"{a_blog.HOME}pictures/{number}.png", b"\x89PNG" + bytes([number]), type="image/png")
    there.capture_all(web, STAMP)
    # A later capture says that it was gone by then.
    there.capture(f"{a_blog.HOME}pictures/12.png", "20240531000000", "no", status=404)
    del web.answers[a_blog.url(1).partition("://")[2]]
    for number in (1, 12):
        del web.answers[f"{a_blog.HOME}pictures/{number}.png".partition("://")[2]]
    backfilled(web, archive, there)
    posts = held(archive)
    for number in (1, 12):
        assert [bool(each.path) for each in posts[a_blog.url(number)].media] == [True]


def test_a_blog_that_is_gone_altogether_is_crawled_from_the_archive(archive):
    web, there = a_site(), WebArchive()
    there.capture_all(web, STAMP)
    there.capture(a_blog.HOME, "20240502030405", PARKED.format(0))
    web.answers = {
        key: Failure(url=f"http://{key}", trouble="dns", reason="no such host") for key in web.answers
    }
    report, _ = backfilled(web, archive, there)
    posts = held(archive)
    assert len(posts) == POSTS
    assert {post.origin for post in posts.values()} == {"memento"}
    assert report.ending == "complete"
    assert any("the blog itself could not be fetched" in remark for remark in report.tally.remarks)


def test_a_dead_blog_is_gone_on_with_where_it_was(archive):
    web, there = a_site(), WebArchive()
    there.capture_all(web, STAMP)
    web.answers = {key: Failure(url=f"http://{key}", trouble="dns", reason="no such host") for key in web.answers}
    report, _ = backfilled(web, archive, there, wayback_requests=15)
    assert report.ending == "limit"
    assert 0 < len(held(archive)) < POSTS
    report, _ = backfilled(web, archive, there)
    assert len(held(archive)) == POSTS
    assert report.ending in {"complete", "incomplete"}


def test_an_interrupted_backfill_keeps_what_it_has_and_goes_on(archive):
    web, there = half_gone()
    run = replace(work(web, archive, from_wayback=there.endpoint), web_archive=there)
    usual = there.answer

    def interrupting(url):
        if len(there.asked) == 8:
            run.stop.interrupt()
        return usual(url)

    there.answer = interrupting
    report = asyncio.run(crawl_and_backfill(a_blog.HOME, run))
    assert report.ending == "interrupted"
    before = len(held(archive))
    assert POSTS - len(GONE) < before < POSTS
    there.answer = usual
    there.asked.clear()
    backfilled(web, archive, there)
    assert len(held(archive)) == POSTS
    gone = {a_blog.url(number) for number in GONE}
    again = [url for url in there.asked if url.partition("id_/")[2] in gone]
    assert len(again) <= POSTS - before + 1
