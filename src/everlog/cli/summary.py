"""What a crawl leaves on the screen when it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.cli.lines import console
from everlog.errors import EverlogError

if TYPE_CHECKING:
    from collections import Counter

    from rich.console import Console

    from everlog.flow.report import Report, Tally

REASONS_SHOWN = 8
WIDTH = 200


def print_summary(reports: list[Report | EverlogError], *, verbose: bool = False) -> None:
    """A table of all blogs on stderr, and for each why something is missing."""
    from rich.table import Table

    done = [report for report in reports if not isinstance(report, EverlogError)]
    if not done:
        return
    # The address stands last and may run over the edge: folded into what is left of a line, nobody can read it.
    screen = console(soft_wrap=True, width=WIDTH)
    table = Table(box=None, pad_edge=False)
    for name in ("held", "new", "changed", "comments", "pages", "media", "requests", "failed", "seconds"):
        table.add_column(name, justify="right", no_wrap=True, min_width=len(name))
    table.add_column("ended", no_wrap=True)
    table.add_column("blog", overflow="fold")
    for report in done:
        tally = report.tally
        media = f"{tally.media}" + (f" of {tally.media_wanted}" if tally.media_missing else "")
        figures = (report.held, tally.new_posts, tally.changed_posts, tally.comments, tally.pages, media,
                   tally.requests, tally.missing)
        table.add_row(*map(str, figures), f"{tally.seconds:.1f}", report.ending, report.blog)
    screen.print(table)
    for report in done:
        print_reasons(screen, report, verbose=verbose)


def comment_lines(tally: Tally) -> list[str]:
    """What is to be said about the comments of a crawl: those the sites count and those that were found."""
    lines = []
    if tally.comments_missing > 0:
        lines.append(f"the site counts {tally.comments_missing} comments more than were found")
    elif tally.comments_missing < 0:
        lines.append(f"the site counts {-tally.comments_missing} comments fewer than were found")
    if tally.comments_failed:
        lines.append(f"comments of {tally.comments_failed} posts could not be had; the next update tries again")
    return lines


def unsure_lines(kinds: Counter[str], posts: int) -> list[str]:
    """What is to be said about posts whose article may be the wrong text.

    >>> from collections import Counter
    >>> unsure_lines(Counter({"the article's usual place is empty": 2}), 61)
    ["on 2 of 61 posts the article's usual place is empty"]
    """
    return [f"on {count} of {posts} posts {kind}" for kind, count in kinds.most_common()]


def media_lines(tally: Tally) -> list[str]:
    """What is to be said about pictures and files that are neither held nor given up.

    >>> from datetime import UTC, datetime
    >>> from everlog.flow.report import Tally
    >>> until = datetime(2024, 6, 2, tzinfo=UTC)
    >>> media_lines(Tally(blog="http://a.example/", media_held_off=7, media_held_until=until))
    ['7 pictures or files wait: their hosts want to be left alone; updates after 2024-06-02 00:00:00 UTC ask for them']
    """
    if not tally.media_held_off or tally.media_held_until is None:
        return []
    until = f"{tally.media_held_until:%Y-%m-%d %H:%M:%S} UTC"
    waiting = f"{tally.media_held_off} pictures or files wait"
    return [f"{waiting}: their hosts want to be left alone; updates after {until} ask for them"]


def print_reasons(screen: Console, report: Report, *, verbose: bool) -> None:
    """Why a crawl ended, and what it did not keep."""
    tally = report.tally
    screen.print(f"{report.blog}: {report.reason}")
    for line in tally.remarks:
        screen.print(f"  {line}")
    for line in (*unsure_lines(tally.unsure, tally.held), *comment_lines(tally), *media_lines(tally)):
        screen.print(f"  {line}")
    limit = None if verbose else REASONS_SHOWN
    for reason, count in tally.reasons.most_common(limit):
        screen.print(f"  {count:>6}  {reason}")
    if limit and len(tally.reasons) > limit:
        screen.print(f"  and {len(tally.reasons) - limit} other reasons (-v shows them)")
    if verbose:
        for url, reason in tally.failures:
            screen.print(f"  not held: {url} ({reason})")
