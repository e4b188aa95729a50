"""Names of a blog over real HTTP: a blog that moved is recognised at its old address, two of one owner stay two.

The old address of a blog is a stranger's word. On loopback the guard lets nobody connect to it for that, unless the
user allows the host; behind a proxy, which is the user's own, hosts have names as they do elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cli.program import everlog
from everlog.archive import open_archive
from everlog.core.urls import canonical
from fetch.servers import Server, redirect, reply
from usecases.a_named_blog import HIDDEN, POSTS, NamedBlog, serve
from usecases.a_web import MemoryWeb

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fetch.servers import Seen

NEW, OLD = "http://ann.example/", "http://old.example/"
# Requests that may be spent on one address to see whether it is a name of the blog; its robots.txt comes before.
FEW = 3


@pytest.fixture
def servers() -> Iterator[tuple[Server, Server]]:
    with Server() as now, Server() as before:
        yield now, before


def put(server: Server, home: str, blog: NamedBlog) -> None:
    """Serve a blog at its home."""
    web = MemoryWeb()
    serve(web, home, blog)
    server.routes["*"] = lambda seen: answer(web, home + seen.path.lstrip("/"))


def answer(web: MemoryWeb, url: str) -> bytes:
    found = web.answers.get(canonical(url))
    return reply(404) if found is None else reply(200, found.body, Content_Type=found.type)


def crawl(folder: Path, home: str, *flags: str, **variables: str) -> None:
    done = everlog("crawl", home, "--archive", "a", "--delay", "0", "-q", *flags, folder=folder, **variables)
    assert done.code == 0, done.err


def names(folder: Path, home: str) -> dict[str, str]:
    """What the program says of the names of a blog, all of whose posts it holds."""
    told = everlog("status", home, "--archive", "a", "--json", folder=folder).json
    assert told["posts"] == POSTS
    return {each["home"]: each["evidence"] for each in told["names"]}


def test_another_blog_of_the_same_owner_stays_another(servers, tmp_path):
    now, other = servers
    home, there = now.url(), other.url(host="localhost")
    footer = "<p>My other blog: <a href='{}'>here</a></p>"
    put(now, home, NamedBlog(footer=footer.format(there)))
    put(other, there, NamedBlog(seed=500, footer=footer.format(home)))
    for address in (home, there):
        crawl(tmp_path, address)
    with open_archive(tmp_path / "a") as archive:
        blogs = archive.blogs()
        assert sorted(each.home for each in blogs) == sorted([home, there])
        assert [archive.posts.count(each.id) for each in blogs] == [POSTS, POSTS]
        assert [archive.blogs.state(each.id).places.aliases for each in blogs] == [(), ()]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_blog_that_moved_is_recognised_at_its_old_address_if_the_user_allows_it(servers, tmp_path, host):
    now, before = servers
    home, there = now.url(), before.url(host=host)
    put(now, home, NamedBlog(old=there, hidden=HIDDEN))
    before.routes["*"] = lambda seen: redirect(now.url(seen.path), 301)
    crawl(tmp_path, home, "--allow", f"{host}:{before.port}")
    told = names(tmp_path, home)
    assert list(told) == [there]
    assert "posts redirect permanently" in told[there]
    assert 1 <= len([seen for seen in before.seen if seen.path != "/robots.txt"]) <= FEW


def test_links_alone_bring_nobody_to_another_server_of_loopback(servers, tmp_path):
    now, before = servers
    home, there = now.url(), before.url()
    put(now, home, NamedBlog(old=there, hidden=HIDDEN))
    before.routes["*"] = lambda seen: redirect(now.url(seen.path), 301)
    crawl(tmp_path, home)
    # What the links name was looked for here; whether it is the same blog could not be asked.
    assert names(tmp_path, home) == {}
    assert before.seen == []


def test_a_blog_that_moved_to_another_host_is_found_by_both_names(servers, tmp_path):
    proxy, _ = servers
    web = MemoryWeb()
    serve(web, NEW, NamedBlog(old=OLD, hidden=HIDDEN))

    def forward(seen: Seen) -> bytes:
        url = seen.line.split(" ")[1]
        return redirect(url.replace(OLD, NEW), 301) if url.startswith(OLD) else answer(web, url)

    proxy.routes["*"] = forward
    through = {"http_proxy": proxy.url(), "no_proxy": ""}
    crawl(tmp_path, NEW, **through)
    assert list(names(tmp_path, OLD)) == [OLD]
    asked = [seen for seen in proxy.seen if OLD in seen.line]
    crawl(tmp_path, OLD, **through)
    # The blog is known by that name: nothing more is asked there.
    assert [seen for seen in proxy.seen if OLD in seen.line] == asked
    with open_archive(tmp_path / "a") as archive:
        assert [each.home for each in archive.blogs()] == [NEW]
        first = archive.posts.find(OLD + NamedBlog().path(HIDDEN[0]))
        assert first is not None
        assert first.url == NEW + NamedBlog().path(HIDDEN[0])
