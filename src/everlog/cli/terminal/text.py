"""Lines for a terminal: what strangers wrote in them cannot steer it.

All that commands print, their errors and their logs go through `guarded_streams`. What the program itself steers a
terminal with, such as colours, goes around it: through `console`, or to the `unguarded` stream.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TextIO, cast

from everlog.cli.program import as_typed
from everlog.core.terminal import harmless, harmless_json

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from rich.console import Console, RenderableType


# Up to here people count back; of older times they want the date ("93 days ago" is worked out in the head).
DATES_BEYOND = timedelta(days=60)

# Of a terminal that does not say how wide it is.
USUAL_COLUMNS = 80


class Guarded:
    """A text stream that what is written to cannot steer; bytes that are written to its buffer stay what they are.

    With `advises`, the commands in what is said can be typed as they stand; data are left as they are.
    """

    def __init__(self, stream: TextIO, *, advises: bool = False) -> None:
        self.unguarded = stream
        self._advises = advises

    def write(self, text: str) -> int:
        clear_opening()
        self.unguarded.write(harmless(as_typed(text) if self._advises else text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unguarded, name)


class Talk(Guarded):
    """The same for stderr; what cannot be said there, because its disk is full or nobody listens, stops no work."""

    def write(self, text: str) -> int:
        with suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self.unguarded.flush()


class Styled(Talk):
    """The same for texts that were made harmless and styled by us."""

    def write(self, text: str) -> int:
        with suppress(OSError):
            self.unguarded.write(text)
        return len(text)


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Meanwhile, nothing that is printed steers the terminal."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = cast("TextIO", Guarded(before[0])), cast("TextIO", Talk(before[1], advises=True))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def unguarded(stream: TextIO) -> TextIO:
    """The stream itself, for texts that were made harmless and styled by us."""
    clear_opening()
    return stream.unguarded if isinstance(stream, Guarded) else stream


def console(*, stderr: bool = True, **options: Any) -> Console:
    """A console of rich's whose texts are harmless; what they look like is ours, not theirs."""
    from rich.console import Console

    class Harmless(Console):
        def render_str(self, text: str, **named: Any) -> Any:
            return super().render_str(harmless(as_typed(text) if stderr else text), **named)

    # Left to itself, rich ends the program where nobody listens.
    file = cast("TextIO", Styled(unguarded(sys.stderr))) if stderr else unguarded(sys.stdout)
    return Harmless(file=file, **{"markup": False, "highlight": False, **options})


class _Opening:
    """The line that stands on the terminal while the program is being loaded."""

    on: TextIO | None = None
    text: str = ""


def open_with(text: str, *, quiet: bool = False) -> None:
    """Say at once what was begun: before anything is loaded that takes a second.

    On a terminal the line makes way for the next thing that is said, whatever it is; elsewhere it stays.
    """
    stream = sys.stderr.unguarded if isinstance(sys.stderr, Guarded) else sys.stderr
    if quiet or _Opening.on is not None:
        return
    _Opening.text = harmless(text)
    if not is_live(stream):
        print(_Opening.text, file=cast("TextIO", Styled(stream)), flush=True)
        return
    # Not into the last column: some terminals begin a new line there. Addresses are what may be long, and here, where
    # nothing may be loaded, letters are counted and not columns: a wide letter takes at most two of them.
    room = (os.get_terminal_size(stream.fileno()).columns or USUAL_COLUMNS) - 1
    whole = _Opening.text
    shown = whole if 2 * len(whole) <= room or (whole.isascii() and len(whole) <= room) else _cut(whole, room)
    stream.write(shown)
    stream.flush()
    _Opening.on = stream


def _cut(text: str, room: int) -> str:
    return text[: (room if text.isascii() else room // 2) - 3] + "..."


def clear_opening() -> None:
    """Take the opening line away, if it still stands there."""
    stream, _Opening.on = _Opening.on, None
    if stream is not None:
        stream.write("\r\x1b[2K")
        stream.flush()


def opening_text() -> str:
    """What was said first, for who shows it until there is more to say."""
    return _Opening.text


def is_live(stream: TextIO) -> bool:
    """Whether lines of a stream can be taken back: it is a terminal that knows how."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def live_part(
    renderable: Callable[[], RenderableType], *, screen: Console, per_second: float,
) -> Iterator[None]:
    """The lowest lines of the terminal, drawn again and again; what is printed meanwhile stands above them."""
    from rich.live import Live

    with Live(
        get_renderable=renderable, console=screen, refresh_per_second=per_second, transient=True,
        redirect_stdout=sys.stdout.isatty(),
    ), guarded_above():
        yield


@contextmanager
def guarded_above() -> Iterator[None]:
    """Meanwhile, what is printed above live lines does not steer the terminal either: rich has its own way there.

    Data that goes to a file or a pipe must not: whoever makes the live lines leaves such a stdout alone.
    """
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (
        stream if isinstance(stream, Guarded) else cast("TextIO", Guarded(stream)) for stream in before
    )
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def shortened(text: str, width: int) -> str:
    """The text, cut in its middle where it is wider: of an address, the host and the last word say most.

    >>> shortened("a.blog.example/archive/2024/05/the-night-train", 30)
    'a.blog.example...e-night-train'
    """
    if len(text) <= width:
        return text
    kept = max(0, width - 3)
    return text[: kept - kept // 2] + "..."[:width] + text[len(text) - kept // 2 :]


def json_text(value: Any, **options: Any) -> str:
    """A value as JSON, for programs and for terminals."""
    return harmless_json(json.dumps(value, **options))


def say(line: str) -> None:
    """Print one line, whatever is in it."""
    print(harmless(line).replace("\n", " ").rstrip())


def table(
    rows: Iterable[Mapping[str, Any]], columns: Sequence[str], *, left: Collection[str], indent: str = "",
) -> None:
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
        say(indent + "  ".join(padded))


def more(count: int, shown: int, *, verbose: bool) -> None:
    """Say how many were left out, if any."""
    if count > shown and not verbose:
        say(f"  and {count - shown} more (-v shows all)")


def time_or_none(moment: datetime | None) -> str | None:
    """A time for programs and people: UTC, to the second."""
    return moment.isoformat(timespec="seconds") if moment else None


def ago(moment: datetime, now: datetime) -> str:
    """A time for people: how long ago it was or when it will be; the date, if that is more than about two months.

    >>> now = datetime(2026, 7, 15, 12, 0, tzinfo=UTC)
    >>> [ago(now - timedelta(seconds=seconds), now) for seconds in (0, 59, 60, 3599, 7300)]
    ['just now', 'just now', '1 min ago', '59 min ago', '2 h ago']
    >>> [ago(now - timedelta(hours=hours), now) for hours in (47, 48, 24 * 60, 24 * 61)]
    ['47 h ago', '2 days ago', '60 days ago', '2026-05-15']
    >>> [ago(now + timedelta(seconds=seconds), now) for seconds in (30, 240, 4 * 3600, 3 * 86400, 70 * 86400)]
    ['in less than 1 min', 'in 4 min', 'in 4 h', 'in 3 days', '2026-09-23']
    """
    distance = abs(moment - now)
    if distance > DATES_BEYOND:
        return moment.astimezone(UTC).strftime("%Y-%m-%d")
    if distance < timedelta(minutes=1):
        return "just now" if moment <= now else "in less than 1 min"
    if distance < timedelta(hours=1):
        length = f"{distance // timedelta(minutes=1)} min"
    elif distance < timedelta(days=2):
        length = f"{distance // timedelta(hours=1)} h"
    else:
        length = f"{distance.days} days"
    return f"{length} ago" if moment <= now else f"in {length}"
