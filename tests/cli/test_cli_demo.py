"""`everlog demo`: what it prints can be typed, a proxy does not disturb it, and two of them are one blog."""

from __future__ import annotations

import http.client
import re
import shlex
import signal
import socket
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from cli.program import begin, everlog
from cli.sites import closed_port
from everlog.archive import open_archive
from everlog.cli import main
from everlog.demo.site import truth

if TYPE_CHECKING:
    from cli.program import Done

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
# The demo's own port may be taken.
PORT = re.compile(r"127\.0\.0\.1:\d+/")
COMMENTS = sum(len(piece.remarks) for piece in truth())


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """A demo behind a proxy that is not there, and the folder it was typed in; its server is gone."""
    folder = tmp_path_factory.mktemp("demo")
    with open_archive(folder / "everlog-demo", create=True) as archive:
        # A port that no other demo has by itself.
        archive.backend.state.demo_home = f"http://127.0.0.1:{closed_port()}/"
    proxy = f"http://127.0.0.1:{closed_port()}"
    return folder, everlog("demo", folder=folder, http_proxy=proxy, https_proxy=proxy, all_proxy=proxy)


def blogs(folder: Path) -> list[tuple[str, int, int]]:
    rows = everlog("status", "--archive", "everlog-demo", "--json", folder=folder).json
    return [(row["blog"], row["posts"], row["comments"]) for row in rows]


def test_it_crawls_and_shows_a_blog_of_its_own_as_the_readme_says(shown):
    folder, done = shown
    assert done.code == 0
    said = PORT.sub("PORT/", done.err + done.out).splitlines()
    promised = README.partition("```text\n")[2].partition("```")[0]
    assert [line for line in PORT.sub("PORT/", promised).splitlines() if line not in said] == []
    assert "everlog-demo" in {path.name for path in folder.iterdir()}
    [(_, posts, comments)] = blogs(folder)
    assert (posts, comments) == (len(truth()), COMMENTS)


def test_it_says_little_and_in_short_lines(shown):
    _, done = shown
    lines = done.out.splitlines()
    assert len(lines) <= 28
    assert [line for line in lines if len(line) > 70 and "everlog " not in line] == []


def commands(out: str) -> list[list[str]]:
    """What a user can copy from the screen."""
    return [shlex.split(line)[1:] for line in out.splitlines() if line.startswith("  everlog ")]


def test_every_command_that_it_prints_works_when_its_server_is_gone(shown, monkeypatch, capsys):
    folder, done = shown
    monkeypatch.chdir(folder)
    found = commands(done.out)
    assert {words[0] for words in found} == {"show", "search", "status", "rules", "export", "verify", "crawl", "serve"}
    for words in found:
        if words[0] not in {"crawl", "serve"}:  # of a real blog; until it is stopped
            assert main(words) == 0, words
            said = capsys.readouterr()
            assert words[0] in {"verify", "export"} or said.out, words
    assert len(list((folder / "demo-notes").rglob("*.md"))) >= len(truth())


def test_what_it_prints_begins_with_what_the_user_typed(tmp_path):
    done = everlog("demo", folder=tmp_path, EVERLOG_COMMAND="scripts/everlog")
    assert len(re.findall(r"^  scripts/everlog \w+", done.out, re.MULTILINE)) == 8
    again = everlog("demo", folder=tmp_path, EVERLOG_COMMAND="scripts/everlog")
    assert (again.code, len(blogs(tmp_path))) == (0, 1)
    assert again.out.startswith(f"Nothing new: everlog-demo/ still holds 40 posts and {COMMENTS} comments.\n")


def test_a_second_demo_does_not_double_the_first_though_its_port_is_taken(shown):
    folder, _ = shown
    [(home, posts, comments)] = blogs(folder)
    held = urlsplit(home).port
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", held))
        other.listen()
        done = everlog("demo", folder=folder)
    assert done.code == 0
    assert f"Another program has port {held}" in done.err
    assert blogs(folder) == [(home, posts, comments)]


def test_it_ends_with_the_archive_in_a_browser_if_asked(shown):
    folder, _ = shown
    served = begin("demo", "--serve", "--quiet", folder=folder)
    try:
        assert served.stdout is not None
        place = served.stdout.readline().strip()
        with closing(http.client.HTTPConnection(urlsplit(place).netloc, timeout=60)) as connection:
            connection.request("GET", "/")
            assert "Signal Box Notes" in connection.getresponse().read().decode()
    finally:
        served.send_signal(signal.SIGINT)
        served.communicate(timeout=60)
    assert served.returncode == 130


@pytest.mark.slow
def test_two_demos_at_once_in_one_folder_are_one_blog(tmp_path):
    both = [begin("demo", folder=tmp_path) for _ in range(2)]
    said = [process.communicate(timeout=300) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    [(_, posts, comments)] = blogs(tmp_path)
    assert (posts, comments) == (len(truth()), COMMENTS)
