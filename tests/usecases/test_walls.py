"""Posts that an interface or a feed told, and whose addresses answer with something else: a wall, or another post."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from test_repair import repaired
from test_told_blog import Blog, Nameless, SiteWeb, crawled

from everlog.archive import open_archive
from everlog.records import Exchange, Fetched
from everlog.usecases.completeness import completeness_of
from history.sites.archives import FeedArchives
from history.sites.wordpress_feeds import WordPressFeeds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive

WALLS = {
    "a wall": "<title>Just a moment</title><p>Please enable JavaScript and cookies to continue.</p>",
    "a notice that looks like a post": "<title>Maintenance</title><article><h1>Back soon</h1><div class='entry'>"
    "<p>We are away for scheduled maintenance, and will be back when all of the work is done.</p></div></article>",
    "an error that calls itself a page": "<title>Not found</title><article><h1>Oops! That page is not here.</h1>"
    "<div class='entry'><p>Nothing was found at this place. Maybe try a search?</p></div></article>",
    "nothing": "",
}
ANOTHER = "its page shows nothing of its text, only its text is held"
EMPTY = "the page cannot be parsed: it has no content, only its text is held"


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "a", create=True) as opened:
        yield opened


def known(archive):
    return completeness_of(archive.blogs()[0], archive).posts


def walled(site, pages):
    """A site some pages of which are others; what its lists say stays."""
    page = site.page

    def shown(url):
        return (200, site.page_headers(), pages[url].encode()) if url in pages else page(url)

    site.page = shown
    return site


@pytest.mark.parametrize("wall", WALLS.values(), ids=[*WALLS])
@pytest.mark.parametrize("site", [
    Blog.of(30), WordPressFeeds.of(30), FeedArchives.of(30, way="complete"),
], ids=["interface", "feed in pages", "complete feed"])
def test_a_post_whose_page_shows_nothing_of_it_is_missing(site, wall, archive):
    urls = {site.link(site.posts[number]) for number in (3, 7)}
    crawled(walled(site, dict.fromkeys(urls, wall)), archive)
    verdict = known(archive)
    assert (verdict.answer, {gap.url for gap in verdict.missing}) == ("no", urls)
    assert {gap.reason for gap in verdict.missing} == {ANOTHER if wall else EMPTY}
    assert (verdict.held, verdict.in_part) == (28, 2)


def test_what_was_told_stands_and_no_wall_is_its_page(archive):
    site = Blog.of(20)
    url = site.link(site.posts[4])
    crawled(walled(site, {url: WALLS["a notice that looks like a post"]}), archive)
    post = archive.posts.find(url)
    assert "It was day 4." in post.text
    assert post.warc is None
    assert post.provenance["text"].disagrees is not None


def test_a_page_without_its_wall_makes_the_post_whole(archive):
    site = Blog.of(20)
    url = site.link(site.posts[4])
    pages = {url: WALLS["a notice that looks like a post"]}
    web = SiteWeb(walled(site, pages))
    crawled(site, archive, web)
    assert [gap.url for gap in repaired(web, archive, home=site.home).left] == [url]
    pages.clear()
    assert [won for won, _ in repaired(web, archive, home=site.home).won] == [url]
    assert (known(archive).answer, known(archive).held) == ("yes", 20)


def test_a_part_of_a_long_post_is_a_page_of_it(archive):
    """Posts in pages, and those that are unfolded by scripts, show a part of what an interface tells."""
    site = Blog.of(20)
    url, body = site.link(site.posts[4]), site.posts[4].body
    parts = "".join(f"<p>Part {part} tells of rain, of wind {part * 7}, and of a boat called {part * 13}.</p>"
                    for part in range(9))
    site.edit(4, body + parts)
    shown = f"<title>Day 4</title><article><h1>Day 4 & night</h1><div class='entry'>{body}</div></article>"
    crawled(walled(site, {url: shown}), archive)
    assert known(archive).answer == "yes"


def test_a_told_post_whose_address_leads_to_another_post_is_missing(archive):
    site = Blog.of(20)
    url, other = (site.link(site.posts[number]) for number in (4, 9))
    site.edit(4, f"<p>{'Nine sparrows sat upon the roof of the mill, and none would tell us why. ' * 3}</p>")
    crawled(site, archive, Leading(site, {url: other}))
    verdict = known(archive)
    assert [(gap.url, gap.reason) for gap in verdict.missing] == [
        (url, "its address redirects to another post, only its text is held"),
    ]
    assert verdict.held == 19


class Leading(SiteWeb):
    """A site some addresses of which lead elsewhere for good."""

    def __init__(self, site, leads) -> None:
        super().__init__(site)
        self.leads = leads

    async def fetch(self, url, **how):
        if url not in self.leads:
            return await super().fetch(url, **how)
        answer = await super().fetch(self.leads[url], **how)
        hop = Exchange(
            url=url, status=301, headers=(("Location", self.leads[url]),), body=b"", fetched_at=self.now,
        )
        return Fetched(url=url, exchanges=(hop, *answer.exchanges))


def test_a_post_that_an_interface_tells_at_two_addresses_is_not_missing(archive):
    site = Blog.of(20)
    first = site.posts[4]
    site.posts[9] = replace(site.posts[9], title=first.title, body=first.body)
    crawled(site, archive)
    assert (known(archive).answer, known(archive).missing, known(archive).held) == ("yes", (), 19)


def test_a_page_that_asks_for_the_password_of_its_post_excuses_it(archive):
    """The feed names it alone; that its text is not public says its page."""
    site = Nameless.of(20)
    url = site.link(site.posts[15])
    form = "<form action='/wp-login.php?action=postpass' method='post'><p>To view it, enter the password:</p></form>"
    shut = f"<title>Protected: Day 15</title><article><h1>Day 15</h1><div class='entry'>{form}</div></article>"
    crawled(walled(site, {url: shut}), archive)
    assert archive.posts.find(url) is None
    assert (known(archive).answer, known(archive).missing) == ("unknown", ())
    assert [(gap.url, gap.reason) for gap in known(archive).excused] == [(url, "password")]


def test_a_post_that_was_held_before_it_got_a_password_stays_as_it_was(archive):
    site = Nameless.of(20)
    url, pages = site.link(site.posts[19]), {}
    walled(site, pages)
    crawled(site, archive)
    pages[url] = "<title>Shut</title><article><h1>Shut</h1><form action='/x?action=postpass'></form></article>"
    crawled(site, archive)
    assert "It was day 19." in archive.posts.find(url).text
