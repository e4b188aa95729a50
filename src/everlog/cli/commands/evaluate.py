"""`everlog evaluate`: how well everlog reads a corpus of blogs."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from everlog.cli.flags import Flags, takes
from everlog.cli.terminal.progress import progress
from everlog.cli.terminal.text import json_text, open_with
from everlog.errors import UsageError
from everlog.evaluate.grouping import Grouping

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.evaluate.corpus import Blog
    from everlog.evaluate.gate import Floors
    from everlog.evaluate.run import Miss, Result

INCOMPLETE = 3
# Flags that have become scripts of their own, in benchmarks/.
_SCRIPTS = {"peers": "peers.py", "retrieval": "retrieval.py", "noise": "noise.py", "telling": "post_classifier.py"}


@takes("quiet")
def evaluate(  # noqa: PLR0913, PLR0917 - one parameter per flag
    folders: Annotated[list[Path], typer.Argument(metavar="FOLDER", help="Folders of blogs.")],
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="A row per blog, worst first.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    no_feed: Annotated[bool, typer.Option("--no-feed", help="Read without learning from feeds.")] = False,
    cut_feeds: Annotated[
        bool, typer.Option("--cut-feeds", help="Cut the feeds' contents to excerpts first."),
    ] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", metavar="N", min=0, help="Number of processes; 0 means one per processor."),
    ] = 0,
    by: Annotated[
        Grouping | None,
        typer.Option("--by", metavar="engine|language|feed", help="Also print a row per group of blogs."),
    ] = None,
    posts: Annotated[
        Path | None, typer.Option("--posts", metavar="FILE", help="Write the posts read as JSON lines."),
    ] = None,
    misses: Annotated[
        Path | None, typer.Option("--misses", metavar="FILE", help="Write the missed articles, with scores."),
    ] = None,
    floors: Annotated[
        Path | None, typer.Option("--floors", metavar="FILE", help="Exit 3 if a field is below its floor."),
    ] = None,
    peers: Annotated[bool, typer.Option("--peers", hidden=True)] = False,
    retrieval: Annotated[bool, typer.Option("--retrieval", hidden=True)] = False,
    noise: Annotated[bool, typer.Option("--noise", hidden=True)] = False,
    telling: Annotated[bool, typer.Option("--telling", hidden=True)] = False,
    *, given: Flags,
) -> None:
    """Score extraction on a corpus of blogs and print a table.

    Each blog is learned from its feed alone (with --no-feed from its pages alone); the posts outside the feed
    are read and compared with the truth. The format of a folder is described in docs/corpus-format.md.

    \b
    Examples:
      everlog evaluate examples/corpus
      everlog evaluate examples/corpus -v --cut-feeds --misses misses.jsonl
      everlog evaluate examples/corpus --no-feed
      everlog evaluate CORPUS --by engine --json
    """
    moved = {"peers": peers, "retrieval": retrieval, "noise": noise, "telling": telling}
    if any(moved.values()):
        raise _moved([flag for flag, is_given in moved.items() if is_given], folders)
    if no_feed and cut_feeds:
        raise UsageError("--no-feed and --cut-feeds cannot be combined", advice="leave one of them out")
    open_with(f"evaluating {', '.join(map(str, folders))}: starting", quiet=given.quiet)
    from everlog.evaluate import gate, table
    from everlog.evaluate.corpus import find_blogs

    held = gate.read_floors(floors) if floors else None
    results = run(
        find_blogs(folders), cut_feeds=cut_feeds, no_feed=no_feed, jobs=jobs, posts=posts, misses=misses,
        quiet=given.quiet,
    )
    _print_problems(results, quiet=given.quiet)
    if json:
        shown = table.as_dict(results, by=by) | {"fingerprint": gate.fingerprint(results)}
        print(json_text(shown, indent=1, ensure_ascii=False))
    else:
        print(table.render(results, per_blog=verbose, by=by))
        print(table.render_calibration(results, bins=verbose))
    if held:
        _hold(results, held, "no_feed" if no_feed else "cut_feeds" if cut_feeds else "normal")


def run(
    blogs: Sequence[Blog], *, cut_feeds: bool, no_feed: bool, jobs: int, posts: Path | None, misses: Path | None,
    quiet: bool,
) -> list[Result]:
    """Evaluate with progress, writing posts and misses as blogs are done."""
    from everlog.evaluate.run import evaluate as results_of
    from everlog.evaluate.scoring import mean

    results: list[Result] = []
    with ExitStack() as stack:
        posts_file = stack.enter_context(_created(posts)) if posts else None
        misses_file = stack.enter_context(_created(misses)) if misses else None
        step = stack.enter_context(progress(len(blogs), "blogs", quiet=quiet))
        running = stack.enter_context(closing(results_of(
            blogs, cut_feeds=cut_feeds, no_feed=no_feed, keep_posts=posts is not None, jobs=jobs or processors(),
        )))
        for result in running:
            results.append(result)
            if posts_file:
                posts_file.writelines(line + "\n" for line in result.lines)
            if misses_file:
                misses_file.writelines(map(_miss_line, result.misses))
            strict = mean(one.scores["strict"] for one in results)
            step("" if strict is None else f"strict {100 * strict:.1f}")
    return [replace(result, lines=()) for result in results]


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _moved(given: Sequence[str], folders: Sequence[Path]) -> UsageError:
    names = shlex.join(map(str, folders))
    commands = [f".venv/bin/python benchmarks/{_SCRIPTS[flag]} {names}" for flag in given]
    return UsageError(
        f"moved to the benchmarks: {', '.join(f'--{flag}' for flag in given)}",
        advice="\n    ".join(["in a clone of everlog, run:", "scripts/install benchmark", *commands]),
    )


def _created(file: Path) -> TextIO:
    try:
        return file.open("w", encoding="utf-8")
    except OSError as error:
        problem = f"{file} cannot be written: {error.strerror}"
        raise UsageError(problem, advice="choose another file") from error


def _miss_line(miss: Miss) -> str:
    scores = {name: round(value, 3) for name, value in miss.scores.items()}
    row = {"blog": miss.blog, "url": miss.url, **scores}
    if miss.reason:
        row["reason"] = miss.reason
    return json_text(row, ensure_ascii=False) + "\n"


def _print_problems(results: Sequence[Result], *, quiet: bool) -> None:
    for result in results:
        if result.problem and not quiet:
            print(f"{result.blog.id}: {result.problem}", file=sys.stderr)


def _hold(results: Sequence[Result], floors: Floors, name: str) -> None:
    from everlog.evaluate import gate

    if floors.fingerprint not in {None, gate.fingerprint(results)}:
        print("note: the floors were measured on another corpus", file=sys.stderr)
    fallen = gate.fallen(results, floors, name)
    for line in fallen:
        print(line, file=sys.stderr)
    if fallen:
        raise typer.Exit(INCOMPLETE)
