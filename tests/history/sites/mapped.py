"""A blog of pages and a feed that lists all of its posts in sitemaps, and has no other interface."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

from history.sites.blog import Answer, Blog
from history.sites.sitemaps import SitemapSite

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass
class MappedBlog(Blog):
    """Traps: those of `SitemapSite`, and "half"."""

    per_map: int = 10

    def head(self) -> str:
        return '<link rel="alternate" type="application/rss+xml" href="/feed" title="RSS">'

    def interface(self, url: str, headers: Mapping[str, str]) -> Answer | None:
        if url == f"{self.home}feed":
            return 200, {"Content-Type": "application/rss+xml"}, self._rss()
        root = self.home.rstrip("/")
        posts = {self.link(post).removeprefix(root): f"{post.updated:%Y-%m-%d}" for post in self.newest()}
        maps = SitemapSite(home=self.home, posts=posts, per_map=self.per_map, traps=self.traps)
        is_page = url == self.home or url.removeprefix(root) in posts
        found = maps.answer(url, headers) if not is_page else None
        return found if found is not None and found[0] != 404 else None

    def _rss(self) -> bytes:
        items = "".join(
            f"<item><title>{html.escape(post.title)}</title><link>{self.link(post)}</link>"
            f"<description>{html.escape(post.body)}</description></item>" for post in self.newest()[:10]
        )
        return f"<rss version='2.0'><channel><title>x</title>{items}</channel></rss>".encode()
