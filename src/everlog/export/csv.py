"""Posts as a table: one row a post, for spreadsheets and data frames.

UTF-8 without a byte order mark, rows ended by CR LF, lists joined with "; ". A cell that a spreadsheet
would run as a formula starts with an apostrophe, which spreadsheets hide: what a blog's author wrote
must not become a program on the reader's machine.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from everlog.records import Post

COLUMNS = (
    "url", "blog", "title", "authors", "published", "updated", "tags", "language", "text", "summary", "comments",
    "media", "version", "fetched", "gone",
)
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
    return (
        post.url, post.blog or "", post.title or "", "; ".join(post.authors), _time(post.published),
        _time(post.updated), "; ".join(post.tags), post.language or "", post.text, post.summary or "",
        str(len(post.comments)), str(len(post.media)), str(post.version), _time(post.fetched), post.gone or "",
    )


def _time(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""
