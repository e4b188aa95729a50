"""What is on the screen while a command runs: at once, at every width, and when it is stopped."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from cli.program import PATIENCE_SECONDS, environment
from cli.sites import hold_back, serve_small
from cli.terminal import on_terminal
from everlog.cli.terminal.crawl_progress import STOPPING, line_of, lines_of
from everlog.records import Wait
from everlog.records.figures import Figures
from everlog.usecases.crawl.report import Tally

if TYPE_CHECKING:
    from pathlib import Path

    from fetch.servers import Server

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
# What takes long to load: the web, the database, the learner.
HEAVY = re.compile(r"\| +(scrapy|twisted|sqlalchemy|lxml|numpy|rich|everlog\.archive|everlog\.flow\.crawl)\b")
COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-9][0-9;]*m")
LONG_COMMANDS = {
    "crawl": ("crawl", "http://127.0.0.1:9/", "--cookies", "missing.txt"),
    "update": ("update",),
    "inspect": ("inspect", "http://127.0.0.1:9/", "--cookies", "missing.txt"),
    "watch": ("watch",),
    "reread": ("reread",),
    "verify": ("verify",),
    "export": ("export", "-o", "posts.jsonl"),
    "evaluate": ("evaluate", "missing"),
}


NOW_HELD = Figures(
    posts=1234, comments=23456, media=345, waiting_media=67, missing_posts=12, media_missing=89, waiting_pages=4321,
)


def a_tally(**figures) -> Tally:
    known = {
        "doing": "fetching pages", "now": NOW_HELD, "expected": 5678, "visited": 1300, "seconds": 650.0,
        "waits": (Wait(host="pictures.a-long-name.example", until=NOW + timedelta(seconds=75),
                       why="the server answered 429"),),
    }
    return Tally(blog="https://a.rather.long.name.of.a.blog.example/notes/", **known | figures)


@pytest.mark.parametrize("words", [
    pytest.param(words, marks=[] if name in {"crawl", "export"} else pytest.mark.slow, id=name)
    for name, words in LONG_COMMANDS.items()
])
def test_the_first_line_is_there_before_anything_is_loaded_that_takes_long(words: tuple[str, ...], tmp_path: Path):
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "everlog", *words], cwd=tmp_path, env=environment(),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS,
    )
    lines = ended.stderr.splitlines()
    first = next(number for number, line in enumerate(lines) if not line.startswith("import time:"))
    assert words[0][:5] in lines[first] or words[0] in {"inspect", "reread"}
    assert re.search(r": (starting|opening the archive)$", lines[first])
    assert [line for line in lines[:first] if HEAVY.search(line)] == []


@pytest.mark.parametrize("width", [120, 80, 60, 40, 25])
def test_no_live_line_is_wider_than_the_terminal_and_no_figure_is_broken(width: int):
    tally = a_tally()
    lines = lines_of(tally, NOW, width)
    assert [line for line in lines if len(line) > width] == []
    shown = "\n".join(lines)
    known = {"1234", "5678", "23456", "345", "501", "12", "89", "1", "15", "2.0", "36", "4321", "0", "429"}
    assert set(re.findall(r"\d[\d.]*", shown)) <= known
    assert "1234 of 5678 posts" in shown


def test_the_least_important_figures_make_way_first():
    at_80, at_40 = ("\n".join(lines_of(a_tally(), NOW, width)) for width in (80, 40))
    assert all(part in at_80 for part in ("23456 comments", "345 of 501 media", "12 pages missing", "36 min"))
    assert all(part in at_40 for part in ("1234 of 5678 posts", "12 pages missing", "89 media missing"))
    assert "pages/s" not in at_40


def test_files_of_the_design_that_wait_are_counted_down_and_stand_first_where_no_page_waits():
    designed = replace(NOW_HELD, requisites=90, requisites_missing=3, waiting_requisites=708)
    assert lines_of(a_tally(now=designed), NOW, 200)[1].endswith("93 of 801 design files")
    alone = replace(designed, waiting_pages=0)
    for width in (80, 40):
        assert lines_of(a_tally(now=alone), NOW, width)[1].startswith("  93 of 801 design files")
    done = replace(alone, requisites=798, waiting_requisites=0)
    assert "design" not in line_of(a_tally(now=done), NOW)


def test_a_live_line_says_what_is_waited_for_and_how_long_a_step_takes():
    [head, wait] = lines_of(
        a_tally(doing="looking for the feed", now=replace(NOW_HELD, posts=0), visited=0), NOW, 80, step_seconds=7.4,
    )
    assert head.endswith("  looking for the feed (7 s)")
    assert wait == "  waiting 1 min 15 s for pictures.a-long-name.example (the server answered 429)"


def test_elsewhere_the_same_stands_in_one_line():
    line = line_of(a_tally(), NOW)
    assert "\n" not in line
    assert all(part in line for part in ("1234 of 5678 posts", "89 media missing", "2.0 pages/s", "waiting 1 min 15 s"))


@pytest.mark.parametrize(("columns", "variables"), [(80, {}), (40, {"NO_COLOR": "1"})])
def test_a_crawl_is_seen_on_a_terminal_and_ctrl_c_is_answered_at_once(
    server: Server, tmp_path: Path, columns: int, variables: dict[str, str],
):
    home = serve_small(server)
    gate = hold_back(server, "/1")
    words = ("crawl", home, "--delay", "0", "--no-comments", "-v")
    with on_terminal(*words, folder=tmp_path, columns=columns, **variables) as running:
        running.wait_for(r"^crawling http")
        shown = running.wait_for(r"127\.0\.0\.1:\d+  fetching pages\n(?:  .*\n)*  \d+ (?:of \d+ )?posts.*")[0]
        assert [line for line in shown.splitlines() if len(line.rstrip()) > columns] == []
        # Log lines stand above the live ones, whole.
        assert re.search(r"^\d\d:\d\d:\d\d post: http", str(running.screen), re.MULTILINE)
        assert gate.asked.wait(PATIENCE_SECONDS)
        running.process.send_signal(signal.SIGINT)
        assert running.wait_for_end() == 130
        gate.opened.set()
        said = COLOUR.sub("", running.screen.written).replace("\x1b[0m", "")
        assert STOPPING.split() == re.findall(r"\S+", said[said.index(STOPPING[:9]) :])[: len(STOPPING.split())]
        assert (COLOUR.search(running.screen.written) is not None) == (not variables)
        # The live lines are gone, what is left are log lines and the summary.
        assert "fetching pages" not in str(running.screen)


def test_without_a_terminal_ctrl_c_is_answered_too(server: Server, tmp_path: Path):
    home = serve_small(server)
    gate = hold_back(server, "/1")
    running = subprocess.Popen(
        [sys.executable, "-m", "everlog", "crawl", home, "--delay", "0"], cwd=tmp_path, env=environment(),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )
    with running:
        assert gate.asked.wait(PATIENCE_SECONDS)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=PATIENCE_SECONDS)
        gate.opened.set()
    lines = said.splitlines()
    assert lines[0] == f"crawling {home}: starting"
    assert STOPPING in lines
    assert running.returncode == 130


def test_findings_go_to_the_file_that_stdout_is_though_stderr_is_a_terminal(kept: str, here: Path):
    for file in (here / "everlog-archive").rglob("*.warc.gz"):
        os.truncate(file, 100)
    with (
        (here / "findings.txt").open("wb") as file,
        on_terminal("verify", folder=here, stdout=file.fileno()) as running,
    ):
        assert running.wait_for_end() == 8
    assert (here / "findings.txt").read_text("utf-8").strip()
