"""Comments that an interface tells of posts that become records only when their pages are read: none is lost."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from email.utils import format_datetime
from html import escape
from typing import TYPE_CHECKING

import pytest
from a_site import work
from test_told_blog import LONG, SiteWeb, crawled, held

from everlog.archive import open_archive
from everlog.usecases.crawl.crawl_blog import archive_blog
from history.sites.blogger import Blogger
from history.sites.substack import SubstackSite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive

COMMENTS = "/comments?"


class Scripted:
    """Pages whose comments are written by a script, and texts that are long enough to be told from the rest."""

    def publish(self, **said):
        post = super().publish(**said)
        body = f"<p>{LONG * 3} It was day {post.number}.</p><p>{LONG}</p>"
        self.posts[post.number] = replace(self.posts[post.number], body=body)
        return self.posts[post.number]

    def _article(self, post):
        return super()._article(post).partition('<ol class="comments">')[0]


class Letters(Scripted, SubstackSite):
    """A Substack, with a feed of its newest posts."""

    def _rss(self) -> str:
        items = "".join(
            f"<item><title>{escape(post.title)}</title><link>{self.link(post)}</link>"
            f"<pubDate>{format_datetime(post.published)}</pubDate><description>{escape(post.body)}</description></item>"
            for post in self.newest()[:10]
        )
        return f"<rss><channel>{items}</channel></rss>"


class Beginnings(Scripted, Blogger):
    """A blog of Blogger whose owner lets its feeds hold the beginnings of posts alone."""

    def _post(self, post, *, is_short):
        beginning = f"{LONG * 3} It was day {post.number}."
        return super()._post(post, is_short=is_short).replace(f"On day {post.number} ...", beginning)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "a", create=True) as opened:
        yield opened


def said_in(site, archive: Archive) -> dict[str, set[str]]:
    """The texts of comments by the addresses of their posts, as they are held."""
    return {url: {each.text for each in post.comments} for url, post in held(archive).items() if post.comments}


def wanted_of(site) -> dict[str, int]:
    counts: dict[str, int] = {}
    for each in site.comments.values():
        url = site.link(site.posts[each.post])
        counts[url] = counts.get(url, 0) + 1
    return counts


def test_comments_of_a_substack_are_kept_with_the_posts_that_its_pages_make(archive):
    site = Letters.of(30, comments=12)
    web = SiteWeb(site)
    assert crawled(site, archive, web).ending == "complete"
    assert held(archive).keys() == site.links
    assert {url: len(said) for url, said in said_in(site, archive).items()} == wanted_of(site)
    assert {post.version for post in held(archive).values()} == {1}
    assert not list(archive.events())
    # Each list of comments was asked for once, and after the pages.
    asked = [number for number, url in enumerate(web.asked) if COMMENTS in url]
    pages = [number for number, url in enumerate(web.asked) if url in site.links]
    assert len(asked) == len(wanted_of(site)) == len(set(map(web.asked.__getitem__, asked)))
    assert max(pages) < min(asked)


def test_comments_are_asked_for_after_a_crawl_that_was_stopped_among_its_pages(archive):
    site = Letters.of(30, comments=12)
    web = SiteWeb(site)
    run = work(web, archive)
    fetch = web.fetch

    async def stopping(url, **how):
        if sum(each in site.links for each in web.asked) > 15:
            run.stop.interrupt()
        return await fetch(url, **how)

    web.fetch = stopping
    assert asyncio.run(archive_blog(site.home, run)).ending == "interrupted"
    assert not said_in(site, archive)
    assert crawled(site, archive).ending == "complete"
    assert {url: len(said) for url, said in said_in(site, archive).items()} == wanted_of(site)


def test_a_crawl_that_is_stopped_among_the_comments_goes_on_with_them(archive):
    site = Letters.of(30, comments=12)
    web = SiteWeb(site)
    run = work(web, archive)
    fetch = web.fetch

    async def stopping(url, **how):
        if sum(COMMENTS in each for each in web.asked) == 4:
            run.stop.interrupt()
        return await fetch(url, **how)

    web.fetch = stopping
    assert asyncio.run(archive_blog(site.home, run)).ending == "interrupted"
    before = len(said_in(site, archive))
    assert 0 < before < len(wanted_of(site))
    again = SiteWeb(site)
    crawled(site, archive, again)
    assert {url: len(said) for url, said in said_in(site, archive).items()} == wanted_of(site)
    assert sum(COMMENTS in url for url in again.asked) == len(wanted_of(site)) - before


def test_comments_on_a_post_that_an_update_brings_are_kept_with_it(archive):
    site = Letters.of(30, comments=12)
    crawled(site, archive)
    new = site.publish()
    site.comment(new.number)
    site.comment(new.number)
    crawled(site, archive)
    post = held(archive)[site.link(new)]
    assert (len(post.comments), post.version) == (2, 1)
    assert not list(archive.events())
    web = SiteWeb(site)
    crawled(site, archive, web)
    assert not any(COMMENTS in url for url in web.asked)


def test_comments_of_a_blogger_whose_feeds_hold_beginnings_are_kept(archive):
    site = Beginnings.of(30, comments=12, traps={"short"})
    web = SiteWeb(site)
    assert crawled(site, archive, web).ending == "complete"
    assert held(archive).keys() == site.links
    assert {url: len(said) for url, said in said_in(site, archive).items()} == wanted_of(site)
    # The interface tells them: no feed of a single post is asked.
    assert not [url for url in web.asked if "/comments/default" in url and "/feeds/comments/" not in url]
