"""`everlog status --politeness`: what was asked of each host, what was waited for, and who asked for it."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from everlog.cli.terminal.text import json_text, more, say, time_or_none

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.archive import Archive
    from everlog.cli.flags import Flags
    from everlog.core.fetcher import HostStats, Waited
    from everlog.records import Blog

HOSTS_SHOWN = 50


def print_ledger(archive: Archive, blog: Blog | None, given: Flags) -> None:
    """The hosts of the archive, or those of a blog: first those whose servers asked for waits, then the busiest."""
    hosts = archive.hosts.stats() if blog is None else _hosts_of(blog, archive)
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


def _hosts_of(blog: Blog, archive: Archive) -> Iterator[HostStats]:
    """The hosts of a blog's home, of its former homes and of its feed."""
    from everlog.fetch.request import host_key, spelled

    urls = (blog.home, *blog.former_homes, blog.feed_url or blog.home)
    for host in dict.fromkeys(host_key(spelled(url)) for url in urls):
        yield from archive.hosts.stats(host)


def _rank(each: HostStats) -> tuple[int, int, str]:
    # A status stands at the beginning of its signal: servers that refused come before those that only gave a time.
    signals = [wait.signal for wait in each.waits if wait.signal]
    asked = 0 if any(signal[0].isdigit() for signal in signals) else 1 if signals else 2
    return asked, -each.requests, each.host


def _line(each: HostStats) -> str:
    asked = f", last {time_or_none(each.asked_at)}" if each.asked_at else ""
    slowed = f", slowed down {_times(each.slowed)}" if each.slowed else ""
    return (
        f"{each.host}  {each.requests} requests, {each.bytes} bytes, waited {_span(each.waited_seconds)}{asked}"
        f", pace {each.delay_seconds:.3g} s{slowed}"
    )


def _wait_line(wait: Waited, now: datetime) -> str:
    """One cause in one line."""
    signal = f" [{wait.signal}]" if wait.signal else ""
    until = f", until {time_or_none(wait.until)}" if wait.until is not None and wait.until > now else ""
    when = time_or_none(wait.last_at)
    return f"  {_times(wait.times):>10}  {_span(wait.seconds):>10}  {wait.reason}{signal}, last {when}{until}"


def _times(count: int) -> str:
    """How often.

    >>> _times(1), _times(12)
    ('once', '12 times')
    """
    return "once" if count == 1 else f"{count} times"


def _span(seconds: float) -> str:
    """A length of time, as exact as anybody cares to know.

    >>> _span(0), _span(3.25), _span(90), _span(7300), _span(200_000)
    ('0 s', '3.2 s', '90 s', '2.0 h', '2.3 d')
    """
    if seconds < 3600:
        return f"{seconds:.1f} s" if 0 < seconds < 60 else f"{seconds:.0f} s"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.1f} d"


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
