"""`everlog import`: captures that other programs made, into the archive."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlog.cli.flags import Flags, takes
from everlog.cli.options import archive_of
from everlog.cli.terminal.text import json_text, open_with

if TYPE_CHECKING:
    from everlog.usecases.foreign.import_files import FileRead, Imported, ImportedBlog

INTERRUPTED = 130


@takes("archive files spool scope no_comments no_media no_requisites ignore_robots config json quiet verbose")
def import_(
    paths: Annotated[list[str], typer.Argument(metavar="FILE", help="WARC (.warc, .warc.gz) or WACZ files.")],
    blog: Annotated[
        str | None, typer.Option(metavar="URL", help="The blog that is wanted (default: all that are in the files)."),
    ] = None,
    *, given: Flags,
) -> None:
    """Bring blogs from WARC and WACZ files of other programs into the archive; no request is made.

    Posts that are held already keep their live version: what a file has of another time becomes an earlier one. To
    import a file again adds nothing.

    \b
    Examples:
      everlog import site.wacz
      everlog import mirror-*.warc.gz --blog https://a.blog.example/
    """
    open_with("importing: opening the archive", quiet=given.quiet)
    from everlog.cli.terminal.progress import progress
    from everlog.importing.open_files import want_some
    from everlog.usecases.foreign.import_files import import_files

    want_some(paths)
    settings = given.settings()
    try:
        with archive_of(settings, create=True) as opened:
            done = import_files(
                paths, opened, settings, blog=blog, progress=partial(progress, quiet=given.quiet),
            )
    except KeyboardInterrupt:
        print("run the same command to continue: what was stored is safe", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    if given.json:
        print(json_text(_as_json(done), indent=1))
    else:
        for imported in done.blogs:
            print(_line(imported))
    if not given.quiet:
        _say_the_rest(done)
    if not done.blogs and not given.json:
        print("no blog was found in these files", file=sys.stderr)
    if done.exit_code:
        raise typer.Exit(done.exit_code)


def _line(imported: ImportedBlog) -> str:
    won = imported.won
    held = f"; {_counted(won.known, 'capture')} held before" if won.known else ""
    new = " (new in this archive)" if imported.is_new else ""
    return f"{imported.home}{new}: {won.summary()}, from {_counted(won.captures, 'capture')}{held}"


def _say_the_rest(done: Imported) -> None:
    """What was not imported, and why."""
    for file in done.files:
        for line in _problems(file):
            print(line, file=sys.stderr)
    for imported in done.blogs:
        if imported.won.lost:
            lost = _counted(imported.won.lost, "capture")
            print(f"{imported.home}: {lost} could not be read (too large, coded otherwise, or without a body)",
                  file=sys.stderr)
    for remark in done.remarks:
        print(remark, file=sys.stderr)
    if done.pages_left:
        print(f"{_counted(done.pages_left, 'page')} belong to no blog and were left out", file=sys.stderr)


def _problems(file: FileRead) -> list[str]:
    if file.problem is not None:
        return [f"not imported: {file.problem}"]
    if not file.skipped:
        return []
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(file.skipped.items()))
    return [f"{file.name}: {_counted(file.skipped.total(), 'record')} could not be read ({reasons})"]


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what if count == 1 else what + 's'}"


def _as_json(done: Imported) -> dict[str, Any]:
    counts = ("captures", "posts", "changed", "earlier", "media", "requisites", "known", "lost")
    return {
        "blogs": [
            {"blog": each.home, "new": each.is_new, **{name: getattr(each.won, name) for name in counts}}
            for each in done.blogs
        ],
        "files": [
            {"file": each.name, "captures": each.captures, "skipped": dict(each.skipped), "problem": each.problem}
            for each in done.files
        ],
        "pages_left": done.pages_left, "remarks": done.remarks,
    }
