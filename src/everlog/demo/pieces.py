"""The posts of the sample blog as their authors wrote them, whatever design shows them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

from everlog.demo.prose import dice, paragraph, sentence
from everlog.demo.words import READERS, REMARKS, SIGNAL_BOX

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "Signal Box Notes"
POSTS = 40
IN_FEED = 10
# Posts from this one on are shown in the blog's old look.
FIRST_OLD = 24
AUTHORS = ("Maren Holt", "Idris Vane")
NEWEST = datetime(2024, 3, 18, 19, 40, tzinfo=UTC)
DAYS_BETWEEN = 27


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A part of an article: the name of its element, the lines of its text, and the file it shows."""

    kind: str
    lines: tuple[str, ...]
    media: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """What a reader answered; `parent` is the number of the remark it answers."""

    number: int
    author: str
    text: str
    published: datetime
    parent: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A post; `number` counts from the newest."""

    number: int
    path: str
    title: str
    author: str
    published: datetime
    tags: tuple[str, ...]
    blocks: tuple[Block, ...]
    remarks: tuple[Remark, ...]

    @property
    def text(self) -> str:
        """The article as plain text, paragraphs parted by blank lines."""
        return "\n\n".join("\n".join(block.lines) for block in self.blocks if block.lines)

    @property
    def media(self) -> tuple[str, ...]:
        """The paths of the files that the article shows or links to."""
        found = [file for block in self.blocks if block.media for file in files_of(block.kind, block.media)]
        return tuple(dict.fromkeys(found))

    @property
    def is_old(self) -> bool:
        """Whether the page wears the blog's old look."""
        return self.number >= FIRST_OLD


@lru_cache(maxsize=1)
def pieces() -> tuple[Piece, ...]:
    """All posts, the newest first."""
    return tuple(_piece(number) for number in range(POSTS))


def files_of(kind: str, media: str) -> tuple[str, ...]:
    """The files behind a block: of a picture, the small copy and the large one."""
    return (f"{media}-480.png", f"{media}.png") if kind == "figure" else (media,)


def _piece(number: int) -> Piece:
    published = NEWEST - timedelta(
        days=DAYS_BETWEEN * number + dice(9, number, "day"), minutes=53 * number + dice(40, number, "minute"),
    )
    title = SIGNAL_BOX.titles[number]
    slug = "-".join("".join(sign if sign.isalnum() else " " for sign in title.lower().replace("'", "")).split())
    first = dice(len(SIGNAL_BOX.tags), number, "tag")
    tags = (SIGNAL_BOX.tags[first], SIGNAL_BOX.tags[(first + 1 + number % 3) % len(SIGNAL_BOX.tags)])
    return Piece(
        number=number,
        path=f"/{published:%Y/%m}/{slug}/",
        title=title,
        author=AUTHORS[dice(len(AUTHORS), number, "author")],
        published=published,
        tags=tags[:1 + dice(2, number, "tags")],
        blocks=tuple(_blocks(number, slug)),
        remarks=tuple(_remarks(number, published)),
    )


def _blocks(number: int, slug: str) -> Iterator[Block]:
    count = 4 + dice(4, number, "length")
    for at in range(count):
        yield Block(kind="p", lines=(paragraph(SIGNAL_BOX, number, at),))
        kind = ("h2", "blockquote", "ul", "pre", "figure", "none")[dice(6, number, at, "extra")]
        if kind == "h2" and at < count - 1:
            yield Block(kind=kind, lines=(SIGNAL_BOX.headings[dice(len(SIGNAL_BOX.headings), number, at)],))
        elif kind == "blockquote":
            yield Block(kind=kind, lines=(sentence(SIGNAL_BOX, number, at, kind),))
        elif kind == "ul":
            items = tuple(sentence(SIGNAL_BOX, number, at, kind, item) for item in range(2 + dice(3, number, at, kind)))
            yield Block(kind=kind, lines=items)
        elif kind == "pre":
            yield Block(kind=kind, lines=tuple(_codes(number, at)))
        elif kind == "figure":
            yield Block(kind=kind, lines=(sentence(SIGNAL_BOX, number, at, kind),), media=f"/media/{slug}-{at}")
    if number % 13 == 5:
        yield Block(kind="audio", lines=(), media="/media/block-bell.mp3")
    if number % 13 == 7:
        yield Block(kind="file", lines=("The working timetable, to print.",), media="/media/timetable.pdf")


def _codes(*seed: object) -> Iterator[str]:
    """A few lines of bell codes, whose spaces matter."""
    for line in range(2 + dice(3, *seed, "lines")):
        beats = "-".join(str(1 + dice(4, *seed, line, beat)) for beat in range(3))
        yield f"{beats}{'  ' * line}  {('train entering', 'line clear', 'is line clear?', 'train out')[line % 4]}"


def _remarks(number: int, published: datetime) -> Iterator[Remark]:
    count = dice(4, number, "remarks")
    for at in range(count):
        yield Remark(
            number=number * 10 + at,
            author=READERS[dice(len(READERS), number, at, "reader")],
            text=REMARKS[(number + at * 3) % len(REMARKS)],
            published=published + timedelta(hours=5 + 7 * at, minutes=number),
            parent=number * 10 if at and dice(2, number, at, "answers") else None,
        )


def block_html(block: Block, origin: str = "", *, late: bool = False) -> str:
    """A part of an article as HTML; `late` pictures are loaded by a script."""
    lines = [escape(line, quote=False) for line in block.lines]
    if block.media is not None:
        return _media_html(block, "".join(lines), origin, late=late)
    if block.kind == "ul":
        return "<ul>\n" + "\n".join(f"<li>{line}</li>" for line in lines) + "\n</ul>"
    if block.kind == "pre":
        return "<pre><code>" + "\n".join(lines) + "</code></pre>"
    inner = f"<p>{lines[0]}</p>" if block.kind == "blockquote" else lines[0]
    return f"<{block.kind}>{inner}</{block.kind}>"


def _media_html(block: Block, line: str, origin: str, *, late: bool) -> str:
    files = [origin + file for file in files_of(block.kind, block.media or "")]
    if block.kind == "audio":
        return f'<audio controls src="{files[0]}">Your browser plays no sounds.</audio>'
    if block.kind == "file":
        return f'<p><a href="{files[0]}">{line}</a></p>'
    small, large = files
    empty = "data:image/gif;base64,R0lGODlhAQABAAAAACw="
    shown = f'src="{empty}" data-src="{small}" class="late"' if late else f'src="{small}"'
    return f'<figure><a href="{large}"><img {shown} alt=""></a><figcaption>{line}</figcaption></figure>'


def article_html(piece: Piece, origin: str = "", *, late: bool = False) -> str:
    """The article as the author's editor saved it."""
    return "\n".join(block_html(block, origin, late=late) for block in piece.blocks)
