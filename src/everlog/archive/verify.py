"""Is all there that was promised? Every record, pointer, digest and file of an archive, looked at once.

Rows are compared with files, and files with rows (`files/orphans.py`). What a crawl may be about to name, or a killed
one left, is not a finding: the next crawl of its blog names it or clears it up.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

from sqlalchemy import Row, Select, func, select

from everlog.archive.archive import DATABASE, Archive
from everlog.archive.db import schema
from everlog.archive.db.database import in_pages
from everlog.archive.files.file_store import WHOLE_FILE_BYTES
from everlog.archive.files.orphans import is_more_than_a_batch, unnamed_files
from everlog.archive.files.warc_names import parse_name
from everlog.archive.files.warc_walk import Broken, Seen, walk_records
from everlog.archive.files.warc_writer import MADE, target_uri
from everlog.archive.post_codec import read_record
from everlog.archive.projection.rebuild import disagreements
from everlog.archive.repos import search_index as searching
from everlog.archive.repos.post_parts import PARTS
from everlog.archive.repos.warc_index import FileRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator



    # Called with the name of each thing that was looked at; there are `count_to_verify` of them.
    Progress = Callable[[str], None]

AT_ONCE = 500
_MEDIA = re.compile(r"media/[0-9a-f]{2}/[0-9a-f]{64}\.[a-z0-9]{1,8}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that is not as it should be: its kind, where it is, and what is wrong."""

    kind: str
    where: str
    text: str

    def to_dict(self) -> dict[str, str]:
        return {"kind": self.kind, "where": self.where, "text": self.text}

    def __str__(self) -> str:
        return f"{self.kind}: {self.where}: {self.text}"


def verify(archive: Archive, progress: Progress | None = None) -> Iterator[Finding]:
    """Everything that is wrong with an archive, as it is found; memory stays flat."""
    tell = progress or _nobody
    for text in archive.backend.database.complaints():
        yield Finding(kind="database", where=DATABASE, text=text)
    yield from _warc_files(archive, tell)
    yield from _media_files(archive, tell)
    for where, text in unnamed_files(archive):
        yield Finding(kind="unnamed", where=where, text=text)
    yield from _posts(archive, tell)
    yield from _versions(archive)
    yield from _loose_ends(archive)
    yield from _structured(archive)
    for where, text in disagreements(archive.backend.database):
        yield Finding(kind="list", where=where, text=text)
    for key in searching.lacking(archive.backend.database):
        yield Finding(
            kind="search", where=key, text="not in the search index; rebuild it:  everlog search --rebuild",
        )


def count_to_verify(archive: Archive) -> int:
    """How many things `verify` looks at: captures, media files, posts."""
    with archive.backend.database.reading() as connection:
        return sum(
            connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in (schema.captures, schema.media_files, schema.posts)
        )


def _warc_files(archive: Archive, tell: Progress) -> Iterator[Finding]:
    for file in _files(archive):
        size = archive.backend.file_store.size(file.name) if parse_name(file.name) is not None else None
        if size is not None and size >= file.length:
            with archive.files.open(file.name, ahead=WHOLE_FILE_BYTES) as raw:
                yield from _warc_file(archive, file, raw, tell)
                if size > file.length and is_more_than_a_batch(raw, file.length):
                    behind = f"much longer than the {file.length} bytes stored: the database is older than the file"
                    yield Finding(kind="unnamed", where=file.name, text=behind)
        elif size is not None:
            yield Finding(kind="warc", where=file.name, text=f"truncated: shorter than the {file.length} bytes stored")
        elif text := _not_there(archive, file):
            yield Finding(kind="warc", where=file.name, text=text)


def _not_there(archive: Archive, file: Row[Any]) -> str | None:
    """What is wrong with a file that cannot be seen from here; nothing, if somebody is still writing it."""
    if file.closed or not archive.backend.file_store.is_shared or archive.backend.file_store.folder is not None:
        return "file missing"
    rows = FileRows(archive.backend.database)
    if rows.live([file.name]):
        return None
    # It may have arrived while we looked.
    return None if rows.find([file.name])[file.name].closed else "not uploaded yet by its worker"


