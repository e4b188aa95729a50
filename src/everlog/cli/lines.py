"""Lines for a terminal: what strangers wrote in them cannot steer it.

All that commands print, their errors and their logs go through `guarded_streams`. What the program itself steers a
terminal with, such as colours, goes around it: through `console`, or to the `unguarded` stream.
"""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO, cast

from everlog.cli.program import as_typed
from everlog.terminal import harmless, harmless_json

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from rich.console import Console


class Guarded:
    """A text stream that what is written to cannot steer; bytes that are written to its buffer stay what they are.

    With `advises`, the commands in what is said can be typed as they stand; data are left as they are.
    """

    def __init__(self, stream: TextIO, *, advises: bool = False) -> None:
        self.unguarded = stream
        self._advises = advises

    def write(self, text: str) -> int:
        self.unguarded.write(harmless(as_typed(text) if self._advises else text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unguarded, name)


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Meanwhile, nothing that is printed steers the terminal."""
    before = sys.stdout, sys.stderr
    sys.stdout = cast("TextIO", Guarded(before[0]))
    sys.stderr = cast("TextIO", Guarded(before[1], advises=True))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def unguarded(stream: TextIO) -> TextIO:
    """The stream itself, for texts that were made harmless and styled by us."""
    return stream.unguarded if isinstance(stream, Guarded) else stream


def console(*, stderr: bool = True, **options: Any) -> Console:
    """A console of rich's whose texts are harmless; what they look like is ours, not theirs."""
    from rich.console import Console

    class Harmless(Console):
        def render_str(self, text: str, **named: Any) -> Any:
            return super().render_str(harmless(as_typed(text) if stderr else text), **named)

    file = unguarded(sys.stderr if stderr else sys.stdout)
    return Harmless(file=file, **{"markup": False, "highlight": False, **options})


def json_text(value: Any, **options: Any) -> str:
    """A value as JSON, for programs and for terminals."""
    return harmless_json(json.dumps(value, **options))


def say(line: str) -> None:
    """Print one line, whatever is in it."""
    print(harmless(line).replace("\n", " ").rstrip())


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], *, left: Collection[str]) -> None:
    """Rows below their names, figures to the right. Ten thousand rows are too many for tables that fit themselves."""
    cells = [[column.replace("_", " ") for column in columns]]
    cells += [["-" if row[column] is None else harmless(str(row[column])) for column in columns]
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
