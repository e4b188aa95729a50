"""Blogger's feeds: all posts and comments, and what changed since."""

from __future__ import annotations

from dataclasses import replace

import pytest

from everlog.core.tree import parse
from everlog.history import BlogClues
from everlog.history.blogger_feed import SOURCE
from history.driving import HOSTILE, Nonsense, changed_since, clues_of, driven, fetched, named, walked
from history.sites.archives import FeedArchives
from history.sites.blogger import Blogger
from history.sites.wordpress_feeds import WordPressFeeds

ROOT = "https://sea.blogspot.com/feeds/"
HARMLESS = (
    set(), {"short"}, {"jump"}, {"feedburner"}, {"small-answers"}, {"no-total"}, {"total-low"}, {"total-high"},
    {"half"},
)


@pytest.mark.parametrize("traps", HARMLESS, ids=named)
def test_all_posts_and_comments_are_told(traps):
    site = Blogger.of(330, comments=410, traps=traps)
    done = walked(SOURCE, site)
    assert done.urls == site.links
    assert {each.comment.text for each in done.comments} == {f"Comment {number}." for number in range(1, 411)}
    assert done.walk.is_exhaustive
    assert done.problems == []


def test_what_a_blog_costs():
    site = Blogger.of(330, comments=410)
    done = walked(SOURCE, site)
    # 150 + 149 + 31 + ...: three requests for the posts, one for what was edited meanwhile, one for pages, three for
    # the comments.
    assert len(done.asked) == 8
    assert done.told[0].total == 330
    assert {told.comments_total for told in done.told} == {None, 410}
    assert done.walk.lists_all
    assert len(walked(SOURCE, site, wants_comments=False).asked) == 5
    walk = SOURCE.walk(ROOT)
    walk.take(fetched(site, walk.next_request().url))
    assert (walk.requests_left, done.walk.requests_left) == (5, 0)


def test_a_post_comes_with_its_text_names_and_dates():
    site = Blogger.of(3, comments=2)
    done = walked(SOURCE, site)
    post = done.posts[0]
    assert (post.id, post.entry.title, post.entry.authors, post.entry.tags) == (
        "tag:blogger.com,1999:blog-7001.post-3", "Day 3 & night", ("Ada Finch",), ("Weather",),
    )
    assert post.entry.published == site.posts[3].published
    assert post.entry.published.utcoffset().total_seconds() == -8 * 3600
    assert (post.is_whole, post.entry.content) == (True, site.posts[3].body)
    comment = done.comments[-1]
    assert (comment.post_id, comment.comment.author, comment.comment.text) == (
        "tag:blogger.com,1999:blog-7001.post-1", "Bea 1", "Comment 1.",
    )
    assert comment.comment.published == site.comments[1].published


@pytest.mark.parametrize("trap", ["short", "jump"])
def test_the_beginning_of_an_article_is_not_taken_for_all_of_it(trap):
    assert not any(post.is_whole for post in walked(SOURCE, Blogger.of(12, traps={trap})).posts)


@pytest.mark.parametrize(("trap", "is_all"), [("total-high", False), ("total-low", True), ("no-total", True)])
def test_a_count_that_lies_is_not_believed(trap, is_all):
    done = walked(SOURCE, Blogger.of(330, traps={trap}))
    assert (done.walk.is_exhaustive, done.walk.lists_all) == (True, is_all)


@pytest.mark.parametrize("at", range(1, 7))
def test_what_is_published_edited_or_commented_meanwhile_is_told(at):
    site = Blogger.of(330, comments=300)

    def between(number):
        if number == at:
            for _ in range(3):
                site.publish()
            site.edit(320, "<p>New words.</p>")

    done = walked(SOURCE, site, between=between)
    later = driven(SOURCE.changes(ROOT, done.walk.mark), site)
    assert site.links <= done.urls | later.urls
    told = [post.entry.content for post in (*done.posts, *later.posts) if post.url == site.link(site.posts[320])]
    assert told[-1] == "<p>New words.</p>"
    if at <= 3:
        assert site.links <= done.urls


