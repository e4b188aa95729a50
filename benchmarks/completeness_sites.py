"""Made blogs for verdicts on completeness: the platforms of the tests, with lists, neighbours, sitemaps and faults.

A site is a platform of `tests/history/sites` that shows its posts on pages as real blogs do. Which of its sources names
which post can be set one by one, and so can what an address answers: an error, silence, a refusal, a redirect.
"""

from __future__ import annotations

import gzip
import html
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from everlog.records import Exchange, Failure, Fetched, Trouble
from history.sites.archives import FeedArchives
from history.sites.blog import Answer, Blog, SitePost
from history.sites.blogger import Blogger
from history.sites.ghost import GhostSite
from history.sites.substack import SubstackSite
from history.sites.tumblr import Tumblr
from history.sites.wordpress_feeds import WordPressFeeds
from history.sites.wordpress_rest import WordPressRest

NOW = datetime(2026, 5, 1, tzinfo=UTC)
PER_LIST = 6
IN_FEED = 10
_WORDS = (
    "harbour rain morning boats silence the old captain walked along the pier and counted gulls while the town slept "
    "under a sky of slate nobody asked why lanterns burned so late in the season or who had painted the doors blue "
    "letters arrived by the slow ferry with stamps from countries that had changed their names bread smelled of smoke"
).split()
SHUT = (
    '<form action="/wp-login.php?action=postpass" method="post"><p>This content is password protected. To view it '
    'please enter your password below:</p><p><label>Password: <input name="post_password"></label></p></form>'
)
Sound = Callable[[str], bool]


def text_of(number: int, paragraphs: int = 3) -> str:
    """Paragraphs that no other post has."""
    rows = []
    for row in range(paragraphs):
        start = (number * 37 + row * 53) % len(_WORDS)
        words = [_WORDS[(start + step * (1 + number % 5)) % len(_WORDS)] for step in range(45)]
        rows.append(f"<p>Day {number}, part {row + 1}: {' '.join(words)}.</p>")
    return "".join(rows)


@dataclass
class Made(Blog):
    """A blog whose front page and its further pages list posts, and whose posts link to their neighbours.

    `unlinked` are posts that no page links to, `unfed` those that no feed names, `unlisted` those that an interface
    leaves out without counting them. `secret` are private: nobody sees them. `locked_posts` ask for a password.
    `maps` are the addresses that its sitemap lists; None: it has none. `has_lists` and `has_neighbours` say how its
    pages lead to each other. Traps, beside those of the platform: "map-index", "map-gzip", "map-dead-part", "soft-404".
    """

    unlinked: set[int] = field(default_factory=set)
    unfed: set[int] = field(default_factory=set)
    unlisted: set[int] = field(default_factory=set)
    secret: set[int] = field(default_factory=set)
    locked_posts: set[int] = field(default_factory=set)
    short: set[int] = field(default_factory=set)
    maps: list[str] | None = None
    has_lists: bool = True
    has_neighbours: bool = True

    def publish(self, **said: object) -> SitePost:
        post = super().publish(**said)
        self.posts[post.number] = replace(post, body=text_of(post.number))
        return self.posts[post.number]

    @property
    def public(self) -> list[SitePost]:
        """The posts that strangers may read, the oldest first."""
        shut = self.secret | self.locked_posts
        return [post for number, post in sorted(self.posts.items()) if number not in shut and post.kind == "post"]

    @property
    def readable(self) -> set[int]:
        """The comments that strangers may read somewhere."""
        numbers = {post.number for post in self.public}
        return {each.number for each in self.comments.values() if each.post in numbers}

    @property
    def shown(self) -> list[SitePost]:
        """The posts that pages link to, the newest first."""
        return [post for post in Blog.newest(self) if post.number not in self.unlinked | self.secret]

    def newest(self) -> list[SitePost]:
        """The posts that feeds name."""
        return [post for post in super().newest() if post.number not in self.unfed | self.secret]

    def url(self, number: int) -> str:
        return self.link(self.posts[number])

    def map_answer(self, url: str) -> Answer | None:
        """The sitemap, or a part of it."""
        if self.maps is None:
            return None
        path = urlsplit(url).path
        if self.traps & {"map-index", "map-dead-part"}:
            names = ["posts-1", "posts-2"] + (["posts-3"] if "map-dead-part" in self.traps else [])
            if path == "/sitemap.xml":
                rows = "".join(f"<sitemap><loc>{self.home}map-{name}.xml</loc></sitemap>" for name in names)
                return _xml(f"<sitemapindex>{rows}</sitemapindex>")
            half = {"/map-posts-1.xml": self.maps[::2], "/map-posts-2.xml": self.maps[1::2]}.get(path)
            return _xml(_urlset(half)) if half is not None else None
        if path != "/sitemap.xml":
            return None
        status, headers, body = _xml(_urlset(self.maps))
        return status, headers, gzip.compress(body, mtime=0) if "map-gzip" in self.traps else body

    def page(self, url: str) -> Answer | None:
        lists = [self.shown[at:at + PER_LIST] for at in range(0, len(self.shown), PER_LIST)] or [[]]
        if not self.has_lists:
            lists = [self.shown[:1]]
        for place, posts in enumerate(lists, 1):
            if url == (self.home if place == 1 else f"{self.home}page/{place}/"):
                return self._show(self.title, self._list(posts, place if place < len(lists) else None))
        for post in Blog.newest(self):
            if url == self.link(post) and post.number not in self.secret:
                return self._show(post.title, self._post_page(post))
        pages = {"about/": "We live by the sea and write about it.", "contact/": "Write to us, by letter if you can."}
        said = pages.get(url.removeprefix(self.home))
        if said is not None:
            return self._show("About", f"<h1>About</h1><p>{said}</p>")
        if url == f"{self.home}tag/weather/":
            return self._show("Weather", self._list(self.shown[:PER_LIST], None))
        if "soft-404" in self.traps and urlsplit(url).path.endswith("/"):
            return self._show("Nothing found", "<h1>Nothing found</h1><p>It seems that there is nothing here.</p>")
        return None

    def _show(self, title: str, body: str) -> Answer:
        paths = ("about/", "contact/", "tag/weather/")
        nav = "".join(f'<a href="{self.home}{path}">{path[:-1]}</a> ' for path in paths)
        return 200, self.page_headers(), self._html(title, f'<nav><a href="{self.home}">Home</a> {nav}</nav>{body}')

    def _list(self, posts: list[SitePost], place: int | None) -> str:
        teasers = "".join(
            f'<div class="teaser"><h2><a href="{self.link(post)}">{html.escape(post.title)}</a></h2>'
            f"<p>{' '.join(_WORDS[post.number % 20:post.number % 20 + 14])}</p></div>"
            for post in posts
        )
        older = f'<a class="older" href="{self.home}page/{place + 1}/">Older posts</a>' if place else ""
        return f'<div class="list">{teasers}</div>{older}'

    def _post_page(self, post: SitePost) -> str:
        if post.number in self.locked_posts:
            article = f"<article><h1>Protected: {html.escape(post.title)}</h1>{SHUT}</article>"
        elif post.number in self.short:
            article = f'<div class="photo"><img src="/{post.number}.jpg" alt=""></div>'
        else:
            article = self._article(post)
        return article + (self._neighbours(post) if self.has_neighbours else "")

    def _neighbours(self, post: SitePost) -> str:
        row = self.shown
        at = next((at for at, each in enumerate(row) if each.number == post.number), None)
        if at is None:
            return ""
        near = [("next", row[at - 1])] if at else []
        near += [("prev", row[at + 1])] if at + 1 < len(row) else []
        links = "".join(
            f'<a rel="{way}" class="nav-{way}" href="{self.link(each)}">{html.escape(each.title)}</a>'
            for way, each in near
        )
        return f'<nav class="neighbours">{links}</nav>'


