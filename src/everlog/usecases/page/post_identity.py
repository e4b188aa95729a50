"""Identity of a post: whether a page still is the post that is held there, also of a blog that moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from everlog.core.tree import parse
from everlog.core.urls import canonical
from everlog.core.words import words
from everlog.errors import UnreadablePage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.records import Link, Page, Post
    from everlog.usecases.crawl.crawl_context import CrawlContext

# How many of a post's three-word sequences stand on a page. On 463 pages of 84 blogs, their own posts: at least 0.86;
# another post of the same blog: at most 0.40.
STILL_THERE = 0.5
# A page that shows fewer of them than this is another one, such as a wall: the first of many pages of a post has more.
LEAST_SHOWN = 0.05
# The beginning of a long text tells as much as all of it.
MOST_WORDS = 2_000
# Fewer words in a row are a title, or "read more".
LEAST_TOLD = 10
# What is noted of the page of a post that strangers may not read, before the reason.
NOT_PUBLIC = "its text is not public: "
PASSWORD = "password"  # noqa: S105 - a reason
# What is noted of an address that led to another page than a post's.
LEADS_HOME, LEADS_ELSEWHERE = "redirects to the home page", "redirects to a page that is no post"


def key_of_moved(link_key: str, post_key: str | None, context: CrawlContext) -> str | None:
    """The identity of a post whose page was asked for: the one it is held under, if its blog has or had other names."""
    if not context.scope.has_homes:
        return post_key
    own = post_key or link_key
    held = context.archive.posts.key(context.blog.id, link_key, *context.scope.keys_of(own))
    return post_key if held is None else held if held != link_key else None


def what_was_lost(
    link_key: str, page: Page, outcome: str, context: CrawlContext,
) -> tuple[str | None, Literal["led-away", "no-post"]] | None:
    """What became of a post that is held, where its page answers and is none; None if there was no post, or still is.

    With it comes the key that the post is held under, where that is another than the page's.
    """
    post_key = key_of_moved(link_key, None, context)
    own = post_key or link_key
    # Lists are met on every blog; on a first crawl most of them need no question to the archive.
    if context.is_unheld(own) or context.archive.posts.key(context.blog.id, own) != own:
        return None
    met = canonical(page.url)
    homes = {canonical(home) for home in (context.blog.home, *context.blog.former_homes)}
    if met != link_key and (met in homes or outcome == "listing"):
        return post_key, "led-away"
    held = context.held(own)
    if held is None or shows(page, held) is not False:
        return None
    return post_key, "no-post"


def where_led(link: Link, page: Page, context: CrawlContext) -> str | None:
    """Where the address of a post leads that shows none: to the front page, as many servers answer for what is gone."""
    met = canonical(page.url)
    if link.lane != "post" or met == link.key:
        return None
    homes = {canonical(home) for home in (context.blog.home, *context.blog.former_homes)}
    return LEADS_HOME if met in homes and link.key not in homes else LEADS_ELSEWHERE


def shows(page: Page, post: Post) -> bool | None:
    """Whether a post's words stand on a page, in their order; None where that cannot be told."""
    try:
        share = _share_shown(page, post)
    except UnreadablePage:
        return None
    return None if share is None else share >= STILL_THERE


def shows_nothing(page: Page, post: Post) -> bool:
    """Whether a page has next to none of a post's words: a wall, an error that calls itself a page, or none at all."""
    try:
        share = _share_shown(page, post, least=LEAST_TOLD)
    except UnreadablePage:
        return True
    return share is not None and share < LEAST_SHOWN


def _share_shown(page: Page, post: Post, *, least: int = 1) -> float | None:
    """The share of a post's three-word sequences that stand on a page; None where it has too few of them to tell."""
    root = parse(page.body, page.content_type)
    wanted = _triples(words(f"{post.title or ''} {post.text}")[:MOST_WORDS])
    if len(wanted) < least:
        return None
    found = _triples(words(" ".join(map(str, root.itertext()))))
    return len(wanted & found) / len(wanted)


def stands_in(text: str, post: Post) -> bool | None:
    """Whether a text, or the beginning of it, is that of a post; None where it is too short to tell."""
    wanted = _triples(words(text)[:MOST_WORDS])
    if len(wanted) < LEAST_TOLD:
        return None
    found = _triples(words(f"{post.title or ''} {post.text}"))
    return len(wanted & found) >= STILL_THERE * len(wanted)


def _triples(spoken: Sequence[str]) -> set[tuple[str, ...]]:
    return set(zip(spoken, spoken[1:], spoken[2:], strict=False))
