"""The program on blogs whose posts are not where they seem to be: start pages, other hosts, a dead https, noarchive."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

import a_blog
from cli.program import everlog
from everlog.core.urls import canonical
from fetch.servers import Server, reply
from usecases.a_mirror import POSTS, SAID, TALKED_OF, put_mirror
from usecases.a_web import Answer, MemoryWeb

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.program import Done
    from fetch.servers import Seen

HERE, THERE = "http://mirror.example/", "http://www.there.example/"
ALL = list(range(1, POSTS + 1))
QUICKLY = ("--delay", "0", "--no-media")


def as_proxy(server: Server, fetcher: MemoryWeb) -> dict[str, str]:
    """Serve what a web holds, in http alone, behind a forward proxy; gives what the program is to be told of it."""

    def answer(seen: Seen) -> bytes:
        method, address, _ = seen.line.split()
        found = fetcher.answers.get(canonical(address)) if method == "GET" and "://" in address else None
        if method == "CONNECT" or urlsplit(address).netloc not in hosts:
            return reply(502)
        if not isinstance(found, Answer):
            return reply(404)
        if found.redirect is not None:
            return reply(302, Location=found.redirect)
        headers = {"Content-Type": found.type, **dict(found.headers)}
        return reply(found.status, found.body, **{name.replace("-", "_"): value for name, value in headers.items()})

    hosts = {key.partition("/")[0] for key in fetcher.answers} | {
        f"www.{key.partition('/')[0]}" for key in fetcher.answers
    }
    server.routes["*"] = answer
    # By name: a proxy on a private address may have one.
    return {"http_proxy": f"http://localhost:{server.port}", "https_proxy": f"http://localhost:{server.port}"}


@pytest.fixture
def crawl(server: Server, here: Path) -> Callable[..., Done]:
    def run(fetcher: MemoryWeb, *words: str) -> Done:
        return everlog("crawl", HERE, *QUICKLY, *words, folder=here, **as_proxy(server, fetcher))

    return run


def posts_held(here: Path) -> list[dict[str, object]]:
    lines = everlog("export", "--format", "jsonl", folder=here).out.splitlines()
    return [json.loads(line) for line in lines]


def numbers_held(here: Path) -> list[int]:
    return sorted(int(str(post["title"]).split()[1]) for post in posts_held(here))


def asked_of(server: Server, host: str) -> list[str]:
    return [seen.line for seen in server.seen if host in seen.line]


def test_a_home_that_redirects_to_a_start_page_is_archived_whole(crawl, here):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE, HERE)
    fetcher.answers[canonical(HERE + "home")] = fetcher.answers.pop(canonical(HERE))
    fetcher.put(HERE, b"", redirect=HERE + "home")
    done = crawl(fetcher)
    assert (done.code, numbers_held(here)) == (0, ALL)


@pytest.mark.parametrize("is_alive", [True, False])
def test_a_mirror_of_a_host_that_its_pages_name_has_every_post_and_comment_once(crawl, here, server, is_alive):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE, THERE)
    if is_alive:
        put_mirror(fetcher, THERE, THERE)
    done = crawl(fetcher)
    assert (done.code, numbers_held(here)) == (0, ALL)
    said = [len(post["comments"]) for post in posts_held(here) if post["comments"]]
    assert said == [SAID] * len(TALKED_OF)
    assert len(asked_of(server, "there.example")) < 10


def test_links_to_an_https_that_gives_no_answer_are_read_in_http(crawl, here, server):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE, HERE.replace("http:", "https:"))
    done = crawl(fetcher)
    assert (done.code, numbers_held(here)) == (0, ALL)
    assert all(str(post["url"]).startswith(HERE) for post in posts_held(here))
    said = [len(post["comments"]) for post in posts_held(here) if post["comments"]]
    assert said == [SAID] * len(TALKED_OF)
    assert len(asked_of(server, "CONNECT")) <= 6


def test_a_host_that_is_not_followed_is_named_with_the_flag_that_follows_it(crawl, here):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE, THERE, posts=range(16, 21))
    put_mirror(fetcher, THERE, THERE, posts=range(1, 16))
    first = crawl(fetcher)
    assert first.code == 3
    assert "www.there.example, which the blog's pages name as their own address; it was not followed" in first.err
    assert f"everlog crawl {HERE} --also www.there.example" in first.err
    assert "left out" in everlog("status", HERE, folder=here).out
    second = crawl(fetcher, "--also", "www.there.example")
    assert (second.code, numbers_held(here)) == (0, ALL)


def test_a_private_address_that_pages_name_as_their_own_is_never_asked(crawl, here, server):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE, "http://10.1.2.3/")
    put_mirror(fetcher, "http://10.1.2.3/", "http://10.1.2.3/")
    done = crawl(fetcher)
    assert (done.code, numbers_held(here)) == (0, ALL)
    assert asked_of(server, "10.1.2.3") == []


def test_pages_that_ask_not_to_be_kept_are_counted_with_the_flag_that_keeps_them(crawl, here):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE, HERE)
    for number in (4, 5):
        fetcher.put(f"{HERE}{number}/", a_blog.page(number, head="<meta name=robots content=noarchive>"))
    fetcher.put(f"{HERE}6/", a_blog.page(6), headers=(("X-Robots-Tag", "noarchive"),))
    left = [number for number in ALL if number not in {4, 5, 6}]
    first = crawl(fetcher)
    # The posts that its owner does not want kept are missing here.
    assert (first.code, numbers_held(here)) == (3, left)
    told = f"3 pages say noarchive and are not kept; if the blog is yours:  everlog crawl {HERE} --ignore-robots"
    assert told in first.err
    assert told in everlog("status", HERE, folder=here).out
    second = crawl(fetcher, "--ignore-robots")
    assert (second.code, numbers_held(here)) == (0, ALL)
    assert "noarchive" not in everlog("status", HERE, folder=here).out
    everlog("reread", folder=here)
    assert numbers_held(here) == ALL


def test_a_look_at_a_blog_whose_posts_ask_not_to_be_kept_names_the_flag_that_keeps_them(here, server):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE, HERE)
    for number in ALL:
        fetcher.put(f"{HERE}{number}/", a_blog.page(number, head="<meta name=robots content=noarchive>"))
    proxy = as_proxy(server, fetcher)
    done = everlog("inspect", HERE, "--delay", "0", folder=here, **proxy)
    assert "posts looked at ask not to be kept; if the blog is yours:" in done.out
    assert f"everlog crawl {HERE} --ignore-robots" in done.out
    crawled = everlog("crawl", HERE, "--delay", "0", folder=here, **proxy)
    assert crawled.code == 4
    assert "of its pages say noarchive; no other page could be read as a post" in crawled.err


def test_inspect_names_the_other_host_and_what_a_crawl_does_about_it(here, server):
    fetcher = MemoryWeb()
    put_mirror(fetcher, HERE, THERE)
    done = everlog("inspect", HERE, "--delay", "0", folder=here, **as_proxy(server, fetcher))
    assert done.code == 0
    assert f"{THERE}, which its pages name as their address  (its posts are fetched from here)" in done.out
