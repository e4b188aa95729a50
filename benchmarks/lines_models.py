"""Classifiers of lines, trained with scikit-learn: the paper's on its five features, and everlog's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from everlog.extract.extractors.line_classifier.blocks import ENOUGH, PHI, block_scores, blocks_of, line_scores
from everlog.extract.extractors.line_classifier.extraction import SURELY_NOT
from everlog.extract.extractors.line_classifier.line_context import surrounded
from everlog.extract.extractors.line_classifier.line_features import HIGH, LOW, MIDDLE, Levels, described
from everlog.extract.extractors.line_classifier.linear_model import Classifier, Plane

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from everlog.extract.extractors.line_classifier.page_lines import Bools, Floats
    from lines_samples import Sample

    Judge = Callable[[Sample], Floats]
    """The odds of each line; above zero is topical."""

# Ten times weaker or stronger changed article F1 by less than 0.4 points.
STRENGTH = 0.1


def logistic() -> Any:
    """Logistic regression: a linear model whose values are logarithms of odds."""
    return LogisticRegression(C=STRENGTH, solver="newton-cholesky", max_iter=100)


def machine() -> Any:
    """A linear support vector machine, the paper's choice."""
    return LinearSVC(C=STRENGTH, max_iter=5000, random_state=0)


def tree() -> Any:
    """A decision tree that splits by information gain, as C4.5 does."""
    return DecisionTreeClassifier(criterion="entropy", min_samples_leaf=50, random_state=0)


PAPER = {"Naive Bayes": BernoulliNB, "decision tree": tree, "linear SVM": machine, "logistic regression": logistic}
OURS = {"Naive Bayes": GaussianNB, "decision tree": tree, "linear SVM": machine, "logistic regression": logistic}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One way of reading the paper's block score, which it gives without the values that the levels have."""

    name: str
    low: float
    step: float
    enough: float = ENOUGH


READINGS = (
    Reading(name="levels count 1, 2, 3", low=1, step=1),
    Reading(name="levels count 0, 1, 2", low=0, step=1),
    Reading(name="levels count 0, 1/2, 1", low=0, step=0.5),
    Reading(name="no block score", low=0, step=1, enough=-np.inf),
)


def paper_judge(samples: Sequence[Sample], make: Callable[[], Any]) -> tuple[Levels, Judge]:
    """A classifier of the five features' levels, and nothing else."""
    levels = levels_of(samples)
    model = make().fit(*_stacked([_one_hot(levels, sample) for sample in samples], samples)[:2])
    return levels, lambda sample: _decided(model, _one_hot(levels, sample))


def paper_lines(topical: Bools, levels: Levels, sample: Sample, reading: Reading) -> Bools:
    """The paper's main text: blocks whose score is above its threshold."""
    kept = np.zeros(len(topical), np.bool_)
    blocks = blocks_of(topical, PHI)
    # Three of five features are added and two subtracted: where Low begins moves a score by its value.
    scores = (line_scores(levels.of(sample.five)) - LOW) * reading.step + reading.low
    for (start, stop), score in zip(blocks, block_scores(blocks, scores), strict=True):
        kept[start:stop] = score > reading.enough
    return kept


def alone_judge(samples: Sequence[Sample], make: Callable[[], Any]) -> Judge:
    """A classifier of all that is known of a line by itself."""
    levels = levels_of(samples)
    features = [described(sample.lines, levels) for sample in samples]
    stacked, labels, weight = _stacked(features, samples)
    mean, spread = _scale(stacked)
    model = make().fit((stacked - mean) / spread, labels, sample_weight=weight)
    return lambda sample: _decided(model, (described(sample.lines, levels) - mean) / spread)


def train(samples: Sequence[Sample], make: Callable[[], Any] = logistic) -> Classifier:
    """Both linear models of the classifier that is shipped."""
    levels = levels_of(samples)
    features = [described(sample.lines, levels) for sample in samples]
    alone = _plane(features, samples, make)
    context = [
        np.concatenate((surrounded(sample.lines, alone(rows)), rows), axis=1)
        for sample, rows in zip(samples, features, strict=True)
    ]
    return Classifier(levels=levels, alone=alone, among=_plane(context, samples, make))


def judge_of(classifier: Classifier) -> Judge:
    """What the shipped kind of classifier says."""
    return lambda sample: classifier.odds(sample.lines)


def our_lines(odds: Floats) -> Bools:
    """Blocks with their gaps, as `everlog.extract.extractors.line_classifier.extract` makes them."""
    kept = np.zeros(len(odds), np.bool_)
    for start, stop in blocks_of(odds > 0):
        kept[start:stop] = odds[start:stop] > SURELY_NOT
    return kept


def levels_of(samples: Sequence[Sample]) -> Levels:
    """The cut points of the five features."""
    five = np.concatenate([sample.five for sample in samples])
    topical = np.concatenate([sample.topical for sample in samples])
    return Levels.learned(five[topical], five[~topical])


def _one_hot(levels: Levels, sample: Sample) -> Floats:
    found = levels.of(sample.five)
    return np.concatenate([found == level for level in (LOW, MIDDLE, HIGH)], axis=1, dtype=np.float64)


def _plane(features: Sequence[Floats], samples: Sequence[Sample], make: Callable[[], Any]) -> Plane:
    stacked, labels, weight = _stacked(features, samples)
    mean, spread = _scale(stacked)
    model = make().fit((stacked - mean) / spread, labels, sample_weight=weight)
    weights = model.coef_[0] / spread
    return Plane(weights, float(model.intercept_[0] - mean @ weights))


def _stacked(features: Sequence[Floats], samples: Sequence[Sample]) -> tuple[Floats, Bools, Floats]:
    """Features, labels and weights of all lines that have a word."""
    weight = np.concatenate([sample.weight for sample in samples])
    known = weight > 0
    labels = np.concatenate([sample.topical for sample in samples])
    return np.concatenate(features)[known], labels[known], weight[known] / weight[known].mean()


def _scale(features: Floats) -> tuple[Floats, Floats]:
    spread = features.std(axis=0)
    return features.mean(axis=0), np.where(spread > 1e-9, spread, 1.0)


def _decided(model: Any, features: Floats) -> Floats:
    """Numbers above zero for topical lines, whatever the model gives."""
    if hasattr(model, "decision_function"):
        values: Floats = model.decision_function(features)
        return values
    return np.where(model.predict(features), 1.0, -1.0)
