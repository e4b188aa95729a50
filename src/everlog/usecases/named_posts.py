"""Posts of a blog that somebody names and the archive does not hold, with what became of their addresses.

Lists name them (interfaces, sitemaps, archive pages), the feed, links of pages, and neighbours. What the verdict makes
of them is in `everlog.history.completeness`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.archive.repos.inventory import COPIED_QUERY, LEADS_TO_POST, SHOWS_ANOTHER
from everlog.core.retry_policy import NOT_THERE
from everlog.core.urls import canonical, host_of
from everlog.history.completeness import NamedPost
from everlog.history.completeness.named_post import Whereabouts, is_address_of_post, year_in
from everlog.history.told_text import is_told
from everlog.usecases.crawl.left_out import DISALLOWED, NOARCHIVE
from everlog.usecases.discover.blog_scope import scope_of
from everlog.usecases.page.post_identity import LEADS_ELSEWHERE, LEADS_HOME, NOT_PUBLIC

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from everlog.archive import Archive
    from everlog.archive.blog_state import BlogState
    from everlog.archive.repos.inventory import UnheldPost
    from everlog.records import Blog

# Names of inventories that are no history sources of their own.
FEED, NEIGHBOURS, CRAWL = "feed", "previous and next links", "crawl"
SITEMAP, ARCHIVE = "sitemap", "archive pages"
# An address of so many words is most often the title of a post; see docs/internals/completeness.md for what is named so
# of 84 real blogs that were cut.
TELLING_WORDS = 3
# Posts that are held in a folder, before a dead link of a list of posts that leads there is one.
FOLDER_OF_POSTS = 3
# The server wants to know who asks, or to be paid.
_LOGIN = frozenset({401, 402})
_ERRORS = 400
_NUMBER = re.compile(r"[0-9]+")
# What pages of errors are called.
_ERROR_PAGE = re.compile(r"[45][0-9]{2}")


def named_posts(blog: Blog, state: BlogState, archive: Archive) -> list[NamedPost]:
    """Every post that some inventory names and that is not held, each once."""
    known = archive.blogs.inventory
    found: dict[str, list[tuple[str, NamedPost]]] = {}

    def note(
        each: UnheldPost, source: str, where: tuple[Whereabouts, str], *, is_certain: bool = True,
        is_in_part: bool = False,
    ) -> None:
        whereabouts, detail = where
        post = NamedPost(
            url=each.url, named_by=(source,), whereabouts=whereabouts, detail=detail, is_certain=is_certain,
            year=year_in(each.url) or each.listed_year, is_in_part=is_in_part,
            is_gone=each.status in NOT_THERE or each.gone is not None,
        )
        found.setdefault(each.key, []).append((source, post))

    for each in known.unheld(blog.id):
        note(each, each.source or CRAWL, _where(each, blog), is_certain=_is_certain(each))
    if not state.records_only:
        for each in known.in_part(blog.id):
            is_cut = each.outcome == "post" and each.state == "failed"
            where: Whereabouts = "failed" if is_cut else "told only"
            said = f"held in part: {_failure(each)}" if is_cut else _why_without_page(each)
            note(each, each.source or CRAWL, (where, said), is_in_part=True)
    for source in state.history:
        for each in known.doubled(blog.id, source.source):
            if not _is_told_twice(each, archive):
                note(each, source.source, ("same", f"its address leads to http://{each.reason}"))
    for each in _of_feed(blog, state, archive):
        note(each, FEED, _where(each, blog))
    for each in _of_links(blog, archive, listed=found.keys()):
        note(each, CRAWL, _where(each, blog), is_certain=False)
    return [_merged(posts) for posts in found.values()]


def _is_told_twice(post: UnheldPost, archive: Archive) -> bool:
    """Whether a post was published at two addresses: its interface tells one text for both, and each shows a page."""
    held = archive.posts.find(f"http://{post.reason}") if (post.state, post.outcome) == ("done", "post") else None
    return held is not None and is_told(held)


def _of_links(blog: Blog, archive: Archive, *, listed: Collection[str]) -> list[UnheldPost]:
    """Addresses like a post's that links have, of which no post is held. Those that are `listed` are posts' anyway.

    Where posts stand at `/word/`, every dead link of running text is like a post's: that counts where a list of posts
    has it, too. So does a dead link that is unlike the feed's posts and lies in a folder of posts: those of an older
    kind. Addresses with their queries in the path, as copying programs write them, count where posts are held at such
    ones.
    """
    known = archive.blogs.inventory
    links = known.unheld_links(blog.id)
    copies = _kinds_of_copies(links, blog, archive)
    links = [link for link in links if is_address_of_post(link.url) or _kind_of_copy(link.key) in copies]
    links = _without_twins(links, blog, archive)
    beside = [link for link in known.dead_pages(blog.id) if is_address_of_post(link.url) and _folder(link) != ""]
    # Where a link stands is not known of all: those that were asked for before the page they are on was put down.
    vague = {
        link.key: canonical(link.found_on or "") for link in links
        if link.key not in listed and _is_vague(link, blog)
    }
    places = {canonical(link.found_on) for link in beside if link.found_on}
    lists = known.listing_pages(blog.id, {*vague.values(), *places}) | {canonical(blog.home)}
    beside = [link for link in beside if link.found_on and canonical(link.found_on) in lists]
    filled = known.folders_of_posts(blog.id, {_folder(link) for link in beside}, least=FOLDER_OF_POSTS)
    return [
        *(link for link in links if link.key not in vague or vague[link.key] in lists),
        *(link for link in beside if _folder(link) in filled),
    ]


def _kinds_of_copies(links: Iterable[UnheldPost], blog: Blog, archive: Archive) -> set[str | None]:
    """What addresses with a query in their path look like at which enough posts are held."""
    if not any(map(_kind_of_copy, (link.key for link in links))):
        return set()
    kinds = Counter(map(_kind_of_copy, archive.blogs.inventory.held_copies(blog.id)))
    return {kind for kind, count in kinds.items() if kind is not None and count >= FOLDER_OF_POSTS}


def _kind_of_copy(key: str) -> str | None:
    """What an address with a query in its path looks like, whatever its numbers are; None for others.

    >>> _kind_of_copy("a.org/index.html%3Fp=17.html"), _kind_of_copy("a.org/17")
    ('a.org/index.html%3Fp=0.html', None)
    """
    path, mark, query = key.partition(COPIED_QUERY)
    return path + mark + _NUMBER.sub("0", query) if mark else None


def _without_twins(links: list[UnheldPost], blog: Blog, archive: Archive) -> list[UnheldPost]:
    """Without dead links to posts that are held, written with `.html` or without it."""
    twins = {link.key: _twin(link.key) for link in links if link.status in NOT_THERE}
    held = archive.blogs.inventory.held_of(blog.id, twins.values())
    return [link for link in links if twins.get(link.key) not in held]


def _twin(key: str) -> str:
    return key.removesuffix(".html") if key.endswith(".html") else f"{key}.html"


def _folder(link: UnheldPost) -> str:
    """The folder below the host that an address lies in; empty for one at the root."""
    above, _, _ = link.key.partition("?")[0].rpartition("/")
    return above if "/" in above else ""


def _is_vague(link: UnheldPost, blog: Blog) -> bool:
    """Whether an address that nothing answers at is a word or two below the home."""
    below = link.key.removeprefix(canonical(blog.home)).strip("/")
    # Of those whose place is not known, a list may have had some: two words are enough for them.
    is_short = len(below.replace("_", "-").split("-")) < (TELLING_WORDS if link.found_on else TELLING_WORDS - 1)
    # Posts are called by their numbers, and no slip of the pen is; 404 is.
    is_number = below.isdecimal() and _ERROR_PAGE.fullmatch(below) is None
    is_word = not is_number and not any(mark in below for mark in ("/", "?", COPIED_QUERY))
    return link.status in NOT_THERE and is_short and is_word and year_in(link.url) is None


def _merged(posts: list[tuple[str, NamedPost]]) -> NamedPost:
    """What several sources say of one post: locked if one says so; else what became of it is the same for all."""
    first = next((post for _, post in posts if post.whereabouts == "locked"), posts[0][1])
    return replace(
        first, named_by=tuple(dict.fromkeys(source for source, _ in posts)),
        is_certain=any(post.is_certain for _, post in posts), is_in_part=any(post.is_in_part for _, post in posts),
    )


def _is_certain(post: UnheldPost) -> bool:
    """Whether who lists an address knows that it is a post.

    Maps of posts have the page that lists them, too; pages of months lead to more than posts, and pages have neighbours
    of their own.
    """
    is_other = post.source in {ARCHIVE, NEIGHBOURS} and post.outcome in {"listing", "page"}
    return post.kind != "address" and not is_other and not (post.source == SITEMAP and post.outcome == "listing")


def _of_feed(blog: Blog, state: BlogState, archive: Archive) -> list[UnheldPost]:
    """The entries of the feed that are not held, at their own address or where their page was looked for."""
    if not state.entries:
        return []
    scope, known = scope_of(blog, archive), archive.blogs.inventory
    places = {
        key: tuple(dict.fromkeys((key, *map(canonical, scope.page_urls(f"https://{key}"))))) for key in state.entries
    }
    held = known.held_of(blog.id, {key for keys in places.values() for key in keys})
    open_keys = {key: keys for key, keys in places.items() if held.isdisjoint(keys)}
    rows = known.unheld_of(blog.id, {key for keys in open_keys.values() for key in keys})
    # One that was never in the queue has been asked for while the blog was learned, by another address.
    named = (next((rows[key] for key in keys if key in rows), None) for keys in open_keys.values())
    return [post for post in named if post is not None]


def _where(post: UnheldPost, blog: Blog) -> tuple[Whereabouts, str]:
    """What became of the address of a post, and that in words."""
    if post.locked is not None:
        return "locked", post.locked
    if post.kind == "outside":
        is_here = host_of(post.url) == host_of(blog.home)
        return "outside", f"outside {blog.home}" if is_here else f"on another host, {host_of(post.url)}"
    if (post.reason or "").startswith(NOT_PUBLIC):
        return "locked", (post.reason or "").removeprefix(NOT_PUBLIC)
    if post.state in {None, "queued"}:
        return ("unvisited" if post.state is None else "waiting"), ""
    if post.state == "failed":
        is_away: Whereabouts = "not there" if post.status in NOT_THERE else "failed"
        return ("needs login" if post.status in _LOGIN else is_away), _failure(post)
    return _left_out(post.reason or "") if post.outcome == "skip" else ("no post", _where_it_led(post))


def _left_out(reason: str) -> tuple[Whereabouts, str]:
    if reason.startswith(DISALLOWED):
        return "refused", "robots.txt disallows it"
    if reason == NOARCHIVE:
        return "refused", "its page asks not to be archived"
    if reason.startswith("redirects out of the blog"):
        return "outside", "its address leads to another host"
    if reason.startswith("not fetched"):
        return "unvisited", "not visited"
    if reason.startswith("not an HTML page"):
        return "no post", reason
    return "failed", reason


def _why_without_page(post: UnheldPost) -> str:
    """Why only the text of a post is held."""
    if post.state == "failed":
        return _failure(post)
    if post.state == "queued":
        return "not visited yet"
    said = _left_out(post.reason or "")[1] if post.outcome == "skip" else _where_it_led(post)
    return said or "its page was not recognised as a post"


def _where_it_led(post: UnheldPost) -> str:
    """That an address led to another page, as its visit noted; archives of before say nothing of it."""
    if post.reason == SHOWS_ANOTHER:
        return f"its page {SHOWS_ANOTHER}"
    return f"its address {post.reason}" if post.reason in {LEADS_HOME, LEADS_ELSEWHERE, LEADS_TO_POST} else ""


def _failure(post: UnheldPost) -> str:
    """Why an address could not be had."""
    return f"HTTP {post.status}" if (post.status or 0) >= _ERRORS else post.reason or "no answer"
