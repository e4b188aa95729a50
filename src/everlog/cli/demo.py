"""`everlog demo`: a sample blog on loopback, crawled and shown; needs no internet."""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from everlog.cli.options import JsonFlag, QuietFlag, VerboseFlag, archive_of
from everlog.errors import EverlogError

if TYPE_CHECKING:
    from everlog.archive import Archive

FOLDER = "everlog-demo"
PORT = 8642


def demo(
    archive: Annotated[
        str, typer.Option("--archive", metavar="WHERE", help="The archive's folder."),
    ] = FOLDER,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
    verbose: VerboseFlag = False,
) -> None:
    """Crawl and show a sample blog without internet; keeps it in the folder everlog-demo.

    \b
    Example:
      everlog demo
    """
    from everlog.cli.crawl import print_reports
    from everlog.cli.display import crawl_display
    from everlog.demo.server import serve
    from everlog.flow.running import Job, run_jobs
    from everlog.settings import make_settings

    settings = make_settings({"archive": archive, "delay": 0.0})
    with serve(_port()) as url, archive_of(settings, create=True) as opened:
        if not quiet:
            print(f"a sample blog is served at {url} for now; it goes into {settings.archive}/", file=sys.stderr)
        jobs = [Job(url=url, typed=True)]
        with crawl_display(quiet=quiet) as announce:
            reports = run_jobs(jobs, opened, settings, on_start=announce)
        code = print_reports(jobs, reports, json=json, quiet=quiet, verbose=verbose, archive=settings.archive)
        if code == 0 and not isinstance(reports[0], EverlogError) and not quiet and not json:
            _show(opened, settings.archive)
    raise typer.Exit(code)


def _port() -> int:
    """The demo's own port if nobody has it, so that a second demo finds the first one's archive."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", PORT))
        except OSError:
            return 0
    return PORT


def _show(archive: Archive, where: str) -> None:
    posts = list(archive.posts())
    oldest = min(posts, key=lambda post: (post.published is None, post.published and post.published.timestamp()))
    print(f"\n{len(posts)} posts are archived, 10 of them stood in the feed. The oldest:\n")
    print(f"  {oldest.title}")
    print(f"  {', '.join(oldest.authors)}, {oldest.published:%Y-%m-%d}, tags: {', '.join(oldest.tags)}")
    print(f"  {oldest.text[:200].replace(chr(10), ' ')}...\n")
    print("What to try next:")
    for command, what in (
        (f"everlog show {oldest.url} --archive {where}", "the whole post"),
        (f"everlog search box --archive {where}", "full text, ranked"),
        (f"everlog rules --archive {where}", "what was learned from the feed"),
        (f"everlog status --archive {where}", "what is held"),
        (f"everlog export --format markdown -o demo-notes --archive {where}", "all posts as Markdown"),
        (f"everlog verify --archive {where}", "every record checked"),
        ("everlog crawl https://YOUR.BLOG/", "a real blog"),
    ):
        print(f"  {command}\n      {what}")
