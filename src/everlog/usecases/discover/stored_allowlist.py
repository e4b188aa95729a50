"""Allowlist of a blog, as the archive remembers it: what its crawls may connect to beyond the public web.

    typed HOST:PORT        an address that a user typed: it may be private, and its port unusual
    first network HOST     the network a blog's own host was in when it was first connected to (`fetch/allowlist.py`)
    allow                  of one blog: the hosts that `--allow` named

Addresses that came from lists are not typed. A blog of an archive that was made before these were remembered has no
first network: it was crawled where it is, so its port is taken as typed; an address that is itself private was typed
then, for nothing else led there, while a name is taken as public, since nobody knows any more what it meant.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.core.ip_addresses import literal_address, network_of
from everlog.fetch.allowlist import FIRST_NETWORK
from everlog.fetch.request import origin_of, place, spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from everlog.archive import Archive
    from everlog.core.fetcher import FetchPolicy
    from everlog.records import Blog

TYPED = "typed "


def note_typed(urls: Iterable[str], archive: Archive) -> None:
    """Remember that a user typed these addresses."""
    archive.hosts.cache({_typed_name(url): "yes" for url in urls})


def keep_allowed(blog: Blog, allow: tuple[str, ...], archive: Archive) -> None:
    """Remember what a user allows for a blog, in place of what was allowed before."""
    archive.blogs.change_state(blog.id, lambda state: replace(state, allow=allow))


def settle_home(home: str, archive: Archive) -> None:
    """A home that nothing was fetched from yet is public, or refused: a feed may claim any address as its blog's."""
    name = FIRST_NETWORK + _place(home)[0]
    if archive.hosts.cached(name) is None:
        archive.hosts.cache({name: "public"})


def with_allowlist(
    policy: FetchPolicy, blog: Blog | None, archive: Archive, *,
    recall: Callable[[str], str | None], remember: Callable[[str, str], None],
) -> FetchPolicy:
    """The same policy for a crawl of this archive: what is typed, and where it was first seen, as remembered."""
    urls = dict.fromkeys((*policy.typed, *filter(None, (blog.home, blog.feed_url) if blog is not None else ())))
    hosts = {_place(url)[0] for url in (*urls, *policy.also)}
    first = {host: seen for host in hosts if (seen := recall(FIRST_NETWORK + host)) is not None}
    typed = [url for url in urls if recall(_typed_name(url)) is not None]
    if blog is not None and _place(blog.home)[0] not in first:
        # From before any of this was remembered.
        host, port = _place(blog.home)
        first[host] = _network_of_old(blog)
        typed.append(blog.home)
        remember(FIRST_NETWORK + host, first[host])
        remember(f"{TYPED}{host}:{port}", "yes")
    allowed = archive.blogs.state(blog.id).allow if blog is not None else ()
    return replace(
        policy, typed=tuple(typed), own=tuple(url for url in urls if url not in typed), first_networks=first,
        allow=tuple(dict.fromkeys((*policy.allow, *allowed))),
    )


def _network_of_old(blog: Blog) -> str:
    address = literal_address(_place(blog.home)[0])
    # A feed from elsewhere may have claimed this home; one that is there itself was fetched from there.
    was_there = blog.feed_url is None or _place(blog.feed_url) == _place(blog.home)
    return network_of(address) if address is not None and was_there else "public"


def _typed_name(url: str) -> str:
    host, port = _place(url)
    return f"{TYPED}{host}:{port}"


def _place(url: str) -> tuple[str, int]:
    return place(origin_of(spelled(url)))
