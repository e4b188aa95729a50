"""A post as one JSON object on one line: the export that other programs hold on to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from everlog.records import Comment, Media, Post, Provenance


def write_jsonl(posts: Iterable[Post], out: BinaryIO) -> int:
    """Write a line for every post; the number of posts."""
    count = 0
    for count, post in enumerate(posts, 1):  # noqa: B007 - the last number is the answer
        out.write(post_to_line(post).encode("utf-8", "replace") + b"\n")
    return count


def post_to_line(post: Post) -> str:
    """The post as a line of JSON, without the line's end.

    >>> from everlog.records import Post
    >>> post_to_line(Post(url="http://a.example/1", title="Eins"))[:46]
    '{"url": "http://a.example/1", "aliases": [], "'
    """
    return json.dumps(post_to_dict(post), ensure_ascii=False)


def post_to_dict(post: Post) -> dict[str, Any]:
    """The post under the names of the export, made of what JSON has: text, numbers, lists, null.

    >>> from everlog.records import Post
    >>> post_to_dict(Post(url="http://a.example/1", tags=("sea",)))["tags"]
    ['sea']
    """
    return {
        "url": post.url,
        "aliases": list(post.aliases),
        "blog": post.blog,
        "title": post.title,
        "authors": list(post.authors),
        "published": _time(post.published),
        "updated": _time(post.updated),
        "tags": list(post.tags),
        "language": post.language,
        "text": post.text,
        "html": post.html,
        "summary": post.summary,
        "comments": [_comment(comment) for comment in post.comments],
        "comments_state": post.comments_state,
        "comment_count_claimed": post.comment_count_claimed,
        "media": [_media(item) for item in post.media],
        "provenance": {field: _provenance(source) for field, source in post.provenance.items()},
        "fetched": _time(post.fetched),
        "version": post.version,
        "gone": post.gone,
        "warc": {"file": post.warc[0], "offset": post.warc[1]} if post.warc else None,
    }


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _comment(comment: Comment) -> dict[str, Any]:
    return {
        "id": comment.id,
        "parent": comment.parent,
        "author": comment.author,
        "author_url": comment.author_url,
        "published": _time(comment.published),
        "text": comment.text,
        "html": comment.html,
        "url": comment.url,
        "source": comment.source,
    }


def _media(item: Media) -> dict[str, Any]:
    return {
        "url": item.url, "path": item.path, "sha256": item.sha256, "type": item.type, "bytes": item.bytes,
    }


def _provenance(source: Provenance) -> dict[str, Any]:
    out: dict[str, Any] = {
        "method": source.method, "rule": source.rule, "confidence": source.confidence,
    }
    if source.precision is not None:
        out["precision"] = source.precision
    if source.disagrees is not None:
        out["disagrees"] = source.disagrees
    return out
