"""A week of two hundred blogs, polled by the real schedule. It needs no corpus: the rhythms are made up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def week(tmp_path_factory):
    no_corpus = tmp_path_factory.mktemp("no-corpus")
    return subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "watch_month.py", no_corpus, "--blogs", "200", "--days", "7", "--json"],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )


def test_every_promise_is_kept(week):
    assert week.returncode == 0, week.stderr
    assert "made-up rhythms" in week.stderr
    found = json.loads(week.stdout)
    own = found["rows"][0]
    assert found["missed"] == []
    assert found["early"] == found["to_the_dead"] == 0
    assert own["median_delay"] <= 1
    assert own["polls_per_day"] <= 10


def test_no_fixed_interval_with_as_few_requests_finds_posts_as_soon(week):
    own, *others = json.loads(week.stdout)["rows"][:6]
    assert [other["name"] for other in others] == [f"every {hours} h" for hours in (1, 3, 11, 17, 24)]
    for other in others:
        assert own["median_delay"] < other["median_delay"] or own["polls_per_day"] < other["polls_per_day"]


def test_memory_does_not_grow(week):
    first, *_, last = [now for now, _ in json.loads(week.stdout)["memory"].values()]
    assert last < first + 10
