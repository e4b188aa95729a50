"""Output that cannot be written: full disks, closed streams and wrong places are told, and are no bugs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from subprocess import CompletedProcess
from typing import IO

import pytest

import launcher
from cli.program import PATIENCE_SECONDS, command, environment

FULL = Path("/dev/full")
needs_full_device = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full")


def ended(*words: str, stdout: IO[str] | None = None, stderr: IO[str] | None = None) -> CompletedProcess[str]:
    """A command whose streams are wherever the test wants them; one that is not given is read."""
    _, *arguments = command(*words)
    files = {name: file and file.fileno() for name, file in {"stdout": stdout, "stderr": stderr}.items()}
    done = launcher.run(arguments, env=environment(), **files)
    return CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def through_shell(line: str, *words: str) -> CompletedProcess[str]:
    """A command whose streams a shell bends: `"$@"` stands for it."""
    return subprocess.run(
        ["sh", "-c", line, "sh", *command(*words)], env=environment(), stdin=subprocess.DEVNULL, text=True, check=False,
        capture_output=True, timeout=PATIENCE_SECONDS,
    )


@needs_full_device
@pytest.mark.parametrize("words", [
    ("export",), ("status",), ("rules", "--json"), ("--version",),
], ids=" ".join)
def test_a_full_disk_behind_stdout_is_told_in_two_lines_and_exits_6(kept, words):
    with FULL.open("w") as full:
        done = ended(*words, stdout=full)
    assert done.returncode == 6, done.stderr
    *_, what, advice = done.stderr.splitlines()
    assert "disk full" in what
    assert advice.startswith("  ")
    assert "bug" not in done.stderr
    assert "Exception ignored" not in done.stderr


@needs_full_device
def test_a_full_disk_behind_a_named_file_exits_6(kept):
    done = ended("export", "-o", str(FULL), "--format", "jsonl")
    assert (done.returncode, done.stdout) == (6, "")
    assert "disk full" in done.stderr


def test_a_disk_that_fills_while_posts_are_written_exits_6_and_leaves_no_half_file(kept, here):
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not installed")
    folder = here / "small"
    folder.mkdir()
    mounted = f'mount -t tmpfs -o size=16k small "{folder}" || exit 77; "$@"; code=$?; ls -A "{folder}"; exit $code'
    script = ["unshare", "-rm", "sh", "-c", mounted, "sh", *command("export", "-o", str(folder / "posts.jsonl"))]
    done = subprocess.run(
        script, env=environment(), capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS,
    )
    if done.returncode in {1, 77} and "bug" not in done.stderr:
        pytest.skip(f"no mount is allowed here: {done.stderr}")
    assert (done.returncode, done.stdout) == (6, ""), done.stderr
    assert "disk full" in done.stderr


@pytest.mark.parametrize("words", [("export",), ("status", "--json")], ids=" ".join)
def test_a_closed_stdout_exits_2_and_says_so(kept, words):
    done = through_shell('"$@" >&-', *words)
    assert done.returncode == 2
    assert "stdout is closed" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("  ")


def test_a_command_that_prints_no_data_needs_no_stdout(kept):
    done = through_shell('"$@" >&-', "forget", kept)
    assert done.returncode == 0, done.stderr


def test_closed_streams_do_not_let_the_database_take_their_numbers(kept):
    done = through_shell('"$@" <&- >&- 2>&-', "forget", kept)
    assert done.returncode == 0
    assert ended("verify").returncode == 0


@needs_full_device
def test_what_cannot_be_said_on_stderr_stops_no_work(kept):
    with FULL.open("w") as full:
        done = ended("forget", kept, stderr=full)
    assert done.returncode == 0


def test_a_disk_without_room_for_what_the_database_shares_is_a_full_disk(kept):
    done = through_shell('ulimit -f 8; exec "$@"', "reread")
    assert done.returncode == 6
    assert "disk full: " in done.stderr
    assert "free some space, then run the same command again" in done.stderr


@needs_full_device
@pytest.mark.parametrize("command", ["reread", "verify"])
def test_progress_that_cannot_be_told_stops_no_work(kept, command):
    with FULL.open("w") as full:
        done = ended(command, stderr=full)
    assert done.returncode == 0


def test_work_goes_on_when_nobody_listens_any_more(kept):
    done = through_shell('{ "$@" 2>&1; echo $? >code; } | exec true; cat code', "crawl", "http://127.0.0.1:1/")
    assert done.stdout == "4\n"
    done = through_shell('{ "$@" 2>&1; echo $? >code; } | exec true; cat code', "reread")
    assert done.stdout == "0\n"


@pytest.mark.parametrize("words", [("export",), ("status",)], ids=" ".join)
def test_a_reader_that_has_enough_is_no_error(kept, words):
    done = through_shell('{ "$@"; echo $? >code; } | exec true; cat code', *words)
    assert done.stdout == "0\n"
    assert "bug" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize(("place", "said"), [
    ("missing/posts.csv", "no such file"), ("a-file/posts.csv", "not a directory"),
])
def test_a_place_that_cannot_be_written_exits_2_and_is_named(kept, here, place, said):
    (here / "a-file").write_text("")
    done = ended("export", "-o", place)
    assert done.returncode == 2
    assert place in done.stderr
    assert said in done.stderr.lower()


def test_a_folder_that_is_read_only_exits_2_and_is_named(kept):
    done = ended("export", "-o", "/proc/posts.csv")
    assert done.returncode == 2
    assert "/proc/posts.csv" in done.stderr
