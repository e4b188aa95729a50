"""WordPress.com's interface: posts, pages and comments of the blogs that it hosts."""

from __future__ import annotations

import pytest

from everlog.history import BlogClues
from everlog.history.wordpress.wordpress_com import SOURCE
from everlog.records import Page
from history.driving import HOSTILE, Nonsense, changed_since, clues_of, driven, fetched, named, walked
from history.sites.blogger import Blogger
from history.sites.wordpress_com import WordPressComBlog
from history.sites.wordpress_feeds import WordPressFeeds

ROOT = "https://public-api.wordpress.com/rest/v1.1/sites/sea.wordpress.com/"


def numbers(comments):
    return {int(each.comment.id) for each in comments}


def own(done):
    return {post.url for post in done.posts if post.kind == "post"}


@pytest.mark.parametrize("traps", [set(), {"half"}, {"bare"}, {"total-high"}, {"total-low"}, {"one-second"}], ids=named)
def test_all_posts_pages_and_comments_are_told(traps):
    site = WordPressComBlog.of(330, comments=410, traps=traps)
    done = walked(SOURCE, site)
    assert own(done) == site.links
    assert [post.entry.title for post in done.posts if post.kind == "page"] == ["Page 0", "Page 1"]
    assert numbers(done.comments) == set(site.comments)
    assert len(done.comments) == 410
    assert done.walk.is_exhaustive
    assert done.walk.lists_all
    assert done.problems == []


def test_what_a_blog_costs():
    site = WordPressComBlog.of(330, comments=410)
    done = walked(SOURCE, site)
    # The newest edit, four for the posts, one for the pages, five for the comments.
    assert len(done.asked) == 11
    assert [told.total for told in done.told[:3]] == [330, 330, None]
    assert {told.comments_total for told in done.told} == {None, 410}
    assert len(walked(SOURCE, site, wants_comments=False).asked) == 6


def test_the_first_answer_tells_how_many_requests_are_left():
    site = WordPressComBlog.of(330, comments=40)
    walk = SOURCE.walk(ROOT)
    walk.take(fetched(site, walk.next_request().url))
    assert walk.requests_left == 6
    assert walked(SOURCE, site).walk.requests_left == 0


def test_a_post_and_a_comment_come_with_all_that_is_known_of_them():
    site = WordPressComBlog.of(2)
    site.comment(2)
    site.comment(2, parent=1)
    done = walked(SOURCE, site)
    post = done.posts[1]
    assert (post.id, post.url, post.entry.title, post.entry.authors, post.entry.tags) == (
        "2", site.link(site.posts[2]), "Day 2 & night", ("Ada Finch",), ("Sea & Sky", "Weather"),
    )
    assert (post.entry.published, post.changed) == (site.posts[2].published, site.posts[2].updated)
    assert post.entry.published.utcoffset().total_seconds() == -3 * 3600
    assert (post.is_whole, post.entry.content, post.entry.comment_count) == (True, site.posts[2].body, 2)
    first, second = (each.comment for each in done.comments)
    assert (first.id, first.parent, first.author, first.author_url, first.text) == (
        "1", None, "Bea 1", "https://bea.example/", "Comment 1.",
    )
    assert (second.parent, second.published, second.url) == (
        "1", site.comments[2].published, f"{site.link(site.posts[2])}#comment-2",
    )
    assert {each.post_id for each in done.comments} == {"2"}


def test_answers_that_are_short_are_not_the_end():
    site = WordPressComBlog.of(330, comments=410, traps={"short"})
    done = walked(SOURCE, site)
    assert (len(done.asked), done.walk.is_exhaustive) == (11, True)
    assert len(own(done)) == 284
    hidden = walked(SOURCE, WordPressComBlog.of(50, comments=410, traps={"comments-short"}))
    assert numbers(hidden.comments) == {number for number in range(1, 411) if number % 10}
    assert hidden.walk.is_exhaustive


