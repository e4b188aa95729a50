"""A blog of WordPress whose posts are split over pages and whose comments are paged, as its themes write both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import a_blog
from usecases.a_conversation import comment_feed, thread_html
from usecases.a_web import MemoryWeb

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from usecases.a_conversation import Said

POSTS = 12
IN_FEED = 5
FEED = a_blog.HOME + "feed/"
COMMENTS_FEED = a_blog.HOME + "comments/feed/"


class PagedSite:
    """The site with pretty (`/post-3/2/`) or plain (`?p=3&page=2`) addresses, in a block theme or a classic one."""

    def __init__(self, *, plain: bool = False, blocks: bool = True) -> None:
        self.fetcher = MemoryWeb()
        self.plain = plain
        self.blocks = blocks
        for number in range(1, POSTS + 1):
            self.put(number)
        self.fetcher.put(
            a_blog.HOME + "about", "<html><body><nav><a href=/>Home</a></nav><p>About us.</p></body></html>",
        )
        self.put_lists(range(POSTS, 0, -1))
        self.put_feed(range(POSTS, POSTS - IN_FEED, -1))

    def url(self, number: int, page: int = 1) -> str:
        """The address of a page of a post."""
        if self.plain:
            return f"{a_blog.HOME}?p={number}" + (f"&page={page}" if page > 1 else "")
        return f"{a_blog.HOME}post-{number}/" + (f"{page}/" if page > 1 else "")

    def comment_url(self, number: int, page: int) -> str:
        """The address of a page of a post's comments."""
        if self.plain:
            return f"{a_blog.HOME}?p={number}&cpage={page}"
        return f"{a_blog.HOME}post-{number}/comment-page-{page}/"

    def post_feed(self, number: int) -> str:
        return f"{a_blog.HOME}?feed=rss2&p={number}" if self.plain else f"{self.url(number)}feed/"

    def put(self, number: int, inside: str | None = None, *, after: str = "", head: str = "") -> None:
        """A post on one page."""
        self._put(self.url(number), number, inside, after=after, head=head)

    def put_split(self, number: int, parts: Sequence[str]) -> None:
        """A post split over as many pages as there are parts."""
        for place, part in enumerate(parts, 1):
            links = self._page_links(number, place, len(parts))
            inside, below = (part + links, "") if self.blocks else (part, links)
            self._put(self.url(number, place), number, inside + below)

    def put_comments(
        self, number: int, comments: Sequence[Said], *, per_page: int, newest_first: bool = False,
        shown: Sequence[Sequence[Said]] | None = None,
    ) -> None:
        """A post with its comments on several pages, of which its own address shows the first or the last."""
        pages = shown or [comments[start : start + per_page] for start in range(0, len(comments), per_page)]
        own = len(pages) if newest_first else 1
        for place, part in enumerate(pages, 1):
            url = self.url(number) if place == own else self.comment_url(number, place)
            thread = thread_html(part, stated=len(comments))
            # With several pages the address of every comment names its own, on the post's page as well.
            thread = thread.replace("href=#comment", f"href='{self.comment_url(number, place)}#comment")
            thread = thread.replace("><time", "'><time")
            reply = f"{self.url(number)}{'&' if self.plain else '?'}replytocom"
            thread = thread.replace("?replytocom", reply)
            before = self._way(number, place - 1, own, "Older comments") if place > 1 else ""
            behind = self._way(number, place + 1, own, "Newer comments") if place < len(pages) else ""
            head = f"<link rel=alternate type=application/rss+xml title='Comments' href='{self.post_feed(number)}'>"
            ways = f"<nav class=comment-navigation>{before}{behind}</nav>"
            self._put(url, number, None, after=thread + ways, head=head)
        feed = comment_feed(number, comments).replace(a_blog.url(number), self.url(number))
        self.fetcher.put(self.post_feed(number), feed, type="application/rss+xml")

    def put_lists(self, numbers: Iterable[int]) -> None:
        """The front page, and the list of older posts behind it."""
        every = list(numbers)
        for page, shown in ((1, every[:6]), (2, every[6:])):
            teasers = "".join(
                f"<div class=teaser><h2><a href='{self.url(number)}'>Post {number} of ours</a></h2></div>"
                for number in shown
            )
            older = f"{a_blog.HOME}?paged=2" if self.plain else f"{a_blog.HOME}page/2/"
            way = f"<a class=page-numbers href='{older}'>2</a>" if page == 1 else f"<a href={a_blog.HOME}>1</a>"
            head = (
                f"<link rel=alternate type=application/rss+xml title='A Blog' href='{FEED}'>"
                f"<link rel=alternate type=application/rss+xml title='Comments Feed' href='{COMMENTS_FEED}'>"
            )
            self.fetcher.put(
                a_blog.HOME if page == 1 else older,
                f"<html><head><title>A Blog</title>{head}</head><body><nav><a href=/>Home</a></nav>"
                f"<div class=list>{teasers}</div>{way}</body></html>",
            )

    def put_feed(self, numbers: Iterable[int]) -> None:
        items = [a_blog.item(number, link=self.url(number).replace("&", "&amp;")) for number in numbers]
        self.fetcher.put(FEED, a_blog.rss(items), type="application/rss+xml")

    def put_comments_feed(self, comments: Iterable[tuple[int, Said]]) -> None:
        """The feed of the whole site's comments, the newest ten: posts and comments, the oldest first."""
        items = "".join(
            f"<item><title>By: {comment.author}</title><link>{self.url(post)}#comment-{comment.id}</link>"
            f"<dc:creator>{comment.author}</dc:creator><pubDate>{comment.day:02} Feb 2024 10:00:00 +0000</pubDate>"
            f"<guid isPermaLink='false'>{a_blog.HOME}?p={post}#comment-{comment.id}</guid>"
            f"<description>{comment.text}</description></item>"
            for post, comment in reversed(list(comments)[-10:])
        )
        self.fetcher.put(
            COMMENTS_FEED,
            '<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>'
            f"<title>Comments for A Blog</title><link>{a_blog.HOME}</link>{items}</channel></rss>",
            type="application/rss+xml",
        )

    def _put(self, url: str, number: int, inside: str | None, *, after: str = "", head: str = "") -> None:
        own = f"<link rel=canonical href='{url}'>"
        self.fetcher.put(url, a_blog.page(number, inside, after=after, head=own + head))

    def _way(self, number: int, page: int, own: int, words: str) -> str:
        url = self.url(number) if page == own else self.comment_url(number, page)
        return f"<a href='{url}#comments'>{words}</a>"

    def _page_links(self, number: int, own: int, last: int) -> str:
        label = "" if self.blocks else "Page "
        links = " ".join(
            f'<span class="post-page-numbers current" aria-current="page">{label}{page}</span>' if page == own else
            f'<a href="{self.url(number, page)}" class="post-page-numbers">{label}{page}</a>'
            for page in range(1, last + 1)
        )
        if self.blocks:
            return f'<p class="post-nav-links">Pages: {links}</p>'
        return f'<nav class="page-links" aria-label="Page">{links}</nav>'
