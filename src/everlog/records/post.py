"""Post, what it is made of, and what each of its fields is to those who learn, compare and keep posts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import Flag, auto
from types import MappingProxyType
from typing import Any, Literal

from everlog.records.codec import PARTS, RARE, encode
from everlog.records.one_line import MOST_WORD, clipped, counted, on_a_line, quoted

CommentsState = Literal["complete", "partial", "failed", "off", "none"]
# A post, or a page that stands outside of the order of posts ("about"), as the blog's own interface tells them apart.
PostKind = Literal["post", "page"]
# Who captured the page: everlog, a web archive, or another program whose files were imported.
Origin = Literal["live", "memento", "import"]
# How the record says that an interface told a field, or the entry of a feed: neither needs the post's page.
BY_INTERFACE, BY_FEED_ENTRY = "api", "feed-entry"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Provenance:
    """Where a field's value came from: the method, the rule that found it, its measured confidence.

    `confidence` is how well the rule did on the feed's own pages, in [0, 1]: the share of pages on
    which it was right, for texts and tags the mean likeness; None where the feed could not tell.
    `precision` says how exact a date is: `minute`, `day` or `month`. `disagrees` says in words what other sources
    find instead.
    """

    method: str
    rule: str | None = None
    confidence: float | None = None
    precision: str | None = field(default=None, metadata={RARE: True})
    disagrees: str | None = field(default=None, metadata={RARE: True})

    def __repr__(self) -> str:
        said = ((each.name, getattr(self, each.name)) for each in fields(self))
        return f"Provenance({', '.join(f'{name}={value!r}' for name, value in said if value is not None)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """One comment of a post; `parent` is the id of the comment it answers."""

    id: str | None = None
    parent: str | None = None
    author: str | None = None
    author_url: str | None = None
    published: datetime | None = None
    text: str = ""
    html: str = ""
    url: str | None = None
    source: str | None = None

    def __repr__(self) -> str:
        author = f"by {clipped(self.author, MOST_WORD)}" if self.author else None
        day = f"{self.published:%Y-%m-%d}" if self.published is not None else None
        words = quoted(self.text) if self.text else None
        return on_a_line(" ".join(filter(None, ["Comment", author, day, words])))


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """A picture, sound or file of an article, and where the archive keeps it."""

    url: str
    path: str | None = None
    sha256: str | None = None
    type: str | None = None
    bytes: int | None = None

    def __repr__(self) -> str:
        size = f"{self.bytes:,} bytes" if self.bytes is not None else None
        kept = (size, clipped(self.type, MOST_WORD) if self.type else None) if self.path is not None else ("not kept",)
        return on_a_line("Media", address=self.url, about=kept)


class Role(Flag):
    """What a field of a post is to those who learn, compare and keep posts: a new field says it once, in its line.

    Fields with none of the first three are known to the archive alone, and are added on the way out.
    """

    # Read from the page, and part of what makes a version: its record and its digest hold the field.
    READ = auto()
    # Kept with a version, but no part of what was read.
    BESIDE = auto()
    # Another value of it is an edit, which makes a new version.
    EDIT = auto()
    # Told of a post without anybody having edited it: it is kept current in the version that is held.
    CURRENT = auto()
    # A page may stop to say it without its being untrue: a new version takes it over from the one before.
    LASTING = auto()
    # `diff` says how it changed.
    DIFF = auto()
    # It has rules: `learn_<name>` in `extract/fields/<name>_learn.py`, `read_<name>` in `<name>_read.py` beside it.
    LEARNED = auto()
    # A person may say where it stands.
    BY_HAND = auto()
    # It came after the first archives: a record that has nothing but the default is the one of before, to the letter.
    LATER = auto()


_ROLE = "role"
_OF_THE_POST = {_ROLE: Role.READ | Role.EDIT | Role.LASTING | Role.DIFF | Role.LEARNED | Role.BY_HAND}
_AROUND_IT = Role.READ | Role.CURRENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A post as it was read from its page; names and order are those of the export."""

    url: str = field(metadata={_ROLE: Role.BESIDE})
    aliases: tuple[str, ...] = ()
    blog: str | None = None
    title: str | None = field(default=None, metadata=_OF_THE_POST)
    authors: tuple[str, ...] = field(default=(), metadata=_OF_THE_POST)
    published: datetime | None = field(default=None, metadata=_OF_THE_POST)
    updated: datetime | None = field(
        default=None, metadata={_ROLE: _AROUND_IT | Role.DIFF | Role.LEARNED | Role.BY_HAND},
    )
    tags: tuple[str, ...] = field(default=(), metadata=_OF_THE_POST)
    language: str | None = field(
        default=None, metadata={_ROLE: _AROUND_IT | Role.LASTING | Role.DIFF | Role.LEARNED},
    )
    text: str = field(default="", metadata={_ROLE: Role.READ})
    html: str = field(default="", metadata={_ROLE: Role.READ})
    # Most often the beginning of the text, so `diff` has said how it changed.
    summary: str | None = field(default=None, metadata={_ROLE: _AROUND_IT | Role.LEARNED | Role.BY_HAND})
    comments: tuple[Comment, ...] = field(default=(), metadata={_ROLE: Role.READ})
    comments_state: CommentsState = field(default="none", metadata={_ROLE: _AROUND_IT})
    comment_count_claimed: int | None = field(default=None, metadata={_ROLE: _AROUND_IT})
    media: tuple[Media, ...] = field(default=(), metadata={_ROLE: Role.BESIDE})
    provenance: Mapping[str, Provenance] = field(
        default_factory=lambda: MappingProxyType({}), metadata={_ROLE: Role.BESIDE},
    )
    fetched: datetime | None = field(default=None, metadata={_ROLE: Role.BESIDE})
    version: int = 1
    gone: str | None = None
    warc: tuple[str, int] | None = field(default=None, metadata={PARTS: ("file", "offset")})
    kind: PostKind = field(default="post", metadata={_ROLE: Role.READ | Role.LATER})
    origin: Origin = field(default="live", metadata={_ROLE: Role.BESIDE | Role.LATER})
    # When a web archive or another program captured the page; of one that everlog fetched, `fetched` tells.
    captured: datetime | None = field(default=None, metadata={_ROLE: Role.BESIDE | Role.LATER})

    def to_dict(self) -> dict[str, Any]:
        """The post as `export --format jsonl` writes it, made of what JSON has."""
        return encode(self)

    def __repr__(self) -> str:
        comments = counted(len(self.comments), "comment")
        return on_a_line("Post", title=self.title, address=self.url, moment=self.published, about=(comments,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """A page that is not kept as a post, and why."""

    url: str
    reason: str


def post_fields(role: Role) -> tuple[str, ...]:
    """The names of the fields of a post that have this role, in the order of the export.

    >>> post_fields(Role.LASTING)
    ('title', 'authors', 'published', 'tags', 'language')
    """
    return tuple(each.name for each in fields(Post) if role in each.metadata.get(_ROLE, Role(0)))
