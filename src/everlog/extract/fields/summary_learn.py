"""Which description of its posts a blog's pages give: those that differ from post to post."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.core.rules import Ranked, Rule
from everlog.core.tree import parse_fragment, visible_text
from everlog.core.words import comparable
from everlog.extract.fields.summary_read import summary_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.extract.samples import Sample

_SOURCES = (
    Rule(method="meta", where="description"),
    Rule(method="meta", where="og:description"),
    Rule(method="json-ld", where="description"),
    Rule(method="meta", where="twitter:description"),
)
# Descriptions are cut at different lengths; as many words must be the same at the start.
SAME_WORDS = 6
# Where they stand among their markup; some feeds hold whole articles as summaries.
MAX_MARKUP = 1_000


def learn_summary(samples: Sequence[Sample]) -> Ranked:
    """Rules for the summary, those that agree with the feed's summaries first."""
    summaries = [_opening(sample.entry.summary) for sample in samples]
    known = sum(map(bool, summaries))
    ranked = []
    for rule in _SOURCES:
        shown = [summary_by(sample.view, rule) for sample in samples]
        values = Counter(value for value in shown if value)
        if not values or (len(values) == 1 and len(samples) > 1):
            continue
        right = sum(bool(a) and a == _opening(b) for a, b in zip(summaries, shown, strict=True))
        common, pages = values.most_common(1)[0]
        # Posts without a description of their own show that of the blog.
        detail = {"except": common} if pages > 1 else {}
        ranked.append(replace(rule, detail=detail, confidence=right / known if known else None))
    return tuple(sorted(ranked, key=lambda rule: rule.confidence or 0.0, reverse=True))


def _opening(markup: str | None) -> str:
    if not markup:
        return ""
    markup = markup[:MAX_MARKUP]
    text = visible_text(parse_fragment(markup)) if "<" in markup else markup
    return " ".join(comparable(text).split()[:SAME_WORDS])
