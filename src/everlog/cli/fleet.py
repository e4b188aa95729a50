"""`everlog worker`, `everlog enqueue` and `everlog fleet`: many machines on one archive."""

from __future__ import annotations

import json as json_module
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlog.cli.fleet_options import BrokerFlag, LogFormatFlag, MetricsFlag, shared_archive_of
from everlog.cli.options import (
    ArchiveFlag,
    ConfigFlag,
    FilesFlag,
    JsonFlag,
    NoCommentsFlag,
    QuietFlag,
    RenderFlag,
    SpoolFlag,
    VerboseFlag,
    settings_from,
)
from everlog.errors import EverlogError, ServiceDown, UsageError

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.archive.jobs import NewJob

# The name of no program: pages that need a browser are left to workers that have one.
NO_BROWSER = "no-browser"

fleet = typer.Typer(
    name="fleet", no_args_is_help=True, rich_markup_mode=None, add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    help="""Look after a fleet of workers.

    \b
    Examples:
      everlog fleet status
      everlog fleet drain machine-7-4711
    """,
)


def worker(  # noqa: PLR0913, PLR0917 - one parameter per flag
    processes: Annotated[
        int | None, typer.Option("--processes", "-n", metavar="N", min=1, help="Blogs at once (default: 2 a core)."),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="What this worker is called (default: machine and process)."),
    ] = None,
    browser: Annotated[
        bool | None,
        typer.Option("--browser/--no-browser", help="Whether it draws pages (default: if a browser is found)."),
    ] = None,
    readers: Annotated[
        int | None,
        typer.Option("--readers", metavar="N", min=1, help="Only read, N at once, what others fetch of huge blogs."),
    ] = None,
    slice_seconds: Annotated[
        float | None, typer.Option("--slice-seconds", metavar="S", help="How long a blog has its turn (default: 60)."),
    ] = None,
    slice_pages: Annotated[
        int | None, typer.Option("--slice-pages", metavar="N", help="How many pages at most (default: 500)."),
    ] = None,
    broker: BrokerFlag = None,
    archive: ArchiveFlag = None,
    files: FilesFlag = None,
    spool: SpoolFlag = None,
    metrics_port: MetricsFlag = None,
    log_format: LogFormatFlag = "text",
    config: ConfigFlag = None,
    quiet: QuietFlag = False,
    verbose: VerboseFlag = False,
) -> None:
    """Take jobs from a fleet's queue, until you stop it. Start as many as you like, on any machine.

    Ctrl-C, or SIGTERM, ends it in good order: blogs under way are stored and go on elsewhere.

    \b
    Examples:
      everlog worker --archive postgresql://db/everlog --files /srv/blogs --broker redis://queue
      everlog worker -n 8 --no-browser --metrics-port 9100 --log-format json
      everlog worker --readers 4
    """
    import logging
    import os

    from everlog.fleet.engine import make_engine
    from everlog.fleet.figures import serve_figures
    from everlog.fleet.logs import log_to_stderr
    from everlog.fleet.worker import WorkerPlan, default_name, run_worker
    from everlog.flow.rendering import can_draw

    settings = settings_from(
        config, archive=archive, files=files, spool=spool, broker=broker, slice_seconds=slice_seconds,
        slice_pages=slice_pages, browser=NO_BROWSER if browser is False else None,
    )
    if settings.max_time is not None:
        raise UsageError("max_time is set, and crawls of a fleet take turns", advice="set slice_seconds, or max_pages")
    name = name or default_name()
    level = logging.WARNING if quiet else logging.DEBUG if verbose else logging.INFO
    log_to_stderr(log_format, level=level, worker=name)
    engine = make_engine(settings.broker)
    if readers is not None:
        from everlog.fleet.readers import ReadersPlan, run_readers

        plan_of_readers = ReadersPlan(name=name, processes=readers)
        raise typer.Exit(run_readers(plan_of_readers, engine, open_shared=lambda: shared_archive_of(settings)))
    has_browser = can_draw(settings)
    if browser and not has_browser:
        advice = "install Chromium and 'everlog[render]', or leave out --browser"
        raise UsageError("no browser was found", advice=advice)
    plan = WorkerPlan(name=name, processes=processes or 2 * (os.cpu_count() or 1), has_browser=has_browser)
    ends: list[Any] = []

    def ready(opened: Archive) -> None:
        if metrics_port is not None:
            ends.append(serve_figures(metrics_port, opened, engine, worker=name))

    try:
        code = run_worker(plan, settings, engine, open_shared=lambda: shared_archive_of(settings), on_ready=ready)
    finally:
        for end in ends:
            end()
    raise typer.Exit(code)


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
        urls += listed(word) if word == "-" or ("://" not in word and Path(word).is_file()) else [word]
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


