"""kill -9 at every point of writing: what was acknowledged is there, once, and the run goes on."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import TYPE_CHECKING

import kill_runs
import pytest
from places import Place

from everlog.archive.files.durable import WRITE_POINTS

if TYPE_CHECKING:
    from pathlib import Path

POINTS = [point for point in WRITE_POINTS if not point.startswith("migration")]
# Where a database on a server makes a difference.
AT_DATABASE = ["warc-synced", "transaction-open", "transaction-half", "transaction-full", "committed"]
# What a single run passes only once.
ONCE = {"schema-open", "cut-begin", "cut-done"}
RANDOM_KILLS = 20


def finish(place: Place, acknowledged: Path) -> None:
    assert kill_runs.damage(place, acknowledged) == []
    assert not kill_runs.killed_at(place, acknowledged, point="none", passage=1, group=4)
    assert kill_runs.damage(place, acknowledged) == []
    assert len(set(acknowledged.read_text().splitlines())) <= kill_runs.STEPS


def killed_at(point: str, place: Place, acknowledged: Path, passages: tuple[int, ...] = (1, 2, 3)) -> None:
    deaths = 0
    for passage in (1,) if point in ONCE else passages:
        # A run that was killed goes on, and so comes by at the point again.
        deaths += kill_runs.killed_at(place, acknowledged, point=point, passage=passage, group=3)
        assert kill_runs.damage(place, acknowledged) == []
    assert deaths
    finish(place, acknowledged)


@pytest.mark.parametrize("point", POINTS)
def test_a_run_killed_at_a_write_point_loses_and_doubles_nothing(point, tmp_path):
    killed_at(point, Place(folder=tmp_path / "archive"), tmp_path / "acknowledged", passages=(2,))


@pytest.mark.slow
@pytest.mark.parametrize("point", [point for point in POINTS if point not in ONCE])
def test_a_run_killed_three_times_at_a_write_point_loses_and_doubles_nothing(point, tmp_path):
    killed_at(point, Place(folder=tmp_path / "archive"), tmp_path / "acknowledged")


@pytest.mark.parametrize("point", AT_DATABASE)
def test_a_run_killed_at_a_write_point_of_a_shared_database_loses_and_doubles_nothing(point, shared, tmp_path):
    killed_at(point, shared, tmp_path / "acknowledged")


def test_a_run_killed_while_it_makes_the_tables_of_a_shared_database_leaves_none(postgres_url, tmp_path):
    killed_at("schema-open", Place(folder=tmp_path / "archive", url=postgres_url), tmp_path / "acknowledged")


@pytest.mark.slow
def test_runs_killed_at_random_moments_lose_and_double_nothing(tmp_path):
    chance = random.Random(7)  # noqa: S311 - not a secret
    deaths = archives = 0
    while deaths < RANDOM_KILLS:
        place = Place(folder=tmp_path / f"archive-{archives}")
        acknowledged = tmp_path / f"acknowledged-{archives}"
        while deaths < RANDOM_KILLS and kill_runs.killed_around(
            place, acknowledged, passages=chance.randrange(1, 80), group=chance.choice([0, 1, 3]),
        ):
            deaths += 1
            assert kill_runs.damage(place, acknowledged) == []
        # Some runs come to their end before their time; the next kill is that of another one.
        archives += 1
        finish(place, acknowledged)


def test_a_run_killed_again_and_again_comes_to_its_end(tmp_path):
    place = Place(folder=tmp_path / "archive")
    acknowledged = tmp_path / "acknowledged"
    deaths = 0
    while kill_runs.killed_at(place, acknowledged, point="committed", passage=2, group=2):
        deaths += 1
    assert deaths == kill_runs.STEPS // 4
    finish(place, acknowledged)


def test_the_real_warc_checker_accepts_what_a_killed_run_left(tmp_path):
    place = Place(folder=tmp_path / "archive")
    acknowledged = tmp_path / "acknowledged"
    assert kill_runs.killed_at(place, acknowledged, point="warc-half-record", passage=20, group=3)
    finish(place, acknowledged)
    files = sorted(place.folder.glob("warc/*.warc.gz"))
    assert len(files) > 1
    checked = subprocess.run([sys.executable, "-m", "warcio.cli", "check", *files], capture_output=True, check=False)
    assert (checked.returncode, checked.stdout) == (0, b"")


def test_the_harness_itself_sees_a_promise_that_was_not_kept(tmp_path):
    place = Place(folder=tmp_path / "archive")
    acknowledged = tmp_path / "acknowledged"
    assert kill_runs.killed_at(place, acknowledged, point="committed", passage=3, group=3)
    with acknowledged.open("a") as log:
        log.write("step 39\n")
    assert any("step 39 was acknowledged" in problem for problem in kill_runs.damage(place, acknowledged))
