"""Ten million blogs over a day: due feeds, queues, workers and databases, by a model with measured constants.

    python benchmarks/fleet_simulation.py [CORPUS] [--blogs 10000000] [--sample 4000] [--costs COSTS.json]
        [--scheduled 2000] [--workers 100 200 ...] [--shards 1 2 4] [--hangs 0.002] [--plot docs/images/scale-day.svg]

First, when feeds fall due: a sample of blogs with real rhythms (`watch_making.py`) is polled by everlog's own schedule
for three days; each blog of the sample stands for many that differ only in their moment. Then the third day, second by
second: what falls due is picked by a scheduler, goes to a queue in jobs of a hundred, waits for a free process of a
worker, and for the database that each job's writes go to. With several databases each has a scheduler of its own.

A feed costs what a poll does, its share of the robots.txt that is asked for once a day, and the pages that its new
posts bring. What these cost is measured, by `fleet_costs.py --json`, and so is what a scheduler picks in a second, by
`fleet_schedule.py`; what is modelled is this file; what is assumed has ASSUMED in its name.

The model is open: a feed that is asked late does not fall due later the next time. That is harder than reality.
"""

from __future__ import annotations

import argparse
import heapq
import time
from collections import deque
from dataclasses import dataclass
from math import log10
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from blogs import say
from everlog.fleet.scheduler import BATCH, MOST_WAITING
from everlog.usecases.watch.watch_loop import AT_ONCE
from fleet_demand import BIN, DAY, Demand, demand
from fleet_prices import Costs
from tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Sequence

