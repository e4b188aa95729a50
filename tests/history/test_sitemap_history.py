"""Sitemaps as a source of history: which maps are asked, what they tell, and what a later look costs."""

from __future__ import annotations

import pytest

from everlog.history import BlogClues, HistoryAnswer
from everlog.history.known_addresses import MOST_KNOWN, KnownAddresses
from everlog.history.sitemap_history import SOURCE
from everlog.history.sitemap_walk import map_kind
from history.driving import changed_since, clues_of, driven, walked
from history.sites.sitemaps import HOME, SitemapSite

MAP = "https://maps.example/wp-sitemap-posts-post-{}.xml"


def a_site(posts: int = 25, *traps: str) -> SitemapSite:
    days = [f"2025-{1 + number // 28:02}-{1 + number % 28:02}" for number in range(posts)]
    return SitemapSite(posts={f"/{number}/": day for number, day in enumerate(days)}, traps=frozenset(traps))


def told_posts(done) -> set[str]:
    return {post.url for post in done.posts if post.kind == "post"}


def test_maps_are_those_that_robots_txt_names_the_blogs_own_first():
    robots = b"Sitemap: https://b.example/b.xml\nSitemap: https://a.example/all.xml\nSitemap: /blog/map.xml\n"
    entrance = SOURCE.entrance(BlogClues(home="https://a.example/blog/", robots=robots))
    assert entrance.url.split() == [
        "https://a.example/blog/map.xml", "https://a.example/all.xml", "https://b.example/b.xml",
    ]
    assert entrance.is_sure


def test_a_map_that_the_front_page_names_is_taken_where_robots_txt_names_none():
    site = a_site(3, "no-robots")
    clues = clues_of(site)
    assert not SOURCE.entrance(clues).is_sure
    clues.root.insert(0, clues.root.makeelement("link", rel="sitemap", href="/maps/all.xml"))
    assert SOURCE.entrance(clues).url == "https://maps.example/maps/all.xml"


@pytest.mark.parametrize(
    "traps",
    [
        (), ("no-robots",), ("no-robots", "index-name"), ("no-robots", "wp-name", "html"), ("no-dates",), ("gzip",),
        ("no-index-dates",), ("no-validators",), ("built",), ("future",),
    ],
)
def test_all_posts_are_told_and_the_maps_of_tags_and_authors_are_not_asked_for(traps):
    site = a_site(25, *traps)
    done = walked(SOURCE, site)
    assert told_posts(done) == site.urls
    assert not done.problems
    assert done.walk.is_exhaustive
    assert done.walk.lists_all
    assert not any("taxonomies" in url or "users" in url for url in done.asked)
    # The index, the map of pages, and three of posts; up to two addresses that were guessed in vain.
    assert len(done.asked) <= 5 + 2 * ("no-robots" in traps)


def test_posts_come_before_pages_and_these_are_called_so():
    done = walked(SOURCE, a_site(25))
    asked = [map_kind(url) for url in done.asked[1:]]
    assert asked == ["posts", "posts", "posts", "pages"]
    assert [post.kind for post in done.told[-1].posts] == ["page"]


def test_maps_of_tags_are_walked_where_nothing_else_lists_anything():
    only_tags = _Maps({
        HOME + "sitemap.xml": _index(f"{HOME}category-sitemap.xml"), HOME + "category-sitemap.xml": _map("/a/"),
    })
    assert driven(SOURCE.walk(HOME + "sitemap.xml"), only_tags).urls == {HOME + "a/"}


def test_a_blog_in_a_folder_has_its_map_there_or_at_the_root():
    folder = HOME + "blog/"
    entrance = SOURCE.entrance(BlogClues(home=folder)).url
    there = driven(SOURCE.walk(entrance), _Maps({folder + "sitemap.xml": _map("/blog/a/")}))
    assert (there.asked, there.urls) == ([folder + "sitemap.xml"], {folder + "a/"})
    above = driven(SOURCE.walk(entrance), _Maps({HOME + "sitemap.xml": _map("/blog/a/")}))
    assert (above.asked, above.urls) == ([folder + "sitemap.xml", HOME + "sitemap.xml"], {folder + "a/"})
    assert above.problems == []


