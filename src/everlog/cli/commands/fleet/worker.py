"""`everlog worker`: one of many machines that work on one archive."""

from __future__ import annotations

import logging
import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from everlog.cli.flags import Flags, takes
from everlog.cli.options import shared_archive_of
from everlog.errors import UsageError

if TYPE_CHECKING:
    from everlog.archive import Archive

# The name of no program: pages that need a browser are left to workers that have one.
NO_BROWSER = "no-browser"


@takes("allow broker archive files spool metrics_port log_format config quiet verbose")
def worker(
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
        str | None, typer.Option("--readers", metavar="N", hidden=True, help="Removed."),
    ] = None,
    slice_seconds: Annotated[
        float | None, typer.Option("--slice-seconds", metavar="S", help="Seconds per slice of a crawl (default: 60)."),
    ] = None,
    slice_pages: Annotated[
        int | None, typer.Option("--slice-pages", metavar="N", help="Pages per slice at most (default: 500)."),
    ] = None,
    *, given: Flags,
) -> None:
    """Run jobs from a fleet's queue until stopped. Start as many workers as you like, on any machine.

    Ctrl-C or SIGTERM stops it cleanly: running crawls are stored, and other workers continue them.

    \b
    Examples:
      everlog worker --archive postgresql://db/everlog --files /srv/blogs --broker redis://queue
      everlog worker -n 8 --no-browser --metrics-port 9100 --log-format json
    """
    from everlog.fleet.job_queue import make_job_queue
    from everlog.fleet.logs import log_to_stderr
    from everlog.fleet.metrics import serve_metrics
    from everlog.fleet.worker import WorkerPlan, default_name, run_worker
    from everlog.usecases.page.rendering import can_render

    if readers is not None:
        raise UsageError(
            "--readers was removed: it made the crawl of one huge blog only 1.27 times as fast",
            advice="leave it out: a plain worker crawls such a blog by itself, and more workers crawl more blogs",
        )
    settings = given.settings(
        slice_seconds=slice_seconds, slice_pages=slice_pages, browser=NO_BROWSER if browser is False else None,
    )
    if settings.max_time is not None:
        raise UsageError(
            "max_time does not work in a fleet, whose crawls run in slices", advice="set slice_seconds or max_pages",
        )
    name = name or default_name()
    level = logging.WARNING if given.quiet else logging.DEBUG if given.verbose else logging.INFO
    log_to_stderr(given.log_format, level=level, worker=name)
    job_queue = make_job_queue(settings.broker)
    has_browser = can_render(settings)
    if browser and not has_browser:
        from everlog.render.find_chromium import how_to_get_a_browser

        raise UsageError("no browser found", advice=f"{how_to_get_a_browser()}\n  or leave out --browser")

    def open_shared() -> Archive:
        return shared_archive_of(settings)

    with ExitStack() as stack:
        def ready(opened: Archive) -> None:
            if given.metrics_port is not None:
                stack.callback(serve_metrics(given.metrics_port, opened, job_queue, worker=name))

        plan = WorkerPlan(name=name, processes=processes or 2 * (os.cpu_count() or 1), has_browser=has_browser)
        code = run_worker(plan, settings, job_queue, open_shared=open_shared, on_ready=ready)
    raise typer.Exit(code)
