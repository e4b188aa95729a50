"""Which declaration of its language a blog's pages can be trusted with."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from everlog.read.language import as_language, declared, guess, primary
from everlog.rules import Ranked, Rule
from everlog.tree import parse_fragment, visible_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.learn.samples import Sample
    from everlog.records import Feed

_SOURCES = (
    Rule(method="html-lang"),
    Rule(method="json-ld", where="inLanguage"),
    Rule(method="meta", where="og:locale"),
    Rule(method="meta", where="language"),
)
# Entries whose text is looked at when declarations disagree: enough to outvote one in another language.
GUESSED_ENTRIES = 5


def learn_language(samples: Sequence[Sample], feed: Feed) -> Ranked:
    """Rules for the language: the declarations that fit the blog, then its usual language.

    Text is looked at only where declarations disagree or are missing.
    """
    said = [(rule, [declared(sample.view, rule) for sample in samples]) for rule in _SOURCES]
    spoken = Counter(primary(value) for _, values in said for value in values if value)
    of_feed = as_language(feed.language)
    if of_feed:
        spoken[primary(of_feed)] += len(samples)
    usual = _guessed(samples) if len(spoken) != 1 else None
    if usual is None:
        if not spoken:
            return ()
        usual = spoken.most_common(1)[0][0]
    rules = []
    for rule, values in said:
        right = sum(value is not None and primary(value) == usual for value in values)
        if right * 2 > len(values):
            rules.append(Rule(method=rule.method, where=rule.where, confidence=right / len(values)))
    full = of_feed if of_feed and primary(of_feed) == usual else usual
    return (*rules, Rule(method="usual", where=full))


def _guessed(samples: Sequence[Sample]) -> str | None:
    votes: Counter[str] = Counter()
    for sample in samples[:GUESSED_ENTRIES]:
        markup = sample.entry.content or sample.entry.summary
        language = guess(visible_text(parse_fragment(markup))) if markup else None
        if language:
            votes[language] += 1
    return votes.most_common(1)[0][0] if votes else None
