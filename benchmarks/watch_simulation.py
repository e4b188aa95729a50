"""Polls a world of blogs with everlog's own schedule, without a network and without a clock."""

from __future__ import annotations

import heapq
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from everlog.schedule.freshness import allowed
from everlog.schedule.liveness import Failing, after_answers
from everlog.schedule.poll_schedule import Observation, Polling, after_poll, first_polling, never_again

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from everlog.schedule.liveness import Answer
    from watch_world import World, WorldBlog, WorldPost, WorldSpell

ANSWERS: dict[int | None, Answer] = {410: "gone", 404: "not-found", None: "no-name"}


@dataclass(slots=True)
class Watched:
    """One blog as the watcher knows it, and as its server remembers the watcher."""

    blog: WorldBlog
    polling: Polling
    version: int
    known: bytearray
    feed_url: str
    free_at: datetime
    failing: Failing = field(default_factory=Failing)
    dead_at: datetime | None = None


@dataclass(slots=True)
class Tally:
    """What is counted on the way. The arrays have one place for each post that was found."""

    unchanged: int = 0
    not_modified: int = 0
    refused: int = 0
    failed: int = 0
    early: int = 0
    to_the_dead: int = 0
    to_old_addresses: int = 0
    walks: int = 0
    polls_of: list[int] = field(default_factory=list)
    days_of: list[float] = field(default_factory=list)
    blogs: array[int] = field(default_factory=lambda: array("l"))
    delays: array[float] = field(default_factory=lambda: array("d"))
    comments: array[int] = field(default_factory=lambda: array("l"))
    had_left: array[int] = field(default_factory=lambda: array("b"))
    # Posts that were in a feed for two hours and never found, in words.
    missed: list[str] = field(default_factory=list)
    dead: int = 0
    known_dead: int = 0
    # Day -> megabytes that the process held then, and at most until then.
    memory: dict[int, tuple[float, float]] = field(default_factory=dict)

    @property
    def polls(self) -> int:
        return sum(self.polls_of)

    @property
    def watched_days(self) -> float:
        return sum(self.days_of)


def is_dead(watched: Watched, status: int | None, now: datetime) -> bool:
    """everlog's own verdict. Blogs of this world die whole: the home page answers what the feed answers."""
    verdict = after_answers(watched.failing, ANSWERS[status], ANSWERS[status], now)
    watched.failing = verdict.known
    return verdict.kind == "dead"


def simulate(
    world: World, *, is_over: Callable[[Watched, int | None, datetime], bool] = is_dead,
    say: Callable[[str], None] = lambda _: None,
    on_poll: Callable[[Watched, datetime], None] = lambda _watched, _now: None,
) -> Tally:
    """Every poll of every blog from the beginning of the world to its end, and one look after it.

    `on_poll` hears of each when it is over.
    """
    tally = Tally(polls_of=[0] * len(world.blogs))
    blogs = [_begin(blog, world.start_at) for blog in world.blogs]
    queue = [(watched.polling.due_at, at) for at, watched in enumerate(blogs) if watched.polling.due_at]
    heapq.heapify(queue)
    marks = iter(_marks(world))
    mark, day = next(marks)
    while queue:
        now, at = heapq.heappop(queue)
        while now >= mark:
            tally.memory[day] = _memory()
            say(f"day {day}: {tally.polls:,} polls, {tally.memory[day][0]:.0f} MB")
            mark, day = next(marks)
        watched = blogs[at]
        _poll(watched, at, now, tally, is_over, counted=now < world.end_at)
        on_poll(watched, now)
        due = watched.polling.due_at
        # After the end each blog is looked at until it answers: what appeared at the last minute is no miss.
        if due is not None and (now < world.end_at or (watched.polling.failures and watched.blog.death is None)):
            heapq.heappush(queue, (due, at))
    _close(blogs, world, tally)
    return tally


