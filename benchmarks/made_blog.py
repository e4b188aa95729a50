"""A blog made on request, of any size, and a server for it that costs next to nothing.

    python benchmarks/made_blog.py --posts 3000 --kilobytes 30        # prints its address, serves until killed

A post has a date in its address, a sidebar, comments, and links to some twenty other pages: its
neighbours, related posts, a month, a tag. List pages show twenty posts each, and so do tags and months.
With `--pictures` every post shows one, with `--sitemap` a sitemap lists all of them. With `--theme` pages have a
design, as themes of blog engines do: style sheets with imports, fonts and pictures, scripts, icons, a manifest, a
logo in several sizes. With `--lively` it has what blogs with readers have, as much of it as the blogs of a corpus have
in the middle: three pictures in two posts, a picture that only lists show for one post in eight, and the faces of as
many commenters, each in two sizes, on a second host. Pages are put together when they are asked for, from pieces made
once, so that a blog of any length takes no room.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PER_LIST = 20
TAGS = ("gardens", "rivers", "kitchens", "maps", "weather", "trains", "bicycles", "books", "birds", "radios")
WORDS = (
    "river stone lantern garden winter copper meadow harbour thunder willow candle orchard violin marble saddle "
    "pepper anchor feather cellar blanket morning silver hollow timber kettle bridge valley cotton ginger mirror"
).split()
NEWEST = datetime(2024, 5, 1, 8, 0, tzinfo=UTC)
# Pieces that pages are put together from: enough that no two posts say the same.
PIECES = 997
FEED_ENTRIES = 10
# Of the 58 blogs of a corpus whose posts are most of their pages, the middle one has 0.13 pictures that only lists show
# for a post; of the 32 with faces of commenters the middle one has 0.13 faces for a page.
LIVELY_SHARE = 8


# What a theme of WordPress puts into every page: 31 files in all, with what style sheets and the manifest name.
THEME_HEAD = (
    '<link rel=stylesheet href="/theme/style.css?ver=6.1"><link rel=stylesheet href="/theme/blocks.css?ver=6.1">'
    '<link rel=stylesheet href="/theme/print.css" media=print><link rel=icon href="/theme/icon-32.png" sizes=32x32>'
    '<link rel=icon href="/theme/icon-192.png" sizes=192x192><link rel=apple-touch-icon href="/theme/icon-180.png">'
    '<link rel=manifest href="/theme/site.webmanifest"><script src="/theme/jquery.js?ver=3.6"></script>'
    '<script src="/theme/navigation.js?ver=6.1" defer></script><script src="/theme/comments.js?ver=6.1"></script>'
)
THEME_LOGO = (
    '<img src="/theme/logo-300.png" srcset="/theme/logo-300.png 300w, /theme/logo-768.png 768w, '
    '/theme/logo-1536.png 1536w" sizes="100vw" alt=""><svg><use href="/theme/sprite.svg#menu"></use></svg>'
)
THEME_ASIDE = "".join(f'<img src="/theme/widget-{number}.png" alt="">' for number in range(3))
_THEME_STYLE = (
    '@import url("colours.css"); @import "layout.css" screen;'
    + "".join(
        f"@font-face {{font-family: F{number}; src: url(fonts/f{number}.woff2) format('woff2')}}" for number in range(4)
    )
    + "".join(f".d{number} {{background: #fff url('pictures/d{number}.png') no-repeat}}" for number in range(6))
)


def _theme() -> dict[str, tuple[str, bytes]]:
    """The files of the theme, by their paths."""
    rules = "".join(f".t-{place} {{margin: {place}px; padding: 0 {place}px}}\n" for place in range(600)).encode()
    sheets = {"style.css?ver=6.1": _THEME_STYLE.encode() + rules, "blocks.css?ver=6.1": rules, "print.css": rules[:900]}
    sheets |= {"colours.css": rules[:5_000], "layout.css": b".m {background: url(pictures/m.png)}" + rules[:5_000]}
    names = ("jquery.js?ver=3.6", "navigation.js?ver=6.1", "comments.js?ver=6.1")
    scripts = dict.fromkeys(names, b"/* a script */ var n = 1;" * 2_000)
    pictures = (
        "icon-32", "icon-192", "icon-180", "icon-512", "logo-300", "logo-1536", *(f"widget-{n}" for n in range(3)),
        *(f"pictures/d{n}" for n in range(6)), "pictures/m",
    )
    icons = b'{"icons": [{"src": "icon-192.png"}, {"src": "icon-512.png"}]}'
    noise = random.Random(7)  # noqa: S311 - pictures, not keys
    files = {
        **{name: ("text/css", body) for name, body in sheets.items()},
        **{name: ("text/javascript", body) for name, body in scripts.items()},
        **{f"{name}.png": ("image/png", b"\x89PNG\r\n\x1a\n" + noise.randbytes(4_000)) for name in pictures},
        **{f"fonts/f{number}.woff2": ("font/woff2", noise.randbytes(30_000)) for number in range(4)},
        "site.webmanifest": ("application/manifest+json", icons), "sprite.svg": ("image/svg+xml", b"<svg id=menu />"),
    }
    return {f"/theme/{name}": file for name, file in files.items()}


@dataclass(frozen=True)
class MadeBlog:
    """A blog of some posts, each page about so many bytes long; `home` is where it will be served."""

    posts: int
    page_bytes: int = 30_000
    pictures: bool = False
    sitemap: bool = False
    theme: bool = False
    lively: bool = False
    home: str = "http://127.0.0.1/"
    _seed: int = field(default=7)

    def url(self, number: int) -> str:
        """The address of a post; 1 is the oldest."""
        return f"{self.home.rstrip('/')}{self.path(number)}"

    def path(self, number: int) -> str:
        return self._paths[number]

    def answer(self, path: str) -> tuple[str, bytes] | None:
        """Content type and body at a path; None if nothing is there."""
        if path in self._fixed:
            return self._fixed[path]
        parts = path.strip("/").split("/")
        html = "text/html; charset=utf-8"
        if len(parts) == 3 and parts[2].rpartition("-")[2].isdecimal():
            number = int(parts[2].rpartition("-")[2])
            return (html, self._post(number)) if self._has(number) and path == self.path(number) else None
        if parts[0] == "pictures" and parts[-1].removesuffix(".png").isdecimal():
            number = int(parts[-1].removesuffix(".png"))
            return ("image/png", self._picture(number)) if self._has_pictures and self._has(number) else None
        if parts[0] in {"more", "thumbs", "face"} and self.lively:
            return "image/png", self._picture(sum(path.encode()))
        listed = self._listed(parts)
        return None if listed is None else (html, listed)

    @property
    def _has_pictures(self) -> bool:
        return self.pictures or self.lively

    @property
    def faces_host(self) -> str:
        """The second host: another address of this machine, the same port."""
        return self.home.removeprefix("http://").rstrip("/").replace("127.0.0.1", "127.0.0.2")

    def _has(self, number: int) -> bool:
        return 1 <= number <= self.posts

    def _day(self, number: int) -> datetime:
        return NEWEST - timedelta(hours=11 * (self.posts - number))

    @cached_property
    def _paths(self) -> list[str]:
        days = (self._day(number) for number in range(self.posts + 1))
        return [
            f"/{day.year}/{day.month:02}/{WORDS[number % 30]}-{WORDS[number * 7 % 30]}-{number}/"
            for number, day in enumerate(days)
        ]

    @cached_property
    def _fixed(self) -> dict[str, tuple[str, bytes]]:
        maps = {"/sitemap.xml": ("application/xml", self._sitemap())} if self.sitemap else {}
        return {
            **maps,
            "/robots.txt": ("text/plain", b"User-agent: *\nDisallow: /private/\n"),
            "/feed.xml": ("application/rss+xml", self._feed()),
            "/about/": ("text/html; charset=utf-8", self._around("About", "<p>All about us and nothing else.</p>")),
            **(_theme() if self.theme else {}),
        }

    @cached_property
    def _pieces(self) -> list[str]:
        chance = random.Random(self._seed)  # noqa: S311 - a blog, not a key
        # A third of a page is its article, at some 300 bytes a paragraph.
        # As many of the commonest words as English has, or its language would be in doubt.
        vocabulary = (*WORDS, *("the and of to".split() * 2))
        return [
            " ".join(chance.choice(vocabulary) for _ in range(45)).capitalize() + f", {place}."
            for place in range(PIECES)
        ]

    def _paragraphs(self, number: int) -> Iterator[str]:
        count = max(3, self.page_bytes // 900)
        for place in range(count):
            text = self._pieces[(number * 31 + place * (number % 89 + 1)) % PIECES]
            mark = f" It was the {number}th <em>note</em> of this kind." if place % 5 == 0 else ""
            yield f"<p>{text}{mark}</p>"

    def _article(self, number: int) -> str:
        picture = f'<p><img src="/pictures/{number}.png" alt="A view"></p>' if self._has_pictures else ""
        if self.lively and number % 2:
            picture += f'<p><img src="/more/{number}.png" alt="Another view"></p>'
        return picture + "\n".join(self._paragraphs(number))

    @cached_property
    def _head(self) -> str:
        count = self.page_bytes // 90
        rules = "".join(f".box-{place}{{margin:{place}px;color:#{place:06x}}}" for place in range(count))
        return f"<style>{rules}</style>{THEME_HEAD if self.theme else ''}"

    def _around(self, title: str, inside: str, aside: str = "") -> bytes:
        return (
            f"<!doctype html>\n<html lang=en><head><meta charset=utf-8><title>{title} - The made blog</title>"
            f'<link rel="alternate" type="application/rss+xml" href="/feed.xml">{self._head}</head>\n'
            f'<body><header>{THEME_LOGO if self.theme else ""}<a href="/">The made blog</a>'
            '<nav><a href="/">Home</a> <a href="/about/">About</a></nav>'
            f"</header>\n<main>{inside}</main>\n"
            f"<aside class=sidebar>{aside}{THEME_ASIDE if self.theme else ''}</aside>\n"
            "<footer>Made by nobody in particular</footer></body></html>"
        ).encode()

    def _title(self, number: int) -> str:
        return f"The {WORDS[number % 30]} and the {WORDS[number * 7 % 30]}, part {number}"

    def _link(self, number: int) -> str:
        return f'<a href="{self.path(number)}">{self._title(number)}</a>'

    def _post(self, number: int) -> bytes:
        day, tag = self._day(number), TAGS[number % len(TAGS)]
        related = [number + step for step in (1, -1, 2, -2, 7, -7, 31, -31, 101, -101, 211, -211, 307, -307)]
        near = "".join(f"<li>{self._link(other)}</li>" for other in related if self._has(other))
        comments = "".join(
            f"<li class=comment id=comment-{number * 100 + place}>{self._face(number * 20 + place)}"
            f"<cite class=fn>{WORDS[(number + place) % 30].title()}</cite> "
            f"<time datetime={(day + timedelta(hours=place)).isoformat()}>later</time>"
            "<div class=comment-content>"
            f"<p>{self._pieces[(number * 17 + place * 13) % PIECES]}</p></div></li>"
            for place in range(self.page_bytes // 1_500)
        )
        inside = (
            f'<article class=post><h1 class=entry-title>{self._title(number)}</h1><p class=meta>By <a rel=author '
            f'href="/about/">Ann Lee</a> on <time datetime="{day.isoformat()}">{day.isoformat()[:10]}</time> in '
            f'<a rel=tag href="/tag/{tag}/">{tag}</a></p><div class=entry>{self._article(number)}</div></article>'
            f"<section class=comments><ol>{comments}</ol></section>"
        )
        month = f"{day.year}/{day.month:02}"
        aside = f'<ul class=near>{near}</ul><ul><li><a href="/{month}/">{month}</a></li></ul>'
        return self._around(self._title(number), inside, aside)

    def _face(self, comment: int) -> str:
        """The face beside a comment: a few readers write most of them."""
        if not self.lively:
            return ""
        count = max(1, self.posts // LIVELY_SHARE)
        reader = min(comment * 7_919 % count, comment * 104_729 % count)
        address = f"http://{self.faces_host}/face/{reader:032x}?d=mm&amp;r=g&amp;s="
        return f'<img class=avatar src="{address}48" srcset="{address}96 2x" width=48 height=48 alt="">'

    def _thumb(self, number: int) -> str:
        if not self.lively or number % LIVELY_SHARE:
            return ""
        return f'<img src="/thumbs/{number}-300x200.png" width=300 height=200 alt="">'

    def _listed(self, parts: list[str]) -> bytes | None:
        """A page of a list: all posts, a tag's, a month's."""
        base, page = "/", 1
        if "page" in parts:
            at = parts.index("page")
            if len(parts) != at + 2 or not parts[-1].isdecimal():
                return None
            page, parts = int(parts[-1]), parts[:at]
        if parts and parts[0] == "tag" and len(parts) == 2 and parts[1] in TAGS:
            first = TAGS.index(parts[1])
            numbers: Sequence[int] = range(first or len(TAGS), self.posts + 1, len(TAGS))
            base = f"/tag/{parts[1]}/"
        elif len(parts) == 2 and all(part.isdecimal() for part in parts):
            numbers, base = self._month(int(parts[0]), int(parts[1])), f"/{parts[0]}/{parts[1]}/"
        elif parts in ([], [""]):
            numbers = range(1, self.posts + 1)
        else:
            return None
        return self._list_page(numbers, base, page)

    def _month(self, year: int, month: int) -> Sequence[int]:
        first = self.posts - int((NEWEST - datetime(year, month, 1, tzinfo=UTC)).total_seconds() // (11 * 3600))
        return [
            number for number in range(max(1, first - 1), min(self.posts, first + 75) + 1)
            if (self._day(number).year, self._day(number).month) == (year, month)
        ]

    def _list_page(self, numbers: Sequence[int], base: str, page: int) -> bytes | None:
        newest_first = numbers[::-1]
        shown = newest_first[(page - 1) * PER_LIST : page * PER_LIST]
        if not shown:
            return None
        teasers = "".join(
            f"<div class=teaser>{self._thumb(number)}<h2>{self._link(number)}</h2>"
            f"<p>{self._pieces[number * 31 % PIECES]}</p></div>"
            for number in shown
        )
        older = f'<a rel=next href="{base}page/{page + 1}/">Older</a>' if page * PER_LIST < len(numbers) else ""
        return self._around(f"{base} {page}", f"<div class=list>{teasers}</div>{older}")

    def _picture(self, number: int) -> bytes:
        return b"\x89PNG\r\n\x1a\n" + random.Random(number).randbytes(2_000)  # noqa: S311

    def _sitemap(self) -> bytes:
        rows = "".join(
            f"<url><loc>{self.url(number)}</loc><lastmod>{self._day(number).isoformat()}</lastmod></url>"
            for number in range(self.posts, 0, -1)
        )
        return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'.encode()

    def _feed(self) -> bytes:
        items = "".join(
            f"<item><title>{self._title(number)}</title><link>{self.url(number)}</link>"
            f"<pubDate>{format_datetime(self._day(number))}</pubDate><author>ann@made.example (Ann Lee)</author>"
            f"<category>{TAGS[number % len(TAGS)]}</category>"
            f"<description><![CDATA[{self._article(number)}]]></description></item>"
            for number in range(self.posts, max(0, self.posts - FEED_ENTRIES), -1)
        )
        return (
            '<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>The made blog</title>'
            f"<link>{self.home}</link><language>en</language>{items}</channel></rss>"
        ).encode()


@contextmanager
def served(
    posts: int, *, page_bytes: int = 30_000, pictures: bool = False, sitemap: bool = False,
    theme: bool = False, lively: bool = False,
) -> Iterator[MadeBlog]:
    """The blog, served by a process of its own for as long as the context lasts."""
    command = [sys.executable, __file__, "--posts", str(posts), "--kilobytes", str(page_bytes / 1000)]
    command += [*(["--pictures"] if pictures else []), *(["--sitemap"] if sitemap else [])]
    command += [*(["--theme"] if theme else []), *(["--lively"] if lively else [])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        home = server.stdout.readline().strip()
        try:
            yield MadeBlog(
                posts=posts, page_bytes=page_bytes, pictures=pictures, sitemap=sitemap, theme=theme, lively=lively,
                home=home,
            )
        finally:
            server.kill()


class _Visitor(asyncio.Protocol):
    """One connection; requests have no bodies, so a blank line ends each."""

    def __init__(self, blog: MadeBlog) -> None:
        self._blog = blog
        self._waiting = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        *requests, self._waiting = (self._waiting + data).split(b"\r\n\r\n")
        for request in requests:
            path = request.split(b" ", 2)[1].decode("ascii", "replace")
            found = self._blog.answer(path)
            kind, body = found or ("text/html", b"nothing here")
            status = b"200 OK" if found else b"404 Not Found"
            head = b"HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (status, kind.encode(), len(body))
            self._transport.write(head + body)


async def _serve(arguments: argparse.Namespace) -> None:
    import socket  # noqa: PLC0415 - the port must be known before the blog can be made

    listener = socket.create_server(("127.0.0.1", arguments.port))
    port = listener.getsockname()[1]
    home = f"http://127.0.0.1:{port}/"
    blog = MadeBlog(
        posts=arguments.posts, page_bytes=int(arguments.kilobytes * 1000), pictures=arguments.pictures,
        sitemap=arguments.sitemap, theme=arguments.theme, lively=arguments.lively, home=home,
    )
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Visitor(blog), sock=listener)
    if blog.lively:
        await loop.create_server(lambda: _Visitor(blog), sock=socket.create_server(("127.0.0.2", port)))
    print(home, flush=True)
    await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--posts", type=int, default=3_000)
    parser.add_argument("--kilobytes", type=float, default=30.0, help="about the size of a page")
    parser.add_argument("--pictures", action="store_true", help="one in every post")
    parser.add_argument("--sitemap", action="store_true", help="with a sitemap of all posts")
    parser.add_argument("--theme", action="store_true", help="a design, as themes of blog engines have")
    parser.add_argument("--lively", action="store_true", help="more pictures, faces of commenters, pictures of lists")
    parser.add_argument("--port", type=int, default=0)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(parser.parse_args()))


if __name__ == "__main__":
    main()