# A feed's host is asked over the open network: a tenth of a second or two, of which a worker has 64 at once.
ASSUMED_ANSWER_SECONDS = 0.3
# So many feeds are on hosts that do not answer at all: each is waited for this long, and tried again twice (the
# program's own settings), and the job with it.
ASSUMED_HANGS = 0.002
HANG_SECONDS = 3 * 30.0
# Between two requests to one host: the usual delay, and what a fleet adds to be sure (`usecases/rate_limiter.py`).
PACE_SECONDS = 1.1
# The least that one scheduler has to do (`fleet_schedule.py`).
SCHEDULED_PER_SECOND = 2_000.0
# A server for a database of this size; ours had two cores, which workers shared.
ASSUMED_DATABASE_CORES = 16
# Above this share of its processors a database answers late.
ASSUMED_DATABASE_BUSY = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How large a fleet is: processes, databases, and what the scheduler of each database picks in a second."""

    workers: int
    shards: int
    scheduled_per_second: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a day was like."""

    size: Size
    polls: int
    jobs: int
    late: tuple[float, float, float]
    longest_queue: int
    left: int
    workers_busy: float
    database_busy: float
    scheduler_busy: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="a corpus (default: $EVERLOG_CORPUS or the usual place)")
    parser.add_argument("--blogs", type=int, default=10_000_000)
    parser.add_argument("--sample", type=int, default=4_000)
    parser.add_argument(
        "--costs", type=Path, default=Path(__file__).with_name("fleet_costs.json"),
        help="what fleet_costs.py --json printed (default: what docs/internals/scale.md has)",
    )
    parser.add_argument(
        "--scheduled", type=float, default=SCHEDULED_PER_SECOND, metavar="FEEDS_PER_SECOND",
        help=f"what fleet_schedule.py printed (default: the least that it asks for, {SCHEDULED_PER_SECOND:,.0f})",
    )
    parser.add_argument("--workers", type=int, nargs="+", default=[100, 150, 200, 300, 400, 600, 800])
    parser.add_argument("--shards", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--hangs", type=float, default=ASSUMED_HANGS, help="share of feeds whose host never answers")
    parser.add_argument("--plot", type=Path, help="where to draw the day (SVG)")
    arguments = parser.parse_args()
    began = time.monotonic()
    costs = Costs.read(arguments.costs)
    wanted = demand(arguments.folder, arguments.sample, arguments.blogs)
    say(f"the sample took {time.monotonic() - began:.0f} s")
    outcomes = []
    for shards in arguments.shards:
        for workers in arguments.workers:
            size = Size(workers=workers, shards=shards, scheduled_per_second=arguments.scheduled)
            outcomes.append(day(wanted, costs, size, hangs=arguments.hangs))
            say(f"{outcomes[-1]}, {_megabytes():.0f} MB")
    print(described(wanted, costs))
    print(table(outcomes))
    print(f"\n{time.monotonic() - began:.0f} s, at most {_megabytes():.0f} MB")
    if arguments.plot:
        draw(wanted, outcomes, arguments.plot)


def day(wanted: Demand, costs: Costs, size: Size, *, hangs: float = ASSUMED_HANGS) -> Outcome:
    """One day of the fleet."""
    model = _Day(wanted, costs, size, hangs)
    for second in range(DAY):
        model.second(second)
    return model.outcome()


class _Day:
    """Feeds that are due, jobs that wait, processes and databases that are free at some moment."""

    def __init__(self, wanted: Demand, costs: Costs, size: Size, hangs: float) -> None:
        self._wanted, self._costs, self._size, self._hangs = wanted, costs, size, hangs
        self._scheduled_per_second = size.shards * size.scheduled_per_second
        self._chance = Random(1)  # noqa: S311 - a simulation
        self._free = [0.0] * size.workers
        # Each core of a database does one thing at a time; a part of them is left for bursts.
        self._cores = [0.0] * max(1, int(size.shards * ASSUMED_DATABASE_CORES * ASSUMED_DATABASE_BUSY))
        # (second, how many) that fell due and are in no job; and jobs: when their first feed fell due, how many feeds.
        self._due: deque[list[int]] = deque()
        self._waiting: deque[tuple[int, int]] = deque()
        # Feeds that fell due, jobs that were begun, and feeds in them.
        self._fell, self._jobs, self._asked = 0, 0, 0
        self._busy = [0.0, 0.0, 0.0]
        # Tenths of powers of ten of seconds: as fine as anybody wants to know.
        self._late = [0] * 80
        self._longest = 0
        self._of_feed = costs.of_feed(wanted)

    def second(self, now: int) -> None:
        rate = self._wanted.rate(now)
        due = max(0, round(self._chance.gauss(rate, rate**0.5)))
        self._fell += due
        if due:
            self._due.append([now, due])
        self._schedule()
        while self._waiting and self._free[0] <= now + 1:
            self._start(*self._waiting.popleft(), now)
        self._longest = max(self._longest, self._left())

    def outcome(self) -> Outcome:
        return Outcome(
            size=self._size, polls=self._fell, jobs=self._jobs,
            late=(self._percentile(0.5), self._percentile(0.95), self._percentile(0.99)),
            longest_queue=self._longest, left=self._left(), workers_busy=self._busy[0] / DAY / len(self._free),
            database_busy=self._busy[1] / DAY / (self._size.shards * ASSUMED_DATABASE_CORES),
            scheduler_busy=self._busy[2] / DAY,
        )

    def _schedule(self) -> None:
        """Whole jobs of what is due, as many as the schedulers make in a second and the queues take."""
        room = min(int(self._scheduled_per_second) // BATCH, self._size.shards * MOST_WAITING - len(self._waiting))
        while room > 0 and self._due:
            first, taken = self._due[0][0], 0
            while self._due and taken < BATCH:
                part = min(BATCH - taken, self._due[0][1])
                self._due[0][1] -= part
                taken += part
                if not self._due[0][1]:
                    self._due.popleft()
            self._waiting.append((first, taken))
            self._busy[2] += taken / self._scheduled_per_second
            room -= 1

    def _start(self, due: int, feeds: int, now: int) -> None:
        begins = max(heapq.heappop(self._free), float(now))
        hangs = self._chance.random() < 1 - (1 - self._hangs) ** feeds
        has_news = self._chance.random() < 1 - (1 - self._wanted.changed) ** feeds
        lasts = self._costs.job_seconds + feeds * self._of_feed.own + ASSUMED_ANSWER_SECONDS * -(-feeds // AT_ONCE)
        # Pages of one blog are asked for one after the other, those of several side by side.
        lasts += self._costs.captures * PACE_SECONDS if has_news else 0.0
        writing = feeds * self._of_feed.database
        # The database writes while the job goes on; the job ends when both are done.
        written = max(heapq.heappop(self._cores), begins) + writing
        heapq.heappush(self._cores, written)
        ends = max(begins + lasts + (HANG_SECONDS if hangs else 0.0), written)
        heapq.heappush(self._free, ends)
        self._busy[0] += ends - begins
        self._busy[1] += writing
        self._jobs += 1
        self._asked += feeds
        late = max(1.0, begins - due)
        self._late[min(len(self._late) - 1, int(10 * log10(late)))] += feeds

    def _left(self) -> int:
        return self._fell - self._asked

    def _percentile(self, share: float) -> float:
        wanted, seen = share * sum(self._late), 0
        for place, count in enumerate(self._late):
            seen += count
            if seen >= wanted:
                return float(10 ** ((place + 1) / 10))
        return float("inf")


def described(wanted: Demand, costs: Costs) -> str:
    """What falls due, and what that means for each part."""
    total, feed = wanted.total, costs.of_feed(wanted)
    rates = [count / BIN for count in wanted.polls]
    posts = wanted.posts_per_poll * total
    pages = posts * costs.captures
    rows = {
        "feeds asked in the day": f"{total:,.0f} ({total / wanted.blogs:.1f} per blog)",
        "due feeds a second: mean, least, most": f"{total / DAY:,.0f}, {min(rates):,.0f}, {max(rates):,.0f}",
        "of which changed, %": f"{100 * wanted.changed:.2f}",
        "new posts in the day": f"{posts:,.0f}",
        "requests in the day, with robots.txt and the pages of posts": f"{total + wanted.blogs + pages:,.0f}",
        "jobs a second": f"{total / DAY / BATCH:.1f}",
        "processors that workers keep busy": f"{total * feed.own / DAY:,.1f}",
        "processors that PostgreSQL keeps busy": f"{total * feed.database / DAY:,.1f}",
        "transactions a second": f"{total * feed.transactions / DAY:,.0f}",
        "WAL in the day, GB": f"{total * feed.wal / 1e9:,.0f}",
    }
    return markdown_table(["", "a day"], list(rows.items())) + "\n"


def table(outcomes: Sequence[Outcome]) -> str:
    """One line for each size of the fleet."""
    heads = ["databases", "processes", "late: median, s", "95 %, s", "99 %, s", "most feeds waiting", "left at the end",
             "processes busy", "databases busy", "scheduler busy", "short of"]
    rows = [
        [str(each.size.shards), str(each.size.workers), *(f"{late:,.0f}" for late in each.late),
         f"{each.longest_queue:,}", f"{each.left:,}", f"{each.workers_busy:.0%}", f"{each.database_busy:.0%}",
         f"{each.scheduler_busy:.0%}", short_of(each)]
        for each in outcomes
    ]
    return markdown_table(heads, rows)


def short_of(each: Outcome) -> str:
    """The part that has no room left, if there is one."""
    # Processes that wait for the database are busy too, so they are looked at last.
    shares = {
        "the scheduler": each.scheduler_busy, "the database": each.database_busy / ASSUMED_DATABASE_BUSY,
        "processes": each.workers_busy,
    }
    return next((part for part, share in shares.items() if share > 0.95), "nothing")


def draw(wanted: Demand, outcomes: Sequence[Outcome], output: Path) -> None:
    """The day's due feeds, and how late they are asked with more and more processes."""
    import matplotlib as mpl  # noqa: PLC0415 - the model itself does without it

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    mpl.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False,
                         "svg.hashsalt": "scale", "svg.fonttype": "none"})
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    hours = [at * BIN / 3600 for at in range(len(wanted.polls))]
    left.plot(hours, [count / BIN for count in wanted.polls], color="#2c6e9b")
    left.set(xlabel="Hour of the day (UTC)", ylabel="Due feeds a second", ylim=(0, None), xlim=(0, 24))
    left.set_xticks(range(0, 25, 4))
    all_shards = sorted({each.size.shards for each in outcomes})
    for shards, colour in zip(all_shards, ("#c0392b", "#2c6e9b", "#d9a441"), strict=False):
        own = [each for each in outcomes if each.size.shards == shards]
        name = "1 database" if shards == 1 else f"{shards} databases"
        right.plot([each.size.workers for each in own], [each.late[1] for each in own], "o-", color=colour, label=name)
    right.set(xlabel="Processes of workers", ylabel="Late, 95th percentile (seconds)", yscale="log")
    right.legend(frameon=False)
    for axes in (left, right):
        axes.grid(color="#e4e4e4", linewidth=0.8)
    figure.savefig(output, metadata={"Date": None})
    plt.close(figure)


def _megabytes() -> float:
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


if __name__ == "__main__":
    main()
