"""What the taught feed says of its own posts, kept for the fields that their pages do not always show."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from everlog.core.urls import absolute, canonical, match_pages
from everlog.extract.feed_entry import CORE, of_one_post_each, only, with_believable_dates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from everlog.core.rules import Ranked
    from everlog.records import Entry, Feed

# The newest; whole blogs stand in some feeds, and a template is read often.
MOST_ENTRIES = 1_000


def learn_feed_entries(feed: Feed, pages: Iterable[str], fields: Mapping[str, Ranked]) -> Mapping[str, Entry]:
    """Entries by the keys of their posts' addresses, with the fields that the rules do not find on every page."""
    wanted = tuple(name for name in CORE if not _is_on_every_page(fields.get(name, ())))
    entries = with_believable_dates(feed.entries[:MOST_ENTRIES]) if wanted else ()
    matched = match_pages([entry.link for entry in entries if entry.link], pages)

    def addressed() -> Iterator[tuple[str, Entry]]:
        for entry in entries:
            urls = (absolute(feed.url, entry.link), matched.get(entry.link or ""))
            slim = only(entry, wanted)
            if slim is not None:
                yield from ((key, slim) for key in {canonical(url) for url in urls if url})

    return MappingProxyType(of_one_post_each(addressed(), canonical(feed.home) if feed.home else ""))


def _is_on_every_page(rules: Ranked) -> bool:
    return bool(rules) and rules[0].confidence == 1.0 and rules[0].method != "feed-constant"
