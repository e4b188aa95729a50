"""What was learned about a blog's comments: markups, ranked, each with how well it did on the feeds' own pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from everlog.comments.comment_markup import Markup
from everlog.comments.css import Selection
from everlog.core.tree import parse_fragment


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentRule:
    """A markup of the blog, and its likeness to the comments of the feeds, in [0, 1]."""

    markup: Markup
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; what the markup does not say is left out."""
        said = {name: value for name, value in asdict(self.markup).items() if value is not None}
        return {"markup": said | {"cut": list(self.markup.cut)}, "confidence": self.confidence}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CommentRule:
        """The rule that `to_dict` wrote; ValueError for selectors that are none."""
        said = dict(data["markup"])
        said["cut"] = tuple(map(str, said.get("cut", ())))
        markup = Markup(**said)
        nothing = Selection(parse_fragment(""))
        for selector in _selectors(markup):
            nothing.all(selector)
        return cls(markup=markup, confidence=float(data["confidence"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentRules:
    """The ways in which a blog's pages show comments, the best first; the next is for pages the one before fails on."""

    ranked: tuple[CommentRule, ...]
    learned_from: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"ranked": [rule.to_dict() for rule in self.ranked], "learned_from": self.learned_from}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CommentRules:
        """The rules that `to_dict` wrote."""
        return cls(
            ranked=tuple(map(CommentRule.from_dict, data["ranked"])), learned_from=int(data["learned_from"]),
        )


def _selectors(markup: Markup) -> Iterator[str]:
    yield from markup.cut
    for field in fields(markup):
        value = getattr(markup, field.name)
        if field.name in {"id", "parent", "depth"} and value is not None:
            value = value.rpartition("@")[0]
        if value and field.name not in {"name", "cut"}:
            yield value
