"""Posts that left the feed before older ones did: taken back, or taken out of the feed alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.core.links import keys_elsewhere
from everlog.core.urls import canonical
from everlog.records import Event

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from everlog.archive import Archive
    from everlog.records import Blog, Entry, Feed
    from everlog.usecases.crawl.lifecycle import CrawlRun

# How many entries behind one that left the feed must have stayed: a single one may be pinned there.
LEAST_BEHIND = 2


def dropped_early(before: Mapping[str, str], feed: Feed, blog: Blog | None = None) -> tuple[str, ...]:
    """The keys of entries that left a feed although older ones are still in it.

    `before` are the marks of the entries in the order of the feed they come from, and behind them those of earlier
    feeds (`merged_marks`). A feed that is sorted anew tells nothing. Entries of a `blog` that moved are those that
    were named at its former homes.

    >>> from everlog.records import Entry, Feed
    >>> feed = Feed(url=None, entries=tuple(Entry(link=f"http://a.example/{n}") for n in (9, 7, 6, 5)))
    >>> dropped_early(dict.fromkeys((f"a.example/{n}" for n in (8, 7, 6, 5)), ""), feed)
    ('a.example/8',)
    """
    now = dict.fromkeys(_as_named(canonical(entry.link), before, blog) for entry in feed.entries if entry.link)
    stayed = [key for key in before if key in now]
    if stayed != [key for key in now if key in before]:
        return ()
    behind, dropped = len(stayed), []
    for key in before:
        behind -= key in now
        if key not in now and behind >= LEAST_BEHIND:
            dropped.append(key)
    return tuple(dropped)


def _as_named(key: str, before: Mapping[str, str], blog: Blog | None) -> str:
    """An entry by the key that it had when the feed was read last."""
    if key in before or blog is None:
        return key
    return next((named for named in keys_elsewhere(key, blog) if named in before), key)


def merged_marks(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """All marks of entries, those of the feed as it is now first and in its order: what `dropped_early` needs."""
    return {**now, **{key: mark for key, mark in before.items() if key not in now}}


def note_dropped(blog: Blog, keys: Collection[str], work: CrawlRun, *, entries: Sequence[Entry] = ()) -> None:
    """Write down which posts left the feed early, those whose pages were seen to be there, once each.

    `entries` are what the feed has now: a post that it names by another address, or has no older ones of, did not.
    """
    if not keys:
        return
    archive, events = work.archive, []
    named = {_held(canonical(entry.link), blog, archive) for entry in entries if entry.link}
    for key in keys:
        held = _held(key, blog, archive)
        state = archive.posts.state(blog.id, held) if held is not None else None
        if held is None or state is None or state.is_missing or held in named:
            continue
        row = archive.urls.state(blog.id, key) or archive.urls.state(blog.id, held)
        if row is None or row[0] != "done" or _has_no_older(held, entries, archive) or _was_told(held, archive):
            continue
        reason = "removed from the feed while older posts are still in it; its page still exists"
        events.append(Event(blog_id=blog.id, post_id=state.id, kind="dropped", at=work.now(), reason=reason))
    archive.events.add(events)


def _held(key: str, blog: Blog, archive: Archive) -> str | None:
    return archive.posts.key(blog.id, key, *keys_elsewhere(key, blog))


def _was_told(held: str, archive: Archive) -> bool:
    return any(archive.events(post_url=f"http://{held}", kinds=["dropped"], limit=1))


def _has_no_older(held: str, entries: Sequence[Entry], archive: Archive) -> bool:
    """Whether a feed's dates say that too few of its entries are older: feeds may be sorted by their last change."""
    post = archive.posts.find(f"http://{held}", as_read=True)
    published = post.published if post is not None else None
    dates = [entry.published for entry in entries if entry.published is not None and entry.published.tzinfo is not None]
    if published is None or published.tzinfo is None or not dates:
        return False
    return sum(date < published for date in dates) < LEAST_BEHIND
