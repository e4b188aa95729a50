"""Feed and its entries: what a blog's feed says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from everlog.records.one_line import counted, on_a_line


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
    # Addresses of files that are attached: the recording of a podcast's episode.
    enclosures: tuple[str, ...] = ()
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
class FeedPaging:
    """Where the entries go on that a feed document does not hold (RFC 5005, JSON Feed, OpenSearch).

    `next_page` continues a list that shifts with every new entry; `prev_archive` names a document of older entries that
    stays as it is, `next_archive` one of newer entries, `current` the document that subscribers ask for. `is_complete`
    says that this document holds all entries there are, `is_archive` that it is not the one of the newest. `total` is
    how many entries the feed claims to have.
    """

    next_page: str | None = None
    prev_archive: str | None = None
    next_archive: str | None = None
    current: str | None = None
    is_complete: bool = False
    is_archive: bool = False
    total: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A parsed feed. `home` is the page it says it belongs to; `next_pages` where older entries may be.

    `paging` says which of these are which, where the feed says anything about that.
    """

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
    paging: FeedPaging | None = None

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
