"""A blog under several names: recognised by what pages, feed, redirects and posts say, never a different blog."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.archive.verify import verify
from everlog.core.urls import canonical, host_of
from everlog.errors import EverlogError, Unreachable
from everlog.records import Failure
from everlog.usecases.completeness import missing_posts
from everlog.usecases.crawl.crawl_blog import archive_blog
from everlog.usecases.discover.blog_scope import names_of, scope_of
from everlog.usecases.discover.held_blog import blog_named, home_known_as
from usecases.a_named_blog import HIDDEN, POSTS, NamedBlog, redirect, serve, silence
from usecases.a_site import work
from usecases.a_web import MemoryWeb

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from everlog.usecases.crawl.report import Report

pytestmark = pytest.mark.slow

NEW, OLD = "https://ann.example/", "http://old.example/"
ALL = list(range(1, POSTS + 1))
# Requests that may be spent on one address to see whether it is a name of the blog.
FEW = 3
SISTER = NamedBlog(title="Sea and Sand", seed=500)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True, options=ArchiveOptions(min_free_bytes=0)) as opened:
        yield opened


def crawl(web: MemoryWeb, archive: Archive, url: str, **settings: Any) -> Report:
    return asyncio.run(archive_blog(url, work(web, archive, **settings)))


def numbers_held(archive: Archive, home: str) -> list[int]:
    posts = [post for post in archive.posts() if post.blog == home]
    return sorted(int((post.title or "").split()[1]) for post in posts)


def names(archive: Archive) -> dict[str, str]:
    return names_of(scope_of(archive.blogs()[0], archive))


def asked_at(web: MemoryWeb, home: str) -> list[str]:
    return [url for url in web.asked if host_of(url) == host_of(home)]


def an_old_blog(web: MemoryWeb, old: str = OLD, **says: Any) -> NamedBlog:
    """A blog whose older posts link to each other at another address; to two of them nothing else leads."""
    blog = NamedBlog(old=old, hidden=HIDDEN, **says)
    serve(web, NEW, blog)
    return blog


# An old host in the blog's own links


@pytest.mark.parametrize("how", ["redirects", "sends all to the front page", "shows the same posts"])
def test_an_old_host_in_the_blogs_own_links_is_a_name_of_it_and_leads_to_all_posts(archive, how):
    web = MemoryWeb()
    blog = an_old_blog(web)
    if how == "redirects":
        redirect(web, OLD, NEW, blog)
    elif how == "shows the same posts":
        serve(web, OLD, blog)
    else:
        for path in ("", *map(blog.path, blog.posts)):
            web.put(OLD + path, b"", redirect=NEW)
    report = crawl(web, archive, NEW)
    assert report.ending == "complete"
    assert numbers_held(archive, NEW) == ALL
    assert list(names(archive)) == [OLD]
    assert "own posts link there" in names(archive)[OLD]
    assert len(asked_at(web, OLD)) <= FEW
    assert list(verify(archive)) == []


def test_an_old_host_that_the_blog_left_long_ago_is_a_name_of_it_though_it_lacks_what_came_since(archive):
    web = MemoryWeb()
    serve(web, OLD, replace(an_old_blog(web, left_after=12), posts=range(1, 13)))
    crawl(web, archive, NEW)
    assert numbers_held(archive, NEW) == ALL
    assert list(names(archive)) == [OLD]


def test_the_addresses_under_another_name_are_those_of_the_posts(archive):
    web = MemoryWeb()
    blog = an_old_blog(web)
    redirect(web, OLD, NEW, blog)
    crawl(web, archive, NEW)
    for number in (3, *HIDDEN):
        post = archive.posts.find(OLD + blog.path(number))
        assert post is not None
        assert post.url == NEW + blog.path(number)
        assert post.aliases == (OLD + blog.path(number),)
    assert len(list(archive.posts())) == POSTS


def test_posts_of_an_old_host_that_is_silent_are_looked_for_here(archive):
    web = MemoryWeb()
    blog = an_old_blog(web)
    silence(web, OLD, blog)
    crawl(web, archive, NEW)
    assert numbers_held(archive, NEW) == ALL
    # One sign is not enough to call it the same blog.
    assert names(archive) == {}
    assert len(asked_at(web, OLD)) == 1


def test_what_was_only_guessed_to_be_here_and_is_not_is_none_that_is_missing(archive):
    """Nobody says that the other host is this blog: a link to it names no post of this one."""
    web = MemoryWeb()
    blog = an_old_blog(web)
    silence(web, OLD, blog)
    for number in HIDDEN:
        del web.answers[canonical(NEW + blog.path(number))]
    crawl(web, archive, NEW)
    assert {NEW + blog.path(number) for number in HIDDEN} <= set(web.asked)
    assert missing_posts(archive.blogs()[0], archive) == ()


def test_a_host_that_does_not_want_to_be_asked_is_left_alone(archive):
    web = MemoryWeb()
    blog = an_old_blog(web)
    for path in map(blog.path, blog.posts):
        web.answers[canonical(OLD + path)] = Failure(url=OLD + path, trouble="robots", reason="robots.txt disallows it")
    crawl(web, archive, NEW)
    assert len(asked_at(web, OLD)) == 1
    assert names(archive) == {}


def test_what_a_crawl_met_before_it_was_interrupted_is_not_forgotten(archive):
    web = MemoryWeb()
    redirect(web, OLD, NEW, an_old_blog(web))
    first = crawl(web, archive, NEW, max_pages=16)
    assert first.ending == "limit"
    assert archive.blogs.state(1).named
    assert crawl(web, archive, NEW).ending == "complete"
    assert numbers_held(archive, NEW) == ALL
    assert list(names(archive)) == [OLD]
    assert not archive.blogs.state(1).named


def test_an_update_asks_nothing_of_other_names(archive):
    web = MemoryWeb()
    redirect(web, OLD, NEW, an_old_blog(web))
    crawl(web, archive, NEW)
    before = len(web.asked)
    report = crawl(web, archive, NEW)
    assert report.tally.new_posts == 0
    assert [url for url in web.asked[before:] if host_of(url) != host_of(NEW)] == []
    assert web.asked[before:] == [NEW + "feed.xml"]


def test_new_links_to_a_known_name_are_those_of_posts_that_are_held(archive):
    web = MemoryWeb()
    blog = an_old_blog(web)
    redirect(web, OLD, NEW, blog)
    crawl(web, archive, NEW)
    before = len(asked_at(web, OLD))
    later = replace(blog, posts=(*blog.posts, 21))
    web.put(NEW + later.path(21), later.page(21, NEW).replace(b"2024-01-21", b"2024-02-21"))
    web.put(NEW + "feed.xml", later.feed(NEW), type="application/rss+xml")
    assert crawl(web, archive, NEW).tally.new_posts == 1
    assert numbers_held(archive, NEW) == [*ALL, 21]
    assert len(asked_at(web, OLD)) == before


# Names of platforms, feed proxies, spellings


def test_ids_of_the_feed_name_the_address_at_which_the_blog_began(archive):
    web, began = MemoryWeb(), "http://rain.wordpress.com/"
    blog = NamedBlog(guids=began)
    serve(web, NEW, blog)
    for number in blog.posts:
        web.put(f"{began}?p={number}", b"", redirect=NEW + blog.path(number))
    crawl(web, archive, NEW)
    assert names(archive) == {began: "the feed names it; posts redirect permanently to the same posts"}
    assert asked_at(web, began) == [f"{began}?p=20"]
    assert home_known_as(began, archive) == archive.blogs()[0]


@pytest.mark.parametrize(("home", "country"), [("com", "de"), ("co.uk", "com"), ("com.au", "in")])
def test_a_blog_of_blogger_is_the_same_in_every_country(archive, home, country):
    web, here, there = MemoryWeb(), f"http://rain.blogspot.{home}/", f"http://rain.blogspot.{country}/"
    blog = NamedBlog(old=there, hidden=HIDDEN, canonical="http://rain.blogspot.com/")
    serve(web, here, blog)
    serve(web, there, blog)
    crawl(web, archive, here)
    assert numbers_held(archive, here) == ALL
    crawl(web, archive, there)
    assert [each.home for each in archive.blogs()] == [here]
    assert asked_at(web, there) == []
    assert home_known_as("https://rain.blogspot.fr/", archive) == archive.blogs()[0]
    assert home_known_as("https://rainy.blogspot.fr/", archive) is None


@pytest.mark.parametrize("says", ["the original link", "an id", "a redirect"])
def test_a_feed_behind_a_proxy_is_that_of_the_blog(archive, says):
    web, proxy, blog = MemoryWeb(), "http://feeds.proxy.example/", NamedBlog()
    serve(web, NEW, blog)
    feed = blog.feed(NEW)
    for number in blog.posts:
        own, link = NEW + blog.path(number), f"{proxy}~r/rain/~3/x{number}/"
        more = {"the original link": f"<feedburner:origLink>{own}</feedburner:origLink>",
                "an id": f"<guid isPermaLink='true'>{own}</guid>", "a redirect": ""}[says]
        feed = feed.replace(f"<link>{own}</link>".encode(), f"<link>{link}</link>{more}".encode())
        if says == "a redirect":
            web.put(link, b"", redirect=own)
    feed = feed.replace(b"<rss ", b"<rss xmlns:feedburner='http://rssnamespace.org/feedburner/ext/1.0' ")
    web.put(proxy + "rain", feed, type="application/rss+xml")
    page = web.answers[canonical(NEW)]
    page.body = page.body.replace(f"{NEW}feed.xml".encode(), f"{proxy}rain".encode())
    crawl(web, archive, NEW)
    assert numbers_held(archive, NEW) == ALL
    assert {host_of(post.url) for post in archive.posts()} == {host_of(NEW)}
    crawl(web, archive, proxy + "rain")
    assert [each.home for each in archive.blogs()] == [NEW]


SPELLINGS = [
    ("https://ann.example/", "http://ann.example/"), ("http://ann.example/", "https://ann.example/"),
    ("https://ann.example/", "https://www.ann.example/"), ("https://www.ann.example/", "http://ann.example/"),
]


@pytest.mark.parametrize(("home", "links"), SPELLINGS)
@pytest.mark.parametrize("how", ["silent", "redirects"])
def test_links_in_another_spelling_of_the_host_are_asked_for_as_its_home_is(archive, home, links, how):
    web = MemoryWeb()
    serve(web, home, NamedBlog(), links_at=links)
    if how == "silent":
        web.silent.add(links.rstrip("/"))
    else:
        web.respelled[links.rstrip("/")] = home.rstrip("/")
    report = crawl(web, archive, home)
    assert report.ending == "complete"
    assert numbers_held(archive, home) == ALL
    assert {post.url.startswith(home) for post in archive.posts()} == {True}
    # One page told it, and those that were on their way.
    assert len([url for url in web.asked if url.startswith(links)]) <= 5


# A path that moved


def test_a_blog_that_left_its_folder_is_followed_and_its_posts_stay_one(archive):
    web, blog = MemoryWeb(), NamedBlog()
    serve(web, NEW + "blog/", blog)
    crawl(web, archive, NEW + "blog/")
    serve(web, NEW, blog)
    redirect(web, NEW + "blog/", NEW, blog)
    crawl(web, archive, NEW + "blog/")
    crawl(web, archive, NEW)
    held = archive.blogs()
    assert [(each.home, each.former_homes) for each in held] == [(NEW, (NEW + "blog/",))]
    assert len(list(archive.posts())) == POSTS
    assert names(archive) == {NEW + "blog/": "it moved from there"}


def test_old_links_to_a_folder_that_is_gone_lead_to_posts_of_the_blog(archive):
    web = MemoryWeb()
    an_old_blog(web, old=NEW + "blog/")
    crawl(web, archive, NEW)
    assert numbers_held(archive, NEW) == ALL


def test_old_links_above_the_folder_of_a_blog_lead_to_its_posts_and_to_nothing_else(archive):
    web, blog = MemoryWeb(), NamedBlog(old=NEW, hidden=HIDDEN, footer="<a href='/shop/fine-old-stones/'>the shop</a>")
    serve(web, NEW + "blog/", blog)
    for number in blog.posts:
        web.put(NEW + blog.path(number), b"", redirect=f"{NEW}blog/{blog.path(number)}")
    web.put(NEW + "shop/fine-old-stones/", "<html><body>stones for sale</body></html>")
    crawl(web, archive, NEW + "blog/")
    assert numbers_held(archive, NEW + "blog/") == ALL
    assert list(names(archive)) == [NEW]
    assert [url for url in web.asked if "shop" in url] == []
    # The root of the host is the shop's: whoever asks for it does not get the blog in its place.
    assert scope_of(archive.blogs()[0], archive).is_own(NEW + "shop/") is False


# A blog that is held, asked for by another name


def test_a_blog_that_is_held_is_found_by_the_names_that_were_recorded(archive):
    web = MemoryWeb()
    redirect(web, OLD, NEW, an_old_blog(web))
    crawl(web, archive, NEW)
    assert blog_named("old.example", archive).home == NEW
    before = len(asked_at(web, OLD))
    assert crawl(web, archive, OLD).blog == NEW
    assert len(asked_at(web, OLD)) == before


def test_a_name_that_was_recorded_finds_the_blog_after_it_moved(archive):
    web, blog = MemoryWeb(), NamedBlog(old=OLD)
    serve(web, NEW, blog)
    redirect(web, OLD, NEW, blog)
    crawl(web, archive, NEW)
    later = "https://later.example/"
    serve(web, later, blog)
    redirect(web, NEW, later, blog)
    crawl(web, archive, NEW)
    assert archive.blogs()[0].home == later
    assert home_known_as(OLD, archive) == archive.blogs()[0]


def test_a_mirror_of_a_blog_that_is_held_is_no_second_blog(archive):
    web, blog = MemoryWeb(), NamedBlog(canonical=NEW)
    serve(web, NEW, blog)
    serve(web, OLD, blog)
    crawl(web, archive, NEW)
    report = crawl(web, archive, OLD)
    assert [each.home for each in archive.blogs()] == [NEW]
    assert names(archive) == {OLD: "canonical links name the same pages; posts are the same under both"}
    assert any("another address of" in remark for remark in report.tally.remarks)
    assert asked_at(web, OLD) == [OLD, OLD + "feed.xml"]


def test_a_host_whose_feed_leads_to_posts_that_are_held_and_that_has_them_too_is_no_second_blog(archive):
    """A site that always names itself by one host, typed with another one."""
    web, blog = MemoryWeb(), NamedBlog()
    serve(web, NEW, blog)
    crawl(web, archive, NEW)
    serve(web, OLD, blog, links_at=NEW)
    crawl(web, archive, OLD)
    assert [each.home for each in archive.blogs()] == [NEW]
    assert names(archive) == {OLD: "the feed names it; posts are the same under both"}
    assert len(asked_at(web, OLD)) == 4
    assert crawl(web, archive, OLD).blog == NEW


@pytest.mark.parametrize("own", [[1], [1, 2]])
def test_a_planet_whose_entries_are_posts_of_a_blog_that_is_held_is_a_blog_of_its_own(archive, own):
    web, blog = MemoryWeb(), NamedBlog()
    serve(web, NEW, blog)
    crawl(web, archive, NEW)
    planet = replace(SISTER, title="Planet of Ann")
    serve(web, OLD, planet)
    theirs = blog.feed(NEW).partition(b"<item>")[2].rpartition(b"</channel>")[0]
    feed = planet.feed(OLD, own).replace(b"</channel>", b"<item>" + theirs + b"</channel>")
    web.put(OLD + "feed.xml", feed, type="application/rss+xml")
    crawl(web, archive, OLD)
    assert [each.home for each in archive.blogs()] == [NEW, OLD]
    assert names(archive) == {}
    assert numbers_held(archive, OLD) == ALL


def test_a_planet_that_has_nothing_but_posts_of_a_blog_that_is_held_is_no_name_of_it(archive):
    web, blog = MemoryWeb(), NamedBlog()
    serve(web, NEW, blog)
    crawl(web, archive, NEW)
    theirs = "".join(f"<a href='{NEW}{blog.path(number)}'>Post {number} of ours</a>" for number in range(11, 21))
    feed = f"<link rel=alternate type=application/rss+xml href='{OLD}feed.xml'>"
    web.put(OLD, f"<html><head><title>Planet of Ann</title>{feed}</head><body>{theirs}</body></html>")
    web.put(OLD + "feed.xml", blog.feed(OLD, links_at=NEW), type="application/rss+xml")
    with suppress(EverlogError):
        crawl(web, archive, OLD)
    assert names(archive) == {}
    assert archive.blogs()[0].home == NEW
    assert numbers_held(archive, NEW) == ALL


def test_the_home_of_another_blog_is_never_noted_as_a_name(archive):
    web, blog = MemoryWeb(), NamedBlog(old=OLD)
    serve(web, OLD, blog)
    crawl(web, archive, OLD)
    serve(web, NEW, replace(blog, seed=700))
    crawl(web, archive, NEW)
    noted = names_of(scope_of(archive.blogs()[1], archive))
    assert [each.home for each in archive.blogs()] == [OLD, NEW]
    assert noted == {}


def test_a_name_that_is_another_blog_of_the_archive_stays_that(archive):
    web, blog = MemoryWeb(), NamedBlog(old=OLD)
    serve(web, OLD, blog)
    crawl(web, archive, OLD)
    serve(web, NEW, blog)
    crawl(web, archive, NEW)
    assert [each.home for each in archive.blogs()] == [OLD, NEW]
    assert home_known_as(OLD, archive).home == OLD


# Different blogs of the same owner


def test_a_sister_that_the_blog_links_to_is_not_taken_for_it(archive):
    web = MemoryWeb()
    footer = "".join(f"<a href='{OLD}{SISTER.path(number)}'>from my other blog</a>" for number in range(1, 9))
    serve(web, OLD, replace(SISTER, footer=f"<a href='{NEW}'>my first blog</a>"))
    serve(web, NEW, NamedBlog(footer=footer))
    crawl(web, archive, NEW)
    assert numbers_held(archive, NEW) == ALL
    assert names(archive) == {}
    assert asked_at(web, OLD) == []


def test_a_sister_with_posts_at_the_same_addresses_is_not_taken_for_it(archive):
    web = MemoryWeb()
    blog = an_old_blog(web)
    for number in blog.posts:
        # A twin in another language: every address is the same, every word another.
        web.put(OLD + blog.path(number), SISTER.page(number, OLD))
    crawl(web, archive, NEW)
    assert names(archive) == {}
    assert len(asked_at(web, OLD)) <= FEW
    assert {host_of(post.url) for post in archive.posts()} == {host_of(NEW)}


def test_two_blogs_of_one_platform_stay_two(archive):
    web, ann, bob = MemoryWeb(), "https://host.example/ann/", "https://host.example/bob/"
    menu = f"<a href='{ann}'>Ann</a> <a href='{bob}'>Bob</a>"
    theirs = NamedBlog(title="Bob's boats", author="Bob", seed=500)
    links = "".join(f"<a href='{bob}{theirs.path(number)}'>more by Bob</a>" for number in range(1, 6))
    serve(web, ann, NamedBlog(footer=menu + links))
    serve(web, bob, replace(theirs, footer=menu))
    crawl(web, archive, ann)
    crawl(web, archive, bob)
    assert [each.home for each in archive.blogs()] == [ann, bob]
    assert numbers_held(archive, ann) == numbers_held(archive, bob) == ALL
    assert names(archive) == {}


def test_a_guest_post_in_another_blog_does_not_make_it_the_same(archive):
    web, blog = MemoryWeb(), NamedBlog()
    quoted = "".join(f"<a href='{OLD}{blog.path(number)}'>also there</a>" for number in (1, 2, 3))
    own = replace(blog, footer=quoted)
    serve(web, NEW, own)
    serve(web, OLD, SISTER)
    for number in (1, 2, 3):
        web.put(OLD + blog.path(number), replace(blog, canonical=NEW).page(number, OLD))
    crawl(web, archive, NEW)
    assert names(archive) == {}


def test_a_sister_with_a_copied_configuration_is_a_blog_of_its_own(archive):
    web = MemoryWeb()
    serve(web, NEW, NamedBlog())
    crawl(web, archive, NEW)
    serve(web, OLD, replace(SISTER, canonical=NEW))
    page = web.answers[canonical(OLD)]
    page.body = page.body.replace(SISTER.title.encode(), b"Rain and Stones")
    crawl(web, archive, OLD)
    assert [each.home for each in archive.blogs()] == [NEW, OLD]
    assert numbers_held(archive, NEW) == ALL


@pytest.mark.parametrize("feed", ["redirects", "is gone"])
def test_a_home_that_redirects_to_a_new_and_different_blog_of_the_same_author_has_not_moved(archive, feed):
    web = MemoryWeb()
    serve(web, OLD, NamedBlog())
    crawl(web, archive, OLD)
    serve(web, NEW, SISTER)
    web.put(OLD, b"", redirect=NEW)
    del web.answers[canonical(OLD + "feed.xml")]
    if feed == "redirects":
        web.put(OLD + "feed.xml", b"", redirect=NEW + "feed.xml")
    with pytest.raises(Unreachable, match="another blog" if feed == "redirects" else "404"):
        crawl(web, archive, OLD)
    held = archive.blogs()[0]
    assert (held.home, held.feed_url, held.former_homes) == (OLD, OLD + "feed.xml", ())
    assert len(list(archive.posts())) == POSTS
    web.now += timedelta(days=2)
    assert crawl(web, archive, OLD).ending == "incomplete"
    assert "another blog" in (archive.blogs()[0].gone or "")
    # It can be archived beside the old one.
    crawl(web, archive, NEW)
    assert numbers_held(archive, NEW) == ALL
