"""`everlog serve` and `show --original` as users start them."""

from __future__ import annotations

import http.client
import re
import shlex
import signal
import socket
import subprocess
import sys
from contextlib import closing
from html import unescape
from typing import Any
from urllib.parse import urlsplit

import pytest
import typer

from archive import some_visits as some
from cli.program import begin, environment, everlog
from everlog.archive import open_archive
from everlog.cli.app import make_app
from everlog.demo.site import truth


def asked(url: str) -> tuple[int, str]:
    parts = urlsplit(url)
    with closing(http.client.HTTPConnection(parts.netloc, timeout=60)) as connection:
        connection.request("GET", parts.path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_it_says_where_to_look_and_stops_when_told(crawled, how, code):
    server = begin("serve", "--port", "0", "--archive", str(crawled.folder), "-v", folder=crawled.folder)
    try:
        assert server.stdout is not None
        place = server.stdout.readline().strip()
        status, text = asked(place)
        assert status == 200
        assert "Signal Box Notes" in text
    finally:
        server.send_signal(how)
        _, said = server.communicate(timeout=60)
    assert server.returncode == code
    assert "captured pages come from http://127.0.0.1:" in said
    assert "GET / 200" in said
    assert "Traceback" not in said


def test_what_pages_say_to_type_can_be_typed(tmp_path):
    open_archive(tmp_path / "the archive", create=True).close()
    server = begin("serve", "--port", "0", "--archive", "the archive", folder=tmp_path)
    try:
        assert server.stdout is not None
        place = server.stdout.readline().strip()
        pages = [asked(place + path)[1] for path in ("", "fleet", "web/http://a.example/$(id)")]
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=60)
    typed = [
        shlex.split(line) for page in pages
        for block in re.findall(r'<pre class="typed"[^>]*>(.*?)</pre>', page, re.DOTALL)
        for line in unescape(block).splitlines()
    ]
    assert [words[words.index("everlog") + 1] for words in typed] == [
        "crawl", "watch", "import", "demo", "copy", "worker", "crawl",
    ]
    # What a stranger made up is one word.
    assert typed[-1][-3:] == ["http://a.example/$(id)", "--archive", "the archive"]
    group: Any = typer.main.get_command(make_app())
    for words in typed:
        name, *rest = words[words.index("everlog") + 1:]
        # Nothing but flags and arguments that the command has.
        group.commands[name].make_context(name, list(rest)).close()
        assert name == "demo" or {"the archive", "postgresql://HOST/NAME"} & set(rest)


def test_a_reader_who_does_not_read_on_does_not_keep_it_from_stopping(tmp_path):
    film = f"{some.HOME}film.mp4"
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = archive.blogs.add(some.HOME, scope="path").id
        with archive.lock(blog):
            # More than lies in the sockets of both sides.
            archive.commit([some.page(blog, film, outcome="media", exchanges=(some.exchange(
                film, bytes(30_000_000), headers=(("Content-Type", "video/mp4"),), purpose="media",
            ),))])
    server = begin("serve", "--port", "0", "--archive", "archive", "--access-log", "-", folder=tmp_path)
    try:
        assert server.stdout is not None
        server.stdout.readline()
        assert server.stderr is not None
        told = next(line for line in server.stderr if "come from " in line)
        replay = urlsplit(told.partition("come from ")[2].partition(";")[0])
        with socket.create_connection((replay.hostname or "", replay.port or 0), timeout=60) as reader:
            path = f"/web/{some.START:%Y%m%d%H%M%S}/{film}"
            reader.sendall(f"GET {path} HTTP/1.1\r\nHost: {replay.netloc}\r\n\r\n".encode())
            assert reader.recv(100).startswith(b"HTTP/1.1 200")
            server.send_signal(signal.SIGTERM)
            said, complained = server.communicate(timeout=60)
    finally:
        server.kill()
        server.wait()
    assert server.returncode == 0
    assert "Traceback" not in complained
    assert f'"GET {path} HTTP/1.1" 200' in said


def test_a_port_that_is_taken_is_named_with_what_to_do(crawled):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = everlog("serve", "--port", port, "--archive", str(crawled.folder), folder=crawled.folder)
    assert done.code == 2
    assert f"port {port} of 127.0.0.1 is taken" in done.err
    assert "serve --port 0" in done.err


@pytest.mark.parametrize(("words", "said"), [
    (["--base-url", "archive.example"], "is not an address"),
    (["--base-url", "https://a.example"], "go together"),
    (["--host", "203.0.113.1", "--port", "0"], "cannot listen at 203.0.113.1"),
    (["--archive", "nowhere"], "there is no archive at nowhere"),
])
def test_what_cannot_be_served_is_said(crawled, tmp_path, words, said):
    where = [] if "--archive" in words else ["--archive", str(crawled.folder)]
    done = everlog("serve", *words, *where, folder=tmp_path)
    assert done.code == 2
    assert said in done.err


def test_without_the_extra_the_line_that_installs_it_is_printed(crawled):
    hidden = "import sys; sys.modules['uvicorn'] = None; from everlog.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", hidden, "serve", "--archive", str(crawled.folder)], env=environment(), text=True,
        capture_output=True, check=False,
    )
    assert done.returncode == 2
    assert "not installed" in done.stderr
    assert "uvicorn" in done.stderr


def test_the_page_of_a_post_is_shown_as_it_was(crawled):
    url = crawled.url.rstrip("/") + truth()[-1].path
    server = begin("show", url, "--original", "--archive", str(crawled.folder), folder=crawled.folder)
    try:
        assert server.stdout is not None
        place = server.stdout.readline().strip()
        assert place.endswith(f"/{url}")
        status, text = asked(place)
        assert status == 200
        assert "<iframe" in text
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=60)
    assert server.returncode == 130


def test_a_page_that_is_not_held_cannot_be_shown(crawled):
    where = ["--archive", str(crawled.folder)]
    done = everlog("show", "http://other.example/", "--original", *where, folder=crawled.folder)
    assert done.code == 2
    assert "no capture of http://other.example/" in done.err
    both = everlog("show", crawled.url, "--original", "--json", *where, folder=crawled.folder)
    assert both.code == 2
    assert "cannot be combined" in both.err
