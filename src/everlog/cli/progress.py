"""Progress on stderr: a bar on a terminal, a line every few seconds elsewhere, nothing if quiet."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from everlog.cli.lines import console
from everlog.terminal import harmless

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LINE_EVERY_SECONDS = 5.0


@contextmanager
def progress(total: int, what: str, *, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Gives a function to call, with a few words on how it goes, after each of `total` steps."""
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        yield from _bar(total, what)
    else:
        yield _lines(total, what)


def _bar(total: int, what: str) -> Iterator[Callable[[str], None]]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        TextColumn("{task.fields[note]}", markup=False),
    )
    with Progress(*columns, console=console(), transient=True) as bar:
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
