"""Entries of a blog's feed by the addresses of their posts: what they say goes where the pages say nothing.

    at a visit      the page's own entry, if it stands in the feed; else what the feed said when it did
    at an update    posts that are held and lack what the feed says, without a request
    reading again   the entries of every stored edition of the feed
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from everlog.core.urls import absolute, canonical
from everlog.errors import UnreadableFeed
from everlog.extract.feed_entry import CORE, as_entry, filled, merged, of_one_post_each, only, with_believable_dates
from everlog.feeds import parse_feed
from everlog.records import Blog, Entry, Post, Visit
from everlog.usecases.discover.blog_scope import scope_of
from everlog.usecases.page.stored_pages import stored_exchange

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from everlog.archive import Archive
    from everlog.core.scope import Scope

# Whole blogs stand in some feeds; of those, the newest posts are looked at in an update.
MOST_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Entries:
    """A blog's entries by the keys of the addresses at which their pages may be."""

    by_key: Mapping[str, Entry] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Sequence[Entry], blog: Blog, scope: Scope, feed_url: str | None = None) -> Self:
        """The entries of one edition of the feed; an address that several of them name is nobody's."""
        start = feed_url or blog.feed_url

        def addressed() -> Iterator[tuple[str, Entry]]:
            for entry in filter(None, map(only, with_believable_dates(entries))):
                whole = absolute(start, entry.link)
                for key in {canonical(url) for url in scope.page_urls(whole)} if whole else ():
                    yield key, entry

        return cls(of_one_post_each(addressed(), canonical(blog.home)))

    @classmethod
    def ever_stored(cls, blog: Blog, archive: Archive) -> Self:
        """The entries of all stored editions of a blog's feed; of several about one post, the newest."""
        by_key: dict[str, Entry] = {}
        scope = scope_of(blog, archive)
        captures = archive.captures.bodies(blog.id, blog.feed_url) if blog.feed_url is not None else ()
        for capture in captures:
            answer = stored_exchange(capture, archive)
            if answer is None:
                continue
            try:
                feed = parse_feed(answer.body, answer.url)
            except UnreadableFeed:
                continue
            by_key.update(cls.of(feed.entries, blog, scope, answer.url).by_key)
        return cls(by_key)

    def said_of(self, keys: Iterable[str], held: Post | None) -> Entry | None:
        """What the feed says of a post, and what it is known to have said of the one that is held."""
        entry = next((self.by_key[key] for key in keys if key in self.by_key), None)
        before = as_entry(held) if held is not None else None
        return merged(entry, before) if entry is not None and before is not None else entry or before

    def visits_filling(self, blog: Blog, archive: Archive) -> Iterator[Visit]:
        """Visits without a request, for posts that are held and lack what their entries say."""
        for key, entry in list(self.by_key.items())[:MOST_LOOKED_AT]:
            own = archive.posts.key(blog.id, key)
            held = archive.posts.find(f"http://{own}", as_read=True) if own is not None else None
            if own is None or held is None:
                continue
            post = filled(held, entry, held)
            if any(getattr(post, name) != getattr(held, name) for name in CORE):
                yield Visit(blog_id=blog.id, url=held.url, key=own, outcome="post", post=post)
