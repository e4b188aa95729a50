"""Worker of a fleet: takes messages from the queue, and runs each slice in a process of its own."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import threading
import warnings
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from everlog.archive.job_models import QUEUES, WITH_BROWSER, Job
from everlog.errors import DamagedArchive, DiskFull, EverlogError, NewerArchive, ServiceDown, UsageError
from everlog.fleet.job_queue import NAMES, SLICE, JobQueue
from everlog.fleet.processes import in_own_process, warm_up
from everlog.fleet.reaper import ROUND_SECONDS, Reaper
from everlog.fleet.slices import do_slice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from celery import Celery

    from everlog.archive import Archive
    from everlog.settings import Settings

log = logging.getLogger("everlog.fleet")

# A slice that has not ended so long after its time hangs: its process is ended, and the database queues the job again.
# A blog without a feed is learned from 40 pages, and a host may ask for a minute between two.
HANGS_SECONDS = 5_400.0
INTERRUPTED = 130
# What the process of a slice ends with if its worker cannot do any job: this, and the exit code of the reason.
UNUSABLE = 64
# What is wrong with an archive that cannot be opened, or its files; it would be for every job.
OF_THE_ARCHIVE = (DamagedArchive, DiskFull, NewerArchive, UsageError)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerPlan:
    """Kind of worker: its name, how many slices at once, whether it has a browser."""

    name: str
    processes: int
    has_browser: bool

    @property
    def queues(self) -> tuple[str, ...]:
        """Queues it serves, in their order."""
        return tuple(queue for queue in QUEUES if self.has_browser or not queue.endswith(WITH_BROWSER))


def default_name() -> str:
    """Name that no other worker has: the machine's, and this process's id."""
    return f"{socket.gethostname()}-{os.getpid()}"


def run_worker(
    plan: WorkerPlan, settings: Settings, job_queue: JobQueue, *, open_shared: Callable[[], Archive],
    on_ready: Callable[[Archive], None] = lambda _: None,
) -> int:
    """Worker that runs until a signal stops it, the fleet is drained, or nothing can be stored. The exit code.

    `on_ready` is called when it is known that there is something to work with; what an earlier worker left is uploaded
    after that, which may take a while.
    """
    with ExitStack() as stack:
        archive = stack.enter_context(open_shared())
        stack.callback(job_queue.close)
        # Files that cannot be written, and a broker that is down, are better known now.
        archive.backend.file_store.want_room()
        job_queue.depths()
        on_ready(archive)
        archive.writers.recover()
        warm_up()
        archive.workers.sign_in(plan.name, processes=plan.processes, has_browser=plan.has_browser)
        stack.callback(_sign_out, archive, plan.name)
        return _serve(plan, settings, job_queue, archive, open_shared)


def _sign_out(archive: Archive, name: str) -> None:
    try:
        archive.workers.sign_out(name)
    except EverlogError as error:
        log.warning("%s", error.message)


def _serve(
    plan: WorkerPlan, settings: Settings, job_queue: JobQueue, archive: Archive, open_shared: Callable[[], Archive],
) -> int:
    from celery import bootsteps, signals  # noqa: PLC0415 - only workers need it
    from celery.platforms import SecurityWarning  # noqa: PLC0415

    app = job_queue.app
    stop_request = StopRequest()
    _add_task(app, plan, settings, job_queue.broker, open_shared, stop_request)
    reaper = Reaper(archive, job_queue, plan.name)
    worker: Any = None

    def reap() -> None:
        reaper.round()
        try:
            if _should_stop(archive, plan.name, stop_request):
                log.info("draining: taking no more jobs")
                _stop(worker)
        except EverlogError:
            pass  # the reaper has logged it, or does in its next round

    class ReaperStep(bootsteps.StartStopStep):  # type: ignore[misc]
        """Step of Celery whose timer calls the reaper: a thread of ours is not safe where processes are forked."""

        requires = ("celery.worker.components:Timer",)

        def start(self, parent: Any) -> None:
            self.repeated = parent.timer.call_repeatedly(ROUND_SECONDS, reap, priority=10)

        def stop(self, _parent: Any) -> None:
            self.repeated.cancel()

    received: list[int] = []

    def drain_self() -> None:
        # The processes learn of it with their next heartbeat, and end their slices early.
        log.info("stopping: finishing running slices first")
        try:
            archive.workers.drain(plan.name)
        except EverlogError as error:
            log.warning("%s", error.message)

    def on_signal(number: int, _frame: object) -> None:
        if received:
            os._exit(INTERRUPTED)  # what is stored is safe, the rest is queued again by the database
        received.append(number)
        # Celery looks at this also while it waits for a broker that is away. No process is forked from here on, and a
        # signal may have come in the middle of anything: so the database is told in a thread.
        _stop(worker)
        threading.Thread(target=drain_self, daemon=True).start()

    def handle_signals(**_: Any) -> None:
        # Celery's own handlers do not know the database, and write to where only the log belongs.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, on_signal)

    app.steps["worker"].add(ReaperStep)
    signals.worker_process_init.connect(_ignore_sigterm, weak=False)
    # It speaks of flags of Celery's that there are none of here; what a message may do here is name a number.
    warnings.filterwarnings("ignore", category=SecurityWarning)
    signals.worker_ready.connect(handle_signals, weak=False)
    worker = app.Worker(
        hostname=f"everlog@{plan.name}", concurrency=plan.processes, pool="prefork", quiet=True, optimization="fair",
        queues=[NAMES[queue] for queue in plan.queues], loglevel="WARNING", task_events=False,
        without_gossip=True, without_mingle=True, without_heartbeat=True,
        time_limit=settings.slice_seconds + HANGS_SECONDS,
    )
    log.info(
        "%s takes jobs from %s, %d at a time", plan.name, ", ".join(plan.queues), plan.processes,
        extra={"worker": plan.name},
    )
    worker.start()
    return stop_request.code or (INTERRUPTED if signal.SIGINT in received else int(worker.exitcode or 0))


def _ignore_sigterm(**_: Any) -> None:
    """SIGTERM to the whole process group is the worker's to handle; its slices are drained in order."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _should_stop(archive: Archive, name: str, stop_request: StopRequest) -> bool:
    """Heartbeat of a worker; whether somebody, or one of its own slices, has asked it to stop."""
    if stop_request.code:
        archive.workers.drain(name)
    return archive.workers.heartbeat(name)


