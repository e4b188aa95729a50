"""A blog that can be served under any name: dated posts whose older ones link to each other, lists, and a feed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import a_blog
from everlog.core.urls import canonical
from everlog.records import Failure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from usecases.a_web import MemoryWeb

POSTS = 20
PER_LIST = 5
# Posts that nothing leads to but links to the address that the blog had before.
HIDDEN = (4, 7)


@dataclass(frozen=True, kw_only=True)
class NamedBlog:
    """What a blog says of itself; `seed` sets the words of its posts, `old` is where its older posts link to."""

    title: str = "Rain and Stones"
    author: str = "Ann Lee"
    seed: int = 0
    old: str | None = None
    # The last post that was at the old address.
    left_after: int = POSTS
    canonical: str | None = None
    guids: str | None = None
    footer: str = ""
    posts: Sequence[int] = tuple(range(1, POSTS + 1))
    hidden: Sequence[int] = ()

    def path(self, number: int) -> str:
        return f"{2004 + number}/03/{a_blog.sentence(f'{self.seed + number}/0', 3).replace(' ', '-')}-{number}/"

    def stated(self, place: int) -> str:
        """What a list says of its own address."""
        path = "" if place == 1 else f"page/{place}/"
        return f"<link rel=canonical href='{self.canonical}{path}'>" if self.canonical else ""

    def page(self, number: int, at: str) -> bytes:
        """The page of a post; one of an old address links to the two posts before it there."""
        last = min(number - 1, self.left_after) if self.old is not None else 0
        before = [each for each in (last, last - 1) if each in self.posts]
        links = "".join(f" <a href='{self.old}{self.path(each)}'>earlier</a>" for each in before)
        head = f"<link rel=canonical href='{self.canonical}{self.path(number)}'>" if self.canonical else ""
        inside = f"{a_blog.article(self.seed + number)}<p>As was said{links} in this place.</p>"
        return _own(a_blog.page(number, inside, head=head, after=self.footer), self).replace(
            b"<a href=/>", f"<a href='{at}'>".encode(),
        )

    def feed(self, at: str, numbers: Iterable[int] | None = None, *, links_at: str | None = None) -> bytes:
        shown = sorted(numbers or self.posts, reverse=True)[:PER_LIST]
        items = [self._item(number, links_at or at) for number in shown]
        return _own(a_blog.rss(items).replace(a_blog.HOME.encode(), at.encode()), self)

    def _item(self, number: int, at: str) -> str:
        item = a_blog.item(number, a_blog.article(self.seed + number), link=at + self.path(number))
        guid = f"<guid isPermaLink='false'>{self.guids}?p={number}</guid>" if self.guids else ""
        return item.replace("</item>", f"{guid}</item>")


def _own(body: bytes, blog: NamedBlog) -> bytes:
    return body.replace(b"A Blog", blog.title.encode()).replace(b"Ann Lee", blog.author.encode())


def serve(web: MemoryWeb, at: str, blog: NamedBlog, *, links_at: str | None = None) -> None:
    """The whole blog at an address; `links_at` is where its lists and feed say that its pages are."""
    names = links_at or at
    shown = [number for number in sorted(blog.posts, reverse=True) if number not in blog.hidden]
    lists = [shown[start : start + PER_LIST] for start in range(0, len(shown), PER_LIST)]
    for place, numbers in enumerate(lists, 1):
        older = f"<a href='{names}page/{place + 1}/'>Older posts</a>" if place < len(lists) else ""
        teasers = "".join(
            f"<div class=teaser><h2><a href='{names}{blog.path(number)}'>Post {number} of ours</a></h2>"
            f"<p>{a_blog.sentence(f'{blog.seed + number}/0', 12)}</p></div>" for number in numbers
        )
        web.put(at if place == 1 else f"{at}page/{place}/", (
            f"<html lang=en><head><title>{blog.title}</title>"
            f"<link rel=alternate type=application/rss+xml href='{at}feed.xml'>{blog.stated(place)}</head><body>"
            f"<nav><a href='{names}'>Home</a> <a href='{names}about/'>About the blog</a></nav>"
            f"<div class=list>{teasers}</div>{older}{blog.footer}</body></html>"
        ))
    for number in blog.posts:
        web.put(at + blog.path(number), blog.page(number, names))
    web.put(at + "about/", f"<html><body><a href='{names}'>Home</a><p>All about us, no more.</p></body></html>")
    web.put(at + "feed.xml", blog.feed(at, shown, links_at=links_at), type="application/rss+xml")


def redirect(web: MemoryWeb, old: str, new: str, blog: NamedBlog, *, hop: int = 301) -> None:
    """An address that sends its readers on, page by page."""
    for path in ("", "feed.xml", *map(blog.path, blog.posts)):
        web.put(old + path, b"", redirect=new + path, hop=hop)


def silence(web: MemoryWeb, at: str, blog: NamedBlog) -> None:
    """An address at which nobody answers."""
    for path in ("", "feed.xml", *map(blog.path, blog.posts)):
        web.answers[canonical(at + path)] = Failure(url=at + path, trouble="dns", reason="DNS lookup failed")
