"""List of events: what happened to blogs and posts, the newest first, in words and with the way to what changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from everlog.archive import Archive
    from everlog.archive.projection.overview import BlogSummary
    from everlog.archive.projection.summaries import PostSummary
    from everlog.records import Event

# What happened to posts and blogs that readers want to know; the rest is about feeds and schedules. By what a list of
# them is filtered by: its name, and the words for each.
GROUPS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "edits": ("Edits", {"edited": "edited", "emptied": "emptied", "earlier": "an earlier version came"}),
    "deletions": ("Deletions", {
        "deleted": "deleted", "missing": "not found", "back": "back again", "dead": "gone from the web",
        "restored": "restored from elsewhere",
    }),
    "moves": ("Moves", {
        "moved": "moved", "feed-moved": "its feed moved", "other-owner": "somebody else’s now",
        "feed-gone": "its feed is gone",
    }),
    "redesigns": ("Redesigns", {"redesigned": "redesigned"}),
    "comments": ("Comments", {"comments": "comments changed"}),
    "completeness": ("Completeness", {"completeness": "completeness"}),
}
WORDS: Mapping[str, str] = {kind: word for _, words in GROUPS.values() for kind, word in words.items()}
# Lists beside other things have no room for what may be over tomorrow, and for what stands on a page of its own.
LATELY = tuple(kind for kind in WORDS if kind not in {"missing", "feed-moved", "earlier", "completeness"})
# Of hidden posts in a row, no more than so many lists are read to fill one.
MOST_READINGS = 5
# What an event is followed by on the way to its diff: the kinds that make a version.
_MAKE_VERSIONS = frozenset({"edited", "comments"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """An event for people. `post` is None where it is about the whole blog; `diff` are the versions to compare."""

    event: Event
    word: str
    post: PostSummary | None
    blog: BlogSummary | None
    diff: tuple[int, int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPage:
    """A page of events, the newest first; the next one begins below `following`, None: this is the last."""

    happenings: tuple[Happening, ...] = ()
    following: int | None = None


class EventList:
    """Events of blogs. With `public`, those of hidden blogs and posts are not there."""

    def __init__(self, archive: Archive, *, public: bool) -> None:
        self._archive, self._public = archive, public

    def page(
        self, *, blog_id: int | None = None, kinds: Sequence[str] = LATELY, before: int | None = None, limit: int,
    ) -> EventPage:
        """Events of one blog, or of all."""
        found: list[Happening] = []
        is_over = False
        for _ in range(MOST_READINGS):
            events = list(self._archive.events(blog_id=blog_id, kinds=kinds, before=before, limit=limit + 1))[::-1]
            found += self._shown(events)
            is_over = len(events) <= limit
            if is_over or len(found) > limit:
                break
            before = events[-1].id
        following = found[limit - 1].event.id if len(found) > limit else None if is_over else before
        return EventPage(happenings=tuple(found[:limit]), following=following)

    def _shown(self, events: Collection[Event]) -> list[Happening]:
        posts = self._archive.listing.summaries(
            sorted({event.post_id for event in events if event.post_id is not None}), public=self._public,
        )
        blogs = {blog.id: blog for blog in self._archive.overview.blogs(
            ids=sorted({event.blog_id for event in events}), public=self._public,
        )}
        return [
            Happening(
                event=event, word=WORDS[event.kind], blog=blogs[event.blog_id], diff=_versions(event),
                post=posts[event.post_id] if event.post_id is not None else None,
            )
            for event in events
            if event.blog_id in blogs and (event.post_id is None or event.post_id in posts)
            # Its sentence counts what is held, hidden posts too.
            and not (self._public and event.kind == "completeness" and blogs[event.blog_id].figures.hidden)
        ]


def _versions(event: Event) -> tuple[int, int] | None:
    """The version that an event made, and the one before it."""
    number = event.detail.get("version")
    is_one = event.kind in _MAKE_VERSIONS and isinstance(number, int) and number > 1
    return (number - 1, number) if is_one and isinstance(number, int) else None
