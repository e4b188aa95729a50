"""kill -9 of the whole crawler, at every write point and at random moments: nothing lost, doubled or dangling."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import a_blog
from everlog.archive.db import schema
from everlog.archive.files.durable import WRITE_POINTS
from fetch.servers import Server, reply
from usecases.kill_harness import Crawler, Death, Place, damage, shortfall

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

POSTS = 16
PER_LIST = 4
RANDOM_KILLS = 30
KILLS_EACH = 6
# What one crawl passes only once.
ONCE = frozenset({"schema-open", "cut-begin", "cut-done"})
UPGRADES = [point for point in WRITE_POINTS if point.startswith("migration")]
POINTS = [point for point in WRITE_POINTS if point not in UPGRADES]
LATER = """
from alembic import op
import sqlalchemy as sa
revision = "9001"
down_revision = "{before}"
def upgrade():
    op.add_column("posts", sa.Column("extra", sa.Text))
"""


def pages(home: str) -> dict[str, bytes]:
    """Home, list pages, posts with a picture each, a feed of the newest."""
    numbers = list(range(POSTS, 0, -1))
    routes = {"/robots.txt": reply(body="User-agent: *\n", Content_Type="text/plain")}
    for place in range(1, POSTS // PER_LIST + 1):
        shown = numbers[(place - 1) * PER_LIST : place * PER_LIST]
        teasers = "".join(f"<h2><a href=/{n}>Post {n} of ours</a></h2><p>{a_blog.sentence(str(n))}</p>" for n in shown)
        body = (
            "<html><head><title>A Blog</title><link rel=alternate type=application/rss+xml href=/feed.xml>"
            "<link rel=stylesheet href=/style.css></head>"
            f"<body><div class=list>{teasers}</div><a href=/page/{place + 1}>Older posts</a></body></html>"
        )
        routes["/" if place == 1 else f"/page/{place}"] = reply(body=body)
    routes[f"/page/{POSTS // PER_LIST + 1}"] = reply(body="<html><body><p>There is nothing older.</p></body></html>")
    routes["/style.css"] = reply(body="@import 'more.css'; p { background: url(dot.png) }", Content_Type="text/css")
    routes["/more.css"] = reply(body="p { background: url(dot.png) }", Content_Type="text/css")
    routes["/dot.png"] = reply(body=b"\x89PNG dot", Content_Type="image/png")
    routes["/about"] = reply(body="<html><body><p>All about us and nothing else.</p></body></html>")
    for number in numbers:
        article = f"{a_blog.article(number)}<p><img src=/picture-{number}.png alt=''></p>"
        routes[f"/{number}"] = reply(body=a_blog.page(number, article))
        routes[f"/picture-{number}.png"] = reply(body=b"\x89PNG %d" % number * 500, Content_Type="image/png")
    items = [a_blog.item(number, link=f"{home}{number}") for number in numbers[:5]]
    routes["/feed.xml"] = reply(body=a_blog.rss(items), Content_Type="application/rss+xml")
    return routes


@pytest.fixture(scope="module")
def home() -> Iterator[str]:
    with Server() as server:
        server.routes.update(pages(server.url()))
        yield server.url()


@pytest.fixture(scope="module")
def home_without_feed() -> Iterator[str]:
    with Server() as server:
        server.routes.update(pages(server.url()))
        del server.routes["/feed.xml"]
        yield server.url()


@pytest.fixture(scope="module")
def crawler() -> Iterator[Crawler]:
    with Crawler() as server:
        yield server


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(folder=tmp_path / "archive", log=tmp_path / "log")


def finish(crawler: Crawler, home: str, place: Place) -> None:
    assert not crawler.killed(home, place)
    assert damage(place) == []
    numbers = range(1, POSTS + 1)
    assert shortfall(
        place, [f"{home}{number}" for number in numbers], [f"{home}picture-{number}.png" for number in numbers],
        [f"{home}{name}" for name in ("style.css", "more.css", "dot.png")],
    ) == []


@pytest.mark.parametrize("point", POINTS)
def test_a_crawl_killed_at_a_write_point_goes_on_and_loses_nothing(point, crawler, home, place):
    deaths = 0
    # A crawl that was killed goes on, and so comes by at the point again.
    for passage in (1,) if point in ONCE else (1, 3):
        deaths += crawler.killed(home, place, Death(point=point, passage=passage))
        assert damage(place) == []
    assert deaths
    finish(crawler, home, place)


@pytest.mark.parametrize("point", UPGRADES)
def test_a_crawl_killed_while_it_upgrades_the_archive_goes_on_and_loses_nothing(point, crawler, home, tmp_path):
    before = Place(folder=tmp_path / "archive", log=tmp_path / "log")
    assert crawler.killed(home, before, Death(point="committed", passage=2))
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "r9001.py").write_text(LATER.format(before=schema.HEAD))
    place = Place(folder=before.folder, log=before.log, later=("9001", tmp_path / "scripts"))
    assert crawler.killed(home, place, Death(point=point))
    finish(crawler, home, place)


@pytest.mark.parametrize("seed", range(RANDOM_KILLS // KILLS_EACH))
def test_a_crawl_killed_at_random_moments_goes_on_and_loses_nothing(seed, crawler, home, tmp_path):
    kill_at_random(seed, crawler, home, tmp_path)


@pytest.mark.parametrize("seed", range(2))
def test_a_crawl_without_a_feed_killed_at_random_moments_goes_on_and_loses_nothing(
    seed, crawler, home_without_feed, tmp_path,
):
    kill_at_random(seed, crawler, home_without_feed, tmp_path)


def kill_at_random(seed: int, crawler: Crawler, home: str, folder: Path) -> None:
    chance = random.Random(seed)  # noqa: S311 - not a secret
    deaths = archives = 0
    while deaths < KILLS_EACH:
        place = Place(folder=folder / f"archive-{archives}", log=folder / f"log-{archives}")
        while deaths < KILLS_EACH and crawler.killed(home, place, Death(points=chance.randrange(1, 40))):
            deaths += 1
            assert damage(place) == []
        # Some crawls come to their end before their time; the next kill is that of another one.
        archives += 1
        finish(crawler, home, place)


def test_the_real_warc_checker_accepts_what_a_killed_crawl_left(crawler, home, place):
    assert crawler.killed(home, place, Death(point="warc-half-record", passage=9))
    finish(crawler, home, place)
    files = sorted(place.folder.glob("warc/*.warc.gz"))
    checked = subprocess.run([sys.executable, "-m", "warcio.cli", "check", *files], capture_output=True, check=False)
    assert (checked.returncode, checked.stdout) == (0, b"")


def test_the_harness_itself_sees_a_promise_that_was_not_kept(crawler, home, place):
    assert crawler.killed(home, place, Death(point="committed", passage=3))
    with place.log.open("a") as log:
        log.write("127.0.0.1/nowhere\tpost\tnew\t999\n")
    assert len([problem for problem in damage(place) if problem.startswith("lost: ")]) == 2
