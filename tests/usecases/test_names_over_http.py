"""Names of a blog over real HTTP: two blogs of one owner on loopback, which link to each other and stay two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cli.program import everlog
from everlog.archive import open_archive
from everlog.core.urls import canonical
from fetch.servers import Server, reply
from usecases.a_named_blog import POSTS, NamedBlog, serve
from usecases.a_web import MemoryWeb

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fetch.servers import Seen


@pytest.fixture
def servers() -> Iterator[tuple[Server, Server]]:
    with Server() as now, Server() as before:
        yield now, before


def put(server: Server, home: str, blog: NamedBlog) -> None:
    """Serve a blog at its home."""
    web = MemoryWeb()
    serve(web, home, blog)

    def answer(seen: Seen) -> bytes:
        found = web.answers.get(canonical(home.rstrip("/") + seen.path))
        return reply(404) if found is None else reply(200, found.body, Content_Type=found.type)

    server.routes["*"] = answer


def test_another_blog_of_the_same_owner_stays_another(servers, tmp_path):
    now, other = servers
    home, there = now.url(), other.url(host="localhost")
    footer = "<p>My other blog: <a href='{}'>here</a></p>"
    put(now, home, NamedBlog(footer=footer.format(there)))
    put(other, there, NamedBlog(seed=500, footer=footer.format(home)))
    for address in (home, there):
        assert everlog("crawl", address, "--archive", "a", "--delay", "0", "-q", folder=tmp_path).code == 0
    with open_archive(tmp_path / "a") as archive:
        blogs = archive.blogs()
        assert sorted(each.home for each in blogs) == sorted([home, there])
        assert [archive.posts.count(each.id) for each in blogs] == [POSTS, POSTS]
        assert [archive.blogs.state(each.id).places.aliases for each in blogs] == [(), ()]
