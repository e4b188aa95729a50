"""Comments that a page states in its JSON-LD, as schema.org's `comment` of its article."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from everlog.comments.bodies import Bodies
from everlog.comments.comment_markup import MOST_COMMENTS, Thread
from everlog.comments.dating import read_dates
from everlog.comments.threads import short_id, threaded
from everlog.core.tree import Element, parse_fragment
from everlog.core.urls import absolute
from everlog.core.words import squeeze
from everlog.markup.view import View
from everlog.records import Comment

SOURCE = "json-ld"
_TEXTS = ("text", "commentText", "articleBody", "description")
_DATES = ("dateCreated", "datePublished", "commentTime")
# Answers in answers in answers: deeper ones are left out, or a page could nest without end.
_DEEPEST = 50


def read_linked_data(root: Element, url: str, *, fetched_at: datetime | None = None) -> Thread | None:
    """The comments of a page's JSON-LD; None where it holds none.

    >>> from everlog.core.tree import parse
    >>> page = parse(b'<script type="application/ld+json">{"@type": "BlogPosting", "commentCount": 1, "comment": [{'
    ...     b'"@type": "Comment", "text": "Fine.", "author": {"name": "Ada"}, "dateCreated": "2019-03-01"}]}</script>')
    >>> [(comment.author, comment.text) for comment in read_linked_data(page, "http://a.org/").comments]
    [('Ada', 'Fine.')]
    """
    data = (script for script in root.iter("script") if "json" in (script.get("type") or ""))
    if not any('"comment"' in (script.text or "") for script in data):
        return None
    found = [pair for article in View(root, url).json_ld for pair in _below(article)]
    if not found:
        return None
    claimed = len(found) if len(found) > MOST_COMMENTS else None
    del found[MOST_COMMENTS:]
    moments = read_dates(([str(node.get(name) or "") for name in _DATES] for node, _ in found), (), fetched_at)
    bodies = Bodies(url)
    comments = [_comment(node, url, bodies, moment) for (node, _), moment in zip(found, moments, strict=True)]
    answered = threaded(comments, [parent for _, parent in found], [None] * len(found))
    return Thread(source=SOURCE, comments=answered, claimed=claimed)


def _below(article: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], int | None]]:
    """Every comment of an article with the place of the one it answers, in the order of the page."""
    waiting: list[tuple[Any, int | None, int]] = [(article.get("comment"), None, 0)]
    place = 0
    while waiting:
        item, parent, depth = waiting.pop()
        if isinstance(item, list):
            waiting.extend((inner, parent, depth) for inner in reversed(item))
        elif isinstance(item, dict) and any(isinstance(item.get(name), str) for name in _TEXTS):
            yield item, parent
            if depth < _DEEPEST:
                waiting.append((item.get("comment"), place, depth + 1))
            place += 1


def _comment(node: Mapping[str, Any], url: str, bodies: Bodies, moment: datetime | None) -> Comment:
    author = node.get("author") or node.get("creator")
    person: Mapping[str, Any] = author if isinstance(author, dict) else {"name": author}
    name, written = person.get("name"), node.get("identifier") or node.get("@id")
    text, html = bodies.read([parse_fragment(next(node[key] for key in _TEXTS if isinstance(node.get(key), str)))[0]])
    return Comment(
        id=short_id(written) if isinstance(written, str) else None,
        author=squeeze(name) or None if isinstance(name, str) else None,
        author_url=_address(url, person.get("url")), published=moment, text=text, html=html,
        url=_address(url, node.get("url")), source=SOURCE,
    )


def _address(url: str, link: Any) -> str | None:
    return absolute(url, link) if isinstance(link, str) and link else None