@pytest.mark.parametrize("at", range(1, 11))
def test_what_is_published_or_deleted_meanwhile_hides_nothing(at):
    site = WordPressComBlog.of(330, comments=410)

    def between(number):
        if number == at:
            for gone in (1, 99, 100, 101, 250):
                site.delete(gone)
            for _ in range(3):
                site.comment(site.publish().number)
            for gone in list(site.comments)[:120:13]:
                del site.comments[gone]

    done = walked(SOURCE, site, between=between)
    later = changed_since(done, SOURCE, site)
    assert site.links <= done.urls | later.urls
    assert set(site.comments) <= numbers(done.comments) | numbers(later.comments)
    assert done.walk.is_exhaustive
    if at <= 4:
        assert site.links <= done.urls


@pytest.mark.parametrize("traps", [set(), {"one-second"}, {"comments-short"}], ids=named)
def test_a_walk_that_is_resumed_after_every_request_tells_the_same(traps):
    site = WordPressComBlog.of(230, comments=310, traps=traps)
    whole, pieces = walked(SOURCE, site), walked(SOURCE, site, is_resumed=True)
    assert (pieces.asked, [post.id for post in pieces.posts]) == (whole.asked, [post.id for post in whole.posts])
    assert [each.comment.id for each in pieces.comments] == [each.comment.id for each in whole.comments]
    assert (pieces.walk.is_exhaustive, pieces.walk.mark) == (True, whole.walk.mark)


@pytest.mark.parametrize("count", [0, 7, 100, 410])
def test_nothing_changed_is_one_request_and_one_for_comments(count):
    site = WordPressComBlog.of(130, comments=count)
    done = walked(SOURCE, site)
    again = changed_since(done, SOURCE, site)
    assert (len(again.asked), again.posts, again.comments) == (2, [], [])
    assert (again.walk.is_exhaustive, again.walk.mark, again.told[0].total) == (True, done.walk.mark, 130)
    assert len(changed_since(done, SOURCE, site, wants_comments=False).asked) == 1


def test_edits_new_posts_new_comments_and_the_number_left_are_told():
    site = WordPressComBlog.of(330, comments=40)
    done = walked(SOURCE, site)
    site.edit(5)
    new = site.publish()
    site.delete(9)
    fresh = site.comment(7)
    found = changed_since(done, SOURCE, site)
    assert found.urls == {site.link(new), site.link(site.posts[5])}
    assert numbers(found.comments) == {fresh.number}
    assert (found.told[0].total, len(found.asked), found.walk.lists_all) == (330, 4, False)
    again = changed_since(found, SOURCE, site)
    assert (len(again.asked), again.posts, again.comments) == (2, [], [])


def test_more_edits_and_comments_than_one_answer_holds_are_all_found():
    site = WordPressComBlog.of(330, comments=5)
    done = walked(SOURCE, site)
    for number in range(1, 231):
        site.edit(number)
        site.comment(number)
    found = changed_since(done, SOURCE, site)
    assert own(found) == {site.link(site.posts[number]) for number in range(1, 231)}
    assert numbers(found.comments) == set(range(6, 236))
    # The newest change, edited posts, edited pages, comments.
    assert len(found.asked) == 1 + 3 + 1 + 3


def test_the_listing_names_all_posts_without_their_texts():
    site = WordPressComBlog.of(330)
    done = driven(SOURCE.listing(ROOT), site)
    assert (done.urls, len(done.asked), done.walk.lists_all) == (site.links, 4, True)
    assert not any(post.is_whole for post in done.posts)


@pytest.mark.parametrize("trap", ["no-handle", "short"])
def test_a_listing_that_is_shorter_than_the_count_lists_not_all(trap):
    done = driven(SOURCE.listing(ROOT), WordPressComBlog.of(330, traps={trap}))
    assert not done.walk.lists_all


