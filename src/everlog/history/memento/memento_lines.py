"""Lists of captures as web archives write them, read without trust: CDX, CDXJ, JSON by row or by line, TimeMaps.

    read_listing    the captures of an answer, whichever format it has; what cannot be read is left out
    Memento         one capture: the word of RFC 7089
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from everlog.core.urls import absolute
from everlog.history.link_header import link_values

_STAMP = re.compile(r"\d{14}")
# Fields by their place, as the columns of CDX files and of an answer without a header are.
_COLUMNS: tuple[str, ...] = ("urlkey", "timestamp", "original", "mimetype", "statuscode", "digest")
_OTHER_NAMES: Mapping[str, str] = {"url": "original", "mime": "mimetype", "status": "statuscode"}
# What archives write in place of what a capture does not have: a repeated capture has the type of none.
_NOTHING = frozenset({"", "-", "unk"})
REVISIT = "warc/revisit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Memento:
    """A capture that an archive lists: of which address, when (`stamp`, 14 digits), and what is known of its answer.

    `digest` is the same for the same bytes. `address` is where a TimeMap says that the capture is.
    """

    url: str
    stamp: str
    status: int | None = None
    media_type: str | None = None
    digest: str | None = None
    address: str | None = None

    @property
    def captured_at(self) -> datetime:
        return datetime.strptime(self.stamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)

    @property
    def is_revisit(self) -> bool:
        """Whether the archive kept no bytes, as they were those of an earlier capture."""
        return self.media_type == REVISIT


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The captures that an answer lists. It counts as true if there are any.

    `resume_key` is where the list goes on, `further` the other TimeMaps of an address that has many captures.
    `is_whole` is False where the answer breaks off.
    """

    mementos: tuple[Memento, ...] = ()
    resume_key: str | None = None
    further: tuple[str, ...] = ()
    is_whole: bool = True
    has_header: bool = False

    def __bool__(self) -> bool:
        return bool(self.mementos)


def read_listing(body: bytes) -> Listing:
    r"""The captures of an answer.

    >>> rows = b'[["urlkey","timestamp","original","mimetype","statuscode","digest"],\n' \
    ...     b'["org,a)/","20200102030405","http://a.org/","text/html","200","X"],\n[],\n["org%2Ca%29%2F+2020"]]'
    >>> read_listing(rows).resume_key, [(each.url, each.stamp) for each in read_listing(rows).mementos]
    ('org%2Ca%29%2F+2020', [('http://a.org/', '20200102030405')])
    >>> read_listing(b'org,a)/ 20200102030405 {"url": "http://a.org/", "status": "200"}\n').mementos[0].status
    200
    """
    text = body.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if text.startswith("["):
        return _of_rows(text)
    if text.startswith("<") and "rel=" in text:
        return _of_links(text)
    return _of_lines(text)


def captured_at(stamp: str) -> datetime | None:
    """The moment of a time stamp of 14 digits; None where it is none.

    >>> captured_at("20200102030405").isoformat(), captured_at("20209999000000")
    ('2020-01-02T03:04:05+00:00', None)
    """
    if not _STAMP.fullmatch(stamp):
        return None
    try:
        return datetime.strptime(stamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def http_moment(value: str | None) -> datetime | None:
    """The moment of an HTTP date, as `Memento-Datetime` is one."""
    try:
        found = parsedate_to_datetime(value) if value else None
    except (ValueError, TypeError, IndexError):
        return None
    return found.astimezone(UTC) if found is not None and found.tzinfo is not None else None


def _of_rows(text: str) -> Listing:
    """JSON as a list of rows: a header, the captures, and behind an empty row the resume key."""
    is_whole = True
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError):
        # It breaks off, or has something behind its end: every row stands on a line of its own.
        rows, is_whole = [_row(line.strip(" \r\t,")) for line in text.split("\n")], False
    columns, has_header = _COLUMNS, False
    found: list[Memento] = []
    resume_key = None
    is_behind = False
    for row in rows:
        if not isinstance(row, list) or not all(isinstance(each, str) for each in row):
            continue
        if not row:
            is_behind = True
        elif is_behind and len(row) == 1:
            resume_key = row[0]
        elif "timestamp" in row:
            columns, has_header = tuple(_OTHER_NAMES.get(each, each) for each in map(str, row)), True
        else:
            found += _memento(dict(zip(columns, row, strict=False)))
    return Listing(mementos=tuple(found), resume_key=resume_key, is_whole=is_whole, has_header=has_header)


def _row(line: str) -> Any:
    if not line.endswith("]"):
        return None
    try:
        return json.loads("[" + line.lstrip("[").rstrip("]") + "]")
    except (ValueError, RecursionError):
        return None


def _of_lines(text: str) -> Listing:
    """A line a capture: an object, a key and a stamp before an object, or columns between spaces."""
    lines = text.split("\n")
    # A list that is whole ends with the end of a line.
    is_whole = not lines[-1].strip()
    found: list[Memento] = []
    for line in (line.strip() for line in lines):
        fields = _fields(line)
        read = list(_memento(fields)) if fields is not None else []
        is_whole = is_whole or (line == lines[-1].strip() and bool(read))
        found += read
    return Listing(mementos=tuple(found), is_whole=is_whole)


def _fields(line: str) -> Mapping[str, Any] | None:
    if line.startswith("{"):
        before: list[str] = []
        rest = line
    else:
        before = line.split(" ", 2)
        rest = before[2] if len(before) > 2 else ""
    if rest.startswith("{"):
        try:
            row = json.loads(rest)
        except (ValueError, RecursionError):
            return None
        named: dict[str, Any] = {_OTHER_NAMES.get(name, str(name)): value for name, value in row.items()}
        return {"timestamp": before[1] if len(before) > 1 else None} | named
    columns = line.split(" ")
    return dict(zip(_COLUMNS, columns, strict=False)) if len(columns) >= len(_COLUMNS) else None


def _memento(fields: Mapping[str, Any]) -> Iterator[Memento]:
    stamp, url = fields.get("timestamp"), fields.get("original")
    whole = absolute(None, url) if isinstance(url, str) else None
    if whole is None or not isinstance(stamp, str) or captured_at(stamp) is None:
        return
    status, kind, digest = (str(fields.get(name) or "") for name in ("statuscode", "mimetype", "digest"))
    yield Memento(
        url=whole, stamp=stamp, status=int(status) if len(status) == 3 and status.isdecimal() else None,
        media_type=kind.partition(";")[0].strip().lower() if kind not in _NOTHING else None,
        digest=digest.removeprefix("sha1:") if digest not in _NOTHING else None,
    )


def _of_links(text: str) -> Listing:
    """A TimeMap (RFC 7089, 5): the original, its mementos, and further TimeMaps where they are many."""
    original = None
    captures: list[tuple[str, datetime]] = []
    further: list[str] = []
    read = 0
    for address, said, end in link_values(text):
        read = end
        kinds = said.get("rel", "").lower().split()
        if "original" in kinds:
            original = address
        elif "timemap" in kinds and "self" not in kinds:
            further.append(address)
        elif "memento" in kinds and (moment := http_moment(said.get("datetime"))) is not None:
            captures.append((address, moment))
    is_whole = not text[read:].strip(" \t\r\n,")
    url = absolute(None, original)
    if url is None:
        return Listing(is_whole=is_whole, further=tuple(further))
    return Listing(further=tuple(further), is_whole=is_whole, mementos=tuple(
        Memento(url=url, stamp=f"{moment:%Y%m%d%H%M%S}", address=address)
        for address, moment in dict(captures).items() if absolute(None, address) is not None
    ))
