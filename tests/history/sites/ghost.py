"""A Ghost site: its content interface as Ghost 5 and 6 have it, pages with its scripts, its feed and its sitemap."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from history.sites.blog import Answer, Blog, SitePost

if TYPE_CHECKING:
    from collections.abc import Mapping

KEY = "22444f78447824223cefc48062"


@dataclass
class GhostSite(Blog):
    """Posts with ids in the order in which they were written, drafts among them, and when they were published.

    `traps`: `cap` (never more than 100, as since Ghost 6), `no-filter` (filters are ignored), `refuses` (filters are
    refused), `no-order` (always the newest first), `v3` (the interface of Ghost 3), `no-total`, `heavy` (more than 25
    at once fail), `no-pages` (pages are switched off), `no-key` (pages show no key).
    """

    home: str = "https://ghost.example/"
    drafts: set[int] = field(default_factory=set)
    locked: dict[int, str] = field(default_factory=dict)
    seconds: int = 0

    def draft(self) -> int:
        """A post that nobody sees yet."""
        post = self.publish()
        self.drafts.add(post.number)
        return post.number

    def release(self, number: int) -> None:
        """Publish a draft."""
        self.drafts.discard(number)
        now = self.tick()
        self.posts[number] = replace(self.posts[number], published=now, updated=now)

    def lock(self, number: int, visibility: str) -> None:
        self.locked[number] = visibility

    def newest(self) -> list[SitePost]:
        return [post for post in super().newest() if post.number not in self.drafts]

    def link(self, post: SitePost) -> str:
        return f"{self.home}day-{post.number}/"

    @property
    def links(self) -> set[str]:
        return {self.link(post) for post in self.newest() if post.kind == "post"}

    def head(self) -> str:
        key = "" if "no-key" in self.traps else f'data-key="{KEY}" data-api="{self._root}"'
        return (
            '<meta name="generator" content="Ghost 5.130">'
            f'<link rel="alternate" type="application/rss+xml" title="RSS" href="{self.home}rss/">'
            f'<script defer src="https://cdn.example/ghost/portal@~2/umd/portal.min.js" data-i18n="true"'
            f' data-ghost="{self.home}" {key} data-locale="en" crossorigin="anonymous"></script>'
        )

    @property
    def _root(self) -> str:
        return f"{self.home}ghost/api/{'v3/' if 'v3' in self.traps else ''}content/"

    def interface(self, url: str, headers: Mapping[str, str]) -> Answer | None:  # noqa: ARG002
        parts = urlsplit(url)
        if parts.path == "/rss/":
            return 200, {"Content-Type": "application/rss+xml"}, self._rss().encode()
        if parts.path == "/sitemap.xml":
            row = f"<sitemap><loc>{self.home}sitemap-posts.xml</loc></sitemap>"
            return 200, {"Content-Type": "text/xml"}, f"<sitemapindex>{row}</sitemapindex>".encode()
        if parts.path == "/sitemap-posts.xml":
            rows = "".join(
                f"<url><loc>{self.link(post)}</loc><lastmod>{post.updated.isoformat()}</lastmod></url>"
                for post in self.newest()
            )
            return 200, {"Content-Type": "text/xml"}, f"<urlset>{rows}</urlset>".encode()
        kind = re.fullmatch(re.escape(urlsplit(self._root).path) + "(posts|pages)/", parts.path)
        if kind is None:
            return _error(404, "Resource not found") if parts.path.startswith("/ghost/api/") else None
        asked = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        return self._browse(kind[1], asked)

    def _browse(self, kind: str, asked: dict[str, str]) -> Answer:
        if asked.get("key") != KEY:
            return _error(401, "Unknown Content API Key")
        if "refuses" in self.traps and "filter" in asked:
            return _error(400, "Error parsing filter")
        limit = int(asked.get("limit", "15"))
        if "heavy" in self.traps and limit > 25:
            return _error(500, "Internal Server Error")
        if kind == "pages" and "no-pages" in self.traps:
            return _error(403, "No permission")
        limit = min(limit, 100) if "cap" in self.traps else limit
        posts = [post for post in self.newest() if post.kind == kind[:-1] and self._passes(post, asked.get("filter"))]
        order = "" if "no-order" in self.traps else asked.get("order", "")
        if order.startswith("id "):
            posts.sort(key=lambda post: post.number)
        elif order.startswith("updated_at "):
            posts.sort(key=lambda post: post.updated, reverse=True)
        page = int(asked.get("page", "1"))
        shown = posts[(page - 1) * limit:page * limit]
        total = {} if "no-total" in self.traps else {"meta": {"pagination": {
            "page": page, "limit": limit, "pages": -(-len(posts) // limit), "total": len(posts), "next": None,
        }}}
        rows = [self._row(post, asked) for post in shown]
        return 200, {"Content-Type": "application/json; charset=utf-8"}, json.dumps({kind: rows, **total}).encode()

    def _passes(self, post: SitePost, wanted: str | None) -> bool:
        if wanted is None or "no-filter" in self.traps:
            return True
        for part in wanted.split("+"):
            name, sign, value = re.fullmatch(r"(id|updated_at):(>=?)'([^']*)'", part).groups()
            has = _id(post) if name == "id" else f"{post.updated:%Y-%m-%d %H:%M:%S}"
            if not (has > value or (sign == ">=" and has == value)):
                return False
        return True

    def _row(self, post: SitePost, asked: dict[str, str]) -> dict[str, Any]:
        visibility = self.locked.get(post.number, "public")
        row = {
            "id": _id(post), "uuid": "x", "title": post.title, "slug": f"day-{post.number}", "html": post.body,
            "url": self.link(post), "visibility": visibility, "access": visibility == "public",
            "published_at": f"{post.published:%Y-%m-%dT%H:%M:%S}.000+00:00", "custom_excerpt": None, "excerpt": "On",
            "updated_at": f"{post.updated:%Y-%m-%dT%H:%M:%S}.000+00:00",
        }
        if visibility != "public":
            row |= {"html": "", "excerpt": ""}
        if "fields" in asked:
            return {name: row[name] for name in asked["fields"].split(",")}
        if "tags" in asked.get("include", ""):
            row |= {
                "authors": [{"name": post.author}],
                "tags": [{"name": tag, "visibility": "public"} for tag in post.tags]
                + [{"name": "#hidden", "visibility": "internal"}],
            }
        return row

    def _rss(self) -> str:
        items = "".join(
            f"<item><title>{html.escape(post.title)}</title><link>{self.link(post)}</link>"
            f"<guid isPermaLink='false'>{_id(post)}</guid></item>" for post in self.newest()[:15]
        )
        return f"<rss version='2.0'><channel><title>x</title>{items}</channel></rss>"


def _id(post: SitePost) -> str:
    return f"{post.number:024x}"


def _error(status: int, message: str) -> Answer:
    return status, {"Content-Type": "application/json"}, json.dumps({"errors": [{"message": message}]}).encode()
