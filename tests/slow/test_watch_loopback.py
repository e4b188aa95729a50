"""The real watch over some days of a made world, on loopback: nothing missed or invented, nobody asked too early."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """Fifty blogs over three days, and ten quiet days in which what needs proof can be proved; the benchmark has more.

    That takes minutes: of several processes that run tests, the first does it, and the others wait for its figures.
    """
    is_alone = "PYTEST_XDIST_WORKER" not in os.environ
    base = tmp_path_factory.getbasetemp()
    told = (base if is_alone else base.parent) / "watch-loopback.json"
    with told.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not told.exists():
            words = [sys.executable, str(BENCHMARKS / "watch_loopback.py"), "--blogs", "50", "--json", *_corpus()]
            done = subprocess.run(
                words, env=os.environ | {"PYTHONPATH": str(BENCHMARKS)}, capture_output=True, text=True, check=False,
            )
            assert done.stdout, done.stderr
            told.write_text(done.stdout, "utf-8")
    return dict(json.loads(told.read_text("utf-8")))


def _corpus() -> list[str]:
    corpus = os.environ.get("EVERLOG_CORPUS")
    return [corpus] if corpus else []


def test_no_post_is_missed_nothing_is_invented_and_nobody_is_asked_who_must_not_be(figures):
    assert figures["examples"] == []


def test_every_text_is_read_rightly_before_and_after_a_redesign(figures):
    assert figures["texts of new posts, right"] == figures["texts of new posts"] > 0
    assert figures.get("texts of after a redesign, right") == figures.get("texts of after a redesign")


def test_every_edit_that_the_feed_shows_is_in_the_ledger(figures):
    assert figures["posts edited, as the feed shows: told"] == figures["posts edited, as the feed shows"] > 0


@pytest.mark.parametrize("kind", ["dead", "other-owner", "moved", "feed-moved"])
def test_every_end_and_move_of_a_blog_is_in_the_ledger(figures, kind):
    assert figures[f"{kind}: told"] == figures[f"{kind}: happened"]


@pytest.mark.parametrize("how", ["gone", "not-found", "home"])
def test_every_deletion_of_a_post_in_the_feed_is_in_the_ledger(figures, how):
    name = f"posts deleted ({how}), in the feed"
    assert figures.get(f"{name}: told", 0) == figures.get(name, 0)


def test_feeds_are_asked_ten_times_a_day_at_most(figures):
    assert figures["polls per blog and day"] <= 10
