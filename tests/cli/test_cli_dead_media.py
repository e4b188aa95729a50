"""Pictures on hosts that are dead: one try in a run, none before they are due, and the pages wait for nothing."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

import a_blog
from cli.program import everlog
from cli.sites import POSTS, put_post, serve_small

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fetch.servers import Server

# Another host than the blog's, and still loopback.
ELSEWHERE = "127.0.0.2"


@contextmanager
def dead_host(*, hangs_up: bool) -> Iterator[tuple[str, list[socket.socket]]]:
    """A host that takes connections and says nothing, or hangs up at once; who connected to it so far."""
    visitors: list[socket.socket] = []
    over = threading.Event()
    with socket.create_server((ELSEWHERE, 0)) as listener:

        def accept() -> None:
            while True:
                visitor, _ = listener.accept()
                if over.is_set():
                    visitor.close()
                    return
                visitors.append(visitor)
                if hangs_up:
                    visitor.close()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield f"{ELSEWHERE}:{listener.getsockname()[1]}", visitors
        finally:
            over.set()
            socket.create_connection(listener.getsockname(), timeout=60).close()
            thread.join(timeout=60)
            for visitor in visitors:
                visitor.close()


def put_pictures(server: Server, host: str) -> list[str]:
    """Two pictures of the host in every post of the small blog."""
    urls = [f"http://{host}/{number}-{which}.png" for number in range(1, POSTS + 1) for which in "ab"]
    for number in range(1, POSTS + 1):
        shown = "".join(f"<img src={url}>" for url in urls if f"/{number}-" in url)
        put_post(server, number, inside=a_blog.article(number) + shown)
    return urls


@pytest.mark.parametrize(("manner", "flags"), [("hangs up", []), ("is silent", []), ("is silent", ["--ignore-robots"])])
def test_a_dead_host_of_pictures_costs_one_connection_in_a_crawl_and_none_in_the_update_after_it(
    server: Server, tmp_path: Path, manner: str, flags: list[str],
) -> None:
    home = serve_small(server)
    with dead_host(hangs_up=manner == "hangs up") as (host, visitors):
        urls = put_pictures(server, host)
        words = ("crawl", home, "--delay", "0", "--allow", host, "--json", *flags)
        crawled = everlog(*words, folder=tmp_path, EVERLOG_TIMEOUT="5")
        assert len(visitors) == 1
        assert crawled.json[0]["media_failed"] == len(urls)
        server.seen.clear()
        updated = everlog("update", "--json", folder=tmp_path)
        assert len(visitors) == 1
        assert {seen.path for seen in server.seen} <= {"/robots.txt", "/feed.xml"}
        assert updated.json[0]["media_failed"] == len(urls)
        told = everlog("status", home, "-v", folder=tmp_path)
        lines = [line for line in told.out.splitlines() if urls[-1] in line]
        assert len(lines) == 1
        assert re.search(r"; asked again in (1 h|\d+ min|less than 1 min)$", lines[0])
