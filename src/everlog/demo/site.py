"""The whole sample blog by path, and the truth about its posts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import PurePosixPath
from types import MappingProxyType

from everlog.demo import feeds, pictures
from everlog.demo.designs import ICON, OLD_STYLE, STYLE, post_page, print_page
from everlog.demo.listings import listing_pages
from everlog.demo.pieces import Piece, pieces

ORIGIN = "http://signal-box.example"
HTML = "text/html; charset=utf-8"
FEED = "/feed/"
_SMALL, _LARGE = (480, 300), (960, 600)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What a path answers."""

    type: str
    body: bytes


@lru_cache(maxsize=4)
def pages(origin: str = ORIGIN) -> Mapping[str, Document]:
    """Every document of the blog by its path; `origin` is how the blog calls itself, without a slash."""
    documents = {path: Document(type=HTML, body=html.encode()) for path, html in _html(origin)}
    mapped = [path for path in documents if not path.startswith("/calendar/") and not path.endswith("/print/")]
    texts = (
        (FEED, "application/rss+xml; charset=utf-8", feeds.rss(origin)),
        ("/comments/feed/", "application/rss+xml; charset=utf-8", feeds.comments_rss(origin)),
        ("/sitemap.xml", "application/xml", feeds.sitemap(mapped, origin)),
        ("/robots.txt", "text/plain; charset=utf-8", feeds.robots(origin)),
        *_design(),
    )
    documents |= {path: Document(type=kind, body=text.encode()) for path, kind, text in texts}
    return MappingProxyType(documents | dict(_media()))


def truth() -> tuple[Piece, ...]:
    """All posts as they were written, the newest first: path, title, author, date, tags, text, media."""
    return pieces()


def _design() -> Iterator[tuple[str, str, str]]:
    """The files that pages are shown with, which stand beside this module."""
    folder = resources.files("everlog.demo")
    for path, kind in ((STYLE, "text/css"), (OLD_STYLE, "text/css"), (ICON, "image/svg+xml")):
        yield path, f"{kind}; charset=utf-8", folder.joinpath(PurePosixPath(path).name).read_text("utf-8")


def _html(origin: str) -> Iterator[tuple[str, str]]:
    for piece in pieces():
        yield piece.path, post_page(piece, origin)
        if not piece.is_old:
            yield f"{piece.path}print/", print_page(piece, origin)
    yield from listing_pages(origin)


@lru_cache(maxsize=1)
def _media() -> tuple[tuple[str, Document], ...]:
    banner = ("/media/banner.png", Document(type="image/png", body=pictures.png(480, 60, "banner")))
    found = dict.fromkeys(path for piece in pieces() for path in piece.media)
    return (banner, *((path, _file(path)) for path in found))


def _file(path: str) -> Document:
    if path.endswith(".mp3"):
        return Document(type="audio/mpeg", body=pictures.mp3(frames=20))
    if path.endswith(".pdf"):
        return Document(type="application/pdf", body=pictures.pdf("Working timetable"))
    seed = path.removesuffix(".png").removesuffix("-480")
    return Document(type="image/png", body=pictures.png(*(_SMALL if path.endswith("-480.png") else _LARGE), seed))
