"""Poll sources: whose feeds a watch polls, all of an archive as they fall due, or those of one job."""

from __future__ import annotations

import os
import socket
import uuid
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from everlog.archive.models import Capture, Poll
from everlog.errors import EverlogError
from everlog.records import Blog, Fetched
from everlog.schedule.freshness import allowed
from everlog.schedule.poll_schedule import Observation, first_polling
from everlog.usecases.update.feed_diff import read_response

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.archive import Archive

# A claim is worth this much; whoever lives says so four times as often.
LEASE = timedelta(seconds=60)
ENLISTED_AT_ONCE = 100
# Dates of posts that a blog's rhythm is told from at first.
DATES_READ = 200


class PollSource(Protocol):
    """Claims feeds, keeps the claims alive, and gives them back with the times of their next polls."""

    def enlist(self, now: datetime) -> bool:
        """Take in blogs that were crawled meanwhile; whether there are more."""
        ...

    def claim(self, now: datetime, room: int) -> tuple[tuple[Poll, Blog], ...]:
        """Feeds to ask now, at most so many."""
        ...

    def renew(self, now: datetime) -> None:
        """The word that what was claimed is being asked."""
        ...

    def give_back(self, polls: Sequence[Poll]) -> None:
        """Feeds that were asked, with their next times."""
        ...

    def give_up(self) -> None:
        """All that is still claimed, as it was."""
        ...

    def next_due(self, now: datetime) -> datetime | None:
        """When the next feed falls due that nobody is asking; None if none will."""
        ...

    def count(self, now: datetime) -> tuple[int, int]:
        """How many feeds are due, and how many are watched at all."""
        ...


class WholeArchive(PollSource):
    """All feeds of an archive; several watches share them by leases."""

    def __init__(self, archive: Archive) -> None:
        self.owner = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._archive = archive

    def enlist(self, now: datetime) -> bool:
        return enlist(self._archive, now)

    def claim(self, now: datetime, room: int) -> tuple[tuple[Poll, Blog], ...]:
        return self._archive.polls.claim(self.owner, now=now, until=now + LEASE, limit=room)

    def renew(self, now: datetime) -> None:
        self._archive.polls.renew(self.owner, until=now + LEASE)

    def give_back(self, polls: Sequence[Poll]) -> None:
        self._archive.polls.release(self.owner, polls)

    def give_up(self) -> None:
        self._archive.polls.release(self.owner)

    def next_due(self, now: datetime) -> datetime | None:
        return self._archive.polls.next_due(now=now)

    def count(self, now: datetime) -> tuple[int, int]:
        return self._archive.polls.count_due(now=now), self._archive.polls.count_watched()


def enlist(archive: Archive, now: datetime) -> bool:
    """Times for some of the blogs that are to be watched and have none; whether there are more."""
    blogs = archive.polls.not_planned(limit=ENLISTED_AT_ONCE)
    archive.polls.add([first_poll(blog, archive, now) for blog in blogs])
    return len(blogs) == ENLISTED_AT_ONCE


def first_poll(blog: Blog, archive: Archive, now: datetime) -> Poll:
    """The first time for a blog that was not watched before, by the dates of its newest posts and its stored feed."""
    dates = archive.posts.newest_dates(blog.id, limit=DATES_READ)
    capture = archive.captures.find(blog.id, blog.feed_url) if blog.feed_url is not None else None
    seen = _said_then(capture, archive) if capture is not None else None
    if capture is None or seen is None:
        return Poll(blog_id=blog.id, polling=first_polling(dates, now, seed=blog.home))
    return Poll(
        blog_id=blog.id, polling=first_polling(dates, now, seed=blog.home, seen=seen),
        etag=capture.etag, last_modified=capture.last_modified, digest=capture.digest.removeprefix("sha256:"),
    )


def _said_then(capture: Capture, archive: Archive) -> Observation | None:
    """What the feed and its server said about the next request when it was stored; None if that cannot be read."""
    try:
        answer = archive.files.exchange(capture, purpose="feed")
    except EverlogError:
        return None
    may_ask = allowed(answer.headers, answer.fetched_at)
    response = read_response(Fetched(url=answer.url, exchanges=(answer,)))
    return Observation(
        kind="unchanged", allowed_at=may_ask.at if may_ask else None, signal=may_ask.signal if may_ask else None,
        hints=response.feed.hints if response is not None and response.feed is not None else None,
    )