@pytest.mark.parametrize("at", range(1, 4))
@pytest.mark.parametrize("gone", [(330,), (329, 200, 180), tuple(range(150, 330))], ids=len)
@pytest.mark.parametrize("is_resumed", [False, True])
def test_what_is_deleted_meanwhile_hides_nothing(at, gone, is_resumed):
    site = Blogger.of(330)
    done = walked(
        SOURCE, site, is_resumed=is_resumed,
        between=lambda number: [site.delete(each) for each in gone] if number == at else None,
    )
    assert site.links <= done.urls
    assert done.walk.is_exhaustive


@pytest.mark.parametrize("at", [3, 4, 5])
def test_comments_that_are_deleted_meanwhile_hide_no_others(at):
    site = Blogger.of(20, comments=400)
    done = walked(SOURCE, site, between=lambda number: site.comments.pop(390) if number == at else None)
    assert {f"Comment {number}." for number in site.comments} <= {each.comment.text for each in done.comments}
    assert done.walk.is_exhaustive


@pytest.mark.parametrize("traps", [set(), {"small-answers"}, {"no-total"}], ids=named)
def test_a_walk_that_is_resumed_after_every_request_tells_the_same(traps):
    site = Blogger.of(330, comments=200, traps=traps)
    whole, pieces = walked(SOURCE, site), walked(SOURCE, site, is_resumed=True)
    assert (pieces.asked, [post.id for post in pieces.posts]) == (whole.asked, [post.id for post in whole.posts])
    assert len(pieces.comments) == len(whole.comments)
    assert (pieces.walk.is_exhaustive, pieces.walk.mark) == (True, whole.walk.mark)


@pytest.mark.parametrize("is_resumed", [False, True])
def test_a_feed_that_ignores_where_it_is_to_begin_ends_the_walk(is_resumed):
    done = walked(SOURCE, Blogger.of(330, traps={"deaf"}), is_resumed=is_resumed)
    assert (len(done.asked), done.walk.is_exhaustive) == (2, False)
    assert not done.walk.lists_all
    assert done.problems == ["the next page of the list repeats an earlier one"]


def test_nothing_changed_is_one_request_and_one_for_comments():
    site = Blogger.of(330, comments=40)
    mark = walked(SOURCE, site).walk.mark
    again = driven(SOURCE.changes(ROOT, mark), site)
    assert (len(again.asked), again.posts, again.comments) == (2, [], [])
    assert again.walk.is_exhaustive
    assert again.walk.mark == mark
    assert len(driven(SOURCE.changes(ROOT, mark, wants_comments=False), site).asked) == 1


def test_edits_new_posts_new_comments_and_the_number_left_are_told():
    site = Blogger.of(330, comments=40)
    mark = walked(SOURCE, site).walk.mark
    site.edit(5)
    new = site.publish()
    site.delete(9)
    site.comment(7)
    found = driven(SOURCE.changes(ROOT, mark), site)
    assert found.urls == {site.link(new), site.link(site.posts[5])}
    assert [each.comment.text for each in found.comments] == ["Comment 41."]
    # Edited posts, pages, comments.
    assert (found.told[0].total, len(found.asked)) == (330, 3)
    assert not found.walk.lists_all
    assert driven(SOURCE.changes(ROOT, found.walk.mark), site).posts == []


def test_more_edits_than_a_first_look_are_all_found():
    site = Blogger.of(330)
    mark = walked(SOURCE, site).walk.mark
    for number in range(1, 200):
        site.edit(number)
    found = driven(SOURCE.changes(ROOT, mark, wants_comments=False), site)
    assert found.urls == {site.link(site.posts[number]) for number in range(1, 200)}
    assert len(found.asked) == 3 + 1


def test_the_listing_names_all_posts_without_their_texts():
    site = Blogger.of(330)
    done = driven(SOURCE.listing(ROOT), site)
    assert (done.urls, len(done.asked), done.walk.lists_all) == (site.links, 3, True)
    assert not any(post.is_whole for post in done.posts)


def test_comments_that_cannot_be_had_do_not_spoil_the_posts():
    site = Blogger.of(30, comments=9, traps={"no-comments"})
    done = walked(SOURCE, site)
    assert (done.urls, done.walk.is_exhaustive) == (site.links, True)
    assert done.problems == ["the feed answers with HTTP 404"]


def test_a_private_blog_tells_nothing():
    done = driven(SOURCE.walk(ROOT), Blogger.of(3, traps={"private"}))
    assert (done.problems, done.walk.is_exhaustive) == (["the feed answers with HTTP 401"], False)


