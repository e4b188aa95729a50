"""Page of a fleet: workers, queues, what runs and what does not, as the database knows it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from everlog.archive.lease_holder import LEASE_TIMEOUT_SECONDS
from everlog.fleet.fleet_health import GONE_SECONDS, called, rate_of, stalls
from everlog.usecases.request_ledger import span_in_words

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from everlog.archive.job_models import WorkerState
    from everlog.web.interface.page_maker import PageMaker

# What runs and stands on the page.
MOST_RUNNING = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownWorker:
    """A worker with what it does and how fast it is."""

    worker: WorkerState
    state: str
    rate: float


class FleetPage:
    """The fleet of an archive on PostgreSQL; it tells of machines, and is not there in public."""

    def __init__(self, make: PageMaker) -> None:
        self._make = make

    def routes(self) -> list[Route]:
        return [Route("/fleet", self.fleet)]

    async def fleet(self, request: Request) -> Response:
        """Workers, queues, stalls and rates."""
        if self._make.is_public:
            return await self._make.nothing_here(request)
        if not self._make.has_fleet:
            return await self._make.page(request, "no_fleet.html")
        values = await self._make.look(self._values)
        return await self._make.page(request, "fleet.html", **values, headers={
            "X-Robots-Tag": "noindex", "Cache-Control": "no-store",
        })

    def _values(self) -> dict[str, Any]:
        now = datetime.now(UTC)
        state = self._make.archive.workers.fleet_state(now=now)
        shown = [
            ShownWorker(worker=one, state=_state(one), rate=rate_of(one, state.running))
            for one in state.workers if one.silent_seconds <= GONE_SECONDS
        ]
        there = [one for one in state.workers if one.silent_seconds <= LEASE_TIMEOUT_SECONDS]
        return {
            "state": state, "now": now, "workers": shown, "there": len(there),
            "processes": sum(one.processes for one in there), "rate": sum(one.rate for one in shown),
            # The queue itself is not asked: who serves an archive need not reach it.
            "stalls": stalls(state, {}), "running": state.running[:MOST_RUNNING], "called": called,
            "span": span_in_words,
        }


def _state(one: WorkerState) -> str:
    return "silent" if one.silent_seconds > LEASE_TIMEOUT_SECONDS else "draining" if one.is_draining else "working"
