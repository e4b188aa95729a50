"""`everlog copy`: one archive into another."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from everlog.cli.flags import Flags, takes
from everlog.cli.options import archive_of
from everlog.cli.terminal.text import console, json_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.archive import Archive
    from everlog.archive.copy.copy_archive import Copied, Progress

LINE_EVERY_SECONDS = 5.0
INCOMPLETE = 3
INTERRUPTED = 130


@takes("archive files config json quiet verbose")
def copy(
    to: Annotated[
        str, typer.Option("--to", metavar="WHERE", help="A new folder, or postgresql:// with an empty database."),
    ],
    to_files: Annotated[
        str | None,
        typer.Option(
            "--to-files", metavar="WHERE", help="Where the files of a new postgresql:// archive go: as --files.",
        ),
    ] = None,
    without_missing: Annotated[
        bool,
        typer.Option("--without-missing", help="Copy everything else if files in lost spool folders are missing."),
    ] = False,
    *, given: Flags,
) -> None:
    """Copy an archive into another, new one: a folder or PostgreSQL, either way.

    The source may be crawled meanwhile: the copy shows the moment it began. If interrupted, run the same command again;
    the new archive stays empty until the copy is complete.

    \b
    Examples:
      everlog copy --archive everlog-archive --to postgresql://everlog@db/everlog --to-files /srv/everlog
      everlog copy --archive postgresql://everlog@db/everlog --to a-copy
    """
    from everlog.archive.copy.copy_archive import copy_archive, open_target

    try:
        with (
            archive_of(given.settings(), reading=True, quiet=given.quiet) as source,
            open_target(to, files=to_files) as target,
            _meter(quiet=given.quiet) as meter,
        ):
            copied = copy_archive(source, target, meter, without_missing=without_missing)
            summary = _summary(source, target, copied)
    except KeyboardInterrupt:
        print(
            "run the same command to continue; if it then says that the new archive is not empty, "
            "the copy is complete, and the first search finishes its index", file=sys.stderr,
        )
        raise typer.Exit(INTERRUPTED) from None
    if given.json:
        print(json_text(summary, indent=1))
    if not given.quiet:
        _say(copied)
    for name in copied.missing:
        print(f"{name} is missing: its pages are not in the copy", file=sys.stderr)
    if copied.missing:
        raise typer.Exit(INCOMPLETE)


def _summary(source: Archive, target: Archive, copied: Copied) -> dict[str, object]:
    return {
        "from": source.backend.database.where, "to": target.backend.database.where,
        "tables": dict(copied.tables), "rows": copied.rows,
        "files": copied.files, "files_kept": copied.files_kept, "bytes": copied.bytes,
        "posts_indexed": copied.posts_indexed, "jobs_left": copied.jobs_left, "missing": list(copied.missing),
        "seconds": round(copied.seconds, 3),
    }


def _say(copied: Copied) -> None:
    kept = f" ({copied.files_kept:,} already there)" if copied.files_kept else ""
    print(
        f"{copied.rows:,} rows and {copied.files:,} files{kept}, {_size(copied.bytes)}, in {copied.seconds:.1f} s; "
        f"{copied.posts_indexed:,} posts indexed for search", file=sys.stderr,
    )
    if copied.jobs_left:
        print(f"{copied.jobs_left:,} fleet jobs stay in the source archive", file=sys.stderr)


@contextmanager
def _meter(*, quiet: bool) -> Iterator[Progress]:
    """Who hears how far the copy is."""
    if quiet:
        yield lambda _what, _done, _total: None
    elif sys.stderr.isatty():
        yield from _bar()
    else:
        yield _Lines().tell


def _bar() -> Iterator[Progress]:
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    tasks: dict[str, TaskID] = {}
    clock = _Lines()
    with Progress(*columns, console=console(), transient=True) as bar:

        def tell(what: str, done: int, total: int) -> None:
            if what not in tasks:
                clock.begin(what)
                tasks[what] = bar.add_task(what, total=total)
            bar.update(tasks[what], completed=done, total=total, description=clock.text(what, done, total))

        yield tell


class _Lines:
    """A line now and then: what is being copied, how much of it, how fast."""

    def __init__(self) -> None:
        self._what = ""
        self._began = self._last = time.monotonic()

    def begin(self, what: str) -> None:
        """Something else is being copied from now on."""
        self._what = what
        self._began = self._last = time.monotonic()

    def tell(self, what: str, done: int, total: int) -> None:
        if what != self._what:
            self.begin(what)
        now = time.monotonic()
        if now - self._last >= LINE_EVERY_SECONDS:
            self._last = now
            print(self.text(what, done, total), file=sys.stderr, flush=True)

    def text(self, what: str, done: int, total: int) -> str:
        """How far it is, and its rate since it began."""
        rate = done / max(time.monotonic() - self._began, 0.001)
        if what == "bytes":
            return f"files: {_size(done)} of {_size(total)}, {_size(rate)}/s"
        shown = {"rows": "rows", "posts": "posts in the search index"}.get(what, what)
        return f"{done:,} of {total:,} {shown}, {rate:,.0f}/s"


def _size(count: float) -> str:
    """Bytes as people say them.

    >>> _size(1_234_567), _size(999)
    ('1.2 MB', '0.0 MB')
    """
    return f"{count / 1e9:,.1f} GB" if count >= 1e9 else f"{count / 1e6:,.1f} MB"
