"""A site whose feed is spread over several documents: archived, paged, complete, or a JSON feed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from history.sites.blog import Answer, Blog, SitePost

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TYPES = {"json": "application/feed+json", "atom": "application/atom+xml"}


@dataclass
class FeedArchives(Blog):
    """The newest posts in /feed, older ones behind it.

    `way` is "archive", "page", "json" or "complete". Traps: "foreign" (older documents are said to be on another site),
    "broken" (an older document is missing), "loop" (the last document names the first), "deaf" (every page is the first
    one), "busy" (the second document answers with 503 once), "prefix" (unusual prefixes of namespaces).
    """

    way: str = "archive"
    size: int = 10
    _was_busy: bool = False

    @property
    def feed_url(self) -> str:
        return f"{self.home}feed.json" if self.way == "json" else f"{self.home}feed"

    def head(self) -> str:
        kind = _TYPES["json" if self.way == "json" else "atom"]
        return f'<link rel="alternate" type="{kind}" href="{self.feed_url}">'

    def interface(self, url: str, headers: Mapping[str, str]) -> Answer | None:
        parts = urlsplit(url)
        if not url.startswith(self.feed_url) and not parts.path.startswith("/archive/"):
            return None
        if self.way == "complete":
            return self._complete(headers)
        if parts.path.startswith("/archive/"):
            return self._archive(int(parts.path.rpartition("/")[2]))
        page = int(parse_qs(parts.query).get("page", ["1"])[0])
        if self.way == "archive":
            return self._newest()
        return self._page(1 if "deaf" in self.traps else page, page)

    def _complete(self, headers: Mapping[str, str]) -> Answer:
        last = max((post.updated for post in self.posts.values()), default=self._clock)
        etag = f'"{last.timestamp():.0f}-{len(self.posts)}"'
        if headers.get("If-None-Match") == etag:
            return 304, {"ETag": etag}, b""
        return 200, {"Content-Type": _TYPES["atom"], "ETag": etag}, self._atom(self.newest(), "<fh:complete/>")

    def _newest(self) -> Answer:
        """What is in no archive yet: archives are full, and stay as they are."""
        archives = self._archives()
        kept = {post.number for archive in archives for post in archive}
        link = self._link("prev-archive", f"/archive/{len(archives)}") if archives else ""
        return self._said([post for post in self.newest() if post.number not in kept], link)

    def _archive(self, number: int) -> Answer:
        archives = self._archives()
        if "broken" in self.traps and number == 2:
            return 404, {}, b"<html>Not found</html>"
        if "busy" in self.traps and not self._was_busy:
            self._was_busy = True
            return 503, {}, b"busy"
        link = "<fh:archive/>" + self._link("current", "/feed")
        if number > 1:
            link += self._link("prev-archive", f"/archive/{number - 1}")
        elif "loop" in self.traps:
            link += self._link("prev-archive", f"/archive/{len(archives)}")
        if number < len(archives):
            link += self._link("next-archive", f"/archive/{number + 1}")
        return self._said(archives[number - 1][::-1], link)

    def _archives(self) -> list[list[SitePost]]:
        oldest = self.newest()[::-1]
        full = max(0, len(oldest) - self.size) // self.size
        return [oldest[number * self.size:(number + 1) * self.size] for number in range(full)]

    def _page(self, page: int, asked: int) -> Answer:
        if "busy" in self.traps and page == 2 and not self._was_busy:
            self._was_busy = True
            return 503, {}, b"busy"
        if "broken" in self.traps and page == 2:
            return 404, {}, b"<html>Not found</html>"
        newest = self.newest()
        shown = newest[(page - 1) * self.size:page * self.size]
        has_more = len(newest) > page * self.size or "deaf" in self.traps
        following = f"{self.feed_url}?page={asked + 1}" if has_more else self.feed_url if "loop" in self.traps else None
        if following is not None and "foreign" in self.traps:
            following = f"https://elsewhere.example/feed?page={asked + 1}"
        if self.way == "json":
            return 200, {"Content-Type": _TYPES["json"]}, self._json(shown, following)
        return self._said(shown, self._link("next", following) if following is not None else "")

    def _said(self, posts: Sequence[SitePost], extra: str) -> Answer:
        return 200, {"Content-Type": _TYPES["atom"]}, self._atom(posts, extra)

    def _link(self, relation: str, href: str) -> str:
        host = "https://elsewhere.example" if "foreign" in self.traps and href.startswith("/") else ""
        return f'<link rel="{relation}" href="{host}{escape(href)}"/>'

    def _atom(self, posts: Sequence[SitePost], extra: str) -> bytes:
        prefix = "h" if "prefix" in self.traps else "fh"
        entries = "".join(
            f"<entry><id>urn:post:{post.number}</id><title>{escape(post.title)}</title>"
            f'<link href="{self.link(post)}"/><author><name>{post.author}</name></author>'
            f"<published>{post.published.isoformat()}</published><updated>{post.updated.isoformat()}</updated>"
            f'<content type="html">{escape(post.body)}</content></entry>'
            for post in posts
        )
        return (
            f'<feed xmlns="http://www.w3.org/2005/Atom" xmlns:{prefix}="http://purl.org/syndication/history/1.0">'
            f'<title>{escape(self.title)}</title><link href="{self.home}"/>'
            f'{extra.replace("<fh:", f"<{prefix}:")}{entries}</feed>'
        ).encode()

    def _json(self, posts: Sequence[SitePost], following: str | None) -> bytes:
        items = [
            {
                "id": f"urn:post:{post.number}", "url": self.link(post), "title": post.title, "content_html": post.body,
                "date_published": post.published.isoformat(), "date_modified": post.updated.isoformat(),
            }
            for post in posts
        ]
        feed = {
            "version": "https://jsonfeed.org/version/1.1", "title": self.title, "home_page_url": self.home,
            "items": items,
        }
        return json.dumps(feed | ({"next_url": following} if following is not None else {})).encode()
