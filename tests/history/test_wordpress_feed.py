"""The feed of a WordPress blog, page by page: all posts where the REST interface is switched off."""

from __future__ import annotations

import pytest

from everlog.history import BlogClues, HistoryAnswer
from everlog.history.wordpress.wordpress_feed import SOURCE
from history.driving import HOSTILE, Nonsense, clues_of, driven, named, walked
from history.sites.archives import FeedArchives
from history.sites.wordpress_feeds import WordPressFeeds

ENDS = (set(), {"plain"}, {"empty-end"}, {"half"}, {"excerpts"}, {"bare"}, {"no-headers"})


@pytest.mark.parametrize("traps", ENDS, ids=named)
@pytest.mark.parametrize("home", ["https://blog.example/", "https://blog.example/notes/"])
def test_all_posts_are_told_until_a_page_is_missing(home, traps):
    site = WordPressFeeds.of(57, comments=20, home=home, traps=traps)
    done = walked(SOURCE, site)
    assert done.urls == site.links
    assert len(done.posts) == 57
    assert done.walk.is_exhaustive
    assert not done.walk.lists_all, "a post that was deleted meanwhile may have hidden another"
    # Six pages, the missing seventh, and the first once more.
    assert len(done.asked) == 8
    assert done.problems == []


@pytest.mark.parametrize(("count", "requests"), [(0, 2), (1, 2), (10, 2), (11, 4), (298, 32)])
def test_a_blog_costs_a_request_for_ten_posts_and_two(count, requests):
    site = WordPressFeeds.of(count)
    done = walked(SOURCE, site, entrance=site.feed_url)
    assert (done.urls, len(done.asked), done.walk.is_exhaustive) == (site.links, requests, True)


def test_pages_may_be_of_any_size():
    site = WordPressFeeds.of(57, per_page=25)
    done = walked(SOURCE, site)
    assert (done.urls, len(done.asked)) == (site.links, 5)


def test_a_post_comes_with_its_text_names_dates_and_comments():
    site = WordPressFeeds.of(3)
    site.comment(3)
    post = walked(SOURCE, site).posts[0]
    assert (post.id, post.entry.title, post.entry.authors, post.entry.tags) == (
        "https://blog.example/?p=3", "Day 3 & night", ("Ada Finch",), ("Weather",),
    )
    assert post.entry.published == site.posts[3].published
    assert post.entry.content == site.posts[3].body
    assert post.is_whole
    assert (post.entry.comment_count, post.entry.comments_feed) == (1, post.url + "feed/")


@pytest.mark.parametrize("trap", ["excerpts", "cut"])
def test_an_excerpt_is_not_taken_for_the_article(trap):
    site = WordPressFeeds.of(12, traps={trap})
    assert not any(post.is_whole for post in walked(SOURCE, site).posts)


@pytest.mark.parametrize("trap", ["clamp", "to-first", "first-end"])
@pytest.mark.parametrize("is_resumed", [False, True])
def test_pages_that_come_again_end_the_walk_without_a_claim(trap, is_resumed):
    site = WordPressFeeds.of(57, traps={trap})
    done = walked(SOURCE, site, is_resumed=is_resumed)
    assert done.urls == site.links or trap == "to-first"
    assert not done.walk.is_exhaustive
    assert done.problems == ["the next page of the list repeats an earlier one"]
    assert len(done.asked) <= 8


@pytest.mark.parametrize(("trap", "problem"), [
    ("page-end", "the feed answers with something that is no feed"), ("forbidden", "the feed answers with HTTP 403"),
])
def test_what_is_no_feed_is_no_definite_end(trap, problem):
    site = WordPressFeeds.of(57, traps={trap})
    done = walked(SOURCE, site)
    assert (done.problems, done.walk.is_exhaustive, done.walk.mark) == ([problem], False, None)


@pytest.mark.parametrize("at", range(1, 8))
def test_posts_that_are_published_meanwhile_hide_nothing(at):
    site = WordPressFeeds.of(57)
    done = walked(SOURCE, site, between=lambda number: [site.publish() for _ in range(3)] if number == at else None)
    assert site.links <= done.urls
    assert done.walk.is_exhaustive


@pytest.mark.parametrize("at", range(1, 8))
@pytest.mark.parametrize("number", [57, 54, 48])
def test_a_new_post_that_is_deleted_meanwhile_hides_nothing(at, number):
    site = WordPressFeeds.of(57)
    done = walked(SOURCE, site, between=lambda asked: site.delete(number) if asked == at else None)
    assert site.links <= done.urls
    assert done.walk.is_exhaustive


