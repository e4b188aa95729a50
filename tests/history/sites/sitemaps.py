"""A blog that lists its posts in sitemaps, in the manners of WordPress, Yoast, Ghost and static generators."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

HOME = "https://maps.example/"


@dataclass
class SitemapSite:
    """Posts by their paths, each with the day it says it changed, in maps of `per_map` posts.

    `traps`: `no-robots` (robots.txt names no map), `index-name` (the index is where Yoast has it), `wp-name` (where
    WordPress has it), `no-dates` (no lastmod in the maps), `no-index-dates` (none in the index), `gzip`, `flat` (one
    map without an index), `built` (all pages bear the day of the build), `no-validators` (no ETag), `broken-map` (the
    second map answers 500), `html` (what is not there answers 200 with a page), `future` (a post is of the year 2099).
    """

    home: str = HOME
    posts: dict[str, str] = field(default_factory=dict)
    per_map: int = 10
    tags: int = 5
    traps: frozenset[str] = frozenset()
    built: str = "2026-01-01"

    def __post_init__(self) -> None:
        self.traps = frozenset(self.traps)

    def publish(self, *paths: str, day: str = "2026-02-01") -> None:
        self.posts |= dict.fromkeys(paths, day)

    @property
    def urls(self) -> set[str]:
        return {self.home.rstrip("/") + path for path in self.posts}

    @property
    def index(self) -> str:
        name = "sitemap_index" if "index-name" in self.traps else "wp-sitemap" if "wp-name" in self.traps else "sitemap"
        return f"{self.home}{name}.xml"

    def answer(self, url: str, headers: Mapping[str, str]) -> tuple[int, dict[str, str], bytes]:
        path = urlsplit(url).path
        if path in {"/", *self.posts}:
            return self._page(path)
        if path == "/robots.txt":
            body = "User-agent: *\n" if "no-robots" in self.traps else f"User-agent: *\nSitemap: {self.index}\n"
            return 200, {"Content-Type": "text/plain"}, body.encode()
        found = self._maps().get(url)
        if found is not None:
            return self._map(url, found.encode(), headers)
        if "html" in self.traps:
            return self._page("/")
        return 404, {"Content-Type": "text/html"}, b"<!doctype html><title>Not found</title>"

    def _map(self, url: str, data: bytes, headers: Mapping[str, str]) -> tuple[int, dict[str, str], bytes]:
        if "broken-map" in self.traps and url.endswith("-2.xml"):
            return 500, {"Content-Type": "text/html"}, b"Internal Server Error"
        etag = f'"{hashlib.sha256(data).hexdigest()[:16]}"'
        if "no-validators" in self.traps:
            return 200, {"Content-Type": "application/xml"}, data
        if headers.get("If-None-Match") == etag:
            return 304, {"ETag": etag}, b""
        data = gzip.compress(data, mtime=0) if "gzip" in self.traps else data
        return 200, {"Content-Type": "application/xml", "ETag": etag, "Date": "Fri, 01 May 2026 00:00:00 GMT"}, data

    def _maps(self) -> dict[str, str]:
        posts = list(self.posts.items())
        if "future" in self.traps:
            posts[0] = (posts[0][0], "2099-01-01")
        if "built" in self.traps:
            posts = [(path, self.built) for path, _ in posts]
        if "flat" in self.traps:
            return {self.index: self._urlset(posts)}
        suffix = ".xml.gz" if "gzip" in self.traps else ".xml"
        chunks = [posts[at:at + self.per_map] for at in range(0, len(posts), self.per_map)]
        maps = {f"{self.home}wp-sitemap-taxonomies-post_tag-{n}{suffix}": [(f"/tag/{n}/", "2020-01-01")]
                for n in range(1, self.tags + 1)}
        maps[f"{self.home}wp-sitemap-users-1{suffix}"] = [("/author/jo/", "2020-01-01")]
        maps[f"{self.home}wp-sitemap-posts-page-1{suffix}"] = [("/about/", "2020-01-01")]
        maps |= {f"{self.home}wp-sitemap-posts-post-{n}{suffix}": chunk for n, chunk in enumerate(chunks, start=1)}
        rows = "".join(
            f"<sitemap><loc>{url}</loc>{self._date(max(day for _, day in chunk), 'no-index-dates')}</sitemap>"
            for url, chunk in maps.items()
        )
        return {self.index: f"<sitemapindex>{rows}</sitemapindex>"} | {
            url: self._urlset(chunk) for url, chunk in maps.items()
        }

    def _urlset(self, rows: Iterable[tuple[str, str]]) -> str:
        urls = "".join(
            f"<url><loc>{escape(self.home.rstrip('/') + path)}</loc>{self._date(day, 'no-dates')}</url>"
            for path, day in rows
        )
        return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'

    def _date(self, day: str, trap: str) -> str:
        return "" if trap in self.traps else f"<lastmod>{day}</lastmod>"

    def _page(self, path: str) -> tuple[int, dict[str, str], bytes]:
        links = "".join(f'<li><a href="{escape(each)}">{escape(each)}</a>' for each in self.posts)
        body = f"<!doctype html><title>{escape(path)}</title><ul>{links}</ul>"
        return 200, {"Content-Type": "text/html; charset=utf-8"}, body.encode()
