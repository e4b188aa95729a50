"""The web as a web archive captured it: a fetcher that gives captures from around one time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlog.importing.no_web import NoWeb, missing
from everlog.records import Exchange, Failure, Fetched, Purpose
from everlog.usecases.foreign.archive_client import Halt

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.usecases.foreign.archive_client import ArchiveClient


@dataclass(slots=True, kw_only=True)
class ArchivedWeb(NoWeb):
    """The captures nearest to a moment, of what is asked for as one of these purposes; all else is not there."""

    client: ArchiveClient
    around: datetime
    purposes: frozenset[Purpose] = frozenset({"page", "feed"})
    # Whether nothing can be done without it: else what the archive does not give now is not there.
    is_needed: bool = True

    async def fetch(
        self, url: str, *, purpose: Purpose = "page", etag: str | None = None, last_modified: str | None = None,
    ) -> Fetched | Failure:
        """The capture of a URL; 404 where there is none."""
        del etag, last_modified
        if purpose not in self.purposes:
            return missing(url)
        try:
            found = await self.client.nearest(url, self.around, purpose=purpose)
        except Halt:
            if self.is_needed:
                raise
            return missing(url)
        return Fetched(url=url, exchanges=(found,)) if isinstance(found, Exchange) else missing(url)
