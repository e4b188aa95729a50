"""Queries a reader might ask, drawn from the titles of a collection: one word, two words, names.

The paper asked its index for names of listed companies and kept those that at least twenty documents
mention. Here the titles of the posts say what readers may look for, and the same rule holds.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass
from itertools import chain, combinations, islice, pairwise
from typing import TYPE_CHECKING, Protocol, TypeVar

from everlog.core.words import UNSPACED, fold, words
from papers.retrieval_index import Phrase, Query

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

T = TypeVar("T")

WORD, TWO_WORDS, NAME = "one word", "two words", "name"

# Words in more than this share of any language's documents (the, avec, werden) are what readers leave out.
_MOST_COMMON = 1 / 3
# A name is mostly written with capitals; the rest are addresses, commands and tags. On the corpus, 0.9 loses
# companies such as the paper asked for (Amazon, Apple, Microsoft) to their web addresses.
_CAPITALISED = 0.8
# Every noun has a capital there, which tells nothing of single words.
_CAPITALS_FOR_NOUNS = frozenset({"de", "lb"})

# Words of three letters and more. Of scripts without spaces: runs of katakana, of Hangul between blanks,
# and two neighbouring Han characters, as search engines cut them; hiragana alone is mostly grammar.
_UNIT = re.compile(
    rf"(?=(?P<han>[\u4e00-\u9fff]{{2}}))|(?P<run>[\u30a1-\u30fa\u30fc]{{2,}}|[\uac00-\ud7af]{{2,}})"
    rf"|(?P<word>[^\W\d_{UNSPACED}][^\W_{UNSPACED}]{{2,}})",
)
_LETTERS = re.compile(rf"[^\W\d_{UNSPACED}][^\W_{UNSPACED}]+")
# Shorter ones are mostly abbreviations.
_LETTERS_OF_A_SINGLE_NAME = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A post of the collection as the truth has it."""

    number: int
    blog: str
    language: str
    title: str
    authors: tuple[str, ...]
    text: str
    comments_known: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How many queries of each kind, and how many relevant documents each must have at least."""

    one_word: int = 50
    two_words: int = 100
    names: int = 50
    # The paper's rule.
    least_relevant: int = 20
    seed: int = 20100516


class Finder(Protocol):
    """Anything that can be asked, such as `Index`."""

    def matching(self, query: Query) -> Collection[int]:
        """The numbers of all documents that match."""


def draw_queries(
    documents: Sequence[Document], index: Finder, plan: Plan, *, languages: Mapping[int, str] | None = None,
) -> tuple[Query, ...]:
    """The same queries for the same documents and plan; fewer where the collection does not give as many.

    One word: any word of a title that is not too common in its language. Two words: two such words of one
    title, wherever they stand in a document. Names: see `names_of`; their words stand side by side.

    If the index holds more than these documents, `languages` has the language of every number in it.
    """
    chance = random.Random(plan.seed)  # noqa: S311 - draws must be the same every time
    drawer = _Drawer(documents, index, plan, languages or {each.number: each.language for each in documents})
    singles = _shuffled({unit for units in drawer.units for unit in units}, chance)
    pairs = _shuffled({pair for units in drawer.units for pair in combinations(units, 2)}, chance)
    two, one = names_of(documents)
    named = chain(_shuffled(two, chance), _shuffled(one, chance))
    wanted: tuple[tuple[str, int, Iterable[tuple[Phrase, ...]]], ...] = (
        (WORD, plan.one_word, ((unit,) for unit in singles)),
        (TWO_WORDS, plan.two_words, pairs),
        (NAME, plan.names, ((name,) for name in named)),
    )
    return tuple(chain.from_iterable(
        islice(drawer.relevant_enough(kind, candidates), count) for kind, count, candidates in wanted
    ))


def names_of(documents: Sequence[Document]) -> tuple[set[Phrase], set[Phrase]]:
    """Names in titles and among authors: two words with capitals side by side, and single ones.

    Titles often give every word a capital, so the articles decide: they must write most occurrences with
    capitals. German tells names from nouns only in two words: single ones must mostly stand elsewhere.
    """
    two: set[Phrase] = set()
    one: set[Phrase] = set()
    for document in documents:
        for source in (document.title, *document.authors):
            two |= {folded for folded, is_capital in _neighbours(source) if is_capital}
            one |= {folded for folded, is_capital in _singles(source) if is_capital}
    written, telling, capitalised = Counter[Phrase](), Counter[Phrase](), Counter[Phrase]()
    for document in documents:
        is_telling = document.language not in _CAPITALS_FOR_NOUNS
        for folded, is_capital in chain(_neighbours(document.text), _singles(document.text)):
            if folded in two or folded in one:
                written[folded] += 1
                telling[folded] += is_telling or folded in two
                capitalised[folded] += is_capital and (is_telling or folded in two)
    sure = {
        name for name, count in written.items()
        if 2 * telling[name] >= count and capitalised[name] >= _CAPITALISED * telling[name]
    }
    return two & sure, one & sure


def units_of(title: str) -> list[Phrase]:
    """What a reader may look for in a title, each once.

    >>> units_of("An ode to the Sea"), units_of("データの海岸")
    ([('ode',), ('the',), ('sea',)], [('デ', 'ー', 'タ'), ('海', '岸')])
    """
    found = (match["han"] or match["run"] or match["word"] for match in _UNIT.finditer(fold(title)))
    return list(dict.fromkeys(tuple(words(text)) for text in found))


class _Drawer:
    """Knows how often words stand in the collection."""

    def __init__(
        self, documents: Sequence[Document], index: Finder, plan: Plan, languages: Mapping[int, str],
    ) -> None:
        self._index = index
        self._plan = plan
        self._languages = languages
        self._sizes = Counter(languages.values())
        titles = [units_of(document.title) for document in documents]
        telling = {unit for unit in dict.fromkeys(chain.from_iterable(titles)) if self._is_telling(unit)}
        self.units = [[unit for unit in units if unit in telling] for units in titles]

    def relevant_enough(self, kind: str, candidates: Iterable[tuple[Phrase, ...]]) -> Iterator[Query]:
        for phrases in candidates:
            query = Query(kind=kind, phrases=phrases)
            if len(self._index.matching(query)) >= self._plan.least_relevant:
                yield query

    def _is_telling(self, unit: Phrase) -> bool:
        found = self._index.matching(Query(kind=WORD, phrases=(unit,)))
        if len(found) < self._plan.least_relevant:
            return False
        shares = Counter(self._languages[number] for number in found)
        return all(count <= _MOST_COMMON * self._sizes[language] for language, count in shares.items())


def _neighbours(text: str) -> Iterator[tuple[Phrase, bool]]:
    """Words parted by one blank, folded, and whether both begin with a capital."""
    found = list(_LETTERS.finditer(text))
    for left, right in pairwise(found):
        if left.end() + 1 == right.start() and text[left.end()] == " ":
            yield (fold(left[0]), fold(right[0])), left[0][0].isupper() and right[0][0].isupper()


def _singles(text: str) -> Iterator[tuple[Phrase, bool]]:
    for word in _LETTERS.findall(text):
        if len(word) >= _LETTERS_OF_A_SINGLE_NAME:
            yield (fold(word),), word[0].isupper()


def _shuffled(candidates: set[T], chance: random.Random) -> list[T]:
    ordered = sorted(candidates, key=repr)
    chance.shuffle(ordered)
    return ordered
