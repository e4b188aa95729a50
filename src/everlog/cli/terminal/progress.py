"""Progress on stderr: a bar on a terminal, a line every few seconds elsewhere, nothing if quiet."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from everlog.cli.terminal.crawl_progress import BAR_WIDTH, LEAST_WIDTH_WITH_BAR
from everlog.cli.terminal.text import console, guarded_above, is_live, shortened, unguarded
from everlog.core.terminal import harmless

LINE_EVERY_SECONDS = 5.0


@contextmanager
def progress(total: int, what: str, *, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Gives a function to call, with a few words on how it goes, after each of `total` steps."""
    if quiet:
        yield lambda _: None
    elif is_live(unguarded(sys.stderr)):
        yield from _bar(total, what)
    else:
        yield _lines(total, what)


def _bar(total: int, what: str) -> Iterator[Callable[[str], None]]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    def whole() -> Column:
        return Column(no_wrap=True)

    screen = console()
    # The figures come first and are never cut: what is done, and what was done last, take what is left of the line.
    columns: list[ProgressColumn] = [MofNCompleteColumn(table_column=whole())]
    room = Column(ratio=1, no_wrap=True, overflow="ellipsis")
    if screen.width >= LEAST_WIDTH_WITH_BAR:
        label = TextColumn(harmless(shortened(what, screen.width // 3)), markup=False, table_column=whole())
        note = TextColumn("{task.fields[note]}", markup=False, table_column=room)
        bar_column = BarColumn(bar_width=BAR_WIDTH, table_column=whole())
        columns += [label, bar_column, TimeElapsedColumn(table_column=whole()), note]
    else:
        columns += [TextColumn(harmless(what), markup=False, table_column=room)]
    bar = Progress(
        *columns, console=screen, transient=True, expand=True, redirect_stdout=sys.stdout.isatty(),
    )
    with bar, guarded_above():
        task = bar.add_task(what, total=total, note="")
        yield lambda note: bar.update(task, advance=1, note=harmless(note))


def _lines(total: int, what: str) -> Callable[[str], None]:
    done, last = 0, time.monotonic()

    def step(note: str) -> None:
        nonlocal done, last
        done += 1
        now = time.monotonic()
        if now - last >= LINE_EVERY_SECONDS:
            last = now
            print(f"{done} of {total} {what}  {note}", file=sys.stderr, flush=True)

    return step
