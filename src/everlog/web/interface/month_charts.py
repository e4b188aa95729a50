"""Charts of posts per month, as the measures of small drawings. Pure: templates draw them.

A chart is one small drawing a year, of twelve bars, all on one scale: they stand side by side on a wide screen and
below each other on a telephone, and no letter is ever scaled. Each is a link. The months of one year are drawn large,
on a scale of their own with their numbers; they are links themselves, wide enough for a finger.
"""

from __future__ import annotations

from calendar import Calendar
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from everlog.web.mementos.capture_times import MONTHS

if TYPE_CHECKING:
    from collections.abc import Mapping

# Of a year's drawing. A bar has at least as much height as can be seen beside one of a thousand posts.
HEIGHT, LEAST = 44, 2
# Of the largest month of the year that is drawn large, in pixels.
LARGE = 64
# Bars of the small drawing of a blog's whole life: more would be thinner than a pixel.
MOST_POINTS = 60
# With fewer bars than these the drawing ends early, rather than having bars as wide as a hand.
FEW_POINTS = 30
SPARK_HEIGHT = 24
# Shades of days in a calendar.
LEVELS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A month: the measures of its bar, and how it is read out."""

    month: str
    name: str
    posts: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class YearChart:
    """The bars of a year; months without posts have none."""

    year: str
    posts: int
    bars: tuple[Bar, ...]

    @property
    def path(self) -> str:
        """The bars of the small drawing, as one path.

        >>> year_charts({"2024-01": 4, "2024-03": 1})[0].path
        'M1 44v-44h8v44zM21 44v-11h8v11z'
        """
        places = ((10 * int(bar.month[5:7]) - 9, bar.height) for bar in self.bars)
        return "".join(f"M{x} {HEIGHT}v-{height}h8v{height}z" for x, height in places)

    def columns(self, link: str, chosen: str) -> Markup:
        """The twelve months, on a scale of their own: in a year of few posts, one of many others would leave nothing
        to see.

        `link` is what the address of a month begins with, `chosen` the month or day that the page is about.

        >>> [chart] = year_charts({"2024-05": 4})
        >>> chart.columns("?a=1&month=", "2024-05").splitlines()[4][:79]
        Markup('<a id="m-2024-05" href="?a=1&amp;month=2024-05" title="May 2024: 4 posts" aria-')
        """
        found = {int(bar.month[5:7]): bar for bar in self.bars}
        begin, most = escape(link), max(bar.posts for bar in self.bars)
        drawn = (
            _column(found[number], name[:3], begin, most, is_chosen=chosen[:7] == found[number].month)
            if number in found else f"<span><span>{name[:3]}</span></span>"
            for number, name in enumerate(MONTHS, start=1)
        )
        return Markup("\n".join(drawn))  # noqa: S704 - our own words and numbers, and a link that is escaped


@dataclass(frozen=True, slots=True, kw_only=True)
class Sparkline:
    """A blog's posts from its first month to its last: bars as x, y and height, and the same in words."""

    bars: tuple[tuple[int, int, int], ...]
    words: str

    @property
    def width(self) -> int:
        return 2 * max(len(self.bars), FEW_POINTS)

    @property
    def path(self) -> str:
        """All bars as one path: a rectangle for each made a page of 30 blogs three times as long.

        >>> Sparkline(bars=((0, 0, 24), (2, 24, 0), (4, 18, 6)), words="").path
        'M0 24v-24h1.6v24zM4 24v-6h1.6v6z'
        """
        return "".join(f"M{x} {SPARK_HEIGHT}v-{height}h1.6v{height}z" for x, _, height in self.bars if height)


def _column(bar: Bar, name: str, link: str, most: int, *, is_chosen: bool) -> str:
    words = f"{bar.name}: {bar.posts:,} post{'' if bar.posts == 1 else 's'}"
    chosen = ' aria-current="true"' if is_chosen else ""
    return (
        f'<a id="m-{bar.month}" href="{link}{bar.month}" title="{words}"{chosen}>'
        f'<span class="count" aria-hidden="true">{bar.posts:,}</span>'
        f'<svg viewBox="0 0 10 1" height="{max(LEAST, round(LARGE * bar.posts / most))}" preserveAspectRatio="none" '
        f'aria-hidden="true"><rect x="1" width="8" height="1"/></svg>'
        f'<span>{name}<span class="unseen"> {words.partition(" ")[2]}</span></span></a>'
    )


