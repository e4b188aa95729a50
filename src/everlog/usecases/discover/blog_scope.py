"""What belongs to a blog: what was typed, what its feed's entries span, and the addresses its pages call their own.

    spanned       further folders of the blog's host that hold entries of its feed
    scope_of      the scope of a blog of an archive, with all that was found to belong to it
    keep_places   writes that down for later runs
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from everlog.core.aliases import Alias
from everlog.core.links import Scope
from everlog.core.links import scope_of as scope_by_home
from everlog.core.urls import absolute, canonical, host_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from everlog.archive import Archive
    from everlog.records import Blog, Feed
    from everlog.settings import Settings

PLACES = "places"
# One entry alone may be anything: an "about" page, a page of another section. Two in one folder are a habit.
LEAST_IN_FOLDER = 2
# Folders that are remembered of one blog: an odd entry here and there must not add up for ever.
MOST_PLACES = 50


def scope_of(blog: Blog, archive: Archive) -> Scope:
    """What belongs to a blog of an archive, wherever it has lived, and whatever its pages call their own."""
    kept = json.loads(archive.blogs.recall(blog.id, PLACES) or "{}")
    aliases = tuple(Alias(**each) for each in kept.get("aliases", ()))
    return replace(scope_by_home(blog), also=tuple(kept.get("also", ())), aliases=aliases)


def keep_places(blog: Blog, scope: Scope, archive: Archive) -> None:
    """Write down what belongs to a blog beyond its home."""
    places = {"also": list(scope.also), "aliases": [asdict(alias) for alias in scope.aliases]}
    archive.blogs.remember(blog.id, PLACES, json.dumps(places) if any(places.values()) else None)


def may_widen(settings: Settings) -> bool:
    """Whether the scope follows the feed: not where the user asked for what lies below the address alone."""
    return "scope" not in settings.given or settings.scope != "path"


def widened(scope: Scope, feed: Feed, feed_url: str | None, answered: Mapping[str, str] | None = None) -> Scope:
    """The scope with the folders of its host that the feed's entries stand in; `answered` says where links led."""
    whole = ((answered or {}).get(entry.link or "") or absolute(feed_url, entry.link) for entry in feed.entries)
    places = spanned([url for url in whole if url is not None], scope)
    return replace(scope, also=(*scope.also, *places)[: max(MOST_PLACES, len(scope.also))]) if places else scope


def spanned(urls: Iterable[str], scope: Scope) -> tuple[str, ...]:
    """The folders of the blog's host, outside its scope, that some entries of its feed stand in.

    The root of the host is the folder of most entries, or of none: one odd entry there does not make all of the
    host the blog's. An odd entry belongs to the blog by itself.

    >>> blog = Scope("https://a.org/blog/")
    >>> spanned(["https://a.org/2020/05/x/", "https://a.org/2021/01/y/", "https://a.org/blog/z/"], blog)
    ('https://a.org/',)
    >>> spanned(["https://a.org/blog/x", "https://a.org/blog/z", "https://a.org/about", "https://b.org/x"], blog)
    ('https://a.org/about',)
    """
    own = {canonical(url): url for url in urls if host_of(url) == host_of(scope.home)}
    outside = [url for key, url in own.items() if not scope.holds_key(key)]
    folders = Counter(map(_folder, outside))
    found: dict[str, None] = {}
    for url in outside:
        folder = _folder(url)
        is_root = urlsplit(folder).path == "/"
        is_shared = folders[folder] * 2 > len(own) if is_root else folders[folder] >= LEAST_IN_FOLDER
        found.setdefault(folder if is_shared else url)
    return tuple(url for url in found if not any(Scope(other).holds(url) for other in found if other != url))


def _folder(url: str) -> str:
    """The folder that an entry's older neighbours stand in too: above the numbers of its year, month and day."""
    parts = urlsplit(url)
    kept: list[str] = []
    for segment in parts.path.strip("/").split("/")[:-1]:
        if segment.isdecimal():
            break
        kept.append(segment)
    return parts._replace(path="/" + "".join(f"{segment}/" for segment in kept), query="", fragment="").geturl()