def _begin(blog: WorldBlog, now: datetime) -> Watched:
    listed = [post for post in blog.posts if post.published_at <= now]
    seen = Observation(kind="unchanged", hints=blog.hints, **_permission(blog, now))
    watched = Watched(
        blog=blog, polling=first_polling([post.stated for post in listed], now, seed=blog.name, seen=seen),
        version=blog.version_at(now), known=bytearray(len(blog.posts)), feed_url=blog.feed_url_at(now),
        free_at=_free_at(blog, now, None),
    )
    for post in listed:
        watched.known[post.number - 1] = 1
    return watched


def _poll(
    watched: Watched, at: int, now: datetime, tally: Tally,
    is_over: Callable[[Watched, int | None, datetime], bool], *, counted: bool,
) -> None:
    blog = watched.blog
    tally.polls_of[at] += counted
    tally.early += now < watched.free_at or _is_closed(blog, now)
    tally.to_the_dead += watched.dead_at is not None
    status, spell = blog.answer_at(now)
    if status == 200 and watched.feed_url != blog.feed_url_at(now):
        watched.feed_url = blog.feed_url_at(now)
        tally.to_old_addresses += 1
    watched.free_at = _free_at(blog, now, spell) if status == 200 or spell else now
    seen = _seen(watched, at, now, status, spell, tally, counted=counted)
    watched.polling = after_poll(watched.polling, seen, now, seed=blog.name)
    if seen.kind != "failed":
        watched.failing = Failing()
        return
    if is_over(watched, status, now):
        watched.dead_at = now
        watched.polling = never_again(watched.polling, "the blog is dead")


def _seen(
    watched: Watched, at: int, now: datetime, status: int | None, spell: WorldSpell | None, tally: Tally, *,
    counted: bool,
) -> Observation:
    blog = watched.blog
    if spell is not None:
        tally.refused += counted
        said = allowed(() if spell.retry_after is None else (("Retry-After", str(spell.retry_after)),), now)
        return Observation(kind="refused", allowed_at=said and said.at, signal=said and said.signal)
    if status != 200:
        tally.failed += counted
        return Observation(kind="failed")
    version = blog.version_at(now)
    if version == watched.version:
        tally.unchanged += counted
        not_modified = blog.has_etag or blog.has_last_modified
        tally.not_modified += counted and not_modified
        return Observation(kind="unchanged", hints=None if not_modified else blog.hints, **_permission(blog, now))
    watched.version = version
    dates = tuple(post.stated for post in _found(watched, at, now, tally))
    return Observation(kind="changed", hints=blog.hints, published=dates, **_permission(blog, now))


def _found(watched: Watched, at: int, now: datetime, tally: Tally) -> list[WorldPost]:
    """The posts that are new, with those the lists hold where even the oldest entry of the feed is new."""
    blog, known = watched.blog, watched.known
    listed = blog.listed_at(now)
    new = [post for post in listed if not known[post.number - 1]]
    in_feed = len(new)
    if listed and not known[listed[-1].number - 1]:
        tally.walks += 1
        numbers = {post.number for post in new}
        new += [post for post in blog.posts if not known[post.number - 1] and post.number not in numbers
                and post.published_at <= now and post.page_at(now) == "there"]
    for place, post in enumerate(new):
        known[post.number - 1] = 1
        tally.blogs.append(at)
        tally.delays.append((now - post.published_at).total_seconds())
        tally.comments.append(bisect_right(post.comments, now))
        tally.had_left.append(place >= in_feed)
    return new


def _permission(blog: WorldBlog, now: datetime) -> dict[str, object]:
    headers = blog.headers
    if blog.expires_seconds is not None:
        expires = now + timedelta(seconds=blog.expires_seconds)
        headers = (("Date", format_datetime(now, usegmt=True)), ("Expires", format_datetime(expires, usegmt=True)))
    said = allowed(headers, now)
    return {"allowed_at": said.at, "signal": said.signal} if said else {}


