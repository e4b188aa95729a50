"""Lines for a terminal: what strangers wrote in them cannot steer it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

# What a stranger wrote must not steer the reader's terminal, nor turn the order of what stands beside it.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def say(line: str) -> None:
    """Print one line, whatever is in it."""
    print(CONTROLS.sub("", line).replace("\n", " ").rstrip())


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], *, left: Collection[str]) -> None:
    """Rows below their names, figures to the right. Ten thousand rows are too many for tables that fit themselves."""
    cells = [[column.replace("_", " ") for column in columns]]
    cells += [["-" if row[column] is None else CONTROLS.sub("", str(row[column])) for column in columns]
              for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        padded = (
            text.ljust(width) if column in left else text.rjust(width)
            for text, width, column in zip(line, widths, columns, strict=True)
        )
        say("  ".join(padded))


def more(count: int, shown: int, *, verbose: bool) -> None:
    """Say how many were left out, if any."""
    if count > shown and not verbose:
        say(f"  and {count - shown} more (-v shows all)")


def time_or_none(moment: datetime | None) -> str | None:
    """A time for programs and people: UTC, to the second."""
    return moment.isoformat(timespec="seconds") if moment else None


def time_of(moment: datetime | None) -> str:
    """The same, where there must be something to read."""
    return time_or_none(moment) or "?"
