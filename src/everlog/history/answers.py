"""Answers of JSON interfaces, read without trust: whatever has the wrong type says nothing."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from everlog.core.tree import parse_fragment, take_text
from everlog.core.urls import absolute
from everlog.markup.cleaning import clean_html

if TYPE_CHECKING:
    from collections.abc import Mapping

    from everlog.history.source import HistoryAnswer

# Offsets from UTC are whole quarters of an hour; clocks of a site's two dates may be seconds apart.
_QUARTER_SECONDS = 900
_LARGEST_OFFSET_SECONDS = 14 * 3600
# An ISO date with its time and offset is shorter.
_LONGEST_DATE = 40


def json_of(body: bytes) -> Any:
    """The document that a body holds; None for what is no JSON.

    >>> json_of(b'[1, 2]'), json_of(b'<html>'), json_of(b'[' * 100_000)
    ([1, 2], None, None)
    """
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def rows_of(answer: HistoryAnswer) -> list[Mapping[str, Any]] | None:
    """The objects of a list, what is none left out; None where the answer is no list."""
    found = json_of(answer.body) if answer.is_ok else None
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else None


def text_at(row: Any, *path: str) -> str | None:
    """The text at a path of names; None where there is no text.

    >>> text_at({"title": {"rendered": "Rain"}}, "title", "rendered"), text_at({"title": 3}, "title", "rendered")
    ('Rain', None)
    """
    for name in path:
        row = row.get(name) if isinstance(row, dict) else None
    return row if isinstance(row, str) and row else None


def number_at(row: Mapping[str, Any], name: str) -> int | None:
    """The whole number of this name, not below zero; None where there is none.

    >>> number_at({"id": 7}, "id"), number_at({"id": True}, "id"), number_at({"id": "7"}, "id")
    (7, None, None)
    """
    value = row.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def numbers_at(row: Mapping[str, Any], name: str) -> tuple[int, ...]:
    """The whole numbers of a list of this name."""
    value = row.get(name)
    return tuple(each for each in value if isinstance(each, int)) if isinstance(value, list) else ()


def count_of(header: str | None) -> int | None:
    """The count that a header states.

    >>> count_of("1501"), count_of("many"), count_of(None)
    (1501, None, None)
    """
    return int(header) if header is not None and header.strip().isdecimal() and len(header) < 12 else None


def local_moment(local: str | None, universal: str | None) -> datetime | None:
    """A moment that is stated twice without an offset: by the site's clock and in UTC. The two tell the offset.

    >>> local_moment("2024-05-03T22:00:00", "2024-05-03T20:00:00").isoformat()
    '2024-05-03T22:00:00+02:00'
    """
    here, there = _bare_moment(local), _bare_moment(universal)
    if here is None or there is None:
        known = there or here
        return known.replace(tzinfo=UTC) if known is not None else None
    seconds = (here - there).total_seconds()
    offset = round(seconds / _QUARTER_SECONDS) * _QUARTER_SECONDS
    if abs(offset) > _LARGEST_OFFSET_SECONDS:
        return there.replace(tzinfo=UTC)
    return there.replace(tzinfo=UTC).astimezone(timezone(timedelta(seconds=offset)))


def own_url(base: str, row: Any, *path: str) -> str | None:
    """The web address at a path of names, made whole."""
    found = text_at(row, *path)
    whole = absolute(base, found) if found else None
    return whole if whole is not None and whole.startswith(("http://", "https://")) else None


def article_of(markup: str, url: str) -> tuple[str, str]:
    """Text and cleaned HTML of markup, as they are kept of articles and comments.

    >>> article_of("<p>So <b>calm</b>.</p><script>x()</script>", "https://a.org/sea/")
    ('So calm.', '<p>So <b>calm</b>.</p>')
    """
    html = clean_html(parse_fragment(markup)[0], url)
    # Of what is safe: the words of scripts and styles are nobody's.
    return take_text(parse_fragment(html)[0]), html


def _bare_moment(text: str | None) -> datetime | None:
    if not text or len(text) > _LONGEST_DATE or text.startswith("0000"):
        return None
    try:
        return datetime.fromisoformat(text.replace("Z", "")).replace(tzinfo=None)
    except ValueError:
        return None
