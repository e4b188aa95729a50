"""`everlog copy`: a crawled blog from a folder to a server and back."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from cli.program import begin
from everlog.archive import open_archive
from everlog.cli import main
from services import free_port

pytestmark = pytest.mark.slow


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> tuple[str, str]:
    capsys.readouterr()
    assert main(list(words)) == code, capsys.readouterr().err
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out, err


def looks(capsys: pytest.CaptureFixture[str], archive: str, blog: str) -> dict[str, object]:
    """What several commands say about an archive."""
    commands = {
        "export": ("export",), "status": ("status", "--json"), "detail": ("status", blog, "--json"),
        "ledger": ("status", "--politeness", "--json"), "rules": ("rules", blog, "--json"),
    }
    said = {name: run(capsys, *words, "--archive", archive)[0] for name, words in commands.items()}
    found = json.loads(run(capsys, "search", "the", "--limit", "100", "--json", "--archive", archive)[0])
    wrong = run(capsys, "verify", "--archive", archive)[0]
    return said | {"found": sorted(hit["url"] for hit in found["posts"]), "verify": wrong}


def test_there_and_back_again_a_blog_is_the_same(kept, here, postgres_url, capsys):
    before = looks(capsys, "everlog-archive", kept)
    assert before["verify"] == ""
    assert len(before["found"]) > 10
    out, err = run(capsys, "copy", "--to", postgres_url, "--to-files", "files", "--json")
    summary = json.loads(out)
    assert (summary["tables"]["posts"], summary["posts_indexed"]) == (40, 40)
    assert summary["rows"] == sum(summary["tables"].values())
    assert summary["bytes"] == sum(path.stat().st_size for path in Path("files").glob("*/**/*.*") if path.is_file())
    assert f"{summary['files']:,} files" in err
    assert looks(capsys, postgres_url, kept) == before
    run(capsys, "copy", "--archive", postgres_url, "--to", "back")
    assert looks(capsys, "back", kept) == before


def test_quiet_says_nothing(kept, here, capsys):
    assert run(capsys, "copy", "--to", "copy", "-q") == ("", "")


def test_where_something_is_already_nothing_is_copied(kept, here, capsys):
    run(capsys, "copy", "--to", "copy")
    _, err = run(capsys, "copy", "--to", "copy", code=2)
    assert "is not empty" in err
    assert err.splitlines()[-1].startswith("  pass a new folder or an empty database with --to")


@pytest.mark.parametrize("words", [["--to", "copy"], ["--to", "copy", "--archive", "nowhere"]])
def test_an_archive_that_is_not_there_is_said_to_be_so_and_nothing_is_made(here, capsys, words):
    _, err = run(capsys, "copy", *words, code=2)
    assert "there is no archive" in err
    assert list(here.iterdir()) == []


def test_a_database_that_does_not_answer_exits_7(kept, here, capsys):
    nowhere = f"postgresql://everlog@127.0.0.1:{free_port()}/everlog"
    _, err = run(capsys, "copy", "--to", nowhere, "--to-files", "files", code=7)
    assert err.splitlines()[-1].startswith("  ")
    assert not Path("files").exists()


def test_an_interrupt_exits_130_and_the_same_command_goes_on(kept, here, capsys):
    words = ("copy", "--to", "copy")
    picture = next(path for path in Path("everlog-archive", "media").rglob("*") if path.is_file())
    content = picture.read_bytes()
    picture.unlink()
    # Whoever reads it waits until somebody writes: so the copy is under way, and stays so.
    os.mkfifo(picture)
    with begin(*words, folder=here) as running:
        writer = os.open(picture, os.O_WRONLY)
        running.send_signal(signal.SIGINT)
        os.close(writer)
        _, err = running.communicate(timeout=300)
    assert running.returncode == 130
    assert "run the same command to continue" in err
    assert "Traceback" not in err
    with open_archive("copy") as archive:
        assert archive.blogs() == ()
    picture.unlink()
    picture.write_bytes(content)
    run(capsys, *words)
    with open_archive("copy") as archive:
        assert len(list(archive.posts())) == 40
