"""Visits as a crawl brings them, made by hand."""

from __future__ import annotations

import hashlib
import tempfile
from datetime import UTC, datetime, timedelta
from typing import Any

from everlog.core.urls import canonical
from everlog.records import Exchange, Link, Media, Post, Spooled, Visit

HOME = "http://a.example/"
START = datetime(2024, 5, 1, 12, tzinfo=UTC)
LONG = " ".join(f"word{number}" for number in range(60))


def exchange(url: str, body: bytes = b"<p>hello</p>", *, status: int = 200, at: int = 0, **rest: Any) -> Exchange:
    headers = rest.pop("headers", (("Content-Type", "text/html; charset=utf-8"),))
    return Exchange(
        url=url, status=status, reason="OK", headers=headers, body=body, request_headers=(("User-Agent", "test"),),
        fetched_at=START + timedelta(seconds=at), **rest,
    )


def post(url: str, text: str = LONG, **rest: Any) -> Post:
    return Post(url=url, **{"title": "A title", "text": text, "html": f"<p>{text}</p>", **rest})


def page(blog_id: int, url: str, **rest: Any) -> Visit:
    """A visit to a page that is no post."""
    exchanges = rest.pop("exchanges", (exchange(url),))
    return Visit(**{
        "blog_id": blog_id, "url": url, "key": canonical(url), "outcome": "page", "exchanges": exchanges, **rest,
    })


def post_visit(blog_id: int, url: str, text: str = LONG, *, at: int = 0, **rest: Any) -> Visit:
    """A visit to a post; the body of its page is its text."""
    of_post = {name: rest.pop(name) for name in ("title", "published", "tags", "media", "comments") if name in rest}
    rest.setdefault("exchanges", (exchange(url, text.encode("utf-8", "replace"), at=at),))
    return page(blog_id, url, outcome="post", post=post(url, text, **of_post), **rest)


def media_visit(blog_id: int, url: str, body: bytes = b"\x89PNG picture", *, at: int = 0, **rest: Any) -> Visit:
    answer = exchange(url, body, at=at, headers=(("Content-Type", "image/png"),), purpose="media")
    return page(blog_id, url, outcome="media", exchanges=(answer,), **rest)


def spooled_visit(blog_id: int, url: str, body: bytes, *, at: int = 0) -> Visit:
    """A visit to a picture whose body is on the disk, in a file without a name."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - who stores it closes it
    file.write(body)
    kept = Spooled(file=file, size=len(body), sha256=hashlib.sha256(body).hexdigest())
    answer = exchange(url, b"", at=at, headers=(("Content-Type", "image/png"),), purpose="media", spooled=kept)
    return page(blog_id, url, outcome="media", exchanges=(answer,))


def link(url: str, **rest: Any) -> Link:
    return Link(**{"url": url, "key": canonical(url), "lane": "page", **rest})


def picture(url: str) -> Media:
    return Media(url=url)
