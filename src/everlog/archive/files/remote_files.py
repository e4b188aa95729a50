"""Files behind an address that fsspec knows (s3://bucket/path, and others): whole files in, ranges of them out.

Credentials and the like are not ours: they come from where the store's own program takes them, for S3 from the
environment or ~/.aws (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_ENDPOINT_URL, ...).
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast
from urllib.parse import urlsplit

from everlog.archive.files.remote_ranges import Ranges
from everlog.errors import DamagedArchive, EverlogError, FilesDown, UsageError
from everlog.extras import line_for_extra

T = TypeVar("T")

# Larger files are uploaded in parts of this size, two at a time: so much is in memory.
PART_BYTES = 16 << 20
PARTS_AT_ONCE = 2
MOST_SIZES = 10_000
_S3 = {"s3", "s3a"}
_NO_CREDENTIALS = {"NoCredentialsError", "PartialCredentialsError", "NoAuthTokenError", "ProfileNotFound"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often a store that does not answer is asked, and how long is waited in between (twice as long each time)."""

    tries: int = 6
    first_seconds: float = 0.5


class RemoteFiles:
    """The files below an address."""

    def __init__(self, url: str, *, patience: Patience | None = None) -> None:
        self._url = url.rstrip("/")
        self._patience = patience or Patience()
        self._process = 0
        self._opened: tuple[Any, str] | None = None
        # A file that is here does not change, and who knows its length asks once less.
        self._sizes: dict[str, int] = {}

    @property
    def where(self) -> str:
        """The address, without a password."""
        return without_password(self._url)

    def open(self, name: str, *, ahead: int) -> BinaryIO:
        """A file to read ranges of; raises FileNotFoundError."""
        store, root = self._store()
        options: dict[str, Any] = {"block_size": ahead, "cache_type": "readahead"}
        if self._is_s3 and name in self._sizes:
            options["size"] = self._sizes[name]
        opened = self._tried(lambda: store.open(f"{root}/{name}", "rb", **options))
        if len(self._sizes) >= MOST_SIZES:
            self._sizes.clear()
        self._sizes[name] = opened.size
        return cast("BinaryIO", Ranges(opened, self._tried))

    def size(self, name: str) -> int | None:
        found = self._info(name)
        return None if found is None else int(found["size"])

    def names(self, under: str) -> Iterator[str]:
        """The files below a folder."""
        store, root = self._store()
        try:
            found = self._tried(lambda: store.find(f"{root}/{under}"))
        except FileNotFoundError:
            return
        for path in found:
            name = str(path).removeprefix(root.rstrip("/") + "/")
            if not name.rpartition("/")[2].startswith("."):
                yield name

    def write(self, bodies: Mapping[str, bytes]) -> None:
        """Put files there that are in memory, side by side."""
        store, root = self._store()
        self._make_folders(bodies)
        self._stored(lambda: store.pipe({f"{root}/{self._first_name(name)}": body for name, body in bodies.items()}))
        for name in bodies:
            self._named(name)

    def upload(self, file: Path, name: str, *, again: bool = False) -> None:
        """Put a file there, whole, and look whether it has arrived.

        With `again` it may be there from an earlier try; one that differs is not replaced.
        """
        if again and (found := self._info(name)) is not None:
            if self._is_copy(found, file, name):
                return
            raise DamagedArchive(
                f"{self.where}/{name} already exists with other content than {file}",
                advice="check whether another archive uses the same files before you remove one",
            )
        store, root = self._store()
        parts = {"chunksize": PART_BYTES, "max_concurrency": PARTS_AT_ONCE} if self._is_s3 else {}
        self._make_folders([name])
        self._stored(lambda: store.put_file(str(file), f"{root}/{self._first_name(name)}", **parts))
        self._named(name)
        if (found := self._info(name)) is None or not self._is_copy(found, file, name):
            raise FilesDown(
                f"{self.where}/{name} was damaged on upload",
                advice=f"it is safe in {file}; the next command with the same spool folder uploads it again",
            )

    def remove(self, name: str) -> None:
        """Take a file away, if it is there."""
        store, root = self._store()
        try:
            self._tried(lambda: store.rm_file(f"{root}/{name}"))
        except FileNotFoundError:
            return

    @property
    def _is_s3(self) -> bool:
        return urlsplit(self._url).scheme in _S3

    def _make_folders(self, names: Iterable[str]) -> None:
        """S3 has no folders; where there are some, they are made first."""
        if not self._is_s3:
            store, root = self._store()
            for folder in {name.rpartition("/")[0] for name in names}:
                self._stored(partial(store.makedirs, f"{root}/{folder}", exist_ok=True))

    def _first_name(self, name: str) -> str:
        """Under what name a file is sent: S3 only shows files that are whole, others also the half of a killed one."""
        if self._is_s3:
            return name
        folder, slash, last = name.rpartition("/")
        return f"{folder}{slash}.{last}.part"

    def _named(self, name: str) -> None:
        """Give a file that has arrived the name it goes by."""
        first = self._first_name(name)
        if first == name:
            return
        store, root = self._store()
        try:
            self._tried(lambda: store.mv(f"{root}/{first}", f"{root}/{name}"))
        except FileNotFoundError:
            # Another process has brought the same; who needs to know looks whether it is right.
            if self._info(name) is None:
                raise FilesDown(
                    f"{self.where}/{name} was not uploaded", advice="run the same command again: it is uploaded again",
                ) from None

    def _info(self, name: str) -> dict[str, Any] | None:
        store, root = self._store()
        try:
            found = self._tried(lambda: store.info(f"{root}/{name}"))
        except FileNotFoundError:
            return None
        return found if found.get("type") == "file" else None

    def _is_copy(self, found: dict[str, Any], file: Path, name: str) -> bool:
        """Whether a stored file is the same as one here: by its length, and its checksum where the store tells one."""
        if found["size"] != file.stat().st_size:
            return False
        tag = str(found.get("ETag", "")).strip('"')
        if not self._is_s3 or not tag or tag == s3_tag(file):
            return True
        # What S3 tells of a file that it keeps encrypted is not made of its content.
        with self.open(name, ahead=PART_BYTES) as there, file.open("rb") as here:
            return _digest(there) == _digest(here)

    def _stored(self, action: Callable[[], T]) -> T:
        try:
            return self._tried(action)
        except FileNotFoundError as error:
            raise UsageError(
                f"{self.where} does not exist: {error}",
                advice="create the bucket first, or pass another with --files",
            ) from error

    def _tried(self, action: Callable[[], T]) -> T:
        """Do something with the store; one that does not answer is asked again for a while."""
        wait = self._patience.first_seconds
        for left in reversed(range(self._patience.tries)):
            try:
                return action()
            except (FileNotFoundError, EverlogError):
                raise
            except Exception as error:  # the errors of stores have no common ancestor
                if (final := self._explained(error)) is not None:
                    raise final from error
                if not left:
                    raise FilesDown(
                        f"{self.where} is not reachable: {error}",
                        advice="everything stored so far is safe; run the same command again when it is back",
                    ) from error
            time.sleep(wait)
            wait *= 2
        raise AssertionError("there is at least one try")

    def _explained(self, error: Exception) -> EverlogError | None:
        """What no waiting helps against."""
        if type(error).__name__ in _NO_CREDENTIALS:
            return UsageError(
                f"no credentials for {self.where}",
                advice="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, in the environment",
            )
        if isinstance(error, PermissionError):
            return UsageError(
                f"access denied to {self.where}: {error}",
                advice="check the credentials and their permissions (read, write and list)",
            )
        if isinstance(error, (TypeError, ValueError, NotImplementedError)):
            return UsageError(f"{self.where} cannot be used: {error}", advice="pass another place with --files")
        return None

    def _store(self) -> tuple[Any, str]:
        # Its connections and its thread do not survive a fork.
        if self._opened is None or self._process != os.getpid():
            self._opened, self._process = self._connect(), os.getpid()
        return self._opened

    def _connect(self) -> tuple[Any, str]:
        options: dict[str, Any] = {"skip_instance_cache": True, "use_listings_cache": False}
        if self._is_s3:
            # Retries are ours. Without limits a server that is gone is waited for for minutes.
            options["config_kwargs"] = {
                "connect_timeout": 10, "read_timeout": 60, "retries": {"mode": "standard", "total_max_attempts": 1},
            }
        try:
            from fsspec.core import url_to_fs  # noqa: PLC0415 - only archives with remote files need it

            store, root = url_to_fs(self._url, **options)
        except ImportError as error:
            raise UsageError(
                f"{self.where} needs a package that is not installed: {error}",
                advice=f"for S3:  {line_for_extra('fleet')}   (other stores need their own fsspec package)",
            ) from None
        except ValueError as error:
            raise UsageError(
                f"{self.where} is not a usable URL: {error}",
                advice="pass a folder, or a URL such as s3://BUCKET/PATH",
            ) from None
        return store, str(root).rstrip("/")


