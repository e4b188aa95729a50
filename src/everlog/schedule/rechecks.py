"""When the page of a post is looked at again although no feed speaks of it: edits, late comments, deletions.

Posts change soon after they were written or not for years, so the looks are further and further apart: a day after
the post was found (or last changed), two, four, eight days, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice

FIRST = timedelta(days=1)
# The looks of one blog at one time: what a reader of its archive asks for in an hour.
MOST_AT_ONCE = 20
# How much a look may be earlier or later, so that posts which were found together do not stay together.
JITTER = 0.1
_GOLDEN = 0.618033988749895


def next_recheck(changed: datetime, now: datetime, most: timedelta, *, number: int = 0) -> datetime:
    """When a post that is looked at now is looked at again; `changed` is when it was found or last changed.

    >>> from datetime import UTC
    >>> found = datetime(2024, 5, 1, tzinfo=UTC)
    >>> gaps = [next_recheck(found, found + timedelta(days=day), timedelta(days=90)) - found for day in (0, 1, 2, 400)]
    >>> [gap.days for gap in gaps]
    [0, 1, 3, 481]
    """
    gap = min(max(now - changed, FIRST), max(most, FIRST))
    # The golden ratio spreads numbers that follow each other as evenly as can be.
    return now + gap * (1 - JITTER + 2 * JITTER * (number * _GOLDEN % 1))


def first_rechecks(found: datetime, now: datetime, most: timedelta, count: int) -> Iterator[datetime]:
    """When posts that were never planned are looked at first, the newest first.

    Some are looked at a day after they were found. Of a whole blog that was just crawled the rest waits: spread
    evenly over the longest time, so that it comes due as it will be looked at from then on, a few a day.

    >>> from datetime import UTC
    >>> day = datetime(2024, 5, 1, tzinfo=UTC)
    >>> planned = list(first_rechecks(day, day, timedelta(days=90), 1000))
    >>> sum(moment <= day + timedelta(days=1) for moment in planned), max(planned) - day
    (20, datetime.timedelta(days=91))
    """
    soon = max(found + FIRST, now)
    yield from islice((soon for _ in range(count)), MOST_AT_ONCE)
    rest = count - MOST_AT_ONCE
    yield from (soon + most * (place / rest) for place in range(1, rest + 1))
