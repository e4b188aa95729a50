"""`everlog demo`: a sample blog on loopback, crawled and shown; needs no internet."""

from __future__ import annotations

import shlex
import sys
import textwrap
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from everlog.cli.commands.serve import has_extra, serve_in_browser, want_extra
from everlog.cli.flags import Flags, takes
from everlog.cli.options import archive_of
from everlog.cli.program import as_typed
from everlog.cli.terminal.text import open_with
from everlog.errors import ArchiveBusy, EverlogError, UsageError
from everlog.extras import line_for_extra

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.archive import Archive
    from everlog.records import Blog
    from everlog.settings import Settings

FOLDER = "everlog-demo"
PORT = 8642
# Under this name an archive remembers where its sample blog was served first: it is one blog, whatever port is free.
WIDTH = 60
START_LETTERS = 200


@takes("json quiet verbose")
def demo(
    archive: Annotated[
        str, typer.Option("--archive", metavar="WHERE", help="The archive's folder."),
    ] = FOLDER,
    serve: Annotated[bool, typer.Option(
        "--serve", help="Then look at it in your web browser, as everlog serve --open does.",
    )] = False,
    *, given: Flags,
) -> None:
    """Crawl and show a sample blog without internet; keeps it in the folder everlog-demo.

    \b
    Examples:
      everlog demo
      everlog demo --serve
    """
    if serve:
        want_extra()
    open_with("demo: starting", quiet=given.quiet)
    from everlog.settings import make_settings

    settings = make_settings({"archive": archive, "delay": 0.0})
    is_talkative = not given.quiet and not given.json
    with archive_of(settings, create=True) as opened, _alone(opened, settings, quiet=given.quiet):
        before = _held(opened)
        with _served(before, opened) as url:
            if url is None:
                port = urlsplit(_home(opened)).port
                _say(f"Another program has port {port}, so the sample blog was not crawled again.", quiet=given.quiet)
                code = 0
            else:
                code = _crawl(url, opened, settings, given)
        if code == 0 and is_talkative:
            _show(opened, settings.archive, before=before)
    if serve and code == 0:
        serve_in_browser(replace(given, archive=archive))
    raise typer.Exit(code)


def _crawl(url: str, archive: Archive, settings: Settings, given: Flags) -> int:
    from everlog.cli.commands.crawl import print_reports
    from everlog.cli.terminal.crawl_progress import crawl_display
    from everlog.usecases.runner import Job, run_jobs

    _say(f"A sample blog is served at {url} for now;\nit is archived into {settings.archive}/", quiet=given.quiet)
    jobs = [Job(url=url, typed=True)]
    with crawl_display(quiet=given.quiet) as display:
        reports = run_jobs(jobs, archive, settings, on_start=display, on_signal=display.stop)
    is_done = not any(isinstance(report, EverlogError) or report.exit_code for report in reports)
    # What went as it should is told in the demo's own words.
    is_told = is_done and not given.json
    return print_reports(jobs, reports, settings.archive, replace(given, quiet=given.quiet or is_told))


@contextmanager
def _alone(archive: Archive, settings: Settings, *, quiet: bool) -> Iterator[None]:
    """Wait for another demo that writes to the same folder: side by side, they would be two blogs."""
    from everlog.archive.locks import Lock, hold
    from everlog.archive.open_folder import LOCKS

    if "://" in settings.archive:
        yield
        return
    file = Path(archive.backend.where, LOCKS, "demo.lock")
    try:
        held = Lock(file)
    except ArchiveBusy:
        _say(f"Another demo is writing to {settings.archive}/: waiting for it.", quiet=quiet)
        with hold(file):
            yield
        return
    try:
        yield
    finally:
        held.release()


def _held(archive: Archive) -> Blog | None:
    """The sample blog of an earlier demo."""
    return archive.blogs.find(_home(archive))


def _home(archive: Archive) -> str:
    """Where the sample blog of an archive is served."""
    return archive.backend.state.demo_home or f"http://127.0.0.1:{PORT}/"


@contextmanager
def _served(before: Blog | None, archive: Archive) -> Iterator[str | None]:
    """The sample blog at the address it has in the archive; None if that is taken and nothing is left to crawl."""
    from everlog.demo.server import serve

    port = urlsplit(_home(archive)).port or PORT
    serving: AbstractContextManager[str]
    try:
        serving = serve(port)
    except OSError:
        if before is None:
            serving = serve(0)
        elif before.state == "finished":
            yield None
            return
        else:
            raise UsageError(
                f"another program has port {port}, and the demo in {archive.backend.where} was interrupted there",
                advice="begin anew in another folder:  everlog demo --archive everlog-demo-2",
            ) from None
    with serving as url:
        archive.backend.state.demo_home = url
        yield url


def _show(archive: Archive, where: str, *, before: Blog | None) -> None:
    blog = _held(archive)
    if blog is None:
        return
    counts = archive.blogs.counts(blog.id)
    posts = list(archive.posts(blog_id=blog.id))
    oldest = min(posts, key=lambda post: (post.published is None, post.published and post.published.timestamp()))
    if before is not None and before.state == "finished":
        print(f"Nothing new: {where}/ still holds {counts.posts} posts and {counts.comments} comments.")
    else:
        print(f"{counts.posts} posts, {counts.comments} comments and {counts.media} pictures and files are in {where}/")
        _wrap(f"Only the 10 newest posts are in the blog's feed. From these everlog learned to read the other "
              f"{counts.posts - 10}. The oldest:")
    print(f"\n  {oldest.title}")
    print(f"  {', '.join(oldest.authors)}, {oldest.published:%Y-%m-%d}, tags: {', '.join(oldest.tags)}")
    _wrap(textwrap.shorten(oldest.text, START_LETTERS, placeholder=" ..."), indent="  ")
    place = f"--archive {shlex.quote(where)}"
    print("\nLook at it in your web browser:")
    if not has_extra():
        print(f"  {line_for_extra('serve')}")
    print(f"  {as_typed(f'everlog serve {place} --open')}")
    print("\nOr here:")
    for command in (
        f"everlog show {oldest.url} {place}",
        f"everlog search heron {place}",
        f"everlog status {place}",
        f"everlog rules {place}",
        f"everlog export --format markdown -o demo-notes {place}",
        f"everlog verify {place}",
    ):
        print(f"  {as_typed(command)}")
    print("\nThen a real blog:")
    print(f"  {as_typed('everlog crawl https://a.blog.example/')}")


def _wrap(text: str, indent: str = "") -> None:
    print(textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent))


def _say(line: str, *, quiet: bool) -> None:
    if not quiet:
        print(line, file=sys.stderr, flush=True)
