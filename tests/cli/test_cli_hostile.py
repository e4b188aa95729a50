"""What strangers wrote cannot steer the terminal, whichever command prints it and wherever it was written."""

from __future__ import annotations

import json
import os
import pty
import re
import sqlite3
import subprocess
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cli.program import command, environment, everlog
from cli.sites import serve_small
from everlog.archive import open_archive
from everlog.cli import main
from everlog.cli.terminal import text as lines
from everlog.core.urls import canonical
from everlog.records import Comment, Event, Exchange, Post, Visit
from fetch.servers import reply

# Sets the title of a window, moves the cursor, and turns the order of letters: with ESC, in C1, by Unicode.
EVIL = "evil\x1b]0;owned\x07\x1b[2J\x9b31m\x85\x7f\u202edne\u2066\u200f"
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
WORDS = " ".join(f"word{number}" for number in range(50))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """An archive of whose texts each steers a terminal, and the address of a post in it."""
    folder = tmp_path_factory.mktemp("hostile")
    home = "http://a.example/"
    url, now = f"{home}post", datetime(2024, 5, 1, tzinfo=UTC)
    with open_archive(folder / "everlog-archive", create=True) as archive:
        blog = archive.blogs.update(archive.blogs.add(home, scope="path").id, title=EVIL, feed_url=f"{home}feed?{EVIL}")
        with archive.lock(blog.id):
            run = archive.blogs.begin_run(blog.id, "crawl")
            archive.commit([_failed(blog.id, f"{home}gone/{EVIL}", now), *(
                Visit(
                    blog_id=blog.id, url=url, key=canonical(url), outcome="post", post=_post(url, text),
                    note=EVIL, exchanges=(_exchange(url, text.encode(), now),),
                )
                for text in (f"{WORDS} {EVIL}", f"{WORDS} {EVIL} and quite some words more than before {EVIL}")
            )])
            archive.blogs.end_run(run, reason=EVIL, counts={})
        gone = Event(blog_id=blog.id, kind="gone", at=now, reason=EVIL, detail={"to": EVIL})
        archive.blogs.update(blog.id, state="finished", gone=EVIL, gone_at=now, events=[gone])
        archive.search.index()
    return folder, url


def _post(url: str, text: str) -> Post:
    comment = Comment(author=EVIL, text=EVIL, url=url + EVIL)
    return Post(
        url=url, title=f"A post {EVIL}", authors=(EVIL,), tags=(EVIL,), language=EVIL, text=text, html=f"<p>{text}</p>",
        summary=EVIL, comments=(comment,), comments_state="complete",
    )


def _exchange(url: str, body: bytes, now: datetime, **rest: object) -> Exchange:
    return Exchange(**{"url": url, "status": 200, "reason": EVIL, "body": body, "fetched_at": now, **rest})


def _failed(blog_id: int, url: str, now: datetime) -> Visit:
    answer = _exchange(url, b"", now, status=500)
    return Visit(
        blog_id=blog_id, url=url, key=canonical(url), outcome="failed", reason=f"{url} answers 500 {EVIL}",
        exchanges=(answer,),
    )


@pytest.mark.parametrize("words", [
    "status", "status -v", "status HOME", "status HOME -v", "status --politeness", "status --json",
    "status HOME --json", "show URL", "show URL --html", "show URL --json", "show URL --versions",
    "show URL --versions --json", "show nowhere", "diff URL", "diff URL -v", "diff URL --json", "search word1",
    "search word1 -v", "search word1 --json", "search EVIL", "search", "reread HOME", "reread -v", "verify",
    "verify --json", "rules", "forget EVIL", "crawl EVIL", "crawl file:EVIL", "inspect EVIL", "EVIL",
    "export --format EVIL", "status --archive EVIL", "status --EVIL", "update EVIL",
])
def test_no_command_hands_on_what_steers_a_terminal(hostile, monkeypatch, capsys, words):
    folder, url = hostile
    monkeypatch.chdir(folder)
    filled = {"URL": url, "HOME": "http://a.example/"}
    main([filled.get(word, word).replace("EVIL", EVIL) for word in words.split()])
    out, err = capsys.readouterr()
    assert not STEERING.search(out + err), repr(out + err)
    assert "Traceback" not in err
    assert "this is a bug" not in err
    if "--json" in words and "verify" not in words:
        assert json.loads(out)


def test_json_has_what_was_stored_to_the_letter(hostile):
    folder, url = hostile
    shown = everlog("show", url, "--json", folder=folder).json
    assert shown["title"] == f"A post {EVIL}"
    assert shown["comments"][0]["author"] == EVIL


def test_a_server_cannot_steer_the_terminal_of_who_crawls_it(server, tmp_path):
    url = serve_small(server)
    evil = EVIL.encode("latin-1", "ignore").replace(b"\x85", b"").decode("latin-1")
    for path in ("/3", "/4"):
        server.routes[path] = reply(403).replace(b"403 Words", f"403 {evil}".encode("latin-1"))
    for words in (("crawl", url, "-v"), ("update",), ("inspect", url)):
        done = everlog(*words, "--delay", "0", folder=tmp_path)
        assert not STEERING.search(done.out + done.err), repr(done.err)
    with closing(sqlite3.connect(tmp_path / "everlog-archive" / "everlog.sqlite")) as database:
        reasons = [reason for (reason,) in database.execute("select reason from urls where reason like '% 403 %'")]
    assert len(reasons) == 2
    assert not any(STEERING.search(reason) for reason in reasons)


@pytest.mark.parametrize("words", ["search word1", "diff URL", "show URL", "status HOME -v"])
def test_on_a_terminal_only_our_own_colours_remain(hostile, words):
    folder, url = hostile
    ours, theirs = pty.openpty()
    argv = [{"URL": url, "HOME": "http://a.example/"}.get(word, word) for word in words.split()]
    with subprocess.Popen(
        command(*argv), cwd=folder, env=environment(TERM="xterm"), stdin=subprocess.DEVNULL, stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        said = b""
        while piece := _read(ours):
            said += piece
    os.close(ours)
    assert process.returncode == 0
    text = said.decode().replace("\r\n", "\n")
    assert not STEERING.search(COLOURS.sub("", text)), repr(text)
    if words != "show URL" and not words.startswith("status"):
        assert COLOURS.search(text)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""


def test_no_command_has_a_console_of_its_own():
    for file in Path(lines.__file__).parent.glob("*.py"):
        if file.name != "lines.py":
            assert not re.search(r"\bConsole\(|sys\.__std|os\.write\(", file.read_text("utf-8")), file.name
