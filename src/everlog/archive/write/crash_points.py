"""The moments of writing at which a crash is tried out."""

from __future__ import annotations

# In the order a batch, a rotation, a recovery and an upgrade pass them.
WRITE_POINTS = (
    "batch-begin", "rotated", "warc-created", "warc-half-record", "warc-appended", "media-temp", "media-renamed",
    "warc-synced", "transaction-open", "transaction-half", "transaction-full", "committed",
    "cut-begin", "cut-done",
    "schema-open", "migration-begin", "migration-backed-up", "migration-open", "migration-half", "migration-done",
)
# What a shared archive passes besides, when a file is full or a slice ends.
SEAL_POINTS = ("sealed", "uploaded", "noted-closed")


def nothing(_point: str) -> None:
    """What happens at a write point outside of tests."""
