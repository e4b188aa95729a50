"""Memento finder: the capture that an address at a time means, through all redirects that are stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlog.core.urls import absolute, canonical
from everlog.replay import Replayed
from everlog.web.mementos.capture_times import timestamp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.archive.models import Memento

# As many as browsers follow.
MOST_REDIRECTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What an address led to: a capture, or None with the address that is not held."""

    memento: Memento | None
    url: str


def find_memento(archive: Archive, url: str, at: datetime) -> Found:
    """The capture of an address that is nearest to a time; where a redirect is all there is, what it led to."""
    seen: set[str] = set()
    for _ in range(MOST_REDIRECTS):
        found = archive.mementos.nearest(url, at)
        if found is None or found.way != "redirect":
            return Found(memento=found, url=url)
        seen.add(canonical(url))
        with archive.files.open_body(found.own_place) as record:
            target = absolute(found.url, record.header("location"))
        if target is None or canonical(target) in seen:
            return Found(memento=None, url=url)
        url = target
    return Found(memento=None, url=url)


def replayed(
    archive: Archive, urls: Sequence[str], at: datetime, *, with_errors: bool = False,
) -> Mapping[str, Replayed]:
    """What is shown for the references of a page: one look-up for all of them; `with_errors`: with error pages."""
    held = archive.mementos.nearest_many(urls, at)
    return {
        url: Replayed(
            timestamp=timestamp(sighting.at), url=sighting.url, content_type=sighting.content_type,
            is_error=sighting.way == "error",
        )
        for url, sighting in held.items() if with_errors or sighting.way != "error"
    }
