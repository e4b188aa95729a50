"""The archive that the flags of a fleet's command name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.errors import UsageError

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.settings import Settings

# What becomes of jobs whose broker is away.
LATER = "workers pick them up when the broker is back"


def shared_archive_of(settings: Settings) -> Archive:
    """The archive of a fleet: one that many machines reach."""
    from everlog.cli.options import archive_of

    if "://" not in settings.archive:
        raise UsageError(
            f"{settings.archive} is a folder; a fleet needs a shared database",
            advice="pass --archive postgresql://HOST/NAME; 'everlog copy' copies an archive there",
        )
    return archive_of(settings, create=True)
