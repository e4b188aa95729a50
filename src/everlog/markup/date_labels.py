"""Dates that stand alone in an element, as the blog was seen to write them, of any month.

A label is cut by its words. Those of `<i>23 August 2023</i>` are known with their numbers made alike, `=i 0 august 0`;
a feed of three months teaches three names of months, and the posts of nine others would begin with their date.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from everlog.core.signatures import label

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Two dates of one spelling differ in the name of the month and that of the weekday.
_NAMES = 2
_YEAR = re.compile(r"(?:19|20)\d\d")
_DAY = re.compile(r"0?[1-9]|[12]\d|3[01]")
# A longer text is no date, and one that shows no number among its first letters neither.
_LONGEST = 60


class DateLabels:
    """Cut labels that have a day, a year and names, each written as `tag words`."""

    def __init__(self, labels: Iterable[str]) -> None:
        self.tags: dict[str, list[list[str]]] = {}
        for text in labels:
            tag, *spoken = text.split(" ")
            if spoken.count("0") == 2 and len(spoken) > 2:
                self.tags.setdefault(tag, []).append(spoken)

    @staticmethod
    def may_be(text: str | None) -> bool:
        """Whether an element whose text begins so may be a date; an element may hold its text in another."""
        text = (text or "").strip()
        return not text or (len(text) <= _LONGEST and any(map(str.isdigit, text)))

    def know(self, tag: str, spoken: Sequence[str]) -> bool:
        """Whether the words of an element are a date as one of the labels is.

        >>> dates = DateLabels(["i 0 november 0", "p monday november 0 0"])
        >>> dates.know("i", ["23", "august", "2023"]), dates.know("p", "friday may 5 2023".split())
        (True, True)
        >>> dates.know("i", ["23", "cats", "7"]), dates.know("b", ["23", "august", "2023"])
        (False, False)
        """
        shape = label(list(spoken)).split(" ")
        if shape.count("0") != 2 or not _is_day_and_year([word for word in spoken if word.isdigit()]):
            return False
        return any(_is_alike(shape, known) for known in self.tags.get(tag, ()))


def _is_day_and_year(numbers: Sequence[str]) -> bool:
    return any(_DAY.fullmatch(day) and _YEAR.fullmatch(year) for day, year in (numbers, numbers[::-1]))


def _is_alike(shape: Sequence[str], known: Sequence[str]) -> bool:
    pairs = list(zip(shape, known, strict=False))
    differing = [pair for pair in pairs if pair[0] != pair[1]]
    return len(shape) == len(known) and len(differing) <= _NAMES and not any("0" in pair for pair in differing)
