"""Standard output that cannot be written: a full disk, a closed stream, a reader that has gone."""

from __future__ import annotations

import errno
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO, cast

from everlog.errors import DiskFull, EverlogError, UsageError

# EFBIG: a limit on the size of files (`ulimit -f`) is a disk that is full early.
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
# What is wrong with the place that was named, and not with the program.
WRONG_PLACE = frozenset({
    errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EIO, errno.ENAMETOOLONG,
    errno.EBADF,
})


class Closed:
    """Standard output that was closed before the program began (`>&-`): an error once there is something to print."""

    encoding = "utf-8"
    errors = "strict"
    closed = False

    @property
    def buffer(self) -> Closed:
        return self

    def write(self, _: object) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return False

    def fileno(self) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


@contextmanager
def open_streams() -> Iterator[None]:
    """Meanwhile all three standard streams are there, and no file of ours takes the number of a closed one."""
    # A database that is opened as descriptor 1 is written to by whoever prints.
    while (reserved := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(reserved)
    before = sys.stdin, sys.stdout, sys.stderr
    nothing = Path(os.devnull)
    with nothing.open(encoding="utf-8") as empty, nothing.open("w", encoding="utf-8") as unheard:
        # Python has None for a closed stream.
        sys.stdin, sys.stderr = before[0] or empty, before[2] or unheard
        sys.stdout = before[1] or cast("TextIO", Closed())
        try:
            yield
        finally:
            sys.stdin, sys.stdout, sys.stderr = before


def explained(error: OSError) -> EverlogError | None:
    """What a user can do about an error of the operating system; None if it is not for users to mend."""
    if error.errno in NO_ROOM:
        where = f" for {error.filename}" if error.filename else ""
        return DiskFull(
            f"disk full{where}: {_reason(error)}",
            advice="free some space or write to another disk, then run the same command again",
        )
    if error.errno == errno.EBADF and not error.filename:
        return UsageError("the output cannot be written: stdout is closed", advice="redirect it to a file:  > FILE")
    if error.errno in WRONG_PLACE:
        where = str(error.filename) if error.filename else "the output"
        return UsageError(f"cannot read or write {where}: {_reason(error)}", advice="name another file or folder")
    return None


def has_no_reader() -> bool:
    """Whether stdout is a pipe at whose other end nobody reads any more (`| head`)."""
    poll = select.poll()
    try:
        poll.register(sys.stdout.fileno(), select.POLLOUT)
    except (OSError, ValueError):
        return False
    return any(event & select.POLLERR for _, event in poll.poll(0))


def discard_output() -> None:
    """Forget what waits to be written to stdout: Python would try again as it ends, and say so."""
    with suppress(OSError, ValueError, AttributeError):  # a stream that is closed, or is none of the system's
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
