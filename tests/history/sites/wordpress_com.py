"""A blog that WordPress.com hosts: its pages and its feed, and the interface on its own host."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from history.sites.blog import START, Answer, Blog, SiteComment, SitePost

if TYPE_CHECKING:
    from collections.abc import Mapping

API = "/rest/v1.1/sites/"
_ZONE = timezone(timedelta(hours=-3))


@dataclass
class WordPressComBlog(Blog):
    """Posts by handles, comments by dates.

    Traps: "short" (every seventh post of an answer is left out, and counted), "comments-short" (every tenth comment is
    left out of the answers, though it is counted), "total-high", "total-low" (counts of comments that lie),
    "one-second" (all comments are of one second), "no-comments" (refused), "private" (all is refused), "stuck" (the
    handle leads to the same posts), "deaf" (comments begin with the oldest, whatever is asked for), "no-handle", "bare"
    (only the counter of visits shows WordPress.com), "half".
    """

    home: str = "https://sea.wordpress.com/"
    pages: int = 2

    def link(self, post: SitePost) -> str:
        return f"{self.home}{post.published:%Y/%m/%d}/day-{post.number}/"

    def head(self) -> str:
        marks = '<meta name="generator" content="WordPress.com">' if "bare" not in self.traps else (
            '<script>_stq.push(["view", {"blog":"4711","v":"wpcom","tz":"0"}]);</script>'
            '<script src="https://stats.wp.com/w.js" defer></script>'
        )
        return (
            f'{marks}<link rel="stylesheet" href="https://s0.wp.com/_static/??/style.css">'
            f'<link rel="alternate" type="application/rss+xml" title="Sea Feed" href="{self.home}feed/">'
        )

    def interface(self, url: str, headers: Mapping[str, str]) -> Answer | None:  # noqa: ARG002
        parts = urlsplit(url)
        if url == f"{self.home}feed/":
            return 200, {"Content-Type": "application/rss+xml"}, self._rss()
        return self._api(url) if parts.path.startswith(API) else None

    def _api(self, url: str) -> Answer:
        parts = urlsplit(url)
        host, _, what = parts.path.removeprefix(API).partition("/")
        if host != urlsplit(self.home).hostname:
            return _said({"error": "unknown_blog", "message": "Unknown blog"}, 404)
        if "private" in self.traps:
            return _said({"error": "unauthorized", "message": "User cannot access this private blog."}, 403)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if int(asked.get("number", "20")) > 100:
            return _said({"error": "invalid_number", "message": "The NUMBER parameter is too large."}, 400)
        if what.strip("/") == "comments":
            return self._comments(asked)
        return self._posts(asked)

    def _posts(self, asked: Mapping[str, str]) -> Answer:
        column, is_down = asked.get("order_by", "date"), asked.get("order", "DESC") == "DESC"
        rows = [self._row(post) for post in self.posts.values()] if asked.get("type") != "page" else [
            self._row(SitePost(9000 + number, f"Page {number}", "<p>About.</p>", START, START), "page")
            for number in range(self.pages)
        ]
        if least := asked.get("modified_after"):
            rows = [row for row in rows if row["modified"] > _iso(datetime.fromisoformat(least))]
        rows.sort(key=lambda row: (row[column], row["ID"]), reverse=is_down)
        handle = parse_qs(asked.get("page_handle", ""))
        if handle and "stuck" not in self.traps:
            value = int(handle["value"][0]) if column == "ID" else handle["value"][0]
            key = (value, int(handle["id"][0]))
            placed = [((row[column], row["ID"]), row) for row in rows]
            rows = [row for at, row in placed if at != key and (at < key) == is_down]
        shown = rows[:int(asked.get("number", "20"))]
        meta: dict[str, Any] = {"links": {}, "wpcom": True}
        if shown and len(rows) > len(shown) and "no-handle" not in self.traps:
            meta["next_page"] = urlencode({"value": shown[-1][column], "id": shown[-1]["ID"]})
        left_out = 0
        if "short" in self.traps and len(shown) > 1:
            left_out = len(shown[3::7])
            shown = [row for at, row in enumerate(shown) if at % 7 != 3]
        if fields := asked.get("fields"):
            shown = [{name: row[name] for name in fields.split(",")} for row in shown]
        return _said({"found": len(rows) - left_out, "posts": shown, "meta": meta})

    def _comments(self, asked: Mapping[str, str]) -> Answer:
        if "no-comments" in self.traps:
            return _said({"error": "unauthorized", "message": "Comments are closed"}, 403)
        rows = sorted(self.comments.values(), key=lambda each: (self._date(each), each.number))
        if asked.get("order", "DESC") == "DESC":
            rows.reverse()
        found = len(rows) + (30 if "total-high" in self.traps else -30 if "total-low" in self.traps else 0)
        if least := asked.get("after"):
            rows = [each for each in rows if self._date(each) >= _iso(datetime.fromisoformat(least))]
            found = -1
        start, count = int(asked.get("offset", "0")), int(asked.get("number", "20"))
        shown = rows[start:start + count] if "deaf" not in self.traps else self.newest_comments()[:-count - 1:-1]
        if "comments-short" in self.traps:
            shown = [each for each in shown if each.number % 10]
        return _said({"found": found, "site_ID": 4711, "comments": [self._comment_row(each) for each in shown]})

    def _row(self, post: SitePost, kind: str = "post") -> dict[str, Any]:
        count = sum(each.post == post.number for each in self.comments.values())
        return {
            "ID": post.number, "site_ID": 4711, "URL": self.link(post), "title": escape(post.title), "type": kind,
            "status": "publish", "date": _iso(post.published), "modified": _iso(post.updated), "content": post.body,
            "excerpt": f"<p>On day {post.number} [&hellip;]</p>", "password": "", "parent": False,
            "author": {"ID": 5, "login": "ada", "email": False, "name": post.author, "URL": "https://ada.example"},
            "tags": {tag: {"ID": 1, "name": tag, "slug": tag.lower()} for tag in post.tags} or [],
            "categories": {"Sea &amp; Sky": {"ID": 2, "name": "Sea &amp; Sky"}},
            "discussion": {"comments_open": True, "comment_count": count}, "like_count": 0,
        }

    def _date(self, each: SiteComment) -> str:
        return _iso(self._first if "one-second" in self.traps else each.published)

    @property
    def _first(self) -> datetime:
        return min(each.published for each in self.comments.values())

    def _comment_row(self, each: SiteComment) -> dict[str, Any]:
        link = self.link(self.posts[each.post])
        return {
            "ID": each.number, "post": {"ID": each.post, "title": "Day", "type": "post"}, "date": self._date(each),
            "author": {"ID": 0, "email": False, "name": each.author, "URL": "https://bea.example/"},
            "status": "approved",
            "URL": f"{link}#comment-{each.number}", "content": each.body, "type": "comment",
            "parent": {"ID": each.parent, "type": "comment"} if each.parent is not None else False,
        }

    def _rss(self) -> bytes:
        items = "".join(
            f"<item><title>{escape(post.title)}</title><link>{self.link(post)}</link>"
            f"<pubDate>{format_datetime(post.published)}</pubDate><description>{escape(post.body)}</description></item>"
            for post in self.newest()[:10]
        )
        return f'<rss version="2.0"><channel><title>Sea</title><link>{self.home}</link>{items}</channel></rss>'.encode()


def _said(found: dict[str, Any], status: int = 200) -> Answer:
    return status, {"Content-Type": "application/json"}, json.dumps(found).encode()


def _iso(moment: datetime) -> str:
    return moment.astimezone(_ZONE).isoformat()