def year_charts(months: Mapping[str, int]) -> tuple[YearChart, ...]:
    """The years in which there are posts, the oldest first.

    >>> [chart] = year_charts({"": 3, "2024-05": 4, "2024-06": 1})
    >>> chart.posts, [(bar.name, bar.height) for bar in chart.bars]
    (5, [('May 2024', 44), ('June 2024', 11)])
    """
    most = max((posts for month, posts in months.items() if month), default=0)
    years: dict[str, list[Bar]] = {}
    for month, posts in sorted(months.items()):
        if month:
            height = max(LEAST, round(HEIGHT * posts / most))
            years.setdefault(month[:4], []).append(Bar(
                month=month, name=month_in_words(month), posts=posts, height=height,
            ))
    return tuple(
        YearChart(year=year, posts=sum(bar.posts for bar in bars), bars=tuple(bars)) for year, bars in years.items()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A day of a calendar; `level` is from 0 (no posts) to 4 (as many as on the best day of the year, four or more)."""

    day: str
    number: int
    name: str
    posts: int
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthGrid:
    """A month of a calendar: weeks of seven days, from Monday to Sunday; None is a day of another month."""

    month: str
    name: str
    posts: int
    weeks: tuple[tuple[Day | None, ...], ...]


def month_grids(year: str, days: Mapping[str, int], months: Mapping[str, int]) -> tuple[MonthGrid, ...]:
    """The twelve months of a year, with posts per day and per month.

    >>> may = month_grids("2024", {"2024-05-03": 2, "2024-05-04": 1}, {"2024-05": 3})[4]
    >>> may.name, may.posts, [day and (day.number, day.posts, day.level) for day in may.weeks[0]]
    ('May', 3, [None, None, (1, 0, 0), (2, 0, 0), (3, 2, 2), (4, 1, 1), (5, 0, 0)])
    """
    # A blog that never had two posts on a day has no dark days.
    most = max(LEVELS, *days.values()) if days else LEVELS
    grids = []
    for number, name in enumerate(MONTHS, start=1):
        month = f"{year}-{number:02}"
        weeks = []
        for week in Calendar().monthdayscalendar(int(year), number):
            row: list[Day | None] = []
            for day in week:
                key = f"{month}-{day:02}"
                posts = days.get(key, 0)
                row.append(Day(
                    day=key, number=day, name=f"{day} {name} {int(year)}", posts=posts,
                    level=-(-LEVELS * posts // most),
                ) if day else None)
            weeks.append(tuple(row))
        grids.append(MonthGrid(month=month, name=name, posts=months.get(month, 0), weeks=tuple(weeks)))
    return tuple(grids)


def sparkline(months: Mapping[str, int]) -> Sparkline | None:
    """The small drawing of a blog; None where no post has a date.

    >>> drawn = sparkline({"2024-05": 4, "2024-07": 1})
    >>> drawn.bars, drawn.words
    (((0, 0, 24), (2, 24, 0), (4, 18, 6)), 'Posts from May 2024 to July 2024, at most 4 a month')
    """
    dated = {_number(month): posts for month, posts in months.items() if month}
    if not dated:
        return None
    first, last = min(dated), max(dated)
    # So many months to a bar.
    span = -(-(last - first + 1) // MOST_POINTS)
    points = [0] * ((last - first) // span + 1)
    for number, posts in dated.items():
        points[(number - first) // span] += posts
    most = max(points)
    heights = [max(LEAST, round(SPARK_HEIGHT * posts / most)) if posts else 0 for posts in points]
    names = [month_in_words(month) for month in (min(filter(None, months)), max(months))]
    return Sparkline(
        bars=tuple((2 * place, SPARK_HEIGHT - height, height) for place, height in enumerate(heights)),
        words=f"Posts from {names[0]} to {names[1]}, at most {max(dated.values()):,} a month",
    )


def month_in_words(month: str) -> str:
    """A month, a year or a day for people.

    >>> month_in_words("2024-05"), month_in_words("0099"), month_in_words("2024-05-03")
    ('May 2024', '99', '3 May 2024')
    """
    year, *rest = month.split("-")
    day = [str(int(rest[1]))] if len(rest) > 1 else []
    return " ".join([*day, *(MONTHS[int(number) - 1] for number in rest[:1]), str(int(year))])


@lru_cache(maxsize=4_096)
def _number(month: str) -> int:
    return int(month[:4]) * 12 + int(month[5:7]) - 1