@dataclass
class MadeStatic(Made):
    """A static site: a feed of its newest ten posts, lists, and a sitemap if it has `maps`."""

    def head(self) -> str:
        return f'<link rel="alternate" type="application/rss+xml" href="{self.home}feed.xml">'

    def interface(self, url: str, headers: Any) -> Answer | None:  # noqa: ARG002
        if url == f"{self.home}feed.xml":
            items = "".join(
                f"<item><title>{html.escape(post.title)}</title><link>{self.link(post)}</link>"
                f"<pubDate>{format_datetime(post.published)}</pubDate>"
                f"<description>{html.escape(post.body)}</description></item>"
                for post in self.newest()[:IN_FEED] if post.number not in self.locked_posts
            )
            return 200, {"Content-Type": "application/rss+xml"}, f"<rss><channel>{items}</channel></rss>".encode()
        return self.map_answer(url)


@dataclass
class MadeWordPress(Made, WordPressRest, WordPressFeeds):
    """A WordPress: its REST interface, and the pages of its feed.

    `total_off` is added to the total that it claims. Traps, beside those of both: "feed-ends-early" (its feed has two
    pages and says that this is all), "feed-500", "feed-429" (from its second page on).
    """

    total_off: int = 0

    def head(self) -> str:
        return WordPressFeeds.head(self)

    def interface(self, url: str, headers: Any) -> Answer | None:
        if (mapped := self.map_answer(url)) is not None:
            return mapped
        told = WordPressRest.interface(self, url, headers)
        if told is not None:
            return self._counted(url, told)
        if "paged=" in url:
            page = int(url.rpartition("paged=")[2].partition("&")[0])
            for status in (500, 429):
                if f"feed-{status}" in self.traps and page > 1:
                    return status, {"Content-Type": "text/html"}, b"<h1>Not now</h1>"
            if "feed-ends-early" in self.traps and page > 2:
                return 404, self._headers("rss2"), self._rss([])
        return WordPressFeeds.interface(self, url, headers)

    def _counted(self, url: str, told: Answer) -> Answer:
        status, headers, body = told
        if self.total_off and "/posts" in url and "X-WP-Total" in headers:
            headers = {**headers, "X-WP-Total": str(max(0, int(headers["X-WP-Total"]) + self.total_off))}
        return status, headers, body

    def _posts(self) -> list[dict[str, Any]]:
        return [row for row in super()._posts() if row["id"] not in self.unlisted]

    def _row(self, post: SitePost) -> dict[str, Any]:
        row = super()._row(post)
        if post.number in self.locked_posts:
            row["content"] = {"rendered": "", "protected": True}
        # Private posts are counted by careless plug-ins, and left out of the answer.
        return row | {"hidden": row["hidden"] or post.number in self.secret}

    def _texts(self, post: SitePost) -> tuple[str, str | None]:
        if post.number in self.locked_posts:
            # As WordPress does, the feed has the form of the page in place of the text.
            return "There is no excerpt because this is a protected post.", SHUT
        return super()._texts(post)


