"""Posts per year as bars of text: held, excused and missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everlog.history.completeness.verdict import Gap

# Letters beside the bars would be read for figures; these three differ in any font, and without colours.
HELD, EXCUSED, MISSING = "█", "▒", "░"
NO_YEAR = "undated"
# Fewer columns show no differences; more make the eye travel.
LEAST_BAR, MOST_BAR = 8, 50
# So many years without a post in a row are shown; more are one line. One wrong date makes a century of them.
MOST_EMPTY = 5
FOLDED = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class YearCount:
    """The posts of one year; None: those whose year nobody says."""

    year: int | None
    held: int = 0
    excused: int = 0
    missing: int = 0

    @property
    def total(self) -> int:
        return self.held + self.excused + self.missing

    @property
    def label(self) -> str:
        return NO_YEAR if self.year is None else str(self.year)


def years_of(
    held: Mapping[int | None, int], *, excused: Sequence[Gap] = (), missing: Sequence[Gap] = (),
) -> tuple[YearCount, ...]:
    """The years of a blog in their order, without gaps between them; posts without a year come last.

    `held` counts what is held in part as well, which is drawn as what it is among the others.

    >>> from everlog.history.completeness.verdict import Gap
    >>> [(each.label, each.held, each.missing) for each in years_of({2019: 3, 2021: 1, None: 2},
    ...                                                            missing=[Gap(url="x", reason="", year=2021)])]
    [('2019', 3, 0), ('2020', 0, 0), ('2021', 1, 1), ('undated', 2, 0)]
    """
    away, lost = Counter(gap.year for gap in excused), Counter(gap.year for gap in missing)
    in_part = Counter(gap.year for gap in (*excused, *missing) if gap.is_in_part)
    held = {year: max(0, count - in_part[year]) for year, count in held.items()}
    known = [year for year in {*held, *away, *lost} if year is not None]
    years: list[int | None] = list(range(min(known), max(known) + 1)) if known else []
    if held.get(None) or away[None] or lost[None]:
        years.append(None)
    return tuple(
        YearCount(year=year, held=held.get(year, 0), excused=away[year], missing=lost[year]) for year in years
    )


def folded(years: Sequence[YearCount]) -> list[YearCount | None]:
    """The years with None in place of many in a row that have no post.

    >>> [year and year.label for year in folded(years_of({1912: 1, 2019: 1, 2021: 1}))]
    ['1912', None, '2019', '2020', '2021']
    """
    shown: list[YearCount | None] = []
    for is_empty, run in groupby(years, key=lambda year: not year.total):
        row = list(run)
        shown += [None] if is_empty and len(row) > MOST_EMPTY else row
    return shown


def bar_lines(years: Sequence[YearCount], width: int) -> list[str]:
    """A line a year, and below them what the signs mean; no line is wider than `width`, unless that is very narrow.

    >>> from everlog.history.completeness.verdict import Gap
    >>> print("\\n".join(bar_lines(years_of({2019: 30, 2020: 15}, missing=[Gap(url="x", reason="", year=2020)]), 40)))
    2019  ██████████████████████████████  30
    2020  ███████████████░                16
    █ held  ░ missing
    """
    if not years:
        return []
    most = max(year.total for year in years)
    labels = max(len(year.label) for year in years)
    numbers = len(f"{most:,}")
    room = min(max(width - labels - numbers - 4, LEAST_BAR), MOST_BAR, max(most, 1))
    lines = [
        FOLDED if year is None
        else f"{year.label:<{labels}}  {_bar(year, most, room):<{room}}  {year.total:>{numbers},}"
        for year in folded(years)
    ]
    shown = ((HELD, "held", True), (EXCUSED, "excused", any(year.excused for year in years)),
             (MISSING, "missing", any(year.missing for year in years)))
    return [*lines, "  ".join(f"{sign} {word}" for sign, word, is_there in shown if is_there)]


def _bar(year: YearCount, most: int, room: int) -> str:
    """One bar; whatever there is shows, however little."""
    parts = ((HELD, year.held), (EXCUSED, year.excused), (MISSING, year.missing))
    sizes = [0 if not count else max(1, round(count * room / most)) for _, count in parts]
    while sum(sizes) > room:
        sizes[sizes.index(max(sizes))] -= 1
    return "".join(sign * size for (sign, _), size in zip(parts, sizes, strict=True))
