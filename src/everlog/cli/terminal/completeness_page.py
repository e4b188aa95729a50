"""Whether all of a blog is there, on the screen: the verdict, who lists its posts, what is missing, posts per year."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everlog.cli.terminal.text import ago, more, say, table
from everlog.cli.terminal.wrapping import print_wrapped, room
from everlog.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.history.completeness import Completeness, Gap, Inventory
    from everlog.history.completeness.year_bars import YearCount
    from everlog.records import Blog

SHOWN = 20
LABEL = 12
USUAL_WIDTH = 80
COLUMNS = ("source", "grade", "lists", "counts", "to_its_end", "read")
TEXTS = frozenset({"source", "grade", "to_its_end", "read"})
# The letters of a terminal that shows no blocks.
PLAIN = str.maketrans({"█": "#", "▒": "+", "░": "-", "…": "..."})


def print_verdict(known: Completeness) -> None:
    """The answers and the sentences behind them, first of all that is said of a blog."""
    _line("complete", f"posts: {known.posts.answer}; comments: {known.comments.answer}")
    for verdict in (known.posts, known.comments):
        _line("", verdict.sentence)
        if verdict.settled_by is not None:
            _line("", f"to settle it: {verdict.settled_by}")


def print_evidence(known: Completeness, years: Sequence[YearCount], now: datetime, *, verbose: bool) -> None:
    """Who lists the posts of a blog, which of them are missing or excused and why, and the posts of each year."""
    grades = "A: counts and lists all, B: lists all, C: may leave some out, D: links"
    print_wrapped(f"who lists its posts ({grades})", hanging="  ")
    _print_inventories(known.inventories, now)
    if known.comment_inventories:
        say("who lists its comments")
        _print_inventories(known.comment_inventories, now)
    _print_gaps("missing posts:", known.posts.missing, verbose=verbose)
    _print_gaps("excused:", known.posts.excused, verbose=verbose)
    _print_gaps("posts that lack comments:", known.comments.missing, verbose=verbose, is_said_by_whom=False)
    lines = _bars(years)
    if lines:
        say("posts per year")
    for line in lines:
        say(f"  {line}")


def refuse_other_pictures(file: str) -> None:
    """The picture is an SVG: under the name of another format no program would show it."""
    path = Path(file)
    if not file.strip():
        raise UsageError("--plot names no file", advice="name one for the picture:  --plot years.svg")
    if path.suffix.lower() not in {"", ".svg"}:
        raise UsageError(
            f"the picture is an SVG, and {file} is called something else", advice=f"--plot {path.with_suffix('.svg')}",
        )


def write_plot(file: str, blog: Blog, archive: Archive) -> None:
    """Write the posts per year of a blog as a picture."""
    from everlog.history.completeness.year_chart import chart_of
    from everlog.usecases.completeness import completeness_of, years_of_blog

    known = completeness_of(blog, archive)
    years = years_of_blog(blog, archive, known)
    picture = chart_of(years, title=blog.title or blog.home, sentence=known.posts.sentence)
    try:
        Path(file).write_text(picture, "utf-8")
    except OSError as error:
        raise UsageError(
            f"the picture {file} cannot be written: {error.strerror}", advice="pass a file in a folder that is there",
        ) from None


def _print_inventories(inventories: Sequence[Inventory], now: datetime) -> None:
    rows = [_row(each, now) for each in inventories]
    widths = (max(len(name), *(len(str(row[name])) for row in rows)) + 2 for name in COLUMNS) if rows else ()
    width = room()
    if rows and (width is None or sum(widths) <= width):
        table(rows, COLUMNS, left=TEXTS, indent="  ")
    else:
        for row in rows:
            counts = f", counts {row['counts']}" if row["counts"] != "-" else ""
            said = f"{row['source']} ({row['grade']}): lists {row['lists']}{counts}; to its end: {row['to_its_end']}"
            print_wrapped(f"{said}; read {row['read']}", margin="  ", hanging="    ")
    for each in inventories:
        if each.problem is not None:
            print_wrapped(f"{each.source}: {each.problem}", margin="  ", hanging="    ")


def _row(inventory: Inventory, now: datetime) -> dict[str, Any]:
    before, after = inventory.claimed_before, inventory.claimed_after
    counts = "-" if after is None else f"{after:,}" if before in {None, after} else f"{before:,}, then {after:,}"
    return {
        "source": inventory.source, "grade": inventory.grade, "lists": f"{inventory.members:,}", "counts": counts,
        "to_its_end": "yes" if inventory.is_exhaustive else "no",
        "read": ago(inventory.walked_at, now) if inventory.walked_at is not None else "-",
    }


def _print_gaps(name: str, gaps: Sequence[Gap], *, verbose: bool, is_said_by_whom: bool = True) -> None:
    if not gaps:
        return
    say(f"{name} {len(gaps):,}")
    for gap in gaps if verbose else gaps[:SHOWN]:
        who = f" (named by: {', '.join(gap.named_by)})" if gap.named_by and is_said_by_whom else ""
        print_wrapped(f"{gap.url}  {gap.reason}{who}", margin="  ", hanging="      ")
    more(len(gaps), SHOWN, verbose=verbose)


def _bars(years: Sequence[YearCount]) -> list[str]:
    from everlog.history.completeness.year_bars import bar_lines

    lines = bar_lines(years, (room() or USUAL_WIDTH) - 2)
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    is_plain = os.environ.get("TERM") == "dumb" or not encoding.lower().replace("-", "").startswith("utf")
    return [line.translate(PLAIN) for line in lines] if is_plain else lines


def _line(name: str, text: str) -> None:
    print_wrapped(text, margin=f"{name:<{LABEL}} ", hanging=" " * (LABEL + 1))
