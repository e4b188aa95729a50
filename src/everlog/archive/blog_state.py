"""Blog state: what crawls and updates of a blog leave for those that come after them, as one document of a blog.

A new kind of state is one more field of `BlogState`, and of no database: a document that does not have it yet is read
with the field's default.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from everlog.core.scope import Alias  # noqa: TC001 - the codec reads the types of fields
from everlog.frontier.priority_queue import Progress  # noqa: TC001 - the codec reads the types of fields
from everlog.records.codec import decode, encode
from everlog.records.figures import Estimate  # noqa: TC001 - the codec reads the types of fields
from everlog.schedule.liveness import Failing  # noqa: TC001 - the codec reads the types of fields
from everlog.schedule.ownership import BlogFingerprint  # noqa: TC001 - the codec reads the types of fields

# Documents of a later version are read as far as they are understood.
VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentFeedState:
    """What is known of a blog's comment feed: None for its `url` if there is none, and the comments it named last.

    `unheld` are comments that it named and that were not held after their posts were looked at: by what the feed calls
    them, the key of the post with the number of the comment behind `#`. `read_at` is when it named something else than
    before.
    """

    url: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    seen: tuple[str, ...] = ()
    unheld: Mapping[str, str] = field(default_factory=dict)
    read_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListWalk:
    """A walk along list pages that is not over: the posts it is to arrive at, lists to ask, and lists that were."""

    newest: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedAt:
    """What an update that is not over need not look at again, unless it is after `until`."""

    fronts: bool = False
    maps: tuple[str, ...] = ()
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """What belongs to a blog beyond its home: other folders, and homes that its pages call their own."""

    also: tuple[str, ...] = ()
    aliases: tuple[Alias, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """What a crawl left out: addresses by their keys, and what it said of them at its end."""

    links: Mapping[str, str] = field(default_factory=dict)
    said: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFingerprint:
    """A blog's fingerprint, and from what it was taken: the capture of its home page, and a feed or none."""

    fingerprint: BlogFingerprint
    capture: int | None = None
    has_feed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceState:
    """What is known of a history source of a blog.

    `cursor` is where a walk stands that is not over, `mark` what later changes are told from: documents of the source's
    own. `claimed_before` is how many posts it said there are when it was first asked, `total` when it was last;
    `comments_before` and `comments_total` the same of comments.
    `listing` are addresses of sitemaps that list all posts, where these are fewer requests than the source's own.
    `surplus` is how many more posts it counts than it lists: private ones. `comments_shortfall` is how many comments it
    counted that it did not list, then or later: what is listed since does not say that they are. `walked_at` is when it
    was asked for posts, `comments_read_at` when it last told comments, or how many there are.
    """

    source: str
    entrance: str
    evidence: str = ""
    cursor: str | None = None
    mark: str | None = None
    is_exhaustive: bool = False
    claimed_before: int | None = None
    total: int | None = None
    comments_before: int | None = None
    comments_total: int | None = None
    comments_shortfall: int = 0
    comments_read_at: datetime | None = None
    walked_at: datetime | None = None
    problem: str | None = None
    listing: tuple[str, ...] = ()
    surplus: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BlogState:
    """All that is remembered of a blog beside its rows."""

    # What its feed said when it was last read: marks of entries by their keys; and whether some are still news.
    entries: Mapping[str, str] = field(default_factory=dict)
    left_alone: bool = False
    # Of a blog without a feed: maps of the site that named pages to which no link led.
    sitemaps: tuple[str, ...] = ()
    # The pages that show the newest posts first; None: not looked for yet.
    front_pages: tuple[str, ...] | None = None
    # The page that its home sends its readers on to, where that is another one.
    start_page: str | None = None
    walk: ListWalk | None = None
    update: LookedAt | None = None
    comment_feed: CommentFeedState | None = None
    failing: Failing | None = None
    places: Places = field(default_factory=Places)
    estimate: Estimate | None = None
    # The hosts that `--allow` named.
    allow: tuple[str, ...] = ()
    progress: Progress | None = None
    left_out: LeftOut = field(default_factory=LeftOut)
    # Links that may name addresses that the blog had, met by the parts of a crawl that is not over.
    named: Mapping[str, str] = field(default_factory=dict)
    # Comments that the site counts beyond those that are kept; None: to be counted.
    comments_missing: int | None = None
    fingerprint: KnownFingerprint | None = None
    # Posts that are split over pages, by the index of the site; None: not asked. It may not tell.
    split_posts: tuple[str, ...] | None = None
    tells_split_posts: bool = True
    # The history sources that were walked, the first the one whose word stands.
    history: tuple[SourceState, ...] = ()
    # What is known of its sitemaps, as a list of posts.
    sitemap: SourceState | None = None
    # What is known of the links of its posts to the previous and next one, as a list of posts.
    neighbours: SourceState | None = None
    # Whether its pages are not fetched: records come from its interfaces alone.
    records_only: bool = False
    # From when on its pages have their requisites, those captured before may not; None: it was crawled without them.
    requisites_since: datetime | None = None
    # Whether some of these crawls left out pictures.
    requisites_without_media: bool = False
    # Pages and style sheets that name more files than the limits let in, and how many more.
    requisites_beyond: Mapping[str, int] = field(default_factory=dict)
    # Entries for which learning the blog again was tried, in vain.
    relearned_for: tuple[str, ...] = ()

    def to_json(self) -> str:
        """The document: fields that say something."""
        said = [each.name for each in fields(self) if getattr(self, each.name) != _EMPTY[each.name]]
        # Characters that no database takes are escaped.
        return json.dumps({"version": VERSION} | encode(self, only=said))

    @classmethod
    def from_json(cls, text: str | None) -> BlogState:
        """The state that a document holds; that of a blog of which nothing is remembered, without one."""
        return cls() if text is None else decode(cls, json.loads(text))


_EMPTY: dict[str, Any] = {each.name: getattr(BlogState(), each.name) for each in fields(BlogState)}
