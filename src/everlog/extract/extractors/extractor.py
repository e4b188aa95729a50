"""Extractor: a way to find the article of a page. A rule goes in, a pick comes out.

    manual      what a person set by hand: the place of the article
    selector    the place that was learned of the blog
    key-path    the same, as Adaptive Post Recognition says it
    xpath       the same, as the BlogForever crawler says it
    repeats     DiffPost: what other pages of the blog do not say
    lines       the line classifier: lines that read like an article
    metadata    what the page itself calls its article

The last three need no feed, and read pages of designs that nobody has seen. A further extractor is a module with a
function as `Extractor` says, and a line in `EXTRACTORS`; `extractor_selection` scores them on the blog's own pages.
The names are those of rules and of provenance.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from everlog.core.rules import MANUAL, Rule

if TYPE_CHECKING:
    from everlog.extract.article.picks import Pick
    from everlog.extract.extractors.diffpost import RepeatCounts
    from everlog.markup.view import View


class Extractor(Protocol):
    """What finds the article of a page: by a rule, and by what repeats on the blog's pages, if that is known."""

    def __call__(self, view: View, rule: Rule, repeats: RepeatCounts | None) -> Pick | None: ...


# Each extractor's module below this package and its function; loaded at the first page that needs it.
EXTRACTORS = {
    MANUAL: "selector:pick_by_hand",
    "selector": "selector:pick",
    "key-path": "keypath:pick",
    "xpath": "blogforever:pick",
    "repeats": "diffpost:pick",
    "lines": "line_classifier:pick",
    "metadata": "stated_article:pick",
}
FEEDLESS = ("repeats", "lines", "metadata")
"""The extractors that need no place to be learned, those that read best first."""


def pick_at(view: View, rule: Rule, repeats: RepeatCounts | None = None) -> Pick | None:
    """The article that a rule finds on a page."""
    return extractor(rule.method)(view, rule, repeats)


def is_placed(rule: Rule) -> bool:
    """Whether a rule points at a place, which cuts can be learned for."""
    return rule.method not in FEEDLESS


@cache
def extractor(name: str) -> Extractor:
    """The extractor of this name."""
    module, _, function = EXTRACTORS[name].partition(":")
    return cast("Extractor", getattr(import_module(f"everlog.extract.extractors.{module}"), function))
