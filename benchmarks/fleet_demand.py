"""When the feeds of very many blogs fall due in a day, from a sample that everlog's own schedule polls."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from blogs import say
from watch_making import Shares, make_world
from watch_month import rhythms
from watch_simulation import simulate

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from watch_simulation import Watched

DAY = 86_400
BIN = 300
DAYS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """Feeds that fall due in each bin of a day, of all blogs, and what they bring."""

    blogs: int
    polls: tuple[float, ...]
    changed: float
    posts_per_poll: float

    @property
    def total(self) -> float:
        """Feeds in the day."""
        return sum(self.polls)

    @property
    def robots_per_poll(self) -> float:
        """Each blog's robots.txt is asked for once a day, before one of its polls."""
        return self.blogs / self.total

    def rate(self, second: int) -> float:
        """Feeds a second."""
        return self.polls[second // BIN] / BIN


def demand(folder: Path | None, sample: int, blogs: int) -> Demand:
    """What falls due on the third day of the sample, times the blogs that each of it stands for."""
    sources, kind = rhythms(folder)
    say(f"{sample} blogs: {kind}")
    world = make_world(sources, blogs=sample, days=DAYS, seed=1, shares=a_part_of_a_month(DAYS / 30))
    begin = world.start_at + timedelta(days=DAYS - 1)
    polls, changed = array("l", [0] * (DAY // BIN)), 0

    def hear(watched: Watched, now: datetime) -> None:
        nonlocal changed
        if begin <= now < world.end_at:
            polls[int((now - begin).total_seconds()) // BIN] += 1
            changed += watched.polling.changed_at == now

    tally = simulate(world, on_poll=hear)
    total = sum(polls)
    each = blogs / sample
    # A bin of a small sample is uneven by chance, which the many blogs it stands for are not.
    smooth = [sum(polls[(at + step) % len(polls)] for step in range(-6, 7)) / 13 for at in range(len(polls))]
    return Demand(
        blogs=blogs, polls=tuple(count * each for count in smooth), changed=changed / total,
        posts_per_poll=len(tally.delays) / DAYS / total,
    )


def a_part_of_a_month(part: float) -> Shares:
    """What happens to blogs in a shorter time than a month; the shares of posts are what they are."""
    month = Shares()
    per_time = ("moved_feeds", "moved_domains", "deaths", "spells", "redesigns", "bursts")
    return replace(month, **{name: part * getattr(month, name) for name in per_time})
