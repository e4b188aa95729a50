"""Stored answers, for who compares with them or learns from them and can do without."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from everlog.errors import DamagedArchive, NotUploaded

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.archive.models import Capture
    from everlog.records import Exchange

log = logging.getLogger("everlog")


def stored_exchange(capture: Capture, archive: Archive) -> Exchange | None:
    """A stored answer; None if it cannot be read.

    It may stand in the spool folder of a worker that is gone, or be damaged: then one page less is compared. The crawl
    of its blog is not to end for that, and `everlog verify` tells what is missing.
    """
    try:
        return archive.exchange(capture)
    except NotUploaded:
        return None
    except DamagedArchive as error:
        log.warning("%s", error.message)
        return None
