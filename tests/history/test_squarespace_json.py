"""Squarespace's lists as JSON: all posts whole, whatever comes and goes meanwhile."""

from __future__ import annotations

import pytest

from everlog.history.squarespace_json import SOURCE
from history.driving import HOSTILE, Nonsense, changed_since, clues_of, driven, walked
from history.sites.ghost import GhostSite
from history.sites.squarespace import SquarespaceSite
from history.sites.substack import SubstackSite

LIST = "https://square.example/journal"


def test_the_entrance_is_the_list_that_the_feed_is_of():
    entrance = SOURCE.entrance(clues_of(SquarespaceSite.of(3)))
    assert (entrance.url, entrance.is_sure) == (LIST, True)
    assert entrance.evidence == "the page loads files of assets.squarespace.com"
    assert SOURCE.entrance(clues_of(GhostSite.of(3))) is None
    assert SOURCE.entrance(clues_of(SubstackSite.of(3))) is None


@pytest.mark.parametrize("count", [0, 1, 19, 20, 21, 40, 41, 250])
@pytest.mark.parametrize("trap", [None, "inclusive", "url-only"])
def test_all_posts_are_told_once_and_whole(count, trap):
    site = SquarespaceSite.of(count, traps={trap} if trap else ())
    done = walked(SOURCE, site)
    assert done.urls == site.links
    assert len(done.posts) == count
    assert all(post.is_whole for post in done.posts)
    assert done.walk.is_exhaustive
    assert len(done.asked) <= max(1, -(-count // 19))


def test_a_post_is_told_with_all_that_the_document_says():
    site = SquarespaceSite.of(1)
    site.edit(1, "<p>Anew.</p>")
    [post] = walked(SOURCE, site).posts
    entry = post.entry
    assert (entry.title, entry.authors, entry.tags) == ("Day 1 & night", ("Ada Finch",), ("Notes", "Weather"))
    assert entry.content == '<div class="sqs-layout"><p>Anew.</p></div>'
    assert (entry.published, entry.updated) == (site.posts[1].published, site.posts[1].updated)


@pytest.mark.parametrize("at", range(1, 5))
def test_posts_that_come_and_go_meanwhile_hide_nothing(at):
    site = SquarespaceSite.of(100)
    lasting = set(site.links)

    def between(number):
        if number == at:
            site.publish()
            site.delete(99)
            site.delete(50)

    done = walked(SOURCE, site, between=between)
    assert lasting & site.links <= done.urls
    assert site.links <= done.urls | changed_since(done, SOURCE, site).urls


@pytest.mark.parametrize("trap", ["no-offset", "repeats", "off"])
def test_a_list_that_cannot_be_walked_is_not_called_whole(trap):
    done = walked(SOURCE, SquarespaceSite.of(100, traps={trap}))
    assert not done.walk.is_exhaustive
    assert done.problems
    assert len(done.asked) <= 3


def test_a_walk_resumed_after_every_request_tells_the_same():
    site = SquarespaceSite.of(100, traps={"inclusive"})
    whole, pieces = walked(SOURCE, site), walked(SOURCE, site, is_resumed=True)
    assert pieces.asked == whole.asked
    assert [post.id for post in pieces.posts] == [post.id for post in whole.posts]
    assert pieces.walk.is_exhaustive
    assert pieces.walk.mark == whole.walk.mark


def test_changes_are_told_in_few_requests():
    site = SquarespaceSite.of(100)
    first = walked(SOURCE, site)
    nothing = changed_since(first, SOURCE, site)
    assert (nothing.posts, len(nothing.asked)) == ([], 1)
    site.edit(95)
    for _ in range(25):
        site.publish()
    later = changed_since(first, SOURCE, site)
    assert {post.id for post in later.posts} == {f"{number:024x}" for number in (95, *range(101, 126))}
    assert len(later.asked) == 2
    assert changed_since(later, SOURCE, site).posts == []


def test_a_refusal_puts_the_walk_off_and_it_goes_on_there():
    site = SquarespaceSite.of(100)
    down, answered = [], site.answer
    site.answer = lambda url, headers: (429, {}, b"") if down else answered(url, headers)
    first = walked(SOURCE, site, between=lambda number: down.append(1) if number == 2 else None)
    assert not first.walk.is_exhaustive
    down.clear()
    rest = driven(SOURCE.walk(LIST, cursor=first.walk.cursor), site)
    assert first.urls | rest.urls == site.links
    assert rest.walk.is_exhaustive


@pytest.mark.parametrize("status", [200, 400, 401, 404, 410])
@pytest.mark.parametrize("body", [
    *HOSTILE, b'{"items": [{"id": 7}, {"fullUrl": "javascript:x"}], "pagination": {"nextPage": true}}',
    b'{"items": [{"id": []}], "pagination": {"nextPage": true, "nextPageOffset": 1e999}}',
    b'{"items": [{"id": "a", "fullUrl": []}], "pagination": {"nextPage": true, "nextPageUrl": "http://["}}',
])
def test_nonsense_ends_the_walk(status, body):
    site = Nonsense("https://square.example/", body, status)
    for walk in (SOURCE.walk(LIST), SOURCE.changes(LIST, {"newest": {"a": ""}})):
        done = driven(walk, site)
        assert done.posts == []
        assert len(done.asked) < 4


def test_numbers_that_are_no_moments_are_none():
    body = b'{"items": [{"id": "a", "fullUrl": "/a", "publishOn": 99999999999999999999, "updatedOn": "soon"}]}'
    [post] = driven(SOURCE.walk(LIST), Nonsense("https://square.example/", body)).posts
    assert (post.entry.published, post.changed, post.is_whole) == (None, None, False)
    assert SOURCE.changes(LIST, {}) is None
