"""`everlog crawl`, `update` and `inspect` against web servers on loopback."""

from __future__ import annotations

import gzip
import signal
from typing import TYPE_CHECKING

import pytest

import a_blog
from cli.program import begin, everlog
from cli.sites import IN_FEED, POSTS, closed_port, hold_back, put_feed, put_post, serve_demo, serve_small
from everlog.archive import open_archive
from everlog.demo.site import truth
from fetch.servers import Server, reply

if TYPE_CHECKING:
    from pathlib import Path

FAST = ("--delay", "0", "--json", "-q")


def crawl(*words: str, folder: Path, **variables: str):
    return everlog("crawl", *words, *FAST, folder=folder, **variables)


def titles(folder: Path) -> set[str | None]:
    with open_archive(folder / "everlog-archive", create=False) as archive:
        return {post.title for post in archive.posts()}


def test_the_whole_demo_is_archived_and_nothing_else(crawled):
    assert crawled.done.code == 0
    [report] = crawled.done.json
    assert (report["ending"], report["held"], report["new_posts"], report["failed"]) == ("complete", 40, 40, 0)
    with open_archive(crawled.folder, create=False) as archive:
        held = {post.url.removeprefix(crawled.url[:-1]): post.title for post in archive.posts()}
    assert held == {piece.path: piece.title for piece in truth()}


def test_crawling_a_finished_blog_again_updates_it_with_two_requests_at_most(crawled, kept, here):
    crawled.server.seen.clear()
    done = crawl(kept, folder=here)
    assert done.code == 0
    [report] = done.json
    assert (report["new_posts"], report["changed_posts"], report["visited"], report["held"]) == (0, 0, 0, 40)
    assert len(crawled.server.seen) <= 2
    with open_archive("everlog-archive", create=False) as archive:
        counts = archive.blogs.counts(archive.blogs()[0].id)
    assert (counts.posts, counts.versions) == (40, 40)


