"""Choice of captures: which of those that a web archive lists of a page are worth a request.

    pages_of           captures that may be a page, each state of it once, the oldest first
    next_to_try        of a page that is not held: the capture to ask for next, by what came of those before
    earlier_versions   of a post that is held: some captures from before it was first read
    shared_digests     what stands at several addresses alike, and so is none of their posts
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from everlog.core.urls import canonical

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.history.memento.memento_lines import Memento

HTML = frozenset({"text/html", "application/xhtml+xml", None})
OK = frozenset({200, None})
# The same bytes at so many addresses are a page that says that there is none, or a domain that is for sale. Two may
# well be one post with a short address.
SHARED_BY = 3
# Requests for a page that the newest capture does not show. The last state before a domain died is found among 30
# captures by the newest, the oldest and five in between.
MOST_TRIED = 7


def pages_of(captures: Iterable[Memento], *, besides: Collection[str] = ()) -> tuple[Memento, ...]:
    """Captures that may show a page, the oldest first; of those with equal bytes only the oldest.

    Redirects, errors, pictures and digests of `besides` are left out.
    """
    found: dict[str, Memento] = {}
    for each in sorted(captures, key=lambda each: (each.stamp, each.is_revisit)):
        is_page = each.status in OK and (each.media_type in HTML or each.is_revisit)
        if is_page and (each.digest is None or each.digest not in besides):
            found.setdefault(each.digest or each.stamp, each)
    return tuple(sorted(found.values(), key=lambda each: each.stamp))


def next_to_try(count: int, tried: Mapping[int, bool]) -> int | None:
    """Which of so many captures, in the order of time, to ask for next; None when that is enough.

    `tried` says of those that were asked for whether they show the post. The newest one that does is wanted, and what
    a dead domain showed later is of no use: the newest capture is tried, the oldest, then halves in between.

    >>> next_to_try(30, {}), next_to_try(30, {29: True}), next_to_try(30, {29: False})
    (29, None, 0)
    >>> next_to_try(30, {29: False, 0: True}), next_to_try(30, {29: False, 0: True, 14: True})
    (14, 21)
    """
    if not count or len(tried) >= MOST_TRIED:
        return None
    good = [place for place, is_post in tried.items() if is_post]
    if count - 1 not in tried:
        return count - 1
    if not good and 0 not in tried:
        return 0
    if good:
        low = max(good)
        high = min((place for place in tried if place > low), default=low + 1)
        middle = (low + high) // 2
        return middle if low < middle < high else None
    # Neither end shows it: the widest gap is looked into.
    places = sorted(tried)
    wide, left = max(((right - left, -left) for left, right in pairwise(places)), default=(0, 0))
    return -left + wide // 2 if wide > 1 else None


def earlier_versions(
    pages: Sequence[Memento], *, before: datetime, most: int, known: Collection[str] = (),
) -> tuple[Memento, ...]:
    """Captures from before a moment, at most so many: the oldest, and others spread over the time until then.

    `known` are the stamps of captures that were taken already, which count.
    """
    past = [each for each in pages if each.captured_at < before]
    if not past or most <= 0:
        return ()
    chosen = past
    if len(past) > most:
        step = (len(past) - 1) / max(1, most - 1) if most > 1 else 0
        chosen = [past[round(number * step)] for number in range(most)]
    return tuple(each for each in chosen if each.stamp not in known)


def shared_digests(captures: Iterable[Memento]) -> frozenset[str]:
    """Digests that stand at several addresses: soft errors, parked domains, and what else is not of one post."""
    places: dict[str, set[str]] = defaultdict(set)
    for each in captures:
        if each.digest is not None and each.media_type in HTML and len(places[each.digest]) < SHARED_BY:
            places[each.digest].add(canonical(each.url))
    return frozenset(digest for digest, keys in places.items() if len(keys) >= SHARED_BY)
