"""A tiny blog on disk, and a learner that reads its plain markup, to test the evaluation itself."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from everlog.errors import NothingToLearn
from everlog.evaluate.corpus import Blog, read_blog
from everlog.records import Post, Skip

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

FEED = """<rss version="2.0"><channel><title>Tiny</title><link>http://tiny.example/</link>
<item><title>One</title><link>/2024/one/</link><description>The first text.</description></item>
</channel></rss>"""

ROWS = (
    {"url": "http://tiny.example/2024/one/", "in_feed": True, "title": "One", "text": "The first text."},
    {"url": "http://tiny.example/2024/two/", "in_feed": False, "title": "Two", "text": "The second text."},
    {"url": "http://tiny.example/2024/three/", "in_feed": False, "title": "Three", "text": "The third text."},
    {"url": "http://tiny.example/lost/", "in_feed": False, "reachable": False, "title": "Lost"},
)


class PlainReader:
    """Reads `<h1>` and `<p>`; a page that says SKIP is skipped, one that says CRASH is a bug."""

    def read(
        self, page: bytes, url: str, content_type: str | None = None, fetched: Any = None,  # noqa: ARG002
    ) -> Post | Skip:
        html = page.decode()
        if "CRASH" in html:
            raise ZeroDivisionError("the reader has a bug")
        if "SKIP" in html:
            return Skip(url=url, reason="it is a listing")
        title = re.search("<h1>(.*?)</h1>", html)
        text = "\n\n".join(re.findall("<p>(.*?)</p>", html))
        return Post(url=url, title=title and title.group(1), text=text)


class PlainLearner:
    """Learns nothing, and keeps what it was given."""

    def __init__(self) -> None:
        self.feed = b""
        self.pages: Mapping[str, bytes] = {}
        self.feed_url: str | None = None

    def __call__(
        self, feed: bytes, pages: Mapping[str, bytes], /, *, feed_url: str | None = None,
    ) -> PlainReader:
        if not pages:
            raise NothingToLearn("no page of the feed could be had", advice="check its links")
        self.feed, self.pages, self.feed_url = feed, pages, feed_url
        return PlainReader()


@pytest.fixture
def learner() -> PlainLearner:
    return PlainLearner()


@pytest.fixture
def make_blog(tmp_path: Path) -> Callable[..., Blog]:
    """Writes a blog; `files` adds to or replaces those below site/, `about` those of blog.json."""

    def make(
        name: str = "tiny", *, files: Mapping[str, str] | None = None, rows: Any = ROWS, **about: Any,
    ) -> Blog:
        folder = tmp_path / "corpus" / name
        site = {"feed.xml": FEED}
        site |= {f"2024/{n.lower()}/index.html": page(n, f"The {t} text.") for n, t in _POSTS.items()}
        for path, content in {**site, **(files or {})}.items():
            file = folder / "site" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, "utf-8")
        info = {"origin": "http://tiny.example", "feed": "/feed.xml", **about}
        (folder / "blog.json").write_text(json.dumps(info), "utf-8")
        (folder / "truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return read_blog(folder)

    return make


_POSTS = {"One": "first", "Two": "second", "Three": "third"}


def page(title: str, *paragraphs: str) -> str:
    return f"<html><h1>{title}</h1>{''.join(f'<p>{text}</p>' for text in paragraphs)}</html>"
