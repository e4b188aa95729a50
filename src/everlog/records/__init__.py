"""The records that travel through everlog: one frozen class per thing.

`None` means "the source does not say". Times of our own clock end in `_at` and are aware UTC;
`published` and `updated` keep the offset their source states.

    Feed -> Entry            what a blog's feed says
    Page                     the bytes of a URL, whichever door they came through
    Asked                    what a page in the browser asks for while it is rendered
    Rendered                 what the browser made of a page
    Post | Skip              what reading a page gives
    Exchange                 one request and its answer, as WARC keeps it
    Fetched | Failure        what asking the web for a URL gives
    Visit                    all that one visited URL brings, stored together or not at all
    Blog                     what an archive knows about a blog
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from everlog.records.plain import MOST_WORD, clipped, counted, on_a_line, post_to_dict, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime
    from typing import BinaryIO

CommentsState = Literal["complete", "partial", "failed", "off", "none"]
# What a URL was asked for as; `rendered` and `screenshot` are what a browser made of an answer.
Purpose = Literal["page", "feed", "media", "robots", "sitemap", "requisite", "rendered", "screenshot"]
# Why the web gave nothing: the word for the ledger; `Failure.reason` is the sentence for people.
Trouble = Literal[
    "http", "gone", "robots", "rate-limited", "address", "dns", "connection", "proxy", "tls", "timeout",
    "too-large", "truncated", "loop", "protocol",
]
# In which queue a URL waits. Posts are known by their address; pages are everything else.
Lane = Literal["post", "page", "media"]
# What became of a visited URL.
Outcome = Literal["post", "listing", "page", "media", "feed", "robots", "skip", "unchanged", "failed", "retry"]
BlogState = Literal["new", "crawling", "finished"]
# Bodies that are on the disk are read in pieces of this size.
CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One item of a feed. `content` and `summary` are HTML (or plain text) as the feed holds them."""

    link: str | None
    title: str | None = None
    content: str | None = None
    summary: str | None = None
    authors: tuple[str, ...] = ()
    published: datetime | None = None
    updated: datetime | None = None
    tags: tuple[str, ...] = ()
    guid: str | None = None
    comments_feed: str | None = None
    comment_count: int | None = None
    # What only entries that are comments have: the answered entry's id or address, the writer's page.
    in_reply_to: str | None = None
    author_url: str | None = None

    def __repr__(self) -> str:
        return on_a_line("Entry", title=self.title, address=self.link, moment=self.published)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedHints:
    """How often a feed wishes to be asked, in its own words.

    `ttl_minutes` and `period_seconds` are how long it may be kept and how often it says it changes;
    `skip_hours` (0 to 23) and `skip_days` (0 is Monday), both GMT, are when nobody should come.
    """

    ttl_minutes: int | None = None
    skip_hours: tuple[int, ...] = ()
    skip_days: tuple[int, ...] = ()
    period_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A parsed feed. `home` is the page it says it belongs to; `next_pages` where older entries may be."""

    url: str | None
    title: str | None = None
    home: str | None = None
    language: str | None = None
    authors: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()
    kind: str = ""
    next_pages: tuple[str, ...] = ()
    problem: str | None = None
    hints: FeedHints | None = None

    def __repr__(self) -> str:
        entries = counted(len(self.entries), "entry", "entries")
        return on_a_line("Feed", title=self.title, address=self.url, about=(entries or "no entries",))


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedLink:
    """A feed a page points to, or may have; `comments` is set for feeds of comments."""

    url: str
    title: str | None = None
    comments: bool = False
    declared: bool = True


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
    precision: str | None = None
    disagrees: str | None = None

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A post as it was read from its page; the names are those of the export."""

    url: str
    blog: str | None = None
    aliases: tuple[str, ...] = ()
    title: str | None = None
    authors: tuple[str, ...] = ()
    published: datetime | None = None
    updated: datetime | None = None
    tags: tuple[str, ...] = ()
    language: str | None = None
    text: str = ""
    html: str = ""
    summary: str | None = None
    comments: tuple[Comment, ...] = ()
    comments_state: CommentsState = "none"
    comment_count_claimed: int | None = None
    media: tuple[Media, ...] = ()
    provenance: Mapping[str, Provenance] = field(default_factory=lambda: MappingProxyType({}))
    fetched: datetime | None = None
    version: int = 1
    gone: str | None = None
    warc: tuple[str, int] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The post as `export --format jsonl` writes it, made of what JSON has."""
        return post_to_dict(self)

    def __repr__(self) -> str:
        comments = counted(len(self.comments), "comment")
        return on_a_line("Post", title=self.title, address=self.url, moment=self.published, about=(comments,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """A page that is not kept as a post, and why."""

    url: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spooled:
    """A body on the disk, too large to be held in memory: a file without a name, gone when nobody holds it any more."""

    file: BinaryIO
    size: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One HTTP request and its answer. `body` is free of transfer and content encodings.

    That of a large picture or file is `spooled`, and `body` is empty: `size` and `chunks` tell of both.
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

    @property
    def size(self) -> int:
        """How many bytes the body has."""
        return len(self.body) if self.spooled is None else self.spooled.size

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
        return Page(url=last.url, body=last.body, content_type=last.header("content-type"), fetched_at=last.fetched_at)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A URL on its way into the queue. `key` is its canonical spelling; `rank` orders a lane, small first."""

    url: str
    key: str
    lane: Lane
    found_on: str | None = None
    rank: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """All that one visited URL brings: stored together, or not at all.

    `key` names the queue's row, which is done with this visit (but for `retry`). `post_key` is the
    identity of the post when it differs from `key` (a redirect); without a post it names the one this
    page is a copy of. `note` keeps a disagreement between the URL's and the page's verdict.
    """

    blog_id: int
    url: str
    key: str
    outcome: Outcome
    reason: str | None = None
    note: str | None = None
    exchanges: tuple[Exchange, ...] = ()
    post: Post | None = None
    post_key: str | None = None
    links: tuple[Link, ...] = ()
    new_posts: int = 0
    again_at: datetime | None = None
    # Whether it was asked for at all: to wait for its host uses up no try.
    tried: bool = True
    # Where its URL waits, if the outcome does not tell: the row of a picture may be made by the visit that failed.
    lane: Lane | None = None
    # Set when the page was visited before and only now it is known what it is.
    settles: bool = False
    # Whether comments that could not be had were asked for at all: a missing browser uses up no try.
    comments_tried: bool = True
    # Where a post stood before and the page answers: it leads to the home page or a list, or shows no post any more.
    sight: Literal["led-away", "no-post"] | None = None
    # Set when a page of the post could not be had for now: what there is is kept, and the URL is asked for again.
    is_unfinished: bool = False
    # Set when the version that is held was read by another template: what that one takes along is no edit.
    other_template: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Blog:
    """What an archive knows about a blog. `template` and `knowledge` are JSON texts of what was learned.

    `gone` says why the blog is not asked for any more, `former_homes` where it was before it moved.
    """

    id: int
    home: str
    title: str | None = None
    feed_url: str | None = None
    scope: str = "path"
    state: BlogState = "new"
    template: str | None = None
    knowledge: str | None = None
    added_at: datetime
    crawled_at: datetime | None = None
    forgotten_at: datetime | None = None
    gone: str | None = None
    gone_at: datetime | None = None
    former_homes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return on_a_line("Blog", title=self.title, address=self.home, about=(self.state,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What happened to a blog or to one of its posts, as the archive's ledger keeps it: nothing is ever taken out.

    `at` is when it was noticed, `reason` a sentence for people, `detail` what a program may want to know.
    """

    blog_id: int
    kind: str
    at: datetime
    reason: str
    post_id: int | None = None
    url: str | None = None
    detail: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    id: int | None = None
