"""Learning where a blog's pages say when a post was published."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timezone
from types import MappingProxyType
from typing import TYPE_CHECKING

from everlog.dates.names import is_known
from everlog.dates.stamps import offset_text
from everlog.learn.date_contest import Candidate, Target, contest
from everlog.learn.date_shift import learn_shift, tells_otherwise
from everlog.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.learn.samples import Sample
    from everlog.rules import Ranked

# Rules kept as fall-backs: pages of another design have their date elsewhere, but not in ten places.
_MOST_RULES = 8


def learn_published(samples: Sequence[Sample], language: str | None = None) -> Ranked:
    """Rules for the date of publication, the best first."""
    languages = _languages(samples, language)
    moments = [sample.entry.published or sample.entry.updated for sample in samples]
    offset = _offset([moment for moment in moments if moment])
    targets = [Target(moment) if moment else None for moment in moments]
    ranked = contest(samples, targets, languages)
    pages = sum(target is not None for target in targets)
    return tuple(_rule(c, pages, offset, languages) for c in _kept(ranked))


def _kept(ranked: Sequence[Candidate]) -> list[Candidate]:
    kept: dict[object, Candidate] = {}
    for candidate in ranked:
        if candidate.right > candidate.wrong:
            kept.setdefault(candidate.source, candidate)
    return list(kept.values())[:_MOST_RULES]


def _rule(candidate: Candidate, pages: int, offset: timezone, languages: tuple[str, ...]) -> Rule:
    detail = {
        "formats": "\n".join(candidate.formats),
        "offset": offset_text(offset),
        "languages": " ".join(languages),
    }
    if shift := learn_shift(candidate.read, offset):
        detail["shift"] = " ".join(map(str, shift))
    if tells_otherwise(candidate.read):
        detail["zone"] = offset_text(offset)
    if candidate.source.attribute:
        detail["attribute"] = candidate.source.attribute
    if candidate.label is not None:
        detail["label"] = candidate.label
    elif candidate.last:
        detail["pick"] = "last"
    return Rule(
        method=candidate.source.method,
        where=candidate.source.where,
        detail=MappingProxyType(detail),
        confidence=candidate.right / pages if pages else None,
    )


def _languages(samples: Sequence[Sample], language: str | None) -> tuple[str, ...]:
    said = [language or "", *(sample.view.root.get("lang") or "" for sample in samples[:3])]
    return tuple(dict.fromkeys((*(tag for tag in said if is_known(tag)), "en")))


def _offset(moments: Sequence[datetime]) -> timezone:
    offsets = Counter(moment.utcoffset() for moment in moments)
    common = next((offset for offset, _ in offsets.most_common(1) if offset), None)
    return timezone(common) if common else UTC
