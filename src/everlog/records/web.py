"""HTTP exchanges, what fetching a URL gives, and what a browser makes of a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, BinaryIO, Literal

from everlog.records.one_line import MOST_WORD, clipped, on_a_line

if TYPE_CHECKING:
    from everlog.records.post import Origin

# What a URL was fetched as; `rendered` and `screenshot` are what a browser made of a response.
Purpose = Literal["page", "feed", "api", "media", "robots", "sitemap", "requisite", "rendered", "screenshot"]
# Why the web gave nothing: the word for the event log; `Failure.reason` is the sentence for people.
Trouble = Literal[
    "http", "gone", "robots", "rate-limited", "address", "dns", "connection", "proxy", "tls", "timeout",
    "too-large", "truncated", "loop", "protocol",
]
# Bodies that are on the disk are read in pieces of this size.
CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The bytes of a URL."""

    url: str
    body: bytes
    content_type: str | None = None
    fetched_at: datetime | None = None

    def __repr__(self) -> str:
        kind = clipped(self.content_type, MOST_WORD) if self.content_type else None
        return on_a_line("Page", address=self.url, about=(f"{len(self.body):,} bytes", kind))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spooled:
    """A body on the disk, too large to be held in memory: a file without a name, gone when nobody holds it any more."""

    file: BinaryIO
    size: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One HTTP request and its answer. `body` is free of transfer and content encodings.

    That of a large picture or file is `spooled`, and `body` is empty: `size` and `chunks` tell of both. One that others
    captured says when (`captured_at`), and where it was taken from (`source_uri`): `fetched_at` is when that was done.
    """

    url: str
    status: int
    reason: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    request_headers: tuple[tuple[str, str], ...] = ()
    fetched_at: datetime
    purpose: Purpose = "page"
    spooled: Spooled | None = None
    origin: Origin = "live"
    captured_at: datetime | None = None
    source_uri: str | None = None

    @property
    def size(self) -> int:
        """How many bytes the body has."""
        return len(self.body) if self.spooled is None else self.spooled.size

    @property
    def seen_at(self) -> datetime:
        """When the page looked like this: when it was fetched, or captured by whoever did that."""
        return self.captured_at or self.fetched_at

    def chunks(self) -> Iterator[bytes]:
        """The body, in pieces that are small enough to be held in memory."""
        if self.spooled is None:
            yield self.body
            return
        self.spooled.file.seek(0)
        while piece := self.spooled.file.read(CHUNK_BYTES):
            yield piece

    def let_go(self) -> None:
        """Give the room on the disk back: nobody reads the body from here any more."""
        if self.spooled is not None:
            self.spooled.file.close()

    def header(self, name: str) -> str | None:
        """The first value of a header, whatever its case."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), None)

    def values(self, name: str) -> tuple[str, ...]:
        """All values of a header that may stand more than once."""
        wanted = name.lower()
        return tuple(value for key, value in self.headers if key.lower() == wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A URL that answered: the last exchange is the answer (2xx or 304), those before it are redirects."""

    url: str
    exchanges: tuple[Exchange, ...]

    @property
    def answer(self) -> Exchange:
        return self.exchanges[-1]

    @property
    def page(self) -> Page:
        last = self.answer
        return Page(url=last.url, body=last.body, content_type=last.header("content-type"), fetched_at=last.seen_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A URL that gave nothing to keep. `until` is set where asking earlier would be impolite."""

    url: str
    trouble: Trouble
    reason: str
    status: int | None = None
    until: datetime | None = None
    exchanges: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserRequest:
    """What a page in the browser asks for while it is rendered; `kind` is the browser's word for it."""

    url: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    kind: str = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """What the browser made of a page: one HTML document with its frames and shadow roots inside.

    `settled` says whether the page had come to rest, `clicks` how often "show more" was clicked,
    `requests` how many answers it needed beside its own.
    """

    url: str
    body: bytes
    screenshot: bytes | None = None
    settled: bool = True
    clicks: int = 0
    requests: int = 0
    seconds: float = 0.0
    rendered_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A host nobody is asking just now, and why."""

    host: str
    until: datetime
    why: str
