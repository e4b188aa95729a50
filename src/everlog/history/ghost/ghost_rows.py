"""Rows of Ghost's content interface: how they are asked for, and what posts and pages they become."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC
from typing import Any, Literal, TypeAlias
from urllib.parse import quote, urlencode

from everlog.feeds.feed_dates import parse_date
from everlog.feeds.labels import plain
from everlog.history.answers import json_of, number_at, own_url, text_at
from everlog.history.source import HistoryAnswer, HistoryRequest, ListedPost
from everlog.records import Entry

Row: TypeAlias = "Mapping[str, Any]"
Kind: TypeAlias = Literal["posts", "pages"]

# What Ghost gives at most since 6.0.
PER_PAGE = 100
WHOLE: Mapping[str, str] = {"include": "tags,authors", "formats": "html"}
LISTED: Mapping[str, str] = {"fields": "id,url,updated_at"}
BY_ID = "id asc"
BY_CHANGE = "updated_at desc"
# For whom a text is, in the words of `ListedPost.locked`; lists of tiers are paid for.
_LOCKED: Mapping[str, str] = {"members": "members", "public": "members"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The rows of an answer, and how many the interface says there are; `problem` is why there are none."""

    rows: tuple[Row, ...] = ()
    total: int | None = None
    problem: str | None = None


def request_for(root: str, key: str, kind: Kind, **wanted: str | int) -> HistoryRequest:
    """A request to the interface.

    >>> request_for("https://a.org/ghost/api/content/", "22", "posts", limit=100, filter="id:>'5b'").url
    'https://a.org/ghost/api/content/posts/?key=22&limit=100&filter=id%3A%3E%275b%27'
    """
    query = urlencode({"key": key, **wanted}, quote_via=quote, safe=",")
    return HistoryRequest(url=f"{root}{kind}/?{query}", purpose="api")


def rows_told(answer: HistoryAnswer, kind: Kind) -> Rows:
    """The rows that an answer has, each with an id."""
    if not answer.is_ok:
        return Rows(problem=f"the interface answers with HTTP {answer.status}" if answer.status else "no answer")
    found = json_of(answer.body)
    rows = found.get(kind) if isinstance(found, dict) else None
    if not isinstance(rows, list):
        return Rows(problem="the interface answers with something that is no list")
    meta = found.get("meta")
    paging = meta.get("pagination") if isinstance(meta, dict) else None
    total = number_at(paging, "total") if isinstance(paging, dict) else None
    return Rows(rows=tuple(row for row in rows if isinstance(row, dict) and text_at(row, "id")), total=total)


def id_of(row: Row) -> str:
    return text_at(row, "id") or ""


def updated_of(row: Row) -> str:
    """When a row changed, as a filter takes it; empty where it does not say.

    >>> updated_of({"updated_at": "2024-05-03T12:00:00.000+02:00"})
    '2024-05-03 10:00:00'
    """
    moment = parse_date(text_at(row, "updated_at"))
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}" if moment is not None else ""


def listed_posts(rows: Iterable[Row], root: str, kind: Kind) -> tuple[ListedPost, ...]:
    """Posts as the interface tells them; rows that name no address are left out."""
    told = (_listed_post(row, root, kind) for row in rows)
    return tuple(post for post in told if post is not None)


def _listed_post(row: Row, root: str, kind: Kind) -> ListedPost | None:
    url = own_url(root, row, "url")
    if url is None:
        return None
    changed = parse_date(text_at(row, "updated_at"))
    published = parse_date(text_at(row, "published_at"))
    markup = text_at(row, "html")
    locked = _lock_of(row, markup)
    entry = Entry(
        link=url, title=plain(text_at(row, "title")), content=markup if locked is None else None,
        summary=text_at(row, "custom_excerpt") or (text_at(row, "excerpt") or markup if locked else None),
        authors=_names(row, "authors"), tags=_names(row, "tags"), published=published,
        updated=changed if changed is not None and (published is None or changed > published) else None,
    )
    return ListedPost(
        url=url, id=id_of(row), entry=entry if "title" in row else None, is_whole=markup is not None and locked is None,
        changed=changed, kind="page" if kind == "pages" else "post", locked=locked,
    )


def _lock_of(row: Row, markup: str | None) -> str | None:
    """Why a text is not whole: for members alone, or for those who pay."""
    visibility = text_at(row, "visibility") or "public"
    access = row.get("access")
    is_cut = access is False or (access is not True and visibility != "public" and markup is None)
    return _LOCKED.get(visibility, "paid") if is_cut else None


def _names(row: Row, name: str) -> tuple[str, ...]:
    """Names of authors or tags; tags that begin with # are the author's own order, which no page shows."""
    rows = row.get(name)
    named = (
        plain(text_at(each, "name")) for each in (rows if isinstance(rows, list) else ())
        if text_at(each, "visibility") != "internal"
    )
    return tuple(dict.fromkeys(each for each in named if each and not (name == "tags" and each.startswith("#"))))
