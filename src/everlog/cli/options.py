"""Settings and archive that the flags of a command name."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everlog.errors import ArchiveBusy, UsageError

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.settings import Settings

CONFIG_NAME = "everlog.toml"
# Threads of the web server that read a database on a server at the same time; of more, some connect anew.
READERS = 8
# What becomes of jobs whose broker is away.
BROKER_IS_AWAY = "workers pick them up when the broker is back"


def settings_from(config: Path | None, **flags: Any) -> Settings:
    """Defaults, then the settings file, then the environment, then the flags that were given."""
    from everlog.settings import EITHER, from_environment, from_flags, from_toml, make_settings

    named = config or (Path(os.environ["EVERLOG_CONFIG"]) if os.environ.get("EVERLOG_CONFIG") else None)
    file = named or Path(CONFIG_NAME)
    layers: list[dict[str, Any]] = []
    if named is not None or file.exists():
        try:
            layers.append(from_toml(file.read_text("utf-8"), str(file)))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                f"settings cannot be read from {file}: {error}", advice="pass another with --config",
            ) from None
    environment = from_environment(os.environ)
    given = environment.keys() | {name for name, value in flags.items() if value is not None}
    given |= EITHER if given & EITHER else set()
    for layer in layers:
        # What the environment or a flag says is meant for all blogs of this run.
        layer["blog"] = {
            address: {name: value for name, value in own.items() if name.replace("-", "_") not in given}
            for address, own in layer["blog"].items()
        }
    settings = make_settings(*layers, environment, from_flags(flags))
    if flags.get("files") is not None and "://" not in settings.archive:
        raise UsageError(
            f"{settings.archive} is a folder, which holds its own files",
            advice="leave out --files: only a postgresql:// archive keeps its files elsewhere",
        )
    return settings


def refuse_both(feed: str | None, *, no_feed: bool) -> None:
    """Of --feed and --no-feed only one makes sense."""
    if feed is not None and no_feed:
        raise UsageError("--feed and --no-feed cannot be combined", advice="leave out one of them")


def archive_of(settings: Settings, *, create: bool = False, reading: bool = False, quiet: bool = False) -> Archive:
    """The archive the settings name; one that is not there is made only where something will be put in.

    `reading` is for commands that change nothing: they work on an archive that cannot be written too.
    """
    from everlog.archive.archive import ArchiveOptions, open_archive
    from everlog.archive.open_folder import has_archive

    is_folder = "://" not in settings.archive
    if is_folder and not create and not has_archive(Path(settings.archive)):
        raise UsageError(
            f"there is no archive at {settings.archive}",
            advice="pass another one with --archive, or create it:  everlog crawl URL",
        )
    archive = open_archive(
        settings.archive, create=create, read_only=None if reading else False,
        options=ArchiveOptions(
            min_free_bytes=settings.min_free_bytes, say=_keep_quiet if quiet else _say,
            connections=READERS if reading else None,
        ),
        # Where a fleet has its files is often set for all commands of a machine; a folder has its own in itself.
        files=None if is_folder else settings.files, spool=settings.spool,
    )
    if create and (copied := archive.backend.state.copied_from) is not None:
        archive.close()
        raise ArchiveBusy(
            f"a copy of {copied} is being made into this archive",
            advice="wait until 'everlog copy' has finished; if it was interrupted, run it again",
        )
    return archive


def shared_archive_of(settings: Settings) -> Archive:
    """The archive of a fleet: one that many machines reach."""
    if "://" not in settings.archive:
        raise UsageError(
            f"{settings.archive} is a folder; a fleet needs a shared database",
            advice="pass --archive postgresql://HOST/NAME; 'everlog copy' copies an archive there",
        )
    return archive_of(settings, create=True)


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _keep_quiet(_text: str) -> None:
    """Nobody wants to hear it."""


def log_to_stderr() -> None:
    """Say what happens to every page, one line each."""
    handler = _Stderr()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    logger = logging.getLogger("everlog")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)


class _Stderr(logging.Handler):
    """Log lines on what stderr is at the time: above the live lines, while there are any."""

    def emit(self, record: logging.LogRecord) -> None:
        print(self.format(record), file=sys.stderr)
