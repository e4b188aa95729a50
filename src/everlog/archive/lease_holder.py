"""Lease holder: the right of one process to write to the blogs it crawls, in an archive that many processes share.

It holds a lease of the database, with a fencing number that all its writes carry, and leases of hosts. A thread sends
heartbeats. When none came for too long, the lease is taken away, others may go on, and what this process still writes
is refused (`LeaseLost`).
"""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from everlog.errors import ArchiveBusy, EverlogError, LeaseLost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from everlog.archive.job_models import Job
    from everlog.archive.repos.leases import LeaseRepository

log = logging.getLogger("everlog")

# A lease without a heartbeat for this long is taken away.
LEASE_TIMEOUT_SECONDS = 15.0
# Four heartbeats may get lost before that.
HEARTBEAT_SECONDS = LEASE_TIMEOUT_SECONDS / 5
# How often a job may be lost with its worker, each time before it got anywhere, until it is the job's fault.
MOST_LOSSES = 10
# A slice that asked this often got somewhere: what kills its worker is not the first thing it meets.
PROGRESS_REQUESTS = 20


class LeaseHolder:
    """Holder of a lease: from when the first blog is locked, or the lease of a job is taken over, until `close`."""

    def __init__(self, leases: LeaseRepository, worker: str, *, heartbeat_seconds: float = HEARTBEAT_SECONDS) -> None:
        self.worker = worker
        self._leases = leases
        self._database = leases.database
        self._heartbeat_seconds = heartbeat_seconds
        self._blogs: set[int] = set()
        # How many locked blogs are on each host that this process leased by itself; those of a job are leased anyway.
        self._hosts: dict[str, int] = {}
        self._leased_hosts: frozenset[str] = frozenset()
        self._is_of_job = False
        self._changing = threading.RLock()
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self._lost = False
        self._on_heartbeat: Callable[[], None] = _nothing
        # What a slice has done so far, for who takes it over.
        self.requests: Callable[[], int] = _none

    @property
    def fence(self) -> int:
        """Fencing number of the lease; one is begun if there is none."""
        with self._changing:
            if self._database.fence is None:
                self._begin(self._leases.begin(self.worker))
            fence = self._database.fence
        assert fence is not None  # noqa: S101 - for the type checker
        return fence

    @property
    def is_lost(self) -> bool:
        """Whether the lease was taken away."""
        return self._lost

    def take_over(self, fence: int, hosts: Iterable[str], *, on_heartbeat: Callable[[], None] | None = None) -> None:
        """Work under the lease of a job; `on_heartbeat` is called, in another thread, after each heartbeat."""
        with self._changing:
            if self._database.fence is not None:
                raise ValueError("this process works under another lease already")
            self._leased_hosts = frozenset(hosts)
            self._is_of_job = True
            self._on_heartbeat = on_heartbeat or _nothing
            self._begin(fence)

    @contextmanager
    def of_blog(self, blog_id: int, host: str) -> Iterator[None]:
        """The right to write to one blog of a host that nobody else crawls meanwhile."""
        with self._changing:
            if blog_id in self._blogs:
                raise ArchiveBusy(
                    "a crawl of this blog is running in this process", advice="wait for it to finish, or stop it",
                )
            self._renew_if_lost()
            if host not in self._leased_hosts:
                self._lease(host)
            self._blogs.add(blog_id)
        try:
            yield
        finally:
            with self._changing:
                self._blogs.discard(blog_id)
                if host not in self._leased_hosts:
                    self._free(host)

    def close(self) -> None:
        """End the lease, unless it is a job's: whoever did the job does that, with what became of it."""
        self.stop_heartbeats()
        with self._changing:
            fence, self._database.fence = self._database.fence, None
        if fence is None or self._is_of_job or self._lost:
            return
        try:
            self._leases.end(fence)
        except EverlogError as error:
            # It is taken away by itself, some seconds later.
            log.debug("lease %d could not be released: %s", fence, error.message)

    def stop_heartbeats(self) -> None:
        """From here on no heartbeat is sent."""
        self._ending.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        self._thread = None

    def _begin(self, fence: int) -> None:
        self._database.fence = fence
        self._lost = False
        if self._thread is None:
            self._ending.clear()
            self._thread = threading.Thread(target=self._keep_alive, name="everlog-heartbeat", daemon=True)
            self._thread.start()

    def _renew_if_lost(self) -> None:
        """A computer that slept lost its lease. Where nothing of it is in use, another does as well."""
        if self._lost and not self._is_of_job and not self._blogs:
            self._hosts.clear()
            self._database.fence = None

    def _lease(self, host: str) -> None:
        if not self._hosts.get(host):
            busy = self._leased(host)
            if busy is not None and not self._is_of_job:
                # Whoever has it may be gone, and there may be no fleet that looks after that.
                expire_leases(self._leases)
                busy = self._leased(host)
            if busy is not None:
                raise ArchiveBusy(
                    f"{host} is being crawled by {busy}", advice="wait for it to finish, or stop it", host=host,
                )
        self._hosts[host] = self._hosts.get(host, 0) + 1

    def _leased(self, host: str) -> str | None:
        try:
            return self._leases.lease_host(self.fence, host)
        except LeaseLost:
            self._lost = True
            if self._is_of_job or self._blogs:
                raise
        self._renew_if_lost()
        return self._leases.lease_host(self.fence, host)

    def _free(self, host: str) -> None:
        self._hosts[host] -= 1
        if self._hosts[host]:
            return
        del self._hosts[host]
        try:
            self._leases.release_host(self.fence, host)
        except LeaseLost:
            self._lost = True
        except EverlogError as error:
            log.debug("the lease of host %s could not be released: %s", host, error.message)

    def _keep_alive(self) -> None:
        while not self._ending.wait(self._heartbeat_seconds):
            fence = self._database.fence
            if fence is None:
                continue
            try:
                alive = self._leases.heartbeat(fence, requests=self.requests())
            except LeaseLost:
                alive = False
            except EverlogError as error:
                # The database is away: others cannot reach it either, and it remembers the last heartbeat.
                log.debug("heartbeat not sent: %s", error.message)
                continue
            if not alive and not self._lost and fence == self._database.fence:
                self._lost = True
                log.warning("lease %d lost: this process sent no heartbeat for too long", fence)
            self._on_heartbeat()


def expire_leases(leases: LeaseRepository) -> tuple[Job, ...]:
    """Take leases away that had no heartbeat for too long; their jobs, queued again."""
    return leases.expire(timeout_seconds=LEASE_TIMEOUT_SECONDS, most_tries=MOST_LOSSES, progress=PROGRESS_REQUESTS)


def _nothing() -> None:
    """Nobody listens."""


def _none() -> int:
    return 0
