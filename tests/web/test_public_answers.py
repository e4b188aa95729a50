"""What every answer of both ports says, and what none of them tells: headers, credentials, facts of the machine."""

from __future__ import annotations

import gzip
import platform
import re
import socket
import sqlite3
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest

from archive import some_visits as some
from everlog.archive import open_archive
from everlog.records import Comment, Event
from web.conftest import DAY, HOME, POST, filled, stamp
from web.every_page import forms_in, links_in, routes_of, walk
from web.served_archive import Answer, Served, serving
from web.some_blogs import add_hostile, add_posts

if TYPE_CHECKING:
    from pathlib import Path

    from everlog.archive import Archive

# In the name of the folder, in headers that were sent and received, and in addresses.
SECRETS = ("hidden-folder-name", "sesame-cookie", "sesame-authorization", "sesame-password", "sesame-proxy")
LOCKED = f"http://me:{SECRETS[3]}@a.example/locked/post"
# Asked for what is not there, in every way.
STRANGE = [
    "/nowhere", "/blog/nowhere.example", "/read/http://nowhere.example/", f"/diff/8/9/{POST}", "/search?q=before:x",
    "/blog/a.example?month=x", "/static/nothing", "/static/..%2f..%2fserver.py", "/web/", "/go?url=a.example", "/%00",
    "/web/2024/" + POST, "/json/http://nowhere.example/", "/feed/posts/nowhere.example", "/search.csv?q=before:x",
    "/%ff%fe", "//evil.example/",
]


def checked(answer: Answer, path: str, *, is_interface: bool) -> None:
    said = answer.headers
    assert said["X-Content-Type-Options"] == "nosniff", path
    assert said["Referrer-Policy"] == "no-referrer", path
    assert "camera=()" in said["Permissions-Policy"], path
    policy = said["Content-Security-Policy"]
    assert "default-src 'none'" in policy, path
    assert "unsafe-eval" not in policy, path
    assert "Set-Cookie" not in said, path
    assert "Server" not in said, path
    if is_interface:
        assert said["X-Frame-Options"] == "DENY", path
        assert "unsafe" not in policy, path
        assert said["Cross-Origin-Opener-Policy"] == "same-origin" or "sandbox" in policy, path
        assert said["Cross-Origin-Resource-Policy"] in {"same-origin", "cross-origin"}, path
        assert said["Cross-Origin-Resource-Policy"] == "same-origin" or path.startswith("/static/"), path
    else:
        assert "sandbox" in policy or "/paper.pdf" in path or path == "/robots.txt", path
        assert said["Cross-Origin-Resource-Policy"] == "cross-origin", path
        assert said["X-Robots-Tag"] == "noindex", path


@pytest.mark.parametrize("public", [False, True])
def test_every_route_of_both_ports_says_all_of_it(folder: Path, public):
    with open_archive(folder, read_only=True) as archive, serving(archive, public=public) as served:
        ours, theirs = routes_of(archive)
        assert len(ours) > 15
        for path in (*ours, *STRANGE):
            answer = served.page(path)
            checked(answer, path, is_interface=True)
            if etag := answer.headers.get("ETag"):
                again = served.page(path, If_None_Match=etag)
                assert again.status == 304
                checked(again, path, is_interface=True)
        for path in (*theirs, *STRANGE, f"/web/{stamp(0)}id_/{POST}", f"/web/{stamp(0)}/{HOME}paper.pdf"):
            checked(served.ask(path), path, is_interface=False)
        for path in ("/", "/x" * 15_000):
            checked(served.ask(path, "POST", at=served.interface), path, is_interface=True)
            checked(served.ask(path, "POST"), path, is_interface=False)
        checked(served.page("/", Host="evil.example"), "/", is_interface=True)
        checked(served.ask("/", Host="evil.example"), "/", is_interface=False)


