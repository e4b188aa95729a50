"""`everlog status --politeness`: what was asked of each host, what was waited for, and who asked for it."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from everlog.cli.terminal.text import json_text, more, say, time_or_none
from everlog.usecases.request_ledger import hosts_of_blog, span_in_words, times_in_words

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.cli.flags import Flags
    from everlog.core.fetcher import HostStats, Waited
    from everlog.records import Blog

HOSTS_SHOWN = 50


def print_ledger(archive: Archive, blog: Blog | None, given: Flags) -> None:
    """The hosts of the archive, or those of a blog: first those whose servers asked for waits, then the busiest."""
    hosts = archive.hosts.stats() if blog is None else hosts_of_blog(blog, archive)
    if given.json:
        print(json_text([_plain(each) for each in hosts], ensure_ascii=False, indent=1))
        return
    ordered = sorted(hosts, key=_rank)
    if not ordered and not given.quiet:
        print("no requests yet:  everlog crawl URL", file=sys.stderr)
    now = datetime.now(UTC)
    for each in ordered if given.verbose else ordered[:HOSTS_SHOWN]:
        say(_line(each))
        for wait in each.waits:
            say(_wait_line(wait, now))
    more(len(ordered), HOSTS_SHOWN, verbose=given.verbose)


def _rank(each: HostStats) -> tuple[int, int, str]:
    # A status stands at the beginning of its signal: servers that refused come before those that only gave a time.
    signals = [wait.signal for wait in each.waits if wait.signal]
    asked = 0 if any(signal[0].isdigit() for signal in signals) else 1 if signals else 2
    return asked, -each.requests, each.host


def _line(each: HostStats) -> str:
    asked = f", last {time_or_none(each.asked_at)}" if each.asked_at else ""
    slowed = f", slowed down {times_in_words(each.slowed)}" if each.slowed else ""
    return (
        f"{each.host}  {each.requests} requests, {each.bytes} bytes, waited {span_in_words(each.waited_seconds)}{asked}"
        f", pace {each.delay_seconds:.3g} s{slowed}"
    )


def _wait_line(wait: Waited, now: datetime) -> str:
    """One cause in one line."""
    signal = f" [{wait.signal}]" if wait.signal else ""
    until = f", until {time_or_none(wait.until)}" if wait.until is not None and wait.until > now else ""
    when = time_or_none(wait.last_at)
    often, long = times_in_words(wait.times), span_in_words(wait.seconds)
    return f"  {often:>10}  {long:>10}  {wait.reason}{signal}, last {when}{until}"


def _plain(each: HostStats) -> dict[str, Any]:
    return {
        "host": each.host, "requests": each.requests, "bytes": each.bytes,
        "waited_seconds": round(each.waited_seconds, 1), "slowed": each.slowed,
        "delay_seconds": round(each.delay_seconds, 2), "asked": time_or_none(each.asked_at),
        "waits": [_plain_wait(wait) for wait in each.waits],
    }


def _plain_wait(wait: Waited) -> dict[str, Any]:
    return {
        "reason": wait.reason, "signal": wait.signal or None, "times": wait.times, "seconds": round(wait.seconds, 1),
        "first": time_or_none(wait.first_at), "last": time_or_none(wait.last_at), "until": time_or_none(wait.until),
    }
