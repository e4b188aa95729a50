"""Writes examples/corpus: three invented blogs with feeds, pages and truth.

    python examples/make_corpus.py [FOLDER]

The same files come out every time. The blogs differ in what everlog has to cope with:

    harbour-notes   English, full text in RSS; share buttons and related posts inside the article
    werkbank        German, excerpts in Atom with relative links; table of contents, author box
    umibe           Japanese, JSON Feed with tracking parameters; the only h1 is the blog's name
"""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from designs import DESIGNS
from prose import Voice, dice, paragraph, sentence
from words import ENGLISH, GERMAN, JAPANESE

if TYPE_CHECKING:
    from collections.abc import Sequence

IN_FEED = 8
POSTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """An invented blog."""

    id: str
    name: str
    origin: str
    feed: str
    feed_is: str
    engine: str
    language: str
    offset_hours: int
    authors: tuple[str, ...]
    voice: Voice


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A post as its author wrote it. A block is an element's name and its text."""

    site: Site
    number: int
    path: str
    title: str
    author: str
    published: datetime
    tags: tuple[str, ...]
    blocks: tuple[tuple[str, str], ...]

    @property
    def html(self) -> str:
        """The article as the author's editor saved it."""
        return "\n".join(_block_html(name, text) for name, text in self.blocks)

    @property
    def text(self) -> str:
        """The article as plain text."""
        return "\n\n".join(text for _, text in self.blocks)


SITES = (
    Site(
        id="harbour-notes", name="Harbour Notes", origin="http://harbour-notes.example", feed="/feed/",
        feed_is="full", engine="invented, after WordPress", language="en", offset_hours=1,
        authors=("Ada Quill", "Tom Barrow"), voice=ENGLISH,
    ),
    Site(
        id="werkbank", name="Werkbank", origin="http://werkbank.example", feed="/atom.xml",
        feed_is="excerpt", engine="invented, after Hugo", language="de", offset_hours=2,
        authors=("Jörg Lindner",), voice=GERMAN,
    ),
    Site(
        id="umibe", name="海辺の手帖", origin="http://umibe.example", feed="/feed.json",
        feed_is="full", engine="invented", language="ja", offset_hours=9,
        authors=("汐見ゆう",), voice=JAPANESE,
    ),
)


def main(to: Path) -> None:
    """Write all blogs below this folder, replacing what stood there."""
    for site in SITES:
        folder = to / site.id
        shutil.rmtree(folder, ignore_errors=True)
        pieces = [make_piece(site, number) for number in range(POSTS)]
        files = DESIGNS[site.id](site, pieces, pieces[:IN_FEED])
        for path, content in files.items():
            _write(folder / "site" / path, content)
        rows = [_truth(piece, in_feed=piece.number < IN_FEED) for piece in pieces]
        _write(folder / "truth.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        _write(folder / "blog.json", json.dumps(_about(site), ensure_ascii=False, indent=1) + "\n")


def make_piece(site: Site, number: int) -> Piece:
    """The number-th newest post of a blog."""
    voice = site.voice
    zone = timezone(timedelta(hours=site.offset_hours))
    newest = datetime(2024, 5, 28, 8, 30, tzinfo=zone)
    published = newest - timedelta(days=9 * number + dice(4, site.id, number, "day"), minutes=37 * number)
    slug = f"{published:%Y%m%d}" if site.language == "ja" else _slug(voice.titles[number])
    path = {"en": f"/{published:%Y/%m}/{slug}/", "de": f"/artikel/{slug}/", "ja": f"/entry/{slug}.html"}
    first = dice(len(voice.tags), site.id, number, "tag")
    tags = (voice.tags[first], voice.tags[(first + 1 + number % 3) % len(voice.tags)])
    return Piece(
        site=site,
        number=number,
        path=path[site.language],
        title=voice.titles[number],
        author=site.authors[dice(len(site.authors), site.id, number, "author")],
        published=published,
        tags=tags[: 1 + dice(2, site.id, number, "tags")],
        blocks=tuple(_blocks(voice, site.id, number)),
    )


def _blocks(voice: Voice, *seed: object) -> list[tuple[str, str]]:
    count = 4 + dice(5, *seed, "length")
    blocks = [("p", paragraph(voice, *seed, at)) for at in range(count)]
    extras = (("h2", voice.headings), ("blockquote", None), ("li", None), ("figcaption", None))
    for name, choices in extras:
        if dice(2, *seed, name):
            at = 1 + dice(count - 1, *seed, name, "at")
            text = choices[dice(len(choices), *seed)] if choices else sentence(voice, *seed, name)
            blocks.insert(at, (name, text))
    return blocks


def _block_html(name: str, text: str) -> str:
    inner = escape(text, quote=False)
    if name == "li":
        return f"<ul>\n<li>{inner}</li>\n</ul>"
    if name == "blockquote":
        return f"<blockquote><p>{inner}</p></blockquote>"
    if name == "figcaption":
        return f'<figure><img src="/media/picture.jpg" alt=""><figcaption>{inner}</figcaption></figure>'
    return f"<{name}>{inner}</{name}>"


def _slug(title: str) -> str:
    plain = title.lower().translate(str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "'": None}))
    return "-".join("".join(letter if letter.isalnum() else " " for letter in plain).split())


def _truth(piece: Piece, *, in_feed: bool) -> dict[str, Any]:
    return {
        "path": piece.path,
        "url": piece.site.origin + piece.path,
        "file": file_of(piece.path),
        "in_feed": in_feed,
        "title": piece.title,
        "author": piece.author,
        "date": piece.published.isoformat(),
        "tags": list(piece.tags),
        "text": piece.text,
        "reachable": True,
    }


def _about(site: Site) -> dict[str, Any]:
    return {
        "id": site.id, "origin": site.origin, "feed": site.feed, "feed_is": site.feed_is,
        "engine": site.engine, "language": site.language, "title": site.name,
    }


def file_of(path: str) -> str:
    """The file below `site/` that a static server would send for this URL path."""
    return path.lstrip("/") + ("index.html" if path.endswith("/") else "")


def _write(file: Path, content: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content, "utf-8", newline="\n")


def _folder(arguments: Sequence[str]) -> Path:
    return Path(arguments[0]) if arguments else Path(__file__).parent / "corpus"


if __name__ == "__main__":
    main(_folder(sys.argv[1:]))
