"""A post as one JSON object on one line: the export that other programs hold on to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.records import Post

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
    return json.dumps(post.to_dict(), ensure_ascii=False)
