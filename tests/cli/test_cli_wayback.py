"""`--from-wayback` and `everlog repair`, as users type them, with a blog and a web archive on loopback."""

from __future__ import annotations

import pytest

import a_blog
from cli.program import everlog
from cli.sites import POSTS, serve_small
from fetch.servers import Server, reply
from usecases.a_web_archive import WebArchive

QUICK = {"EVERLOG_DELAY": "0", "EVERLOG_WAYBACK_DELAY": "0", "EVERLOG_MIN_FREE_BYTES": "0"}
STAMP = "20240302030405"
GONE = (1, 2, 7)


@pytest.fixture
def archive_server():
    with Server() as server:
        yield server


@pytest.fixture
def there(server, archive_server):
    """A web archive that has the blog as it was; some posts are gone since."""
    home = serve_small(server)
    found = WebArchive()
    for number in range(1, POSTS + 1):
        found.capture(f"{home}{number}", STAMP, a_blog.page(number))
    for number in GONE:
        server.routes[f"/{number}"] = reply(404)
    found.serve(archive_server)
    return found


def test_a_crawl_takes_what_is_gone_from_the_archive(server, archive_server, there, here):
    done = everlog("crawl", server.url(), "--from-wayback", there.endpoint, "--json", folder=here, **QUICK)
    report = done.json[0]
    assert report["posts"] == POSTS
    host = there.host.removeprefix("http://")
    assert f"from the web archive {host}: 3 posts" in report["remarks"]
    # Its robots.txt is about search engines.
    assert not [seen for seen in archive_server.seen if "robots.txt" in seen.line]
    exported = everlog("export", "--format", "jsonl", folder=here)
    origins = [line for line in exported.out.splitlines() if '"origin": "memento"' in line]
    assert len(origins) == len(GONE)


def test_an_archive_that_asks_for_a_moment_is_given_it(server, archive_server, there, here):
    usual = archive_server.routes["*"]
    refusals = [reply(429, Retry_After="1")]
    archive_server.routes["*"] = lambda seen: refusals.pop() if refusals else usual(seen)
    done = everlog("crawl", server.url(), "--from-wayback", there.endpoint, "--json", folder=here, **QUICK)
    assert done.json[0]["posts"] == POSTS
    first, second, *_ = archive_server.seen
    assert first.line == second.line
    ledger = everlog("status", "--politeness", folder=here)
    assert "Retry-After" in ledger.out + ledger.err


def test_a_repair_says_what_was_won_and_what_is_missing(server, archive_server, there, here):
    everlog("crawl", server.url(), folder=here, **QUICK)
    server.routes["/7"] = reply(200, a_blog.page(7))
    done = everlog("repair", server.url(), "--json", folder=here, **QUICK)
    report = done.json[0]
    assert {"url": server.url("/7"), "how": "with another try"} in report["won"]
    said = everlog("repair", server.url(), "--from-wayback", there.endpoint, folder=here, **QUICK)
    assert "still missing" in said.err
    assert said.code in {0, 3}


@pytest.mark.usefixtures("there")
def test_the_next_command_names_the_archive_that_was_named(server, here):
    everlog("crawl", server.url(), "--archive", "kept", folder=here, **QUICK)
    said = everlog("repair", server.url(), "--archive", "kept", folder=here, **QUICK)
    assert said.code == 3
    assert f"to look there:  everlog repair {server.url()} --from-wayback --archive kept" in said.err


def test_an_archive_without_blogs_has_nothing_to_repair(here):
    done = everlog("repair", folder=here)
    assert done.code == 2
    assert "there is no archive" in done.err


def test_an_address_that_is_no_web_archive_is_refused(server, there, here):
    for address in ("archive", "ftp://x", "http://[::1", "http://127.0.0.1:99999/"):
        done = everlog("crawl", server.url(), f"--from-wayback={address}", folder=here, **QUICK)
        assert done.code == 2
        wanted = "--from-wayback must be the address of a web archive, such as https://web.archive.org"
        assert f"{wanted}, not '{address}'" in done.err
    wrong = everlog("crawl", server.url(), "--from-wayback", server.url("/nothing"), folder=here, **QUICK)
    assert wrong.code == 2
    assert "is not a web archive with CDX or TimeMaps" in wrong.err
