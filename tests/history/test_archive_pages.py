"""Archive pages: months are asked for from the newest back to the oldest, and their posts are told."""

from __future__ import annotations

import pytest

from everlog.core.tree import parse
from everlog.history import BlogClues, HistoryAnswer
from everlog.history.archive_pages import MOST_REQUESTS, SOURCE, archive_page, planned
from history.driving import HOSTILE, Nonsense, clues_of, driven, walked
from history.sites.archive_site import ArchiveSite
from history.sites.ghost import GhostSite


def posts_told(done) -> set[str]:
    return {url for url in done.urls if "/day-" in url}


@pytest.mark.parametrize(
    "spelling",
    ["/{year}/{month:02}/", "/archives/{year}/{month:02}.html", "/{year}-{month:02}/", "/?m={year}{month:02}",
     "/archive/{year}/{month}/", "/{year}/{month:02}/index.html", "/{year}_{month:02}.php"],
)
@pytest.mark.parametrize("traps", [(), ("slugs",), ("slugs", "paged")])
def test_all_posts_of_all_months_are_told_however_these_are_spelled(spelling, traps):
    site = ArchiveSite.over((2007, 9), 15, 7, spelling=spelling, traps=traps if spelling.endswith("/") else traps[:1])
    done = walked(SOURCE, site)
    assert posts_told(done) == site.links
    assert done.walk.is_exhaustive
    assert not done.walk.lists_all
    assert len(done.asked) == (30 if "paged" in site.traps else 15)


def test_the_entrance_says_what_was_linked():
    site = ArchiveSite.over((2007, 9), 15)
    entrance = SOURCE.entrance(clues_of(site))
    assert entrance.evidence == "the front page links to 15 archive pages, from 2007-09 to 2008-11"
    assert entrance.url.startswith("https://old.example/ | https://old.example/2008/11/ ")
    assert entrance.url.endswith("/day-36/")


def test_months_in_between_that_nobody_links_to_are_asked_for_and_may_be_missing():
    site = ArchiveSite.over((2007, 9), 15, unlinked={(2007, 12), (2008, 3)})
    for post in list(site.posts.values()):
        if (post.published.year, post.published.month) == (2008, 3):
            site.delete(post.number)
    done = walked(SOURCE, site)
    assert posts_told(done) == site.links
    assert done.walk.is_exhaustive
    assert done.problems == []


def test_years_are_walked_where_there_are_no_months():
    site = ArchiveSite.over((2003, 5), 60, traps={"years"})
    done = walked(SOURCE, site)
    assert posts_told(done) == site.links
    assert len(done.asked) == 6


def test_the_years_before_the_months_are_walked_behind_them():
    pages = [archive_page(f"https://a.example/{at}/") for at in ("2010/02", "2009/11", "2010", "2009", "2008", "2005")]
    assert [page.url.removeprefix("https://a.example/") for page in planned(pages)] == [
        "2010/02/", "2010/01/", "2009/12/", "2009/11/", "2009/", "2008/", "2005/",
    ]


def test_of_many_months_the_newest_are_asked_for():
    site = ArchiveSite.over((1999, 1), 150, 1)
    done = walked(SOURCE, site)
    assert len(done.asked) == MOST_REQUESTS
    assert not done.walk.is_exhaustive
    assert done.asked[0].endswith("/2011/06/")


def test_a_month_that_fails_is_a_gap_and_the_walk_goes_on():
    site = ArchiveSite.over((2007, 9), 15, traps={"broken"})
    done = walked(SOURCE, site)
    assert len(posts_told(done)) == 42
    assert len(done.problems) == 1
    assert not done.walk.is_exhaustive


def test_a_site_that_shows_the_same_for_every_month_ends_the_walk():
    done = walked(SOURCE, ArchiveSite.over((2007, 9), 15, traps={"same"}))
    assert len(done.asked) == 2
    assert not done.walk.is_exhaustive


def test_a_walk_resumed_after_every_request_tells_the_same():
    site = ArchiveSite.over((2007, 9), 15, 7, traps={"paged"})
    whole, pieces = walked(SOURCE, site), walked(SOURCE, site, is_resumed=True)
    assert pieces.asked == whole.asked
    assert [post.url for post in pieces.posts] == [post.url for post in whole.posts]
    assert pieces.walk.is_exhaustive


def test_a_refusal_puts_the_walk_off():
    entrance = SOURCE.entrance(clues_of(ArchiveSite.over((2007, 9), 15))).url
    walk = SOURCE.walk(entrance)
    first = walk.next_request()
    assert walk.take(HistoryAnswer(url=first.url, status=429)).problem
    assert walk.next_request() is None
    assert SOURCE.walk(entrance, cursor=walk.cursor).next_request() == first


@pytest.mark.parametrize(
    "page",
    ["<p>Hello", '<a href="/2009/03/">March</a>', '<a href="/2009/03/05/">5</a><a href="/2009/03/06/">6</a>',
     '<a href="https://b.example/2009/03/">a</a><a href="https://b.example/2009/04/">b</a>',
     '<a href="/best-of-2009/">a</a><a href="/best-of-2010/">b</a>',
     '<a href="/1234/01/">a</a><a href="/1235/01/">b</a>'],
)
def test_a_page_that_links_to_no_archive_has_no_entrance(page):
    assert SOURCE.entrance(BlogClues(home="https://a.example/", root=parse(page.encode()))) is None
    assert SOURCE.entrance(BlogClues(home="https://a.example/")) is None
    assert SOURCE.entrance(clues_of(GhostSite.of(5))) is None


@pytest.mark.parametrize("body", HOSTILE)
def test_nonsense_ends_the_walk(body):
    entrance = SOURCE.entrance(clues_of(ArchiveSite.over((2007, 9), 15))).url
    done = driven(SOURCE.walk(entrance), Nonsense("https://old.example/", body))
    assert done.posts == []
    assert len(done.asked) == 15
    assert driven(SOURCE.walk("nonsense"), Nonsense("https://old.example/", body)).asked == []
    assert SOURCE.changes(entrance, {}) is None