def _free_at(blog: WorldBlog, now: datetime, spell: WorldSpell | None) -> datetime:
    """The server's own view of when it may be asked again; everlog's headers are not read for this."""
    if spell is not None:
        return now + timedelta(seconds=spell.retry_after or 0)
    waits = [float(blog.expires_seconds or 0)]
    waits += [float(value.rpartition("max-age=")[2]) for _, value in blog.headers if "max-age=" in value]
    if blog.hints is not None:
        waits += [60.0 * (blog.hints.ttl_minutes or 0), blog.hints.period_seconds or 0.0]
    return now + timedelta(seconds=max(waits))


def _is_closed(blog: WorldBlog, now: datetime) -> bool:
    hints = blog.hints
    return hints is not None and (now.hour in hints.skip_hours or now.weekday() in hints.skip_days)


def _close(blogs: list[Watched], world: World, tally: Tally) -> None:
    for watched in blogs:
        until = min(watched.dead_at or world.end_at, world.end_at)
        tally.days_of.append((until - world.start_at) / timedelta(days=1))
        tally.dead += watched.blog.death is not None
        tally.known_dead += watched.dead_at is not None
        for post, left_at in leaving(watched.blog, world):
            if not watched.known[post.number - 1] and left_at - post.published_at >= timedelta(hours=2):
                tally.missed.append(f"{watched.blog.name} post {post.number}: {post.published_at} to {left_at}, "
                                    f"{post.deletion and post.deletion.how}")


def leaving(blog: WorldBlog, world: World) -> Iterator[tuple[WorldPost, datetime]]:
    """The posts of the world's time, each with the moment it leaves the feed (the end if it stays)."""
    ends_at = min(world.end_at, blog.death.at) if blog.death else world.end_at
    for at, post in enumerate(blog.posts):
        if post.published_at < world.start_at:
            continue
        later = [other.published_at for other in blog.posts[at + 1:at + 1 + 2 * blog.feed_length]
                 if other.deletion is None]
        pushed_out = later[blog.feed_length - 1] if len(later) >= blog.feed_length else ends_at
        yield post, min(pushed_out, ends_at, post.deletion.at if post.deletion else ends_at)


@dataclass(slots=True)
class Fixed:
    """A world polled at equal intervals: one place for each post."""

    hours: float
    blogs: array[int] = field(default_factory=lambda: array("l"))
    delays: array[float] = field(default_factory=lambda: array("d"))
    comments: array[int] = field(default_factory=lambda: array("l"))
    had_left: array[int] = field(default_factory=lambda: array("b"))


def at_fixed_intervals(world: World, hours: float, seed: int) -> Fixed:
    """When posts would be found by asking every so many hours, whatever servers say and do."""
    fixed, every = Fixed(hours=hours), timedelta(hours=hours)
    for at, blog in enumerate(world.blogs):
        phase = Random(f"{seed} {at}").random() * every  # noqa: S311 - a simulation
        for post, left_at in leaving(blog, world):
            turns = -((world.start_at + phase - post.published_at) // every)
            polled_at = world.start_at + phase + turns * every
            fixed.blogs.append(at)
            fixed.delays.append((polled_at - post.published_at).total_seconds())
            fixed.comments.append(bisect_right(post.comments, polled_at))
            fixed.had_left.append(polled_at > left_at and left_at < world.end_at)
    return fixed


def _marks(world: World) -> Iterator[tuple[datetime, int]]:
    days = (world.end_at - world.start_at) / timedelta(days=1)
    for third in (1, 2, 3):
        yield world.start_at + third * (world.end_at - world.start_at) / 3, round(third * days / 3)
    yield datetime.max.replace(tzinfo=UTC), 0


def _memory() -> tuple[float, float]:
    """Megabytes that this process holds now, and held at most."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    sizes = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines if line.startswith(("VmRSS", "VmHWM"))}
    return sizes["VmRSS"], sizes["VmHWM"]