def test_a_blog_without_a_map_costs_three_requests_and_nothing_is_called_missing():
    done = walked(SOURCE, _Maps({}))
    names = [url.removeprefix(HOME) for url in done.asked]
    assert names == ["sitemap.xml", "sitemap_index.xml", "wp-sitemap.xml"]
    assert (done.urls, done.problems, done.walk.is_exhaustive, done.walk.mark) == (set(), [], False, None)


def test_a_map_that_cannot_be_had_is_left_out_and_the_list_is_not_all():
    site = a_site(25, "broken-map")
    done = walked(SOURCE, site)
    assert len(told_posts(done)) == 15
    assert done.problems == [f"{MAP.format(2)} could not be read: HTTP 500"]
    assert not done.walk.is_exhaustive
    assert not done.walk.lists_all
    # It is asked for again with the next look, whatever the index says of it.
    site.traps -= {"broken-map"}
    assert told_posts(changed_since(done, SOURCE, site)) == {f"{HOME}{n}/" for n in range(10, 20)}


@pytest.mark.slow
def test_an_index_that_names_itself_and_one_without_an_end_come_to_an_end():
    done = walked(SOURCE, _Maps({HOME + "sitemap.xml": _index(HOME + "sitemap.xml")}))
    assert done.asked == [HOME + "sitemap.xml"]
    endless = _Maps({HOME + "sitemap.xml": _index(*(f"{HOME}{n}.xml" for n in range(60_000)))})
    done = walked(SOURCE, endless)
    assert len(done.asked) == SOURCE.most_requests
    assert not done.walk.lists_all
    assert done.walk.requests_left == 0


def test_of_more_maps_than_may_be_asked_for_the_newest_are():
    site = a_site(80 * 2)
    site.per_map = 2
    done = walked(SOURCE, site)
    assert len(done.asked) == SOURCE.most_requests
    assert not done.walk.is_exhaustive
    assert told_posts(done) == {f"{HOME}{n}/" for n in range(160 - 98, 160)}


@pytest.mark.parametrize("traps", [(), ("no-robots", "wp-name"), ("flat",), ("no-dates", "no-index-dates")])
def test_a_walk_resumed_after_every_request_tells_the_same_and_ends_alike(traps):
    site = a_site(45, *traps)
    whole, pieces = walked(SOURCE, site), walked(SOURCE, site, is_resumed=True)
    assert [post.url for post in pieces.posts] == [post.url for post in whole.posts]
    assert pieces.asked == whole.asked
    assert pieces.walk.mark == whole.walk.mark
    assert pieces.walk.lists_all
    assert walked(SOURCE, site).walk.requests_left == 0


@pytest.mark.parametrize(
    "traps", [(), ("flat",), ("gzip",), ("no-robots", "index-name"), ("no-validators",), ("no-dates",)],
)
def test_nothing_changed_costs_one_request(traps):
    site = a_site(45, *traps)
    later = changed_since(walked(SOURCE, site), SOURCE, site)
    assert (later.posts, len(later.asked)) == ([], 1)
    assert later.walk.is_exhaustive
    assert not later.walk.lists_all


@pytest.mark.parametrize(("traps", "requests"), [((), 2), (("gzip",), 2), (("no-dates",), 2), (("flat",), 1)])
def test_new_posts_are_told_and_only_the_map_that_changed_is_asked_for(traps, requests):
    site = a_site(45, *traps)
    first = walked(SOURCE, site)
    site.publish("/new/", "/newer/", day="2026-03-03")
    later = changed_since(first, SOURCE, site)
    assert told_posts(later) == {HOME + "new/", HOME + "newer/"}
    assert len(later.asked) == requests
    assert changed_since(later, SOURCE, site).posts == []


def test_an_edit_is_told_where_the_map_says_when():
    site = a_site(45)
    first = walked(SOURCE, site)
    site.posts["/7/"] = "2026-03-03"
    later = changed_since(first, SOURCE, site)
    assert [(post.url, post.changed.date().isoformat()) for post in later.posts] == [
        (HOME + "7/", "2026-03-03"),
    ]
    assert len(later.asked) == 2


def test_a_new_post_that_says_it_is_old_is_told_all_the_same():
    site = a_site(5)
    first = walked(SOURCE, site)
    # Written long ago and published now, it makes its map no newer; something else does.
    site.posts |= {"/scheduled/": "2020-01-01", "/4/": "2026-03-03"}
    assert told_posts(changed_since(first, SOURCE, site)) == {HOME + "scheduled/", HOME + "4/"}


