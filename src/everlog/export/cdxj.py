"""CDXJ: the index of captures that web archives are looked up in, one line a capture, in the order of their keys.

    example,blog)/2024/rain 20240501120000 {"url": "https://blog.example/2024/rain/", "mime": "text/html", ...}

The order is made on the disk, so that memory stays flat however many captures there are.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from tempfile import TemporaryFile
from typing import BinaryIO, Protocol

from everlog.export.surt import surt

# Lines that are sorted in memory, 300 to 400 bytes each; and files that are open at once.
SORTED_AT_ONCE = 50_000
MOST_RUNS = 200
REVISIT = "warc/revisit"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedCapture:
    """A record of a WARC file, as an index names it; `is_revisit` where an earlier record has its body."""

    url: str
    captured_at: datetime
    status: int
    mime: str | None
    digest: str
    file: str
    offset: int
    length: int
    is_revisit: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedFile:
    """A WARC file up to what was acknowledged. `is_mixed`: it holds records that were not asked for as well."""

    name: str
    length: int
    is_mixed: bool = False


class CaptureSource(Protocol):
    """The captures of an archive, or of one of its blogs, and the files they stand in."""

    def captures(self) -> Iterable[IndexedCapture]:
        """All of them, those of one file in the order in which they stand there."""
        ...

    def files(self) -> Iterable[IndexedFile]: ...

    def open_file(self, name: str) -> BinaryIO: ...

    @property
    def title(self) -> str:
        """What the captures are of, for people."""
        ...

    @property
    def software(self) -> str:
        """Which program packs them."""
        ...


def write_cdxj(captures: CaptureSource, out: BinaryIO) -> int:
    """Write the index of all captures; their number."""
    count = 0
    for count, line in enumerate(sorted_lines(map(cdxj_line, captures.captures())), 1):  # noqa: B007 - as the answer
        out.write(line)
    return count


def cdxj_line(capture: IndexedCapture) -> bytes:
    """The line of a capture.

    >>> at = datetime(2024, 5, 1, 12, tzinfo=UTC)
    >>> capture = IndexedCapture(url="http://a.example/x/", captured_at=at, status=200, mime="text/html; charset=x",
    ...                          digest="sha256:00", file="a.warc.gz", offset=7, length=9)
    >>> print(cdxj_line(capture).decode().split(" {")[0], json.loads(cdxj_line(capture).split(b" ", 2)[2])["mime"])
    example,a)/x 20240501120000 text/html
    """
    mime = (capture.mime or "unk").partition(";")[0].strip().lower() or "unk"
    fields = {
        "url": capture.url, "mime": REVISIT if capture.is_revisit else mime, "status": str(capture.status),
        "digest": capture.digest, "length": str(capture.length), "offset": str(capture.offset),
        "filename": capture.file,
    }
    return f"{surt(capture.url)} {timestamp(capture.captured_at)} {json.dumps(fields)}\n".encode("utf-8", "replace")


def timestamp(moment: datetime) -> str:
    """A moment as web archives write it.

    >>> timestamp(datetime(2024, 5, 1, 12, tzinfo=UTC))
    '20240501120000'
    """
    return f"{moment.astimezone(UTC):%Y%m%d%H%M%S}"


def sorted_lines(lines: Iterable[bytes], at_once: int = SORTED_AT_ONCE) -> Iterator[bytes]:
    r"""Lines in order, each with its end: sorted in parts, which are merged from files without names.

    >>> b"".join(sorted_lines([b"c\n", b"a\n", b"d\n", b"b\n"], at_once=2))
    b'a\nb\nc\nd\n'
    """
    with ExitStack() as open_files:

        def on_disk(part: Iterable[bytes]) -> BinaryIO:
            run: BinaryIO = open_files.enter_context(TemporaryFile())
            run.writelines(part)
            run.seek(0)
            return run

        runs: list[BinaryIO] = []
        part: list[bytes] = []
        for line in lines:
            part.append(line)
            if len(part) >= at_once:
                runs.append(on_disk(sorted(part)))
                part = []
                if len(runs) >= MOST_RUNS:
                    runs = [on_disk(heapq.merge(*runs))]
        yield from heapq.merge(*runs, sorted(part))

