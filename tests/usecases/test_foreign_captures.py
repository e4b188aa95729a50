"""Captures that others made, in the archive of a blog: what they bring, and what they never touch."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

import a_blog
from everlog.archive.verify import verify
from everlog.records import Exchange, Fetched
from everlog.usecases.foreign.take_captures import ForeignCapture, Won, take_captures
from everlog.usecases.reread import reread_blog
from usecases.a_site import crawl, put_feed, work
from usecases.a_web import MemoryWeb

if TYPE_CHECKING:
    from everlog.archive import Archive
    from usecases.conftest import Crawled

OLD = datetime(2015, 3, 1, 8, 0, tzinfo=UTC)
IMPORTED = datetime(2024, 7, 1, tzinfo=UTC)
MORE = " And then the lighthouse was closed for the whole of the winter."


def capture(url: str, body: str | bytes, at: datetime = OLD, *, origin="memento", kind="text/html", **more) -> Fetched:
    data = body.encode() if isinstance(body, str) else body
    exchange = Exchange(
        url=url, status=200, headers=(("Content-Type", kind), ("ETag", '"theirs"')), body=data, fetched_at=IMPORTED,
        origin=origin, captured_at=at, source_uri=f"https://archive.example/web/{at:%Y%m%d%H%M%S}id_/{url}", **more,
    )
    return Fetched(url=url, exchanges=(exchange,))


def take(archive: Archive, *captures: Fetched, others: MemoryWeb | None = None) -> Won:
    blog = archive.blogs.find(a_blog.HOME)
    with archive.lock(blog.id):
        return asyncio.run(take_captures(
            blog, map(ForeignCapture.of, captures), work(MemoryWeb(), archive), source="a web archive", others=others,
        ))


def earlier(number: int, said: str = MORE) -> bytes:
    """The page of a post as it was once, with a sentence that is gone since."""
    return a_blog.page(number, f"{a_blog.article(number)}<p>{said}</p>")


def numbers(archive: Archive, url: str) -> list[int]:
    return [post.version for post in archive.versions(url)]


def is_sound(archive: Archive) -> bool:
    return not list(verify(archive))


def test_a_post_that_is_gone_comes_back_with_who_captured_it_and_when(crawled: Crawled):
    _, archive = crawled
    won = take(archive, capture(a_blog.url(29), a_blog.page(29)))
    post = archive.posts.find(a_blog.url(29))
    assert (won.posts, won.captures, post.version) == (1, 1, 1)
    assert (post.origin, post.captured, post.fetched) == ("memento", OLD, OLD)
    assert post.title == "Post 29 of ours"
    assert is_sound(archive)


def test_its_bytes_are_kept_with_their_own_time_and_where_they_came_from(crawled: Crawled):
    _, archive = crawled
    take(archive, capture(a_blog.url(29), a_blog.page(29)))
    blog = archive.blogs.find(a_blog.HOME)
    stored = archive.captures.find(blog.id, a_blog.url(29))
    exchange = archive.files.exchange(stored)
    assert (stored.origin, stored.captured_at, stored.etag) == ("memento", OLD, None)
    assert (exchange.origin, exchange.captured_at, exchange.fetched_at) == ("memento", OLD, IMPORTED)
    assert exchange.source_uri == f"https://archive.example/web/20150301080000id_/{a_blog.url(29)}"
    assert exchange.body == a_blog.page(29)


def test_an_older_text_of_a_post_that_is_held_live_is_a_version_below_the_first(crawled: Crawled):
    _, archive = crawled
    before = archive.posts.find(a_blog.url(3))
    won = take(archive, capture(a_blog.url(3), earlier(3)))
    assert (won.earlier, won.posts, won.changed) == (1, 0, 0)
    assert numbers(archive, a_blog.url(3)) == [0, 1]
    assert replace(archive.posts.find(a_blog.url(3))) == before
    older, newer = archive.versions(a_blog.url(3))
    assert "lighthouse was closed" in older.text
    assert (older.origin, older.captured, newer.origin) == ("memento", OLD, "live")
    assert is_sound(archive)


def test_older_ones_count_backwards_however_they_come(crawled: Crawled):
    _, archive = crawled
    days = [OLD + timedelta(days=day) for day in range(3)]
    pages = [capture(a_blog.url(3), earlier(3, f" Draft {day} of it."), at) for day, at in enumerate(days)]
    take(archive, *pages)
    assert [(post.version, post.captured) for post in archive.versions(a_blog.url(3))] == [
        (-2, days[0]), (-1, days[1]), (0, days[2]), (1, None),
    ]


def test_a_capture_that_says_the_same_is_kept_as_a_capture_only(crawled: Crawled):
    _, archive = crawled
    won = take(archive, capture(a_blog.url(3), a_blog.page(3)))
    assert (won.captures, won.earlier, numbers(archive, a_blog.url(3))) == (1, 0, [1])


@pytest.mark.parametrize("body", [
    "<html><body><article><h1>Not found</h1><p>This page is not there any more, sorry.</p></article></body></html>",
    a_blog.page(3)[:300],
], ids=["an error page", "cut off"])
def test_a_worse_copy_is_no_version(crawled: Crawled, body: str | bytes):
    _, archive = crawled
    before = archive.posts.find(a_blog.url(3))
    take(archive, capture(a_blog.url(3), body))
    assert archive.posts.find(a_blog.url(3)) == before
    assert numbers(archive, a_blog.url(3)) == [1]


def test_what_was_taken_before_adds_nothing(crawled: Crawled):
    _, archive = crawled
    pages = [capture(a_blog.url(29), a_blog.page(29)), capture(a_blog.url(3), earlier(3))]
    first = take(archive, *pages)
    again = take(archive, *pages, *pages)
    assert (first.captures, again.captures, again.known) == (2, 0, 4)
    assert (numbers(archive, a_blog.url(3)), numbers(archive, a_blog.url(29))) == ([0, 1], [1])


def test_several_captures_of_a_lost_post_are_its_history(crawled: Crawled):
    _, archive = crawled
    later = OLD + timedelta(days=30)
    take(archive, capture(a_blog.url(29), earlier(29), later), capture(a_blog.url(29), a_blog.page(29)))
    assert [(post.version, post.captured) for post in archive.versions(a_blog.url(29))] == [(1, OLD), (2, later)]
    assert archive.posts.find(a_blog.url(29)).version == 2
    # One from before both does not take the place of either.
    take(archive, capture(a_blog.url(29), earlier(29, " A first draft."), OLD - timedelta(days=9)))
    assert numbers(archive, a_blog.url(29)) == [0, 1, 2]
    assert archive.posts.find(a_blog.url(29)).version == 2
    assert is_sound(archive)


@pytest.mark.parametrize("body", [a_blog.page(29), earlier(29)], ids=["the same", "edited"])
def test_a_live_copy_becomes_the_current_version_of_a_post_that_came_from_others(crawled: Crawled, body: bytes):
    web, archive = crawled
    take(archive, capture(a_blog.url(29), a_blog.page(29)))
    web.put(a_blog.url(29), body)
    put_feed(web, [29, 20, 19, 18, 17])
    web.now += timedelta(days=1)
    crawl(web, archive)
    post = archive.posts.find(a_blog.url(29))
    assert (post.version, post.origin, post.captured, post.fetched) == (2, "live", None, web.now)
    assert [each.origin for each in archive.versions(a_blog.url(29))] == ["memento", "live"]
    assert is_sound(archive)


def test_a_page_that_is_gone_does_not_take_a_copy_away(crawled: Crawled):
    web, archive = crawled
    take(archive, capture(a_blog.url(29), a_blog.page(29)))
    web.now += timedelta(days=1)
    crawl(web, archive)
    assert web.count(a_blog.url(29)) == 1
    assert archive.posts.find(a_blog.url(29)).origin == "memento"


def test_what_others_were_answered_is_no_condition_of_our_own_requests(crawled: Crawled):
    _, archive = crawled
    take(archive, capture(a_blog.url(4), a_blog.page(4)))
    blog = archive.blogs.find(a_blog.HOME)
    assert archive.captures.find(blog.id, a_blog.url(4)).etag != '"theirs"'
    assert archive.captures.find(blog.id, a_blog.url(4)).origin == "live"


def test_reading_again_keeps_who_captured_a_post(crawled: Crawled):
    _, archive = crawled
    take(archive, capture(a_blog.url(29), a_blog.page(29)), capture(a_blog.url(3), earlier(3)))
    result = reread_blog(archive.blogs.find(a_blog.HOME), archive)
    assert (result.new, result.changed) == (0, 0)
    assert archive.posts.find(a_blog.url(29)).origin == "memento"
    assert archive.posts.find(a_blog.url(3)).origin == "live"
    assert is_sound(archive)


def test_pictures_come_with_the_post_and_take_no_picture_s_place(crawled: Crawled):
    _, archive = crawled
    body = a_blog.page(29, f'{a_blog.article(29)}<img src="/pictures/boat.png" alt="">')
    others = MemoryWeb()
    others.put(a_blog.HOME + "pictures/boat.png", b"\x89PNG a boat", type="image/png")

    class Captured(MemoryWeb):
        async def fetch(self, url, **how):
            answer = await others.fetch(url, **how)
            if not isinstance(answer, Fetched):
                return answer
            return replace(answer, exchanges=tuple(
                replace(each, origin="memento", captured_at=OLD) for each in answer.exchanges
            ))

    won = take(archive, capture(a_blog.url(29), body), others=Captured())
    media, = archive.posts.find(a_blog.url(29)).media
    assert (won.media, media.type, media.bytes) == (1, "image/png", 11)
    assert is_sound(archive)


def test_the_event_log_says_what_came_and_from_where(crawled: Crawled):
    _, archive = crawled
    take(archive, capture(a_blog.url(29), a_blog.page(29)), capture(a_blog.url(3), earlier(3)))
    told = [(event.kind, event.reason) for event in archive.events(kinds=["restored", "earlier", "captures"])]
    assert told == [
        ("restored", "taken from a web archive, captured 2015-03-01"),
        ("earlier", "version 0 was taken from a web archive, captured 2015-03-01"),
        ("captures", "taken from a web archive: 1 post, 1 earlier version"),
    ]


def test_the_present_version_is_the_one_that_is_found(crawled: Crawled):
    _, archive = crawled
    take(archive, capture(a_blog.url(3), earlier(3)), capture(a_blog.url(29), a_blog.page(29)))
    assert not list(archive.search("lighthouse"))
    assert archive.search.count('"Post 29 of ours"') == 1