def test_every_page_is_linked_and_no_link_leads_nowhere(folder: Path):
    with open_archive(folder, read_only=True) as archive, serving(archive) as served:
        reached = {}
        for visited in walk(served, [served.interface + "/"]):
            reached[visited.url] = visited.answer.status
            is_captured = "/web/" in visited.url
            assert visited.answer.status < 400 or is_captured, f"{visited.url}, linked from {visited.found_on}"
        pages = {url.removeprefix(served.interface).split("/")[1].partition("?")[0] for url in reached}
        assert {"", "blog", "read", "diff", "complete", "captures", "feed", "web", "json", "markdown"} <= pages


def test_below_a_path_of_a_proxy_every_link_begins_with_it(folder: Path):
    outside, there = "http://archive.example/some/blogs", "http://pages.example"
    with open_archive(folder, read_only=True) as archive, serving(
        archive, base_url=outside, replay_base_url=there,
    ) as served:
        for path in routes_of(archive)[0]:
            answer = served.page(path, Host="archive.example")
            assert b"127.0.0.1" not in answer.body, path
            if not answer.headers.get("Content-Type", "").startswith("text/html"):
                continue
            for link in (*links_in(answer.text), *forms_in(answer.text)):
                is_ours = link.startswith(("/some/blogs/", "?", "#", outside + "/", there + "/"))
                is_theirs = link.startswith(("http://a.example/", "http://elsewhere.example/"))
                assert is_ours or is_theirs, f"{link} on {path}"
        led = served.page("/go?url=tide", Host="archive.example").headers["Location"]
        assert led == outside + "/search?q=tide"


def secretive(archive: Archive) -> None:
    """A blog of which all that is secret was stored: it was crawled with a password, and answered with a cookie."""
    blog = filled(archive)
    sent = (("User-Agent", "test"), ("Cookie", "a=sesame-cookie"), ("Authorization", "Basic sesame-authorization"),
            ("Proxy-Authorization", "Basic sesame-proxy"))
    received = (("Content-Type", "text/html"), ("Set-Cookie", "id=sesame-cookie"), ("X-Served-By", "sesame-proxy"))
    comments = (Comment(id="1", author="Eve", author_url="http://a:sesame-password@b.example/", text="Hello"),)
    with archive.lock(blog):
        for number in (1, 2):
            answer = some.exchange(LOCKED, b"<h1>Locked</h1>", at=number * DAY, headers=received)
            object.__setattr__(answer, "request_headers", sent)
            post = some.post(
                LOCKED, title="Locked", text=f"Locked {number} {some.LONG}", comments=comments,
                html=f'<p>Locked <a href="{LOCKED}">itself</a> {number}</p>', comments_state="complete",
            )
            archive.commit([some.page(blog, LOCKED, outcome="post", post=post, exchanges=(answer,))])
        archive.events.add([Event(blog_id=blog, kind="moved", at=some.START, reason="its posts moved")])


@pytest.mark.slow
def test_in_public_no_page_of_either_port_tells_a_secret(tmp_path):
    folder = tmp_path / "hidden-folder-name"
    with open_archive(folder, create=True) as archive:
        secretive(archive)
        add_posts(archive, "http://long.example/", 5)
        add_hostile(archive)
        facts = (
            *SECRETS, str(tmp_path), socket.gethostname(), platform.release(), f"Python/{platform.python_version()}",
            *(f"{name} {version(name)}" for name in ("uvicorn", "starlette", "everlog")),
            *(f"{name}/{version(name)}" for name in ("uvicorn", "starlette", "everlog")),
            f"SQLite {sqlite3.sqlite_version}",
        )
        ours, theirs = routes_of(archive)
        with serving(archive, public=True) as served:
            ways = ("read", "json", "markdown", "diff/1/2", "web", "web/*")
            begin = [
                *(served.interface + path for path in (*ours, *STRANGE, "/search?q=locked", "/search.csv?q=locked")),
                *(f"{served.interface}/{way}/a.example/locked/post" for way in ways),
                *(served.replay + path for path in (*theirs, *STRANGE, "/timemap/link/a.example/locked/post")),
            ]
            count = 0
            for count, visited in enumerate(walk(served, begin), 1):  # noqa: B007 - the last number is looked at
                body = visited.answer.body
                if visited.answer.headers.get("Content-Type") == "application/gzip":
                    body = gzip.decompress(body)
                told = f"{visited.answer.headers}\n{body.decode('latin-1')}"
                found = [fact for fact in facts if re.search(rf"\b{re.escape(fact)}\b", told, re.IGNORECASE)]
                assert found == [], f"{visited.url}, linked from {visited.found_on}"
            assert count > 100


