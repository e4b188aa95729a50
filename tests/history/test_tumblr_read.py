"""Tumblr's old interface: posts of every kind, all of them, in XML or JSON."""

from __future__ import annotations

import pytest

from everlog.history import BlogClues
from everlog.history.tumblr.tumblr_posts import content_of
from everlog.history.tumblr.tumblr_read import SOURCE
from history.driving import HOSTILE, Nonsense, clues_of, driven, named, walked
from history.sites.archives import FeedArchives
from history.sites.blogger import Blogger
from history.sites.tumblr import KINDS, Tumblr

ROOT = "https://sea.tumblr.com/"
HARMLESS = (set(), {"no-xml"}, {"no-xml", "script"}, {"no-total"}, {"total-low"}, {"total-high"}, {"half"})


@pytest.mark.parametrize("traps", HARMLESS, ids=named)
def test_all_posts_are_told_whole(traps):
    site = Tumblr.of(130, traps=traps)
    done = walked(SOURCE, site)
    assert done.urls == site.links
    assert len(done.posts) == 130
    assert all(post.is_whole for post in done.posts)
    assert done.walk.is_exhaustive
    assert done.problems == []


@pytest.mark.parametrize(("count", "requests"), [(0, 1), (1, 1), (50, 1), (51, 2), (99, 2), (130, 3), (500, 11)])
def test_a_blog_costs_a_request_for_forty_nine_posts(count, requests):
    site = Tumblr.of(count)
    done = walked(SOURCE, site, entrance=ROOT)
    assert (done.urls, len(done.asked), done.walk.lists_all) == (site.links, requests, True)
    assert done.told[0].total == count


@pytest.mark.parametrize(("trap", "is_all"), [("total-high", False), ("total-low", True), ("no-total", True)])
def test_a_count_that_lies_is_not_believed(trap, is_all):
    done = walked(SOURCE, Tumblr.of(130, traps={trap}))
    assert (done.walk.is_exhaustive, done.walk.lists_all) == (True, is_all)


def test_xml_and_json_tell_the_same():
    by_xml, by_json = (
        {post.id: post for post in walked(SOURCE, Tumblr.of(40, traps=traps)).posts} for traps in (set(), {"no-xml"})
    )
    assert by_xml == by_json


def test_a_post_has_its_title_tags_and_the_offset_of_the_blogs_clock():
    site = Tumblr.of(8)
    post = next(post for post in walked(SOURCE, site).posts if post.id == "8008")
    assert (post.entry.title, post.entry.tags, post.entry.content) == (
        "Day 8 & night", ("Weather",), site.posts[8].body,
    )
    assert post.entry.published == site.posts[8].published
    assert post.entry.published.utcoffset().total_seconds() == 2 * 3600


@pytest.mark.parametrize(("kind", "content"), [
    ("photo", (
        '<figure><img src="https://64.media.tumblr.com/17_1280.jpg"><figcaption>Part 1</figcaption></figure>'
        '<figure><img src="https://64.media.tumblr.com/17_1280.jpg"><figcaption>Part 2</figcaption></figure>'
        "<p>Caption 17</p>"
    )),
    ("quote", '<blockquote>Words 18 & more</blockquote><p><a href="https://b.example/">B</a></p>'),
    ("conversation", "<p><b>A:</b> Hi</p><p><b>B:</b> 1 &lt; 2</p>"),
    ("video", '<iframe src="https://v.example/21"></iframe><p>Film 21</p>'),
    ("audio", "<audio src='https://a.example/1.mp3'></audio><p>Song 22</p>"),
    ("answer", "<blockquote>Why 23?</blockquote><p>Because.</p>"),
])
@pytest.mark.parametrize("traps", [set(), {"no-xml"}], ids=named)
def test_the_parts_of_each_kind_are_put_together(kind, content, traps):
    number = 16 + KINDS.index(kind)
    told = {post.id: post.entry.content for post in walked(SOURCE, Tumblr.of(24, traps=traps)).posts}
    assert told[str(8000 + number)] == content


