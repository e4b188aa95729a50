"""A Substack: its archive, its comments and its pages, as those who use them describe them."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from history.sites.blog import Answer, Blog, SitePost

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass
class SubstackSite(Blog):
    """`hidden` posts take places in the list and are not shown.

    `traps`: `cap` (10 at most), `own-host` (a host of its own, known by its files), `deep` (comments answer each other
    in one long chain), `no-comments` (comments are refused).
    """

    home: str = "https://rain.substack.com/"
    hidden: set[int] = field(default_factory=set)
    audiences: dict[int, str] = field(default_factory=dict)

    def link(self, post: SitePost) -> str:
        return f"{self.home}p/day-{post.number}"

    @property
    def links(self) -> set[str]:
        return {self.link(post) for post in self.posts.values() if post.number not in self.hidden}

    def head(self) -> str:
        return (
            '<link rel="stylesheet" href="https://substackcdn.com/bundle/static/css/main.css">'
            f'<link rel="alternate" type="application/rss+xml" href="/feed" title="{html.escape(self.title)}">'
        )

    def interface(self, url: str, headers: Mapping[str, str]) -> Answer | None:  # noqa: ARG002
        parts = urlsplit(url)
        asked = parse_qs(parts.query, keep_blank_values=True)
        if parts.path == "/feed":
            return 200, {"Content-Type": "application/rss+xml"}, self._rss().encode()
        if parts.path == "/api/v1/archive":
            at, limit = int(asked.get("offset", ["0"])[0]), int(asked.get("limit", ["12"])[0])
            limit = min(limit, 10) if "cap" in self.traps else limit
            rows = self.newest()[at:at + limit]
            return _json([self._row(post) for post in rows if post.number not in self.hidden])
        if parts.path.startswith("/api/v1/post/") and parts.path.endswith("/comments"):
            if "token" not in asked:
                return _json({"errors": [{"param": "token", "msg": "Invalid value"}]}, 400)
            number = int(parts.path.split("/")[4]) - 1_000
            return _json({}, 404) if "no-comments" in self.traps else _json({"comments": self._tree(number)})
        return None

    def _row(self, post: SitePost) -> dict[str, Any]:
        return {
            "id": 1_000 + post.number, "title": post.title, "slug": f"day-{post.number}", "type": "newsletter",
            "post_date": f"{post.published:%Y-%m-%dT%H:%M:%S}.123Z", "canonical_url": self.link(post),
            "audience": self.audiences.get(post.number, "everyone"), "subtitle": "How it was", "description": None,
            "comment_count": sum(each.post == post.number for each in self.comments.values()),
            "publishedBylines": [{"id": 1, "name": post.author}], "postTags": [{"name": tag} for tag in post.tags],
            "truncated_body_text": "On day",
        }

    def _tree(self, number: int) -> list[dict[str, Any]]:
        rows = [
            {"id": each.number, "body": f"Comment {each.number}.\n\nTwo & two", "name": each.author, "children": [],
             "date": f"{each.published:%Y-%m-%dT%H:%M:%S}.000Z", "ancestor_path": ""}
            for each in self.comments.values() if each.post == number
        ]
        if "deep" not in self.traps:
            return rows
        for above, below in pairwise(rows):
            above["children"].append(below)
        return rows[:1]

    def _rss(self) -> str:
        items = "".join(
            f"<item><title>{html.escape(post.title)}</title><link>{self.link(post)}</link></item>"
            for post in self.newest()[:20]
        )
        return f"<rss version='2.0'><channel><title>x</title>{items}</channel></rss>"


def _json(found: Any, status: int = 200) -> Answer:
    return status, {"Content-Type": "application/json; charset=utf-8"}, json.dumps(found).encode()
