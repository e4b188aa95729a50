"""`everlog watch` with a broker: due feeds are queued for a fleet's workers."""

from __future__ import annotations

import logging
import signal
import threading
from typing import TYPE_CHECKING, Any

import typer

from everlog.cli.options import shared_archive_of

if TYPE_CHECKING:
    from everlog.cli.flags import Flags
    from everlog.fleet.scheduler import ScheduleTally
    from everlog.settings import Settings

log = logging.getLogger("everlog.fleet")

INTERRUPTED = 130
# Where nobody looks, a line now and then is enough.
LINE_EVERY_SECONDS = 60.0


def schedule(settings: Settings, given: Flags, *, once: bool) -> None:
    """Queue due feeds until a signal ends it, or `max_time`; with `once`, until nothing is due."""
    from everlog.fleet.job_queue import make_job_queue
    from everlog.fleet.logs import log_to_stderr
    from everlog.fleet.metrics import serve_metrics
    from everlog.fleet.scheduler import Scheduler
    from everlog.fleet.worker import default_name

    name = f"watch-{default_name()}"
    level = logging.WARNING if given.quiet else logging.DEBUG if given.verbose else logging.INFO
    log_to_stderr(given.log_format, level=level, worker=name)
    job_queue = make_job_queue(settings.broker)
    stop_metrics: Any = None
    done = threading.Event()
    with shared_archive_of(settings) as opened:
        job_queue.depths()
        scheduler = Scheduler(opened, job_queue, name)
        stopped = _stop_on_signals(scheduler)
        thread = threading.Thread(target=_tell_now_and_then, args=(scheduler.tally, done), daemon=True)
        if not given.quiet:
            thread.start()
        try:
            if given.metrics_port is not None:
                stop_metrics = serve_metrics(given.metrics_port, opened, job_queue)
            scheduler.run(once=once, max_seconds=settings.max_time)
        finally:
            done.set()
            if thread.is_alive():
                thread.join()
            if stop_metrics is not None:
                stop_metrics()
            job_queue.close()
    log.info("%s", line_of(scheduler.tally))
    if stopped:
        raise typer.Exit(INTERRUPTED)


def line_of(tally: ScheduleTally) -> str:
    """What a scheduler did, in one line.

    >>> from everlog.fleet.scheduler import ScheduleTally
    >>> line_of(ScheduleTally(feeds=2400, jobs=24, seconds=60.0, waiting=3))
    '2400 feeds queued in 24 jobs, 40.0 feeds/s, 3 jobs waiting for a worker'
    """
    rate = f", {tally.feeds / tally.seconds:.1f} feeds/s" if tally.seconds else ""
    again = f", {tally.resent} jobs queued again" if tally.resent else ""
    return f"{tally.feeds} feeds queued in {tally.jobs} jobs{rate}, {tally.waiting} jobs waiting for a worker{again}"


def _stop_on_signals(scheduler: Any) -> list[int]:
    """The signals that came; a plain list, because a handler runs in the middle of anything."""
    stopped: list[int] = []

    def stop(number: int, _frame: object) -> None:
        stopped.append(number)
        scheduler.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    return stopped


def _tell_now_and_then(tally: ScheduleTally, done: threading.Event) -> None:
    while not done.wait(LINE_EVERY_SECONDS):
        log.info("%s", line_of(tally))
