"""WACZ 1.1.1: the captures of an archive with their index and its posts, in one file that replay programs open.

    archive/*.warc.gz                         the captures, as they were stored
    indexes/index.cdx.gz, indexes/index.idx   where each stands, in blocks that can be fetched one by one
    pages/pages.jsonl                         the posts whose pages were captured: where a reader begins
    posts/posts.jsonl, posts/comments.jsonl   the records, each with the WARC record that it was read from
    datapackage.json, datapackage-digest.json what is inside, with digests

Everything is written as it comes, so the size of the archive does not matter; a ZIP file that begins with what is large
can be written to a pipe.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zipfile
import zlib
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any, BinaryIO

from everlog.export.cdxj import IndexedCapture, cdxj_line, sorted_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from everlog.export.cdxj import CaptureSource, IndexedFile
    from everlog.records import Post

VERSION = "1.1.1"
# Lines of the index in one block: what other programs write. A block is what a reader fetches to find one address.
BLOCK_LINES = 1024
_PIECE = 1 << 20
_TIME_FIELD = 0x5455
INDEX, INDEX_OF_BLOCKS = "indexes/index.cdx.gz", "indexes/index.idx"
PAGES = "pages/pages.jsonl"


def write_wacz(posts: Iterable[Post], out: BinaryIO, captures: CaptureSource) -> int:
    """Write posts and the captures around them; the number of posts."""
    with zipfile.ZipFile(out, "w", allowZip64=True) as package:
        parts = _Package(package)
        places = _Places()
        for file in captures.files():
            parts.write(_in_package(file.name), places.copied(file, captures), packed=False)
        listed: list[bytes] = []
        parts.write(INDEX, _blocks(_placed(captures, places), listed), packed=False)
        parts.write(INDEX_OF_BLOCKS, listed)
        count = _write_posts(posts, parts, places)
        parts.close(captures)
    return count


@dataclass(slots=True)
class _Package:
    """The ZIP file, and what it will say of its parts."""

    package: zipfile.ZipFile
    resources: list[dict[str, Any]] = field(default_factory=list)

    def write(self, path: str, pieces: Iterable[bytes], *, packed: bool = True) -> None:
        """Write a part, and remember its size and digest. What is compressed already is stored as it is."""
        now = datetime.now(UTC)
        entry = zipfile.ZipInfo(path, now.timetuple()[:6])
        # The time in seconds, as zip itself adds it. ReplayWeb.page takes a part whose entry in the list at the end has
        # no such field to have none at its beginning either, where the room for large sizes is; and reads wrong bytes.
        entry.extra = struct.pack("<HHBI", _TIME_FIELD, 5, 1, int(now.timestamp()))
        entry.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
        digest, size = hashlib.sha256(), 0
        with self.package.open(entry, "w", force_zip64=True) as stream:
            for piece in pieces:
                digest.update(piece)
                size += len(piece)
                stream.write(piece)
        self.resources.append(
            {"name": path.rpartition("/")[2], "path": path, "hash": f"sha256:{digest.hexdigest()}", "bytes": size},
        )

    def close(self, captures: CaptureSource) -> None:
        """Write what is inside, and the digest of that."""
        about = {
            "profile": "data-package", "resources": self.resources, "wacz_version": VERSION, "title": captures.title,
            "created": _instant(datetime.now(UTC)), "software": captures.software,
        }
        text = json.dumps(about, indent=2).encode()
        self.write("datapackage.json", [text])
        digest = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(text).hexdigest()}"}
        self.write("datapackage-digest.json", [json.dumps(digest, indent=2).encode()])


class _Places:
    """Where records stand in the package: as in their files, but for files of which only some are taken."""

    def __init__(self) -> None:
        self._whole: set[str] = set()
        self._moved: dict[tuple[str, int], int] = {}

    def copied(self, file: IndexedFile, captures: CaptureSource) -> Iterator[bytes]:
        """The bytes of a file that go into the package."""
        with captures.open_file(file.name) as source:
            if not file.is_mixed:
                self._whole.add(file.name)
                yield from _pieces(source, file.length)
                return
            offset = 0
            for capture in captures.captures():
                if capture.file == file.name:
                    source.seek(capture.offset)
                    yield from _pieces(source, capture.length)
                    self._moved[file.name, capture.offset] = offset
                    offset += capture.length

    def of(self, file: str, offset: int) -> tuple[str, int] | None:
        """The file and offset in the package; None for what is not in it."""
        if file in self._whole:
            return _in_package(file), offset
        found = self._moved.get((file, offset))
        return None if found is None else (_in_package(file), found)


def _placed(captures: CaptureSource, places: _Places) -> Iterator[IndexedCapture]:
    for capture in captures.captures():
        place = places.of(capture.file, capture.offset)
        if place is not None:
            # Readers look below `archive/` by themselves.
            yield replace(capture, file=place[0].rpartition("/")[2], offset=place[1])


def _blocks(captures: Iterable[IndexedCapture], listed: list[bytes]) -> Iterator[bytes]:
    """The lines of the index in compressed blocks; `listed` becomes the list of them."""
    name = INDEX.rpartition("/")[2]
    listed.append(f"!meta 0 {json.dumps({'format': 'cdxj-gzip-1.0', 'filename': name})}\n".encode())
    offset = 0
    lines = sorted_lines(map(cdxj_line, captures))
    while block := list(islice(lines, BLOCK_LINES)):
        packer = zlib.compressobj(wbits=zlib.MAX_WBITS + 16)
        packed = packer.compress(b"".join(block)) + packer.flush()
        told = {"offset": offset, "length": len(packed), "digest": f"sha256:{hashlib.sha256(packed).hexdigest()}"}
        listed.append(b"%b %b\n" % (block[0].partition(b" {")[0], json.dumps(told).encode()))
        offset += len(packed)
        yield packed


def _write_posts(posts: Iterable[Post], parts: _Package, places: _Places) -> int:
    """Write the posts, their comments, and the list of pages to begin with; the number of posts."""
    count = 0
    with TemporaryFile() as pages, TemporaryFile() as records, TemporaryFile() as comments:
        pages.write(_line({"format": "json-pages-1.0", "id": "pages", "title": "Posts"}))
        for count, post in enumerate(posts, 1):  # noqa: B007 - the last number is the answer
            place = places.of(*post.warc) if post.warc is not None else None
            warc = None if place is None else {"file": place[0], "offset": place[1]}
            said = post.to_dict() | {"warc": warc}
            records.write(_line(said))
            comments.writelines(_line({"post": post.url, "warc": warc} | each) for each in said["comments"])
            at = post.captured or post.fetched
            if warc is not None and at is not None:
                number = hashlib.sha256(post.url.encode("utf-8", "replace")).hexdigest()[:22]
                pages.write(_line({"id": number, "url": post.url, "ts": _instant(at), "title": post.title or post.url}))
        for path, lines in ((PAGES, pages), ("posts/posts.jsonl", records), ("posts/comments.jsonl", comments)):
            lines.seek(0)
            parts.write(path, _pieces(lines))
    return count


def _line(said: dict[str, Any]) -> bytes:
    return json.dumps(said, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _in_package(name: str) -> str:
    return f"archive/{name.rpartition('/')[2]}"


def _instant(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _pieces(source: IO[bytes], length: int | None = None) -> Iterator[bytes]:
    """The bytes of a file from where it stands, up to a length."""
    left = length
    while piece := source.read(_PIECE if left is None else min(_PIECE, left)):
        left = None if left is None else left - len(piece)
        yield piece
