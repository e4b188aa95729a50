"""A Squarespace site: a list of posts at /journal, which is a page, a feed and a JSON document."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from history.sites.blog import Answer, Blog, SitePost

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass
class SquarespaceSite(Blog):
    """`traps`: `inclusive` (a page begins with the last post of the one before), `url-only` (the next page is told by
    its address alone), `no-offset` (not even that), `repeats` (the offset is ignored), `off` (no JSON is given).
    """

    home: str = "https://square.example/"
    per_page: int = 20

    def link(self, post: SitePost) -> str:
        return f"{self.home}journal/day-{post.number}"

    def head(self) -> str:
        return (
            '<link rel="alternate" type="application/rss+xml" href="/journal?format=rss" title="RSS">'
            '<script src="//assets.squarespace.com/universal/scripts-compressed/common.js"></script>'
        )

    def interface(self, url: str, headers: Mapping[str, str]) -> Answer | None:  # noqa: ARG002
        parts = urlsplit(url)
        asked = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        if parts.path != "/journal":
            return None
        if asked.get("format") == "rss":
            return 200, {"Content-Type": "application/rss+xml"}, self._rss().encode()
        if asked.get("format") not in {"json", "json-pretty"} or "off" in self.traps:
            return 200, self.page_headers(), self._html(self.title, "<ul></ul>")
        return 200, {"Content-Type": "application/json"}, json.dumps(self._document(asked)).encode()

    def _document(self, asked: dict[str, str]) -> dict[str, Any]:
        posts = self.newest()
        if "offset" in asked and "repeats" not in self.traps:
            at = int(asked["offset"])
            posts = [post for post in posts if _ms(post) < at or ("inclusive" in self.traps and _ms(post) == at)]
        shown = posts[:self.per_page]
        document = {"website": {}, "collection": {"typeName": "blog"}, "items": [self._item(post) for post in shown]}
        if len(posts) > len(shown):
            last = _ms(shown[-1])
            paging: dict[str, Any] = {"nextPage": True, "pageSize": self.per_page}
            if "no-offset" not in self.traps:
                paging["nextPageUrl"] = f"/journal?offset={last}"
            if not self.traps & {"url-only", "no-offset"}:
                paging["nextPageOffset"] = last
            document["pagination"] = paging
        return document

    def _item(self, post: SitePost) -> dict[str, Any]:
        return {
            "id": f"{post.number:024x}", "urlId": f"day-{post.number}", "title": html.escape(post.title),
            "body": f'<div class="sqs-layout">{post.body}</div>', "excerpt": "",
            "fullUrl": f"/journal/day-{post.number}",
            "addedOn": _ms(post), "publishOn": _ms(post), "updatedOn": round(post.updated.timestamp() * 1000),
            "tags": list(post.tags), "categories": ["Notes"], "author": {"displayName": post.author},
        }

    def _rss(self) -> str:
        items = "".join(
            f"<item><title>{html.escape(post.title)}</title><link>{self.link(post)}</link></item>"
            for post in self.newest()[:20]
        )
        return f"<rss version='2.0'><channel><title>x</title>{items}</channel></rss>"


def _ms(post: SitePost) -> int:
    return round(post.published.timestamp() * 1000)
