"""A month of many blogs as data: what each publishes, edits, deletes and answers, moment by moment.

Pure: everything follows from a seed. `watch_month.py` polls this world in-process; a loopback server can
render it as real pages, with the same moments.

    World              a beginning, an end and its blogs
    WorldBlog          one blog: its posts, its feed's length and headers, and what happens to it
      .posts           all posts, oldest first; those before `World.start_at` are what was archived before
      .listed_at(t)    the posts in its feed at t, newest first
      .version_at(t)   a number that grows with every change of the feed: its ETag
      .changed_at(t)   the moment of that change: its Last-Modified
      .answer_at(t)    what the feed's server does at t: a status, or None where nobody answers
      .home_at(t), .feed_url_at(t)   where the blog lives; former addresses answer 301 to these
    WorldPost          one post: when it appears, what date it states, its edits, comments and its end
      .page_at(t)      what its page does at t: "there", "gone" (410), "not-found" (404), "home" (a redirect to
                       the home page) or "nowhere" (not published yet)

What is real in it: the moments of posts (30 days of a real blog, moved by whole weeks, so that days of the
week stay, and by some hours of the day, as if the blog were elsewhere on earth), and how long comments come after
their posts. What is assumed: how often servers send which headers (the corpus has no headers), and how often
blogs move, die, refuse, edit and delete. `Shares` in `watch_making.py` holds the
assumptions.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from everlog.records import FeedHints

Deleted = Literal["gone", "not-found", "home", "unlisted"]
Died = Literal["gone", "not-found", "dns", "new-owner"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldEdit:
    """A change of a post's text. `shown`: the feed has the new text and an `updated`; else only the page has."""

    at: datetime
    shown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldDeletion:
    """The end of a post. `unlisted` leaves the feed early while its page stays."""

    at: datetime
    how: Deleted


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldPost:
    """A post. It appears at `published_at`; feed and page state `stated`, which may lack the hour."""

    number: int
    published_at: datetime
    stated: datetime
    edits: tuple[WorldEdit, ...] = ()
    deletion: WorldDeletion | None = None
    comments: tuple[datetime, ...] = ()

    @property
    def path(self) -> str:
        return f"/{self.published_at:%Y/%m}/post-{self.number}/"

    def listed_at(self, moment: datetime) -> bool:
        """Whether a feed long enough would list it."""
        return self.published_at <= moment and (self.deletion is None or moment < self.deletion.at)

    def page_at(self, moment: datetime) -> Literal["there", "gone", "not-found", "home", "nowhere"]:
        if moment < self.published_at:
            return "nowhere"
        if self.deletion is None or moment < self.deletion.at or self.deletion.how == "unlisted":
            return "there"
        return self.deletion.how


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldSpell:
    """A time in which the server refuses: 429 or 503, with or without a `Retry-After` in seconds."""

    begins_at: datetime
    ends_at: datetime
    status: int
    retry_after: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldMove:
    """A permanent move: of the feed to another path, or of the whole blog to another host."""

    at: datetime
    kind: Literal["feed", "domain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldDeath:
    """The end of a blog: 410 from feed and home, 404 from everything, no host, or somebody else's site."""

    at: datetime
    how: Died


@dataclass(frozen=True, kw_only=True)
class WorldBlog:
    """A blog and all that will happen to it."""

    name: str
    source: str
    posts: tuple[WorldPost, ...]
    feed_length: int = 10
    headers: tuple[tuple[str, str], ...] = ()
    expires_seconds: int | None = None
    has_etag: bool = True
    has_last_modified: bool = True
    hints: FeedHints | None = None
    spells: tuple[WorldSpell, ...] = ()
    move: WorldMove | None = None
    death: WorldDeath | None = None
    redesigned_at: datetime | None = None

    @cached_property
    def changes(self) -> tuple[datetime, ...]:
        """The moments at which the feed reads differently."""
        found = {post.published_at for post in self.posts}
        found.update(edit.at for post in self.posts for edit in post.edits if edit.shown)
        found.update(post.deletion.at for post in self.posts if post.deletion)
        return tuple(sorted(found))

    @cached_property
    def appearances(self) -> tuple[datetime, ...]:
        return tuple(post.published_at for post in self.posts)

    def posts_weekly(self, moment: datetime) -> bool:
        """Whether it brought at least a post a week in the thirty days before a moment."""
        month = bisect_right(self.appearances, moment) - bisect_right(self.appearances, moment - timedelta(days=30))
        return 7 * month >= 30

    def version_at(self, moment: datetime) -> int:
        return bisect_right(self.changes, moment)

    def changed_at(self, moment: datetime) -> datetime | None:
        version = self.version_at(moment)
        return self.changes[version - 1] if version else None

    def listed_at(self, moment: datetime) -> tuple[WorldPost, ...]:
        listed: list[WorldPost] = []
        for at in range(bisect_right(self.appearances, moment) - 1, -1, -1):
            if self.posts[at].listed_at(moment):
                listed.append(self.posts[at])
                if len(listed) == self.feed_length:
                    break
        return tuple(listed)

    def answer_at(self, moment: datetime) -> tuple[int | None, WorldSpell | None]:
        """The status of the feed's present address, before validators are looked at, and the spell behind it."""
        if self.death is not None and moment >= self.death.at:
            return {"gone": 410, "not-found": 404, "dns": None, "new-owner": 404}[self.death.how], None
        spell = next((spell for spell in self.spells if spell.begins_at <= moment < spell.ends_at), None)
        return (spell.status if spell else 200), spell

    def home_at(self, moment: datetime) -> str:
        moved = self.move is not None and self.move.kind == "domain" and moment >= self.move.at
        return f"http://{self.name}{'-moved' if moved else ''}.example/"

    def feed_url_at(self, moment: datetime) -> str:
        moved = self.move is not None and self.move.kind == "feed" and moment >= self.move.at
        return self.home_at(moment) + ("feed/" if moved else "feed.xml")


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Blogs between two moments."""

    start_at: datetime
    end_at: datetime
    blogs: tuple[WorldBlog, ...]
