"""`everlog worker`: one of many machines that work on one archive."""

from __future__ import annotations

import logging
import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from everlog.cli.fleet_options import BrokerFlag, LogFormatFlag, MetricsFlag, shared_archive_of
from everlog.cli.options import (
    AllowFlag,
    ArchiveFlag,
    ConfigFlag,
    FilesFlag,
    QuietFlag,
    SpoolFlag,
    VerboseFlag,
    allowed,
    settings_from,
)
from everlog.errors import UsageError

if TYPE_CHECKING:
    from everlog.archive import Archive

# The name of no program: pages that need a browser are left to workers that have one.
NO_BROWSER = "no-browser"


def worker(  # noqa: PLR0913, PLR0917 - one parameter per flag
    processes: Annotated[
        int | None, typer.Option("--processes", "-n", metavar="N", min=1, help="Blogs at once (default: 2 per core)."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Name of this worker (default: machine and process id)."),
    ] = None,
    browser: Annotated[
        bool | None,
        typer.Option("--browser/--no-browser", help="Render pages in a browser (default: if one is found)."),
    ] = None,
    readers: Annotated[
        int | None,
        typer.Option("--readers", metavar="N", min=1, help="Only parse pages that others fetch of huge blogs."),
    ] = None,
    slice_seconds: Annotated[
        float | None, typer.Option("--slice-seconds", metavar="S", help="Seconds per slice of a crawl (default: 60)."),
    ] = None,
    slice_pages: Annotated[
        int | None, typer.Option("--slice-pages", metavar="N", help="Pages per slice at most (default: 500)."),
    ] = None,
    allow: AllowFlag = None,
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
    """Run jobs from a fleet's queue until stopped. Start as many workers as you like, on any machine.

    Ctrl-C or SIGTERM stops it cleanly: running crawls are stored, and other workers continue them.

    \b
    Examples:
      everlog worker --archive postgresql://db/everlog --files /srv/blogs --broker redis://queue
      everlog worker -n 8 --no-browser --metrics-port 9100 --log-format json
      everlog worker --readers 4
    """
    from everlog.fleet.engine import make_engine
    from everlog.fleet.figures import serve_figures
    from everlog.fleet.logs import log_to_stderr
    from everlog.fleet.readers import ReadersPlan, run_readers
    from everlog.fleet.worker import WorkerPlan, default_name, run_worker
    from everlog.usecases.page.rendering import can_draw

    settings = settings_from(
        config, archive=archive, files=files, spool=spool, broker=broker, slice_seconds=slice_seconds,
        slice_pages=slice_pages, browser=NO_BROWSER if browser is False else None,
        allow=allowed(allow),
    )
    if settings.max_time is not None:
        raise UsageError(
            "max_time does not work in a fleet, whose crawls run in slices", advice="set slice_seconds or max_pages",
        )
    if readers is not None:
        _refuse_with_readers({
            "--processes": processes, "--browser" if browser else "--no-browser": browser,
            "--slice-seconds": slice_seconds, "--slice-pages": slice_pages, "--allow": allow,
        })
    name = name or default_name()
    level = logging.WARNING if quiet else logging.DEBUG if verbose else logging.INFO
    log_to_stderr(log_format, level=level, worker=name)
    engine = make_engine(settings.broker)
    has_browser = readers is None and can_draw(settings)
    if browser and not has_browser:
        from everlog.render.find_chromium import how_to_get_a_browser

        raise UsageError("no browser found", advice=f"{how_to_get_a_browser()}\n  or leave out --browser")

    def open_shared() -> Archive:
        return shared_archive_of(settings)

    with ExitStack() as stack:
        def ready(opened: Archive) -> None:
            if metrics_port is not None:
                stack.callback(serve_figures(metrics_port, opened, engine, worker=name))

        if readers is not None:
            reading = ReadersPlan(name=name, processes=readers)
            code = run_readers(reading, engine, open_shared=open_shared, on_ready=ready)
        else:
            plan = WorkerPlan(name=name, processes=processes or 2 * (os.cpu_count() or 1), has_browser=has_browser)
            code = run_worker(plan, settings, engine, open_shared=open_shared, on_ready=ready)
    raise typer.Exit(code)


def _refuse_with_readers(flags: dict[str, object]) -> None:
    """Who only reads fetches nothing: flags that say how would be passed over in silence."""
    for flag, value in flags.items():
        if value is not None:
            raise UsageError(
                f"{flag} cannot be combined with --readers, which fetches nothing", advice=f"leave out {flag}",
            )
