"""Crawls of blogs whose front page links to months: what these list is kept, and months nobody links to are found."""

from __future__ import annotations

from dataclasses import replace
from email.utils import format_datetime
from html import escape
from typing import TYPE_CHECKING

import pytest
from test_told_blog import LONG, Blog, SiteWeb, crawled, held

from everlog.archive import open_archive
from everlog.core.urls import canonical
from everlog.history.archive_pages import SOURCE
from everlog.usecases.completeness import completeness_of
from everlog.usecases.history.archive_walk import MOST_MISSES
from history.sites.archive_site import ArchiveSite
from usecases.a_told_site import Broken

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive


class Old(ArchiveSite):
    """The same, with texts that are long enough to be told from the rest, and in the feed."""

    def publish(self, **said):
        post = super().publish(**said)
        body = f"<p>{LONG * 3} It was day {post.number}.</p><p>{LONG}</p>"
        self.posts[post.number] = replace(self.posts[post.number], body=body)
        return self.posts[post.number]

    def interface(self, url, headers):  # noqa: ARG002
        if url != self.home + "feed/":
            return None
        items = "".join(
            f"<item><title>{escape(post.title)}</title><link>{self.link(post)}</link>"
            f"<pubDate>{format_datetime(post.published)}</pubDate><description>{escape(post.body)}</description></item>"
            for post in self.newest()[:10]
        )
        return 200, {"Content-Type": "application/rss+xml"}, f"<rss><channel>{items}</channel></rss>".encode()

    def _sidebar(self) -> str:
        return super()._sidebar().partition('<a href="/about/">')[0]

    def pages_of_months(self) -> set[str]:
        return {f"{self.home.rstrip('/')}{path}" for path in self.archives()}


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "a", create=True) as opened:
        yield opened


def listed(site: ArchiveSite, archive: Archive) -> set[str]:
    """The keys that the archive pages list, as the inventory has them."""
    return {post.key for post in archive.blogs.inventory.of(archive.blogs.find(site.home).id, SOURCE.name)}


@pytest.mark.parametrize("traps", [(), ("slugs",), ("paged",), ("years",)], ids=["dated", "slugs", "paged", "years"])
def test_what_months_list_is_kept_and_no_page_is_asked_for_twice(traps, archive):
    site = Old.over((2007, 9), 12, 7 if "paged" in traps else 3, traps=traps)
    web = SiteWeb(site)
    assert crawled(site, archive, web).ending == "complete"
    assert held(archive).keys() == site.links
    assert listed(site, archive) >= set(map(canonical, site.links))
    pages = [url for url in web.asked if url in site.links | site.pages_of_months()]
    assert len(pages) == len(set(pages))
    # All months are linked to: none is guessed at.
    assert all(site.page(url) is not None for url in web.asked if "old.example/20" in url)


@pytest.mark.parametrize("status", [200, 404, 500])
def test_pages_of_months_were_read_to_their_end_if_each_that_is_there_was_read(status, archive):
    """One that is not there has no posts; one that is broken may have some."""
    site = Old.over((2007, 9), 12, 3)
    broken = [url for url in site.pages_of_months() if status != 200][:1]
    crawled(site, archive, Broken(site, broken, status))
    [pages] = [
        each for each in completeness_of(archive.blogs()[0], archive).inventories if each.source == SOURCE.name
    ]
    assert (pages.is_exhaustive, pages.is_stable) == (status != 500, None)
    assert pages.walked_at is not None
    assert (pages.problem is not None) == (status == 500)


def test_months_that_nobody_links_to_are_asked_for_and_their_posts_visited(archive):
    site = Old.over((2007, 9), 15, unlinked={(2007, 12), (2008, 3)})
    web = SiteWeb(site)
    report = crawled(site, archive, web)
    assert held(archive).keys() == site.links
    assert listed(site, archive) >= set(map(canonical, site.links))
    assert report.ending == "complete"
    assert report.tally.now.missing == 0
    assert len(web.asked) == len(set(web.asked))


def test_months_without_posts_cost_three_requests_and_are_not_missing(archive):
    site = Old.over((2007, 9), 3)
    for post in list(site.posts.values()):
        if post.published.month == 10:
            site.delete(post.number)
    for day in (1, 2, 3):
        site.publish(published=site.posts[1].published.replace(year=2011, day=day))
    web = SiteWeb(site)
    report = crawled(site, archive, web)
    assert (report.ending, report.tally.now.missing) == ("complete", 0)
    assert held(archive).keys() == site.links
    assert sum(site.page(url) is None for url in web.asked if "old.example/20" in url) == MOST_MISSES


def test_an_interface_that_tells_all_leaves_months_alone(archive):
    site = Blog.of(20)
    crawled(site, archive)
    assert [state.source for state in archive.blogs.state(archive.blogs.find(site.home).id).history] == [
        "WordPress REST",
    ]
