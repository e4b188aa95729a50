"""Host statistics: what one session requested of each host, and what it waited for, until an archive takes it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from everlog.core.fetcher import HostStats, Waited

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from everlog.core.politeness import Cause
    from everlog.fetch.throttle import HeldOff, Spells


@dataclass(slots=True)
class _Figures:
    requests: int = 0
    bytes: int = 0
    slowed: int = 0
    waited_seconds: float = 0.0
    asked_at: datetime | None = None
    waits: dict[Cause, Waited] = field(default_factory=dict)


class HostStatsBook:
    """Adds up, by host and by cause."""

    def __init__(self) -> None:
        self._hosts: dict[str, _Figures] = {}

    def requested(self, host: str, at: datetime, *, wire_bytes: int = 0, slowed: bool = False) -> None:
        """A request went out; `slowed` says that its answer made the pace slower."""
        figures = self._of(host)
        figures.requests += 1
        figures.bytes += wire_bytes
        figures.slowed += slowed
        figures.asked_at = at

    def waited(self, host: str, spells: Spells, at: datetime) -> None:
        """A request waited in the queue until `at`."""
        for cause, seconds in spells:
            self._of(host).waited_seconds += seconds
            self._add(host, cause, at, seconds=seconds)

    def held_off(self, host: str, held: HeldOff, at: datetime) -> None:
        """A request was refused by the throttle, perhaps after a while in the queue."""
        self.waited(host, held.spells, at)
        self.put_off(host, held.cause, held.until, at)

    def put_off(self, host: str, cause: Cause, until: datetime, at: datetime) -> None:
        """A request was not made, since the host is not to be asked before `until`."""
        self._add(host, cause, at, until=until)

    def figures(self, pace: Callable[[str], float]) -> tuple[HostStats, ...]:
        """All of it; `pace` says how many seconds lie between two requests to a host now."""
        return tuple(
            HostStats(
                host=host, requests=each.requests, bytes=each.bytes, waited_seconds=each.waited_seconds,
                slowed=each.slowed, delay_seconds=pace(host), asked_at=each.asked_at, waits=tuple(each.waits.values()),
            )
            for host, each in self._hosts.items()
        )

    def take(self, pace: Callable[[str], float]) -> tuple[HostStats, ...]:
        """All of it, once: what was taken is not counted again."""
        taken = self.figures(pace)
        self._hosts.clear()
        return taken

    def _of(self, host: str) -> _Figures:
        return self._hosts.setdefault(host, _Figures())

    def _add(
        self, host: str, cause: Cause, at: datetime, *, seconds: float = 0.0, until: datetime | None = None,
    ) -> None:
        waits = self._of(host).waits
        known = waits.get(cause)
        if known is None:
            waits[cause] = Waited(
                reason=cause.reason, signal=cause.signal, seconds=seconds, first_at=at, last_at=at, until=until,
            )
        else:
            waits[cause] = replace(
                known, times=known.times + 1, seconds=known.seconds + seconds, last_at=at, until=until or known.until,
            )
