"""A blog that is served at one address while its own pages, canonical links and feed name another as theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import a_blog
from usecases.a_conversation import comment_feed, said, thread_html

if TYPE_CHECKING:
    from collections.abc import Iterable

    from usecases.a_web import MemoryWeb

POSTS = 20
PER_LIST = 5
# Posts with comments, and how many each has.
TALKED_OF, SAID = (3, 17), 12


def put_mirror(
    fetcher: MemoryWeb, at: str, names: str, *, posts: Iterable[int] | None = None, canonical: bool = True,
) -> None:
    """The whole blog at `at`, every link of it below `names`; `posts` are those that answer there."""
    numbers = list(range(POSTS, 0, -1))
    lists = [numbers[start : start + PER_LIST] for start in range(0, POSTS, PER_LIST)]
    for place, shown in enumerate(lists, 1):
        own = "" if place == 1 else f"page/{place}/"
        older = f"<a href='{names}page/{place + 1}/'>Older posts</a>" if place < len(lists) else ""
        fetcher.put(at + own, _listing(shown, names, older, names + own if canonical else None))
    for number in numbers if posts is None else posts:
        fetcher.put(f"{at}{number}/", a_post(number, names, canonical=canonical))
        if number in TALKED_OF:
            fetcher.put(f"{at}{number}/feed/", comment_feed(number, said(number, SAID)), type="application/rss+xml")
    fetcher.put(at + "about/", f"<html><body><a href='{names}'>Home</a><p>All about us, no more.</p></body></html>")
    put_mirrored_feed(fetcher, at, names, numbers[:PER_LIST])


def put_mirrored_feed(fetcher: MemoryWeb, at: str, names: str, numbers: Iterable[int]) -> None:
    items = [a_blog.item(number, link=f"{names}{number}/") for number in numbers]
    body = a_blog.rss(items).replace(a_blog.HOME.encode(), names.encode())
    fetcher.put(at + "feed.xml", body, type="application/rss+xml")


def a_post(number: int, names: str, *, canonical: bool = True) -> bytes:
    """The page of a post: half of its comments, and the feed of the others."""
    comments = said(number, SAID) if number in TALKED_OF else []
    head = f"<link rel=canonical href='{names}{number}/'>" if canonical else ""
    if comments:
        feed = f"{names}{number}/feed/"
        head += f"<link rel=alternate type=application/rss+xml title='Post {number} Comments Feed' href='{feed}'>"
    after = thread_html(comments[: SAID // 2], stated=SAID) if comments else ""
    page = a_blog.page(number, head=head, after=after)
    return page.replace(b"<a href=/>", f"<a href='{names}'>".encode()).replace(
        b"<a href=/about>", f"<a href='{names}about/'>".encode(),
    )


def _listing(shown: Iterable[int], names: str, older: str, own: str | None) -> str:
    teasers = "".join(
        f"<div class=teaser><h2><a href='{names}{number}/'>Post {number} of ours</a></h2>"
        f"<p>{a_blog.sentence(f'{number}/0', 12)}</p></div>"
        for number in shown
    )
    stated = f"<link rel=canonical href='{own}'>" if own else ""
    return (
        f"<html><head><title>A Blog</title>{stated}"
        f"<link rel=alternate type=application/rss+xml href='{names}feed.xml'></head><body>"
        f"<nav><a href='{names}'>Home</a> <a href='{names}about/'>About the blog</a></nav>"
        f"<div class=list>{teasers}</div>{older}</body></html>"
    )
