"""Comments below the posts of `a_blog`: as its pages show them, as its comment feeds tell them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import a_blog

if TYPE_CHECKING:
    from collections.abc import Sequence

    from usecases.a_web import MemoryWeb


@dataclass(frozen=True, kw_only=True)
class Said:
    """One comment of the blog."""

    id: int
    author: str
    text: str
    day: int
    parent: int | None = None


def said(post: int, count: int) -> list[Said]:
    """As many comments as wanted below a post; every third answers the one before."""
    return [
        Said(
            id=post * 1000 + number, author=f"Reader {number} Smith", text=a_blog.sentence(f"c{post}/{number}", 14),
            day=1 + number % 28, parent=post * 1000 + number - 1 if number % 3 == 2 else None,
        )
        for number in range(1, count + 1)
    ]


def thread_html(comments: Sequence[Said], *, stated: int | None = None) -> str:
    """The comments as a theme of WordPress shows them, answers nested."""
    count = len(comments) if stated is None else stated
    tops = [comment for comment in comments if comment.parent is None]
    answers = {comment.parent: comment for comment in comments if comment.parent is not None}
    items = "".join(_item(comment, answers.get(comment.id)) for comment in tops)
    return (
        f"<div id=comments class=comments-area><h2 class=comments-title>{count} Comments</h2>"
        f"<ol class=comment-list>{items}</ol></div>"
    )


def _item(comment: Said, answer: Said | None) -> str:
    nested = f"<ol class=children>{_item(answer, None)}</ol>" if answer is not None else ""
    return (
        f"<li id=comment-{comment.id} class='comment depth-{1 if comment.parent is None else 2}'>"
        f"<article class=comment-body><footer class=comment-meta><div class='comment-author vcard'>"
        f"<b class=fn>{comment.author}</b> <span class=says>says:</span></div><div class=comment-metadata>"
        f"<a href=#comment-{comment.id}><time datetime=2024-02-{comment.day:02}T10:00:00+00:00>February {comment.day}, "
        f"2024 at 10:00 am</time></a></div></footer><div class=comment-content><p>{comment.text}</p></div>"
        f"<div class=reply><a href=?replytocom={comment.id}>Reply</a></div></article>{nested}</li>"
    )


def comment_feed(post: int, comments: Sequence[Said]) -> str:
    """The comment feed of a post: the newest ten."""
    items = "".join(
        f"<item><title>By: {comment.author}</title><link>{a_blog.url(post)}#comment-{comment.id}</link>"
        f"<dc:creator>{comment.author}</dc:creator><pubDate>{comment.day:02} Feb 2024 10:00:00 +0000</pubDate>"
        f"<guid isPermaLink='false'>{a_blog.url(post)}#comment-{comment.id}</guid>"
        f"<description>{comment.text}</description><content:encoded><![CDATA[<p>{comment.text}</p>]]></content:encoded>"
        "</item>"
        for comment in reversed(comments[-10:])
    )
    return (
        '<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>'
        f"<title>Comments on: Post {post} of ours</title><link>{a_blog.url(post)}</link>{items}</channel></rss>"
    )


def feed_url(post: int) -> str:
    return f"{a_blog.url(post)}/feed/"


def put_comments(
    fetcher: MemoryWeb, post: int, comments: Sequence[Said], *, shown: Sequence[Said] | None = None,
    stated: int | None = None, embed: str = "",
) -> None:
    """A post with comments: `shown` of them on its page (all, if nothing is said), all in its comment feed."""
    on_page = comments if shown is None else shown
    thread = thread_html(on_page, stated=len(comments) if stated is None else stated) if on_page or stated else ""
    head = f"<link rel=alternate type=application/rss+xml title='Post {post} Comments Feed' href={feed_url(post)}>"
    fetcher.put(a_blog.url(post), a_blog.page(post, head=head, after=thread + embed))
    fetcher.put(feed_url(post), comment_feed(post, comments), type="application/rss+xml")
