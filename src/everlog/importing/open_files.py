"""What an imported file is, told by its first bytes; and the WARC parts that it consists of.

Names are not asked: `.warc.gz` may be anything. Members of a zip are never written under their own names.
"""

from __future__ import annotations

import gzip
import shutil
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self

from everlog.errors import DiskFull, UsageError

_HEAD = 65_536
_PIECE = 1 << 20
_GZIP, _ZIP, _ZSTD, _WARC = b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd", b"WARC/"
# How much larger than its compressed form a part may be. Text is rarely a twentieth when compressed, a WARC of pictures
# not smaller at all; what claims a thousandth is nothing but made to fill a disk.
MOST_RATIO = 200
# Below this size it does no harm.
HARMLESS_BYTES = 100_000_000
# Members of a zip that are looked at; a WACZ has a dozen.
MOST_MEMBERS = 100_000
ADVICE = "everlog import reads WARC (.warc, .warc.gz) and WACZ files"

# What other files are, by what stands at their beginning: each needs all of its words.
_OTHERS: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    ("a WordPress export (WXR)", (b"<rss", b"wordpress.org/export")),
    ("a Blogger export", (b"<feed", b"schemas.google.com/blogger")),
    ("a Blogger export", (b"<feed", b"blogger.googleapis.com")),
    ("a Blogger export", (b"<feed", b"schemas.google.com/g/2005#kind")),
    ("a Ghost export", (b'"db"', b'"posts"')),
    ("a Ghost export", (b'"db"', b'"meta"')),
    ("what 'everlog export' wrote", (b'{"url":', b'"provenance"')),
    ("what 'everlog export' wrote", (b"url,", b",title,")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A WARC file: a file by itself, or what lies in another from `start` on, `length` bytes long."""

    # What the user knows it by.
    name: str
    path: Path
    start: int = 0
    length: int | None = None


class Unreadable(Exception):
    """A file that cannot be imported, and why."""


def parts_of(path: Path, scratch: Path) -> list[Part]:
    """The WARC parts of a file; what is packed a second time is unpacked into the folder `scratch`."""
    if not _is_zip(path):
        return [Part(name=path.name, path=path)]
    with _explained(path), zipfile.ZipFile(path) as archive:
        return [_member(path, archive, each, scratch) for each in _warc_members(path, archive)]


def want_some(paths: Iterable[str]) -> None:
    """Refuse files none of which can be imported, before anything is made for them."""
    problems: list[str] = []
    for path in map(Path, paths):
        try:
            if not _is_zip(path):
                return
            with _explained(path), zipfile.ZipFile(path) as archive:
                _warc_members(path, archive)
        except Unreadable as error:
            problems.append(str(error))
        else:
            return
    raise refused(problems)


def refused(problems: list[str]) -> UsageError:
    """The error for files none of which can be imported."""
    return UsageError("\n".join(problems), advice=ADVICE)


def _is_zip(path: Path) -> bool:
    """Whether a file is a zip, and not a WARC; what is neither is refused with what it is."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except FileNotFoundError:
        raise Unreadable(f"there is no file {path}") from None
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}") from None
    start = _unpacked(head)
    if head.startswith(_ZIP) or start.startswith(_WARC):
        return head.startswith(_ZIP)
    raise Unreadable(f"{path} {_what_it_is(head, start)}")


def unpacked_part(part: Part, scratch: Path) -> Part:
    """A part that is compressed as a whole, unpacked: its records cannot be found again in it otherwise."""
    target = scratch / f"unpacked-{len(list(scratch.iterdir()))}.warc"
    with opened(part) as raw:
        size = part.length or part.path.stat().st_size
        _copy(gzip.GzipFile(fileobj=raw), target, part.name, _most_bytes(size))
    return Part(name=part.name, path=target)


def opened(part: Part) -> BinaryIO:
    """The bytes of a part, to be read and searched in."""
    file = part.path.open("rb")
    return file if part.length is None and not part.start else _Window(file, part.start, part.length or 0)  # type: ignore[return-value]


