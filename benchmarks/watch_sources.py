"""The rhythms a world of blogs is drawn from: real ones of a corpus, or made-up ones where there is none."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A blog that is drawn from: its dates (with whether they state an hour) and the delays of its comments."""

    name: str
    dates: tuple[tuple[datetime, bool], ...]
    comment_delays: tuple[tuple[float, ...], ...] = ()

    @property
    def half(self) -> int:
        """Constants are chosen on half 0 and reported on half 1."""
        return hashlib.sha256(self.name.encode()).digest()[0] & 1


def corpus_sources(folder: Path) -> list[Source]:
    """The blogs of a corpus whose truth knows dates of at least two posts."""
    found = []
    for file in sorted(folder.glob("*/truth.jsonl")):
        with file.open(encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines if line.strip()]
        dated = [(date, row) for row in rows if (date := _moment(row.get("date")))]
        if len(dated) > 1:
            delays = tuple(_delays(date, row.get("comments") or ()) for date, row in dated)
            found.append(Source(
                name=file.parent.name,
                dates=tuple(sorted((date.astimezone(UTC), _has_hour(date)) for date, _ in dated)),
                comment_delays=delays if any(delays) else (),
            ))
    return found


def synthetic_sources(count: int = 60) -> list[Source]:
    """Made-up rhythms for machines without a corpus: bursty, from a post a day to one a year."""
    found = []
    for number in range(count):
        random = Random(number)  # noqa: S311 - a simulation
        rate = 10 ** random.uniform(-2.5, 0.0)
        favourite = random.uniform(0, 24)
        moment, dates = datetime(2024, 1, 1, tzinfo=UTC), []
        while len(dates) < 400 and moment.year < 2027:
            moment += DAY * random.gammavariate(0.6, 1 / 0.6 / rate)
            hour = random.gauss(favourite, 3.5) % 24
            written = moment.replace(hour=int(hour), minute=random.randrange(60), second=random.randrange(1, 60))
            dates.append((written, True))
        delays = tuple(
            tuple(sorted(3600 * random.lognormvariate(3.4, 2.2) for _ in range(random.choice((0, 0, 1, 4)))))
            for _ in range(40)
        ) if number % 3 == 0 else ()
        found.append(Source(name=f"synthetic-{number}", dates=tuple(sorted(dates)), comment_delays=delays))
    return found


def _delays(published: datetime, comments: Iterable[dict[str, object]]) -> tuple[float, ...]:
    moments = (_moment(comment.get("date")) for comment in comments)
    return tuple(sorted(late for moment in moments if moment and (late := (moment - published).total_seconds()) >= 0))


def _moment(text: object) -> datetime | None:
    if not isinstance(text, str):
        return None
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _has_hour(date: datetime) -> bool:
    return bool(date.hour or date.minute or date.second)
