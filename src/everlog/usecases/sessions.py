"""Sessions of the fetcher: the web as the crawl of one blog may ask it, by its settings and what earlier runs learned.

    open_session      the session of one blog
    open_web_archive  that of a web archive
    fetch_policy      how its pages are asked for
    HostCache         what is remembered of hosts from one run to the next, written in groups
"""

from __future__ import annotations

import http.cookiejar
from dataclasses import replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from everlog.core.fetcher import Fetcher, FetchPolicy
from everlog.errors import UsageError
from everlog.fetch.allowlist import FIRST_NETWORK
from everlog.usecases.discover.stored_allowlist import TYPED, note_typed, with_allowlist
from everlog.usecases.discover.typed_address import fetchable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from everlog.archive import Archive
    from everlog.fetch import HttpClient
    from everlog.records import Blog
    from everlog.settings import Settings

ROBOTS = "robots "
# The index of a large web archive takes its time: half a minute for a blog of many years is nothing unusual.
SLOW_SECONDS = 120.0
GATHERED = (ROBOTS, FIRST_NETWORK, TYPED)


def open_session(
    url: str, settings: Settings, archive: Archive, fetcher: HttpClient, *, blog: Blog | None = None,
    host_cache: HostCache | None = None, others: tuple[str, ...] = (),
) -> Fetcher:
    """The web as the crawl of one blog sees it, with what earlier runs learned about its hosts.

    `others` are further spellings of its address that were typed with it.
    """
    def to_archive(name: str, value: str) -> None:
        archive.hosts.cache({name: value})

    recall = host_cache.recall if host_cache is not None else archive.hosts.cached
    remember = host_cache.remember if host_cache is not None else to_archive
    scratch = str(archive.backend.file_store.scratch) if archive.backend.file_store.scratch is not None else None
    own = fetch_policy(url, settings)
    guessed = (url, *others) if others else ()
    policy = replace(own, typed=(*own.typed, *others), guessed=guessed, scratch=scratch)
    policy = with_allowlist(policy, blog, archive, recall=recall, remember=remember)
    return fetcher.session(policy, recall=recall, remember=remember)


def open_web_archive(endpoint: str, settings: Settings, archive: Archive, fetcher: HttpClient) -> Fetcher:
    """A web archive as any crawl may ask it: with a pace of its own, one request at a time.

    Its robots.txt is about search engines that would list its captures as pages; its interfaces are made for programs.
    A capture that is a redirect must not lead out of it: whoever answers there today is not who was captured.
    """
    def to_archive(name: str, value: str) -> None:
        archive.hosts.cache({name: value})

    note_typed([endpoint], archive)
    scratch = str(archive.backend.file_store.scratch) if archive.backend.file_store.scratch is not None else None
    policy = FetchPolicy(
        allow=settings.allow, typed=(endpoint,), user_agent=settings.agent(_version()), obey_robots=False, stays=True,
        delay_seconds=settings.wayback_delay, concurrency=1, timeout_seconds=max(settings.timeout, SLOW_SECONDS),
        longest_wait_seconds=settings.longest_wait, retries=settings.retries, max_page_bytes=settings.max_page_bytes,
        max_media_bytes=settings.max_media_bytes, max_requisite_bytes=settings.max_requisite_bytes, scratch=scratch,
    )
    policy = with_allowlist(policy, None, archive, recall=archive.hosts.cached, remember=to_archive)
    return fetcher.session(policy, recall=archive.hosts.cached, remember=to_archive)


def fetch_policy(url: str, settings: Settings) -> FetchPolicy:
    """How the pages of the blog at `url` are asked for, as if it was typed for the first time."""
    return FetchPolicy(
        allow=settings.allow,
        typed=tuple(filter(None, (url, settings.feed))),
        also=tuple(map(fetchable, settings.also)),
        user_agent=settings.agent(_version()),
        obey_robots=settings.robots,
        delay_seconds=settings.delay,
        concurrency=settings.concurrency,
        timeout_seconds=settings.timeout,
        longest_wait_seconds=settings.longest_wait,
        retries=settings.retries,
        max_page_bytes=settings.max_page_bytes,
        max_media_bytes=settings.max_media_bytes,
        max_requisite_bytes=settings.max_requisite_bytes,
        headers=settings.headers(),
        cookies=read_cookies(settings.cookies, url) if settings.cookies else (),
    )


@cache
def _version() -> str:
    try:
        return version("everlog")
    except PackageNotFoundError:
        return "0"


def read_cookies(file: str, url: str) -> tuple[tuple[str, str], ...]:
    """The cookies of a Netscape cookie file that are meant for a URL's host."""
    jar = http.cookiejar.MozillaCookieJar(file)
    try:
        jar.load(ignore_discard=True, ignore_expires=True)
    except (OSError, ValueError, http.cookiejar.LoadError) as error:
        raise UsageError(
            f"cookies cannot be read from {file}: {error}",
            advice="export them from a browser as a Netscape cookies.txt file",
        ) from None
    host = (urlsplit(url).hostname or "").lower()
    return tuple(
        (cookie.name, cookie.value or "") for cookie in jar
        if host == cookie.domain.lstrip(".") or host.endswith("." + cookie.domain.lstrip("."))
    )


class HostCache:
    """robots.txt and hosts' waits. Kept and taken in one thread; what was taken may be written in another."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._kept: dict[str, str | None] = {}
        self._on_the_way: Mapping[str, str | None] = {}

    def recall(self, name: str) -> str | None:
        for gathered in (self._kept, self._on_the_way):
            if name in gathered:
                return gathered[name]
        return self._archive.hosts.cached(name)

    def remember(self, name: str, value: str | None) -> None:
        if name.startswith(GATHERED):
            self._kept[name] = value
        else:
            # Who asked to be left alone is left alone, whatever ends this process; robots.txt can be asked for again,
            # and the networks of blogs that are held are taken as public until they are written.
            self._archive.hosts.cache({name: value})

    def take(self) -> Mapping[str, str | None]:
        """What was kept since the last time, to be written; it is known here until more is taken."""
        self._on_the_way, self._kept = self._kept, {}
        return self._on_the_way

    def write(self, taken: Mapping[str, str | None] | None = None) -> None:
        """Bring into the archive what was taken, or else what is kept."""
        taken = self.take() if taken is None else taken
        if taken:
            self._archive.hosts.cache(taken)
