"""A blog of Blogger: its pages, and its feeds of posts and comments."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta, timezone
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode, urlsplit

from everlog.feeds.feed_dates import parse_date
from history.sites.blog import Answer, Blog, SiteComment, SitePost

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

_PACIFIC = timezone(timedelta(hours=-8))
_SPACES = (
    "xmlns='http://www.w3.org/2005/Atom' xmlns:openSearch='http://a9.com/-/spec/opensearchrss/1.0/' "
    "xmlns:blogger='http://schemas.google.com/blogger/2008' xmlns:thr='http://purl.org/syndication/thread/1.0'"
)
_BLOG = "tag:blogger.com,1999:blog-7001"


@dataclass
class Blogger(Blog):
    """Feeds of at most `cap` entries.

    Traps: "short" (only the beginnings of articles), "jump" (articles end at their jump break), "feedburner" (feeds
    redirect to another service unless asked not to), "small-answers" (answers hold at most 40 entries), "no-total",
    "total-high", "total-low" (counts that lie), "deaf" (start-index is ignored), "no-comments", "no-pages" (their feed
    is missing), "private" (everything is refused), "own-domain" (nothing in the address shows Blogger), "half".
    """

    home: str = "https://sea.blogspot.com/"
    cap: int = 150

    def link(self, post: SitePost) -> str:
        return f"{self.home}{post.published:%Y/%m}/day-{post.number}.html"

    def head(self) -> str:
        return (
            "<meta content='blogger' name='generator'/>"
            f"<link rel='alternate' type='application/atom+xml' title='Atom' href='{self.home}feeds/posts/default'/>"
            f"<link rel='alternate' type='application/rss+xml' href='{self.home}feeds/posts/default?alt=rss'/>"
            "<link rel='service.post' type='application/atom+xml' "
            "href='https://www.blogger.com/feeds/7001/posts/default'/>"
        )

    def comment_item(self, each: SiteComment) -> str:
        return (
            f'<li class="comment" id="c90{each.number}"><div class="comment-block"><div class="comment-header">'
            f'<cite class="user">{each.author}</cite><span class="datetime">{each.published:%B %d, %Y at %H:%M}</span>'
            f'</div><div class="comment-content">{each.body}</div></div></li>'
        )

    def interface(self, url: str, headers: Mapping[str, str]) -> Answer | None:  # noqa: ARG002
        parts = urlsplit(url)
        kind = {
            "/feeds/posts/default": "posts", "/feeds/posts/summary": "summary", "/feeds/comments/default": "comments",
            "/feeds/pages/default": "pages",
        }.get(parts.path)
        if kind is None:
            return None
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if "private" in self.traps:
            return 401, {"Content-Type": "text/html"}, b"<h1>This blog is open to invited readers only</h1>"
        if f"no-{kind}" in self.traps:
            return 404, {"Content-Type": "text/html"}, b"<h1>Not Found</h1>"
        if "feedburner" in self.traps and asked.get("redirect") != "false":
            return 302, {"Location": "https://feeds.feedburner.example/sea"}, b""
        return 200, {"Content-Type": "application/atom+xml; charset=UTF-8"}, self._feed(kind, asked)

    def _feed(self, kind: str, asked: Mapping[str, str]) -> bytes:
        shown_posts = [post for post in self.newest() if post.kind == ("page" if kind == "pages" else "post")]
        everything: Sequence[SitePost | SiteComment] = self.newest_comments() if kind == "comments" else shown_posts
        if kind != "comments" and asked.get("orderby") == "updated":
            everything = sorted(shown_posts, key=lambda post: post.updated, reverse=True)
            least = parse_date(asked.get("updated-min"))
            everything = [post for post in everything if least is None or post.updated >= least]
        start = 1 if "deaf" in self.traps else max(1, int(asked.get("start-index", "1")))
        count = min(int(asked.get("max-results", "25")), self.cap, 40 if "small-answers" in self.traps else self.cap)
        shown = everything[start - 1:start - 1 + count]
        has_more = len(everything) > start - 1 + count
        total = len(everything) + (30 if "total-high" in self.traps else -30 if "total-low" in self.traps else 0)
        said = "" if "no-total" in self.traps else f"<openSearch:totalResults>{max(0, total)}</openSearch:totalResults>"
        following = urlencode({**asked, "start-index": start + count, "max-results": count})
        path = "comments/default" if kind == "comments" else "posts/default"
        link = f"https://www.blogger.com/feeds/7001/{path}?{following}"
        said += f"<link rel='next' type='application/atom+xml' href='{escape(link)}'/>" if has_more else ""
        entries = "".join(
            self._comment(each) if isinstance(each, SiteComment) else self._post(each, is_short=kind == "summary")
            for each in shown
        )
        title = f"Comments on {self.title}" if kind == "comments" else self.title
        return (
            f"<?xml version='1.0' encoding='UTF-8'?><feed {_SPACES}><id>{_BLOG}</id><title type='text'>{escape(title)}"
            f"</title><link rel='alternate' type='text/html' href='{self.home}'/>{said}"
            f"<generator version='7.00' uri='http://www.blogger.com'>Blogger</generator>{entries}</feed>"
        ).encode()

    def _post(self, post: SitePost, *, is_short: bool) -> str:
        text = f"<content type='html'>{escape(post.body)}</content>"
        if "short" in self.traps or is_short:
            text = f"<summary type='text'>On day {post.number} ...</summary>"
        elif "jump" in self.traps:
            rest = f'<p>On day</p><a href="{self.link(post)}#more">Read more »</a>'
            text = f"<content type='html'>{escape(rest)}</content>"
        count = sum(each.post == post.number for each in self.comments.values())
        tags = "".join(f"<category scheme='http://www.blogger.com/atom/ns#' term='{tag}'/>" for tag in post.tags)
        return (
            f"<entry><id>{_BLOG}.post-{post.number}</id><published>{_moment(post.published)}</published>"
            f"<updated>{_moment(post.updated)}</updated>{tags}<title type='text'>{escape(post.title)}</title>{text}"
            f"<link rel='replies' type='application/atom+xml' href='{self.home}feeds/{post.number}/comments/default'/>"
            f"<link rel='self' type='application/atom+xml' href='https://www.blogger.com/feeds/7001/posts/{post.number}'/>"
            f"<link rel='alternate' type='text/html' href='{self.link(post)}'/>"
            f"<author><name>{post.author}</name><email>noreply@blogger.com</email></author><thr:total>{count}</thr:total>"
            "</entry>"
        )

    def _comment(self, each: SiteComment) -> str:
        link = self.link(self.posts[each.post])
        return (
            f"<entry><id>{_BLOG}.post-90{each.number}</id><published>{_moment(each.published)}</published>"
            f"<updated>{_moment(each.published)}</updated><title type='text'>Comment</title>"
            f"<content type='html'>{escape(each.body)}</content>"
            f"<link rel='alternate' type='text/html' href='{link}?showComment=1#c90{each.number}'/>"
            f"<author><name>{each.author}</name><uri>https://www.blogger.com/profile/1</uri></author>"
            f"<thr:in-reply-to href='{link}' ref='{_BLOG}.post-{each.post}' type='text/html'/></entry>"
        )


def _moment(moment: datetime) -> str:
    return moment.astimezone(_PACIFIC).isoformat(timespec="milliseconds")
