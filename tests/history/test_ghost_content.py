"""Ghost's content interface: all posts are told whatever happens meanwhile, and what changed in few requests."""

from __future__ import annotations

import pytest

from everlog.core.tree import parse
from everlog.history import BlogClues
from everlog.history.ghost.ghost_content import SOURCE
from history.driving import HOSTILE, Nonsense, changed_since, clues_of, driven, walked
from history.sites.ghost import KEY, GhostSite
from history.sites.sitemaps import SitemapSite

ROOT = "https://ghost.example/ghost/api/content/"
ENTRANCE = f"{ROOT}?key={KEY}"


def posts_told(done) -> set[str]:
    return {post.url for post in done.posts if post.kind == "post"}


def test_the_entrance_is_the_interface_with_the_key_that_a_script_has():
    entrance = SOURCE.entrance(clues_of(GhostSite.of(3)))
    assert entrance.url == ENTRANCE
    assert entrance.evidence == "a script of the page has a key of /ghost/api/content/"


@pytest.mark.parametrize(
    ("script", "root"),
    [
        ('<script data-sodo-search="https://jo.ghost.io/" data-key="ab12">', "https://jo.ghost.io/ghost/api/content/"),
        ('<script data-ghost-comments="/" data-key="ab12" data-api="https://a.example/ghost/api/content/">',
         "https://a.example/ghost/api/content/"),
        ('<script data-ghost="https://a.example/blog" data-key="ab12">', "https://a.example/blog/ghost/api/content/"),
        ('<script data-ghost="/" data-key="ab12" data-api="https://a.example/ghost/api/v4/content">',
         "https://a.example/ghost/api/v4/content/"),
    ],
)
def test_scripts_of_all_kinds_name_it(script, root):
    clues = BlogClues(home="https://a.example/", root=parse(script.encode()))
    assert SOURCE.entrance(clues).url == f"{root}?key=ab12"


@pytest.mark.parametrize(
    "page",
    [
        "<p>Hello", '<script data-key="ab12"></script>', '<div data-ghost="/" data-key="ab12"></div>',
        '<script data-ghost="https://a.example/"></script>', '<script data-ghost="/" data-key="a b&c"></script>',
        '<script data-ghost="javascript:x" data-key="ab12"></script>',
        f'<script data-ghost="/" data-key="{"a" * 999}">',
    ],
)
def test_other_pages_have_no_entrance(page):
    assert SOURCE.entrance(BlogClues(home="https://a.example/", root=parse(page.encode()))) is None
    assert SOURCE.entrance(BlogClues(home="https://a.example/")) is None
    assert SOURCE.entrance(clues_of(SitemapSite(posts={"/1/": "2020-01-01"}))) is None


@pytest.mark.parametrize(
    ("trap", "requests"),
    [
        # What changed last, three pages of posts, one of pages, what changed last again.
        (None, 6), ("cap", 6), ("no-total", 7), ("v3", 6), ("no-pages", 6), ("no-filter", 8), ("refuses", 8),
        ("no-order", 7), ("heavy", 14),
    ],
)
def test_all_posts_are_told_with_every_trap(trap, requests):
    site = GhostSite.of(250, traps={trap} if trap else ())
    site.draft()
    done = walked(SOURCE, site)
    assert posts_told(done) == site.links
    assert len(site.links) == 250
    assert done.walk.is_exhaustive
    assert done.problems == []
    assert len(done.asked) == requests


def test_a_post_is_told_with_all_that_the_interface_says():
    site = GhostSite.of(1)
    site.publish(kind="page", title="About &amp; more")
    post, page = walked(SOURCE, site).posts
    assert (post.url, post.kind, post.is_whole, post.locked) == ("https://ghost.example/day-1/", "post", True, None)
    entry = post.entry
    assert (entry.title, entry.authors, entry.tags) == ("Day 1 & night", ("Ada Finch",), ("Weather",))
    assert entry.content == site.posts[1].body
    assert (entry.published, entry.updated, post.changed) == (site.posts[1].published, None, site.posts[1].updated)
    assert (page.kind, page.entry.title) == ("page", "About & more")


@pytest.mark.parametrize(("visibility", "locked"), [("members", "members"), ("paid", "paid"), ("tiers", "paid")])
def test_a_text_that_is_cut_for_strangers_is_not_whole_and_says_why(visibility, locked):
    site = GhostSite.of(3)
    site.lock(2, visibility)
    told = {post.url: post for post in walked(SOURCE, site).posts}
    post = told["https://ghost.example/day-2/"]
    assert (post.locked, post.is_whole, post.entry.content) == (locked, False, None)


@pytest.mark.parametrize("at", range(1, 6))
def test_whatever_happens_meanwhile_nothing_is_missed(at):
    site = GhostSite.of(250)
    drafts = [site.draft() for _ in range(3)]
    lasting = set(site.links)

    def between(number):
        if number == at:
            site.delete(3)
            site.delete(120)
            site.release(drafts[0])
            site.publish()
            site.edit(7)

    done = walked(SOURCE, site, between=between)
    gone = {"https://ghost.example/day-3/", "https://ghost.example/day-120/"}
    assert lasting - gone <= posts_told(done)
    # What came during the last request comes with the next look.
    later = changed_since(done, SOURCE, site)
    assert posts_told(done) | posts_told(later) >= site.links
    told = [post.entry.content for post in [*done.posts, *later.posts] if post.url.endswith("/day-7/")]
    assert told[-1] == "<p>Written anew.</p>"


