"""Ledger of requests and waits of a blog: the hosts that were asked for it, in words and figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.archive import Archive
    from everlog.core.fetcher import HostStats
    from everlog.records import Blog


def hosts_of_blog(blog: Blog, archive: Archive) -> Iterator[HostStats]:
    """The hosts of a blog's home, of its former homes and of its feed."""
    from everlog.fetch.request import host_key, spelled  # noqa: PLC0415 - most who look at an archive need no client

    urls = (blog.home, *blog.former_homes, blog.feed_url or blog.home)
    for host in dict.fromkeys(host_key(spelled(url)) for url in urls):
        yield from archive.hosts.stats(host)


def times_in_words(count: int) -> str:
    """How often.

    >>> times_in_words(1), times_in_words(12)
    ('once', '12 times')
    """
    return "once" if count == 1 else f"{count} times"


def span_in_words(seconds: float) -> str:
    """A length of time, as exact as anybody cares to know.

    >>> span_in_words(0), span_in_words(3.25), span_in_words(90), span_in_words(7300), span_in_words(200_000)
    ('0 s', '3.2 s', '90 s', '2.0 h', '2.3 d')
    """
    if seconds < 3600:
        return f"{seconds:.1f} s" if 0 < seconds < 60 else f"{seconds:.0f} s"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.1f} d"
