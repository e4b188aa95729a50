"""Everything that leads to posts: the front page, tags, authors, months, and a calendar that goes on and on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from everlog.demo.designs import MONTHS, author_path, page
from everlog.demo.pieces import AUTHORS, NAME, TAGS, Piece, article_html, pieces

PER_PAGE = 6
# Twelve years of empty months: few enough for a crawl that does not notice, many for one that does.
CALENDAR_YEARS = range(2018, 2030)


def listing_pages(origin: str) -> Iterator[tuple[str, str]]:
    """Paths and HTML of all listings."""
    yield from _paged("/", NAME, pieces(), origin, with_text=True)
    for tag in TAGS:
        tagged = [piece for piece in pieces() if tag in piece.tags]
        yield from _paged(f"/tag/{tag.lower()}/", f"Filed under {tag}", tagged, origin)
    for author in AUTHORS:
        own = [piece for piece in pieces() if piece.author == author]
        yield from _paged(author_path(author), f"Everything by {author}", own, origin)
    for length in (5, 8):
        stamps = dict.fromkeys(f"/{piece.published:%Y/%m}/"[:length].rstrip("/") + "/" for piece in pieces())
        for stamp in stamps:
            yield from _paged(stamp, f"Written in {stamp.strip('/')}", _below(stamp), origin)
    years = dict.fromkeys(piece.published.year for piece in pieces())
    by_year = " ".join(f'<a href="/{year}/">{year}</a>' for year in years)
    yield "/about/", page("About", f"{_ABOUT}\n<p>All notes by year: {by_year}</p>", origin, "/about/")
    yield from _calendar(origin)


def _below(path: str) -> list[Piece]:
    return [piece for piece in pieces() if piece.path.startswith(path)]


def _paged(
    path: str, title: str, shown: Sequence[Piece], origin: str, *, with_text: bool = False,
) -> Iterator[tuple[str, str]]:
    last = max(1, -(-len(shown) // PER_PAGE))
    for number in range(1, last + 1):
        here = path if number == 1 else f"{path}page/{number}/"
        on_page = shown[(number - 1) * PER_PAGE:number * PER_PAGE]
        items = "\n".join(_item(piece, with_text=with_text) for piece in on_page)
        newer = path if number == 2 else f"{path}page/{number - 1}/"
        links = f'<a class="newer" href="{newer}">Newer notes</a> ' if number > 1 else ""
        links += f'<a class="older" href="{path}page/{number + 1}/">Older notes</a>' if number < last else ""
        body = f'<h1 class="list-title">{title}</h1>\n{items}\n<nav class="paging">{links}</nav>'
        yield here, page(title if number == 1 else f"{title}, page {number}", body, origin, here)


def _item(piece: Piece, *, with_text: bool) -> str:
    """A post in a list: the newest of all stands there whole, as front pages like to do."""
    head = f'<h2><a href="{piece.path}">{escape(piece.title)}</a></h2>'
    if with_text and piece.number == 0:
        return f'<div class="teaser">{head}<div class="story">\n{article_html(piece, late=True)}\n</div></div>'
    start = " ".join(piece.start.split(" ")[:24])
    return f'<div class="teaser">{head}<p>{escape(start)} … <a href="{piece.path}#more">Go on reading</a></p></div>'


_ABOUT = """<h1 class="list-title">About</h1>
<div class="words"><p>We bought a signal box without a railway. Since then we scrape, oil, paint and write.</p>
<p>None of this exists: the box, the line and the people were made up, so that everlog can be tried offline.</p>
<p><img src="/media/banner.png" alt="The box"></p></div>"""


def _calendar(origin: str) -> Iterator[tuple[str, str]]:
    months = [(year, month) for year in CALENDAR_YEARS for month in range(1, 13)]
    for at, (year, month) in enumerate(months):
        path = f"/calendar/{year}/{month:02}/"
        links = "".join(
            f'<a href="/calendar/{other[0]}/{other[1]:02}/">{word}</a> '
            for word, other in (("before", months[at - 1]), ("after", months[(at + 1) % len(months)]))
        )
        days = "".join(f"<td>{day}</td>" for day in range(1, 29))
        title = f"{MONTHS[month - 1]} {year}"
        body = f'<h1 class="list-title">{title}</h1><table class="days"><tr>{days}</tr></table><p>{links}</p>'
        yield path, page(title, body, origin, path)
