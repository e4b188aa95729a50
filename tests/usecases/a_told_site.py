"""Blogs in memory whose own interface tells their posts, with feeds of posts and comments, and a fetcher of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import format_datetime
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING

from everlog.records import Exchange, Failure, Fetched
from history.sites.wordpress_rest import WordPressRest
from usecases.a_web import MemoryWeb

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from history.driving import Site
    from history.sites.blog import Answer, SitePost

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LONG = "On that day the sea was calm and the harbour full of boats, and nobody in the town spoke of the way back. "


@dataclass
class ToldBlog(WordPressRest):
    """A WordPress blog with articles of some length, a feed of its newest posts, and with "talk" one of comments."""

    def publish(self, **said: object) -> SitePost:
        post = super().publish(**said)
        self.posts[post.number] = replace(post, body=f"<p>{LONG * 3} It was day {post.number}.</p><p>{LONG}</p>")
        return self.posts[post.number]

    def head(self) -> str:
        feed = '<link rel="alternate" type="application/rss+xml" title="{}" href="{}">'
        talk = feed.format("Comments Feed", f"{self.home}comments/feed/") if "talk" in self.traps else ""
        return super().head() + feed.format("Feed", f"{self.home}feed/") + talk

    def interface(self, url: str, headers: Mapping[str, str]) -> Answer | None:
        if url == f"{self.home}feed/":
            items = "".join(
                f"<item><title>{escape(post.title)}</title><link>{self.link(post)}</link>"
                f"<pubDate>{format_datetime(post.published)}</pubDate><description>{escape(post.body)}</description>"
                "</item>" for post in self.newest()[:10]
            )
            return _feed(items, headers)
        if url == f"{self.home}comments/feed/" and "talk" in self.traps:
            items = "".join(
                f"<item><title>Comment on Day by: {each.author}</title><dc:creator>{each.author}</dc:creator>"
                f"<link>{self.link(self.posts[each.post])}#comment-{each.number}</link>"
                f"<pubDate>{format_datetime(each.published)}</pubDate>"
                f"<description>{escape(each.body)}</description></item>" for each in self.newest_comments()[:10]
            )
            return _feed(items, headers)
        return super().interface(url, headers)


def _feed(items: str, headers: Mapping[str, str]) -> Answer:
    body = f'<rss xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>{items}</channel></rss>'.encode()
    etag = f'"{sha256(body).hexdigest()[:12]}"'
    if headers.get("If-None-Match") == etag:
        return 304, {"ETag": etag}, b""
    return 200, {"Content-Type": "application/rss+xml", "ETag": etag}, body


class SiteWeb(MemoryWeb):
    """A fetcher of one site in memory; `busy` are parts of addresses whose server wants to be left alone."""

    def __init__(self, site: Site, now: datetime = NOW) -> None:
        super().__init__(now=now)
        self.site = site
        self.busy: set[str] = set()

    async def fetch(self, url, *, purpose="page", etag=None, last_modified=None):
        self.asked.append(url)
        if any(part in url for part in self.busy):
            return Failure(url=url, trouble="rate-limited", reason="answers 429", status=429)
        asked = {"If-None-Match": etag, "If-Modified-Since": last_modified}
        status, headers, body = self.site.answer(url, {name: value for name, value in asked.items() if value})
        exchange = Exchange(
            url=url, status=status, headers=tuple(headers.items()), body=body, fetched_at=self.now, purpose=purpose,
        )
        if status >= 400:
            return Failure(url=url, trouble="http", reason=f"answers {status}", status=status, exchanges=(exchange,))
        return Fetched(url=url, exchanges=(exchange,))


class Broken(SiteWeb):
    """A site some addresses of which give no good answer, whatever its lists say."""

    def __init__(self, site: Site, urls: Iterable[str], status: int = 404) -> None:
        super().__init__(site)
        self.urls, self.status = set(urls), status

    async def fetch(self, url, **how):
        answer = await super().fetch(url, **how)
        if url not in self.urls:
            return answer
        exchange = replace(answer.exchanges[-1], status=self.status, body=b"not now")
        return Failure(
            url=url, trouble="http", reason=f"HTTP {self.status} at {url}", status=self.status, exchanges=(exchange,),
        )
