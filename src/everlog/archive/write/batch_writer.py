"""A thread that stores visits in groups: syncs are shared, the promise to each visit is not."""

from __future__ import annotations

import threading
import time
from collections import deque
from concurrent.futures import Future
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.archive.archive import Archive
    from everlog.archive.models import Acknowledged
    from everlog.records import Visit

    Waiting = tuple[Visit, int, "Future[Acknowledged]"]

# A group waits for one sync of the WARC file and one of the database together. While those run, what
# the crawl brings gathers; these are only upper ends, for the memory's sake.
MOST_VISITS = 64
# A group is not begun sooner than this after the one before, unless somebody waits for it: its statements cost the
# same for three visits as for thirty. At 45 pages a second this thread took 2.7 ms of processor time a page without
# it, 1.8 ms with 0.2 s, 1.5 ms with 0.5 s. A crawl that asks once a second does not notice.
GATHER_SECONDS = 0.5
MOST_BYTES = 32_000_000
# What may wait behind the group that is being written.
QUEUE_BYTES = 64_000_000
# Bodies on the disk count like those in memory: they take room there, too.
# A visit without a body still takes room for its links.
_LEAST_BYTES = 1_000


class BatchWriter:
    """Takes visits from any thread, and acknowledges each once it is safe."""

    def __init__(self, archive: Archive, *, queue_bytes: int = QUEUE_BYTES) -> None:
        self._archive = archive
        self._queue_bytes = queue_bytes
        self._waiting: deque[Waiting] = deque()
        self._bytes = 0
        self._changed = threading.Condition()
        self._closing = False
        self._is_urgent = False
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="everlog-writer", daemon=True)
        self._thread.start()

    def submit(self, visit: Visit) -> Future[Acknowledged]:
        """The promise to store a visit. Waits while too much waits already."""
        size = _size(visit)
        future: Future[Acknowledged] = Future()
        # A visit that is under way cannot be called back, so nobody may cancel its future.
        future.set_running_or_notify_cancel()
        with self._changed:
            self._changed.wait_for(self._has_room)
            if self._failure is not None:
                raise self._failure
            if self._closing:
                raise ValueError("the writer is closed")
            self._waiting.append((visit, size, future))
            self._bytes += size
            # The thread sleeps on while more may gather: waking it costs more than to take a visit in.
            if len(self._waiting) == 1 or self._is_wanted():
                self._changed.notify_all()
        return future

    def hurry(self) -> None:
        """Store what waits at once: somebody can do nothing before that."""
        with self._changed:
            self._is_urgent = bool(self._waiting)
            self._changed.notify_all()

    @property
    def full(self) -> bool:
        """Whether `submit` would wait now."""
        with self._changed:
            return not self._has_room()

    def close(self) -> None:
        """Store all that waits, then end."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _has_room(self) -> bool:
        return self._bytes < self._queue_bytes or self._closing or self._failure is not None

    def _run(self) -> None:
        due = 0.0
        while group := self._next_group(due):
            due = time.monotonic() + GATHER_SECONDS
            try:
                acknowledged = self._archive.commit([visit for visit, _, _ in group])
            except BaseException as error:  # noqa: BLE001 - whoever waits for the futures must hear of anything
                self._fail(group, error)
                return
            for (_, _, future), word in zip(group, acknowledged, strict=True):
                future.set_result(word)

    def _next_group(self, due: float) -> list[Waiting]:
        """What has gathered until it is due, up to a size; empty when there is nothing more to come."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing)
            self._changed.wait_for(self._is_wanted, max(0.0, due - time.monotonic()))
            self._is_urgent = False
            group: list[Waiting] = []
            size = 0
            while self._waiting and len(group) < MOST_VISITS:
                if group and size + self._waiting[0][1] > MOST_BYTES:
                    break
                group.append(self._waiting.popleft())
                size += group[-1][1]
            self._bytes -= size
            self._changed.notify_all()
            return group

    def _is_wanted(self) -> bool:
        is_much = len(self._waiting) >= MOST_VISITS or self._bytes >= MOST_BYTES or not self._has_room()
        return is_much or self._is_urgent or self._closing

    def _fail(self, group: Sequence[Waiting], error: BaseException) -> None:
        with self._changed:
            self._failure = error
            left = [*group, *self._waiting]
            self._waiting.clear()
            self._bytes = 0
            self._changed.notify_all()
        for _, _, future in left:
            future.set_exception(error)


def _size(visit: Visit) -> int:
    return _LEAST_BYTES + sum(exchange.size for exchange in visit.exchanges)
