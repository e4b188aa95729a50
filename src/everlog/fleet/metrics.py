"""Prometheus metrics of a fleet, read from the database and the queue when they are asked for."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from everlog.errors import EverlogError, UsageError
from everlog.extras import line_for_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from everlog.archive import Archive
    from everlog.archive.job_models import FleetState, WorkerState
    from everlog.fleet.job_queue import JobQueue

log = logging.getLogger("everlog.fleet")


def serve_metrics(port: int, archive: Archive, job_queue: JobQueue, *, worker: str | None = None) -> Callable[[], None]:
    """Metrics endpoint on a port: a worker's has its own metrics, a scheduler's those of all. Gives what stops it."""
    try:
        from prometheus_client import CollectorRegistry, start_http_server  # noqa: PLC0415 - only fleets need it
    except ImportError:
        advice = f"install what fleets need:  {line_for_extra('fleet')}"
        raise UsageError("prometheus-client is not installed", advice=advice) from None

    registry = CollectorRegistry()
    registry.register(FleetCollector(archive, job_queue, worker=worker))
    try:
        server, thread = start_http_server(port, registry=registry)
    except OSError as error:
        what = f"port {port} cannot be used: {error.strerror}"
        raise UsageError(what, advice="pass another with --metrics-port") from None

    def stop() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return stop


class FleetCollector:
    """Collector for Prometheus: nothing is counted here, the database has it all."""

    def __init__(self, archive: Archive, job_queue: JobQueue, *, worker: str | None = None) -> None:
        self._archive = archive
        self._job_queue = job_queue
        self._worker = worker

    def describe(self) -> tuple[Any, ...]:
        """Nothing is asked of the database before somebody wants to know."""
        return ()

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import GaugeMetricFamily as Gauge  # noqa: PLC0415 - as above

        try:
            found = list(self._of_all() if self._worker is None else self._of_one(self._worker))
        except EverlogError as error:
            log.warning("%s", error.message)
            yield Gauge("everlog_up", "Whether database and broker are reachable", value=0)
            return
        yield Gauge("everlog_up", "Whether database and broker are reachable", value=1)
        yield from found

    def _of_one(self, worker: str) -> Iterator[Any]:
        """Nothing that grows with the archive: a fleet has many workers, and each is asked often."""
        yield from _of_workers([one for one in self._archive.workers() if one.name == worker])

    def _of_all(self) -> Iterator[Any]:
        from prometheus_client.core import GaugeMetricFamily as Gauge  # noqa: PLC0415 - as above

        state = self._archive.workers.fleet_state(now=datetime.now(UTC))
        yield from _of_workers(state.workers)
        yield from _of_fleet(state)
        messages = Gauge("everlog_queue_messages", "Messages in the broker's queue", labels=["queue"])
        for queue, count in self._job_queue.depths().items():
            messages.add_metric([queue], count)
        yield messages


def _of_workers(workers: Sequence[WorkerState]) -> Iterator[Any]:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily  # noqa: PLC0415 - as above

    counted = {
        "slices": "Slices of jobs done", "requests": "Pages and feeds fetched", "posts": "New posts stored",
        "failures": "Slices that failed", "busy_seconds": "Seconds spent on slices",
    }
    for name, text in counted.items():
        counter = CounterMetricFamily(f"everlog_worker_{name}", text, labels=["worker"])
        for one in workers:
            counter.add_metric([one.name], getattr(one, name))
        yield counter
    heartbeat = GaugeMetricFamily(
        "everlog_worker_silent_seconds", "Since the worker's last heartbeat", labels=["worker"],
    )
    processes = GaugeMetricFamily("everlog_worker_processes", "Slices it runs at once", labels=["worker"])
    for one in workers:
        heartbeat.add_metric([one.name], one.silent_seconds)
        processes.add_metric([one.name], one.processes)
    yield heartbeat
    yield processes


def _of_fleet(state: FleetState) -> Iterator[Any]:
    from prometheus_client.core import GaugeMetricFamily as Gauge  # noqa: PLC0415 - as above

    jobs = Gauge("everlog_jobs", "Jobs by state", labels=["state"])
    for name in ("queued", "parked", "running", "dead"):
        jobs.add_metric([name], state.states.get(name, 0))
    yield jobs
    queued = Gauge("everlog_queue_jobs", "Queued jobs, by queue", labels=["queue"])
    for queue, count in state.depths.items():
        queued.add_metric([queue], count)
    yield queued
    yield Gauge("everlog_feeds_due", "Feeds that are due", value=state.due)
    late = (datetime.now(UTC) - state.oldest_due_at).total_seconds() if state.oldest_due_at else 0.0
    yield Gauge("everlog_feeds_oldest_due_seconds", "How late the most overdue feed is", value=max(late, 0.0))
    oldest = state.oldest_queued_seconds or 0.0
    yield Gauge("everlog_queue_oldest_seconds", "How long the oldest queued job has waited", value=oldest)
    longest = max((one.silent_seconds for one in state.running), default=0.0)
    yield Gauge("everlog_running_silent_seconds", "Longest time since a heartbeat of a running slice", value=longest)
