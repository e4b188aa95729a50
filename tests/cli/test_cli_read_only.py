"""Archives that cannot be written: all that reads works on them, and nothing in their folder changes."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

import everlog
import read_only
from archive.older import as_of_revision_4
from archive.places import Place
from cli.program import environment
from everlog.archive import open_archive
from everlog.archive.verify import verify
from everlog.cli.app import main
from everlog.errors import ArchiveBusy, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from cli.conftest import Crawled

# In which masters are found, and what is said of the temporary copy they need, if any.
STATES = {
    "fresh": None, "killed writer": None, "killed writer without shm": "everlog.sqlite-wal",
    "earlier schema": "schema 0004", "index not complete": "search index",
}
IN_THE_WAL = "A title that is in the WAL alone"
HOME = "http://a.example/"
READING = {
    "status": ("status", "--json"),
    "status of a blog": ("status", "{url}", "--json"),
    "the ledger": ("status", "--politeness", "--json"),
    "search": ("search", "evening", "--json"),
    "show": ("show", "{post}", "--json"),
    "rules": ("rules", "{url}"),
    "diff": ("diff", "{post}"),
    "export": ("export",),
    "verify": ("verify",),
}
WRITING = {
    "crawl": ("crawl", "{url}"),
    "update": ("update",),
    "reread": ("reread",),
    "rules --set": ("rules", "{url}", "--set", "title", "h1"),
    "rules --relearn": ("rules", "{url}", "--relearn"),
    "forget": ("forget", "{url}"),
    "hide": ("hide", "{url}"),
    "search --rebuild": ("search", "--rebuild"),
    "watch": ("watch", "--once"),
}
# Stores something, and is killed before it could be brought from the WAL into the database.
KILLED = """
import os, sys
from everlog.archive import open_archive
archive = open_archive(sys.argv[1])
[blog] = archive.blogs()
archive.blogs.update(blog.id, title="A title that is in the WAL alone")
os._exit(9)
"""
# Takes the database out of WAL mode, and is killed when a transaction has reached the file in part.
JOURNAL = """
import os, sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in ("pragma journal_mode = delete", "pragma cache_size = 1", "pragma cache_spill = 1", "begin",
                  "update blogs set title = 'half-written'", "update versions set record = record || ' '"):
    database.execute(statement).fetchall()
os._exit(9)
"""
# Stores what it is told to.
WRITER = """
import sys
from everlog.archive import open_archive
archive = open_archive(sys.argv[1])
[blog] = archive.blogs()
title = "A title that is in the WAL alone"
for line in sys.stdin:
    if line == "close\\n":
        archive.close()
    elif line == "store\\n":
        archive.blogs.update(blog.id, title=title)
    else:
        archive.blogs.update(blog.id, title=title + "!")
        with archive.backend.database.engine.connect() as connection:
            connection.connection.driver_connection.execute("pragma wal_checkpoint(truncate)")
    print("done", flush=True)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Master:
    """An archive that cannot be written, and its twin that can."""

    state: str
    folder: Path
    twin: Path
    url: str
    as_reader: Callable[[], AbstractContextManager[None]]



def command(words: tuple[str, ...], url: str, folder: Path | str) -> list[str]:
    """A command about the demo's blog, or one post of it, in an archive."""
    post = f"{url}2021/04/first-evening-in-the-box/"
    return [*(word.format(url=url, post=post) for word in words), "--archive", str(folder)]


def put_into(state: str, folder: Path) -> None:
    """Bring an archive into one of the states in which masters are found."""
    if state.startswith("killed writer"):
        ended = subprocess.run([sys.executable, "-c", KILLED, str(folder)], env=environment(), check=False)
        assert ended.returncode == 9
        assert (folder / "everlog.sqlite-wal").stat().st_size
        if state.endswith("without shm"):
            (folder / "everlog.sqlite-shm").unlink()
    elif state == "earlier schema":
        as_of_revision_4(folder, {})
    elif state == "index not complete":
        with open_archive(folder) as archive:
            archive.search.forget()


# Every day both kinds, and what a killed writer leaves; the other states are read in CI.
EVERY_DAY = {("killed writer", "permissions")}


@pytest.fixture(
    params=[
        pytest.param((state, kind), marks=[] if (state, kind) in EVERY_DAY else pytest.mark.slow, id=f"{state}, {kind}")
        for state in STATES for kind in read_only.KINDS
    ],
)
def master(request: pytest.FixtureRequest, crawled: Crawled, here: Path) -> Iterator[Master]:
    state, kind = request.param
    folder = here / "master"
    shutil.copytree(crawled.folder, folder)
    put_into(state, folder)
    shutil.copytree(folder, here / "twin")
    with read_only.locked(kind, folder) as as_reader:
        yield Master(state=state, folder=folder, twin=here / "twin", url=crawled.url, as_reader=as_reader)


