"""What a fleet's work costs, as `fleet_costs.py --json` measured it, for those who reckon with it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from fleet_demand import Demand


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one thing costs: seconds of a worker's processor and of PostgreSQL's, bytes of WAL, transactions."""

    own: float
    database: float
    wal: float
    transactions: float

    @classmethod
    def read(cls, figures: dict[str, float], name: str) -> Cost:
        """From figures of `fleet_costs.py`; a name has a place for what it is a figure of."""
        return cls(
            own=figures[name.format("processor ms of workers")] / 1000,
            database=figures[name.format("processor ms of PostgreSQL")] / 1000,
            wal=figures[name.format("bytes of WAL")], transactions=figures[name.format("transactions")],
        )

    def plus(self, other: Cost, times: float) -> Cost:
        """This, and so many times another."""
        return Cost(
            own=self.own + times * other.own, database=self.database + times * other.database,
            wal=self.wal + times * other.wal, transactions=self.transactions + times * other.transactions,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What a poll, a robots.txt before it, and a page cost; `captures` are the pages that a post brings."""

    job_seconds: float
    poll: Cost
    robots: Cost
    page: Cost
    captures: float

    @classmethod
    def read(cls, file: Path) -> Costs:
        """From what `fleet_costs.py --json` printed."""
        found = json.loads(file.read_text("utf-8"))
        polls, pages, jobs = found["polls"], found["pages"], found["jobs"]
        poll = Cost.read(polls, "unchanged, {} a feed")
        return cls(
            job_seconds=jobs["ms between two jobs, median"] / 1000, poll=poll,
            robots=Cost.read(polls, "with robots.txt, {} a feed").plus(poll, -1),
            page=Cost.read(pages, "{} a request"), captures=pages["captures"] / pages["posts"],
        )

    def of_feed(self, wanted: Demand) -> Cost:
        """What a due feed costs, with its share of a day's robots.txt and the pages of its new posts."""
        polled = self.poll.plus(self.robots, wanted.robots_per_poll)
        return polled.plus(self.page, wanted.posts_per_poll * self.captures)