@fleet.command("status")
def fleet_status(
    broker: BrokerFlag = None, archive: ArchiveFlag = None, config: ConfigFlag = None, json: JsonFlag = False,
) -> None:
    """Show workers, queues, how fast, what is late, and what has stalled.

    \b
    Example:
      everlog fleet status --archive postgresql://db/everlog --broker redis://queue
    """
    from everlog.cli.fleet_table import BrokerState, as_dict, print_state
    from everlog.fleet.engine import make_engine

    settings = settings_from(config, archive=archive, broker=broker)
    with shared_archive_of(settings) as opened:
        state = opened.fleet_state(now=datetime.now(UTC))
        engine = make_engine(settings.broker)
        try:
            told = BrokerState(messages=engine.depths(), readers=engine.readers())
        except ServiceDown as down:
            told = BrokerState(trouble=down.message)
    if json:
        print(json_module.dumps(as_dict(state, told), ensure_ascii=False, indent=1))
    else:
        print_state(state, told)
    raise typer.Exit(7 if told.trouble else 0)


@fleet.command("rebuild")
def fleet_rebuild(
    broker: BrokerFlag = None, archive: ArchiveFlag = None, config: ConfigFlag = None, quiet: QuietFlag = False,
) -> None:
    """Empty the queue and fill it from the database. It does no harm at any time.

    \b
    Example:
      everlog fleet rebuild --archive postgresql://db/everlog --broker redis://queue
    """
    from everlog.fleet.engine import make_engine
    from everlog.fleet.keeper import rebuild

    settings = settings_from(config, archive=archive, broker=broker)
    with shared_archive_of(settings) as opened:
        handed = rebuild(opened, make_engine(settings.broker))
    if not quiet:
        print(f"{handed} jobs are in the queue again", file=sys.stderr)


@fleet.command("drain")
def fleet_drain(
    name: Annotated[str | None, typer.Argument(metavar="WORKER", help="One worker; all if none is named.")] = None,
    archive: ArchiveFlag = None, config: ConfigFlag = None, quiet: QuietFlag = False,
) -> None:
    """Ask workers to end: what they are doing is stored, and goes on when others start.

    \b
    Examples:
      everlog fleet drain --archive postgresql://db/everlog
      everlog fleet drain machine-7-4711
    """
    settings = settings_from(config, archive=archive)
    with shared_archive_of(settings) as opened:
        asked = opened.drain(name)
    if not asked:
        what = f"there is no worker called {name}" if name else "there is no worker"
        raise UsageError(what, advice="everlog fleet status names them")
    if not quiet:
        print(f"{asked} workers end when their blogs are stored", file=sys.stderr)


@fleet.command("dead")
def fleet_dead(
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")] = 100,
    archive: ArchiveFlag = None, config: ConfigFlag = None, json: JsonFlag = False,
) -> None:
    """List the jobs that were given up, and why.

    \b
    Example:
      everlog fleet dead --archive postgresql://db/everlog
    """
    from everlog.cli.fleet_table import job_dict

    settings = settings_from(config, archive=archive)
    with shared_archive_of(settings) as opened:
        jobs = opened.dead_jobs(limit=limit)
    if json:
        print(json_module.dumps([job_dict(job) for job in jobs], ensure_ascii=False, indent=1))
        return
    for job in jobs:
        print(f"{job.id}\t{job.kind}\t{job.url or f'{len(job.blog_ids)} feeds'}\t{job.reason}")


@fleet.command("revive")
def fleet_revive(
    ids: Annotated[
        list[int] | None, typer.Argument(metavar="JOB", help="Numbers of jobs; all if none is named."),
    ] = None,
    broker: BrokerFlag = None, archive: ArchiveFlag = None, config: ConfigFlag = None, quiet: QuietFlag = False,
) -> None:
    """Take jobs up again that were given up.

    \b
    Example:
      everlog fleet revive --archive postgresql://db/everlog --broker redis://queue
    """
    from everlog.fleet.engine import make_engine

    settings = settings_from(config, archive=archive, broker=broker)
    with shared_archive_of(settings) as opened:
        jobs = opened.revive_jobs(ids or None)
        make_engine(settings.broker).send(jobs)
    if not quiet:
        print(f"{len(jobs)} jobs are queued again", file=sys.stderr)
