"""A WordPress blog with its REST interface, as WordPress 6.1 and 7.1 answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from history.sites.blog import Answer, Blog, SitePost

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST = 100
JSON = "application/json; charset=UTF-8"
# The clock of the site is ahead of UTC.
OFFSET = timedelta(hours=2)


@dataclass
class WordPressRest(Blog):
    """The interface below `/wp-json/`, or at `?rest_route=` with the trap "plain".

    Traps: "off-401", "off-403", "off-404" (a plugin switched it off), "users-401" (nobody learns who the users are),
    "comments-401", "private" (a third of the comments is counted, and left out), "password" (every tenth post has no
    text), "small-memory" (more than 25 posts at once are an error), "no-totals" (a cache takes the headers away),
    "busy" (posts from the 50th on are answered with 503),
    "unnamed" (the pages do not name the interface), "html" (a page in its place), "half".
    """

    # Numbers of posts that are left out of answers after they were counted.
    hidden: set[int] = field(default_factory=set)
    # Types of the blog's own; posts have them as their kind.
    kinds: tuple[str, ...] = ()

    @property
    def root(self) -> str:
        return f"{self.home}?rest_route=/" if "plain" in self.traps else f"{self.home}wp-json/"

    def head(self) -> str:
        return '<link rel="stylesheet" href="/wp-content/themes/twentyten/style.css">'

    def page_headers(self) -> dict[str, str]:
        named = {} if "unnamed" in self.traps else {"Link": f'<{self.root}>; rel="https://api.w.org/"'}
        return {**super().page_headers(), **named}

    def interface(self, url: str, headers: Mapping[str, str]) -> Answer | None:  # noqa: ARG002
        parts = urlsplit(url)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        route = asked.get("rest_route") or (parts.path[8:] if parts.path.startswith("/wp-json") else None)
        if route is None:
            return None
        off = next((trap for trap in self.traps if trap.startswith("off-")), None)
        what = route.rpartition("/")[2]
        size = int(asked.get("per_page", 10))
        if off is not None or f"{what}-401" in self.traps or size > MOST:
            return _refused(int(off[4:]) if off is not None else 400 if size > MOST else 401)
        if "html" in self.traps:
            return 200, {"Content-Type": "text/html"}, b"<h1>Hello</h1>"
        is_busy = "busy" in self.traps and int(asked.get("offset", 0)) >= 50
        if what == "posts" and (is_busy or ("small-memory" in self.traps and size > 25)):
            status = 503 if is_busy else 500
            return status, {"Content-Type": "text/html"}, b"<p>There has been a critical error on this website.</p>"
        if what == "types":
            return 200, {"Content-Type": JSON}, json.dumps(self._types()).encode()
        rows = getattr(self, f"_{what}", list)()
        if what in self.kinds:
            rows = [self._row(post) for post in self.posts.values() if post.kind == what]
        return self._listed(rows, asked)

    def _listed(self, rows: list[dict[str, Any]], asked: Mapping[str, str]) -> Answer:
        if "include" in asked:
            wanted = {int(number) for number in asked["include"].split(",")}
            rows = [row for row in rows if row["id"] in wanted]
        order = {"modified": "modified_gmt", "count": "id"}.get(asked.get("orderby", "id"), asked.get("orderby", "id"))
        rows = sorted(rows, key=lambda row: (row[order], row["id"]), reverse=asked.get("order") == "desc")
        start, size = int(asked.get("offset", 0)), int(asked.get("per_page", 10))
        shown = [row for row in rows[start : start + size] if not row.pop("hidden", False)]
        fields = asked["_fields"].split(",") if "_fields" in asked else None
        shown = [{**row, "_embedded": self._embedded(row)} for row in shown] if "_embed" in asked else shown
        body = [{name: value for name, value in row.items() if fields is None or name in fields} for row in shown]
        totals = {} if "no-totals" in self.traps else {"X-WP-Total": str(len(rows))}
        return 200, {"Content-Type": JSON, **totals}, json.dumps(body).encode()

    def _types(self) -> dict[str, Any]:
        """What strangers are told of the types of posts: not which of them have pages of their own."""
        parts = {
            "post": "posts", "page": "pages", "attachment": "media", "nav_menu_item": "menu-items",
            "wp_block": "blocks", "wp_template": "templates", "wp_navigation": "navigation",
            "wp_font_face": "font-families/(?P<font_family_id>[\\d]+)/font-faces",
        }
        types = {slug: {"slug": slug, "rest_base": base, "rest_namespace": "wp/v2"} for slug, base in parts.items()}
        return {**types, **{kind: {"slug": kind, "rest_base": kind} for kind in self.kinds}}

    def _embedded(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Names that come with a post; of users that nobody may see, that they are not to be had."""
        hidden = {"code": "rest_user_invalid_id", "message": "Invalid user ID.", "data": {"status": 404}}
        authors = [each for each in self._users() if each["id"] == row["author"]]
        named = {"category": self._categories(), "post_tag": self._tags()}
        numbers = {"category": row["categories"], "post_tag": row["tags"]}
        return {
            "author": [hidden] if "users-401" in self.traps else authors,
            "wp:term": [
                [{**each, "taxonomy": kind} for each in rows if each["id"] in numbers[kind]]
                for kind, rows in named.items()
            ],
        }

    def _posts(self) -> list[dict[str, Any]]:
        return [self._row(post) for post in self.posts.values() if post.kind == "post"]

    def _pages(self) -> list[dict[str, Any]]:
        return [self._row(post) for post in self.posts.values() if post.kind == "page"]

    def _users(self) -> list[dict[str, Any]]:
        return [{"id": number, "name": name} for number, name in enumerate(self._names("author"), 1)]

    def _tags(self) -> list[dict[str, Any]]:
        return [{"id": number, "name": name} for number, name in enumerate(self._names("tags"), 1)]

    def _categories(self) -> list[dict[str, Any]]:
        return [{"id": 1, "name": "Notes &amp; Queries"}]

    def _names(self, of: str) -> list[str]:
        values = (getattr(post, of) for post in self.posts.values())
        return sorted({name for value in values for name in ((value,) if isinstance(value, str) else value)})

    def _row(self, post: SitePost) -> dict[str, Any]:
        is_locked = "password" in self.traps and post.number % 10 == 0
        return {
            "id": post.number, "link": self.link(post), "hidden": post.number in self.hidden,
            "date": _bare(post.published + OFFSET), "date_gmt": _bare(post.published),
            "modified": _bare(post.updated + OFFSET), "modified_gmt": _bare(post.updated),
            "title": {"rendered": post.title.replace("&", "&#038;")},
            "content": {"rendered": "" if is_locked else post.body, "protected": is_locked},
            "author": self._names("author").index(post.author) + 1, "categories": [1],
            "tags": [self._names("tags").index(tag) + 1 for tag in post.tags],
        }

    def _comments(self) -> list[dict[str, Any]]:
        return [
            {
                "id": each.number, "post": each.post, "parent": each.parent or 0, "author_name": each.author,
                "author_url": "", "date": _bare(each.published + OFFSET), "date_gmt": _bare(each.published),
                "content": {"rendered": each.body}, "link": f"{self.link(self.posts[each.post])}#comment-{each.number}",
                "hidden": "private" in self.traps and each.number % 3 == 0,
            }
            for each in self.comments.values()
        ]


def _refused(status: int) -> Answer:
    return status, {"Content-Type": JSON}, json.dumps({"code": "rest_forbidden", "data": {"status": status}}).encode()


def _bare(moment: Any) -> str:
    return moment.replace(tzinfo=None).isoformat()
