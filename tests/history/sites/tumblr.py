"""A blog of Tumblr: its pages, its feed, and the interface of the first version in XML and JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from email.utils import format_datetime
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from history.sites.blog import Answer, Blog, SitePost

if TYPE_CHECKING:
    from collections.abc import Mapping

KINDS = ("regular", "photo", "quote", "link", "conversation", "video", "audio", "answer")
# The clock of the blog; the interface has the time by this clock and in GMT.
_OFFSET = timedelta(hours=2)


@dataclass
class Tumblr(Blog):
    """Posts of all kinds, one behind the other, at most `cap` an answer.

    Traps: "no-xml" (the XML is refused), "no-json", "script" (JSON comes as a script, whatever is asked for),
    "no-total", "total-high", "total-low" (counts that lie), "deaf" (start is ignored), "wall" (a page that asks for
    consent comes instead), "own-domain" (only a header shows Tumblr), "half".
    """

    home: str = "https://sea.tumblr.com/"
    cap: int = 50

    def link(self, post: SitePost) -> str:
        return f"{self.home}post/{8000 + post.number}/day-{post.number}"

    def head(self) -> str:
        return f'<link rel="alternate" type="application/rss+xml" href="{self.home}rss">' + (
            "" if "own-domain" in self.traps else '<script src="https://assets.tumblr.com/assets/scripts/pre.js"></script>'
        )

    def page_headers(self) -> dict[str, str]:
        return {**super().page_headers(), "X-Tumblr-User": "sea"}

    def interface(self, url: str, headers: Mapping[str, str]) -> Answer | None:  # noqa: ARG002
        parts = urlsplit(url)
        if parts.path == "/rss":
            return 200, {"Content-Type": "application/rss+xml"}, self._rss()
        if parts.path not in {"/api/read", "/api/read/json"}:
            return None
        form = "json" if parts.path.endswith("json") else "xml"
        if "wall" in self.traps:
            return 200, {"Content-Type": "text/html"}, b"<!doctype html><html><p>Please accept our terms</p></html>"
        if f"no-{form}" in self.traps:
            return 403, {"Content-Type": "text/html"}, b"<h1>Forbidden</h1>"
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        start = 0 if "deaf" in self.traps else int(asked.get("start", "0"))
        count = min(int(asked.get("num", "20")), self.cap)
        shown = [self._row(post) for post in self.newest()[start:start + count]]
        total = len(self.posts) + (30 if "total-high" in self.traps else -30 if "total-low" in self.traps else 0)
        stated = None if "no-total" in self.traps else max(0, total)
        if form == "xml":
            return 200, {"Content-Type": "text/xml; charset=utf-8"}, _xml(shown, start, stated)
        said: dict[str, Any] = {"tumblelog": {"name": "sea", "title": self.title}, "posts-start": start, "posts": shown}
        body = json.dumps(said | ({} if stated is None else {"posts-total": stated}))
        if "script" in self.traps or asked.get("debug") != "1":
            body = f"var tumblr_api_read = {body};\n"
        return 200, {"Content-Type": "text/javascript; charset=utf-8"}, body.encode()

    def _row(self, post: SitePost) -> dict[str, Any]:
        local = post.published + _OFFSET
        return {
            "id": str(8000 + post.number), "url": f"{self.home}post/{8000 + post.number}",
            "url-with-slug": self.link(post), "type": KINDS[post.number % len(KINDS)],
            "date-gmt": f"{post.published:%Y-%m-%d %H:%M:%S} GMT", "date": f"{local:%a, %d %b %Y %H:%M:%S}",
            "unix-timestamp": int(post.published.timestamp()), "tags": list(post.tags), **_parts(post),
        }

    def _rss(self) -> bytes:
        items = "".join(
            f"<item><title>{escape(post.title)}</title><link>{self.link(post)}</link><guid>{self.link(post)}</guid>"
            f"<pubDate>{format_datetime(post.published)}</pubDate><description>{escape(post.body)}</description></item>"
            for post in self.newest()[:20]
        )
        return (
            f'<rss version="2.0"><channel><title>{escape(self.title)}</title><link>{self.home}</link>'
            f"<generator>Tumblr (3.0; @sea)</generator>{items}</channel></rss>"
        ).encode()


def _parts(post: SitePost) -> dict[str, Any]:
    kind, n = KINDS[post.number % len(KINDS)], post.number
    photos = {f"photo-url-{width}": f"https://64.media.tumblr.com/{n}_{width}.jpg" for width in (1280, 500, 75)}
    return {
        "regular": {"regular-title": post.title, "regular-body": post.body},
        "photo": {
            "photo-caption": f"<p>Caption {n}</p>", **photos,
            "photos": [{"caption": f"Part {part}", **photos} for part in (1, 2)] if n % 16 == 1 else [],
        },
        "quote": {"quote-text": f"Words {n} & more", "quote-source": '<a href="https://b.example/">B</a>'},
        "link": {"link-text": post.title, "link-url": f"https://b.example/{n}?a=1&b=2", "link-description": post.body},
        "conversation": {
            "conversation-title": post.title, "conversation-text": "A: Hi\nB: Ho",
            "conversation": [
                {"name": "A", "label": "A:", "phrase": "Hi"}, {"name": "B", "label": "B:", "phrase": "1 < 2"},
            ],
        },
        "video": {
            "video-caption": f"<p>Film {n}</p>", "video-source": f"https://v.example/{n}",
            "video-player": f'<iframe src="https://v.example/{n}"></iframe>',
        },
        "audio": {"audio-caption": f"<p>Song {n}</p>", "audio-player": "<audio src='https://a.example/1.mp3'></audio>"},
        "answer": {"question": f"Why {n}?", "answer": "<p>Because.</p>"},
    }[kind]


def _xml(rows: list[dict[str, Any]], start: int, total: int | None) -> bytes:
    names = ("id", "url", "url-with-slug", "type", "date-gmt", "date", "unix-timestamp")
    posts = []
    for row in rows:
        said = " ".join(f'{name}="{escape(str(row[name]))}"' for name in names)
        inner = "".join(f"<tag>{escape(tag)}</tag>" for tag in row["tags"])
        for name, value in row.items():
            if name.startswith("photo-url-"):
                inner += f'<photo-url max-width="{name.rpartition("-")[2]}">{escape(value)}</photo-url>'
            elif name == "photos" and value:
                inner += f"<photoset>{''.join(map(_photo, value))}</photoset>"
            elif name == "conversation":
                lines = (
                    f'<line name="{each["name"]}" label="{each["label"]}">{escape(each["phrase"])}</line>'
                    for each in value
                )
                inner += f"<conversation>{''.join(lines)}</conversation>"
            elif isinstance(value, str) and name not in names:
                inner += f"<{name}>{escape(value)}</{name}>"
        posts.append(f"<post {said}>{inner}</post>")
    stated = "" if total is None else f' total="{total}"'
    return (
        '<?xml version="1.0" encoding="UTF-8"?><tumblr version="1.0"><tumblelog name="sea" timezone="Europe/Rome" '
        f'title="Sea &amp; Rain">About</tumblelog><posts start="{start}"{stated}>{"".join(posts)}</posts></tumblr>'
    ).encode()


def _photo(photo: dict[str, str]) -> str:
    urls = "".join(
        f'<photo-url max-width="{name.rpartition("-")[2]}">{url}</photo-url>'
        for name, url in photo.items() if name.startswith("photo-url-")
    )
    return f'<photo caption="{photo["caption"]}">{urls}</photo>'
