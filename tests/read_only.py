"""Folders that cannot be written, for whoever runs the tests.

A read-only mount binds root too, but only root may make one. Permissions bind everybody but root, unless it lays down
the capability that makes it ignore them: a thread can do that, and take it up again.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import stat
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

KINDS = ("mount", "permissions")
# CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH of linux/capability.h.
_OVERRIDING = 1 << 1 | 1 << 2
_VERSION = 0x20080522


def locked(kind: str, folder: Path) -> AbstractContextManager[Callable[[], AbstractContextManager[None]]]:
    """The folder as one that nobody can write to; it gives the context in which commands are run."""
    return _mounted(folder) if kind == "mount" else _forbidden(folder)


def listing(folder: Path) -> dict[str, tuple[int, int, int, str]]:
    """All that is in a folder, to the byte: modes, sizes, times and hashes."""
    found = {}
    for path in sorted([folder, *folder.rglob("*")]):
        about = path.stat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        found[str(path.relative_to(folder))] = (about.st_mode, about.st_size, about.st_mtime_ns, content)
    return found


@contextmanager
def _mounted(folder: Path) -> Iterator[Callable[[], AbstractContextManager[None]]]:
    bound = subprocess.run(["mount", "--bind", str(folder), str(folder)], capture_output=True, text=True, check=False)
    if bound.returncode:
        pytest.skip(f"only root may mount a folder (permissions are tested all the same): {bound.stderr.strip()}")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", str(folder)], check=True)
        yield _as_we_are
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def _forbidden(folder: Path) -> Iterator[Callable[[], AbstractContextManager[None]]]:
    paths = [folder, *folder.rglob("*")]
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in paths}
    for path in paths:
        path.chmod(modes[path] & 0o555)
    try:
        yield obeying_permissions
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


@contextmanager
def _as_we_are() -> Iterator[None]:
    yield


@contextmanager
def obeying_permissions() -> Iterator[None]:
    """This thread as somebody whom permissions bind. Who is not root is that anyway."""
    if os.geteuid():
        yield
        return
    before = _capabilities()
    _set_capabilities((before[0] & ~_OVERRIDING, *before[1:]))
    try:
        yield
    finally:
        _set_capabilities(before)


def _capabilities() -> tuple[int, ...]:
    sets = (ctypes.c_uint32 * 6)()
    _call("capget", sets)
    return tuple(sets)


def _set_capabilities(values: tuple[int, ...]) -> None:
    _call("capset", (ctypes.c_uint32 * 6)(*values))


def _call(name: str, sets: ctypes.Array[ctypes.c_uint32]) -> None:
    # Effective, permitted and inheritable, each as the lower and then all three as the upper 32 of its 64.
    header = (ctypes.c_uint32 * 2)(_VERSION, 0)
    if getattr(ctypes.CDLL(None, use_errno=True), name)(header, sets):
        raise OSError(ctypes.get_errno(), name)