def _unpacked(head: bytes) -> bytes:
    if not head.startswith(_GZIP):
        return head
    try:
        return zlib.decompressobj(zlib.MAX_WBITS + 16).decompress(head, _HEAD)
    except zlib.error:
        return b""


def _what_it_is(head: bytes, start: bytes) -> str:
    if not head:
        return "is empty"
    if head.startswith(_ZSTD):
        return "is compressed with zstd: unpack it first (zstd -d)"
    for name, words in _OTHERS:
        if all(word in start for word in words):
            return f"is {name}: this kind of file is not read yet"
    if head.startswith(_GZIP):
        return "is compressed, and holds no WARC records"
    return "is not a WARC or WACZ file"


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error, EOFError) as error:
        raise Unreadable(f"{path} is a damaged or unusual zip file: {error}") from None


def _warc_members(path: Path, archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    members = archive.infolist()[:MOST_MEMBERS]
    found = [each for each in members if _is_warc(each)]
    if found:
        return found
    if any(each.filename == "datapackage.json" for each in members):
        raise Unreadable(f"{path} is a WACZ file without WARC files in it")
    raise Unreadable(f"{path} is a zip file, but not a WACZ: it has no archive/*.warc or archive/*.warc.gz")


def _is_warc(member: zipfile.ZipInfo) -> bool:
    name = member.filename.lower()
    return name.startswith("archive/") and name.endswith((".warc", ".warc.gz")) and not member.is_dir()


def _member(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo, scratch: Path) -> Part:
    name = f"{path.name}: {member.filename.rpartition('/')[2]}"
    if member.flag_bits & 1:
        raise Unreadable(f"{path} is encrypted")
    if member.compress_type == zipfile.ZIP_STORED:
        return Part(name=name, path=path, start=_data_start(path, member), length=member.file_size)
    target = scratch / f"unpacked-{len(list(scratch.iterdir()))}.warc"
    with archive.open(member) as packed:
        _copy(packed, target, name, _most_bytes(member.compress_size))
    return Part(name=name, path=target)


def _data_start(path: Path, member: zipfile.ZipInfo) -> int:
    """Where the bytes of a stored member begin: its own header says how long its names are."""
    with path.open("rb") as file:
        file.seek(member.header_offset)
        header = file.read(30)
    if len(header) < 30 or not header.startswith(_ZIP):
        raise zipfile.BadZipFile(f"no header of {member.filename!r}")
    names = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    return member.header_offset + 30 + names


def _most_bytes(packed: int) -> int:
    return max(HARMLESS_BYTES, packed * MOST_RATIO)


def _copy(source: object, target: Path, name: str, most: int) -> None:
    """Unpack a stream; one that grows beyond measure is refused."""
    written = 0
    room = shutil.disk_usage(target.parent).free
    with target.open("wb") as file:
        while True:
            try:
                piece = source.read(_PIECE)  # type: ignore[attr-defined]
            except (EOFError, zlib.error, OSError, zipfile.BadZipFile):
                return  # what was unpacked so far is read; its last record is told to be cut off
            if not piece:
                return
            written += len(piece)
            if written > most:
                raise Unreadable(f"{name} grows to more than {most:,} bytes when it is unpacked")
            if written > room:
                raise DiskFull(
                    f"no room to unpack {name} in {target.parent}",
                    advice="free some space, or name another folder for temporary files by the variable TMPDIR",
                )
            file.write(piece)


class _Window:
    """Some bytes of a file, as if they were one."""

    def __init__(self, file: BinaryIO, start: int, length: int) -> None:
        self._file, self._start, self._length = file, start, length
        self._file.seek(start)

    def read(self, size: int = -1) -> bytes:
        left = max(0, self._start + self._length - self._file.tell())
        return self._file.read(left if size is None or size < 0 else min(size, left))

    def seek(self, offset: int, whence: int = 0) -> int:
        base = {0: self._start, 1: self._file.tell(), 2: self._start + self._length}[whence]
        return self._file.seek(max(self._start, base + offset)) - self._start

    def tell(self) -> int:
        return self._file.tell() - self._start

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
