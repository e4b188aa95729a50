"""Feeds in several documents: archives, pages, complete feeds and JSON feeds are walked to their end."""

from __future__ import annotations

import pytest

from everlog.feeds import parse_feed
from everlog.history.archived_feed import COMPLETE, SOURCE
from history.driving import HOSTILE, Nonsense, clues_of, driven, walked
from history.sites.archives import FeedArchives

WAYS = ("archive", "page", "json")


@pytest.mark.parametrize("way", WAYS)
def test_all_posts_are_told_whole_and_the_end_is_definite(way):
    site = FeedArchives.of(57, way=way)
    done = walked(SOURCE, site)
    assert done.urls == site.links
    assert len(done.posts) == 57
    assert done.walk.is_exhaustive
    assert all(post.is_whole and post.entry.title.startswith("Day ") and post.changed for post in done.posts)
    # Five documents, as the newest holds what fills no archive; or six, the first of which is asked for once more.
    assert len(done.asked) == (5 if way == "archive" else 7)


@pytest.mark.parametrize("way", WAYS)
def test_a_walk_that_is_resumed_after_every_request_tells_the_same(way):
    site = FeedArchives.of(57, way=way)
    whole, pieces = walked(SOURCE, site), walked(SOURCE, site, is_resumed=True)
    assert pieces.asked == whole.asked
    assert [post.id for post in pieces.posts] == [post.id for post in whole.posts]
    assert pieces.walk.is_exhaustive


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("at", range(1, 7))
def test_posts_that_are_published_meanwhile_hide_nothing(way, at):
    site = FeedArchives.of(57, way=way)
    before = site.links

    def between(number):
        if number == at:
            for _ in range(4):
                site.publish()

    done = walked(SOURCE, site, between=between)
    assert before <= done.urls
    assert done.walk.is_exhaustive


@pytest.mark.parametrize("way", ["page", "json"])
@pytest.mark.parametrize("at", range(1, 6))
def test_a_new_post_that_is_deleted_meanwhile_hides_nothing(way, at):
    site = FeedArchives.of(57, way=way)
    done = walked(SOURCE, site, between=lambda number: site.delete(55) if number == at else None)
    assert site.links <= done.urls
    assert done.walk.is_exhaustive


def test_posts_that_are_deleted_all_the_time_end_the_walk_without_a_claim():
    site = FeedArchives.of(60, way="page")
    done = walked(SOURCE, site, between=lambda number: site.delete(site.newest()[1].number) if number else None)
    assert not done.walk.is_exhaustive
    assert done.problems == ["posts are deleted faster than the list can be walked"]


def test_namespaces_are_known_by_what_they_are_not_by_their_prefix():
    site = FeedArchives.of(30, traps={"prefix"}, way="complete")
    assert clues_of(site).feed.paging.is_complete


@pytest.mark.parametrize("way", WAYS)
def test_older_documents_on_another_site_are_left_alone(way):
    site = FeedArchives.of(57, way=way, traps={"foreign"})
    assert SOURCE.entrance(clues_of(site)) is None
    done = walked(SOURCE, site, entrance=site.feed_url)
    assert len(done.asked) == 1


@pytest.mark.parametrize("way", WAYS)
def test_a_document_that_is_missing_is_a_problem_and_no_end(way):
    site = FeedArchives.of(57, way=way, traps={"broken"})
    done = walked(SOURCE, site)
    assert not done.walk.is_exhaustive
    assert done.problems == ["the feed answers with HTTP 404"]


@pytest.mark.parametrize("is_resumed", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_documents_that_name_each_other_in_a_circle_end(way, is_resumed):
    site = FeedArchives.of(57, way=way, traps={"loop"})
    done = walked(SOURCE, site, is_resumed=is_resumed)
    assert done.urls == site.links
    assert len(done.asked) < 20
    assert not done.walk.is_exhaustive


@pytest.mark.parametrize("is_resumed", [False, True])
def test_a_site_that_gives_its_first_page_for_every_page_ends_the_walk(is_resumed):
    site = FeedArchives.of(57, way="page", traps={"deaf"})
    done = walked(SOURCE, site, is_resumed=is_resumed)
    assert len(done.asked) == 2
    assert not done.walk.is_exhaustive


@pytest.mark.parametrize("way", WAYS)
def test_a_server_that_is_busy_puts_the_walk_off(way):
    site = FeedArchives.of(57, way=way, traps={"busy"})
    done = walked(SOURCE, site)
    assert done.problems == ["the feed answers with HTTP 503 just now"]
    assert not done.walk.is_exhaustive
    rest = driven(SOURCE.walk(site.feed_url, cursor=done.walk.cursor), site)
    assert done.urls | rest.urls == site.links
    assert rest.walk.is_exhaustive


def test_an_archive_leads_to_the_document_of_the_newest_entries():
    site = FeedArchives.of(57)
    body = site.answer("https://blog.example/archive/2", {})[2]
    feed = parse_feed(body, "https://blog.example/archive/2")
    assert (feed.paging.is_archive, feed.paging.current, feed.paging.next_archive, feed.paging.prev_archive) == (
        True, "https://blog.example/feed", "https://blog.example/archive/3", "https://blog.example/archive/1",
    )
    assert feed.next_pages == ("https://blog.example/archive/1",)


def test_a_feed_that_is_in_one_document_has_no_history():
    site = FeedArchives.of(7, way="page")
    assert SOURCE.entrance(clues_of(site)) is None
    assert COMPLETE.entrance(clues_of(site)) is None


def test_a_complete_feed_is_one_request_and_a_second_one_says_that_nothing_changed():
    site = FeedArchives.of(300, way="complete")
    done = walked(COMPLETE, site)
    assert (len(done.asked), done.urls, done.told[0].total) == (1, site.links, 300)
    assert done.walk.is_exhaustive
    assert done.walk.lists_all

    again = driven(COMPLETE.changes(site.feed_url, done.walk.mark), site)
    assert (len(again.asked), again.posts, again.walk.is_exhaustive) == (1, [], True)
    assert not again.walk.lists_all, "nothing was named, which does not mean that all is gone"
    assert again.walk.mark == done.walk.mark

    site.delete(17)
    site.edit(3)
    site.publish()
    later = driven(COMPLETE.changes(site.feed_url, again.walk.mark), site)
    assert (later.urls, later.walk.lists_all) == (site.links, True)
    assert SOURCE.entrance(clues_of(site)) is None


def test_a_feed_that_is_no_longer_complete_claims_nothing():
    site = FeedArchives.of(57, way="page")
    done = driven(COMPLETE.changes(site.feed_url, {}), site)
    assert not done.walk.is_exhaustive
    assert done.problems == ["the feed no longer says that it is complete"]


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 500])
@pytest.mark.parametrize("source", [SOURCE, COMPLETE], ids=lambda source: source.name)
@pytest.mark.parametrize("body", HOSTILE)
def test_answers_that_make_no_sense_end_the_walk(source, body, status):
    done = walked(source, Nonsense("https://a.example/", body, status), entrance="https://a.example/feed")
    assert len(done.asked) == 1
    assert all(post.url.startswith("http") for post in done.posts)
    assert done.problems or status == 200