@pytest.mark.parametrize(("row", "content"), [
    ({"type": "photo", "photo-url-500": "https://m.example/a.jpg", "photo-link-url": "https://b.example/"},
     '<p><a href="https://b.example/"><img src="https://m.example/a.jpg"></a></p>'),
    ({"type": "photo", "photo-url-500": "javascript:x", "photo-caption": "Hm"}, "Hm"),
    ({"type": "conversation", "conversation-text": "A: <b>\nB: Ho"}, "<p>A: &lt;b&gt;<br>B: Ho</p>"),
    ({"type": "video", "video-source": "https://v.example/1"},
     '<p><a href="https://v.example/1">https://v.example/1</a></p>'),
    ({"type": "link", "link-url": "https://b.example/"}, '<p><a href="https://b.example/">https://b.example/</a></p>'),
    ({"type": "regular"}, None), ({"type": "poll", "regular-body": "x"}, None), ({}, None),
])
def test_parts_that_are_missing_leave_the_rest(row, content):
    assert content_of(row) == content


@pytest.mark.parametrize("at", [1, 2])
def test_posts_that_are_published_meanwhile_hide_nothing(at):
    site = Tumblr.of(130)
    before = site.links
    done = walked(SOURCE, site, between=lambda number: [site.publish() for _ in range(5)] if number == at else None)
    assert before <= done.urls
    assert done.walk.is_exhaustive


@pytest.mark.parametrize("at", [1, 2])
@pytest.mark.parametrize("gone", [(130,), (130, 128, 100), tuple(range(70, 130))], ids=len)
@pytest.mark.parametrize("is_resumed", [False, True])
def test_posts_that_are_deleted_meanwhile_hide_nothing(at, gone, is_resumed):
    site = Tumblr.of(130)
    done = walked(
        SOURCE, site, is_resumed=is_resumed,
        between=lambda number: [site.delete(each) for each in gone] if number == at else None,
    )
    assert site.links <= done.urls
    assert done.walk.is_exhaustive


@pytest.mark.parametrize("traps", [set(), {"no-xml"}, {"no-total"}], ids=named)
def test_a_walk_that_is_resumed_after_every_request_tells_the_same(traps):
    site = Tumblr.of(130, traps=traps)
    whole, pieces = walked(SOURCE, site), walked(SOURCE, site, is_resumed=True)
    assert (pieces.asked, [post.id for post in pieces.posts]) == (whole.asked, [post.id for post in whole.posts])
    assert pieces.walk.is_exhaustive


@pytest.mark.parametrize("is_resumed", [False, True])
def test_an_interface_that_ignores_where_it_is_to_begin_ends_the_walk(is_resumed):
    done = walked(SOURCE, Tumblr.of(130, traps={"deaf"}), is_resumed=is_resumed)
    assert (len(done.asked), done.walk.is_exhaustive, done.walk.lists_all) == (2, False, False)


@pytest.mark.parametrize(("traps", "problem"), [
    ({"wall"}, "the interface answers with something that is no list of posts"),
    ({"no-xml", "no-json"}, "the interface answers with HTTP 403"),
], ids=named)
def test_a_blog_that_refuses_both_forms_tells_nothing(traps, problem):
    done = walked(SOURCE, Tumblr.of(13, traps=traps))
    assert (done.problems, len(done.asked), done.walk.is_exhaustive) == ([problem], 2, False)


def test_it_tells_no_changes():
    assert SOURCE.changes(ROOT, {}) is None


def test_tumblr_is_known_by_its_hosts_headers_and_pages():
    assert SOURCE.entrance(clues_of(Tumblr.of(3))).url == ROOT
    mapped = Tumblr.of(3, home="https://sea.example/", traps={"own-domain"})
    assert SOURCE.entrance(clues_of(mapped)).url == "https://sea.example/"


def test_blogs_of_others_are_not_taken_for_tumblr():
    for site in (FeedArchives.of(12), Blogger.of(12)):
        assert SOURCE.entrance(clues_of(site)) is None
    assert SOURCE.entrance(BlogClues(home="https://nottumblr.com/")) is None


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 500])
@pytest.mark.parametrize("body", HOSTILE)
def test_answers_that_make_no_sense_end_the_walk(body, status):
    done = driven(SOURCE.walk(ROOT), Nonsense(ROOT, body, status))
    assert len(done.asked) <= 3
    assert all(post.url.startswith("http") for post in done.posts)