def without_password(url: str) -> str:
    """An address as it may be shown.

    >>> without_password("postgresql://ann:secret@db.example:5432/blogs"), without_password("s3://bucket/blogs")
    ('postgresql://ann@db.example:5432/blogs', 's3://bucket/blogs')
    >>> without_password("sftp://a.example/blogs?password=secret")
    'sftp://a.example/blogs'
    """
    head, mark, rest = url.partition("://")
    # What stands behind a question mark may be a password too.
    rest = rest.partition("?")[0].partition("#")[0]
    place, slash, path = rest.partition("/")
    user, at, host = place.rpartition("@")
    return head + mark + user.partition(":")[0] + at + host + slash + path if mark else url


def s3_tag(file: Path) -> str:
    """What S3 calls the content of a file that was uploaded by `RemoteFiles`, unless it encrypts it."""
    size = file.stat().st_size
    with file.open("rb") as content:
        if size < 2 * PART_BYTES:
            return hashlib.file_digest(content, _md5).hexdigest()
        parts = [_md5(part).digest() for part in iter(lambda: content.read(PART_BYTES), b"")]
    return f"{_md5(b''.join(parts)).hexdigest()}-{len(parts)}"


def _md5(data: bytes = b"") -> Any:
    return hashlib.md5(data, usedforsecurity=False)


def _digest(file: BinaryIO) -> bytes:
    return hashlib.file_digest(file, "sha256").digest()  # type: ignore[arg-type]
