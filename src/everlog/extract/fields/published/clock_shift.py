"""How far the clock of a blog's pages is from the clock of its feed.

Pages show local time, often without saying so, or call it UTC; feeds know better. The feed's own
posts tell the difference, and with it the moment of every other post.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, timezone

    from everlog.dates.stamps import Stamp

# Offsets of the world are multiples of a quarter of an hour.
_QUARTER = 15
# Pages that show no seconds, and feeds written a moment later.
_SLACK_MINUTES = 2
# Summer time moves a clock by this much.
_SUMMER = 60
_FARTHEST = 14 * 60
# Fewer than this share of agreement means that the two clocks are not of the same event.
_AGREEMENT = 0.6


def learn_shift(pairs: Sequence[tuple[Stamp, datetime]], offset: timezone) -> tuple[int, ...]:
    """Minutes to add to what pages show, one for the whole year or one a month; none where there is no need.

    >>> from datetime import UTC, date, datetime, time
    >>> from everlog.dates.stamps import Stamp
    >>> shown = [Stamp(date(2019, 1, day), time(20)) for day in (1, 2, 3)]
    >>> said = [datetime(2019, 1, day, 1, tzinfo=UTC) for day in (2, 3, 4)]
    >>> learn_shift(list(zip(shown, said)), UTC)
    (300,)
    """
    shifts = [
        (stamp.day.month, _shift(stamp, moment, offset)) for stamp, moment in pairs if stamp.clock is not None
    ]
    counts = Counter(shift for _, shift in shifts if shift is not None)
    if not counts:
        return ()
    common = counts.most_common(1)[0][0]
    season = [
        (month, shift) for month, shift in shifts if shift is not None and abs(shift - common) in {0, _SUMMER}
    ]
    if len(season) < max(2, _AGREEMENT * len(shifts)):
        return ()
    values = tuple(_in_month(month, season) for month in range(1, 13))
    if len(set(values)) == 1:
        return values[:1] if common else ()
    return values


def tells_otherwise(pairs: Sequence[tuple[Stamp, datetime]]) -> bool:
    """Whether page and feed state different offsets for the same moments, the feed one for all.

    Then the feed's is taken: its posts and those read from pages are one series.

    >>> from datetime import UTC, date, datetime, time, timedelta, timezone
    >>> from everlog.dates.stamps import Stamp
    >>> shown = Stamp(date(2019, 1, 1), time(20), timezone(timedelta(hours=-5)))
    >>> tells_otherwise([(shown, datetime(2019, 1, 2, 1, tzinfo=UTC))])
    True
    """
    stated = [(stamp, moment) for stamp, moment in pairs if stamp.offset is not None]
    differing = sum(stamp.moment().utcoffset() != moment.utcoffset() for stamp, moment in stated)
    offsets = {moment.utcoffset() for _, moment in pairs}
    return len(offsets) == 1 and differing > _AGREEMENT * len(stated)


def _shift(stamp: Stamp, moment: datetime, offset: timezone) -> int | None:
    minutes = (moment - stamp.moment(offset)).total_seconds() / 60
    nearest = round(minutes / _QUARTER) * _QUARTER
    return nearest if abs(minutes - nearest) <= _SLACK_MINUTES and abs(nearest) <= _FARTHEST else None


def _in_month(month: int, season: Sequence[tuple[int, int]]) -> int:
    """The shift of the nearest months that are known."""
    weights: Counter[int] = Counter()
    for known, shift in season:
        apart = abs(known - month)
        weights[shift] += 4 ** (6 - min(apart, 12 - apart))
    return weights.most_common(1)[0][0]
