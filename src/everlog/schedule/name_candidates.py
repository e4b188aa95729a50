"""Candidates for other names of a blog: hosts and folders that its own pages link to as if its posts were there.

Old posts link to older ones at the address that the blog had then. Such links tell of the address, and of posts that
nothing else leads to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from everlog.core.scope import Scope, folder_of, is_below, rebased
from everlog.core.urls import canonical, host_of
from everlog.schedule.blog_names import LEAST_ENTRIES, LEAST_LINKS, is_telling

if TYPE_CHECKING:
    from collections.abc import Callable

    from everlog.records import Entry

# Folders above a post that a former address may have had and the present one has not: "/blog/", "/weblog/archives/".
FOLDERS = 2
# Of the links to an address that may be posts, as many must be posts here: an owner's other blog has some of the same
# paths ("hello-world"), not most.
LEAST_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class NameCandidate:
    """An address that may be another name of a blog.

    `posts` are the addresses there of pages that are here, by their keys here; `unmet` those of pages that only links
    to it tell of, by their addresses here. `ids` are addresses that the feed gives as ids of its entries, by the keys
    of their links.
    """

    home: str
    posts: Mapping[str, str] = field(default_factory=dict)
    unmet: Mapping[str, str] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)


def name_candidates(
    links: Mapping[str, str], entries: Iterable[Entry], scope: Scope, is_met: Callable[[str], bool],
) -> list[NameCandidate]:
    """The addresses that links (by their keys) and ids of a feed's entries name, the most often named first.

    `is_met` says whether a page of the blog is known by its key.
    """
    named = {each.home: each for each in _by_links(links, scope, is_met)}
    for home, ids in _by_ids(entries, scope).items():
        known = next((each for each in named.values() if is_below(folder_of(each.home), folder_of(home))), None)
        at = known or NameCandidate(home=home)
        named[at.home] = NameCandidate(home=at.home, posts=at.posts, unmet=at.unmet, ids=ids)
    return sorted(named.values(), key=lambda each: len(each.posts) + len(each.ids), reverse=True)


def _by_links(links: Mapping[str, str], scope: Scope, is_met: Callable[[str], bool]) -> Iterator[NameCandidate]:
    held = {folder_of(alias.home) for alias in scope.aliases if alias.is_name}
    hosts: dict[str, dict[str, str]] = defaultdict(dict)
    for key, url in links.items():
        hosts[key.partition("/")[0]][key] = url
    for each in hosts.values():
        if not _may_be(each, scope, is_met) or any(is_below(next(iter(each)), folder) for folder in held):
            continue
        telling = [url for url in each.values() if is_telling(url)]
        found = _best_home(telling, scope, is_met) if len(telling) >= LEAST_LINKS else None
        if found is not None:
            yield found


def _may_be(keys: Iterable[str], scope: Scope, is_met: Callable[[str], bool]) -> bool:
    """Whether enough keys of a host have paths that are here: quick, as most hosts have none."""
    above, found = folder_of(scope.home), 0
    for key in keys:
        rest = key
        for _ in range(FOLDERS + 1):
            _, slash, rest = rest.partition("/")
            if not slash:
                break
            own = f"{above}/{rest}"
            if own != key and is_met(own):
                found += 1
                break
        if found == LEAST_LINKS:
            return True
    return False


def _best_home(urls: Iterable[str], scope: Scope, is_met: Callable[[str], bool]) -> NameCandidate | None:
    """The folder of a host below which most of these addresses are those of pages here; None if too few are."""
    best: NameCandidate | None = None
    for home, below in _folders(urls).items():
        if folder_of(home) == folder_of(scope.home):
            continue
        here = {canonical(address): (address, url) for url in below for address in [rebased(url, home, scope.home)]}
        posts = {key: url for key, (_, url) in here.items() if is_met(key) and key != canonical(url)}
        if len(posts) < max(LEAST_LINKS, LEAST_SHARE * len(here)) or (best and len(best.posts) >= len(posts)):
            continue
        best = NameCandidate(
            home=home, posts=posts, unmet={own: url for key, (own, url) in here.items() if not is_met(key)},
        )
    return best


def _folders(urls: Iterable[str]) -> dict[str, list[str]]:
    """The first folders of addresses, and those inside them, with the addresses below each; hosts first."""
    folders: dict[str, list[str]] = defaultdict(list)
    for depth in range(FOLDERS + 1):
        for url in urls:
            parts = urlsplit(url)
            segments = parts.path.split("/")[1:-1]
            if len(segments) >= depth:
                path = "/" + "".join(f"{segment}/" for segment in segments[:depth])
                folders[parts._replace(path=path, query="", fragment="").geturl()].append(url)
    return folders


def _by_ids(entries: Iterable[Entry], scope: Scope) -> dict[str, dict[str, str]]:
    """Homes on other hosts at which the ids of a feed's entries lie, as WordPress keeps the address of before."""
    homes: dict[str, dict[str, str]] = defaultdict(dict)
    for entry in entries:
        guid = (entry.guid or "").strip()
        if not entry.link or not guid.startswith(("http://", "https://")):
            continue
        if host_of(guid) in {host_of(scope.home), host_of(entry.link)}:
            continue
        parts = urlsplit(guid)
        # "http://ann.example/blog/?p=12" is the front page of a blog with the number of a post.
        path = parts.path if parts.query and parts.path.endswith("/") else "/"
        homes[parts._replace(path=path, query="", fragment="").geturl()][canonical(entry.link)] = guid
    return {home: ids for home, ids in homes.items() if len(ids) >= LEAST_ENTRIES}
