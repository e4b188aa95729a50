"""Media of a post: what its article shows and links to, and the files that its feed attaches to it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urldefrag

from everlog.core.urls import absolute
from everlog.markup.media import media_of
from everlog.markup.revealing import is_played

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.records import Entry, Post
    from everlog.usecases.crawl.crawl_context import CrawlContext


def media_urls(post: Post, entry: Entry | None = None, held: Post | None = None) -> tuple[str, ...]:
    """The addresses of a post's media: those of its article, then those that its entry in the feed attaches.

    Feeds forget: sounds and films of the version that is `held` stay with a post whose entry is gone.
    """
    found = dict.fromkeys(media_of(post.html, post.url))
    if entry is not None and entry.enclosures:
        found |= dict.fromkeys(_whole(entry.enclosures, post.url))
    elif held is not None:
        found |= dict.fromkeys(each.url for each in held.media if is_played(each.url))
    return tuple(found)


def entry_of(keys: Iterable[str], context: CrawlContext) -> Entry | None:
    """The entry of the feed about the post that is known by one of these keys."""
    entries = context.entries.by_key
    return next((entries[key] for key in keys if key in entries), None)


def _whole(enclosures: Iterable[str], url: str) -> list[str]:
    full = (absolute(url, each) for each in enclosures)
    return [urldefrag(each).url for each in full if each is not None]
