"""Blogs whose own interface tells their posts: crawled, updated, interrupted, and without their pages."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape
from typing import TYPE_CHECKING

import pytest
from a_site import work
from a_web import MemoryWeb

from everlog.archive import open_archive
from everlog.records import Exchange, Failure, Fetched
from everlog.usecases.crawl.crawl_blog import archive_blog
from history.sites.wordpress_feeds import WordPressFeeds
from history.sites.wordpress_rest import WordPressRest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from everlog.usecases.crawl.report import Report

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LONG = "On that day the sea was calm and the harbour full of boats, and nobody in the town spoke of the way back. "


class Blog(WordPressRest):
    """The same, with a feed of its newest posts."""

    def publish(self, **said):
        post = super().publish(**said)
        self.posts[post.number] = replace(post, body=f"<p>{LONG * 3} It was day {post.number}.</p><p>{LONG}</p>")
        return self.posts[post.number]

    def head(self) -> str:
        return super().head() + f'<link rel="alternate" type="application/rss+xml" href="{self.home}feed/">'

    # Where its front page is, if not at its root.
    front: str | None = None

    def page(self, url):
        return super().page(self.home if url == self.front else url)

    def interface(self, url, headers):
        if url != f"{self.home}feed/":
            return super().interface(url, headers)
        items = "".join(
            f"<item><title>{escape(post.title)}</title><link>{self.link(post)}</link>"
            f"<pubDate>{format_datetime(post.published)}</pubDate><description>{escape(post.body)}</description></item>"
            for post in self.newest()[:10]
        )
        return 200, {"Content-Type": "application/rss+xml"}, f"<rss><channel>{items}</channel></rss>".encode()


class Nameless(Blog):
    """Its pages show no sign of what makes them."""

    def head(self) -> str:
        return super().head().replace("/wp-content/", "/files/")

    def page_headers(self) -> dict[str, str]:
        return {"Content-Type": "text/html"}


class SiteWeb(MemoryWeb):
    """A fetcher of one site in memory."""

    def __init__(self, site: Blog) -> None:
        super().__init__()
        self.site = site

    async def fetch(self, url, *, purpose="page", etag=None, last_modified=None):  # noqa: ARG002
        self.asked.append(url)
        status, headers, body = self.site.answer(url, {})
        exchange = Exchange(
            url=url, status=status, headers=tuple(headers.items()), body=body, fetched_at=NOW, purpose=purpose,
        )
        if status >= 400:
            return Failure(url=url, trouble="http", reason=f"answers {status}", status=status, exchanges=(exchange,))
        return Fetched(url=url, exchanges=(exchange,))


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "a", create=True) as opened:
        yield opened


def crawled(site: Blog, archive: Archive, web: SiteWeb | None = None, **settings: object) -> Report:
    return asyncio.run(archive_blog(site.home, work(web or SiteWeb(site), archive, **settings)))


def held(archive: Archive) -> dict[str, object]:
    return {post.url: post for post in archive.posts()}


def test_posts_that_no_link_leads_to_are_archived_with_their_pages(archive):
    site = Blog.of(40, comments=15, traps={"half"})
    assert crawled(site, archive).ending == "complete"
    found = held(archive)
    assert found.keys() == site.links
    assert {post.version for post in found.values()} == {1}
    assert all(post.warc is not None and post.provenance["text"].method == "api" for post in found.values())
    assert sum(len(post.comments) for post in found.values()) == 15


def test_records_alone_take_no_page_of_a_post_and_are_remembered_to(archive):
    site = Blog.of(40, comments=15)
    web = SiteWeb(site)
    report = crawled(site, archive, web, pages=False)
    assert (report.ending, report.reason) == ("complete", "WordPress REST told all of its posts")
    assert held(archive).keys() == site.links
    assert not site.links & set(web.asked)
    new = site.publish()
    again = SiteWeb(site)
    crawled(site, archive, again)
    assert site.link(new) in held(archive)
    assert not site.links & set(again.asked)


def test_pages_that_were_left_out_are_fetched_when_they_are_asked_for(archive):
    site = Blog.of(30, traps={"half"})
    crawled(site, archive, pages=False)
    crawled(site, archive, pages=True)
    assert held(archive).keys() == site.links
    assert all(post.warc is not None and post.version == 1 for post in held(archive).values())


def test_what_was_edited_meanwhile_is_asked_for_again_with_the_pages(archive):
    site = Blog.of(30)
    crawled(site, archive, pages=False)
    site.edit(2, f"<p>{LONG} Written anew.</p>")
    crawled(site, archive, pages=True)
    assert "Written anew" in held(archive)[site.link(site.posts[2])].text


def test_posts_beside_the_folder_that_was_typed_are_told_where_the_feed_has_some(archive):
    """The home is /news/, and posts stand in folders of their years, as the feed shows."""
    site = Blog.of(30, traps={"half"})
    site.front = "https://blog.example/news/"
    report = asyncio.run(archive_blog(site.front, work(SiteWeb(site), archive)))
    assert (report.ending, held(archive).keys()) == ("complete", site.links)


def test_posts_that_an_interface_lists_outside_of_what_was_asked_for_are_counted(archive):
    site = Blog.of(30)
    site.front = "https://blog.example/news/"
    report = asyncio.run(archive_blog(site.front, work(SiteWeb(site), archive, scope="path", pages=False)))
    assert report.ending == "nothing"
    assert any("30 posts" in remark and "--scope host" in remark for remark in report.tally.remarks)


def test_without_an_interface_records_alone_are_none_and_the_way_to_pages_is_named(archive):
    site = Nameless.of(12)
    report = crawled(site, archive, pages=False)
    assert (report.ending, held(archive)) == ("nothing", {})
    assert report.reason.endswith("everlog crawl https://blog.example/ --pages")


def test_the_source_that_told_all_is_the_one_that_is_named(archive):
    site = Blog.of(10, traps={"off-401"})
    assert crawled(site, archive, pages=False).reason == "WordPress feed told all of its posts"


def test_edits_deletions_and_comments_of_old_posts_are_noticed(archive):
    site = Blog.of(40, comments=15)
    crawled(site, archive)
    old, gone = site.posts[2], site.posts[3]
    site.edit(2, f"<p>{LONG} Written anew.</p>")
    site.delete(3)
    site.comment(5)
    new = site.publish()
    crawled(site, archive)
    found = held(archive)
    assert found[site.link(old)].version == 2
    assert "Written anew" in found[site.link(old)].text
    assert found[site.link(gone)].gone is not None
    assert site.link(new) in found
    assert {event.kind for event in archive.events()} == {"edited", "deleted", "comments"}


def test_an_update_of_what_did_not_change_asks_the_interface_alone(archive):
    site = Blog.of(40, comments=15)
    crawled(site, archive)
    web = SiteWeb(site)
    report = crawled(site, archive, web)
    assert len(web.asked) == 2
    assert report.reason == "up to date: WordPress REST names nothing new"


def test_an_interface_that_is_gone_leaves_the_blog_to_its_feed(archive):
    site = Blog.of(20)
    crawled(site, archive)
    site.traps = frozenset({"off-404"})
    new = site.publish()
    crawled(site, archive)
    assert site.link(new) in held(archive)


def test_a_walk_that_is_interrupted_goes_on_where_it_was(archive):
    site = Blog.of(330)
    web = SiteWeb(site)
    run = work(web, archive, pages=False)
    asked = web.fetch

    async def stopping(url, **how):
        if "offset=99&" in url:
            run.stop.interrupt()
        return await asked(url, **how)

    web.fetch = stopping
    assert asyncio.run(archive_blog(site.home, run)).ending == "interrupted"
    assert 100 <= len(held(archive)) < 330
    again = SiteWeb(site)
    crawled(site, archive, again)
    assert held(archive).keys() == site.links
    assert not any("posts?per_page=100&offset=0&" in url for url in again.asked)


def test_a_post_behind_a_password_is_listed_with_the_reason_and_is_no_record(archive):
    site = Blog.of(30, traps={"password"})
    crawled(site, archive)
    assert not {site.link(site.posts[number]) for number in (10, 20, 30)} & held(archive).keys()
    blog = archive.blogs.find(site.home)
    locked = [post for post in archive.blogs.inventory.of(blog.id, "WordPress REST") if post.locked]
    assert {post.locked for post in locked} == {"password"}
    assert len(locked) == 3


def test_a_page_that_shows_something_else_is_said_to(archive):
    site = Blog.of(15)
    odd = site.link(site.posts[4])
    site.edit(9, "<p>Something else altogether stands here: a recipe for bread with rye, salt, water and time.</p>" * 3)
    page = site.page

    def shown(url):
        return page(site.link(site.posts[9])) if url == odd else page(url)

    site.page = shown
    crawled(site, archive)
    post = held(archive)[odd]
    assert "It was day 4." in post.text
    assert post.provenance["text"].disagrees is not None
    assert post.provenance["text"].confidence < 0.95


@pytest.mark.parametrize("trap", ["off-401", "off-403", "off-404", "html"])
def test_an_interface_that_is_switched_off_changes_nothing(trap, archive):
    site = Blog.of(15, traps={trap})
    crawled(site, archive)
    assert held(archive).keys() == site.links


class FeedWithoutSigns(WordPressFeeds):
    """Its feed leaves out what its pages have, and its later pages are the first one again."""

    def publish(self, **said):
        post = super().publish(**said)
        self.posts[post.number] = replace(post, body=f"<p>{LONG * 3} It was day {post.number}.</p><p>{LONG}</p>")
        return self.posts[post.number]

    def _texts(self, post):
        excerpt, whole = super()._texts(post)
        return excerpt, whole.replace("harbour", "") if whole is not None else None


def test_posts_of_a_feed_whose_pages_say_more_are_no_edits_in_the_crawl_that_brought_them(archive):
    site = FeedWithoutSigns.of(30, traps={"to-first"})
    crawled(site, archive)
    found = held(archive)
    assert found.keys() == site.links
    assert {post.version for post in found.values()} == {1}
    assert all("harbour" in post.text and post.warc is not None for post in found.values())
    assert not [event for event in archive.events() if event.kind in {"edited", "comments"}]
