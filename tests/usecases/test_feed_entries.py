"""Pages that show no date, author, tags or title: posts that stand in the feed take these from their own entries."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.core.urls import canonical
from everlog.records import Visit
from everlog.usecases.reread import reread_blog
from everlog.usecases.update.update_blog import refresh_blog
from usecases.a_site import FEED, PER_LIST, a_site, crawl, work

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from everlog.records import Post
    from usecases.a_web import MemoryWeb

POSTS = 12
NEWEST = range(POSTS, POSTS - PER_LIST, -1)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True, options=ArchiveOptions(min_free_bytes=0)) as opened:
        yield opened


def bare(number: int, inside: str | None = None) -> bytes:
    """A page that shows an article and nothing about it."""
    page = a_blog.page(number, inside).decode()
    page = re.sub(r"<h1.*?</h1>|<p class=meta>.*?</p>", "", page)
    return re.sub(r"<title>.*?</title>", "<title>A Blog</title>", page).encode()


def item(number: int, *, link: str | None = None, said: str | None = None, content: str | None = None) -> str:
    """An entry that says what the page does not."""
    said = said if said is not None else (
        f"<title>Post {number} of ours</title><pubDate>{number:02} Jan 2024 10:00:00 +0000</pubDate>"
        f"<author>Writer {number}</author><category>tag {number}</category>"
    )
    text = a_blog.article(number) if content is None else content
    return (
        f"<item><link>{link or a_blog.url(number)}</link>{said}<description><![CDATA[{text}]]></description></item>"
    )


def put_feed(fetcher: MemoryWeb, items: Iterable[str]) -> None:
    fetcher.put(FEED, a_blog.rss(items), type="application/rss+xml")


def a_bare_site() -> MemoryWeb:
    fetcher = a_site(POSTS)
    for number in range(1, POSTS + 1):
        fetcher.put(a_blog.url(number), bare(number))
    put_feed(fetcher, map(item, NEWEST))
    return fetcher


def told(post: Post | None) -> tuple[object, ...]:
    assert post is not None
    return post.title, post.published, post.authors, post.tags


def as_fed(number: int) -> tuple[object, ...]:
    return (
        f"Post {number} of ours", datetime(2024, 1, number, 10, tzinfo=UTC), (f"Writer {number}",), (f"tag {number}",),
    )


def update(fetcher: MemoryWeb, archive: Archive) -> None:
    fetcher.now += timedelta(days=1)
    asyncio.run(refresh_blog(archive.blogs()[0], work(fetcher, archive)))


def test_a_crawl_gives_posts_of_the_feed_what_only_their_entries_say(archive):
    crawl(a_bare_site(), archive)
    for number in NEWEST:
        post = archive.posts.find(a_blog.url(number))
        assert told(post) == as_fed(number)
        sources = {name: post.provenance[name].method for name in ("title", "published", "authors", "tags")}
        assert set(sources.values()) == {"feed-entry"}
    old = archive.posts.find(a_blog.url(2))
    assert (old.title, old.published, old.tags) == ("A Blog", None, ())


def test_an_entry_beyond_those_that_taught_the_blog_is_used_as_well(archive):
    fetcher = a_site(30, in_feed=30)
    for number in range(1, 31):
        fetcher.put(a_blog.url(number), bare(number))
    put_feed(fetcher, map(item, range(30, 0, -1)))
    crawl(fetcher, archive)
    assert told(archive.posts.find(a_blog.url(1))) == as_fed(1)


def test_an_entry_whose_link_leads_elsewhere_by_a_redirect_is_found(archive):
    fetcher = a_bare_site()
    counted = "https://a.blog/count/12"
    fetcher.put(counted, b"", redirect=a_blog.url(12))
    put_feed(fetcher, [item(12, link=counted), *map(item, NEWEST[1:])])
    crawl(fetcher, archive)
    assert told(archive.posts.find(a_blog.url(12))) == as_fed(12)


def test_reading_again_gives_the_same_even_when_the_entry_has_left_the_feed(archive):
    fetcher = a_bare_site()
    crawl(fetcher, archive)
    for number in (13, 14, 15, 16, 17):
        fetcher.put(a_blog.url(number), bare(number))
    put_feed(fetcher, map(item, (17, 16, 15, 14, 13)))
    update(fetcher, archive)
    for _ in range(2):
        result = reread_blog(archive.blogs()[0], archive)
        assert (result.changed, result.new) == (0, 0)
    for number in (*NEWEST, 13, 17):
        post = archive.posts.find(a_blog.url(number))
        assert told(post) == as_fed(number)
        assert post.version == 1


def test_reading_again_learns_from_stored_feeds_what_was_thrown_away_before(archive):
    fetcher = a_bare_site()
    crawl(fetcher, archive)
    strip_posts(archive)
    assert told(archive.posts.find(a_blog.url(12))) == (None, None, (), ())
    fetcher.asked.clear()
    reread_blog(archive.blogs()[0], archive)
    assert told(archive.posts.find(a_blog.url(12))) == as_fed(12)
    assert fetcher.asked == []


def test_an_edit_after_the_entry_left_the_feed_keeps_what_the_feed_said(archive):
    fetcher = a_bare_site()
    crawl(fetcher, archive)
    fetcher.put(a_blog.url(12), bare(12, a_blog.article(12) + "<p>And a line more.</p>"))
    fetcher.put(a_blog.url(13), bare(13))
    put_feed(fetcher, map(item, (13, 11, 10, 9, 8)))
    update(fetcher, archive)
    archive.urls.requeue(archive.blogs()[0].id, ["a.blog/12"])
    update(fetcher, archive)
    post = archive.posts.find(a_blog.url(12))
    assert post.text.endswith("And a line more.")
    assert post.version == 2
    assert told(post) == as_fed(12)
    assert post.provenance["authors"].method == "feed-entry"


def test_a_page_that_did_not_change_makes_no_version_when_its_entry_has_left(archive):
    fetcher = a_bare_site()
    crawl(fetcher, archive)
    fetcher.put(a_blog.url(13), bare(13))
    put_feed(fetcher, map(item, (13, 11, 10, 9, 8)))
    # Another address of a picture, another nonce: the page is sent again and reads the same.
    fetcher.put(a_blog.url(12), bare(12).replace(b"</body>", b"<!-- 2 --></body>"))
    archive.urls.requeue(archive.blogs()[0].id, ["a.blog/12"])
    update(fetcher, archive)
    assert archive.posts.find(a_blog.url(12)).version == 1


def test_an_update_gives_new_posts_and_those_that_are_held_what_the_feed_says_now(archive):
    fetcher = a_bare_site()
    silent = [item(number, said="") for number in NEWEST]
    put_feed(fetcher, silent)
    crawl(fetcher, archive)
    assert told(archive.posts.find(a_blog.url(11))) == (None, None, (), ())
    fetcher.put(a_blog.url(13), bare(13))
    put_feed(fetcher, map(item, (13, 12, 11, 10)))
    fetcher.asked.clear()
    update(fetcher, archive)
    assert told(archive.posts.find(a_blog.url(13))) == as_fed(13)
    post = archive.posts.find(a_blog.url(11))
    assert told(post) == as_fed(11)
    # As any other field that is read anew: a version, and once.
    assert post.version == 2
    put_feed(fetcher, map(item, (13, 12, 11)))
    update(fetcher, archive)
    assert archive.posts.find(a_blog.url(11)).version == 2


def test_what_is_held_is_filled_even_if_its_page_cannot_be_had(archive):
    fetcher = a_bare_site()
    crawl(fetcher, archive)
    strip_posts(archive)
    fetcher.put(a_blog.url(13), bare(13))
    put_feed(fetcher, map(item, (13, *NEWEST)))
    del fetcher.answers[canonical(a_blog.url(11))]
    update(fetcher, archive)
    assert told(archive.posts.find(a_blog.url(11))) == as_fed(11)


def test_the_page_has_the_last_word(archive):
    fetcher = a_site(POSTS)
    said = "<title>Another name</title><pubDate>01 Jan 2020 10:00:00 +0000</pubDate><author>Somebody Else</author>"
    put_feed(fetcher, [item(12, said=said), *map(a_blog.item, NEWEST[1:])])
    crawl(fetcher, archive)
    post = archive.posts.find(a_blog.url(12))
    assert (post.title, post.authors, post.published.year) == ("Post 12 of ours", ("Ann Lee",), 2024)


def test_a_blog_without_a_feed_has_no_entries(archive):
    fetcher = a_site(POSTS)
    del fetcher.answers["a.blog/feed.xml"]
    crawl(fetcher, archive, no_feed=True)
    methods = {source.method for post in archive.posts() for source in post.provenance.values()}
    assert "feed-entry" not in methods


def strip_posts(archive: Archive) -> None:
    """Make the posts what an everlog stored that read pages alone."""
    blog = archive.blogs()[0]
    with archive.lock(blog.id):
        for post in list(archive.posts(blog_id=blog.id)):
            shown = replace(post, title=None, authors=(), published=None, tags=(), provenance={})
            archive.commit([Visit(blog_id=blog.id, url=post.url, key=canonical(post.url), outcome="post", post=shown)])
