"""`everlog enqueue`: blogs for a fleet to crawl."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlog.cli.fleet_options import BrokerFlag, shared_archive_of
from everlog.cli.options import (
    ArchiveFlag,
    ConfigFlag,
    JsonFlag,
    NoCommentsFlag,
    QuietFlag,
    RenderFlag,
    VerboseFlag,
    settings_from,
)
from everlog.errors import EverlogError, ServiceDown, UsageError

if TYPE_CHECKING:
    from everlog.archive.jobs import NewJob


def enqueue(  # noqa: PLR0913, PLR0917 - one parameter per flag
    blogs: Annotated[
        list[str] | None, typer.Argument(metavar="URL|FILE|-", help="Blogs, lists of them (OPML too), or - for stdin."),
    ] = None,
    update: Annotated[bool, typer.Option("--update", help="Only what is new in blogs that are held.")] = False,
    browser: Annotated[bool, typer.Option("--browser", help="Only for workers that have a browser.")] = False,
    scope: Annotated[
        str | None,
        typer.Option("--scope", metavar="path|host|subdomains", help="What belongs to the blog (default: path)."),
    ] = None,
    max_pages: Annotated[int | None, typer.Option("--max-pages", metavar="N", help="Stop after N pages.")] = None,
    delay: Annotated[
        float | None, typer.Option("--delay", metavar="S", help="Seconds between requests to one host (default: 1)."),
    ] = None,
    render: RenderFlag = None,
    no_comments: NoCommentsFlag = False,
    no_media: Annotated[bool, typer.Option("--no-media", help="Do not fetch pictures, sounds and files.")] = False,
    broker: BrokerFlag = None,
    archive: ArchiveFlag = None,
    config: ConfigFlag = None,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
    verbose: VerboseFlag = False,  # noqa: ARG001 - where a bug happened is said by the program itself
) -> None:
    """Give a fleet blogs to crawl. What was given once is in the database, whatever happens to the queue.

    \b
    Examples:
      everlog enqueue https://a.blog.example/ --archive postgresql://db/everlog --broker redis://queue
      everlog enqueue blogs.opml --no-media
      cat blogs.txt | everlog enqueue -
    """
    from everlog.fleet.engine import make_engine

    settings = settings_from(config, archive=archive, broker=broker)
    own = {
        name: value for name, value in {
            "scope": scope, "max_pages": max_pages, "delay": delay, "render": render,
            "comments": False if no_comments else None, "media": False if no_media else None,
        }.items() if value is not None
    }
    jobs, refused = _jobs_of(blogs or [], own, update=update, browser=browser)
    engine = make_engine(settings.broker)
    with shared_archive_of(settings) as opened:
        added = opened.add_jobs(jobs)
        try:
            engine.send(added)
        except ServiceDown as down:
            advice = "the workers hear of them when it is there again"
            raise ServiceDown(f"{len(added)} jobs are stored; {down.message}", advice=advice) from down
        finally:
            engine.close()
    if json:
        told = {"queued": [job.url for job in added], "known": len(jobs) - len(added), "refused": refused}
        print(json_module.dumps(told, ensure_ascii=False, indent=1))
    elif not quiet:
        known = f", {len(jobs) - len(added)} were queued already" if len(added) < len(jobs) else ""
        print(f"{len(added)} blogs queued{known}", file=sys.stderr)
    for line in refused:
        print(line, file=sys.stderr)
    raise typer.Exit(3 if refused else 0)


def _jobs_of(words: list[str], own: dict[str, Any], *, update: bool, browser: bool) -> tuple[list[NewJob], list[str]]:
    """The jobs that words mean, and what is wrong with those that mean none; all wrong is an error."""
    from everlog.archive.jobs import NewJob
    from everlog.cli.crawl import listed
    from everlog.flow.discover import fetchable
    from everlog.settings import make_settings
    from everlog.urls import canonical, host_of

    make_settings(own)  # a wrong value is told here, not by a worker somewhere
    urls: list[str] = []
    for word in words:
        urls += listed(word) if word == "-" or ("://" not in word and _is_file(word)) else [word]
    if not urls:
        raise UsageError("no blog was named", advice="everlog enqueue https://a.blog.example/   (or a list, or -)")
    jobs: dict[str, NewJob] = {}
    refused: list[str] = []
    for url in urls:
        try:
            whole = fetchable(url)
        except EverlogError as error:
            refused.append(str(error))
            continue
        jobs.setdefault(canonical(whole), NewJob(
            kind="update" if update else "crawl", url=whole, host=host_of(whole), settings=own, needs_browser=browser,
        ))
    if not jobs:
        raise UsageError("\n".join(refused))
    return list(jobs.values()), refused


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_file()
    except OSError:  # a name that is too long for one
        return False