def test_a_busy_server_puts_the_walk_off():
    site = Blogger.of(30)
    walk = SOURCE.walk(ROOT)
    driven(walk, Nonsense(site.home, b"", 503))
    assert driven(SOURCE.walk(ROOT, cursor=walk.cursor), site).urls == site.links


def test_blogger_is_known_by_its_hosts_its_feeds_and_its_pages():
    assert SOURCE.entrance(clues_of(Blogger.of(3))).url == ROOT
    for host in ("sea.blogspot.de", "sea.blogspot.co.uk", "sea.blogspot.com.br"):
        assert SOURCE.entrance(BlogClues(home=f"https://{host}/")).url == f"https://{host}/feeds/"
    mapped = clues_of(Blogger.of(3, home="https://sea.example/"))
    assert SOURCE.entrance(mapped).url == "https://sea.example/feeds/"
    by_feed = BlogClues(home="https://sea.example/", feed_url=mapped.feed_url, feed=mapped.feed)
    assert (SOURCE.entrance(by_feed).url, SOURCE.entrance(by_feed).is_sure) == ("https://sea.example/feeds/", False)
    by_page = BlogClues(home="https://sea.example/", root=mapped.root)
    assert SOURCE.entrance(by_page).evidence == "the page's generator says blogger"


def test_blogs_of_others_are_not_taken_for_blogger():
    for site in (FeedArchives.of(12), WordPressFeeds.of(12)):
        assert SOURCE.entrance(clues_of(site)) is None
    assert SOURCE.entrance(BlogClues(home="https://notblogspot.com/")) is None


def test_a_blog_that_left_blogger_and_kept_its_feeds_address_is_none_of_its_blogs():
    feed = clues_of(Blogger.of(3)).feed
    for feed_url in ("https://a.example/feeds/posts/default", "https://a.example/feeds/posts/default.xml"):
        for left in (None, replace(feed, entries=tuple(replace(entry, guid=entry.link) for entry in feed.entries))):
            assert SOURCE.entrance(BlogClues(home="https://a.example/", feed_url=feed_url, feed=left)) is None
    page = parse(b'<meta name="generator" content="Hugo 0.37">')
    moved = BlogClues(home="https://a.example/", root=page, feed_url="https://a.example/feeds/posts/default", feed=feed)
    assert SOURCE.entrance(moved) is None


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 500])
@pytest.mark.parametrize("body", HOSTILE)
def test_answers_that_make_no_sense_end_the_walk(body, status):
    site = Nonsense("https://a.example/", body, status)
    for walk in (SOURCE.walk(ROOT), SOURCE.changes(ROOT, {}), SOURCE.listing(ROOT)):
        done = driven(walk, site)
        assert len(done.asked) <= 4
        assert all(post.url.startswith("http") for post in done.posts)


@pytest.mark.parametrize("traps", [set(), {"small-answers"}, {"no-total"}], ids=named)
def test_pages_beside_the_posts_are_told_with_their_changes(traps):
    site = Blogger.of(60, traps=traps)
    beside = [site.publish(kind="page") for _ in range(3)]
    done = walked(SOURCE, site)
    assert {post.url for post in done.posts if post.kind == "page"} == {site.link(post) for post in beside}
    assert {post.url for post in done.posts if post.kind == "post"} == site.links - set(map(site.link, beside))
    assert all(post.is_whole for post in done.posts)
    site.edit(beside[0].number)
    site.delete(beside[1].number)
    quiet = changed_since(done, SOURCE, site)
    # Nothing changed about posts: pages wait until something does.
    assert (quiet.posts, any("/pages/" in url for url in quiet.asked)) == ([], False)
    site.edit(5)
    now = changed_since(done, SOURCE, site)
    assert [post.url for post in now.posts if post.kind == "page"] == [site.link(beside[0])]
    assert any(each.has_lost_pages for each in now.told) == ("no-total" not in traps)
    left = driven(SOURCE.listing(ROOT, kind="page"), site)
    assert left.urls == {site.link(beside[0]), site.link(beside[2])}


def test_a_blog_that_does_not_tell_its_pages_tells_its_posts_and_comments():
    site = Blogger.of(60, comments=12, traps={"no-pages"})
    done = walked(SOURCE, site)
    assert (done.urls, len(done.comments), done.walk.is_exhaustive) == (site.links, 12, True)
