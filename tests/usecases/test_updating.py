"""UpdateCrawl and reread in the cases where something could be lost without a word."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.archive.verify import verify
from everlog.core.urls import canonical
from everlog.records import Exchange, Failure
from everlog.usecases.reread import reread_blog
from everlog.usecases.update.update_blog import refresh_blog
from usecases.a_site import FEED, POSTS, a_site, crawl, listing, put_feed, work
from usecases.a_web import NOW

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True, options=ArchiveOptions(min_free_bytes=0)) as opened:
        yield opened


def held(archive: Archive) -> set[str]:
    return {post.text for post in archive.posts()}


def texts(numbers) -> set[str]:
    return {a_blog.text(number) for number in numbers}


def test_reading_again_changes_nothing_when_nothing_changed(archive):
    fetcher = a_site()
    for number in (1, 2, 3):
        fetcher.put(a_blog.url(number), a_blog.page(number, head="<link rel=canonical href=/9>"))
    fetcher.put(a_blog.HOME + "about", "<html><body><a href='/5/comment-page-2'>older comments</a></body></html>")
    copy = a_blog.page(5, a_blog.article(5) + "<p>one line more</p>", head="<link rel=canonical href=/5>")
    fetcher.put(a_blog.HOME + "5/comment-page-2", copy)
    crawl(fetcher, archive)
    fetcher.asked.clear()
    for _ in range(2):
        result = reread_blog(archive.blogs()[0], archive)
        assert (result.changed, result.new) == (0, 0)
    assert fetcher.asked == []
    assert held(archive) == texts(range(1, POSTS + 1))
    assert {post.version for post in archive.posts()} == {1}


def test_reading_again_after_learning_again_uses_the_new_rules(crawled):
    _, archive = crawled
    blog = archive.blogs()[0]
    archive.blogs.update(blog.id, template=blog.template.replace("h1.title", "h1.nowhere"))
    result = reread_blog(archive.blogs()[0], archive, relearn=True)
    assert result.pages > POSTS
    assert {post.title for post in archive.posts()} == {f"Post {number} of ours" for number in range(1, POSTS + 1)}


def test_an_update_since_a_date_leaves_older_entries_for_the_next_one(crawled):
    fetcher, archive = crawled
    for number in (21, 22):
        fetcher.put(a_blog.url(number), a_blog.page(number))
    put_feed(fetcher, [22, 21, 20, 19, 18])
    since = datetime(2024, 1, 22, tzinfo=UTC)
    asyncio.run(refresh_blog(archive.blogs()[0], work(fetcher, archive), since))
    assert texts([22]) <= held(archive)
    assert not texts([21]) & held(archive)
    crawl(fetcher, archive)
    assert texts([21, 22]) <= held(archive)


def test_what_fell_off_the_feed_twice_is_found_twice(crawled):
    fetcher, archive = crawled
    for top in (30, 40):
        for number in range(top - 9, top + 1):
            fetcher.put(a_blog.url(number), a_blog.page(number))
        fetcher.put(a_blog.HOME, listing(range(top, top - 5, -1), older=2))
        fetcher.put(a_blog.HOME + "page/2", listing(range(top - 5, top - 10, -1), older=3))
        put_feed(fetcher, range(top, top - 5, -1))
        crawl(fetcher, archive)
    assert held(archive) == texts(range(1, 41))


def test_entries_that_lead_through_another_host_are_found_by_an_update(crawled):
    fetcher, archive = crawled
    fetcher.put(a_blog.url(21), a_blog.page(21))
    fetcher.put("https://short.example/x21", b"", redirect=a_blog.url(21))
    items = [a_blog.item(21, link="https://short.example/x21"), *(a_blog.item(number) for number in (20, 19, 18, 17))]
    fetcher.put(FEED, a_blog.rss(items), type="application/rss+xml")
    crawl(fetcher, archive)
    assert texts([21]) <= held(archive)


def test_an_entry_whose_page_is_not_there_yet_is_asked_for_again(crawled):
    fetcher, archive = crawled
    put_feed(fetcher, [21, 20, 19, 18, 17])
    crawl(fetcher, archive)
    fetcher.put(a_blog.url(21), a_blog.page(21))
    put_feed(fetcher, [21, 20, 19, 18, 17], post_17=a_blog.article(17) + "<p>changed</p>")
    crawl(fetcher, archive)
    assert texts([21]) <= held(archive)


def test_a_feed_that_moved_is_looked_for_again(crawled):
    fetcher, archive = crawled
    moved = a_blog.HOME + "rss.xml"
    fetcher.answers[canonical(moved)] = fetcher.answers.pop(canonical(FEED))
    fetcher.put(a_blog.HOME, listing(range(20, 15, -1), older=2).replace(FEED, moved))
    assert crawl(fetcher, archive).exit_code == 0
    assert archive.blogs()[0].feed_url == moved


def test_another_scope_given_later_takes_in_what_was_left_out(archive):
    fetcher = a_site()
    crawl(fetcher, archive, scope="host")
    assert archive.blogs()[0].scope == "host"
    crawl(fetcher, archive, scope="subdomains")
    assert archive.blogs()[0].scope == "subdomains"


def test_a_link_that_leads_to_a_dead_host_is_no_trouble_of_the_blog(archive):
    fetcher = a_site()
    partners = "".join(f"<a href='/go/{number}'>partner</a>" for number in range(12))
    fetcher.put(a_blog.HOME + "about", f"<html><body>{partners}</body></html>")
    for number in range(12):
        url = f"{a_blog.HOME}go/{number}"
        hop = Exchange(url=url, status=302, headers=(("Location", f"https://dead{number}.example/"),), fetched_at=NOW)
        trouble = Failure(url=url, trouble="dns", reason="no such host", until=NOW.replace(year=2090), exchanges=(hop,))
        fetcher.answers[canonical(url)] = trouble
    report = crawl(fetcher, archive)
    assert (report.ending, report.exit_code) == ("complete", 0)
    assert held(archive) == texts(range(1, POSTS + 1))


def test_copies_of_a_page_that_is_no_post_are_posts_of_their_own_even_with_a_limit(archive):
    fetcher = a_site()
    for number in range(1, 16):
        fetcher.put(a_blog.url(number), a_blog.page(number, head="<link rel=canonical href=/about>"))
    for _ in range(6):
        crawl(fetcher, archive, max_pages=12)
    assert held(archive) == texts(range(1, POSTS + 1))


def test_nothing_waits_after_a_crawl_with_copies(archive):
    fetcher = a_site()
    fetcher.put(a_blog.HOME + "about", "<html><body><a href='/5/comment-page-2'>older comments</a></body></html>")
    fetcher.put(a_blog.HOME + "5/comment-page-2", a_blog.page(5, head="<link rel=canonical href=/5>"))
    crawl(fetcher, archive)
    blog = archive.blogs()[0]
    assert sum(archive.blogs.counts(blog.id).queued.values()) == 0
    fetcher.asked.clear()
    crawl(fetcher, archive)
    assert fetcher.asked == [FEED]
    assert list(verify(archive)) == []


def test_a_page_with_thousands_of_links_does_not_shut_the_lists_out(archive):
    fetcher = a_site()
    junk = "".join(f"<a href='/day/{number}-of-many'>{number}</a>" for number in range(15_000))
    fetcher.put(a_blog.HOME + "about", f"<html><body>{junk}</body></html>")
    for number in range(15_000):
        fetcher.put(f"{a_blog.HOME}day/{number}-of-many", "<html><body><p>Nothing.</p></body></html>")
    report = crawl(fetcher, archive, max_pages=600)
    assert report.ending == "complete"
    assert held(archive) == texts(range(1, POSTS + 1))


def test_pictures_that_wait_are_left_alone_when_media_are_switched_off(archive):
    fetcher = a_site()
    fetcher.put(a_blog.url(20), a_blog.page(20, a_blog.article(20) + "<img src=https://pictures.example/a.png>"))
    crawl(fetcher, archive, max_pages=7)
    fetcher.asked.clear()
    crawl(fetcher, archive, media=False)
    assert not any("pictures.example" in url for url in fetcher.asked)


def test_a_step_that_cannot_cope_with_one_page_loses_that_page_alone(archive):
    report = crawl(a_site(), archive, steps=["read", "usecases.test_updating:choke", "store"])
    assert (report.ending, report.exit_code) == ("incomplete", 3)
    assert held(archive) == texts(set(range(1, POSTS + 1)) - {7})


def choke(draft, context):
    if draft.link.url == a_blog.url(7):
        raise ValueError("seven")


def test_a_post_that_was_edited_often_and_fails_once_is_asked_for_again(crawled):
    fetcher, archive = crawled
    for round_ in range(4):
        edited = a_blog.article(20) + f"<p>Edit number {round_} of this post.</p>"
        fetcher.put(a_blog.url(20), a_blog.page(20, edited))
        put_feed(fetcher, [20, 19, 18, 17, 16], post_20=edited)
        crawl(fetcher, archive)
    good = fetcher.answers[canonical(a_blog.url(20))]
    fetcher.answers[canonical(a_blog.url(20))] = Failure(url=a_blog.url(20), trouble="timeout", reason="too slow")
    put_feed(fetcher, [20, 19, 18, 17, 16], post_20=a_blog.article(20) + "<p>Another one.</p>")
    assert crawl(fetcher, archive).exit_code == 3
    fetcher.answers[canonical(a_blog.url(20))] = good
    assert crawl(fetcher, archive).exit_code == 0
    assert archive.posts.find(a_blog.url(20)).gone is None
