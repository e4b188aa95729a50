"""Flags that the commands of a fleet share, and the archive they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from everlog.errors import UsageError

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.settings import Settings

BrokerFlag = Annotated[
    str | None, typer.Option("--broker", metavar="URL", help="The fleet's queue: redis://HOST:6379/0."),
]
MetricsFlag = Annotated[
    int | None, typer.Option("--metrics-port", metavar="PORT", min=0, max=65535, help="Serve Prometheus metrics here."),
]
LogFormatFlag = Annotated[
    str, typer.Option("--log-format", metavar="text|json", help="Log as text (the default) or as JSON."),
]

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
