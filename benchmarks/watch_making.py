"""Makes a world of blogs from real rhythms and a seed: what `watch_world.py` describes."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING

from everlog.records import FeedHints
from watch_world import (
    Deleted,
    Died,
    World,
    WorldBlog,
    WorldDeath,
    WorldDeletion,
    WorldEdit,
    WorldMove,
    WorldPost,
    WorldSpell,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from watch_sources import Source

START = datetime(2026, 3, 2, tzinfo=UTC)
DAY = timedelta(days=1)
WEEK = timedelta(weeks=1)
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """How much happens. Shares of blogs in a month, of posts where the name says so."""

    moved_feeds: float = 0.01
    moved_domains: float = 0.01
    deaths: float = 0.03
    spells: float = 0.06
    redesigns: float = 0.03
    bursts: float = 0.02
    edited_posts: float = 0.15
    shown_edits: float = 0.5
    deleted_posts: float = 0.02
    # Posts withdrawn between ten minutes and a day after they appeared. None by default: at ten polls a day
    # nobody can promise to have seen them. `watch_month.py --hasty` counts how many are.
    hasty_posts: float = 0.0
    commented_blogs: float = 0.4


def make_world(
    sources: Sequence[Source], *, blogs: int, days: float, seed: int, shares: Shares | None = None,
    start_at: datetime = START, history: int = 20,
) -> World:
    """A world of so many blogs. `history` is how many posts before its beginning each blog has at most.

    Blog number 7 is the same whatever the number of blogs.
    """
    end_at = start_at + days * DAY
    maker = _Maker(sources, start_at, end_at, shares or Shares(), history)
    return World(start_at=start_at, end_at=end_at, blogs=tuple(maker.blog(at, seed) for at in range(blogs)))


@dataclass(slots=True)
class _Maker:
    sources: Sequence[Source]
    start_at: datetime
    end_at: datetime
    shares: Shares
    history: int
    commented: list[Source] = field(init=False)
    punctual: list[Source] = field(init=False)

    def __post_init__(self) -> None:
        self.commented = [source for source in self.sources if source.comment_delays]
        self.punctual = [source for source in self.sources if sum(hour for _, hour in source.dates) >= 10]

    def blog(self, number: int, seed: int) -> WorldBlog:
        random = Random(f"{seed} {number}")  # noqa: S311 - a simulation
        source = random.choice(self.sources)
        length = random.choices((10, random.randint(3, 5), random.randint(15, 30)), (0.75, 0.1, 0.15))[0]
        moments = self._moments(source, random)
        death = self._death(random)
        if death is not None:
            # Blogs end after they have fallen silent; nobody could see what appears as the lights go out.
            moments = [moment for moment in moments if moment[0] < death.at - 2 * DAY]
        elif random.random() < self.shares.bursts:
            moments = sorted(moments + self._burst(length, random))
        move = None if death else self._move(random)
        headers, expires = _caching(random)
        return WorldBlog(
            name=f"blog{number:05}", source=source.name, posts=self._posts(source, moments, random),
            feed_length=length, headers=headers, expires_seconds=expires, **_validators(random),
            hints=_hints(random, moments), spells=() if death else self._spells(random), move=move, death=death,
            redesigned_at=self._sometime(random) if random.random() < self.shares.redesigns else None,
        )

    def _moments(self, source: Source, random: Random) -> list[tuple[datetime, bool]]:
        """When posts appear: a stretch of real dates around one of them, and those before it."""
        turned = random.randrange(24) * timedelta(hours=1)
        # A shorter world is the beginning of a month: else every blog would have a post in it.
        month = max(self.end_at - self.start_at, 30 * DAY)
        for _ in range(20):
            anchor = random.choice(source.dates)[0]
            begin = anchor - random.random() * month
            moved = WEEK * round((self.start_at - turned - begin) / WEEK) + turned
            if self.start_at <= anchor + moved < self.start_at + month:
                break
        donor = random.choice(self.punctual) if self.punctual else source
        hours = [date for date, hour in donor.dates if hour] or [source.dates[0][0]]
        moments = []
        for date, with_hour in source.dates:
            shown = date if with_hour else date + _time_of_day(random.choice(hours), random)
            if shown + moved < self.end_at:
                moments.append((shown + moved, with_hour))
        moments.sort()
        before = bisect_right([moment for moment, _ in moments], self.start_at)
        return moments[max(0, before - self.history):]

    def _burst(self, length: int, random: Random) -> list[tuple[datetime, bool]]:
        """More posts than the feed holds within three hours."""
        begin, lasts = self._sometime(random), random.uniform(20, 180) * MINUTE
        count = length + random.randint(3, 2 * length)
        return [(_whole(begin + random.random() * lasts), True) for _ in range(count)]

    def _posts(self, source: Source, moments: list[tuple[datetime, bool]], random: Random) -> tuple[WorldPost, ...]:
        delays: tuple[tuple[float, ...], ...] = source.comment_delays
        if not delays and self.commented and random.random() < self.shares.commented_blogs:
            delays = random.choice(self.commented).comment_delays
        return tuple(
            WorldPost(
                number=number, published_at=moment,
                stated=moment if with_hour else moment.replace(hour=0, minute=0, second=0, microsecond=0),
                edits=self._edits(moment, random), deletion=self._deletion(moment, random),
                comments=tuple(
                    at for delay in (random.choice(delays) if delays else ())
                    if (at := moment + timedelta(seconds=delay)) < self.end_at
                ),
            )
            for number, (moment, with_hour) in enumerate(moments, 1)
        )

    def _edits(self, published: datetime, random: Random) -> tuple[WorldEdit, ...]:
        if random.random() >= self.shares.edited_posts:
            return ()
        # Half within six hours, a tenth after more than four days.
        moments = sorted(
            max(published, self.start_at) + timedelta(hours=6) * random.lognormvariate(0, 2)
            for _ in range(random.choice((1, 1, 1, 2)))
        )
        shown = random.random() < self.shares.shown_edits
        return tuple(WorldEdit(at=_whole(at), shown=shown) for at in moments if at < self.end_at)

    def _deletion(self, published: datetime, random: Random) -> WorldDeletion | None:
        """Some posts end: after a day at the earliest, and any time after that."""
        how: Deleted = random.choice(("gone", "not-found", "home", "unlisted"))
        chance = random.random()
        if published >= self.start_at and chance < self.shares.hasty_posts:
            at = published + 10 * MINUTE * 144 ** random.random()
        elif chance < self.shares.hasty_posts + self.shares.deleted_posts:
            at = max(published, self.start_at) + DAY + random.random() * (self.end_at - self.start_at)
        else:
            return None
        return WorldDeletion(at=_whole(at), how=how) if at < self.end_at else None

    def _death(self, random: Random) -> WorldDeath | None:
        if random.random() >= self.shares.deaths:
            return None
        how: Died = random.choice(("gone", "not-found", "dns", "new-owner"))
        return WorldDeath(at=self._sometime(random), how=how)

    def _move(self, random: Random) -> WorldMove | None:
        chance = random.random()
        if chance < self.shares.moved_feeds:
            return WorldMove(at=self._sometime(random), kind="feed")
        if chance < self.shares.moved_feeds + self.shares.moved_domains:
            return WorldMove(at=self._sometime(random), kind="domain")
        return None

    def _spells(self, random: Random) -> tuple[WorldSpell, ...]:
        """Ten minutes to twelve hours of refusals, up to three times a month."""
        if random.random() >= self.shares.spells:
            return ()
        found = []
        for _ in range(random.randint(1, 3)):
            begins = self._sometime(random)
            seconds = random.choice((120, 900, 3600, 6 * 3600)) if random.random() < 0.5 else None
            found.append(WorldSpell(
                begins_at=begins, ends_at=_whole(begins + 10 * MINUTE * 72 ** random.random()),
                status=random.choice((429, 503)), retry_after=seconds,
            ))
        return tuple(found)

    def _sometime(self, random: Random) -> datetime:
        return _whole(self.start_at + random.random() * (self.end_at - self.start_at))


def _caching(random: Random) -> tuple[tuple[tuple[str, str], ...], int | None]:
    kind = random.choices(
        ("none", "max-age=300", "max-age=3600", "public, max-age=21600", "no-cache", "expires"),
        (0.5, 0.2, 0.15, 0.04, 0.05, 0.06),
    )[0]
    if kind == "expires":
        return (), random.choice((600, 1800, 3600))
    return (() if kind == "none" else (("Cache-Control", kind),)), None


def _validators(random: Random) -> dict[str, bool]:
    etag, modified = random.choices(((True, True), (True, False), (False, True), (False, False)),
                                    (0.75, 0.1, 0.1, 0.05))[0]
    return {"has_etag": etag, "has_last_modified": modified}


def _hints(random: Random, moments: list[tuple[datetime, bool]]) -> FeedHints | None:
    """Half of the corpus' feeds (40 of 84) say `sy:updatePeriod` hourly, the rest nothing; other wishes are rare."""
    kind = random.choices(("none", "hourly", "ttl", "hours", "days", "daily"), (0.42, 0.48, 0.06, 0.02, 0.01, 0.01))[0]
    if kind == "hourly":
        return FeedHints(period_seconds=3600.0)
    if kind == "daily":
        return FeedHints(period_seconds=86400.0)
    if kind == "ttl":
        return FeedHints(ttl_minutes=random.choice((15, 60, 60, 60, 180)))
    if kind == "hours":
        used = {moment.hour for moment, _ in moments}
        quiet = tuple(hour for hour in range(24) if hour not in used)[:8]
        return FeedHints(skip_hours=quiet) if quiet else None
    return FeedHints(skip_days=(5, 6)) if kind == "days" else None


def _time_of_day(date: datetime, random: Random) -> timedelta:
    return timedelta(hours=date.hour, minutes=date.minute, seconds=random.randrange(60))


def _whole(moment: datetime) -> datetime:
    return moment.replace(microsecond=0)
