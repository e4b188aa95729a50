"""A crawl's progress on stderr: live lines on a terminal, one line every few seconds elsewhere."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from everlog.cli.lines import console

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from everlog.flow.report import Tally

LINE_EVERY_SECONDS = 5.0


@contextmanager
def crawl_display(*, quiet: bool = False) -> Iterator[Callable[[Tally], None]]:
    """Gives a function to announce each crawl's tally with; it is shown until the block ends."""
    tallies: list[Tally] = []
    if quiet:
        yield tallies.append
    elif sys.stderr.isatty():
        from rich.live import Live

        with Live(get_renderable=lambda: _lines(tallies, datetime.now(UTC)), console=console(), refresh_per_second=4,
                  transient=True):
            yield tallies.append
    else:
        done = threading.Event()
        thread = threading.Thread(target=_print_lines, args=(tallies, done), daemon=True)
        thread.start()
        try:
            yield tallies.append
        finally:
            done.set()
            thread.join()


def line_of(tally: Tally, now: datetime) -> str:
    """One crawl in one line: what, how many, how fast, what it waits for."""
    parts = [f"{tally.blog}  {tally.doing}: {tally.held} posts held, {tally.pages} other pages"]
    if tally.media or tally.waiting_media:
        parts.append(f"{tally.media} media ({tally.waiting_media} waiting)")
    if tally.comments:
        parts.append(f"{tally.comments} comments")
    if tally.rendered:
        parts.append(f"{tally.rendered} drawn in the browser")
    if tally.missing:
        parts.append(f"{tally.missing} missing")
    if tally.waiting_pages:
        parts.append(f"{tally.waiting_pages} pages waiting")
    if tally.rate:
        parts.append(f"{tally.rate:.1f} pages/s")
    if tally.eta_seconds:
        parts.append(f"about {_span(tally.eta_seconds)} left")
    text = ", ".join(parts)
    long = [wait for wait in tally.waits if (wait.until - now).total_seconds() > 1]
    if long:
        wait = max(long, key=lambda each: each.until)
        text += f"; waiting {_span((wait.until - now).total_seconds())} for {wait.host} ({wait.why})"
    return text


def _lines(tallies: list[Tally], now: datetime) -> str:
    return "\n".join(line_of(tally, now) for tally in tallies if tally.doing != "done")


def _print_lines(tallies: list[Tally], done: threading.Event) -> None:
    while not done.wait(LINE_EVERY_SECONDS):
        text = _lines(tallies, datetime.now(UTC))
        if text:
            print(text, file=sys.stderr, flush=True)


def _span(seconds: float) -> str:
    """A length of time for people.

    >>> _span(7), _span(90), _span(7300)
    ('7 s', '1 min 30 s', '2 h 1 min')
    """
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
