"""Icons of blogs: the captured one, on the origin of captured pages; a letter where none is held."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urljoin
from zlib import crc32

from markupsafe import Markup
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from everlog.core.links import base_of
from everlog.core.tree import parse
from everlog.core.urls import absolute
from everlog.errors import EverlogError, UnreadablePage
from everlog.replay import View
from everlog.web.interface.page_maker import short
from everlog.web.mementos.memento_finder import find_memento, replayed
from everlog.web.mementos.sent_types import bare_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import Request

    from everlog.archive.models import Memento
    from everlog.core.tree import Element
    from everlog.records import Blog
    from everlog.replay import Replayed
    from everlog.web.interface.page_maker import PageMaker

# What a front page calls its icon, the best for 32 pixels first. (`mask-icon` is a stencil without colours.)
_NAMES = ("icon", "apple-touch-icon", "apple-touch-icon-precomposed")
# So much of a front page is read, which names its icon in the head: real ones have 40 kB, and some a few 100 of styles
# before it. That takes 3 ms of processor time, 16 if it is all tags; 5 MB took 44.
_MOST_BYTES = 500_000
# Blogs whose icons are remembered: a list has 30 of them, and to find one its front page is read.
_REMEMBERED = 2_000
_AN_HOUR = "max-age=3600"
# Of letters: dark enough for white ones (contrast of 4.5 and more).
_COLOURS = ("#1f5f56", "#7a4a1c", "#4a4f8a", "#8a3a52", "#3f6330", "#5b5566")
_TILE = Markup(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" fill="{colour}"/>'
    '<text x="16" y="22.5" fill="#fff" font-family="system-ui, sans-serif" font-size="18" font-weight="600" '
    'text-anchor="middle">{letter}</text></svg>',
)


class BlogIcons:
    """The icon of each blog."""

    def __init__(self, make: PageMaker) -> None:
        self._make = make
        self._found: dict[tuple[int, datetime | None], Replayed | None] = {}

    def routes(self) -> list[Route]:
        return [
            Route("/icon/{home:path}", self.icon),
        ]

    async def icon(self, request: Request) -> Response:
        """The way to a blog's icon as it was captured, or its letter."""
        blog = await self._make.look(self._make.blog_at, request.path_params["home"])
        if blog is None:
            return await self._make.nothing_here(request)
        found = await self._make.look(self._remembered, blog)
        if found is not None:
            view = View(prefix=self._make.origins.replay(request.headers["host"]), timestamp=found.timestamp)
            return RedirectResponse(view.file(found), 302, headers={"Cache-Control": _AN_HOUR})
        return Response(letter_tile(blog.title or short(blog.home)), media_type="image/svg+xml", headers={
            "Cache-Control": _AN_HOUR, "Content-Security-Policy": "default-src 'none'",
            "Cross-Origin-Resource-Policy": "same-origin",
        })

    def _remembered(self, blog: Blog) -> Replayed | None:
        key = (blog.id, blog.crawled_at)
        if key not in self._found:
            if len(self._found) >= _REMEMBERED:
                self._found.clear()
            self._found[key] = self._sought(blog)
        return self._found[key]

    def _sought(self, blog: Blog) -> Replayed | None:
        archive = self._make.archive
        try:
            home = find_memento(archive, blog.home, datetime.now(UTC)).memento
            named = list(dict.fromkeys(self._named(home))) if home is not None else []
        except EverlogError:
            # A front page that cannot be read is told by the page about it, not by a picture.
            named, home = [], None
        named.append(urljoin(blog.home, "/favicon.ico"))
        held = replayed(archive, named, home.at if home is not None else datetime.now(UTC))
        return next((
            held[url] for url in named
            if url in held and bare_type(held[url].content_type).startswith(("image/", "application/octet"))
        ), None)

    def _named(self, home: Memento) -> Iterator[str]:
        if bare_type(home.content_type) not in {"text/html", "application/xhtml+xml"}:
            return
        with self._make.archive.files.open_body(home.place) as record:
            body = b"".join(record.pieces(0, min(home.size, _MOST_BYTES)))
        try:
            root = parse(body, home.content_type)
        except UnreadablePage:
            return
        yield from icons_named(root, home.url)


def icons_named(root: Element, url: str) -> Iterator[str]:
    """The addresses of icons that a page names, the best first.

    >>> page = parse(b'<link rel="apple-touch-icon" href=/b.png><link rel="Shortcut Icon" href=a.ico>', None)
    >>> list(icons_named(page, "https://a.org/x/"))
    ['https://a.org/x/a.ico', 'https://a.org/b.png']
    """
    links = [((link.get("rel") or "").lower().split(), link.get("href")) for link in root.iter("link")]
    base = base_of(root, url)
    for name in _NAMES:
        for names, href in links:
            full = absolute(base, href) if name in names else None
            if full is not None:
                yield full.partition("#")[0]


def letter_tile(name: str) -> str:
    """A picture of the first letter of a name, in a colour of its own.

    >>> ">Ö</text>" in letter_tile("«ödland»"), ">&lt;<" in letter_tile("<"), ">?<" in letter_tile(" ")
    (True, False, True)
    """
    letter = next((each for each in name if each.isalnum()), "?").upper()[:1]
    colour = _COLOURS[crc32(name.encode("utf-8", "replace")) % len(_COLOURS)]
    return str(_TILE.format(colour=colour, letter=letter))
