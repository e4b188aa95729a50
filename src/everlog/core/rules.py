"""A rule: one learned way to read one field of a post."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from everlog.records.codec import decode, encode

# The method of rules that a person set.
MANUAL = "manual"
NO_DETAIL: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Where a field stands and how to take it from there.

    `method` names the reader (`selector`, `meta`, `json-ld`, `feed-constant`, ...), `where` is its
    argument (a selector, a meta name, a constant), `detail` what else that reader must know, and
    `confidence` how well it did on the feed's own pages (see `Provenance`; None: the feed cannot tell).
    """

    method: str
    where: str = ""
    detail: Mapping[str, str] = field(default_factory=lambda: NO_DETAIL)
    confidence: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return encode(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Rule:
        """The rule that `to_dict` wrote."""
        return decode(cls, data)


Ranked = tuple[Rule, ...]
"""Rules of one field, the best first; the next is tried where the one before finds nothing."""
