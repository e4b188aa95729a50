"""The posts of the sample blog as their authors wrote them, whatever design shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from html import escape
from importlib import resources

NAME = "Signal Box Notes"
IN_FEED = 10
# Posts from this one on are shown in the blog's old look.
FIRST_OLD = 24
AUTHORS = ("Maren Holt", "Idris Vane")
TAGS = ("Levers", "Neighbours", "Weather", "Paint", "Birds", "Papers", "Garden", "Repairs")
# The texts, beside this module; the newest posts first.
FILES = ("posts-2023-2024.txt", "posts-2021-2022.txt")
_EMPHASIS = re.compile(r"\*([^*\n]+)\*")


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
        return _EMPHASIS.sub(r"\1", "\n\n".join("\n".join(block.lines) for block in self.blocks if block.lines))

    @property
    def start(self) -> str:
        """How it begins: the first paragraph."""
        return _EMPHASIS.sub(r"\1", self.blocks[0].lines[0])

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
    folder = resources.files("everlog.demo")
    written = "\n".join(folder.joinpath(name).read_text("utf-8") for name in FILES)
    return tuple(_piece(number, text) for number, text in enumerate(re.split(r"^# ", written, flags=re.MULTILINE)[1:]))


def files_of(kind: str, media: str) -> tuple[str, ...]:
    """The files behind a block: of a picture, the small copy and the large one."""
    return (f"{media}-480.png", f"{media}.png") if kind == "figure" else (media,)


def _piece(number: int, text: str) -> Piece:
    """A post as it stands in a file: `Title | date | author | tags`, its parts, and what readers answered."""
    head, _, body = text.partition("\n")
    title, date, author, tags = (part.strip() for part in head.split("|"))
    slug = "-".join("".join(sign if sign.isalnum() else " " for sign in title.lower().replace("'", "")).split())
    published = datetime.fromisoformat(date).replace(tzinfo=UTC)
    parts = [part.strip("\n") for part in re.split(r"\n\s*\n", body) if part.strip()]
    return Piece(
        number=number,
        path=f"/{published:%Y/%m}/{slug}/",
        title=title,
        author=next(name for name in AUTHORS if name.startswith(author)),
        published=published,
        tags=tuple(tags.split(", ")),
        blocks=tuple(_block(part, f"/media/{slug}-{at}") for at, part in enumerate(parts) if part[0] != "@"),
        remarks=tuple(_remarks(number, published, parts[-1].splitlines() if parts[-1][0] == "@" else [])),
    )


def _block(part: str, picture: str) -> Block:
    """A part of an article; its first signs say of which kind it is."""
    sign, _, rest = part.partition(" ")
    if part.startswith("    "):
        return Block(kind="pre", lines=tuple(line.removeprefix("    ") for line in part.splitlines()))
    if sign == "-":
        return Block(kind="ul", lines=tuple(line.removeprefix("- ") for line in part.splitlines()))
    if sign == "[sound]":
        return Block(kind="audio", lines=(), media="/media/block-bell.mp3")
    if sign == "[file]":
        return Block(kind="file", lines=(rest,), media="/media/timetable.pdf")
    if sign == "[picture]":
        return Block(kind="figure", lines=(rest,), media=picture)
    kind = {"##": "h2", ">": "blockquote"}.get(sign)
    return Block(kind=kind or "p", lines=(rest if kind else part,))


def _remarks(number: int, published: datetime, lines: Sequence[str]) -> Iterator[Remark]:
    """What readers answered: `@ Name: ...`, and `@@ Name: ...` in answer to the one before."""
    parent = None
    for at, line in enumerate(lines):
        sign, _, said = line.partition(" ")
        author, _, text = said.partition(": ")
        yield Remark(
            number=number * 10 + at, author=author, text=text,
            published=published + timedelta(hours=5 + 7 * at, minutes=number),
            parent=parent if sign == "@@" else None,
        )
        parent = number * 10 + at


def block_html(block: Block, origin: str = "", *, late: bool = False) -> str:
    """A part of an article as HTML; `late` pictures are loaded by a script."""
    lines = [_EMPHASIS.sub(r"<em>\1</em>", escape(line, quote=False)) for line in block.lines]
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
