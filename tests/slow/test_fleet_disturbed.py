"""A fleet whose parts die, lose the network or share a host: nothing is lost or doubled, nobody is asked too often."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

KILLS = 3
ROOT = Path(__file__).parents[2]
# What may be missing of a delay of half a second: a machine that is used by others, too, may stand still for as long
# between a request's turn and its arrival. Workers that did not heed each other would ask at the same moment. Where
# nobody stands still nothing is missing, which the benchmark itself holds to.
STANDSTILL = ("--tolerance", "0.25")


def measured(script: str, *words: str) -> Any:
    """What a benchmark found; it ends with 1 if anything is wrong, and says what."""
    command = [sys.executable, str(ROOT / "benchmarks" / script), "--json", *words]
    paths = os.pathsep.join(str(ROOT / folder) for folder in ("benchmarks", "tests"))
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, check=False, timeout=900,
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def disturbed() -> dict[str, dict[str, Any]]:
    """Six made blogs, three workers: three killed at work; the queue emptied; the database restarted."""
    words = ["--made", "6", "--posts", "110", "--workers", "3", "--every", "3", "--delay", "0.2", "--jobs", "1000"]
    # A blog takes longer than three seconds on any machine, by its server's delay: so often one is killed at work.
    words += ["--most", str(KILLS)]
    return {outcome["part"]: outcome for outcome in measured("fleet_kills.py", *words)}


@pytest.mark.parametrize("part", ["workers", "redis", "postgres"])
def test_nothing_is_lost_or_doubled_and_every_blog_is_finished(disturbed, part):
    # What share of requests is repeated is measured on forty blogs: of six small ones, each request is half a per cent.
    assert [text for text in disturbed[part]["wrong"] if "requests repeated" not in text] == []


def test_workers_were_killed_in_the_middle(disturbed):
    assert disturbed["workers"]["figures"]["disturbed"] == KILLS


def test_a_worker_that_lost_the_network_is_replaced_and_its_late_writes_are_refused():
    [outcome] = measured("fleet_partition.py", "--rounds", "1", "--posts", "40", *STANDSTILL)
    assert outcome["wrong"] == []


def test_a_host_that_many_workers_ask_is_asked_no_faster_than_it_allows():
    found = measured("fleet_politeness.py", "--posts", "8", "--delay", "0.5", *STANDSTILL)
    assert found["too close"] == []
    assert found["posts"] == found["wanted posts"]
    assert min(found["requests of shared hosts"].values()) > 20
