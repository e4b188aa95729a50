"""Inventories: what sources list, which of it is not held, and the last verdict, in every kind of database."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from everlog.archive.repos.inventory import InventoryPost, NotedComment
from everlog.core.urls import canonical
from everlog.records import Event, Exchange, Post, Visit

HOME = "https://a.example/"
NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def archive(place):
    with place.open() as opened:
        opened.blogs.add(HOME, scope="path")
        yield opened


@pytest.fixture
def blog(archive):
    return archive.blogs.find(HOME)


def visit(blog, name, status=200, **how):
    url = HOME + name
    page = Exchange(url=url, status=status, body=name.encode(), fetched_at=NOW)
    said = {"url": url, "key": canonical(url), "outcome": "post", "exchanges": (page,)}
    return Visit(blog_id=blog.id, **{**said, **how})


def held(blog, name, year=2020, **how):
    post = Post(url=HOME + name, title=name, text=f"About {name}.", published=NOW.replace(year=year))
    return visit(blog, name, post=post, **how)


def listed(name, **how):
    url = HOME + name
    return InventoryPost(**{"native_id": name, "key": canonical(url), "url": url, **how})


def store(archive, blog, *visits):
    with archive.lock(blog.id):
        archive.commit(visits)


def names(posts):
    return sorted(post.url.removeprefix(HOME) for post in posts)


def test_only_what_is_not_held_is_told_with_what_became_of_it(archive, blog):
    archive.blogs.inventory.add(blog.id, "REST", [
        listed("a"), listed("b"), listed("c", locked="password"), listed("about", kind="page"), listed("d"),
    ])
    lost = visit(blog, "b", 404, outcome="failed", reason=f"HTTP 404 at {HOME}b", lane="post")
    store(archive, blog, held(blog, "a"), lost)
    unheld = archive.blogs.inventory.unheld(blog.id)
    assert names(unheld) == ["b", "c", "d"]
    by_name = {post.url[-1]: post for post in unheld}
    assert (by_name["b"].status, by_name["b"].reason, by_name["c"].locked) == (404, "HTTP 404", "password")
    assert by_name["d"].state is None
    assert archive.blogs.inventory.counts(blog.id) == {"REST": 4}
    assert names(archive.blogs.inventory.unheld_links(blog.id)) == ["b"]
    keys = {canonical(HOME + name) for name in "ab"}
    assert archive.blogs.inventory.held_of(blog.id, keys) == {canonical(HOME + "a")}
    assert archive.blogs.inventory.unheld_of(blog.id, keys).keys() == {canonical(HOME + "b")}


def test_what_another_source_lists_as_a_page_is_no_post(archive, blog):
    archive.blogs.inventory.add(blog.id, "sitemap", [listed("about", kind="address")])
    archive.blogs.inventory.add(blog.id, "REST", [listed("about", kind="page")])
    store(archive, blog, visit(blog, "about", 500, outcome="failed", reason="HTTP 500", lane="post"))
    assert archive.blogs.inventory.unheld(blog.id) == archive.blogs.inventory.unheld_links(blog.id) == []


def test_a_list_of_addresses_does_not_unlock_a_post(archive, blog):
    known = archive.blogs.inventory
    known.add(blog.id, "REST", [listed("a", locked="password"), listed("b", locked="password")])
    known.add(blog.id, "REST", [listed("a", knows_lock=False), listed("b")])
    assert {post.native_id: post.locked for post in known.of(blog.id, "REST")} == {"a": "password", "b": None}


def test_two_posts_of_a_list_that_lead_to_one_are_told(archive, blog):
    archive.blogs.inventory.add(blog.id, "REST", [listed("a"), listed("b")])
    store(archive, blog, held(blog, "a"), visit(blog, "b", post_key=canonical(HOME + "a")))
    assert names(archive.blogs.inventory.doubled(blog.id, "REST")) == ["b"]
    assert archive.blogs.inventory.unheld(blog.id) == []


def test_posts_that_a_list_leaves_out_are_counted(archive, blog):
    archive.blogs.inventory.add(blog.id, "REST", [listed("a"), listed("moved")])
    store(archive, blog, held(blog, "a"), held(blog, "b"), held(blog, "c"), visit(
        blog, "moved", post_key=canonical(HOME + "c"),
    ))
    assert archive.blogs.inventory.unlisted(blog.id, "REST") == (1, "http://a.example/b")
    assert archive.blogs.inventory.unlisted(blog.id, "feed")[0] == 3


def test_posts_whose_page_could_not_be_had_are_held_in_part(archive, blog):
    archive.blogs.inventory.add(blog.id, "REST", [listed("a"), listed("b")])
    told = [held(blog, name, exchanges=(), told_at=NOW) for name in "ab"]
    store(archive, blog, *told)
    store(archive, blog, visit(blog, "a", 404, outcome="failed", reason="HTTP 404", lane="post"), held(blog, "b"))
    assert [(post.url, post.source, post.status) for post in archive.blogs.inventory.in_part(blog.id)] == [
        (HOME + "a", "REST", 404),
    ]
    keys = [canonical(HOME + name) for name in "ab"]
    assert names(archive.blogs.inventory.in_part(blog.id, keys)) == ["a"]
    assert archive.blogs.inventory.in_part(blog.id, keys[1:]) == archive.blogs.inventory.in_part(blog.id, []) == []


def test_posts_are_counted_by_their_years_and_lists_can_be_forgotten(archive, blog):
    store(archive, blog, held(blog, "a", 2019), held(blog, "b"), held(blog, "c"))
    assert archive.blogs.inventory.held_by_year(blog.id) == {2019: 1, 2020: 2}
    archive.blogs.inventory.add(blog.id, "REST", [listed("a")])
    archive.blogs.inventory.clear(blog.id, "REST")
    assert archive.blogs.inventory.counts(blog.id) == {}


def test_the_last_verdict_is_kept_with_the_blog_and_its_events(archive, blog):
    assert archive.blogs.inventory.last_verdict(blog.id) is None
    short = {"posts": "no", "comments": "yes", "missing": 2, "excused": 1, "checked_at": NOW.isoformat()}
    event = Event(blog_id=blog.id, kind="completeness", at=NOW, reason="not all posts are here")
    archive.blogs.inventory.keep_verdict(blog.id, short, events=[event])
    assert archive.blogs.inventory.last_verdict(blog.id) == short
    assert [each.kind for each in archive.events(blog_id=blog.id)] == ["completeness"]
    [outline] = archive.blogs.outlines()
    assert (outline.completeness, outline.figures.missing_posts) == (short, 2)


def test_comments_that_a_source_lists_stand_beside_its_posts(archive, blog):
    inventory = archive.blogs.inventory
    inventory.add(blog.id, "REST", [listed("7", locked="password")])
    inventory.add_comments(blog.id, "REST", [
        NotedComment(post_key=canonical(HOME + name), number=number, url=f"{HOME}{name}#{number}")
        for name, number in (("7", "7"), ("7", "8"), ("9", "10"), ("7", "8"))
    ])
    assert inventory.comments_by_post(blog.id, "REST") == {"a.example/7": 2, "a.example/9": 1}
    assert inventory.comments_of(blog.id, "REST") == {"7", "8", "10"}
    # They are no posts: neither counted nor missing, and no post is on the list because of its comments.
    assert inventory.counts(blog.id) == {"REST": 1}
    assert [each.key for each in inventory.of(blog.id, "REST", kind=None)] == ["a.example/7"]
    assert [each.key for each in inventory.unheld(blog.id)] == ["a.example/7"]
    store(archive, blog, held(blog, "9"))
    assert inventory.unlisted(blog.id, "REST")[0] == 1
    inventory.clear(blog.id, "REST")
    assert inventory.comments_of(blog.id, "REST") == set()


def test_how_many_comments_posts_have_is_counted_by_post(archive, blog):
    store(archive, blog, held(blog, "7"))
    assert archive.comments.by_post(blog.id) == {}
