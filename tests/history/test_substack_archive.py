"""Substack's archive: all posts are told though pages shift and are short, and comments of the newest posts."""

from __future__ import annotations

import pytest

from everlog.history import BlogClues
from everlog.history.substack_archive import MOST_COMMENTED, MOST_COMMENTS, SOURCE
from history.driving import HOSTILE, Nonsense, changed_since, clues_of, driven, walked
from history.sites.ghost import GhostSite
from history.sites.substack import SubstackSite

ARCHIVE = "https://rain.substack.com/api/v1/archive"


def test_it_is_known_by_its_host_and_a_host_of_its_own_by_its_files():
    entrance = SOURCE.entrance(clues_of(SubstackSite.of(3)))
    assert (entrance.url, entrance.is_sure) == (ARCHIVE, True)
    own = SOURCE.entrance(clues_of(SubstackSite.of(3, home="https://letters.example/")))
    assert (own.url, own.is_sure) == ("https://letters.example/api/v1/archive", False)
    assert SOURCE.entrance(clues_of(GhostSite.of(3))) is None
    assert SOURCE.entrance(BlogClues(home="https://a.example/")) is None


@pytest.mark.parametrize("count", [0, 1, 2, 11, 12, 13, 23, 24, 100])
@pytest.mark.parametrize("trap", [None, "cap"])
def test_all_posts_are_told_however_many_there_are(count, trap):
    site = SubstackSite.of(count, traps={trap} if trap else ())
    done = walked(SOURCE, site)
    assert done.urls == site.links
    assert len(done.posts) == count
    assert done.walk.is_exhaustive
    # Eleven new ones a request, and two that show that there is no more.
    assert len(done.asked) <= -(-count // (9 if trap else 11)) + 3


@pytest.mark.parametrize("hidden", [{5}, {1, 2, 3}, {*range(60, 100, 2)}, {*range(30, 42)}, {100, 99, 98}])
def test_short_pages_in_the_middle_are_not_the_end(hidden):
    site = SubstackSite.of(100, hidden=hidden)
    done = walked(SOURCE, site)
    assert done.urls == site.links
    assert done.walk.is_exhaustive


@pytest.mark.parametrize("at", range(1, 11))
def test_posts_that_come_and_go_meanwhile_hide_nothing(at):
    site = SubstackSite.of(100)

    def between(number):
        if number == at:
            site.publish()
            site.delete(97)
            site.delete(98)

    done = walked(SOURCE, site, between=between)
    missing = site.links - done.urls
    # What came after the first page is at the next look.
    assert missing <= {site.link(site.posts[101])}
    assert site.links <= done.urls | changed_since(done, SOURCE, site).urls


def test_a_post_is_told_without_its_text_and_says_for_whom_it_is():
    site = SubstackSite.of(3, audiences={2: "only_paid", 1: "only_free"})
    posts = {post.url: post for post in walked(SOURCE, site).posts}
    assert [posts[site.link(site.posts[number])].locked for number in (1, 2, 3)] == ["members", "paid", None]
    post = posts[site.link(site.posts[3])]
    assert (post.id, post.is_whole, post.entry.content, post.entry.summary) == ("1003", False, None, "How it was")
    assert (post.entry.title, post.entry.authors, post.entry.tags) == ("Day 3 & night", ("Ada Finch",), ("Weather",))
    assert post.entry.published.replace(microsecond=0) == site.posts[3].published


def test_comments_are_asked_for_where_there_are_any_and_of_so_many_posts():
    site = SubstackSite.of(100, comments=30)
    done = walked(SOURCE, site)
    commented = {each.post for each in site.comments.values()}
    assert len(done.comments) == 30
    assert sum("/comments?" in url for url in done.asked) == len(commented)
    first = next(each for each in done.comments if each.comment.id == "1")
    assert (first.comment.author, first.comment.text) == ("Bea 1", "Comment 1.\n\nTwo & two")
    assert first.comment.html == "<p>Comment 1.</p><p>Two &amp; two</p>"
    assert first.post_urls == (site.link(site.posts[site.comments[1].post]),)
    assert done.walk.is_exhaustive

    assert not walked(SOURCE, site, wants_comments=False).comments
    many = SubstackSite.of(80)
    for number in range(1, 81):
        many.comment(number)
    assert sum("/comments?" in url for url in walked(SOURCE, many).asked) == MOST_COMMENTED


def test_answers_to_answers_are_read_however_deep_they_are():
    site = SubstackSite.of(1, comments=400, traps={"deep"})
    comments = [each.comment for each in walked(SOURCE, site).comments]
    assert [each.parent for each in comments] == [None, *(str(number) for number in range(1, 400))]
    assert len(comments) <= MOST_COMMENTS


def test_comments_that_are_refused_leave_the_list_whole():
    done = walked(SOURCE, SubstackSite.of(13, comments=2, traps={"no-comments"}))
    assert done.walk.is_exhaustive
    assert len(done.problems) == 2


@pytest.mark.parametrize("status", [403, 429, 503, 0])
def test_a_refusal_puts_the_walk_off_and_it_goes_on_there(status):
    site = SubstackSite.of(60)
    down, answered = [], site.answer
    site.answer = lambda url, headers: (status, {}, b"") if down else answered(url, headers)
    first = walked(SOURCE, site, between=lambda number: down.append(1) if number == 3 else None)
    assert not first.walk.is_exhaustive
    assert len(first.problems) == 1
    down.clear()
    rest = driven(SOURCE.walk(ARCHIVE, cursor=first.walk.cursor), site)
    assert first.urls | rest.urls == site.links
    assert rest.walk.is_exhaustive


def test_a_walk_resumed_after_every_request_tells_the_same():
    site = SubstackSite.of(60, comments=12, hidden={7, 8})
    whole, pieces = walked(SOURCE, site), walked(SOURCE, site, is_resumed=True)
    assert pieces.asked == whole.asked
    assert [post.id for post in pieces.posts] == [post.id for post in whole.posts]
    assert len(pieces.comments) == len(whole.comments)
    assert pieces.walk.is_exhaustive
    assert pieces.walk.mark == whole.walk.mark


def test_nothing_changed_costs_one_request():
    site = SubstackSite.of(60, comments=12)
    first = walked(SOURCE, site)
    later = changed_since(first, SOURCE, site)
    assert (later.posts, later.comments, len(later.asked)) == ([], [], 1)
    assert later.walk.mark == first.walk.mark


def test_new_posts_and_new_comments_on_the_newest_are_told():
    site = SubstackSite.of(60)
    first = walked(SOURCE, site)
    for _ in range(20):
        site.publish()
    later = changed_since(first, SOURCE, site)
    assert {post.id for post in later.posts} == {str(1_060 + number) for number in range(1, 21)}
    assert len(later.asked) == 2
    site.comment(78)
    last = changed_since(later, SOURCE, site)
    assert (last.posts, len(last.comments), len(last.asked)) == ([], 1, 2)


@pytest.mark.parametrize("status", [200, 400, 401, 404, 410])
@pytest.mark.parametrize("body", [
    *HOSTILE, b'[{"id": 1}]', b'[{"id": 1e999, "slug": "x"}]', b'[{"id": "1", "canonical_url": "javascript:x"}]',
])
def test_nonsense_ends_the_walk(status, body):
    site = Nonsense("https://rain.substack.com/", body, status)
    done = driven(SOURCE.walk(ARCHIVE), site)
    assert done.posts == []
    assert len(done.asked) < 10
    assert driven(SOURCE.changes(ARCHIVE, {"counts": {"1": 0}}), site).posts == []


def test_nonsense_for_comments_is_a_problem():
    place = {"list_is_over": True, "commented": [["7", "https://a.example/p/x"]], "is_end": True}
    for body in (*HOSTILE, b'{"comments": [7, null, {"id": "x"}, {"id": 3, "children": 7}, {"id": 4, "body": []}]}'):
        walk = SOURCE.walk(ARCHIVE, cursor={"place": place})
        assert driven(walk, Nonsense("https://a.example/", body)).comments == []


def test_a_page_that_is_repeated_for_ever_ends_the_walk():
    row = b'[{"id": 1, "slug": "a"}, {"id": 2, "slug": "b"}]'
    done = driven(SOURCE.walk(ARCHIVE), Nonsense("https://rain.substack.com/", row))
    assert len(done.asked) < 6
    assert SOURCE.changes(ARCHIVE, {}) is None
