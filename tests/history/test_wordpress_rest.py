"""WordPress's REST interface: all posts, names and comments, and what changed since."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from everlog.history.source import ListingSource
from everlog.history.wordpress.wordpress_rest import SOURCE
from everlog.history.wordpress.wordpress_rows import Names, listed_post
from history.driving import HOSTILE, Nonsense, changed_since, clues_of, driven, walked
from history.sites.archives import FeedArchives
from history.sites.blogger import Blogger
from history.sites.wordpress_rest import WordPressRest

HARMLESS = (set(), {"plain"}, {"unnamed"}, {"users-401"}, {"password"}, {"small-memory"}, {"half"})


@pytest.mark.parametrize("traps", HARMLESS, ids=str)
def test_all_posts_and_comments_are_told(traps):
    site = WordPressRest.of(330, comments=410, traps=traps)
    done = walked(SOURCE, site)
    assert done.urls == site.links
    assert {each.comment.id for each in done.comments} == {str(number) for number in range(1, 411)}
    assert done.walk.is_exhaustive
    assert done.problems == []


def test_what_a_blog_costs():
    site = WordPressRest.of(330, comments=410)
    done = walked(SOURCE, site)
    # The newest change, 100 + 99 + 99 + 32 posts, three kinds of names, the types of posts, pages, five for comments,
    # the newest change.
    assert len(done.asked) == 1 + 4 + 3 + 1 + 1 + 5 + 1
    assert done.told[0].total == 330
    assert len(walked(SOURCE, site, wants_comments=False).asked) == 1 + 4 + 3 + 1 + 1 + 1


def test_a_post_comes_with_its_text_names_and_dates():
    site = WordPressRest.of(3, comments=2)
    done = walked(SOURCE, site)
    post = next(each for each in done.posts if each.id == "3")
    assert (post.entry.title, post.entry.authors, post.entry.tags) == (
        "Day 3 & night", ("Ada Finch",), ("Notes & Queries", "Weather"),
    )
    assert post.entry.published == site.posts[3].published
    assert post.entry.published.utcoffset() == timedelta(hours=2)
    assert (post.is_whole, post.entry.content, post.locked) == (True, site.posts[3].body, None)
    comment = done.comments[0]
    assert (comment.post_id, comment.comment.author, comment.comment.text) == ("1", "Bea 1", "Comment 1.")
    assert comment.comment.published == site.comments[1].published


def test_an_answer_names_the_comment_it_answers():
    site = WordPressRest.of(1)
    site.comment(1)
    site.comment(1, parent=1)
    assert [each.comment.parent for each in walked(SOURCE, site).comments] == [None, "1"]


def test_a_post_behind_a_password_is_named_and_has_no_text():
    done = walked(SOURCE, WordPressRest.of(20, traps={"password"}))
    locked = [post for post in done.posts if post.locked is not None]
    assert [(post.id, post.locked, post.is_whole, post.entry.content) for post in locked] == [
        ("10", "password", False, None), ("20", "password", False, None),
    ]


def test_names_beyond_the_hundred_that_are_used_most_are_asked_for_by_their_numbers():
    site = WordPressRest()
    for number in range(250):
        site.publish(tags=(f"tag {number:03}",))
    done = walked(SOURCE, site)
    assert {post.entry.tags[-1] for post in done.posts} == {f"tag {number:03}" for number in range(250)}


def test_authors_that_nobody_may_see_are_left_to_the_pages():
    done = walked(SOURCE, WordPressRest.of(3, traps={"users-401"}))
    assert {post.entry.authors for post in done.posts} == {()}
    assert sum("/users" in url for url in done.asked) == 1


@pytest.mark.parametrize("deleted", [1, 50, 99, 100, 101])
def test_a_post_that_is_deleted_meanwhile_hides_no_other(deleted):
    site = WordPressRest.of(330)

    def between(request: int) -> None:
        if request == 6:
            site.delete(deleted)

    assert walked(SOURCE, site, between=between).urls >= site.links


def test_posts_that_are_deleted_one_after_the_other_hide_no_other():
    site = WordPressRest.of(400, comments=300)

    def between(request: int) -> None:
        if request in range(5, 12):
            site.delete(request * 9)

    done = walked(SOURCE, site, between=between)
    assert done.urls >= site.links
    assert {each.comment.id for each in done.comments} >= {str(number) for number in site.comments}


def test_what_is_published_or_edited_meanwhile_is_told_at_the_end():
    site = WordPressRest.of(150)

    def between(request: int) -> None:
        if request == 6:
            site.publish()
            site.edit(1, "<p>Written anew.</p>")

    done = walked(SOURCE, site, between=between)
    assert done.urls == site.links
    assert [post.entry.content for post in done.posts if post.id == "1"][-1] == "<p>Written anew.</p>"


def test_a_draft_of_old_that_is_published_meanwhile_is_told():
    site = WordPressRest.of(330)
    draft = site.posts.pop(20)

    def between(request: int) -> None:
        if request == 8:
            site.posts[20] = type(draft)(**{**vars(draft), "updated": site.tick()})

    assert walked(SOURCE, site, between=between).urls == site.links


def test_short_pages_are_not_the_end():
    site = WordPressRest.of(330, comments=410, traps={"private"}, hidden=set(range(60, 130)))
    done = walked(SOURCE, site)
    assert done.urls == {site.link(post) for number, post in site.posts.items() if number not in site.hidden}
    assert {each.comment.id for each in done.comments} == {str(number) for number in range(1, 411) if number % 3}


def test_a_walk_goes_on_where_it_was():
    site = WordPressRest.of(330, comments=210)
    whole, resumed = walked(SOURCE, site), walked(SOURCE, site, is_resumed=True)
    assert (resumed.urls, {each.comment.id for each in resumed.comments}) == (
        whole.urls, {each.comment.id for each in whole.comments},
    )


@pytest.mark.parametrize("trap", ["off-401", "off-403", "off-404", "html"])
def test_an_interface_that_is_switched_off_says_so_after_one_request(trap):
    done = walked(SOURCE, WordPressRest.of(30, traps={trap}))
    assert (len(done.asked), done.posts, done.walk.is_exhaustive) == (1, [], False)
    assert len(done.problems) == 1


def test_comments_that_are_switched_off_are_said_to_be_and_posts_are_told():
    site = WordPressRest.of(30, comments=5, traps={"comments-401"})
    done = walked(SOURCE, site)
    assert (done.urls, done.comments) == (site.links, [])
    assert done.problems == ["comments: the interface answers with HTTP 401"]
    assert done.walk.is_exhaustive


def test_without_totals_a_page_that_is_not_full_is_the_last():
    site = WordPressRest.of(330, traps={"no-totals"})
    assert walked(SOURCE, site).urls == site.links


def test_nothing_changed_takes_one_request_for_posts_and_one_for_comments():
    site = WordPressRest.of(150, comments=20)
    before = walked(SOURCE, site)
    now = changed_since(before, SOURCE, site)
    assert (len(now.asked), now.posts) == (2, [])
    assert len(changed_since(before, SOURCE, site, wants_comments=False).asked) == 1


def test_what_is_new_or_edited_and_new_comments_are_told():
    site = WordPressRest.of(150, comments=20)
    before = walked(SOURCE, site)
    new = site.publish()
    site.edit(3)
    comment = site.comment(2)
    now = changed_since(before, SOURCE, site)
    assert now.urls == {site.link(new), site.link(site.posts[3])}
    assert str(comment.number) in {each.comment.id for each in now.comments}
    # The newest change, the texts, pages, comments; names are known from the walk.
    assert len(now.asked) == 4
    assert changed_since(now, SOURCE, site).posts == []


def test_many_changes_are_all_told():
    site = WordPressRest.of(150)
    before = walked(SOURCE, site)
    for number in range(1, 131):
        site.edit(number)
    assert len(changed_since(before, SOURCE, site).urls) == 130


def test_many_changes_of_a_server_with_little_memory_are_told():
    site = WordPressRest.of(40, traps={"small-memory"})
    before = walked(SOURCE, site)
    for number in range(1, 31):
        site.edit(number)
    assert len(changed_since(before, SOURCE, site).urls) == 30


def test_two_changes_of_one_second_are_both_told():
    site = WordPressRest.of(20)
    site.edit(5)
    before = walked(SOURCE, site)
    site.posts[7] = type(site.posts[7])(**{**vars(site.posts[7]), "updated": site.posts[5].updated})
    assert changed_since(before, SOURCE, site).urls == {site.link(site.posts[7])}


def test_the_list_of_all_posts_tells_which_are_gone():
    assert isinstance(SOURCE, ListingSource)
    site = WordPressRest.of(250)
    site.delete(17)
    done = driven(SOURCE.listing(site.root), site)
    assert (done.urls, len(done.asked), done.walk.lists_all) == (site.links, 3, True)


def test_a_server_that_cannot_list_a_hundred_is_asked_for_fewer():
    site = WordPressRest.of(60, traps={"small-memory"})
    done = driven(SOURCE.listing(site.root), site)
    assert (done.urls, len(done.asked), done.walk.lists_all) == (site.links, 4, True)


def test_a_list_that_changes_while_it_is_read_is_no_list_of_all():
    site = WordPressRest.of(250)

    def between(request: int) -> None:
        if request == 1:
            site.delete(17)

    assert not driven(SOURCE.listing(site.root), site, between=between).walk.lists_all


@pytest.mark.parametrize("body", HOSTILE, ids=range(len(HOSTILE)))
def test_nonsense_ends_a_walk(body):
    for walk in (SOURCE.walk("https://a.example/wp-json/"), SOURCE.changes("https://a.example/wp-json/", {})):
        done = driven(walk, Nonsense("https://a.example/", body))
        assert done.posts == []


def test_other_platforms_are_not_taken_for_wordpress():
    assert SOURCE.entrance(clues_of(Blogger.of(3))) is None
    assert SOURCE.entrance(clues_of(FeedArchives.of(3))) is None


def test_new_names_come_with_few_new_posts():
    site = WordPressRest.of(30)
    before = walked(SOURCE, site)
    new = site.publish(author="Zoe Rook", tags=("Zinc", "Weather"))
    now = changed_since(before, SOURCE, site, wants_comments=False)
    told = next(post for post in now.posts if post.url == site.link(new))
    assert (told.entry.authors, set(told.entry.tags)) == (("Zoe Rook",), {"Zinc", "Weather", "Notes & Queries"})
    # The newest change, the texts, pages.
    assert len(now.asked) == 3


@pytest.mark.parametrize("kind", ["page", "recipes"])
def test_pages_and_types_of_a_blogs_own_are_told_as_pages_with_their_changes(kind):
    site = WordPressRest.of(30, kinds=("recipes", "wp_thing", "e-template"))
    beside = [site.publish(kind=kind) for _ in range(3)]
    site.publish(kind="e-template")
    before = walked(SOURCE, site)
    told = {post.url for post in before.posts if post.kind == "page"}
    assert told == {site.link(post) for post in beside}
    assert not any("e-template" in url or "wp_thing" in url for url in before.asked)
    site.edit(beside[0].number)
    site.delete(beside[1].number)
    site.edit(3)
    now = changed_since(before, SOURCE, site)
    assert [post.url for post in now.posts if post.kind == "page"] == [site.link(beside[0])]
    assert any(each.has_lost_pages for each in now.told)
    mark = before.walk.mark
    left = driven(SOURCE.listing(site.root, kind="page", mark=mark), site)
    assert (left.urls, left.walk.lists_all) == ({site.link(beside[0]), site.link(beside[2])}, True)


def test_a_blog_that_does_not_tell_its_types_tells_its_pages():
    site = WordPressRest.of(30, traps={"types-401"})
    about = site.publish(kind="page")
    assert [post.url for post in walked(SOURCE, site).posts if post.kind == "page"] == [site.link(about)]


def test_what_has_no_page_of_its_own_is_not_told():
    row = {"id": 7, "link": "https://blog.example/?post_type=popup&p=7", "content": {"rendered": "<p>Buy.</p>"}}
    assert listed_post(row, "https://blog.example/wp-json/", Names(), "page") is None


def test_a_busy_server_puts_the_walk_off_and_it_goes_on_there():
    site = WordPressRest.of(220, comments=20, traps={"busy"})
    done = walked(SOURCE, site)
    assert (done.walk.is_put_off, done.walk.is_exhaustive) == (True, False)
    assert done.problems
    site.traps = frozenset()
    rest = driven(SOURCE.walk(f"{site.home}wp-json/", cursor=json.loads(json.dumps(done.walk.cursor))), site)
    assert rest.walk.is_exhaustive
    assert done.urls | rest.urls == site.links
    assert not any("offset=0&orderby=id" in url and "/posts?" in url for url in rest.asked)
