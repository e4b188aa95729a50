"""Learning where a blog's pages say when a post was published, and when it was changed."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timezone
from types import MappingProxyType
from typing import TYPE_CHECKING

from everlog.core.rules import Ranked, Rule
from everlog.dates.names import is_known
from everlog.dates.stamps import offset_text
from everlog.extract.fields.published.clock_shift import learn_shift, tells_otherwise
from everlog.extract.fields.published.date_places import Source
from everlog.extract.fields.published.date_scores import Candidate, Target
from everlog.extract.fields.published.date_selection import rank_places
from everlog.extract.fields.published.meaning import CALLED_DATE, says_updated
from everlog.extract.fields.published.stated_dates import stated_targets
from everlog.extract.fields.published_read import MACHINE, MONTH
from everlog.languages.supported import COMMON_LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from everlog.extract.samples import Sample

# Rules kept as fall-backs: pages of another design have their date elsewhere, but not in ten places.
_MOST_RULES = 8
# A feed whose dates stand on fewer of its own pages is about other dates (of changes, of the build).
_BELIEVABLE = 0.5
# A blog whose last entries all came out on one day was more likely built on that day.
_ENOUGH_FOR_DOUBT = 3
# Where pages of a design that the feed did not show most often say it; each was right on 94-100 % of
# the pages that have it.
_STANDARD = (
    Source("meta", "article:published_time"),
    Source("json-ld", "datePublished"),
    Source("time", "time[itemprop=datePublished]", "datetime"),
    Source("time", "time.published", "datetime"),
    Source("meta", "datepublished"),
    Source("meta", "dc.date"),
    Source("meta", "date"),
    Source("time", "time", "datetime"),
    Source("url", ""),
    Source("url", MONTH),
)
_UPDATED_STANDARD = (
    Source("meta", "article:modified_time"),
    Source("json-ld", "dateModified"),
    Source("meta", "og:updated_time"),
    Source("time", "time[itemprop=dateModified]", "datetime"),
    Source("meta", "datemodified"),
    Source("time", "time.updated", "datetime"),
)


def learn_published(samples: Sequence[Sample], language: str | None = None) -> Ranked:
    """Rules for the date of publication, the best first."""
    languages = _languages(samples, language)
    moments = [sample.entry.published or sample.entry.updated for sample in samples]
    offset = _offset([moment for moment in moments if moment])
    targets = [Target(moment) if moment else None for moment in moments]
    ranked, present = rank_places(samples, targets, languages, by_likeness=True)
    kept = _kept(ranked, len(samples))
    if _is_doubtful(targets, kept) and any(targets):
        # Feed and page may both be wrong about the language of the design.
        languages = tuple(dict.fromkeys((*languages, *COMMON_LANGUAGES)))
        ranked, present = rank_places(samples, targets, languages)
        kept = _kept(ranked, len(samples))
    pages = sum(target is not None for target in targets)
    rules = [_rule(c, offset, languages, c.proved(pages)) for c in kept]
    if _is_doubtful(targets, kept):
        # What contradicts a feed that is not believed is not contradicted.
        rules, present = _from_pages(samples, offset, languages) or rules, set()
    return (*rules, *_standard(_STANDARD, present, offset, languages))


def standard_published() -> Ranked:
    """Rules for pages of which nothing was learned: where pages of any blog most often state their date."""
    return tuple(_standard(_STANDARD, set(), UTC, ("en",)))


def learn_updated(samples: Sequence[Sample], language: str | None = None) -> Ranked:
    """Rules for the date of the last change, from places that say they hold one.

    Feeds rarely know it, so names decide which places count; where the feed knows, it ranks them.
    """
    languages = _languages(samples, language)
    targets = [Target(moment) if (moment := sample.entry.updated) else None for sample in samples]
    offset = _offset([target.moment for target in targets if target])
    ranked, _ = rank_places(samples, targets, languages)
    pages = sum(target is not None for target in targets)
    kept = [c for c in _kept(ranked, len(samples)) if says_updated(c.source.where, c.label)]
    rules = [_rule(c, offset, languages, c.proved(pages)) for c in kept]
    taken = {candidate.source for candidate in kept}
    return (*rules, *_standard(_UPDATED_STANDARD, taken, offset, languages))


def _is_doubtful(targets: Sequence[Target | None], kept: Sequence[Candidate]) -> bool:
    days = [target.moment.date() for target in targets if target]
    if not days or (len(days) >= _ENOUGH_FOR_DOUBT and len(set(days)) == 1):
        return True
    return not kept or kept[0].right < _BELIEVABLE * len(days)


def _from_pages(samples: Sequence[Sample], offset: timezone, languages: tuple[str, ...]) -> list[Rule]:
    targets = stated_targets(samples, languages)
    ranked, _ = rank_places(samples, targets, languages)
    return [_rule(candidate, offset, languages, None) for candidate in _kept(ranked, len(samples))]


def _kept(ranked: Sequence[Candidate], pages: int) -> list[Candidate]:
    kept: dict[Source, Candidate] = {}
    for candidate in ranked:
        # Right once among many is chance, unless the place says what it is.
        chance = candidate.right < 2 and pages > 3 and candidate.meaning() < CALLED_DATE
        if candidate.right > candidate.wrong and not chance:
            kept.setdefault(candidate.source, candidate)
    return list(kept.values())[:_MOST_RULES]


def _rule(
    candidate: Candidate, offset: timezone, languages: tuple[str, ...], confidence: float | None
) -> Rule:
    detail = _detail(candidate.source, "\n".join(candidate.formats), offset, languages)
    if shift := learn_shift(candidate.read, offset):
        detail["shift"] = " ".join(map(str, shift))
    if tells_otherwise(candidate.read):
        detail["zone"] = offset_text(offset)
    if candidate.label is not None:
        detail["label"] = candidate.label
    elif candidate.last:
        detail["pick"] = "last"
    return _made(candidate.source, detail, confidence)


def _standard(
    sources: Iterable[Source], present: set[Source], offset: timezone, languages: tuple[str, ...]
) -> list[Rule]:
    """Rules for places the feed's pages do not have; of those they have, the ranking has decided."""
    return [
        _made(source, _detail(source, MACHINE, offset, languages), None)
        for source in sources
        if source not in present
    ]


def _detail(source: Source, formats: str, offset: timezone, languages: tuple[str, ...]) -> dict[str, str]:
    detail = {"formats": formats, "offset": offset_text(offset), "languages": " ".join(languages)}
    if source.attribute:
        detail["attribute"] = source.attribute
    return detail


def _made(source: Source, detail: dict[str, str], confidence: float | None) -> Rule:
    return Rule(
        method=source.method, where=source.where, detail=MappingProxyType(detail), confidence=confidence
    )


def _languages(samples: Sequence[Sample], language: str | None) -> tuple[str, ...]:
    said = [language or "", *(sample.view.root.get("lang") or "" for sample in samples[:3])]
    return tuple(dict.fromkeys((*(tag for tag in said if is_known(tag)), "en")))


def _offset(moments: Sequence[datetime]) -> timezone:
    offsets = Counter(moment.utcoffset() for moment in moments)
    common = next((offset for offset, _ in offsets.most_common(1) if offset), None)
    return timezone(common) if common else UTC