def test_what_reads_gives_the_same_as_on_a_disk_that_can_be_written_and_changes_nothing(master, capsys):
    before = read_only.listing(master.folder)
    for name, words in READING.items():
        with master.as_reader():
            code = main(command(words, master.url, master.folder))
        found = capsys.readouterr()
        assert code == 0, found.err
        assert read_only.listing(master.folder) == before, name
        assert main(command(words, master.url, master.twin)) == 0
        assert found.out == capsys.readouterr().out, name
        assert found.out or name == "verify", name


def test_what_writes_says_that_it_cannot_and_how_to_go_on(master, capsys):
    before = read_only.listing(master.folder)
    for name, words in WRITING.items():
        with master.as_reader():
            code = main(command(words, master.url, master.folder))
        found = capsys.readouterr()
        assert (code, found.out) == (2, ""), name
        assert read_only.listing(master.folder) == before, name
        assert f"{master.folder} cannot be written: " in found.err, name
        assert found.err.endswith(f"  everlog copy --archive {master.folder} --to master-copy\n"), name


def test_the_copy_that_the_advice_names_is_whole_and_can_be_written(master, capsys):
    before = read_only.listing(master.folder)
    with master.as_reader():
        assert main(["copy", "--archive", str(master.folder), "--to", "master-copy"]) == 0
    assert read_only.listing(master.folder) == before
    assert main(["verify", "--archive", "master-copy"]) == 0
    assert main(["forget", master.url, "--archive", "master-copy"]) == 0
    assert main(["export", "--archive", str(master.twin)]) == 0
    whole = capsys.readouterr().out
    assert main(["export", "--archive", "master-copy"]) == 0
    assert capsys.readouterr().out == whole