@pytest.mark.parametrize("is_resumed", [False, True])
def test_a_handle_that_leads_nowhere_ends_the_walk(is_resumed):
    done = walked(SOURCE, WordPressComBlog.of(330, traps={"stuck"}), is_resumed=is_resumed)
    assert not done.walk.is_exhaustive
    assert not done.walk.lists_all
    assert len(done.asked) < 12


@pytest.mark.parametrize("is_resumed", [False, True])
def test_comments_that_begin_anew_every_time_end_the_walk(is_resumed):
    site = WordPressComBlog.of(30, comments=310, traps={"deaf"})
    done = walked(SOURCE, site, is_resumed=is_resumed)
    assert own(done) == site.links
    assert (done.walk.is_exhaustive, len(done.asked) < 12) == (False, True)
    assert done.problems == ["the next page of the list repeats an earlier one"]


def test_comments_that_are_refused_do_not_spoil_the_posts():
    site = WordPressComBlog.of(30, comments=3, traps={"no-comments"})
    done = walked(SOURCE, site)
    assert (own(done), done.walk.is_exhaustive) == (site.links, True)
    assert done.problems == ["the interface answers with HTTP 403"]


def test_a_private_blog_tells_nothing():
    done = driven(SOURCE.walk(ROOT), WordPressComBlog.of(3, traps={"private"}))
    assert (done.problems, done.walk.is_exhaustive) == (["the interface answers with HTTP 403"], False)


def test_a_busy_server_puts_the_walk_off():
    site = WordPressComBlog.of(30)
    walk = SOURCE.walk(ROOT)
    driven(walk, Nonsense(site.home, b"", 429))
    assert own(driven(SOURCE.walk(ROOT, cursor=walk.cursor), site)) == site.links


def test_posts_with_a_password_are_named_without_their_text():
    row = {"ID": 7, "URL": "https://sea.wordpress.com/a/", "content": "", "password": "x", "status": "publish"}
    draft = {**row, "ID": 8, "status": "draft"}
    body = {"found": 2, "posts": [row, draft]}
    site = Nonsense("https://sea.wordpress.com/", str(body).replace("'", '"').encode())
    post = driven(SOURCE.listing(ROOT), site).posts
    assert [(each.id, each.locked, each.is_whole) for each in post] == [("7", "password", False)]


def test_wordpress_com_is_known_by_its_host_its_pages_and_its_counter():
    assert SOURCE.entrance(clues_of(WordPressComBlog.of(3))).url == ROOT
    for traps in (set(), {"bare"}):
        mapped = SOURCE.entrance(clues_of(WordPressComBlog.of(3, home="https://sea.example/", traps=traps)))
        assert mapped.url == ROOT.replace("sea.wordpress.com", "sea.example")


def test_blogs_elsewhere_are_not_taken_for_blogs_of_wordpress_com():
    for site in (WordPressFeeds.of(3), Blogger.of(3)):
        assert SOURCE.entrance(clues_of(site)) is None
    jetpack = b"<script src='https://stats.wp.com/e-201934.js'></script><script>_stq.push(['view',{v:'ext',blog:'7'}])"
    page = Page(url="https://a.example/", body=jetpack)
    assert SOURCE.entrance(BlogClues(home="https://a.example/", home_page=page)) is None


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 500])
@pytest.mark.parametrize("body", HOSTILE)
def test_answers_that_make_no_sense_end_the_walk(body, status):
    site = Nonsense("https://a.example/", body, status)
    mark = {"modified": "2020-01-01T10:00:00-03:00", "comment": "2020-01-01T10:00:00-03:00", "known": ["1"]}
    for walk in (SOURCE.walk(ROOT), SOURCE.changes(ROOT, mark), SOURCE.changes(ROOT, {}), SOURCE.listing(ROOT)):
        done = driven(walk, site)
        assert len(done.asked) <= 5
        assert all(post.url.startswith("http") for post in done.posts)
