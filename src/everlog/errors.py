"""What can go wrong in a way the reader can do something about.

    EverlogError
    ├── UnreadableFeed     the bytes are not a feed, or an empty one
    ├── NothingToLearn     a feed and pages that teach nothing
    ├── UnreadablePage     bytes no document can be made of
    ├── UnreadableTemplate a stored template of another version, or not one at all
    ├── NoFeed             a blog whose feed could not be found, nor posts without one
    ├── Unreachable        an address a crawl cannot begin without gives nothing
    ├── Blocked            robots.txt or the server asks to stay away
    ├── UsageError         a wrong flag, folder or file
    ├── ArchiveBusy        somebody else is writing what this program wants to write
    ├── NewerArchive       an archive made by a later version of everlog
    ├── ServiceDown        the database or the broker of a fleet cannot be reached
    │   └── FilesDown      ... or the store of its files
    ├── LeaseLost          another worker goes on with what this one was doing
    ├── NotUploaded        a file that its worker has written, and not yet brought to the others
    ├── TooSlow            a question to the archive that took longer than a reader waits
    ├── DiskFull           no room left, or too little to go on safely
    ├── NoBrowser          pages are to be rendered, and there is no browser
    └── DamagedArchive     what the archive holds cannot be read, or could not be written

The text of each ends with what to do next; `exit_code` is the command line's.
"""

from __future__ import annotations

import errno
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from everlog.records import Failure


# EFBIG is the limit of a file's size that an administrator set: room that is not there, like the others.
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class EverlogError(Exception):
    """Base of all errors everlog raises on purpose."""

    exit_code = 2

    def __init__(self, message: str, *, advice: str | None = None) -> None:
        super().__init__(f"{message}\n  {advice}" if advice else message)
        self.message = message
        self.advice = advice


class UnreadableFeed(EverlogError):
    """The bytes are not a feed, or one without entries."""

    exit_code = 4


class NothingToLearn(EverlogError):
    """No entry of the feed could be matched with its page."""

    exit_code = 4


class UnreadablePage(EverlogError):
    """No document can be made of these bytes."""

    exit_code = 4


class UnreadableTemplate(EverlogError):
    """A stored template that this version cannot use."""


class NoFeed(EverlogError):
    """No feed was found for a blog, and no posts could be told among its pages."""

    exit_code = 4


class Unreachable(EverlogError):
    """An address that a crawl cannot begin without gives nothing; `failure` is what it gave instead."""

    exit_code = 4

    def __init__(self, message: str, *, advice: str | None = None, failure: Failure | None = None) -> None:
        super().__init__(message, advice=advice)
        self.failure = failure


class Blocked(EverlogError):
    """The blog's robots.txt, or its server, asks to stay away; `until` is how long.

    `is_told`: the server said so. One that only answers 429, and a robots.txt that cannot be had, name no time, and are
    asked again after ours.
    """

    exit_code = 5

    def __init__(
        self, message: str, *, advice: str | None = None, until: datetime | None = None, is_told: bool = True,
    ) -> None:
        super().__init__(message, advice=advice)
        self.until = until
        self.is_told = is_told


class UsageError(EverlogError):
    """A flag, folder or file that does not fit."""


class ArchiveBusy(EverlogError):
    """Somebody else is writing what this program wants to write; `host` is what they crawl, if it is that."""

    def __init__(self, message: str, *, advice: str | None = None, host: str | None = None) -> None:
        super().__init__(message, advice=advice)
        self.host = host


class NewerArchive(EverlogError):
    """An archive made by a later version of everlog."""


class TooSlow(EverlogError):
    """A question to the archive took longer than it was given."""


class DiskFull(EverlogError):
    """No room is left on the disk, or too little to go on safely."""

    exit_code = 6


class NoBrowser(EverlogError):
    """Pages are to be rendered, and Playwright or Chromium is not there or does not start."""


class DamagedArchive(EverlogError):
    """What the archive holds cannot be read, or could not be written."""

    exit_code = 8


class ServiceDown(EverlogError):
    """The database, the broker or the file store of a fleet cannot be reached; what was acknowledged is safe."""

    exit_code = 7


class FilesDown(ServiceDown):
    """The store of a fleet's files cannot be reached, while its database can."""


class LeaseLost(EverlogError):
    """A write that came too late: its worker was silent for so long that another goes on with its job."""

    exit_code = 3


class NotUploaded(EverlogError):
    """A file of the archive that stands in the spool folder of a worker until it is sealed and uploaded."""

    exit_code = 3


def file_error(error: OSError, where: Path | str) -> EverlogError:
    """What a failure of the file system means to the one who reads it."""
    if error.errno in _NO_ROOM:
        return DiskFull(
            f"disk full: {where}: {error.strerror}",
            advice="free some space, then run the same command again; everything stored so far is safe",
        )
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.ENOENT}:
        return UsageError(
            f"{where} cannot be used: {error.strerror}",
            advice=f"check its owner and permissions:  ls -ld {shlex.quote(str(where))}",
        )
    return DamagedArchive(
        f"{where} could not be written: {error.strerror or error}",
        advice="check the disk, then run the same command again; 'everlog verify' checks that nothing is missing",
    )
