"""Which declaration of its language a blog's pages can be trusted with."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from everlog.core.rules import Ranked, Rule
from everlog.core.tree import parse_fragment, visible_text
from everlog.languages.common_words import language_by_words
from everlog.languages.detect import FIRST_LETTERS, MAX_LETTERS, as_language, declared, guess, is_same, primary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.extract.samples import Sample
    from everlog.records import Feed

_SOURCES = (
    Rule(method="html-lang"),
    Rule(method="json-ld", where="inLanguage"),
    Rule(method="meta", where="og:locale"),
    Rule(method="meta", where="language"),
)
# Entries whose text is looked at when declarations disagree: enough to outvote one in another language.
GUESSED_ENTRIES = 5
MAX_MARKUP = 20_000


def learn_language(samples: Sequence[Sample], feed: Feed) -> Ranked:
    """Rules for the language: the declarations that fit the blog, then its usual language, then the other declarations.

    Texts are asked for it only where declarations disagree, are missing, or are not borne out by the commonest words:
    engines declare English if nobody tells them, and themes the language of their maker.
    """
    said = [(rule, [declared(sample.view, rule) for sample in samples]) for rule in _SOURCES]
    spoken = Counter(primary(value) for _, values in said for value in values if value)
    of_feed = as_language(feed.language)
    if of_feed:
        spoken[primary(of_feed)] += len(samples)
    is_sure = len(spoken) == 1 and _reads_like(samples, next(iter(spoken)))
    usual = None if is_sure else _guessed(samples)
    if usual is None:
        if not spoken:
            # The feed is too short to tell, and nobody says: each page may tell for itself.
            return (Rule(method="detected"),)
        usual = spoken.most_common(1)[0][0]
    usual = next((each for each, _ in spoken.most_common() if is_same(each, usual)), usual)
    fitting: list[Rule] = []
    others: list[Rule] = []
    for rule, values in said:
        right = sum(value is not None and primary(value) == usual for value in values)
        kept = fitting if right * 2 > len(values) else others
        if any(values):
            kept.append(Rule(method=rule.method, where=rule.where, confidence=right / len(values)))
    full = of_feed if of_feed and primary(of_feed) == usual else usual
    # What does not fit the blog may fit one of its posts, and then says the region as well.
    return (*fitting, Rule(method="usual", where=full), *others)


def usual_language(rules: Ranked) -> str | None:
    """The language that most of the blog is in, if that is known."""
    return next((rule.where for rule in rules if rule.method == "usual"), None)


def _reads_like(samples: Sequence[Sample], language: str) -> bool:
    """Whether the feed's texts are full of the commonest words of a language, or too short to be.

    English is what engines declare if nobody tells them: five of 35 blogs declare it on every page
    and in the feed, and are written in another language.
    """
    texts = [text for sample in samples[:GUESSED_ENTRIES] if (text := _text(sample)[:FIRST_LETTERS])]
    told = [language_by_words(text) for text in texts]
    return not texts or sum(each is not None and is_same(language, each) for each in told) * 2 > len(told)


def _text(sample: Sample) -> str:
    if sample.target is not None:
        return sample.text[:MAX_MARKUP]
    markup = sample.entry.content or sample.entry.summary
    return visible_text(parse_fragment(markup[:MAX_MARKUP])) if markup else ""


def _guessed(samples: Sequence[Sample]) -> str | None:
    votes: Counter[str] = Counter()
    for sample in samples[:GUESSED_ENTRIES]:
        language = guess(_text(sample)[:MAX_LETTERS])
        if language:
            votes[language] += 1
    return votes.most_common(1)[0][0] if votes else None
