"""The world that watching is measured in: the same from the same seed, and true to its own story."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent.parent / "benchmarks"


@pytest.fixture
def making(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import watch_making

    return watch_making


@pytest.fixture
def sources(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import watch_sources

    return watch_sources.synthetic_sources()


def test_the_same_seed_makes_the_same_blogs_however_many(making, sources):
    few, many = (making.make_world(sources, blogs=count, days=30, seed=7) for count in (5, 50))
    assert few.blogs == many.blogs[:5]
    assert few.blogs != making.make_world(sources, blogs=5, days=30, seed=8).blogs


def test_everything_happens_somewhere_and_within_its_time(making, sources):
    world = making.make_world(sources, blogs=2000, days=30, seed=1)
    posts = [post for blog in world.blogs for post in blog.posts]
    assert {blog.death.how for blog in world.blogs if blog.death} == {"gone", "not-found", "dns", "new-owner"}
    assert {blog.move.kind for blog in world.blogs if blog.move} == {"feed", "domain"}
    assert {spell.status for blog in world.blogs for spell in blog.spells} == {429, 503}
    assert {post.deletion.how for post in posts if post.deletion} == {"gone", "not-found", "home", "unlisted"}
    assert {edit.shown for post in posts for edit in post.edits} == {True, False}
    assert any(blog.redesigned_at for blog in world.blogs)
    assert any(post.comments for post in posts)
    assert all(post.published_at < world.end_at for post in posts)
    assert all(post.deletion.at - post.published_at >= timedelta(days=1) for post in posts if post.deletion)
    month = [post for post in posts if post.published_at >= world.start_at]
    assert len(month) > len(world.blogs)


def test_a_feed_lists_the_newest_and_its_version_tells_every_change(making, sources):
    world = making.make_world(sources, blogs=60, days=30, seed=3)
    for blog in world.blogs:
        moments = [world.start_at, *blog.changes, world.end_at]
        for before, after in pairwise(moments):
            listed = blog.listed_at(after)
            assert len(listed) <= blog.feed_length
            assert [post.published_at for post in listed] == sorted(
                (post.published_at for post in listed), reverse=True)
            if listed != blog.listed_at(before) and before < after:
                assert blog.version_at(before) < blog.version_at(after)
            assert all(post.page_at(after) == "there" for post in listed)


def test_blogs_answer_move_and_die_when_their_story_says_so(making, sources):
    world = making.make_world(sources, blogs=1000, days=30, seed=2)
    second = timedelta(seconds=1)
    for blog in world.blogs:
        if blog.death:
            assert blog.answer_at(blog.death.at - second)[0] == 200
            assert blog.answer_at(blog.death.at)[0] in {410, 404, None}
        if blog.move:
            before, after = blog.move.at - second, blog.move.at
            assert blog.feed_url_at(before) != blog.feed_url_at(after)
            assert (blog.home_at(before) != blog.home_at(after)) == (blog.move.kind == "domain")
        for spell in blog.spells:
            assert blog.answer_at(spell.begins_at)[0] in {429, 503}