class StopRequest:
    """Stop request of a slice's process to its worker, which would fail at every job."""

    def __init__(self) -> None:
        self._code = multiprocessing.get_context("fork").Value("i", 0)

    @property
    def code(self) -> int:
        """The exit code; 0 as long as nothing is wrong."""
        return int(self._code.value)

    def ask(self, code: int) -> None:
        """Stop the worker with this code at its next heartbeat; the first request counts."""
        with self._code.get_lock():
            self._code.value = self._code.value or code


def _add_task(
    app: Celery, plan: WorkerPlan, settings: Settings, broker: str, open_shared: Callable[[], Archive],
    stop_request: StopRequest,
) -> None:
    def enqueue(jobs: Sequence[Job]) -> None:
        # Connections of the parent process are not this one's.
        own = JobQueue(broker)
        try:
            own.send(jobs)
        except ServiceDown as down:
            log.warning("%s", down.message)
        finally:
            own.close()

    def do(job_id: int) -> int:
        try:
            done = do_slice(job_id, settings, plan.name, open_shared=open_shared, enqueue=enqueue)
        except ServiceDown as down:
            # The database brings the job back.
            log.error("%s", down.message, extra={"job": job_id})  # noqa: TRY400 - no bug, so no traceback
            return 0
        except EverlogError as error:
            # Files that are not mounted, tables that are newer: not what others do at the same time.
            log.error("%s", error.message, extra={"job": job_id})  # noqa: TRY400 - as above
            return UNUSABLE + error.exit_code if isinstance(error, OF_THE_ARCHIVE) else 0
        return UNUSABLE + done.unusable.exit_code if done is not None and done.unusable is not None else 0

    def run_in_child(job_id: int) -> None:
        code = in_own_process(lambda: do(job_id))
        if UNUSABLE < code < INTERRUPTED:
            # It would take every job, and do none.
            log.error("this worker cannot use the archive; stopping")
            stop_request.ask(code - UNUSABLE)
        elif code:
            # There are no more heartbeats, so the reaper queues the job again.
            log.error("the process of a slice exited with code %d", code, extra={"job": job_id})

    app.task(name=SLICE, bind=False)(run_in_child)


def _stop(worker: Any) -> None:
    from celery.worker import state  # noqa: PLC0415 - as above

    if worker is not None and state.should_stop is None:
        state.should_stop = 0