def test_maps_of_which_the_index_says_nothing_are_asked_each_with_its_condition():
    site = a_site(25, "no-index-dates")
    first = walked(SOURCE, site)
    site.posts["/3/"] = "2026-03-03"
    later = changed_since(first, SOURCE, site)
    assert told_posts(later) == {HOME + "3/"}
    # The index did not change, as it says nothing that could; three maps of posts and one of pages are asked.
    assert len(later.asked) == 5
    assert len(later.posts) == 1


def test_a_build_that_stamps_all_pages_is_no_edit_of_all():
    site = a_site(30, "built")
    first = walked(SOURCE, site)
    assert all(post.changed is None for post in first.posts if post.kind == "post")
    site.built = "2026-04-04"
    site.publish("/new/")
    assert told_posts(changed_since(first, SOURCE, site)) == {HOME + "new/"}


def test_a_date_in_the_future_does_not_hide_later_edits():
    site = a_site(5, "future")
    first = walked(SOURCE, site)
    site.posts["/3/"] = "2026-03-03"
    site.traps |= {"no-index-dates"}
    assert HOME + "3/" in told_posts(changed_since(first, SOURCE, site))


def test_a_large_blog_is_told_all_of_a_changed_map_as_its_addresses_are_not_remembered():
    known = KnownAddresses()
    for number in range(MOST_KNOWN + 1):
        known.add(f"{HOME}{number}/")
    assert known.packed() is None
    assert not KnownAddresses.unpacked(None).holds(HOME + "1/")
    assert not KnownAddresses.unpacked("~").holds(HOME + "1/")


def test_a_post_that_is_published_during_the_walk_is_told_by_it_or_by_the_next():
    site = a_site(45)
    first = walked(SOURCE, site, between=lambda number: site.publish("/mid/") if number == 2 else None)
    later = changed_since(first, SOURCE, site)
    assert told_posts(first) | told_posts(later) == site.urls


@pytest.mark.parametrize(
    "body",
    [
        b"<!doctype html><p>Not found</p>", b"", b"{}", b"\x1f\x8bbroken", b"[[[[", b"<sitemapindex><sitemap><loc>",
        b"<sitemapindex><sitemap><loc>javascript:x</loc></sitemap></sitemapindex>", b"<urlset>" + b"<a>" * 10_000,
    ],
)
@pytest.mark.parametrize("status", [0, 200, 304, 401, 403, 404, 410, 500])
def test_nonsense_tells_nothing_and_ends_the_walk(body, status):
    walk = SOURCE.walk("https://a.example/named.xml")
    while (request := walk.next_request()) is not None:
        told = walk.take(HistoryAnswer(url=request.url, status=status, body=body))
        assert told.posts == ()
    assert walk.take(HistoryAnswer(url=HOME, status=status, body=body)).posts == ()


@pytest.mark.parametrize("mark", [{}, {"roots": 7}, {"roots": []}, {"roots": [None], "maps": [1]}])
def test_a_mark_of_nothing_tells_of_no_changes(mark):
    assert SOURCE.changes(HOME, mark) is None


def test_the_list_of_all_posts_is_the_walk_itself():
    done = driven(SOURCE.listing(HOME + "sitemap.xml"), a_site(25))
    assert told_posts(done) == a_site(25).urls
    assert done.walk.lists_all


class _Maps:
    """A site of nothing but the maps that are put there."""

    home = HOME

    def __init__(self, maps: dict[str, bytes]) -> None:
        self.maps = maps

    def answer(self, url, headers):  # noqa: ARG002
        if url == HOME:
            return 200, {"Content-Type": "text/html"}, b"<p>Hello"
        return (200, {}, self.maps[url]) if url in self.maps else (404, {}, b"")


def _index(*urls: str) -> bytes:
    return f"<sitemapindex>{''.join(f'<sitemap><loc>{url}</loc></sitemap>' for url in urls)}</sitemapindex>".encode()


def _map(*paths: str) -> bytes:
    return f"<urlset>{''.join(f'<url><loc>{HOME[:-1]}{path}</loc></url>' for path in paths)}</urlset>".encode()
