"""`everlog fleet`: a look at many machines on one archive, and what to do about them."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from everlog.cli.flags import Flags, takes
from everlog.cli.options import BROKER_IS_AWAY, shared_archive_of
from everlog.cli.terminal.text import json_text
from everlog.core.terminal import CONTROLS
from everlog.errors import ServiceDown, UsageError

fleet = typer.Typer(
    name="fleet", no_args_is_help=True, rich_markup_mode=None, add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    help="""Manage a fleet of workers.

    \b
    Examples:
      everlog fleet status
      everlog fleet drain machine-7-4711
    """,
)


@fleet.command("status")
@takes("broker archive config json quiet verbose")
def fleet_status(*, given: Flags) -> None:
    """Show workers, queues, request rates, overdue feeds and stalled jobs.

    \b
    Example:
      everlog fleet status --archive postgresql://db/everlog --broker redis://queue
    """
    from everlog.cli.terminal.fleet_table import BrokerState, as_dict, print_state
    from everlog.fleet.job_queue import make_job_queue

    settings = given.settings()
    job_queue = make_job_queue(settings.broker)
    with shared_archive_of(settings) as opened:
        state = opened.workers.fleet_state(now=datetime.now(UTC))
        try:
            told = BrokerState(messages=job_queue.depths())
        except ServiceDown as down:
            told = BrokerState(trouble=down.message)
    if given.json:
        print(json_text(as_dict(state, told), ensure_ascii=False, indent=1))
    else:
        print_state(state, told)
    raise typer.Exit(7 if told.trouble else 0)


@fleet.command("rebuild")
@takes("broker archive config quiet verbose")
def fleet_rebuild(*, given: Flags) -> None:
    """Empty the queue and refill it from the database. Safe at any time.

    \b
    Example:
      everlog fleet rebuild --archive postgresql://db/everlog --broker redis://queue
    """
    from everlog.fleet.job_queue import make_job_queue
    from everlog.fleet.reaper import rebuild

    settings = given.settings()
    job_queue = make_job_queue(settings.broker)
    with shared_archive_of(settings) as opened:
        sent = rebuild(opened, job_queue)
    if not given.quiet:
        print(f"{sent} jobs queued again", file=sys.stderr)


@fleet.command("drain")
@takes("archive config quiet verbose")
def fleet_drain(
    name: Annotated[str | None, typer.Argument(metavar="WORKER", help="One worker (default: all).")] = None,
    *, given: Flags,
) -> None:
    """Stop workers: they finish and store what they are doing; other workers continue it.

    \b
    Examples:
      everlog fleet drain --archive postgresql://db/everlog
      everlog fleet drain machine-7-4711
    """
    from everlog.archive.lease_holder import LEASE_TIMEOUT_SECONDS

    settings = given.settings()
    with shared_archive_of(settings) as opened:
        asked = opened.workers.drain(name)
        named = [one for one in opened.workers() if name in {None, one.name}]
        silent = [one for one in named if one.silent_seconds > LEASE_TIMEOUT_SECONDS]
    if name and not asked:
        raise UsageError(f"no worker named {name}", advice="list them:  everlog fleet status")
    if not given.quiet:
        told = f"{asked - len(silent)} workers stop when their blogs are stored" if asked else "no worker is running"
        print(
            told + (f"; {len(silent)} sent no heartbeat and stop if they come back" if silent else ""), file=sys.stderr,
        )


@fleet.command("dead")
@takes("archive config json quiet verbose")
def fleet_dead(
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Show at most N.")] = 100,
    *, given: Flags,
) -> None:
    """List failed jobs and why they were given up.

    \b
    Example:
      everlog fleet dead --archive postgresql://db/everlog
    """
    from everlog.cli.terminal.fleet_table import job_dict

    settings = given.settings()
    with shared_archive_of(settings) as opened:
        jobs = opened.jobs.dead(limit=limit)
    if given.json:
        print(json_text([job_dict(job) for job in jobs], ensure_ascii=False, indent=1))
        return
    for job in jobs:
        reason = " ".join(CONTROLS.sub(" ", job.reason or "").split())
        print(f"{job.id}\t{job.kind}\t{job.url or f'{len(job.blog_ids)} feeds'}\t{reason}")


@fleet.command("cancel")
@takes("archive config quiet verbose")
def fleet_cancel(
    words: Annotated[
        list[str], typer.Argument(metavar="JOB|URL", help="Job numbers from 'fleet status' or 'fleet dead', or blogs."),
    ],
    *, given: Flags,
) -> None:
    """Remove queued or failed jobs. What is archived of their blogs stays.

    \b
    Examples:
      everlog fleet cancel 4711 --archive postgresql://db/everlog
      everlog fleet cancel https://a.blog.example/
    """
    from everlog.usecases.discover.typed_address import fetchable

    settings = given.settings()
    ids: set[int] = set()
    with shared_archive_of(settings) as opened:
        for word in words:
            ids |= {int(word)} if word.isdecimal() else {job.id for job in opened.jobs.find(fetchable(word))}
        cancelled = opened.jobs.cancel(sorted(ids))
    if not cancelled:
        named = ", ".join(words)
        raise UsageError(
            f"no such job, or it is running: {named}", advice="list jobs:  everlog fleet status, everlog fleet dead",
        )
    if not given.quiet:
        others = len(ids) - cancelled
        rest = f", {others} do not exist or are running" if others else ""
        print(f"{cancelled} jobs removed{rest}", file=sys.stderr)


@fleet.command("revive")
@takes("broker archive config quiet verbose")
def fleet_revive(
    ids: Annotated[
        list[int] | None, typer.Argument(metavar="JOB", help="Job numbers (default: all)."),
    ] = None,
    *, given: Flags,
) -> None:
    """Queue failed jobs again.

    \b
    Example:
      everlog fleet revive --archive postgresql://db/everlog --broker redis://queue
    """
    from everlog.archive.job_models import MOST_AT_ONCE
    from everlog.fleet.job_queue import make_job_queue

    settings = given.settings()
    job_queue = make_job_queue(settings.broker)
    with shared_archive_of(settings) as opened:
        revived = part = opened.jobs.revive(ids or None)
        if ids and not revived:
            named = ", ".join(map(str, ids))
            raise UsageError(f"not a failed job: {named}", advice="list them:  everlog fleet dead")
        while not ids and part == MOST_AT_ONCE:
            part = opened.jobs.revive()
            revived += part
        try:
            # Those who look after the fleet hand out the rest, as their queues have room.
            job_queue.send(opened.jobs.wake())
        except ServiceDown as down:
            raise ServiceDown(f"{revived} jobs queued again; {down.message}", advice=BROKER_IS_AWAY) from down
        finally:
            job_queue.close()
    if not given.quiet:
        print(f"{revived} jobs queued again", file=sys.stderr)
