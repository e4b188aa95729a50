"""`everlog watch` as users start it, against a web server on loopback."""

from __future__ import annotations

import configparser
import shlex
import signal
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

import a_blog
from cli.program import begin, everlog
from cli.sites import POSTS, Gate, put_feed, put_post, serve_small
from everlog.archive import open_archive
from everlog.cli.app import COMMANDS

PACKAGING = Path(__file__).parents[2] / "packaging"
FAST = ("--delay", "0")


def crawl(server, here) -> str:
    url = serve_small(server)
    assert everlog("crawl", url, *FAST, "-q", folder=here).code == 0
    server.seen.clear()
    return url


def make_due(here: Path) -> None:
    """Whatever was to be asked later is to be asked now."""
    with open_archive(here / "everlog-archive") as archive:
        for blog in archive.blogs():
            poll = archive.polls.of(blog.id)
            assert poll is not None
            long_ago = datetime(2024, 1, 1, tzinfo=UTC)
            archive.polls.set(replace(poll, polling=replace(poll.polling, due_at=long_ago, not_before=None)))


def test_a_watch_asks_what_is_due_and_archives_what_is_new(server, here):
    url = crawl(server, here)
    first = everlog("watch", "--once", "--json", *FAST, folder=here)
    assert (first.code, first.json["watched"], first.json["polls"]) == (0, 1, [])
    make_due(here)
    put_post(server, POSTS + 1)
    put_feed(server, [a_blog.item(number, link=f"{url}{number}") for number in range(POSTS + 1, POSTS - 4, -1)])
    done = everlog("watch", "--once", "--json", *FAST, folder=here)
    assert done.code == 0
    [line] = done.json["polls"]
    assert (line["blog"], line["seen"], line["new_posts"]) == (url, "changed", 1)
    assert line["next_poll"] > line["at"]
    assert line["why"]


@pytest.mark.slow
def test_an_unchanged_feed_costs_one_conditional_request(server, here):
    crawl(server, here)
    everlog("watch", "--once", *FAST, folder=here)
    for _ in range(2):
        server.seen.clear()
        make_due(here)
        done = everlog("watch", "--once", "--json", *FAST, folder=here)
        assert [each["seen"] for each in done.json["polls"]] == ["unchanged"]
    assert [seen.path for seen in server.seen] == ["/feed.xml"]


@pytest.mark.slow
def test_a_signal_ends_a_watch_in_good_order(server, here):
    crawl(server, here)
    everlog("watch", "--once", *FAST, folder=here)
    make_due(here)
    server.routes["/feed.xml"] = gate = Gate(b"")
    running = begin("watch", *FAST, folder=here)
    assert gate.asked.wait(300)
    running.send_signal(signal.SIGTERM)
    _, said = running.communicate(timeout=300)
    gate.opened.set()
    assert running.returncode == 130
    assert "Traceback" not in said


def test_without_a_finished_blog_there_is_nothing_to_watch(here):
    with open_archive(here / "everlog-archive", create=True):
        pass
    done = everlog("watch", folder=here)
    assert done.code == 2
    assert "everlog crawl" in done.err


def test_the_service_starts_a_command_that_exists():
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(PACKAGING / "everlog-watch.service")
    program, command, *_ = shlex.split(unit["Service"]["ExecStart"])
    assert (Path(program).name, command in COMMANDS) == ("everlog", True)
    assert unit["Service"]["SuccessExitStatus"] == "130"
