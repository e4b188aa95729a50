"""Addresses left out of a crawl although they may belong to the blog: counted while it runs, said when it ends.

A blog that came out nearly empty because its posts lie beyond its scope, or at a host that its pages name as their
own and that was not followed, is not complete.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from everlog.archive.blog_state import LeftOut
from everlog.core.links import trap
from everlog.core.scope import Alias, folder_of, is_below

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.archive import Archive
    from everlog.records import Blog
    from everlog.usecases.crawl.crawl_context import CrawlContext

# Why a page is not kept that asks for that, as its row in the archive says.
NOARCHIVE = "noarchive"
# How the reason begins why an address was not asked for that robots.txt forbids.
DISALLOWED = "robots.txt disallows"
# Addresses that are kept to be counted; more of them do not tell more.
MOST_KEPT = 2_000
# Links to other hosts that are remembered: 3 MB. Blogs that have more link to their own old posts among the first.
MOST_NAMED = 20_000


def note_left_out(links: Iterable[tuple[str, str]], context: CrawlContext) -> None:
    """Count links that lead beyond the scope, to pages."""
    for url, key in links:
        if len(context.left_out) >= MOST_KEPT:
            return
        if trap(url, this_year=context.this_year) is None:
            context.left_out.setdefault(key, url)


def note_named(links: Iterable[tuple[str, str]], context: CrawlContext) -> None:
    """Remember links that lead out of the blog, or nowhere; they may name addresses that it had (`other_names`)."""
    if len(context.named) < MOST_NAMED:
        context.named.update((key, url) for url, key in links)


def note_missing(key: str, url: str, context: CrawlContext) -> None:
    """Count an address that is not here, while an alias that was not followed may have it."""
    if len(context.left_out) < MOST_KEPT and any(_may_have(alias) for alias in context.scope.aliases):
        context.left_out.setdefault(key, url)


def what_was_left_out(context: CrawlContext, held: int) -> str | None:
    """Why a crawl that visited all of its scope is not complete, and what to do about it; None if it is."""
    said = [*_at_aliases(context), *_on_own_host(context, held)]
    return "; ".join(said) if said else None


def left_to_robots(blog: Blog, archive: Archive) -> list[str]:
    """The addresses that were left out because robots.txt, or the pages themselves, ask for that.

    Those of posts among them that are held otherwise: an interface may tell the text of a page that nobody may have.
    """
    return [url for url, reason in archive.urls.skipped(blog.id) if reason.startswith((NOARCHIVE, DISALLOWED))]


def count_not_kept(blog: Blog, archive: Archive) -> int:
    """How many pages were left out because they ask not to be kept."""
    return sum(each.reason == NOARCHIVE for each in archive.urls.problems(blog.id))


def noarchive_remark(count: int, home: str) -> str:
    """What is said of pages that ask not to be kept.

    >>> noarchive_remark(1, "https://a.example/")
    '1 page says noarchive and is not kept; if the blog is yours:  everlog crawl https://a.example/ --ignore-robots'
    """
    pages = "1 page says noarchive and is" if count == 1 else f"{count} pages say noarchive and are"
    return f"{pages} not kept; if the blog is yours:  everlog crawl {home} --ignore-robots"


def begin_anew(blog: Blog, archive: Archive) -> None:
    """A crawl from the start counts from nothing."""
    archive.blogs.change_state(blog.id, lambda state: replace(state, left_out=LeftOut()))


def recall_left_out(blog: Blog, archive: Archive) -> dict[str, str]:
    """What the parts of a crawl before this one left out: addresses by their keys."""
    return dict(archive.blogs.state(blog.id).left_out.links)


def keep_left_out(context: CrawlContext, said: str | None) -> None:
    """For the parts of a crawl that follow, and for `everlog status`."""
    kept = LeftOut(links=dict(context.left_out), said=said) if context.left_out else LeftOut()
    context.archive.blogs.change_state(context.blog.id, lambda state: replace(state, left_out=kept))


def said_left_out(blog: Blog, archive: Archive) -> str | None:
    """What the last crawl of a blog left out, as it said."""
    return archive.blogs.state(blog.id).left_out.said


def _at_aliases(context: CrawlContext) -> list[str]:
    said = []
    for alias in context.scope.aliases:
        host, how = urlsplit(alias.home).netloc, f"to include it:  everlog crawl {context.blog.home} --also {{}}"
        why = f"it was not followed ({alias.reason})"
        named = f"{host}, which the blog's pages name as their own address"
        there = sum(is_below(key, folder_of(alias.home)) for key in context.left_out)
        if there and not alias.here and not alias.followed:
            said.append(f"{there} links lead to {named}; {why}; {how.format(host)}")
        here = sum(is_below(key, folder_of(context.blog.home)) for key in context.left_out)
        if here and _may_have(alias):
            said.append(f"{here} addresses are missing here and may be at {named}; {why}; {how.format(host)}")
    return said


def _on_own_host(context: CrawlContext, held: int) -> list[str]:
    """Nothing is said of a few: next to a blog in a folder there are other pages, and it may speak of them."""
    outside = [url for key, url in context.left_out.items() if _is_beside(key, context)]
    if len(outside) <= held:
        return []
    beside = f"its lists lead to {len(outside)} pages outside {context.blog.home}, such as {outside[0]}"
    return [f"{beside}; to include them:  everlog crawl {context.blog.home} --scope host"]


def _is_beside(key: str, context: CrawlContext) -> bool:
    at_alias = any(is_below(key, folder_of(alias.home)) for alias in context.scope.aliases)
    return not at_alias and not context.scope.is_own_key(key)


def _may_have(alias: Alias) -> bool:
    """Whether what is missing here may be at an alias that was not followed: not if nobody answers there."""
    return alias.here and not alias.followed and alias.answers