def test_a_limit_of_pages_exits_6_and_the_next_run_goes_on(server, here):
    url = serve_demo(server)
    first = crawl(url, "--max-pages", "20", "--no-media", folder=here)
    assert first.code == 6
    assert 0 < first.json[0]["held"] < 40
    assert len(server.seen) <= 25
    server.seen.clear()
    second = crawl(url, "--no-media", folder=here)
    assert (second.code, second.json[0]["held"]) == (0, 40)
    assert second.json[0]["new_posts"] == 40 - first.json[0]["held"]
    assert max(server.counts().values()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("number", [2, POSTS], ids=["while visiting pages", "while learning from the feed"])
def test_an_interrupt_exits_130_and_the_next_run_completes(server, here, number):
    url = serve_small(server)
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
    assert "interrupted" in err
    assert "Traceback" not in err
    assert crawl(url, folder=here).code == 0
    assert titles(here) == {f"Post {each} of ours" for each in range(1, POSTS + 1)}


@pytest.mark.slow
def test_a_killed_crawl_goes_on_and_holds_everything_once(server, here):
    url = serve_small(server)
    gate = hold_back(server, "/2")
    running = begin("crawl", url, "--delay", "0", folder=here)
    try:
        assert gate.asked.wait(300)
    finally:
        running.kill()
        running.communicate()
        gate.opened.set()
    assert crawl(url, folder=here).code == 0
    assert titles(here) == {f"Post {each} of ours" for each in range(1, POSTS + 1)}
    assert everlog("verify", folder=here).code == 0


@pytest.mark.slow
def test_a_second_crawl_of_the_same_blog_says_so_and_exits_2(server, here):
    url = serve_small(server)
    gate = hold_back(server, "/2")
    running = begin("crawl", url, "--delay", "0", folder=here)
    try:
        assert gate.asked.wait(300)
        second = everlog("crawl", url, "--delay", "0", folder=here)
    finally:
        gate.opened.set()
        running.communicate(timeout=300)
    assert second.code == 2
    assert f"is running (pid {running.pid})" in second.err
    assert running.returncode == 0


def test_what_is_no_address_exits_2(here):
    done = everlog("crawl", "nonsense", "ftp://a.example/", "http://", folder=here)
    assert done.code == 2
    assert done.err.count("is not a valid blog address") == 3


@pytest.mark.slow
def test_a_dead_host_exits_4(here):
    done = everlog("crawl", f"http://127.0.0.1:{closed_port()}/", "--delay", "0", folder=here)
    assert done.code == 4
    assert "connection" in done.err


def test_a_blog_without_a_feed_exits_4_and_names_the_flag(server, here):
    server.routes["/"] = reply(200, "<html><body><p>No feed here.</p></body></html>")
    done = everlog("crawl", server.url(), "--delay", "0", folder=here)
    assert done.code == 4
    assert "no feed found" in done.err
    assert "--feed FEED_URL" in done.err


def test_the_feed_can_be_named(server, here):
    url = serve_small(server)
    server.routes["/hidden.xml"] = server.routes.pop("/feed.xml")
    assert crawl(url, "--feed", server.url("/hidden.xml"), folder=here).code == 0


@pytest.mark.parametrize("robots", [
    reply(200, "User-agent: *\nDisallow: /\n", Content_Type="text/plain"), reply(503),
], ids=["disallows all", "answers 503"])
def test_a_blog_whose_robots_txt_keeps_crawlers_out_exits_5_unasked(server, here, robots):
    url = serve_small(server)
    server.routes["/robots.txt"] = robots
    done = everlog("crawl", url, "--delay", "0", folder=here)
    assert done.code == 5
    assert "robots.txt" in done.err
    assert set(server.counts()) == {"/robots.txt"}


def test_robots_txt_can_be_ignored_on_blogs_of_ones_own(server, here):
    url = serve_small(server)
    server.routes["/robots.txt"] = reply(200, "User-agent: *\nDisallow: /\n", Content_Type="text/plain")
    assert crawl(url, "--ignore-robots", folder=here).code == 0


@pytest.mark.parametrize("path", ["/", "/2"], ids=["the front page", "a post"])
def test_a_server_that_wants_to_be_left_alone_for_long_is_and_exits_5(server, here, path):
    url = serve_small(server)
    server.routes[path] = reply(429, Retry_After="86400")
    done = everlog("crawl", url, "--delay", "0", folder=here)
    assert done.code == 5
    assert "retry after" in done.err
    assert server.counts()[path] == 1


@pytest.mark.slow
def test_while_a_server_wants_to_be_left_alone_the_same_command_asks_nothing_and_exits_5(server, here):
    url = serve_small(server)
    server.routes["/2"] = reply(429, Retry_After="86400")
    assert everlog("crawl", url, "--delay", "0", folder=here).code == 5
    server.seen.clear()
    again = everlog("crawl", url, "--delay", "0", folder=here)
    assert "/2" not in server.counts()
    assert again.code == 5


def test_a_bare_address_is_crawled(server, here):
    done = everlog(serve_small(server), *FAST, folder=here)
    assert done.code == 0
    assert len(titles(here)) == POSTS


def opml(urls: list[str]) -> str:
    outlines = "".join(f'<outline text="blog" htmlUrl="{url}"/>' for url in urls)
    return f'<?xml version="1.0"?><opml version="2.0"><body>{outlines}</body></opml>'


@pytest.mark.parametrize("kind", ["lines", "opml", "stdin"])
def test_a_list_of_blogs_is_crawled(server, here, kind):
    urls = [serve_small(server, "/one/"), serve_small(server, "/two/", numbers=range(POSTS + IN_FEED, POSTS, -1))]
    text = opml(urls) if kind == "opml" else "# blogs\n" + "\n".join(urls) + "\n"
    (here / "list").write_text(text)
    source = "-" if kind == "stdin" else "list"
    words = ("crawl", "-i", source, "--allow", f"127.0.0.1:{server.port}", *FAST)
    done = everlog(*words, folder=here, stdin=text if kind == "stdin" else "")
    assert done.code == 0
    assert [report["held"] for report in done.json] == [POSTS, IN_FEED]
    assert [report["url"] for report in done.json] == urls


def test_a_private_address_of_a_list_is_refused_unless_it_is_allowed(server, here):
    url = serve_small(server)
    (here / "list").write_text(f"{url}\n")
    refused = everlog("crawl", "-i", "list", *FAST, folder=here)
    assert refused.code == 4
    assert f"--allow 127.0.0.1:{server.port}" in refused.err
    assert server.seen == []
    dry = everlog("crawl", "-i", "list", "--dry-run", "--delay", "0", folder=here)
    assert (dry.code, server.seen) == (4, [])
    allowed = everlog("crawl", "-i", "list", *FAST, folder=here, EVERLOG_ALLOW=f"127.0.0.1:{server.port}")
    assert allowed.code == 0


def test_a_blog_that_was_public_is_not_followed_into_this_machine_until_that_is_allowed(server, here):
    url = serve_small(server)
    assert crawl(url, folder=here).code == 0
    asked = len(server.seen)
    with open_archive(here / "everlog-archive") as archive:
        # As if its name had been somewhere on the internet then.
        assert archive.hosts.cached("first network 127.0.0.1") == "loopback"
        archive.hosts.cache({"first network 127.0.0.1": "public"})
    for command in (("update",), ("crawl", url), ("crawl", url, "--no-feed")):
        refused = everlog(*command, *FAST, folder=here)
        assert refused.code
        said = refused.out + refused.err
        assert "blocked address 127.0.0.1 (loopback)" in said
        assert "it had a public address before" in said
        assert f"--allow 127.0.0.1:{server.port}" in said
    assert everlog("watch", "--once", "--delay", "0", folder=here).code == 0
    assert len(server.seen) == asked
    # What is allowed for a blog once stays allowed, until it is taken back.
    for words, code in (("--allow", f"127.0.0.1:{server.port}"), 0), ((), 0), (("--allow", ""), 1), ((), 1):
        assert bool(everlog("update", *words, *FAST, folder=here).code) is bool(code)


def test_a_blog_from_an_archive_that_remembers_no_networks_goes_on_where_its_address_says_so(server, here):
    url = serve_small(server)
    crawl(url, folder=here)
    with open_archive(here / "everlog-archive") as archive:
        archive.hosts.cache({"first network 127.0.0.1": None, f"typed 127.0.0.1:{server.port}": None})
    assert everlog("update", *FAST, folder=here).code == 0


def test_a_feed_that_claims_a_private_home_does_not_lead_there(server, here):
    serve_small(server)
    with Server() as secret:
        feed = a_blog.rss([a_blog.item(number) for number in range(IN_FEED)])
        feed = feed.replace(b"<channel>", f"<channel><link>{secret.url('/')}</link>".encode(), 1)
        server.routes["/feed.xml"] = reply(200, feed, Content_Type="application/rss+xml")
        crawl(server.url("/feed.xml"), folder=here)
        everlog("update", *FAST, folder=here)
        assert secret.seen == []


def test_a_list_of_which_one_blog_fails_exits_3_and_the_others_are_held(server, here):
    urls = [serve_small(server, "/one/"), server.url("/nothing/")]
    done = crawl(*urls, folder=here)
    assert done.code == 3
    assert [report["ending"] for report in done.json] == ["complete", "error"]
    assert len(titles(here)) == POSTS


def test_own_headers_and_cookies_reach_the_typed_host_alone_and_are_not_stored(server, here):
    # Behind a proxy names are not looked up, so one server can be every host.
    serve_small(server)
    home = "http://blog.example/"
    for path, answer in server.routes.items():
        if isinstance(answer, bytes):
            server.routes[path] = answer.replace(server.url().encode(), home.encode())
    server.routes["/"] = reply(200, server.routes["/"].partition(b"\r\n\r\n")[2].replace(server.url().encode(), b"/"))
    put_feed(server, [a_blog.item(number, link=f"{home}{number}") for number in range(POSTS, POSTS - IN_FEED, -1)])
    put_post(server, 1, inside=a_blog.article(1) + "<img src=http://pictures.example/a.png>")
    server.routes["/a.png"] = reply(200, b"\x89PNG", Content_Type="image/png")
    (here / "cookies.txt").write_text(
        "# Netscape HTTP Cookie File\nblog.example\tFALSE\t/\tFALSE\t0\tsession\tsesame\n"
        "other.example\tFALSE\t/\tFALSE\t0\tsession\tforeign\n",
    )
    flags = ("--header", "Authorization: Bearer let-me-in", "--cookies", "cookies.txt")
    done = crawl(home, *flags, folder=here, http_proxy=server.url())
    assert done.code == 0
    own = [seen for seen in server.seen if seen.headers["host"] == "blog.example" and seen.path != "/robots.txt"]
    foreign = [seen for seen in server.seen if seen.headers["host"] == "pictures.example"]
    assert {seen.headers.get("authorization") for seen in own} == {"Bearer let-me-in"}
    assert {seen.headers.get("cookie") for seen in own} == {"session=sesame"}
    assert {seen.path for seen in foreign} >= {"/a.png"}
    assert not any({"authorization", "cookie"} & set(seen.headers) for seen in foreign)
    stored = b"".join(gzip.decompress(file.read_bytes()) for file in (here / "everlog-archive").glob("warc/*.gz"))
    stored += b"".join(file.read_bytes() for file in (here / "everlog-archive").glob("everlog.sqlite*"))
    assert b"let-me-in" not in stored
    assert b"sesame" not in stored


def test_an_update_brings_new_posts_and_new_versions_of_changed_ones(server, here):
    url = serve_small(server)
    assert crawl(url, folder=here).code == 0
    changed = a_blog.article(POSTS) + "<p>An afterthought of some length, written later.</p>"
    put_post(server, POSTS, inside=changed)
    put_post(server, POSTS + 1)
    items = [a_blog.item(POSTS, changed, link=f"{url}{POSTS}")]
    items += [a_blog.item(number, link=f"{url}{number}") for number in (POSTS + 1, 7, 6, 5)]
    put_feed(server, items)
    done = everlog("update", *FAST, folder=here)
    assert done.code == 0
    assert (done.json[0]["new_posts"], done.json[0]["changed_posts"]) == (1, 1)
    shown = everlog("show", f"{url}{POSTS}", "--versions", "--json", folder=here).json
    assert [post["version"] for post in shown] == [1, 2]
    assert ["afterthought" in post["text"] for post in shown] == [False, True]


@pytest.mark.slow
def test_a_forgotten_blog_is_taken_up_again_by_crawling_it(kept, here):
    assert everlog("forget", kept, folder=here).code == 0
    assert crawl(kept, folder=here).code == 0
    assert everlog("status", "--json", folder=here).json[0]["state"] == "finished"


def test_inspecting_says_what_a_crawl_would_find_and_writes_nothing(crawled, here):
    done = everlog("inspect", crawled.url, "--delay", "0", "--json", "-q", folder=here)
    assert done.code == 0
    found = done.json
    assert {"home", "platform", "feeds", "robots", "estimated_posts", "estimated_requests", "sample"} <= set(found)
    assert (found["estimated_posts"], found["feed"]) == (40, f"{crawled.url}feed/")
    assert {piece.title for piece in truth()} >= {found["sample"]["title"]}
    assert list(here.iterdir()) == []


def test_a_dry_run_writes_nothing(crawled, here):
    done = everlog("crawl", crawled.url, "--dry-run", "--delay", "0", folder=here)
    assert done.code == 0
    assert "everlog crawl" in done.out
    assert list(here.iterdir()) == []


def test_an_address_without_a_scheme_is_crawled_and_found_again(server, here):
    url = serve_small(server)
    bare = url.removeprefix("http://").rstrip("/")
    done = everlog(bare, *FAST, folder=here)
    assert (done.code, done.json[0]["blog"], done.json[0]["held"]) == (0, url, POSTS)
    assert everlog("--delay", "0", "-q", "--json", f"{bare}/", folder=here).json[0]["new_posts"] == 0
    for command in (["status"], ["rules"], ["export", "--format", "jsonl", "--blog"], ["update", "--delay", "0"]):
        assert everlog(*command, f"{bare}/3", "-q", folder=here).code == 0, command


def test_what_only_http_has_is_crawled_without_typing_so(server, here):
    serve_small(server)
    front = server.routes["/"].partition(b"\r\n\r\n")[2]
    server.routes["/"] = reply(200, front.replace(server.url().encode(), b"http://blog.example/"))
    items = [a_blog.item(number, link=f"http://blog.example/{number}") for number in range(POSTS, POSTS - IN_FEED, -1)]
    put_feed(server, items)
    proxies = {"http_proxy": server.url(), "https_proxy": server.url()}
    done = crawl("blog.example/3", folder=here, **proxies)
    assert (done.code, done.json[0]["blog"], done.json[0]["held"]) == (0, "http://blog.example/", POSTS)
    assert "http://blog.example/3 is a post of http://blog.example/: archiving that blog" in done.json[0]["remarks"]
    asked = [seen.line for seen in server.seen if "blog.example" in seen.line]
    assert asked[0].startswith("CONNECT blog.example:443 ")
    assert asked[1].startswith("GET http://blog.example/")


def test_a_proxy_that_is_not_there_is_named_without_its_password(here):
    port = closed_port()
    done = everlog("crawl", "http://blog.example/", folder=here, http_proxy=f"http://ann:secret@127.0.0.1:{port}")
    assert done.code == 4
    assert done.err.splitlines()[-2:] == [
        f"http://blog.example/: the proxy http://127.0.0.1:{port} (from http_proxy) refused the connection",
        "  check that the proxy runs; to go without it: unset http_proxy, or add blog.example to no_proxy",
    ]
    assert "secret" not in done.err
