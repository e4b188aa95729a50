"""A small fleet on loopback: an archive in PostgreSQL, a queue in Redis, and workers as processes of their own."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from cli.program import Done, command, environment, everlog
from everlog.archive import Archive, open_archive
from everlog.archive.db import schema
from everlog.archive.job_models import NewJob
from everlog.core.urls import host_of
from everlog.usecases.discover.stored_allowlist import note_typed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from everlog.archive.job_models import Job
    from fetch.servers import Server

# Nobody waits so long unless something hangs, on however busy a machine.
PATIENCE_SECONDS = 300.0


@dataclass(slots=True, kw_only=True)
class Fleet:
    """Where a fleet is, and the workers that were started."""

    archive: str
    broker: str
    folder: Path
    workers: list[subprocess.Popen[str]] = field(default_factory=list)

    @property
    def files(self) -> str:
        return str(self.folder / "files")

    def open(self) -> Archive:
        return open_archive(self.archive, create=True, files=self.files)

    def run(self, *words: str, stdin: str = "") -> Done:
        """A command of the program, with this fleet's archive and queue."""
        return everlog(*words, folder=self.folder, stdin=stdin, **self._variables())

    def worker(self, name: str, *words: str, log: str = "text") -> subprocess.Popen[str]:
        """A worker, in a process group of its own; what it says goes to a file of its name."""
        with (self.folder / f"{name}.log").open("a") as said:
            process = subprocess.Popen(
                command("worker", "--name", name, "--no-browser", "--processes", "1", "--log-format", log, *words),
                cwd=self.folder, env=environment(**self._variables()), stdin=subprocess.DEVNULL, stdout=said,
                stderr=said, text=True, start_new_session=True,
            )
        self.workers.append(process)
        return process

    def said(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text()

    def kill(self, process: subprocess.Popen[str]) -> None:
        """End a worker and its processes without a word, as the power does."""
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def _variables(self) -> dict[str, str]:
        return {
            "EVERLOG_ARCHIVE": self.archive, "EVERLOG_BROKER": self.broker, "EVERLOG_FILES": self.files,
            "EVERLOG_DELAY": "0",
        }


@contextmanager
def a_fleet(archive: str, broker: str, folder: Path) -> Iterator[Fleet]:
    """A fleet without workers; those that were started are gone when it ends."""
    fleet = Fleet(archive=archive, broker=broker, folder=folder)
    try:
        yield fleet
    finally:
        for process in fleet.workers:
            fleet.kill(process)


def until(condition: Callable[[], Any], *, seconds: float = PATIENCE_SECONDS) -> Any:
    """What a condition gives once it holds; it is asked again and again, and fails if it never holds."""
    deadline, never = time.monotonic() + seconds, threading.Event()
    while not (found := condition()):
        assert time.monotonic() < deadline, "it never came true"
        never.wait(0.05)
    return found


def crawl_jobs(archive: Archive, urls: Sequence[str], **settings: Any) -> tuple[Job, ...]:
    """Jobs for blogs, queued in the database as if their addresses were typed."""
    note_typed(urls, archive)
    return archive.jobs.add([NewJob(kind="crawl", url=url, host=host_of(url), settings=settings) for url in urls])


def no_job_left(archive: Archive) -> bool:
    """Whether all that was to be done is done, or given up."""
    states = dict(archive.workers.fleet_state(now=_now()).states)
    return not any(states.get(name) for name in ("queued", "parked", "running"))


def _now() -> Any:
    from datetime import UTC, datetime

    return datetime.now(UTC)


def posts_of(archive: Archive) -> dict[str, tuple[str | None, str]]:
    """Title and text of all posts, by their paths: servers differ in their ports."""
    return {post.url.rpartition(":")[2].partition("/")[2]: (post.title, post.text) for post in archive.posts()}


def asked(server: Server) -> Counter[str]:
    """How often each address was asked for, but for robots.txt."""
    return Counter(seen.path for seen in server.seen if seen.path != "/robots.txt")


def wait_until_it_hears_of_its_end(archive: Archive, name: str) -> None:
    """Wait until the one slice of a worker knows that the worker is to end; it asks after each heartbeat."""

    def is_draining() -> bool:
        return any(
            worker.name == name and worker.is_draining for worker in archive.workers.fleet_state(now=_now()).workers
        )

    def last_heartbeat() -> float:
        with archive.backend.database.reading() as connection:
            # There are no more heartbeats where the slice has ended already.
            return connection.execute(select(func.max(schema.grants.c.beat))).scalar_one() or math.inf

    until(is_draining)
    # It may have asked just before; what it was told after the next heartbeat it knows at the one after.
    for _ in range(2):
        before = last_heartbeat()
        until(lambda before=before: last_heartbeat() > before or math.isinf(before))


def keep_awake(archive: Archive) -> None:
    """No worker that has signed in times out while a test lasts, though nobody sends heartbeats for it."""
    with archive.backend.database.writing() as connection:
        connection.execute(schema.workers.update().values(beat=schema.workers.c.beat + 3_600))


def let_time_pass(archive: Archive, *, seconds: float) -> None:
    """As if the last heartbeats of all workers and grants, and all messages, were older."""
    with archive.backend.database.writing() as connection:
        connection.execute(schema.grants.update().values(beat=schema.grants.c.beat - seconds))
        connection.execute(schema.workers.update().values(beat=schema.workers.c.beat - seconds))
        connection.execute(schema.jobs.update().values(queued_at=schema.jobs.c.queued_at - seconds))
