"""The folder in which a browser keeps its profile, for as long as it runs."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PREFIX, _LOCK = "everlog-browser-", "in-use"
_VARIABLE = "TMPDIR"
# Where programs keep what the user did not ask for.
_PLACES = (_VARIABLE, "XDG_CONFIG_HOME", "XDG_CACHE_HOME")
# Chromium opens a socket in it, whose whole path must have fewer than 104 letters: 72 are its own.
_LONGEST = 30
_TRIES, _TRY_SECONDS = 40, 0.05


class Scratch:
    """A new folder, locked while this program lives; those of programs that were killed are swept away."""

    def __init__(self) -> None:
        place = _place()
        for old in place.glob(f"{_PREFIX}*"):
            _sweep(old)
        self._folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        self._lock = _locked(self._folder / _LOCK, os.O_CREAT)

    def environment(self) -> dict[str, str]:
        """Our environment, with all temporary files in the folder."""
        return {**os.environ, **dict.fromkeys(_PLACES, str(self._folder))}

    @contextmanager
    def temporary_files(self) -> Iterator[None]:
        """Programs started meanwhile with our environment, as Playwright's driver is, keep their files here."""
        before = os.environ.get(_VARIABLE)
        os.environ[_VARIABLE] = str(self._folder)
        try:
            yield
        finally:
            if before is None:
                del os.environ[_VARIABLE]
            else:
                os.environ[_VARIABLE] = before

    async def remove(self) -> None:
        """Take the folder away with all that a browser left in it, however it ended."""
        for _ in range(_TRIES):
            shutil.rmtree(self._folder, ignore_errors=True)
            if not self._folder.exists():
                break
            # A process of it is still on its way out, and writes.
            await asyncio.sleep(_TRY_SECONDS)
        if self._lock is not None:
            os.close(self._lock)


def _place() -> Path:
    usual, short = Path(tempfile.gettempdir()), Path("/tmp")  # noqa: S108 - a folder of its own is made in it
    return short if len(str(usual)) > _LONGEST and os.access(short, os.W_OK) else usual


def _sweep(folder: Path) -> None:
    lock = _locked(folder / _LOCK)
    if lock is not None:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _locked(file: Path, flags: int = 0) -> int | None:
    """The lock, which ends with its holder; None if there is none, or somebody else has it."""
    try:
        lock = os.open(file, os.O_RDWR | flags, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    return lock
