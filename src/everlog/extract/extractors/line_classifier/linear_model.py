"""The linear classifier of lines. Its weights were learned by benchmarks/train_lines.py and lie beside this file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from everlog.extract.extractors.line_classifier.line_context import CONTEXT, surrounded
from everlog.extract.extractors.line_classifier.line_features import NAMES, Levels, described

if TYPE_CHECKING:
    from collections.abc import Mapping

    from everlog.extract.extractors.line_classifier.page_lines import Floats, Lines


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """A weight for each feature, and what is added to their sum: above zero lies what is topical."""

    weights: Floats
    bias: float

    def __call__(self, features: Floats) -> Floats:
        """The side and distance of each line; for a logistic model the logarithm of its odds."""
        odds: Floats = features @ self.weights + self.bias
        return odds


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Classifier:
    """Two linear models: what a line is by itself, and what it is among its neighbours."""

    levels: Levels
    alone: Plane
    among: Plane

    def odds(self, lines: Lines) -> Floats:
        """The logarithm of each line's odds of being topical; there must be lines."""
        features = described(lines, self.levels)
        context = surrounded(lines, self.alone(features))
        return self.among(np.concatenate((context, features), axis=1))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "levels": {name: list(getattr(self.levels, name)) for name in ("least", "mean", "most")},
            "alone": _named(self.alone, NAMES),
            "among": _named(self.among, (*_CONTEXT_NAMES, *NAMES)),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Classifier:
        """The classifier that `to_dict` wrote."""
        bounds = {name: tuple(map(float, data["levels"][name])) for name in ("least", "mean", "most")}
        return cls(
            levels=Levels(**bounds),
            alone=_plane(data["alone"], NAMES),
            among=_plane(data["among"], (*_CONTEXT_NAMES, *NAMES)),
        )


@cache
def shipped() -> Classifier:
    """The classifier that comes with everlog, trained on all blogs of the corpus."""
    with files("everlog.extract.extractors.line_classifier").joinpath("weights.json").open("rb") as stream:
        return Classifier.from_dict(json.load(stream))


# Some features of the context have names of features of a line.
_CONTEXT_NAMES = tuple(f"around: {name}" for name in CONTEXT)


def _named(plane: Plane, names: tuple[str, ...]) -> dict[str, Any]:
    weights = [float(f"{weight:.5g}") for weight in plane.weights.tolist()]
    return {"bias": float(f"{plane.bias:.5g}"), "weights": dict(zip(names, weights, strict=True))}


def _plane(data: Mapping[str, Any], names: tuple[str, ...]) -> Plane:
    return Plane(np.array([float(data["weights"][name]) for name in names]), float(data["bias"]))
