"""A folder of posts in Markdown that stands alone: one file a post, and copies of their media beside them.

    notes/2024-03-01-the-lamp-room.md
    notes/media/2024-03-01-the-lamp-room/lamp.jpg

An export into the same folder again knows its own files by the address in their front matter. It writes those of the
posts it is given, under the names they have, and touches nothing else.
"""

from __future__ import annotations

import hashlib
import logging
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import quote

from everlog.core.urls import canonical
from everlog.errors import DamagedArchive, NotUploaded, UsageError
from everlog.export.front_matter import read_address
from everlog.export.markdown import post_to_markdown
from everlog.export.naming import Names, Unique, media_name

if TYPE_CHECKING:
    from everlog.records import Media, Post

    # The folder below which the paths of media lie, or what opens one of them by its path.
    MediaPlace = Path | Callable[[str], BinaryIO]

log = logging.getLogger("everlog")

MEDIA = "media"
SUFFIX = ".md"
# Front matter that is longer is not of ours, unless a title or a summary is as long as a book.
_HEAD_BYTES = 1 << 16
# A path in an archive that leads nowhere else.
_STORED = re.compile(r"media/[0-9a-z]+/[0-9a-z]+\.[0-9a-z]+")
_DATE = re.compile(r"\d{4}-\d\d-\d\d-")


def write_markdown_files(
    posts: Iterable[Post], folder: Path, media: MediaPlace | None = None, ahead: Iterable[Post] = (),
) -> int:
    """Write a file for every post, and their media; the number of posts.

    `ahead` are the same posts, of which only addresses, titles and dates are looked at: so that one can be linked to
    before it is written. Without it, only those are that were written before.
    """
    addresses = _Addresses(Names(_earlier(folder), (path.stem for path in folder.glob(f"*{SUFFIX}"))))
    for post in ahead:
        addresses.name(post)
    part = folder / ".everlog.part"
    copies = _Copies(folder, media, part)
    count = 0
    try:
        for count, post in enumerate(posts, 1):  # noqa: B007 - the last number is the answer
            name, slug = addresses.name(post)
            links = _Links(copies.of(post, name), addresses)
            text = post_to_markdown(post, links, slug=slug)
            part.unlink(missing_ok=True)
            with part.open("xb") as stream:
                stream.write(text.encode("utf-8", "replace"))
            part.replace(folder / f"{name}{SUFFIX}")
    finally:
        part.unlink(missing_ok=True)
    if copies.unreadable:
        log.warning(
            "%d media files could not be read; their links lead to the web ('everlog verify' says what is wrong)",
            copies.unreadable,
        )
    return count


class _Addresses:
    """Which file each address of a post means."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._files: dict[str, str] = {}

    def name(self, post: Post) -> tuple[str, str]:
        """The name of a post's file, which from now on can be linked to, and its slug."""
        named = self._names.of(post)
        file = quote(named[0] + SUFFIX)
        for address in (post.url, *post.aliases):
            self._files.setdefault(canonical(address), file)
        return named

    def file(self, address: str) -> str | None:
        return self._files.get(canonical(address))


class _Links(Mapping[str, str]):
    """What the addresses in a post become: copies of media, files of other posts."""

    def __init__(self, media: Mapping[str, str], addresses: _Addresses) -> None:
        self._media = media
        self._addresses = addresses

    def __getitem__(self, address: str) -> str:
        if address in self._media:
            return self._media[address]
        # What is asked for with its fragment is asked for again without it, and the fragment is added.
        file = None if "#" in address or not address.startswith("http") else self._addresses.file(address)
        if file is None:
            raise KeyError(address)
        return file

    def __iter__(self) -> Iterator[str]:
        return iter(self._media)

    def __len__(self) -> int:
        return len(self._media) + 1


class _Copies:
    """Copies of media, below a folder of each post."""

    def __init__(self, folder: Path, media: MediaPlace | None, part: Path) -> None:
        self.unreadable = 0
        self._folder = folder
        self._media = media
        self._part = part

    def of(self, post: Post, name: str) -> dict[str, str]:
        """Where the media of a post are now: by their URLs and by their paths, as either may stand in its HTML.

        What is not in the archive, or cannot be read from it, is where it was on the web.
        """
        links: dict[str, str] = {}
        names = Unique()
        for item in post.media:
            if item.path is None:
                continue
            # The same picture under two addresses is one file.
            copy = links.get(item.path) or self._copy(item, name, names) or item.url
            links[item.path] = links[item.url] = copy
        return links

    def _copy(self, item: Media, name: str, names: Unique) -> str | None:
        if self._media is None or item.path is None or not _STORED.fullmatch(item.path):
            return None
        try:
            source = (self._media / item.path).open("rb") if isinstance(self._media, Path) else self._media(item.path)
        except (OSError, DamagedArchive, NotUploaded):
            self.unreadable += 1
            return None
        with source:
            place = _real_folder(_real_folder(self._folder / MEDIA) / name)
            stem, suffix = media_name(item)
            while True:
                file = names.of(stem, suffix)
                target = place / file
                if not target.is_symlink() and not target.exists():
                    self._write(source, target)
                    break
                # A file that is another one stays: it may be the user's, or what the picture was before.
                if _is_same(target, item):
                    break
        return quote(f"{MEDIA}/{name}/{file}")

    def _write(self, source: BinaryIO, target: Path) -> None:
        self._part.unlink(missing_ok=True)
        with self._part.open("xb") as copy:
            shutil.copyfileobj(source, copy, 1 << 20)
        self._part.replace(target)


def _is_same(file: Path, item: Media) -> bool:
    if file.is_symlink() or not file.is_file() or file.stat().st_size != item.bytes:
        return False
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == item.sha256


def _real_folder(folder: Path) -> Path:
    """The folder, made if it is not there; never one that a link leads out of the export."""
    if folder.is_symlink():
        raise UsageError(f"{folder} is a link to another folder", advice="remove it, or choose another place with -o")
    folder.mkdir(exist_ok=True)
    return folder


def _earlier(folder: Path) -> dict[str, tuple[str, str]]:
    """The names and slugs of the posts that are in a folder already, by their addresses."""
    found: dict[str, tuple[str, str]] = {}
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        if path.is_symlink() or not path.is_file():
            continue
        with path.open("rb") as file:
            told = read_address(file.read(_HEAD_BYTES).decode("utf-8", "replace"))
        if told is not None:
            address, slug = told
            found.setdefault(address, (path.stem, slug or _DATE.sub("", path.stem)))
    return found