def test_what_is_done_in_a_temporary_copy_is_said_on_stderr_with_its_size(master, capsys, monkeypatch):
    scratch = master.twin.parent / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    with master.as_reader():
        assert main(["search", "evening", "--archive", str(master.folder)]) == 0
    said = capsys.readouterr().err
    expected = STATES[master.state]
    assert ("temporary copy" in said) == (expected is not None), said
    assert expected is None or (expected in said and f" MB in {scratch}" in said), said
    assert list(scratch.iterdir()) == [], "a temporary copy goes when the command ends"
    with master.as_reader():
        assert main(["search", "evening", "-q", "--archive", str(master.folder)]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("state", ["killed writer", "killed writer without shm"])
@pytest.mark.parametrize("kind", read_only.KINDS)
def test_what_a_killed_writer_left_in_the_wal_is_read(crawled, here, capsys, state, kind):
    shutil.copytree(crawled.folder, here / "master")
    put_into(state, here / "master")
    with read_only.locked(kind, here / "master") as as_reader, as_reader():
        assert main(["status", "--json", "--archive", "master"]) == 0
    assert IN_THE_WAL in capsys.readouterr().out


def test_while_somebody_else_crawls_a_reader_without_rights_sees_what_is_stored(kept, here, capsys):
    folder = here / "everlog-archive"
    with read_only.locked("permissions", folder) as as_reader:
        # Nobody has it open yet: it is read as it is, and then the writer begins.
        with as_reader(), open_archive(folder) as archive:
            assert archive.is_read_only
            assert archive.blogs.find(kept).title != IN_THE_WAL
            with writer(folder) as say:
                say("store")
                assert archive.blogs.find(kept).title == IN_THE_WAL, "from the log of the writer"
                say("store it in the database itself")
                assert archive.blogs.find(kept).title == f"{IN_THE_WAL}!"
        with writer(folder) as say, as_reader():
            for title in (IN_THE_WAL, f"{IN_THE_WAL}!"):
                say("store" if title == IN_THE_WAL else "store it in the database itself")
                assert main(["status", "--json"]) == 0
                assert title in capsys.readouterr().out


def test_a_database_that_changes_in_the_middle_of_a_read_is_told_and_never_mixed(kept, here):
    folder = here / "everlog-archive"
    with read_only.locked("permissions", folder) as as_reader, writer(folder) as say:
        say("close")
        with (
            as_reader(), open_archive(folder) as archive, pytest.raises(ArchiveBusy, match="the same command again"),
            archive.backend.database.reading(),
        ):
            say("store it in the database itself")


def test_a_full_disk_is_no_reason_not_to_read(crawled, here, capsys):
    for state in ("fresh", "earlier schema", "index not complete"):
        folder = here / state.replace(" ", "-")
        shutil.copytree(crawled.folder, folder)
        put_into(state, folder)
        with a_full_disk(folder) as full:
            before = read_only.listing(full)
            for name in ("status", "search", "export", "verify"):
                assert main(command(READING[name], crawled.url, full)) == 0, capsys.readouterr().err
            assert read_only.listing(full) == before, state
    assert "only 0 MB are left on its disk" in capsys.readouterr().err


def test_no_room_for_the_temporary_copy_is_said_with_what_to_do(crawled, here, capsys, monkeypatch):
    shutil.copytree(crawled.folder, here / "master")
    put_into("earlier schema", here / "master")
    (here / "scratch").mkdir()
    with a_full_disk(here / "scratch") as scratch, read_only.locked("permissions", here / "master") as as_reader:
        monkeypatch.setattr("tempfile.tempdir", str(scratch))
        with as_reader():
            assert main(["status", "--archive", "master"]) == 6
    assert "export TMPDIR=" in capsys.readouterr().err


def test_an_archive_that_may_not_be_read_says_whom_to_ask(kept, here, capsys):
    folder = here / "everlog-archive"
    for path in (folder / "everlog.sqlite", folder):
        path.chmod(0)
        with read_only.obeying_permissions():
            assert main(["status"]) == 2
        path.chmod(0o755)
        said = capsys.readouterr().err
        assert "ermission denied" in said
        assert "bug" not in said


def test_a_page_that_may_not_be_read_is_named_by_verify(kept, here, capsys):
    file = next((here / "everlog-archive" / "warc").iterdir())
    file.chmod(0)
    with read_only.obeying_permissions():
        assert main(["verify"]) == 2
    said = capsys.readouterr().err
    assert f"{file.name} cannot be used: Permission denied" in said
    assert "ls -ld" in said


def test_a_half_written_database_is_read_with_its_journal(kept, here, capsys):
    folder = here / "everlog-archive"
    ended = subprocess.run([sys.executable, "-c", JOURNAL, str(folder / "everlog.sqlite")], check=False)
    assert ended.returncode == 9
    still = f"{(folder / 'everlog.sqlite').as_uri()}?immutable=1"
    with closing(sqlite3.connect(still, uri=True)) as file:
        assert file.execute("select title from blogs").fetchall() == [("half-written",)], "what must not be believed"
    with read_only.locked("permissions", folder) as as_reader, as_reader():
        assert main(["status", "--json"]) == 0
    found = capsys.readouterr()
    assert "half-written" not in found.out
    assert "everlog.sqlite-journal is read in a temporary copy" in found.err


def test_a_newer_archive_is_refused_without_a_copy(kept, here, capsys):
    folder = here / "everlog-archive"
    Place(folder=folder).change("update alembic_version set version_num = '9999'")
    with read_only.locked("permissions", folder) as as_reader, as_reader():
        assert main(["status"]) == 2
    said = capsys.readouterr().err
    assert "everlog-archive/everlog.sqlite was written by a newer version" in said
    assert "temporary" not in said


def test_an_archive_opened_to_be_read_only_stays_as_it_is_although_it_could_be_written(crawled, here):
    for state in STATES:
        folder = here / state
        shutil.copytree(crawled.folder, folder)
        put_into(state, folder)
        before = read_only.listing(folder)
        with open_archive(folder, read_only=True) as archive:
            assert archive.is_read_only
            assert archive.search.count("evening")
            assert list(verify(archive)) == []
            with pytest.raises(UsageError, match="opened to be read only"):
                archive.blogs.add(HOME, scope="path")
            with pytest.raises(UsageError, match="opened to be read only"), archive.lock(1):
                pass
        assert read_only.listing(folder) == before, state


def test_a_mistyped_archive_makes_no_folder(here, capsys):
    for name, words in (READING | WRITING).items():
        # A crawl makes a new one: that is what it is for.
        if name != "crawl":
            assert main(command(words, HOME, "typo")) == 2, name
            assert "there is no archive at typo" in capsys.readouterr().err
            assert list(here.iterdir()) == []


def test_a_mistyped_archive_in_a_program_makes_no_folder_unless_told_so(here):
    with pytest.raises(UsageError, match="there is no archive in typo") as raised:
        everlog.open_archive("typo")
    assert raised.value.advice == "check the name; to make a new one: open_archive('typo', create=True)"
    assert list(here.iterdir()) == []
    everlog.open_archive("typo", create=True).close()
    everlog.open_archive("typo").close()


def test_an_archive_is_not_made_to_be_read_only(here):
    with pytest.raises(UsageError, match="only read is not made"):
        everlog.open_archive("typo", create=True, read_only=True)


@contextmanager
def a_full_disk(folder: Path) -> Iterator[Path]:
    """The folder on a disk of its own that takes not one byte more."""
    needed = sum(path.stat().st_size for path in folder.rglob("*")) + 2_000_000
    disk = folder.with_name(f"{folder.name}-disk")
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={needed}", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a small disk")
    try:
        shutil.copytree(folder, disk / "full")
        with (disk / "filler").open("wb", buffering=0) as filler, suppress(OSError):
            while True:
                filler.write(bytes(4096))
        yield disk / "full"
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


@contextmanager
def writer(folder: Path) -> Iterator[Callable[[str], None]]:
    """Another process that has the archive open and stores what it is told to, and says when it has."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)], env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def say(what: str) -> None:
            print(what, file=process.stdin, flush=True)
            assert process.stdout.readline() == "done\n"

        try:
            yield say
        finally:
            process.stdin.close()
