"""Ranges of bytes (RFC 9110): what players of sound and film ask for."""

from __future__ import annotations

import re
from dataclasses import dataclass

_RANGE = re.compile(r"bytes=\s*(\d*)-(\d*)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByteRange:
    """A part of a body; of none, if the body has no such bytes."""

    start: int
    length: int


def read_range(header: str | None, size: int) -> ByteRange | None:
    """The part that a header asks for; None: all of it. One of no length cannot be had.

    Several ranges at once, which no player asks for, are answered with the whole, as the standard allows.

    >>> read_range("bytes=2-5", 10), read_range("bytes=-3", 10), read_range("bytes=0-1,4-5", 10)
    (ByteRange(start=2, length=4), ByteRange(start=7, length=3), None)
    >>> read_range("bytes=10-", 10)
    ByteRange(start=10, length=0)
    """
    asked = _RANGE.fullmatch(header) if header else None
    if asked is None or not (asked[1] or asked[2]) or max(len(asked[1]), len(asked[2])) > 18:
        return None
    if not asked[1]:
        length = min(int(asked[2]), size)
        return ByteRange(start=size - length, length=length)
    start, end = int(asked[1]), min(int(asked[2]) if asked[2] else size - 1, size - 1)
    if asked[2] and int(asked[2]) < start:
        return None
    return ByteRange(start=start, length=max(0, end - start + 1))
