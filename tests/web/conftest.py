"""A small archive with all kinds of captures, served."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from archive import some_visits as some
from archive.some_visits import HOME, START
from everlog.archive import open_archive
from everlog.records import Comment
from web.served_archive import Served, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive

DAY = 86_400
POST = HOME + "2024/a-post"
STYLE, FONT, PICTURE, FILM = HOME + "style.css?ver=2", HOME + "a.woff2", HOME + "cat.png", HOME + "film.mp4"
FILM_BYTES = bytes(range(256)) * 8_000
PAGE = (
    '<!doctype html><html><head><title>A post</title><link rel="stylesheet" href="/style.css?ver=2"></head>'
    '<body><h1>Day {}</h1><img src="/cat.png" alt="A cat"><a id="on" href="/about">About</a>'
    '<a id="off" href="/nowhere">Nowhere</a></body></html>'
)
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c63f8cfc0f01f0005"
    "00017f36e9ad3b0000000049454e44ae426082",
)


def day(number: int):
    return START + timedelta(days=number)


def stamp(number: int) -> str:
    return day(number).strftime("%Y%m%d%H%M%S")


def answer(url: str, body: bytes, kind: str, *, at: int = 0, **rest):
    return some.exchange(url, body, at=at, headers=(("Content-Type", kind),), **rest)


def filled(archive: Archive) -> int:
    """A blog with a post of three versions, its files, a page that moved and one that is gone."""
    blog = archive.blogs.add(HOME, scope="path").id
    archive.blogs.update(blog, title="A blog & more", state="finished")
    moved = some.exchange(HOME + "old", b"", status=301, headers=(("Location", POST),))
    left = some.exchange(HOME + "left", b"", status=302, headers=(("Location", "/2024/a-post"),))
    away = some.exchange(HOME + "away", b"", status=302, headers=(("Location", "http://elsewhere.example/x"),))
    html = (
        f'<p>Hello <a href="{HOME}about">about</a> <img src="{PICTURE}" alt="A cat"></p>'
        f'<img src="{HOME}no.png" alt="Lost">'
    )
    with archive.lock(blog):
        for number in (0, 10, 20):
            page = answer(POST, PAGE.format(number).encode(), "text/html; charset=utf-8", at=number * DAY)
            post = some.post(
                POST, title="A <b>post</b>", html=html, text=f"Hello about {number}. {some.LONG}",
                authors=("Ann & Bob",), language="en", tags=("tag",), fetched=page.fetched_at,
                comments=(Comment(id="1", author="<i>Eve</i>", text="First\n\n<script>x</script>"),
                          Comment(id="2", parent="1", author="Joe", text="Second")), comments_state="complete",
            )
            archive.commit([some.page(blog, POST, outcome="post", post=post, exchanges=(page,))])
        archive.commit([
            some.page(blog, HOME, exchanges=(answer(HOME, b"<h1>Home</h1>", "text/html"),)),
            some.page(blog, HOME + "about", exchanges=(answer(HOME + "about", b"<h1>About</h1>", "text/html", at=5),)),
            some.page(blog, STYLE, outcome="media", exchanges=(
                answer(STYLE, b"@font-face{font-family:f;src:url(a.woff2)} body{background:url('cat.png')}", "text/css",
                       purpose="requisite"),
            )),
            some.page(blog, FONT, outcome="media", exchanges=(
                answer(FONT, b"wOF2", "font/woff2", purpose="requisite"),
            )),
            some.page(blog, PICTURE, outcome="media", exchanges=(answer(PICTURE, PNG, "image/png", purpose="media"),)),
            some.page(blog, FILM, outcome="media", exchanges=(answer(FILM, FILM_BYTES, "video/mp4", purpose="media"),)),
            some.page(blog, HOME + "feed", exchanges=(answer(HOME + "feed", b"<rss/>", "application/rss+xml"),)),
            some.page(blog, HOME + "paper.pdf", exchanges=(answer(HOME + "paper.pdf", b"%PDF-", "application/pdf"),)),
            some.page(blog, HOME + "old", exchanges=(moved, some.exchange(POST, PAGE.format(0).encode(), at=1))),
            some.page(blog, HOME + "left", exchanges=(left,)), some.page(blog, HOME + "away", exchanges=(away,)),
            some.page(blog, HOME + "gone", outcome="failed", exchanges=(
                some.exchange(HOME + "gone", b"<h1>Not here</h1>", status=404),
            )),
        ])
    return blog


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("served") / "archive"
    with open_archive(place, create=True) as archive:
        filled(archive)
    return place


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    with open_archive(folder, read_only=True) as archive, serving(archive) as running:
        yield running
