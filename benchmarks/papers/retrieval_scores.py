"""How well a search answers: precision, recall, average precision, and whether two editions really differ."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlog.evaluate.scoring import mean
from papers.extras import needed

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

# The level of the paper's tests.
SIGNIFICANT = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One query on one edition, each figure in [0, 1]."""

    precision: float
    recall: float
    average_precision: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The mean of one edition less that of another over the same queries, and how likely chance gives as much."""

    mean: float
    p: float

    @property
    def is_significant(self) -> bool:
        """Whether chance is out of the question at the paper's level."""
        return self.p < SIGNIFICANT


def answer(relevant: Collection[int], found: Sequence[int]) -> Answer:
    """Scores what was found, the best first, by what should have been.

    Average precision is the mean over *all* relevant documents of the precision at the rank at which
    each was found; one that was not found counts 0. A search that finds nothing has precision 0.

    >>> answer({1, 2, 3}, [1, 9, 2, 8])
    Answer(precision=0.5, recall=0.6666666666666666, average_precision=0.5555555555555555)
    """
    hits, summed = 0, 0.0
    for rank, number in enumerate(found, 1):
        if number in relevant:
            hits += 1
            summed += hits / rank
    return Answer(
        precision=hits / len(found) if found else 0.0,
        recall=hits / len(relevant),
        average_precision=summed / len(relevant),
    )


def means(answers: Sequence[Answer]) -> dict[str, float | None]:
    """P, R and MAP: the means over queries."""
    return {
        "P": mean(one.precision for one in answers),
        "R": mean(one.recall for one in answers),
        "MAP": mean(one.average_precision for one in answers),
    }


def difference(one: Sequence[float], other: Sequence[float]) -> Difference:
    """A two-tailed paired t-test of the same queries on two editions."""
    gaps = [left - right for left, right in zip(one, other, strict=True)]
    if len(set(gaps)) <= 1:
        # Without any spread there is no t: equal figures do not differ, and a constant gap is no chance.
        constant = gaps[0] if gaps else 0.0
        return Difference(mean=constant, p=0.0 if constant and len(gaps) > 1 else 1.0)
    test = needed("scipy.stats").ttest_rel
    with warnings.catch_warnings():
        # Gaps that differ only in their last binary digit lose precision in the test, which says so.
        warnings.simplefilter("ignore", RuntimeWarning)
        p = float(test(one, other).pvalue)
    return Difference(mean=sum(gaps) / len(gaps), p=p)
