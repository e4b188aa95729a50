"""A WordPress blog whose REST interface is switched off: its pages and its feeds."""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import format_datetime
from hashlib import md5
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from history.sites.blog import Answer, Blog, SitePost

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SPACES = (
    'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wfw="http://wellformedweb.org/CommentAPI/" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:slash="http://purl.org/rss/1.0/modules/slash/"'
)


@dataclass
class WordPressFeeds(Blog):
    """Feeds in pages, `per_page` posts each.

    Traps: "plain" (addresses by numbers), "excerpts" (no whole texts), "cut" (texts end in "[…]"), "clamp" (behind the
    end the last page comes again), "to-first" (every later page is the first), "empty-end" (behind the end is an empty
    feed), "page-end" (behind the end is the front page), "no-headers" (a cache takes them away), "unordered" (a cache
    knows no order), "first-end" (behind the end the first page comes again), "forbidden"
    (later pages are refused), "bare" (nothing in the pages shows WordPress), "half".
    """

    per_page: int = 10

    @property
    def feed_url(self) -> str:
        return f"{self.home}?feed=rss2" if "plain" in self.traps else f"{self.home}feed/"

    def link(self, post: SitePost) -> str:
        return f"{self.home}?p={post.number}" if "plain" in self.traps else super().link(post)

    def head(self) -> str:
        marks = "" if "bare" in self.traps else (
            '<meta name="generator" content="WordPress 6.1.9">'
            f'<link rel="stylesheet" href="{self.home}wp-content/themes/twentytwelve/style.css">'
        )
        comments = f"{self.home}?feed=comments-rss2" if "plain" in self.traps else f"{self.home}comments/feed/"
        return (
            f'{marks}<link rel="alternate" type="application/rss+xml" title="Sea Feed" href="{escape(self.feed_url)}">'
            f'<link rel="alternate" type="application/rss+xml" title="Sea Comments Feed" href="{escape(comments)}">'
        )

    def interface(self, url: str, headers: Mapping[str, str]) -> Answer | None:
        parts = urlsplit(url)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        below = parts.path.removeprefix(urlsplit(self.home).path)
        form = asked.get("feed") if below == "" else {"feed/": "rss2", "feed/atom/": "atom"}.get(below)
        if below.startswith("wp-json") or "rest_route" in asked:
            return 401, {"Content-Type": "application/json"}, b'{"code":"rest_disabled"}'
        if form not in {"rss2", "atom"}:
            return None
        page = int(asked.get("paged", "1"))
        if asked.get("paged") == "1":
            return 301, {"Location": url.replace("&paged=1", "").replace("?paged=1", "")}, b""
        said = self._headers(form)
        if said.get("ETag") and headers.get("If-None-Match") == said["ETag"]:
            return 304, said, b""
        return self._page(form, page, asked.get("orderby"), said)

    def _page(self, form: str, page: int, order: str | None, said: dict[str, str]) -> Answer:
        posts = self.newest()
        if order == "modified" and "unordered" not in self.traps:
            posts = sorted(posts, key=lambda post: (post.updated, post.number), reverse=True)
        last = max(1, -(-len(posts) // self.per_page))
        if page > 1 and "forbidden" in self.traps:
            return 403, {}, b"<h1>Forbidden</h1>"
        if (page > 1 and "to-first" in self.traps) or (page > last and "first-end" in self.traps):
            return 301, {"Location": self.feed_url}, b""
        if page > last and "page-end" in self.traps:
            return 302, {"Location": self.home}, b""
        if page > last and "clamp" in self.traps:
            page = last
        shown = posts[(page - 1) * self.per_page:page * self.per_page]
        status = 200 if shown or page == 1 or "empty-end" in self.traps else 404
        return status, said, self._rss(shown) if form == "rss2" else self._atom(shown)

    def _headers(self, form: str) -> dict[str, str]:
        said = {"Content-Type": f"application/{'rss' if form == 'rss2' else 'atom'}+xml; charset=UTF-8"}
        if "no-headers" not in self.traps and self.posts:
            last = format_datetime(max(post.updated for post in self.posts.values()), usegmt=True)
            said |= {"Last-Modified": last, "ETag": f'"{md5(last.encode()).hexdigest()}"'}  # noqa: S324 - as WordPress
        return said

    def _texts(self, post: SitePost) -> tuple[str, str | None]:
        """Excerpt and whole text, as the site gives them."""
        excerpt = f"On day {post.number} the sea was calm [&#8230;]"
        if "excerpts" in self.traps:
            return excerpt, None
        footer = f'<p>The post <a href="{self.link(post)}">{escape(post.title)}</a> appeared first on Sea.</p>'
        return excerpt, f"<p>On day {post.number} [&hellip;]</p>{footer}" if "cut" in self.traps else post.body

    def _comment_count(self, post: SitePost) -> int:
        return sum(each.post == post.number for each in self.comments.values())

    def _rss(self, posts: Sequence[SitePost]) -> bytes:
        items = []
        for post in posts:
            excerpt, whole = self._texts(post)
            encoded = f"<content:encoded><![CDATA[{whole}]]></content:encoded>" if whole is not None else ""
            link = escape(self.link(post))
            tags = "".join(f"<category><![CDATA[{tag}]]></category>" for tag in post.tags)
            items.append(
                f"<item><title>{escape(post.title)}</title><link>{link}</link><comments>{link}#comments</comments>"
                f"<dc:creator><![CDATA[{post.author}]]></dc:creator><pubDate>{format_datetime(post.published)}</pubDate>"
                f'{tags}<guid isPermaLink="false">{self.home}?p={post.number}</guid>'
                f"<description><![CDATA[{excerpt}]]></description>{encoded}"
                f"<wfw:commentRss>{link}feed/</wfw:commentRss>"
                f"<slash:comments>{self._comment_count(post)}</slash:comments></item>"
            )
        return (
            f'<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" {_SPACES}><channel><title>{escape(self.title)}'
            f"</title><link>{self.home}</link><generator>https://wordpress.org/?v=6.1.9</generator>{''.join(items)}"
            "</channel></rss>"
        ).encode()

    def _atom(self, posts: Sequence[SitePost]) -> bytes:
        entries = []
        for post in posts:
            excerpt, whole = self._texts(post)
            content = f'<content type="html"><![CDATA[{whole}]]></content>' if whole is not None else ""
            entries.append(
                f'<entry><title type="html"><![CDATA[{escape(post.title)}]]></title>'
                f'<link rel="alternate" type="text/html" href="{escape(self.link(post))}"/>'
                f"<id>{self.home}?p={post.number}</id><author><name>{post.author}</name></author>"
                f"<updated>{post.updated:%Y-%m-%dT%H:%M:%SZ}</updated>"
                f"<published>{post.published:%Y-%m-%dT%H:%M:%SZ}</published>"
                f'<summary type="html"><![CDATA[{excerpt}]]></summary>{content}</entry>'
            )
        return f'<feed xmlns="http://www.w3.org/2005/Atom"><title>Sea</title>{"".join(entries)}</feed>'.encode()
