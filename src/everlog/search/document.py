"""The card of a post: what of it is searched, as it goes into an index."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from everlog.search.tokenize import pieces

if TYPE_CHECKING:
    from everlog.records import Post

# Stands between two names, tags or comments, so that no phrase reaches from one into the next. Nobody can
# look for it: it is no letter.
BETWEEN = " \ue000 "


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The searched texts of one post, cut."""

    post_id: int
    blog_id: int
    text: str
    title: str
    comments: str
    authors: str
    tags: str


def document_of(post_id: int, blog_id: int, record: str) -> Document:
    """The card of a version's record. The same record always gives the same card."""
    found: dict[str, Any] = json.loads(record)
    said = [text for comment in found["comments"] for text in (comment["author"], comment["text"]) if text]
    return Document(
        post_id=post_id, blog_id=blog_id, text=pieces(found["text"]), title=pieces(found["title"] or ""),
        comments=_joined(said), authors=_joined(found["authors"]), tags=_joined(found["tags"]),
    )


def document_of_post(post_id: int, blog_id: int, post: Post) -> Document:
    """The card of a post that is at hand as its record says it: the same as that of the record."""
    said = [text for comment in post.comments for text in (comment.author, comment.text) if text]
    return Document(
        post_id=post_id, blog_id=blog_id, text=pieces(post.text), title=pieces(post.title or ""),
        comments=_joined(said), authors=_joined(post.authors), tags=_joined(post.tags),
    )


def _joined(texts: Sequence[str]) -> str:
    if all(map(str.isascii, texts)):  # as `pieces` would, one by one
        return BETWEEN.join(texts).lower()
    return BETWEEN.join(map(pieces, texts))