def _warc_file(archive: Archive, file: Row[Any], raw: BinaryIO, tell: Progress) -> Iterator[Finding]:
    """The answers in a file beside the captures that point into it, both in the order of offsets."""
    # Somebody may be writing on: what is behind the length that was read is another day's.
    captures = _captures(archive, file.id, file.length)
    awaited = next(captures, None)
    try:
        for seen in walk_records(raw, file.length):
            where = f"{file.name} at {seen.offset}"
            if seen.problem:
                yield Finding(kind="warc", where=where, text=seen.problem)
            if seen.kind not in {"response", "revisit", *MADE.values()}:
                continue
            while awaited is not None and awaited.offset < seen.offset:
                yield _nowhere(file, awaited)
                awaited = next(captures, None)
            if awaited is None or awaited.offset != seen.offset:
                yield Finding(kind="warc", where=where, text=f"a {seen.kind} that no capture points to")
                continue
            tell(awaited.url)
            if text := _differs(seen, awaited):
                yield Finding(kind="capture", where=where, text=text)
            awaited = next(captures, None)
    except Broken as error:
        yield Finding(kind="warc", where=file.name, text=str(error))
    while awaited is not None:
        yield _nowhere(file, awaited)
        awaited = next(captures, None)


def _differs(seen: Seen, capture: Row[Any]) -> str | None:
    kind = MADE.get(capture.purpose, "response" if capture.original_id is None else "revisit")
    wanted = {
        "type": (seen.kind, kind),
        "address": (seen.url, target_uri(capture.url)),
        "digest": (seen.digest, capture.digest),
        "length": (seen.length, capture.length),
    }
    wrong = [f"{name} is {found}, not {stored}" for name, (found, stored) in wanted.items() if found != stored]
    return "; ".join(wrong) or None


def _nowhere(file: Row[Any], capture: Row[Any]) -> Finding:
    return Finding(
        kind="capture", where=f"{file.name} at {capture.offset}",
        text=f"capture {capture.id} points to a missing record",
    )


def _captures(archive: Archive, warc_id: int, length: int) -> Iterator[Row[Any]]:
    table = schema.captures
    statement = select(table).where(table.c.warc_id == warc_id, table.c.offset < length)
    return in_pages(archive.backend.database, statement, table.c.offset)


def _media_files(archive: Archive, tell: Progress) -> Iterator[Finding]:
    table = schema.media_files
    for row in in_pages(archive.backend.database, select(table), table.c.sha256):
        if text := _media_file(archive, row):
            yield Finding(kind="media", where=row.path, text=text)
        tell(row.path)


def _media_file(archive: Archive, row: Row[Any]) -> str | None:
    size = archive.backend.file_store.size(row.path) if _MEDIA.fullmatch(row.path) else None
    if size is None:
        return "file missing"
    if size != row.bytes:
        return f"{size} bytes, not {row.bytes}"
    with archive.files.open(row.path, ahead=WHOLE_FILE_BYTES) as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    return None if found == row.sha256 else "content differs from what was stored"


def _posts(archive: Archive, tell: Progress) -> Iterator[Finding]:
    """Each post has its versions 1 to n, and n is the current one; those below 1 are without a gap as well."""
    posts, versions = schema.posts, schema.versions
    statement = (
        select(
            posts.c.id, posts.c.key, posts.c.version, func.count(versions.c.version).label("held"),
            func.min(versions.c.version).label("first"), func.max(versions.c.version).label("last"),
        )
        .join(versions, versions.c.post_id == posts.c.id, isouter=True)
        .group_by(posts.c.id, posts.c.key, posts.c.version)
    )
    for row in in_pages(archive.backend.database, statement, posts.c.id):
        first = min(row.first, 1) if row.first is not None else 1
        if (row.held, row.last) != (row.version - first + 1, row.version):
            text = f"{row.held} versions ({row.first} to {row.last}), expected {first} to {row.version}"
            yield Finding(kind="post", where=row.key, text=text)
        tell(row.key)


