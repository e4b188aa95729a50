"""Backoff of a host, from one run to the next: its wish to be left alone, and how slowly it was asked."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from everlog.core.retry_policy import LONGEST_REMEMBERED, remembered

if TYPE_CHECKING:
    from collections.abc import Callable

    from everlog.core.politeness import HostClock

# Trouble of an hour ago says nothing about a server; the slices of a fleet's crawl follow each other in minutes.
LONGEST_STRAIN = timedelta(hours=1)


def remember_backoff(remember: Callable[[str, str], None] | None, host: str, clock: HostClock, now: datetime) -> None:
    """Keep for the next run what the host asked for; the signal is kept as it was given."""
    if remember is not None and clock.held_until is not None:
        until = remembered(clock.held_until, now)
        remember(f"wait {host}", f"{until.isoformat()} {clock.held_for.reason}\t{clock.held_for.signal}")


def remember_strain(remember: Callable[[str, str], None] | None, host: str, clock: HostClock, now: datetime) -> None:
    """Keep how much slower than usual the host is asked: a crawl that goes on in another process goes on so."""
    added, refusals = clock.strain
    if remember is not None:
        remember(f"strain {host}", f"{now.isoformat()} {added:g} {refusals}")


def recall_strain(recall: Callable[[str], str | None] | None, host: str, clock: HostClock, now: datetime) -> None:
    """Begin as slowly as the last run ended, if that is not long ago."""
    kept = recall(f"strain {host}") if recall is not None else None
    try:
        moment, added, refusals = (kept or "").split()
        since = now - datetime.fromisoformat(moment)
        if since <= LONGEST_STRAIN:
            clock.take_strain(float(added), int(refusals))
    except (ValueError, TypeError):
        return


def recall_backoff(
    recall: Callable[[str], str | None] | None, remember: Callable[[str, str], None] | None, host: str,
    clock: HostClock, now: datetime,
) -> None:
    """Hold to what the host asked an earlier run for."""
    kept = recall(f"wait {host}") if recall is not None else None
    if kept is None:
        return
    moment, _, why = kept.partition(" ")
    reason, _, signal = why.partition("\t")
    try:
        until = datetime.fromisoformat(moment)
    except ValueError:
        return
    if until.tzinfo is None:
        return
    clock.hold(remembered(until, now), reason or "the server asked us to wait", signal)
    if until > now + LONGEST_REMEMBERED:
        # Kept by an older version: cut anew in every run, it would never end.
        remember_backoff(remember, host, clock, now)
