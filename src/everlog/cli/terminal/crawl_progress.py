"""A crawl's progress on stderr: live lines on a terminal, one line every few seconds elsewhere."""

from __future__ import annotations

import sys
import textwrap
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from everlog.cli.terminal.text import console, is_live, live_part, opening_text, shortened, unguarded
from everlog.core.terminal import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Group, RenderableType

    from everlog.usecases.crawl.report import Tally

LINE_EVERY_SECONDS = 5.0
# A step that is over sooner need not say how long it takes; nor is a wait that is over by the time it is read worth it.
WORTH_SAYING_SECONDS = 2.0
LEAST_WAIT_SECONDS = 1.0
STOPPING = "stopping: storing what was fetched; press Ctrl-C again to stop at once"
VISITING = "fetching pages"
# Lines of figures for one blog: at 40 columns these hold all but the least important; four blogs fit on any screen.
FIGURE_LINES = 2
BAR_WIDTH = 20
# Below this many columns the bar would take the place of figures, which say more.
LEAST_WIDTH_WITH_BAR = 60
# An address is cut in its middle rather than put on a line of its own, as long as so much of it can be read.
LEAST_ADDRESS = 16
MARGIN = "  "


class CrawlDisplay:
    """What is shown of the crawls of one run; called with each one's tally as it begins."""

    def __init__(self) -> None:
        self.tallies: list[Tally] = []
        self.is_stopping = False
        # Ends the thread that prints lines; or has it print one now.
        self.over = False
        self.wake = threading.Event()
        self._steps: dict[int, tuple[str, float]] = {}

    def __call__(self, tally: Tally) -> None:
        self.tallies.append(tally)

    def stop(self) -> None:
        """The user wants to stop: say so now. Called by a signal's handler, so it does nothing itself."""
        self.is_stopping = True
        self.wake.set()

    def shown(self) -> list[tuple[Tally, float]]:
        """The crawls that are under way, and for how many seconds each is at its present step."""
        now = time.monotonic()
        shown = []
        for tally in tuple(self.tallies):
            doing, since = self._steps.get(id(tally), ("", now))
            if doing != tally.doing:
                self._steps[id(tally)] = tally.doing, (since := now)
            if tally.doing != "done":
                shown.append((tally, now - since))
        return shown


@contextmanager
def crawl_display(*, quiet: bool = False) -> Iterator[CrawlDisplay]:
    """Gives what to announce each crawl's tally with; it is shown until the block ends."""
    display = CrawlDisplay()
    if quiet:
        yield display
    elif is_live(unguarded(sys.stderr)):
        # What is printed above is not wrapped by us: addresses in it can be copied.
        screen = console(soft_wrap=True)
        with live_part(lambda: _renderable(display, datetime.now(UTC), screen.width), screen=screen, per_second=4):
            yield display
    else:
        thread = threading.Thread(target=_print_lines, args=(display,), daemon=True)
        thread.start()
        try:
            yield display
        finally:
            display.over = True
            display.wake.set()
            thread.join()


def line_of(tally: Tally, now: datetime, *, step_seconds: float = 0.0) -> str:
    """One crawl in one line, however long: what, how many, how fast, what it waits for.

    >>> from everlog.records.figures import Figures
    >>> from everlog.usecases.crawl.report import Tally
    >>> now = Figures(posts=60, comments=451)
    >>> tally = Tally(blog="https://a.blog.example/", doing="fetching pages", now=now, expected=88)
    >>> line_of(tally, datetime(2026, 5, 1, tzinfo=UTC))
    'a.blog.example  fetching pages: 60 of 88 posts, 451 comments'
    """
    figures = ", ".join(part for _, part in _figures(tally))
    wait = _waiting(tally, now)
    return (
        f"{_address(tally.blog)}  {_step(tally, step_seconds)}"
        + (f": {figures}" if figures else "") + (f"; {' '.join(wait)}" if wait else "")
    )


def lines_of(tally: Tally, now: datetime, width: int, *, step_seconds: float = 0.0) -> list[str]:
    """The same for a terminal: no line is wider than it, no figure is broken, the least important are left out.

    >>> from everlog.records.figures import Figures
    >>> from everlog.usecases.crawl.report import Tally
    >>> now = Figures(posts=60, comments=451)
    >>> tally = Tally(blog="https://a.blog.example/", doing="fetching pages", now=now, expected=88)
    >>> lines_of(tally, datetime(2026, 5, 1, tzinfo=UTC), 40)
    ['a.blog.example  fetching pages', '  60 of 88 posts, 451 comments']
    """
    step = _step(tally, step_seconds)
    room = width - len(step) - len(MARGIN)
    address = _address(tally.blog)
    if len(address) <= room or room >= LEAST_ADDRESS:
        lines = [f"{shortened(address, room)}{MARGIN}{step}"]
    else:
        lines = [shortened(address, width), shortened(MARGIN + step, width)]
    lines += [MARGIN + line for line in flowed(_figures(tally), width - len(MARGIN), FIGURE_LINES)]
    wait = _waiting(tally, now)
    if wait:
        whole = " ".join(wait)
        lines.append(MARGIN + shortened(whole if len(whole) <= width - len(MARGIN) else wait[0], width - len(MARGIN)))
    return lines


