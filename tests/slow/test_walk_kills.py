"""kill -9 in the middle of a walk over a blog's interface: it goes on where it was, and loses nothing."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from cli.program import everlog
from everlog.archive import open_archive
from history.served import served_site, url_of
from usecases.a_told_site import ToldBlog
from usecases.kill_harness import Crawler, Death, Place, damage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fetch.servers import Server

POSTS, COMMENTS = 60, 30
# 25 posts a request, where the server has little memory (and refuses 100): a walk of several requests.
TRAPS = {"small-memory", "half"}
# What every answer passes that is stored. The walk passes each a dozen times.
POINTS = ("warc-half-record", "committed")
KILLS = (2, 3, 4, 5)


@pytest.fixture(scope="module")
def crawler() -> Iterator[Crawler]:
    with Crawler() as server:
        yield server


@pytest.fixture
def site() -> Iterator[tuple[ToldBlog, Server]]:
    blog = ToldBlog.of(POSTS, comments=COMMENTS, traps=TRAPS)
    with served_site(blog) as server:
        yield blog, server


def interface_requests(server: Server) -> list[str]:
    return [url_of(seen) for seen in server.seen if "/wp-json/" in seen.path]


@pytest.mark.parametrize("point", POINTS)
def test_a_walk_killed_at_a_write_point_goes_on_where_it_was(point, crawler, site, tmp_path):
    blog, server = site
    place = Place(folder=tmp_path / "archive", log=tmp_path / "log")
    deaths = 0
    for passage in KILLS:
        deaths += crawler.killed(blog.home, place, Death(point=point, passage=passage))
        assert damage(place) == []
    assert deaths >= 2
    assert not crawler.killed(blog.home, place)
    assert damage(place) == []
    with open_archive(place.folder, create=False) as archive:
        posts = list(archive.posts())
        # Nothing is lost, nothing is there twice.
        assert sorted(post.url for post in posts) == sorted(blog.links)
        assert sum(len(post.comments) for post in posts) == COMMENTS
        assert {post.version for post in posts} == {1}
        assert all(post.warc is not None for post in posts)
    # Again is asked for what was in flight, and for the page of posts whose authors and tags were being asked for.
    asked = Counter(url for url in interface_requests(server) if "per_page=100" not in url)
    twice = {url: count for url, count in asked.items() if count > 1}
    assert sum(twice.values()) - len(twice) <= 2 * deaths, twice
    # Every request is in the ledger but for what was in flight.
    told = everlog("status", "--politeness", "--json", "--archive", str(place.folder), folder=tmp_path)
    missing = len(server.seen) - sum(row["requests"] for row in json.loads(told.out))
    assert 0 <= missing <= 2 * deaths
