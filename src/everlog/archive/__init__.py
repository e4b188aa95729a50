"""The archive: database, WARC files, media; what is in it survives.

A folder that can be moved and copied: everlog.sqlite, warc/, media/, locks/. What is written, and in
which order, stands in `archive.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from everlog.archive.archive import Archive, open_archive

__all__ = ["Archive", "open_archive"]


def __getattr__(name: str) -> Any:
    # SQLAlchemy takes a quarter of a second, and the records of `models.py` do not need it.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from everlog.archive import archive  # noqa: PLC0415

    return getattr(archive, name)
