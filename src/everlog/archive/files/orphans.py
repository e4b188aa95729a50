"""Files that no row of the database names: what killed crawls left, or what a database has lost.

A crawl that is killed leaves a WARC file or some media without rows, and bytes behind the end that a WARC file's row
knows: of one batch at most, each time. That is no fault, and the next crawl of the blog clears it up. All else is one:
a file that is older than the database, or of a blog that it does not know, or a picture whose capture it does know.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from sqlalchemy import select

from everlog.archive.db import schema
from everlog.archive.files import media_files, warc_names
from everlog.archive.files.warc_names import parse_name
from everlog.archive.repos.warc_index import FileRows, is_before
from everlog.archive.write.batch_writer import MOST_VISITS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.archive.archive import Archive

AT_ONCE = 500
# Answers that one batch can leave behind the end of a file: of each visit ten redirects, its answer, and what a browser
# made of that.
MOST_LEFT_BEHIND = MOST_VISITS * 13


def unnamed_files(archive: Archive) -> Iterator[tuple[str, str]]:
    """What the database has lost: where it is, and what is wrong."""
    rows = FileRows(archive.backend.database)
    # While a copy is made into the archive, its files are there before their rows.
    if rows.is_being_copied_into():
        return
    begun = rows.begun()
    if begun is None:
        yield from _emptied(archive)
        return
    known = _blogs(archive)
    names = archive.backend.file_store.names(warc_names.FOLDER)
    while part := list(islice(names, AT_ONCE)):
        named = rows.find(part)
        for name in part:
            if name not in named and (text := _wrong_warc(name, known, is_old=is_before(name, begun))):
                yield name, text
    names = archive.backend.file_store.names(media_files.FOLDER)
    while part := list(islice(names, AT_ONCE)):
        yield from _media(archive, part)


def is_more_than_a_batch(file: BinaryIO, offset: int) -> bool:
    """Whether more answers stand behind an offset than a killed crawl leaves there."""
    from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415 - only who verifies needs it
    from warcio.exceptions import ArchiveLoadFailed  # noqa: PLC0415

    file.seek(offset)
    count = 0
    try:
        for record in ArchiveIterator(file):
            count += record.rec_type not in {"request", "warcinfo"}
            if count > MOST_LEFT_BEHIND:
                return True
    except (ArchiveLoadFailed, EOFError, ValueError, OSError):
        pass  # the last of them may be half a record
    return False


def _emptied(archive: Archive) -> Iterator[tuple[str, str]]:
    """A database without a blog beside files."""
    counts = {
        folder: sum(
            1 for _ in archive.backend.file_store.names(folder)
        ) for folder in (warc_names.FOLDER, media_files.FOLDER)
    }
    if any(counts.values()):
        found = f"{counts[warc_names.FOLDER]} WARC files and {counts[media_files.FOLDER]} media files"
        yield archive.backend.file_store.where, (
            f"the database holds no blog, but there are {found}: it was emptied, or belongs to another archive; "
            "restore the right one from a backup before you crawl into this archive"
        )


def _wrong_warc(name: str, blogs: set[int], *, is_old: bool) -> str | None:
    named = parse_name(name)
    if named is None:
        return None  # something that others have put here
    if named.blog_id and named.blog_id not in blogs:
        return "the database knows neither this file nor its blog: rows were lost, or it is another archive's database"
    return "the database does not know this file, which is older than the database" if is_old else None


def _media(archive: Archive, names: list[str]) -> Iterator[tuple[str, str]]:
    """Media files without a row whose captures have one."""
    table, captures = schema.media_files, schema.captures
    hashes = {name: name.rpartition("/")[2].partition(".")[0] for name in names}
    with archive.backend.database.reading() as connection:
        known = set(connection.scalars(select(table.c.sha256).where(table.c.sha256.in_(hashes.values()))))
        loose = {name: f"sha256:{sha256}" for name, sha256 in hashes.items() if sha256 not in known}
        if not loose:
            return
        wanted = captures.c.digest.in_(loose.values()) & (captures.c.purpose == "media")
        fetched = set(connection.scalars(select(captures.c.digest).where(wanted).distinct()))
    for name, digest in loose.items():
        if digest in fetched:
            yield name, "the database does not know this file, although it was fetched"


def _blogs(archive: Archive) -> set[int]:
    with archive.backend.database.reading() as connection:
        return set(connection.scalars(select(schema.blogs.c.id)))
