"""How often a feed wishes to be asked: `ttl`, `skipHours`, `skipDays` and the syndication module."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from everlog.feeds.xml_markup import Names, first_text, text_of
from everlog.records import FeedHints

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lxml import etree


_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_HOUR = 3600
_PERIODS = {
    "hourly": _HOUR, "daily": 24 * _HOUR, "weekly": 7 * 24 * _HOUR, "monthly": 30 * 24 * _HOUR,
    "yearly": 365 * 24 * _HOUR,
}
# Beyond this a number is a slip of somebody's keyboard, not a wish: two years of minutes.
_LARGEST = 2 * 365 * 24 * 60
_NUMBER = re.compile(r"[0-9]{1,7}")


def read_hints(names: Names, about: Mapping[str, Sequence[etree._Element]]) -> FeedHints | None:
    """What the children of a channel say; None where they say nothing that can be kept to.

    `sy:updateBase` is not read. It names the moments of an update, and the same ones for thousands of
    blogs (what WordPress wrote was noon of the first day of 2000): all who kept to it would come at once.
    """
    hints = FeedHints(
        ttl_minutes=_number(first_text(about.get("ttl", ()))),
        # Hours were counted from 1 to 24 before RSS 0.92: midnight has two names.
        skip_hours=_skipped((hour % 24 for hour in map(_hour, _inside(names, about, "skiphours", "hour"))
                             if hour is not None), of=24),
        skip_days=_skipped((_DAYS.index(day.lower()) for day in _inside(names, about, "skipdays", "day")
                            if day.lower() in _DAYS), of=7),
        period_seconds=_period(about),
    )
    return hints if hints != FeedHints() else None


def _skipped(values: Iterator[int], *, of: int) -> tuple[int, ...]:
    """What is skipped, in order. A feed that never wants to be asked was filled in by mistake."""
    found = tuple(sorted(set(values)))
    return found if len(found) < of else ()


def _inside(names: Names, about: Mapping[str, Sequence[etree._Element]], outer: str, inner: str) -> Iterator[str]:
    for element in about.get(outer, ()):
        for child in names.children(element).get(inner, ()):
            yield text_of(child) or ""


def _hour(text: str) -> int | None:
    return int(text) if _NUMBER.fullmatch(text) and int(text) <= 24 else None


def _number(text: str | None) -> int | None:
    """A number of something that is neither nothing nor beyond belief."""
    return int(text) if text and _NUMBER.fullmatch(text) and 0 < int(text) <= _LARGEST else None


def _period(about: Mapping[str, Sequence[etree._Element]]) -> float | None:
    """The seconds between two updates. The module's own defaults are daily, and once in that time."""
    said = first_text([*about.get("sy:updateperiod", ()), *about.get("updateperiod", ())])
    frequency = first_text([*about.get("sy:updatefrequency", ()), *about.get("updatefrequency", ())])
    if said is None and frequency is None:
        return None
    period = _PERIODS.get((said or "daily").lower())
    times = _number(frequency or "1")
    return period / times if period and times else None
