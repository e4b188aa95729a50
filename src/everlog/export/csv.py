"""Posts as a table: one row a post, for spreadsheets and data frames.

UTF-8 without a byte order mark, rows ended by CR LF, lists joined with "; ". A cell that a spreadsheet
would run as a formula starts with an apostrophe, which spreadsheets hide: what a blog's author wrote
must not become a program on the reader's machine.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import fields
from datetime import datetime
from typing import Any, BinaryIO

from everlog.records import Post

# Of these a row has the number.
_COUNTED = ("comments", "media")
_LAST = ("version", "fetched", "gone", "kind", "origin", "captured")
_LEFT_OUT = ("aliases", "html", "comments_state", "comment_count_claimed", "provenance", "warc")
COLUMNS = (*(each.name for each in fields(Post) if each.name not in {*_LEFT_OUT, *_LAST}), *_LAST)
# The starts of a formula in the spreadsheets in use, with the full-width signs that some take for these.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def write_csv(posts: Iterable[Post], out: BinaryIO, *, guarded: bool = True) -> int:
    """Write a header and a row for every post; the number of posts.

    `guarded=False` leaves cells that look like formulas as they are.
    """
    text = io.TextIOWrapper(out, encoding="utf-8", errors="replace", newline="", write_through=True)
    count = 0
    try:
        writer = csv.writer(text)
        writer.writerow(COLUMNS)
        for count, post in enumerate(posts, 1):  # noqa: B007 - the last number is the answer
            row = _row(post)
            writer.writerow(tuple(map(guard, row)) if guarded else row)
        text.flush()
    finally:
        text.detach()
    return count


def guard(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula.

    >>> guard("=1+1"), guard("one")
    ("'=1+1", 'one')
    """
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _row(post: Post) -> tuple[str, ...]:
    return tuple(_cell(name, getattr(post, name)) for name in COLUMNS)


def _cell(name: str, value: Any) -> str:
    if name in _COUNTED:
        return str(len(value))
    if isinstance(value, tuple):
        return "; ".join(value)
    if isinstance(value, datetime):
        return value.isoformat()
    return "" if value is None else str(value)
