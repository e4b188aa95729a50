"""NewCrawl and UpdateCrawl on a web in memory and a real archive: what must hold whatever brings the pages."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import event

import a_blog
from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.archive.verify import verify
from everlog.core.urls import canonical
from everlog.errors import ArchiveBusy, Blocked, DiskFull, NoFeed, NothingToLearn, Unreachable, UsageError
from everlog.extract.extractors.diffpost.comparison_posts import LEAST_COMPANY
from everlog.records import Exchange, Failure
from everlog.usecases.crawl.crawl_blog import archive_blog
from everlog.usecases.learn.page_comparison import known_repeats
from usecases.a_site import FEED, POSTS, a_site, crawl, listing, put_feed, work
from usecases.a_web import NOW, MemoryWeb

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True, options=ArchiveOptions(min_free_bytes=0)) as opened:
        yield opened


def numbers_held(archive: Archive) -> list[int]:
    return sorted(int(post.url.rpartition("/")[2]) for post in archive.posts())


def test_every_post_that_links_lead_to_is_kept_not_only_those_of_the_feed(archive):
    report = crawl(a_site(), archive)
    assert report.ending == "complete"
    assert report.exit_code == 0
    assert numbers_held(archive) == list(range(1, POSTS + 1))
    assert report.tally.new_posts == report.held == POSTS


def test_posts_are_read_with_what_the_feed_taught(crawled):
    _, archive = crawled
    post = archive.posts.find(a_blog.url(1))
    assert post is not None
    assert (post.title, post.authors, post.text) == ("Post 1 of ours", ("Ann Lee",), a_blog.text(1))
    assert post.blog == a_blog.HOME
    assert post.warc is not None


def test_list_pages_and_other_pages_are_stored_but_never_as_posts(crawled):
    _, archive = crawled
    assert archive.posts.find(a_blog.HOME + "page/2") is None
    assert archive.posts.find(a_blog.HOME + "about") is None
    blog = archive.blogs()[0]
    assert archive.captures.find(blog.id, a_blog.HOME + "page/2") is not None


def test_posts_that_are_places_on_pages_of_months_are_not_held_without_a_word(archive):
    web = MemoryWeb()
    months = {f"{a_blog.HOME}2024_{month:02}.html": range(3 * month, 3 * month + 3) for month in range(1, 4)}
    web.put(a_blog.HOME, listing([]) + "".join(f"<a href='{month}'>{month}</a>" for month in months))
    for month, numbers in months.items():
        web.put(month, "".join(f"<a name=p{n}></a><h3>Post {n} of ours</h3>{a_blog.article(n)}" for n in numbers))
    items = [a_blog.item(n, link=f"{month}#p{n}") for month, numbers in months.items() for n in numbers]
    web.put(FEED, a_blog.rss(items), type="application/rss+xml")
    report = crawl(web, archive)
    (remark,) = report.tally.remarks
    assert remark.startswith("9 entries of the feed are places on 3 pages: posts have no pages of their own")


def test_a_first_crawl_does_not_ask_the_archive_whether_its_lists_were_posts(archive):
    said: list[str] = []
    event.listen(archive.backend.database.engine, "before_cursor_execute", lambda *call: said.append(call[2]))
    crawl(a_site(), archive)
    assert any("FROM posts" in statement for statement in said)
    assert not [statement for statement in said if "FROM posts JOIN aliases" in statement]


def test_no_page_is_asked_for_twice(crawled):
    fetcher, _ = crawled
    assert len(set(map(canonical, fetcher.asked))) == len(fetcher.asked)


def test_the_archive_of_a_crawl_is_sound(crawled):
    _, archive = crawled
    assert list(verify(archive)) == []


def test_a_crawl_that_reached_a_limit_goes_on_where_it_stopped(archive):
    fetcher = a_site()
    first = crawl(fetcher, archive, max_pages=10)
    assert first.ending == "limit"
    assert first.exit_code == 6
    assert 0 < first.held < POSTS
    second = crawl(fetcher, archive)
    assert second.ending == "complete"
    assert numbers_held(archive) == list(range(1, POSTS + 1))
    assert len(set(map(canonical, fetcher.asked))) == len(fetcher.asked)


def test_an_update_of_an_unchanged_blog_asks_the_feed_alone_and_adds_nothing(crawled):
    fetcher, archive = crawled
    blog = archive.blogs()[0]
    before = archive.blogs.counts(blog.id)
    fetcher.asked.clear()
    report = crawl(fetcher, archive)
    assert fetcher.asked == [FEED]
    assert report.exit_code == 0
    after = archive.blogs.counts(blog.id)
    assert (after.posts, after.versions, after.pages) == (before.posts, before.versions, before.pages)


def test_an_update_brings_what_the_feed_has_new(crawled):
    fetcher, archive = crawled
    fetcher.put(a_blog.url(21), a_blog.page(21))
    put_feed(fetcher, [21, 20, 19, 18, 17])
    fetcher.asked.clear()
    report = crawl(fetcher, archive)
    assert report.tally.new_posts == 1
    assert fetcher.asked[:2] == [FEED, a_blog.url(21)]
    assert archive.posts.find(a_blog.url(21)) is not None


def test_a_post_that_is_new_alone_is_compared_with_older_ones_which_are_asked_for_with_a_condition(crawled):
    fetcher, archive = crawled
    fetcher.put(a_blog.url(21), a_blog.page(21))
    put_feed(fetcher, [21, 20, 19, 18, 17])
    fetcher.asked.clear()
    report = crawl(fetcher, archive)
    assert fetcher.asked[2:] == [a_blog.url(number) for number in range(20, 20 - LEAST_COMPANY, -1)]
    assert (report.ending, report.tally.requests) == ("complete", 2 + LEAST_COMPANY)
    blog = archive.blogs()[0]
    assert len(known_repeats(blog, archive).pages) == 1 + LEAST_COMPANY
    assert {post.version for post in archive.posts()} == {1}
    assert list(verify(archive)) == []


def test_what_repeats_is_known_after_a_crawl(crawled):
    _, archive = crawled
    repeats = known_repeats(archive.blogs()[0], archive)
    assert len(repeats.pages) == POSTS
    assert len(repeats.counts) > 3


def test_an_interrupt_while_older_posts_are_compared_leaves_them_to_the_next_update(crawled):
    fetcher, archive = crawled
    fetcher.put(a_blog.url(21), a_blog.page(21))
    put_feed(fetcher, [21, 20, 19, 18, 17])
    report = crawl(fetcher, archive, max_pages=3)
    assert report.ending == "limit"
    assert numbers_held(archive) == list(range(1, POSTS + 2))
    assert crawl(fetcher, archive).ending == "complete"
    assert sum(archive.blogs.counts(archive.blogs()[0].id).queued.values()) == 0


def test_an_entry_that_changed_gives_its_post_a_second_version(crawled):
    fetcher, archive = crawled
    fetcher.put(a_blog.url(20), a_blog.page(20, a_blog.article(20) + "<p>And an afterthought of some length.</p>"))
    put_feed(fetcher, [20, 19, 18, 17, 16], post_20=a_blog.article(20) + "<p>And an afterthought of some length.</p>")
    report = crawl(fetcher, archive)
    assert report.tally.changed_posts == 1
    versions = archive.posts.versions(a_blog.url(20))
    assert [post.version for post in versions] == [1, 2]
    assert "afterthought" in versions[1].text
    assert "afterthought" not in versions[0].text


def test_posts_that_fell_off_the_feed_between_two_updates_are_found_on_the_list_pages(crawled):
    fetcher, archive = crawled
    for number in range(21, 31):
        fetcher.put(a_blog.url(number), a_blog.page(number))
    fetcher.put(a_blog.HOME, listing(range(30, 25, -1), older=2))
    fetcher.put(a_blog.HOME + "page/2", listing(range(25, 20, -1), older=3))
    put_feed(fetcher, range(30, 25, -1))
    crawl(fetcher, archive)
    assert numbers_held(archive) == list(range(1, 31))


def test_a_feed_that_fails_leaves_the_archive_as_it_was(crawled):
    fetcher, archive = crawled
    fetcher.answers[canonical(FEED)] = Failure(url=FEED, trouble="connection", reason="connection refused")
    with pytest.raises(Unreachable):
        crawl(fetcher, archive)
    assert numbers_held(archive) == list(range(1, POSTS + 1))


def test_a_page_that_says_noarchive_is_kept_nowhere(archive):
    fetcher = a_site()
    fetcher.put(a_blog.url(3), a_blog.page(3, head="<meta name=robots content=noarchive>"))
    fetcher.put(a_blog.url(4), a_blog.page(4), headers=(("X-Robots-Tag", "noarchive"),))
    report = crawl(fetcher, archive)
    blog = archive.blogs()[0]
    for number in (3, 4):
        assert archive.posts.find(a_blog.url(number)) is None
        assert archive.captures.find(blog.id, a_blog.url(number)) is None
    assert report.tally.reasons["noarchive"] == 2


def test_a_page_that_costs_too_much_is_stored_and_not_read_and_the_report_says_why(archive):
    fetcher = a_site()
    fetcher.put(a_blog.url(3), a_blog.page(3, "<p>x" * 300_000))
    report = crawl(fetcher, archive)
    blog = archive.blogs()[0]
    assert archive.posts.find(a_blog.url(3)) is None
    assert archive.captures.find(blog.id, a_blog.url(3)) is not None
    assert report.tally.reasons["too many tags in one page: more than 150,000"] == 1


def test_the_same_post_under_two_addresses_is_one_post_with_an_alias(archive):
    fetcher = a_site()
    fetcher.put(a_blog.HOME + "page/4", listing([5, 4, 3, 2, 1]).replace("'/1'", "'/1?view=full'"))
    fetcher.put(a_blog.HOME + "1?view=full", a_blog.page(1, head="<link rel=canonical href=/1>"))
    crawl(fetcher, archive)
    assert len(list(archive.posts())) == POSTS
    assert archive.posts.find(a_blog.HOME + "1?view=full") is not None


def test_a_copy_that_differs_by_a_line_adds_an_alias_and_no_version(archive):
    fetcher = a_site()
    fetcher.put(a_blog.HOME + "about", "<html><body><a href='/1/comment-page-2'>older comments</a></body></html>")
    fetcher.put(a_blog.HOME + "1/comment-page-2", a_blog.page(1, a_blog.article(1) + "<p>one line more</p>",
                                                          head="<link rel=canonical href=/1>"))
    crawl(fetcher, archive)
    assert len(list(archive.posts())) == POSTS
    assert [post.version for post in archive.posts.versions(a_blog.url(1))] == [1]
    copy = archive.posts.find(a_blog.HOME + "1/comment-page-2")
    assert copy is None or copy.text == a_blog.text(1)


def test_canonical_links_that_all_name_one_page_lose_no_post(archive):
    fetcher = a_site()
    for number in range(1, POSTS + 1):
        fetcher.put(a_blog.url(number), a_blog.page(number, head=f"<link rel=canonical href={a_blog.HOME}>"))
    crawl(fetcher, archive)
    assert len(list(archive.posts())) == POSTS


def test_a_wrong_canonical_link_to_another_post_loses_no_post(archive):
    fetcher = a_site()
    for number in (1, 2, 3):
        fetcher.put(a_blog.url(number), a_blog.page(number, head="<link rel=canonical href=/9>"))
    crawl(fetcher, archive)
    texts = {post.text for post in archive.posts()}
    assert {a_blog.text(number) for number in range(1, POSTS + 1)} == texts


def test_feed_links_to_another_machine_are_looked_for_on_the_blogs_own_host(archive):
    fetcher = a_site()
    items = [a_blog.item(number, link=f"http://localhost:4000/{number}") for number in range(20, 15, -1)]
    fetcher.put(FEED, a_blog.rss(items), type="application/rss+xml")
    crawl(fetcher, archive)
    assert numbers_held(archive) == list(range(1, POSTS + 1))


def test_a_redirected_post_is_kept_under_its_new_address_with_the_old_one_as_alias(archive):
    fetcher = a_site()
    fetcher.put(a_blog.HOME + "page/4", listing([5, 4, 3, 2, 1]).replace("'/1'", "'/1001'"))
    fetcher.put(a_blog.HOME + "1001", b"", redirect=a_blog.url(1))
    crawl(fetcher, archive)
    post = archive.posts.find(a_blog.HOME + "1001")
    assert post is not None
    assert post.text == a_blog.text(1)
    assert len(list(archive.posts())) == POSTS


def test_a_blog_without_a_feed_is_a_clear_error(archive):
    fetcher = MemoryWeb()
    fetcher.put(a_blog.HOME, "<html><body><p>No feed here.</p></body></html>")
    with pytest.raises(NoFeed, match=r"no feed found for https://a\.blog/(.|\n)*--feed FEED_URL") as raised:
        crawl(fetcher, archive)
    assert raised.value.exit_code == 4


def test_a_feed_whose_pages_are_all_missing_is_a_clear_error(archive):
    fetcher = a_site()
    for number in range(16, 21):
        del fetcher.answers[canonical(a_blog.url(number))]
    with pytest.raises(NothingToLearn, match="can be fetched"):
        crawl(fetcher, archive)


def test_a_front_page_that_sends_its_readers_on_is_followed(archive):
    fetcher = a_site()
    front = "https://front.example/"
    fetcher.put(front, f"<html><head><meta http-equiv=refresh content='0; url={a_blog.HOME}'></head></html>")
    report = asyncio.run(archive_blog(front, work(fetcher, archive)))
    assert report.blog == a_blog.HOME
    assert len(list(archive.posts())) == POSTS


def test_a_front_page_that_sends_its_readers_to_a_dead_host_is_the_blog_itself(archive):
    fetcher = a_site()
    away = "<html><head><meta http-equiv=refresh content='0; url=https://gone.example/'></head></html>"
    fetcher.put(a_blog.HOME, away)
    put_feed(fetcher, [20, 19, 18, 17, 16])
    crawl(fetcher, archive)
    assert numbers_held(archive) == [16, 17, 18, 19, 20]


@pytest.mark.parametrize(("trouble", "error"), [
    ("dns", Unreachable), ("tls", Unreachable), ("timeout", Unreachable), ("loop", Unreachable), ("robots", Blocked),
    ("rate-limited", Blocked),
])
def test_a_home_page_that_cannot_be_had_says_what_to_do(archive, trouble, error):
    fetcher = MemoryWeb({canonical(a_blog.HOME): Failure(url=a_blog.HOME, trouble=trouble, reason="it is so")})
    with pytest.raises(error, match="it is so") as raised:
        crawl(fetcher, archive)
    assert raised.value.advice


def test_a_server_that_asks_to_wait_long_is_left_alone_until_then_and_for_centuries_a_week(archive):
    fetcher = a_site()
    until = NOW + timedelta(days=9000)
    wait = Failure(url=a_blog.url(2), trouble="rate-limited", reason="429", status=429, until=until)
    fetcher.answers[canonical(a_blog.url(2))] = wait
    report = crawl(fetcher, archive)
    assert (report.ending, report.exit_code) == ("blocked", 5)
    fetcher.put(a_blog.url(2), a_blog.page(2))
    fetcher.asked.clear()
    crawl(fetcher, archive)
    assert a_blog.url(2) not in fetcher.asked
    fetcher.now += timedelta(days=8)
    crawl(fetcher, archive)
    assert a_blog.url(2) in fetcher.asked


@pytest.mark.parametrize(("headers", "is_guessed"), [((), True), ((("Retry-After", "900"),), False)])
def test_a_crawl_that_ends_before_a_closed_door_knows_whether_the_server_named_a_time(archive, headers, is_guessed):
    fetcher = a_site()
    refusal = Exchange(url=a_blog.url(2), status=429, headers=headers, body=b"", fetched_at=NOW)
    fetcher.answers[canonical(a_blog.url(2))] = Failure(
        url=a_blog.url(2), trouble="rate-limited", reason="429", status=429, until=NOW + timedelta(minutes=15),
        exchanges=(refusal,),
    )
    report = crawl(fetcher, archive)
    assert report.ending == "blocked"
    assert report.tally.guessed_wait is is_guessed


def test_pages_that_fail_in_passing_make_the_crawl_incomplete_and_are_tried_again(archive):
    fetcher = a_site()
    fetcher.answers[canonical(a_blog.url(2))] = Failure(
        url=a_blog.url(2), trouble="truncated", reason="incomplete body",
    )
    report = crawl(fetcher, archive)
    assert (report.ending, report.exit_code) == ("incomplete", 3)
    assert report.tally.failures == [(a_blog.url(2), "incomplete body")]
    fetcher.put(a_blog.url(2), a_blog.page(2))
    second = crawl(fetcher, archive)
    assert second.exit_code == 0
    assert numbers_held(archive) == list(range(1, POSTS + 1))


def test_a_host_that_dies_ends_the_crawl_and_nothing_is_given_up(archive):
    fetcher = a_site(60)
    fetcher.put(a_blog.HOME, listing(range(60, 0, -1)))
    for number in range(1, 50):
        refused = Failure(url=a_blog.url(number), trouble="connection", reason="refused")
        fetcher.answers[canonical(a_blog.url(number))] = refused
    report = crawl(fetcher, archive)
    assert report.exit_code == 3
    assert "10 failed requests in a row" in report.reason
    fresh = a_site(60)
    crawl(fresh, archive)
    assert len(list(archive.posts())) == 60


def test_a_page_that_is_not_there_is_an_answer_and_its_post_is_missing(archive):
    fetcher = a_site()
    del fetcher.answers[canonical(a_blog.url(7))]
    report = crawl(fetcher, archive)
    assert (report.exit_code, report.tally.failed) == (3, 0)
    assert [(gap.url, gap.reason) for gap in report.completeness.posts.missing] == [(a_blog.url(7), "HTTP 404")]


def test_a_full_disk_ends_the_crawl_before_it_is_full(tmp_path):
    options = ArchiveOptions(min_free_bytes=10**18)
    with open_archive(tmp_path, create=True, options=options) as archive, pytest.raises(DiskFull) as raised:
        crawl(a_site(), archive)
    assert raised.value.exit_code == 6


def test_two_crawls_of_one_blog_at_once_are_refused(crawled, tmp_path):
    fetcher, archive = crawled
    with archive.lock(archive.blogs()[0].id), open_archive(tmp_path / "archive") as other, pytest.raises(ArchiveBusy):
        crawl(fetcher, other)


def test_media_of_the_articles_are_kept_and_their_links_rewritten(archive):
    fetcher = a_site()
    picture = "https://pictures.example/a.png"
    fetcher.put(a_blog.url(1), a_blog.page(1, a_blog.article(1) + f"<img src={picture}><img src=/lost.png>"))
    fetcher.put(picture, b"\x89PNG picture", type="image/png")
    report = crawl(fetcher, archive)
    post = archive.posts.find(a_blog.url(1))
    assert post is not None
    held, lost = post.media
    assert (held.url, held.bytes, held.type) == (picture, 12, "image/png")
    assert (archive.files.folder / held.path).read_bytes() == b"\x89PNG picture"
    assert held.path in post.html
    assert lost.path is None
    assert report.exit_code == 0
    assert report.tally.now.media_missing == 1


def test_a_picture_in_full_size_that_the_article_links_to_is_kept(archive):
    fetcher = a_site()
    fetcher.put(a_blog.url(1), a_blog.page(1, a_blog.article(1) + "<a href=/large.png><img src=/small.png></a>"))
    fetcher.put(a_blog.HOME + "large.png", b"large", type="image/png")
    fetcher.put(a_blog.HOME + "small.png", b"small", type="image/png")
    crawl(fetcher, archive)
    post = archive.posts.find(a_blog.url(1))
    assert post is not None
    assert [item.path is not None for item in post.media] == [True, True]


def test_media_can_be_switched_off(archive):
    fetcher = a_site()
    fetcher.put(a_blog.url(1), a_blog.page(1, a_blog.article(1) + "<img src=https://pictures.example/a.png>"))
    crawl(fetcher, archive, media=False)
    assert "https://pictures.example/a.png" not in fetcher.asked


def test_a_step_can_be_replaced_by_one_line_of_settings(archive):
    crawl(a_site(), archive, steps=["read", "usecases.test_archiving:shout", "store"])
    assert {post.title for post in archive.posts()} == {f"POST {number} OF OURS" for number in range(1, POSTS + 1)}


def shout(draft, context):
    from dataclasses import replace

    if draft.post is not None:
        draft.post = replace(draft.post, title=draft.post.title.upper())


def test_an_unknown_step_is_an_error_that_names_the_known_ones(archive):
    with pytest.raises(UsageError, match="render, read, comments, media, requisites, store"):
        crawl(a_site(), archive, steps=["reed"])


def test_what_was_left_out_because_nothing_new_was_expected_is_not_asked_for_by_an_update(archive):
    fetcher = a_site()
    endless = "".join(f"<a href='/day/{number}-of-many'>{number}</a>" for number in range(2_000))
    fetcher.put(a_blog.HOME + "about", f"<html><body>{endless}</body></html>")
    for number in range(2_000):
        fetcher.put(f"{a_blog.HOME}day/{number}-of-many", f"<html><body><p>Nothing on day {number}.</p></body></html>")
    report = crawl(fetcher, archive)
    assert report.ending == "complete"
    assert report.reason.startswith("no more posts are expected: ")
    assert len(fetcher.asked) < 1_000
    assert numbers_held(archive) == list(range(1, POSTS + 1))
    fetcher.asked.clear()
    crawl(fetcher, archive)
    assert fetcher.asked == [FEED]


def test_an_entry_that_changed_in_the_feed_alone_is_asked_for_with_a_condition(crawled):
    fetcher, archive = crawled
    put_feed(fetcher, [20, 19, 18, 17, 16], post_20=a_blog.article(20) + "<p>In the feed alone.</p>")
    blog = archive.blogs()[0]
    before = archive.blogs.counts(blog.id)
    report = crawl(fetcher, archive)
    assert report.tally.changed_posts == 0
    assert archive.blogs.counts(blog.id).versions == before.versions
    assert list(verify(archive)) == []


def test_a_blog_that_was_forgotten_is_taken_up_again_by_a_crawl(crawled):
    fetcher, archive = crawled
    archive.blogs.update(archive.blogs()[0].id, forgotten_at=NOW)
    assert archive.blogs() == ()
    crawl(fetcher, archive)
    assert len(archive.blogs()) == 1
