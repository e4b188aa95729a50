"""Blogs on loopback for the program to crawl: the demo's, and a small one that tests can bend."""

from __future__ import annotations

import hashlib
import socket
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote

import a_blog
from everlog.demo.site import pages
from fetch.servers import Server, reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fetch.servers import Seen

POSTS = 8
IN_FEED = 5


def serve_demo(server: Server) -> str:
    """Put the demo's whole blog on a server that runs; gives its address."""
    documents = pages(server.url("").rstrip("/"))

    def answer(seen: Seen) -> bytes:
        document = documents.get(unquote(seen.path.partition("?")[0]))
        if document is None:
            return reply(404)
        return conditional(document.body, seen, document.type)

    server.routes["*"] = answer
    return server.url()


def serve_small(server: Server, folder: str = "/", *, numbers: Iterable[int] = range(POSTS, 0, -1)) -> str:
    """Put a blog of a few posts into a folder of a server; the feed names the newest of them."""
    home, newest_first = server.url(folder), list(numbers)
    feed = f"{home}feed.xml"
    teasers = "".join(
        f"<h2><a href='{home}{number}'>Post {number} of ours</a></h2><p>{a_blog.sentence(f'{number}/0', 9)}</p>"
        for number in newest_first
    )
    front = f"<html><head><link rel=alternate type=application/rss+xml href={feed}></head><body>{teasers}</body></html>"
    server.routes[folder] = reply(200, front)
    for number in newest_first:
        put_post(server, number, folder)
    put_feed(server, [a_blog.item(number, link=f"{home}{number}") for number in newest_first[:IN_FEED]], folder)
    return home


def put_post(server: Server, number: int, folder: str = "/", inside: str | None = None) -> None:
    """A post's page, with another article inside if one is given."""
    server.routes[f"{folder}{number}"] = reply(200, a_blog.page(number, inside))


def put_feed(server: Server, items: Iterable[str], folder: str = "/") -> None:
    """The feed of some items; it knows what a reader has already."""
    body = a_blog.rss(items)
    server.routes[f"{folder}feed.xml"] = lambda seen: conditional(body, seen, "application/rss+xml")


def conditional(body: bytes, seen: Seen, content_type: str) -> bytes:
    """The document, or 304 for who has it."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    if seen.headers.get("if-none-match") == etag:
        return reply(304, ETag=etag)
    return reply(200, body, Content_Type=content_type, ETag=etag)


@dataclass
class Gate:
    """An answer that is held back until the test lets it go."""

    answer: bytes
    asked: threading.Event = field(default_factory=threading.Event)
    opened: threading.Event = field(default_factory=threading.Event)

    def __call__(self, _seen: Seen) -> bytes:
        self.asked.set()
        self.opened.wait(300)
        return self.answer


def hold_back(server: Server, path: str) -> Gate:
    """Put a gate before a page that is there already."""
    held = server.routes[path]
    assert isinstance(held, bytes)
    gate = Gate(held)
    server.routes[path] = gate
    return gate


@dataclass
class Dam:
    """A server that answers so many requests; those that come after wait until the test lets them go."""

    answer: Callable[[Seen], bytes]
    left: int
    reached: threading.Event = field(default_factory=threading.Event)
    opened: threading.Event = field(default_factory=threading.Event)
    _counting: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, seen: Seen) -> bytes:
        with self._counting:
            self.left -= 1
            is_held = self.left < 0
        if is_held:
            self.reached.set()
            self.opened.wait(300)
        return self.answer(seen)


def dam_up(server: Server, *, after: int) -> Dam:
    """Hold all answers back from the one after so many on, of a blog that one function answers for."""
    answer = server.routes["*"]
    assert callable(answer)
    dam = Dam(answer, after)
    server.routes["*"] = dam
    return dam


def closed_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port