def test_the_check_sees_what_is_told_to_the_owner(tmp_path):
    folder = tmp_path / "hidden-folder-name"
    with open_archive(folder, create=True) as archive:
        secretive(archive)
        with serving(archive) as served:
            told = [visited.answer.body for visited in walk(served, [served.interface + "/"])]
    # The control: commands to type, and where things are stored.
    assert any(b"everlog repair" in body or b"everlog crawl" in body or b"WARC record" in body for body in told)


def test_what_nobody_expected_is_a_page_too_and_tells_nothing(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        filled(archive)
        with archive.backend.database.writing() as connection:
            connection.exec_driver_sql("alter table post_summaries rename to lost_summaries")
            connection.exec_driver_sql("alter table captures rename to lost_captures")
        with serving(archive) as served:
            page, capture = served.page("/blog/a.example"), served.ask(f"/web/{stamp(0)}/{POST}")
    assert (page.status, capture.status) == (500, 500)
    assert "Something unexpected went wrong" in page.text
    assert "<nav" in page.text or "<header" in page.text
    checked(page, "/blog/a.example", is_interface=True)
    checked(capture, "/web/", is_interface=False)
    for answer in (page, capture):
        assert "summaries" not in answer.text
        assert "Traceback" not in answer.text


def test_robots_are_kept_out_of_what_is_captured_and_what_is_expensive(served: Served):
    said = served.page("/robots.txt").text
    for path in ("/web/", "/search", "/diff/", "/complete/", "/feed/", "/json/"):
        assert f"Disallow: {path}\n" in said
    assert "Disallow: /\n" in served.ask("/robots.txt").text
    for path in (f"/web/{stamp(0)}/{POST}", "/search?q=hello", f"/diff/1/2/{POST}", f"/web/*/{POST}"):
        answer = served.page(path)
        assert answer.headers["X-Robots-Tag"] == "noindex"
        assert '<meta name="robots" content="noindex">' in answer.text
    assert "X-Robots-Tag" not in served.page(f"/read/{POST}").headers


def test_a_post_names_its_original_and_what_others_show_of_it(served: Served):
    text = served.page(f"/read/{POST}").text
    assert f'<link rel="canonical" href="{POST}">' in text
    assert '<meta property="og:title" content="A &lt;b&gt;post&lt;/b&gt;">' in text
    assert '<meta property="og:site_name" content="A blog &amp; more">' in text
    assert '<meta property="og:description" content="Hello about' in text
    assert f'<meta property="og:image" content="{served.replay}/web/' in text
    assert '<meta name="twitter:card" content="summary">' in text


def test_who_watches_the_server_is_told_whether_the_archive_can_be_read(tmp_path):
    folder = tmp_path / "archive"
    with open_archive(folder, create=True) as archive, serving(archive, public=True) as served:
        for answer in (served.page("/healthz"), served.ask("/healthz")):
            assert (answer.status, answer.text) == (200, "ok\n")
            assert answer.headers["Cache-Control"] == "no-store"
        archive.backend.database.close()
        [database] = [each for each in folder.iterdir() if each.suffix in {".sqlite", ".db", ".sqlite3"}]
        database.write_bytes(b"x" * 100_000)
        for answer in (served.page("/healthz"), served.ask("/healthz")):
            assert (answer.status, answer.text) == (503, "the archive cannot be read\n")
