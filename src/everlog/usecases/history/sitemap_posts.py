"""Posts that a blog's sitemaps list: an inventory of them, and the addresses that are to be visited."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.archive.blog_state import SourceState
from everlog.archive.repos.inventory import InventoryPost
from everlog.core.links import trap
from everlog.core.urls import canonical, host_of
from everlog.history import sitemap_history
from everlog.history.sitemap_walk import map_kind
from everlog.records import Link

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from everlog.core.scope import Scope
    from everlog.records import Blog
    from everlog.usecases.crawl.crawl_context import CrawlRun
    from everlog.usecases.discover.walk_history import ReadMap
    from everlog.usecases.learn.learned_blog import LearnedBlog

# A folder of a language: en, pt-br.
_LANGUAGE = re.compile(r"/[a-z]{2}(?:[-_][a-z]{2})?(?=/[^/])", re.IGNORECASE)


def keep_sitemap(blog: Blog, maps: Iterable[ReadMap], scope: Scope, learned: LearnedBlog, run: CrawlRun) -> list[Link]:
    """Keep which posts the maps of a site list, and say where their pages are: links may not lead to all of them.

    A map that says that it lists posts is believed where the address is like a post's too; of others only that tells.
    """
    posts: dict[str, InventoryPost] = {}
    read: set[str] = set()
    named: set[str] = set()
    home = canonical(blog.home)
    maps = list(maps)
    strangers = _strangers(blog, maps, scope, run)
    for each in maps:
        answer = each.answer
        read |= {canonical(answer.url), canonical(answer.answer.url)}
        of_posts = map_kind(answer.url) == "posts"
        named.update(canonical(url) for url, _ in each.sitemap.maps if map_kind(url) in {"posts", "unknown"})
        for address, changed in each.sitemap.urls if of_posts or map_kind(answer.url) == "unknown" else ():
            url = scope.page_urls(address)[0]
            key = canonical(url)
            is_like = any(map(learned.classifier.likely_post, (url, *_without_language(url, blog.home))))
            is_page = key != home and host_of(address) not in strangers and trap(url) is None
            if not is_page or not (of_posts or is_like) or not scope.is_own_key(key):
                continue
            kind = "post" if of_posts and is_like else "address"
            posts.setdefault(key, InventoryPost(native_id=key, key=key, url=url, kind=kind, changed_at=changed))
    source = sitemap_history.SOURCE.name
    run.archive.blogs.inventory.clear(blog.id, source)
    run.archive.blogs.inventory.add(blog.id, source, posts.values())
    state = None
    if read:
        state = SourceState(
            source=source, entrance=min(read), is_exhaustive=named <= read, walked_at=run.now(),
            problem=_said_unread(len(named - read)),
        )
    run.archive.blogs.change_state(blog.id, lambda before: replace(before, sitemap=state))
    return [Link(url=post.url, key=post.key, lane="post") for post in posts.values()]


def _said_unread(parts: int) -> str | None:
    """That parts of a sitemap could not be had, for people.

    >>> _said_unread(1), _said_unread(0)
    ('1 of its parts could not be read', None)
    """
    return f"{parts:,} of its parts could not be read" if parts else None


def _strangers(blog: Blog, maps: Iterable[ReadMap], scope: Scope, run: CrawlRun) -> set[str]:
    """Hosts in the maps of a blog that are no other names of its own: a map may list the pages of several sites.

    A blog that moved, or was built on somebody's machine, lists its posts under another host. Then it lists nothing
    under its own, or some posts of that host are known here, at the same path.
    """
    own: set[str] = set()
    looked_for: dict[str, set[str]] = {}
    for address in (address for each in maps for address, _ in each.sitemap.urls):
        if scope.is_own(address):
            own.add(canonical(address))
        else:
            looked_for.setdefault(host_of(address), set()).add(canonical(scope.page_urls(address)[0]))
    if not own or not looked_for:
        return set()
    inventory, wanted = run.archive.blogs.inventory, set().union(*looked_for.values())
    known = own | inventory.held_of(blog.id, wanted) | inventory.unheld_of(blog.id, wanted).keys()
    return {host for host, keys in looked_for.items() if keys.isdisjoint(known - {canonical(blog.home)})}


def _without_language(url: str, home: str) -> Iterator[str]:
    """The address of a post in a folder of its language, without that: the feed shows one language alone.

    >>> list(_without_language("https://a.org/blog/en/posts/x/", "https://a.org/blog/"))
    ['https://a.org/blog/posts/x/']
    >>> list(_without_language("https://a.org/en/", "https://a.org/"))
    []
    """
    if url.startswith(home):
        found = _LANGUAGE.match(url, len(home.rstrip("/")))
        if found:
            yield url[:found.start()] + url[found.end():]