def _versions(archive: Archive) -> Iterator[Finding]:
    """Each version can be read."""
    table, after = schema.versions, (0, 0)
    while True:
        later = (table.c.post_id > after[0]) | ((table.c.post_id == after[0]) & (table.c.version > after[1]))
        statement = select(table).where(later).order_by(table.c.post_id, table.c.version).limit(AT_ONCE)
        with archive.backend.database.reading() as connection:
            rows = connection.execute(statement).all()
        if not rows:
            return
        for row in rows:
            try:
                read_record(row.record)
            except (ValueError, KeyError, TypeError) as error:
                where = f"post {row.post_id}, version {row.version}"
                yield Finding(kind="post", where=where, text=f"its record cannot be read: {error}")
        after = (rows[-1].post_id, rows[-1].version)


def _loose_ends(archive: Archive) -> Iterator[Finding]:
    """Rows that point to nothing, or stand where only one may. (Keys forbid most; files get damaged.)"""
    captures, original = schema.captures, schema.captures.alias("original")
    posts, aliases, versions = schema.posts, schema.aliases, schema.versions
    checks: dict[str, Select[Any]] = {
        "an alias that is also a post": select(aliases.c.key).join(
            posts, (posts.c.key == aliases.c.key) & (posts.c.blog_id == aliases.c.blog_id),
        ),
        "a version read from a missing capture": select(versions.c.post_id)
        .join(captures, captures.c.id == versions.c.capture_id, isouter=True)
        .where(versions.c.capture_id.is_not(None), captures.c.id.is_(None)),
        "a duplicate capture whose original is missing or has another digest": select(captures.c.url)
        .join(original, original.c.id == captures.c.original_id, isouter=True)
        .where(
            captures.c.original_id.is_not(None),
            original.c.id.is_(None) | (original.c.digest != captures.c.digest) | original.c.original_id.is_not(None),
        ),
        "a capture beyond the end of its file": select(captures.c.url)
        .join(schema.warc_files, schema.warc_files.c.id == captures.c.warc_id)
        .where(captures.c.offset >= schema.warc_files.c.length),
        "media without a file": select(schema.media.c.url)
        .join(schema.media_files, schema.media_files.c.sha256 == schema.media.c.sha256, isouter=True)
        .where(schema.media_files.c.sha256.is_(None)),
        "duplicate post": select(posts.c.key).group_by(posts.c.key, posts.c.blog_id).having(func.count() > 1),
    }
    for part, name in PARTS.items():
        key = part.c.key if "key" in part.c else next(iter(part.primary_key))
        owned = select(key).join(posts, posts.c.id == part.c.post_id, isouter=True)
        checks[f"{name} of a missing post"] = owned.where(part.c.post_id.is_not(None), posts.c.id.is_(None))
        if "blog_id" in part.c:
            checks[f"{name} of a post of another blog"] = owned.where(posts.c.blog_id != part.c.blog_id)
    for text, statement in checks.items():
        with archive.backend.database.reading() as connection:
            for (where,) in connection.execute(statement.limit(AT_ONCE)):
                yield Finding(kind="row", where=str(where), text=text)


def _structured(archive: Archive) -> Iterator[Finding]:
    """Texts that programs read, beside the versions: what was learned, when is asked again, what happened."""
    for table, key, names in (
        (schema.blogs, schema.blogs.c.id, ("template", "knowledge", "former_homes")),
        (schema.templates, schema.templates.c.id, ("template", "knowledge")),
        (schema.blog_states, schema.blog_states.c.blog_id, ("state", "repeats")),
        (schema.polls, schema.polls.c.blog_id, ("state",)),
        (schema.events, schema.events.c.id, ("detail",)),
    ):
        statement = select(key, *(table.c[name] for name in names))
        for row in in_pages(archive.backend.database, statement, key):
            for name in names:
                if not _is_json(row._mapping[name]):
                    where = f"{table.name} {row._mapping[key]}"
                    yield Finding(kind="row", where=where, text=f"its {name} cannot be read")


def _is_json(text: str | None) -> bool:
    try:
        json.loads(text or "null")
    except ValueError:
        return False
    return True


def _files(archive: Archive) -> Iterator[Row[Any]]:
    table = schema.warc_files
    return in_pages(archive.backend.database, select(table), table.c.id)


def _nobody(_what: str) -> None:
    """Nobody watches."""
