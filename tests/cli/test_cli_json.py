"""`--json`: what a command prints on stdout is exactly one JSON document, however much there is to tell."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cli.program import everlog
from cli.sites import serve_small
from everlog.archive import open_archive
from everlog.cli import main
from fetch.servers import Server

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST, SECOND = "/a/", "/b/"
BLOGS = (0, 1, 2)
CORPUS = Path(__file__).parents[2] / "examples" / "corpus"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """Archives of no, one and two blogs, and the server of the blogs, which still runs."""

    homes: tuple[str, str]
    folders: tuple[Path, Path, Path]


@pytest.fixture(scope="session")
def file_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    """Crawled once; not to be changed."""
    root = tmp_path_factory.mktemp("shelf")
    with Server() as server:
        homes = serve_small(server, FIRST), serve_small(server, SECOND)
        open_archive(root / "0", create=True).close()
        for count in (1, 2):
            if count == 2:
                shutil.copytree(root / "1", root / "2")
            done = everlog("crawl", homes[count - 1], "--delay", "0", "--archive", str(count), folder=root)
            assert done.code == 0, done.err
        yield Shelf(homes=homes, folders=(root / "0", root / "1", root / "2"))


@pytest.fixture(params=BLOGS, ids="{} blogs".format)
def blogs(request: pytest.FixtureRequest, file_store: Shelf, here: Path) -> int:
    """How many blogs are in `everlog-archive`, the test's own copy."""
    shutil.copytree(file_store.folders[request.param], here / "everlog-archive")
    return int(request.param)


def answer(capsys: pytest.CaptureFixture[str], *words: str, codes: tuple[int, ...] = (0,)) -> Any:
    """The one document that a command prints; a second one, or anything beside it, is an error of the parser."""
    capsys.readouterr()
    code = main([*words, "--json"])
    out, err = capsys.readouterr()
    assert code in codes, err
    assert "Traceback" not in err
    return json.loads(out)


@pytest.mark.parametrize("words", [
    ("status",), ("status", "--politeness"), ("rules",), ("rules", "-v"), ("reread",), ("verify",), ("search", "ours"),
    ("search", "--rebuild"), ("copy", "--to", "elsewhere"),
], ids=" ".join)
def test_a_command_on_an_archive_prints_one_document(blogs, capsys, words):
    told = answer(capsys, *words, codes=(0, 4) if "ours" in words else (0,))
    assert isinstance(told, list | dict)
    if isinstance(told, list):
        assert len(told) == (min(blogs, 1) if "--politeness" in words else blogs)


@pytest.mark.parametrize("command", [
    ("status",), ("status", "--politeness"), ("rules",), ("reread",), ("rules", "--relearn"),
    ("rules", "--set", "title", "h1"),
], ids=" ".join)
@pytest.mark.parametrize("blogs", [1, 2], indirect=True, ids="{} blogs".format)
def test_a_command_on_one_blog_prints_one_document(file_store, blogs, capsys, command):
    name, *flags = command
    assert answer(capsys, name, file_store.homes[blogs - 1], *flags)


@pytest.mark.parametrize("command", [("show",), ("show", "--versions"), ("diff",)], ids=" ".join)
@pytest.mark.parametrize("blogs", [1, 2], indirect=True, ids="{} blogs".format)
def test_a_command_on_one_post_prints_one_document(file_store, blogs, capsys, command):
    name, *flags = command
    assert answer(capsys, name, f"{file_store.homes[blogs - 1]}3", *flags)


def test_what_verify_finds_is_one_document_with_all_findings(file_store, here, capsys):
    shutil.copytree(file_store.folders[2], here / "everlog-archive")
    for file in (here / "everlog-archive" / "warc").rglob("*.warc.gz"):
        file.unlink()
    told = answer(capsys, "verify", codes=(8,))
    assert told["checked"] > 1
    assert told["found"] == len(told["findings"]) > 1
    assert all(finding["text"] for finding in told["findings"])


def test_a_sound_archive_is_verified_with_no_findings(file_store, here, capsys):
    shutil.copytree(file_store.folders[1], here / "everlog-archive")
    told = answer(capsys, "verify")
    assert told["findings"] == []
    assert told["checked"] > 1


def test_rules_of_a_blog_that_was_not_learned_do_not_hide_those_of_the_others(file_store, here, capsys):
    shutil.copytree(file_store.folders[1], here / "everlog-archive")
    with open_archive(here / "everlog-archive") as opened:
        opened.blogs.add("https://new.example/", scope="path")
    told = answer(capsys, "rules")
    assert [(each["blog"], each["template"] is None) for each in told] == [
        (file_store.homes[0], False), ("https://new.example/", True),
    ]


@pytest.mark.parametrize("words", [
    ("crawl", "{0}"), ("crawl", "{0}", "{1}"), ("crawl", "--dry-run", "{0}"), ("crawl", "--dry-run", "{0}", "{1}"),
    ("inspect", "{0}"), ("demo", "--archive", "demo"),
], ids=" ".join)
def test_a_command_that_fetches_prints_one_document(file_store, here, words):
    given = [word.format(*file_store.homes) for word in words]
    delay = () if "demo" in words else ("--delay", "0")
    done = everlog(*given, *delay, "--json", folder=here)
    assert done.code == 0, done.err
    if "crawl" in words:
        assert len(done.json) == sum("{" in word for word in words)
    assert done.json


@pytest.mark.parametrize("words", [("update",), ("watch", "--once"), ("watch", "--max-time", "1")], ids=" ".join)
def test_a_command_that_goes_after_news_prints_one_document_or_nothing_and_why(blogs, here, words):
    done = everlog(*words, "--delay", "0", "--json", folder=here)
    if blogs == 0:
        assert (done.code, done.out) == (2, "")
        assert "everlog crawl" in done.err
        return
    assert done.code == 0, done.err
    if "--max-time" in words:
        # A stream for programs that listen: a document a line, and no line for nothing.
        assert all(json.loads(line) for line in done.out.splitlines())
    elif words[0] == "watch":
        assert done.json["watched"] == blogs
        assert len(done.json["polls"]) in range(blogs + 1)
    else:
        assert len(done.json) == blogs


def test_of_several_addresses_that_are_looked_at_each_has_its_place_in_the_document(file_store, here):
    done = everlog(
        "crawl", "--dry-run", file_store.homes[0], "http://127.0.0.1:1/", "--delay", "0", "--json", folder=here,
    )
    first, second = done.json
    assert first["home"] == file_store.homes[0]
    assert (second["url"], second["ending"]) == ("http://127.0.0.1:1/", "error")
    assert "once in a process" not in second["reason"]
    assert done.code == 3


@pytest.mark.parametrize("flags", [(), ("--no-feed",)], ids=" ".join)
def test_an_evaluation_is_one_document(capsys, flags):
    assert answer(capsys, "evaluate", str(CORPUS), "-q", "--jobs", "1", *flags)


@pytest.mark.parametrize("words", [("show", "https://no.example/"), ("status", "https://no.example/"), ("rules", "x")])
def test_where_there_is_an_error_stdout_is_empty(file_store, blogs, capsys, words):
    capsys.readouterr()
    assert main([*words, "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1].startswith("  ")
