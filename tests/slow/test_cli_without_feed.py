"""Blogs without a feed, as users crawl them: the program, Scrapy, a web server on loopback."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import a_blog
import everlog as library
from cli.conftest import crawled, here, server
from cli.program import begin, everlog
from cli.sites import hold_back
from everlog.archive import open_archive
from everlog.cli.app import main
from everlog.demo.site import truth
from fetch.servers import reply

if TYPE_CHECKING:
    from fetch.servers import Server

__all__ = ["crawled", "here", "server"]

POSTS = 12
FAST = ("--delay", "0", "--json", "-q")
ALL = {f"Post {number} of ours" for number in range(1, POSTS + 1)}


def serve(server: Server, newest: int = POSTS) -> str:
    """A blog of a few posts on one front page, and no feed."""
    teasers = "".join(
        f"<h2><a href='/{number}'>Post {number} of ours</a></h2><p>{a_blog.sentence(f'{number}/0', 9)}</p>"
        for number in range(newest, 0, -1)
    )
    front = f"<html><head><title>A Blog</title></head><body><nav><a href=/about>About</a></nav>{teasers}</body></html>"
    server.routes["/"] = reply(200, front, ETag=f'"{newest}"')
    about = "<html><body><nav><a href=/about>About</a></nav><p>All about us.</p></body></html>"
    server.routes["/about"] = reply(200, about)
    for number in range(1, newest + 1):
        server.routes[f"/{number}"] = reply(200, a_blog.page(number))
    return server.url()


def titles(folder: Path) -> set[str | None]:
    with open_archive(folder / "everlog-archive", create=False) as archive:
        return {post.title for post in archive.posts()}


def test_a_blog_without_a_feed_is_archived_and_the_screen_says_how(server, here):
    url = serve(server)
    done = everlog("crawl", url, "--delay", "0", folder=here)
    assert done.code == 0
    assert "no feed found: posts are recognised by their pages" in done.err
    assert titles(here) == ALL
    assert max(server.counts().values()) == 1
    assert everlog("verify", folder=here).code == 0


def test_the_whole_demo_is_archived_without_its_feed(crawled, here):
    done = everlog("crawl", crawled.url, "--no-feed", "--no-media", *FAST, folder=here)
    assert done.code == 0
    assert (done.json[0]["held"], done.json[0]["remarks"]) == (len(truth()), [])
    assert titles(here) == {piece.title for piece in truth()}


@pytest.mark.parametrize("number", [POSTS, 1], ids=["the first to be looked at", "the last"])
def test_an_interrupt_while_posts_are_looked_for_exits_130_and_the_next_run_completes(server, here, number):
    url = serve(server)
    gate = hold_back(server, f"/{number}")
    running = begin("crawl", url, "--delay", "0", folder=here)
    try:
        assert gate.asked.wait(300)
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=300)
    finally:
        gate.opened.set()
        running.kill()
    assert running.returncode == 130
    assert "Traceback" not in err
    assert everlog("crawl", url, *FAST, folder=here).code == 0
    assert titles(here) == ALL


def test_a_crawl_that_was_killed_while_it_looked_for_posts_goes_on(server, here):
    url = serve(server)
    gate = hold_back(server, "/3")
    running = begin("crawl", url, "--no-feed", "--delay", "0", folder=here)
    try:
        assert gate.asked.wait(300)
    finally:
        running.kill()
        running.communicate()
        gate.opened.set()
    assert everlog("crawl", url, *FAST, folder=here).code == 0
    assert titles(here) == ALL
    assert everlog("verify", folder=here).code == 0


def test_an_update_finds_what_the_front_page_has_new(server, here):
    url = serve(server)
    assert everlog("crawl", url, *FAST, folder=here).code == 0
    server.seen.clear()
    quiet = everlog("update", *FAST, folder=here)
    assert (quiet.code, quiet.json[0]["new_posts"]) == (0, 0)
    assert len([seen for seen in server.seen if seen.path != "/robots.txt"]) == 1
    serve(server, POSTS + 1)
    done = everlog("update", *FAST, folder=here)
    assert (done.code, done.json[0]["new_posts"]) == (0, 1)
    assert titles(here) == ALL | {f"Post {POSTS + 1} of ours"}


def test_what_an_archive_tells_of_such_a_blog(server, here):
    url = serve(server)
    assert everlog("crawl", url, *FAST, folder=here).code == 0
    shown = everlog("rules", url, folder=here)
    assert "posts found without a feed" in shown.out
    assert f"repeated blocks ({POSTS} pages compared)" in shown.out
    rules = everlog("rules", url, "--relearn", "--json", "-q", folder=here)
    assert rules.json["feed"] is None
    assert rules.json["repeats"]["pages"] == POSTS
    assert everlog("status", url, "--json", folder=here).json["feed"] is None
    assert everlog("reread", "--json", "-q", folder=here).json[0]["same"] == POSTS
    assert len(everlog("export", folder=here).out.splitlines()) == POSTS
    assert everlog("forget", url, folder=here).code == 0


def test_inspecting_without_a_feed_reads_a_post_and_writes_nothing(crawled, here):
    done = everlog("inspect", crawled.url, "--no-feed", "--delay", "0", "-q", folder=here)
    assert done.code == 0
    assert "none: posts are recognised by their pages" in done.out
    assert f"everlog crawl {crawled.url} --no-feed" in done.out
    found = everlog("inspect", crawled.url, "--no-feed", "--delay", "0", "--json", "-q", folder=here).json
    assert found["feed"] is None
    assert {piece.title for piece in truth()} >= {found["sample"]["title"]}
    assert list(here.iterdir()) == []


def test_a_site_without_posts_exits_4_and_says_what_to_do(server, here):
    server.routes["/"] = reply(200, "<html><body><p>Nothing here.</p></body></html>")
    done = everlog("crawl", server.url(), "--no-feed", "--delay", "0", folder=here)
    assert done.code == 4
    assert "no posts recognised among these pages: /\n" in done.err
    assert "--feed FEED_URL" in done.err


@pytest.mark.parametrize("command", ["crawl", "inspect"])
def test_a_feed_and_none_at_once_exit_2(here, capsys, command):
    assert main([command, "https://a.example/", "--feed", "https://a.example/feed", "--no-feed"]) == 2
    assert "leave out one of them" in capsys.readouterr().err
    assert list(here.iterdir()) == []


def test_one_blog_of_a_list_goes_without_its_feed_by_the_settings_file(crawled, here):
    Path("everlog.toml").write_text(f'[blog."{crawled.url}"]\nno_feed = true\n')
    assert everlog("crawl", crawled.url, "--no-media", *FAST, folder=here).code == 0
    assert everlog("status", crawled.url, "--json", folder=here).json["feed"] is None


def test_the_library_crawls_and_updates_without_a_feed(server, here, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    url = serve(server)
    settings = {"delay": 0, "no_feed": True}
    assert {post.title for post in library.new_crawl(url, "kept", settings)} == ALL
    serve(server, POSTS + 1)
    assert [post.title for post in library.update_crawl(url, None, "kept", settings)] == [f"Post {POSTS + 1} of ours"]