@pytest.mark.parametrize("at", range(2, 8))
def test_walked_by_pages_a_deleted_new_post_hides_nothing(at):
    site = GhostSite.of(250, traps={"refuses"})
    done = walked(SOURCE, site, between=lambda number: site.delete(249) if number == at else None)
    assert site.links <= posts_told(done)


@pytest.mark.parametrize("trap", ["no-filter", "refuses", "no-order"])
def test_an_interface_without_filters_cannot_tell_what_changed(trap):
    assert walked(SOURCE, GhostSite.of(250, traps={trap})).walk.mark is None


@pytest.mark.parametrize("trap", [None, "cap", "v3", "no-filter", "refuses", "heavy"])
def test_a_walk_resumed_after_every_request_tells_the_rest_and_ends_the_same(trap):
    site = GhostSite.of(250, traps={trap} if trap else ())
    whole, pieces = walked(SOURCE, site), walked(SOURCE, site, is_resumed=True)
    assert pieces.asked == whole.asked
    assert [post.id for post in pieces.posts] == [post.id for post in whole.posts]
    assert pieces.walk.is_exhaustive
    assert pieces.walk.mark == whole.walk.mark


def test_the_total_is_held_against_what_was_told():
    site = GhostSite.of(250)
    done = walked(SOURCE, site)
    assert done.walk.lists_all
    assert done.told[0].total == 250
    assert done.walk.requests_left == 0


def test_a_failure_in_the_middle_ends_the_walk_and_a_later_one_goes_on_there():
    site = GhostSite.of(250)
    down = []
    answered = site.answer
    site.answer = lambda url, headers: (429, {}, b"") if down and "/pages/" not in url else answered(url, headers)
    first = walked(SOURCE, site, between=lambda number: down.append(1) if number == 3 else None)
    assert first.problems == ["the interface answers with HTTP 429"]
    assert not first.walk.is_exhaustive
    assert not first.walk.lists_all
    down.clear()
    rest = driven(SOURCE.walk(ENTRANCE, cursor=first.walk.cursor), site)
    assert posts_told(first) | posts_told(rest) == site.links
    assert rest.walk.is_exhaustive
    assert len(rest.asked) == 3


def test_nothing_changed_costs_one_request():
    site = GhostSite.of(250)
    first = walked(SOURCE, site)
    later = changed_since(first, SOURCE, site)
    assert (later.posts, len(later.asked), later.walk.is_exhaustive) == ([], 1, True)
    assert later.walk.mark == first.walk.mark


def test_what_is_new_and_edited_is_told_in_three_requests():
    site = GhostSite.of(250)
    hidden = site.draft()
    first = walked(SOURCE, site)
    site.release(hidden)
    site.publish()
    site.edit(9)
    later = changed_since(first, SOURCE, site)
    assert posts_told(later) == {f"https://ghost.example/day-{number}/" for number in (9, hidden, 252)}
    assert len(later.asked) == 3
    assert later.told[0].total == 252
    assert changed_since(later, SOURCE, site).posts == []


def test_a_deletion_shows_in_the_total_and_the_list_of_all_says_which():
    site = GhostSite.of(250)
    first = walked(SOURCE, site)
    site.delete(250)
    later = changed_since(first, SOURCE, site)
    assert (later.posts, len(later.asked), later.told[0].total) == ([], 1, 249)
    listing = driven(SOURCE.listing(ENTRANCE), site)
    assert listing.urls == site.links
    assert listing.walk.lists_all
    assert len(listing.asked) == 1
    assert all(post.entry is None and post.changed for post in listing.posts)


@pytest.mark.parametrize("trap", ["cap", "v3", "heavy", "refuses"])
def test_the_list_of_all_is_whole_with_every_trap(trap):
    site = GhostSite.of(250, traps={trap})
    listing = driven(SOURCE.listing(ENTRANCE), site)
    assert listing.urls == site.links
    assert listing.walk.lists_all


def test_an_import_that_changed_all_posts_in_one_second_is_told_once():
    site = GhostSite.of(5)
    first = walked(SOURCE, site)
    now = site.tick()
    for number in range(6, 66):
        site.publish(published=now, updated=now)
        assert number in site.posts
    later = changed_since(first, SOURCE, site)
    assert len(posts_told(later)) == 60
    last = changed_since(later, SOURCE, site)
    assert (last.posts, len(last.asked)) == ([], 1)


def test_an_empty_blog_and_its_first_post():
    site = GhostSite.of(0)
    first = walked(SOURCE, site)
    assert first.walk.is_exhaustive
    site.publish()
    assert len(posts_told(changed_since(first, SOURCE, site))) == 1


@pytest.mark.parametrize("status", [200, 401, 403, 404, 429, 500])
@pytest.mark.parametrize("body", [
    *HOSTILE, b'{"posts": [{"id": 7}, {"id": "a", "url": 3}], "meta": []}', b'{"posts": {}, "meta": {"pagination": 3}}',
    b'{"posts": [{"id": "b", "url": "javascript:x", "title": [], "html": 3, "tags": 7, "authors": [null, 3]}]}',
    b'{"posts": [{"id": "b"}, {"id": "a"}], "meta": {"pagination": {"total": 1e999}}}',
])
def test_nonsense_ends_the_walk(status, body):
    site = Nonsense("https://ghost.example/", body, status)
    for walk in (
        SOURCE.walk(ENTRANCE), SOURCE.listing(ENTRANCE),
        SOURCE.changes(ENTRANCE, {"updated": "2020-01-01 00:00:00", "ids": [], "total": 3}),
    ):
        done = driven(walk, site)
        assert done.posts == []
        assert len(done.asked) < 20


def test_a_mark_that_tells_of_no_change_is_of_no_use():
    assert SOURCE.changes(ENTRANCE, {}) is None