def flowed(parts: Sequence[tuple[int, str]], width: int, most_lines: int) -> list[str]:
    """Parts in lines, none of them broken; as many of the most important (the smallest numbers) as fit.

    >>> flowed([(0, "60 of 88 posts"), (2, "451 comments"), (1, "3 missing")], 30, 1)
    ['60 of 88 posts, 3 missing']
    """
    for least in sorted({rank for rank, _ in parts}, reverse=True):
        lines: list[str] = []
        for rank, part in parts:
            if rank > least:
                continue
            if lines and len(lines[-1]) + len(part) + 2 <= width:
                lines[-1] += f", {part}"
            else:
                lines.append(part)
        if len(lines) <= most_lines and all(len(line) <= width for line in lines):
            return lines
    return []


def _figures(tally: Tally) -> list[tuple[int, str]]:
    """What is held, is missing, and how fast it goes; each with its rank, the most important first."""
    if not (tally.now.posts or tally.visited):
        return []
    posts = f"{tally.now.posts} of {tally.expected} posts" if tally.expected else counted(tally.now.posts, "post")
    seconds_left = tally.eta_seconds or 0.0
    parts: list[tuple[int, str | None]] = [
        (0, posts),
        (3, counted(tally.now.comments, "comment") if tally.now.comments else None),
        (4, f"{tally.now.media} of {tally.now.media_wanted} media" if tally.now.media_wanted else None),
        (1, f"{counted(tally.now.missing, 'page')} missing" if tally.now.missing else None),
        (2, f"{tally.now.media_missing} media missing" if tally.now.media_missing else None),
        (5, f"about {_span(seconds_left)} left" if seconds_left >= 1 else None),
        (6, f"{tally.rate:.1f} pages/s" if tally.rate else None),
        (7, f"{counted(tally.now.waiting_pages, 'other page')} waiting" if tally.now.waiting_pages else None),
        (8, f"{tally.rendered} rendered in a browser" if tally.rendered else None),
    ]
    now = tally.now
    if now.waiting_requisites:
        design = f"{now.requisites_wanted - now.waiting_requisites} of {now.requisites_wanted} design files"
        # Once no page waits, this is the figure that moves.
        is_all = not (now.waiting_posts or now.waiting_pages)
        parts.insert(0 if is_all else len(parts), (0 if is_all else 9, design))
    return [(rank, part) for rank, part in parts if part is not None]


def counted(count: int, what: str) -> str:
    """A figure with its noun.

    >>> counted(1, "page"), counted(0, "page"), counted(12, "page")
    ('1 page', '0 pages', '12 pages')
    """
    return f"{count} {what}" + ("" if count == 1 else "s")


def _step(tally: Tally, seconds: float) -> str:
    is_worth_saying = tally.doing != VISITING and seconds >= WORTH_SAYING_SECONDS
    return f"{tally.doing} ({_span(seconds)})" if is_worth_saying else tally.doing


def _waiting(tally: Tally, now: datetime) -> tuple[str, ...]:
    """The longest wait: for whom, and why."""
    waits = [wait for wait in tally.waits if (wait.until - now).total_seconds() > LEAST_WAIT_SECONDS]
    if not waits:
        return ()
    wait = max(waits, key=lambda each: each.until)
    return f"waiting {_span((wait.until - now).total_seconds())} for {harmless(wait.host)}", f"({harmless(wait.why)})"


def _address(url: str) -> str:
    """A blog as people call it: without the scheme."""
    return harmless(url).partition("://")[2].removesuffix("/") or harmless(url)


def _renderable(display: CrawlDisplay, now: datetime, width: int) -> Group:
    from rich.console import Group
    from rich.text import Text

    rows: list[RenderableType] = []
    if not display.tallies:
        rows.append(Text(shortened(opening_text(), width), no_wrap=True, overflow="ellipsis"))
    for tally, step_seconds in display.shown():
        head, *rest = lines_of(tally, now, width, step_seconds=step_seconds)
        rows.append(Text(head, style="bold", no_wrap=True, overflow="ellipsis"))
        if tally.now.posts and tally.expected and width >= LEAST_WIDTH_WITH_BAR:
            rows.append(_bar(tally))
        rows += [Text(line, no_wrap=True, overflow="ellipsis") for line in rest]
    if display.is_stopping:
        rows += [Text(line, style="yellow") for line in textwrap.wrap(STOPPING, width)]
    return Group(*rows)


def _bar(tally: Tally) -> RenderableType:
    from rich.padding import Padding
    from rich.progress_bar import ProgressBar

    bar = ProgressBar(total=tally.expected, completed=tally.now.posts, width=BAR_WIDTH)
    return Padding(bar, (0, 0, 0, len(MARGIN)))


def _print_lines(display: CrawlDisplay) -> None:
    has_said_stopping = False
    while True:
        display.wake.wait(LINE_EVERY_SECONDS)
        display.wake.clear()
        if display.is_stopping and not has_said_stopping:
            has_said_stopping = True
            print(STOPPING, file=sys.stderr, flush=True)
        if display.over:
            return
        for tally, step_seconds in display.shown():
            print(line_of(tally, datetime.now(UTC), step_seconds=step_seconds), file=sys.stderr, flush=True)


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
