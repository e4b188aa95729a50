"""The right of one process to write to the blogs it crawls, in an archive that many processes share.

A tenure stands on a grant of the database: a fencing number that all its writes carry, and leases of hosts. A thread
says from time to time that the process is alive. When it was silent for too long, the grant is taken away, others may
go on, and what this process still writes is refused (`LeaseLost`).
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

# A grant without a word for this long is taken away.
SILENT_SECONDS = 15.0
# Four words may get lost before that.
BEAT_SECONDS = SILENT_SECONDS / 5
# How often a job may be lost with its worker, each time before it got anywhere, until it is the job's fault.
MOST_LOSSES = 10
# A slice that asked this often got somewhere: what kills its worker is not the first thing it meets.
PROGRESS_REQUESTS = 20


class LeaseHolder:
    """Begins when the first blog is locked, or is taken over from a job that was granted; ends with `close`."""

    def __init__(self, leases: LeaseRepository, worker: str, *, beat_seconds: float = BEAT_SECONDS) -> None:
        self.worker = worker
        self._leases = leases
        self._database = leases.database
        self._beat_seconds = beat_seconds
        self._blogs: set[int] = set()
        # How many locked blogs are on each host that this tenure leased by itself; those of a job are leased anyway.
        self._hosts: dict[str, int] = {}
        self._granted: frozenset[str] = frozenset()
        self._is_granted = False
        self._changing = threading.RLock()
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self._lost = False
        self._on_beat: Callable[[], None] = _nothing
        # What a slice has done so far, for who takes it over.
        self.requests: Callable[[], int] = _none

    @property
    def fence(self) -> int:
        """The fencing number; a grant is asked for if there is none."""
        with self._changing:
            if self._database.fence is None:
                self._begin(self._leases.begin(self.worker))
            fence = self._database.fence
        assert fence is not None  # noqa: S101 - for the type checker
        return fence

    @property
    def is_lost(self) -> bool:
        """Whether the grant was taken away."""
        return self._lost

    def take_over(self, fence: int, hosts: Iterable[str], *, on_beat: Callable[[], None] | None = None) -> None:
        """Work under the grant of a job; `on_beat` is called, in another thread, after each word that was given."""
        with self._changing:
            if self._database.fence is not None:
                raise ValueError("this process works under another grant already")
            self._granted = frozenset(hosts)
            self._is_granted = True
            self._on_beat = on_beat or _nothing
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
            if host not in self._granted:
                self._lease(host)
            self._blogs.add(blog_id)
        try:
            yield
        finally:
            with self._changing:
                self._blogs.discard(blog_id)
                if host not in self._granted:
                    self._free(host)

    def close(self) -> None:
        """Give the grant back, unless it is a job's: whoever did the job does that, with what became of it."""
        self.stop_beating()
        with self._changing:
            fence, self._database.fence = self._database.fence, None
        if fence is None or self._is_granted or self._lost:
            return
        try:
            self._leases.end(fence)
        except EverlogError as error:
            # It is taken away by itself, some seconds later.
            log.debug("lease %d could not be released: %s", fence, error.message)

    def stop_beating(self) -> None:
        """From here on no word is given."""
        self._ending.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        self._thread = None

    def _begin(self, fence: int) -> None:
        self._database.fence = fence
        self._lost = False
        if self._thread is None:
            self._ending.clear()
            self._thread = threading.Thread(target=self._keep_alive, name="everlog-tenure", daemon=True)
            self._thread.start()

    def _renew_if_lost(self) -> None:
        """A computer that slept lost its grant. Where nothing of it is in use, another does as well."""
        if self._lost and not self._is_granted and not self._blogs:
            self._hosts.clear()
            self._database.fence = None

    def _lease(self, host: str) -> None:
        if not self._hosts.get(host):
            busy = self._leased(host)
            if busy is not None and not self._is_granted:
                # Whoever has it may be gone, and there may be no fleet that looks after that.
                expire_silent(self._leases)
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
            if self._is_granted or self._blogs:
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
        while not self._ending.wait(self._beat_seconds):
            fence = self._database.fence
            if fence is None:
                continue
            try:
                alive = self._leases.heartbeat(fence, requests=self.requests())
            except LeaseLost:
                alive = False
            except EverlogError as error:
                # The database is away: others cannot reach it either, and it remembers the last word.
                log.debug("heartbeat not sent: %s", error.message)
                continue
            if not alive and not self._lost and fence == self._database.fence:
                self._lost = True
                log.warning("lease %d lost: this process sent no heartbeat for too long", fence)
            self._on_beat()


def expire_silent(leases: LeaseRepository) -> tuple[Job, ...]:
    """Take grants away from who was silent for too long; their jobs, queued again."""
    return leases.expire(timeout_seconds=SILENT_SECONDS, most_tries=MOST_LOSSES, progress=PROGRESS_REQUESTS)


def _nothing() -> None:
    """Nobody listens."""


def _none() -> int:
    return 0