@pytest.mark.parametrize("traps", [set(), {"plain"}, {"empty-end"}], ids=named)
def test_a_walk_that_is_resumed_after_every_request_tells_the_same(traps):
    site = WordPressFeeds.of(57, traps=traps)
    whole, pieces = walked(SOURCE, site), walked(SOURCE, site, is_resumed=True)
    assert (pieces.asked, [post.id for post in pieces.posts]) == (whole.asked, [post.id for post in whole.posts])
    assert pieces.walk.is_exhaustive
    assert pieces.walk.mark == whole.walk.mark


@pytest.mark.parametrize("traps", [set(), {"plain"}], ids=named)
def test_one_conditional_request_tells_that_nothing_changed(traps):
    site = WordPressFeeds.of(57, traps=traps)
    done = walked(SOURCE, site)
    again = driven(SOURCE.changes(site.feed_url, done.walk.mark), site)
    assert (len(again.asked), again.posts, again.walk.is_exhaustive) == (1, [], True)
    assert again.walk.mark == done.walk.mark


@pytest.mark.parametrize("traps", [set(), {"plain"}], ids=named)
def test_edits_of_old_posts_and_new_posts_are_found_in_one_request(traps):
    site = WordPressFeeds.of(57, traps=traps)
    mark = walked(SOURCE, site).walk.mark
    site.edit(2)
    new = site.publish()
    found = driven(SOURCE.changes(site.feed_url, mark), site)
    assert found.urls == {site.link(site.posts[2]), site.link(new)}
    assert len(found.asked) == 1
    assert [post.entry.content for post in found.posts if post.url == site.link(site.posts[2])] == [site.posts[2].body]
    nothing = driven(SOURCE.changes(site.feed_url, found.walk.mark), site)
    assert (nothing.posts, nothing.walk.is_exhaustive) == ([], True)


def test_more_edits_than_a_page_holds_are_all_found():
    site = WordPressFeeds.of(57)
    mark = walked(SOURCE, site).walk.mark
    for number in range(1, 24):
        site.edit(number)
    found = driven(SOURCE.changes(site.feed_url, mark), site)
    assert {int(post.id.rpartition("=")[2]) for post in found.posts} == set(range(1, 24))
    assert len(found.asked) == 3
    for number in range(1, 58):
        site.edit(number)
    everything = driven(SOURCE.changes(site.feed_url, found.walk.mark), site)
    assert (everything.urls, everything.walk.is_exhaustive) == (site.links, True)


def test_a_feed_that_knows_no_order_of_edits_claims_nothing():
    site = WordPressFeeds.of(57, traps={"unordered"})
    mark = walked(SOURCE, site).walk.mark
    site.edit(50)
    site.edit(2)
    found = driven(SOURCE.changes(site.feed_url, mark), site)
    assert found.urls == {site.link(site.posts[50])}
    assert not found.walk.is_exhaustive
    assert found.problems == ["the feed is not in the order of the posts' edits"]


def test_without_the_headers_changes_cannot_be_told():
    site = WordPressFeeds.of(12, traps={"no-headers"})
    assert SOURCE.changes(site.feed_url, walked(SOURCE, site).walk.mark) is None


def test_a_busy_server_puts_the_walk_off():
    site = WordPressFeeds.of(57)
    walk = SOURCE.walk(site.feed_url)
    driven(walk, Nonsense(site.home, b"busy", 503))
    assert not walk.is_exhaustive
    assert driven(SOURCE.walk(site.feed_url, cursor=walk.cursor), site).urls == site.links


def test_the_entrance_is_the_feed_of_the_blog_not_of_a_category_or_another_service():
    site = WordPressFeeds.of(12)
    clues = clues_of(site)
    entrance = SOURCE.entrance(clues)
    assert (entrance.url, entrance.is_sure) == ("https://blog.example/feed/", True)
    for feed_url in ("https://feeds.example/sea", "https://blog.example/category/rain/feed/", None):
        told = SOURCE.entrance(BlogClues(home=site.home, root=clues.root, feed_url=feed_url))
        assert (told.url, told.is_sure) == ("https://blog.example/feed/", False)


def test_blogs_of_others_are_not_taken_for_wordpress():
    assert SOURCE.entrance(clues_of(FeedArchives.of(12, way="page"))) is None


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 500])
@pytest.mark.parametrize("body", HOSTILE)
def test_answers_that_make_no_sense_end_the_walk(body, status):
    site = Nonsense("https://a.example/", body, status)
    mark = {"last_modified": "Wed, 01 Jan 2020 10:00:00 GMT"}
    for walk in (SOURCE.walk("https://a.example/feed/"), SOURCE.changes("https://a.example/feed/", mark)):
        done = driven(walk, site)
        assert len(done.asked) <= 3
        assert all(post.url.startswith("http") for post in done.posts)


def test_a_feed_that_gives_no_answer_is_said_to_give_none():
    walk = SOURCE.walk("https://a.org/feed/")
    assert walk.take(HistoryAnswer(url="https://a.org/feed/", status=0)).problem == "the feed does not answer"