@dataclass
class MadeGhost(Made, GhostSite):
    """A Ghost; `locked` posts are for members, or paid for."""

    home: str = "https://ghost.example/"

    @property
    def public(self) -> list[SitePost]:
        return [post for post in super().public if post.number not in self.locked]

    def interface(self, url: str, headers: Any) -> Answer | None:
        return self.map_answer(url) or GhostSite.interface(self, url, headers)


@dataclass
class MadeBlogger(Made, Blogger):
    """A blog of Blogger."""

    home: str = "https://sea.blogspot.com/"

    def interface(self, url: str, headers: Any) -> Answer | None:
        return self.map_answer(url) or Blogger.interface(self, url, headers)


@dataclass
class MadeSubstack(Made, SubstackSite):
    """A Substack; `audiences` says who may read which post."""

    home: str = "https://rain.substack.com/"

    def interface(self, url: str, headers: Any) -> Answer | None:
        return self.map_answer(url) or SubstackSite.interface(self, url, headers)


@dataclass
class MadeTumblr(Made, Tumblr):
    """A blog of Tumblr."""

    home: str = "https://sea.tumblr.com/"

    def interface(self, url: str, headers: Any) -> Answer | None:
        return self.map_answer(url) or Tumblr.interface(self, url, headers)


@dataclass
class MadeArchives(Made, FeedArchives):
    """A site with a feed in several documents, or a complete one."""

    def interface(self, url: str, headers: Any) -> Answer | None:
        return self.map_answer(url) or FeedArchives.interface(self, url, headers)


@dataclass
class MadeWeb:
    """A fetcher of one site in memory.

    `faults` say what addresses answer in place of the site's word: a status, or a trouble on the way. `redirects` lead
    elsewhere, `beside` is what other addresses answer. `events` are what happens at the blog before the first request
    that they wait for is answered.
    """

    site: Made
    faults: dict[str, int | Trouble] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    beside: dict[str, Answer] = field(default_factory=dict)
    events: list[tuple[Sound, Callable[[], object]]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    now: datetime = NOW

    async def fetch(
        self, url: str, *, purpose: Any = "page", etag: str | None = None, last_modified: str | None = None,
    ) -> Fetched | Failure:
        del last_modified
        trail: list[Exchange] = []
        at = url
        while True:
            self.asked.append(at)
            due = [event for event in self.events if event[0](at)]
            self.events = [event for event in self.events if event not in due]
            for _, happen in due:
                happen()
            fault = self.faults.get(at)
            if isinstance(fault, str):
                return Failure(url=url, trouble=fault, reason=_REASONS.get(fault, fault), exchanges=tuple(trail))
            status, headers, body = self._answer(at, fault, etag)
            trail.append(Exchange(
                url=at, status=status, headers=tuple(headers.items()), body=body, fetched_at=self.now, purpose=purpose,
            ))
            place = headers.get("Location")
            if 300 <= status < 400 and place and len(trail) < 10:
                at = place
                continue
            if status >= 400:
                trouble: Trouble = "rate-limited" if status == 429 else "http"
                reason = f"answers {status}"
                return Failure(url=url, trouble=trouble, reason=reason, status=status, exchanges=tuple(trail))
            return Fetched(url=url, exchanges=tuple(trail))

    def _answer(self, url: str, fault: int | None, etag: str | None) -> Answer:
        if fault is not None:
            return fault, {"Content-Type": "text/html"}, b"<h1>Sorry</h1>"
        if url in self.redirects:
            return 301, {"Location": self.redirects[url]}, b""
        if url in self.beside:
            return self.beside[url]
        return self.site.answer(url, {"If-None-Match": etag} if etag else {})

    def waiting(self) -> tuple[()]:
        return ()

    def host_stats(self) -> tuple[()]:
        return ()

    def take_host_stats(self) -> tuple[()]:
        return ()

    def robots_exchanges(self) -> tuple[()]:
        return ()


_REASONS = {"robots": "robots.txt disallows it", "timeout": "no answer in time", "connection": "connection refused"}


def _xml(text: str) -> Answer:
    return 200, {"Content-Type": "application/xml"}, f'<?xml version="1.0"?>{text}'.encode()


def _urlset(urls: list[str]) -> str:
    rows = "".join(f"<url><loc>{html.escape(url)}</loc></url>" for url in urls)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'
