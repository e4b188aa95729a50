"""Verdicts on made blogs with gaps of every kind; `benchmarks/completeness_made.py` makes two hundred of them."""

from __future__ import annotations

import pytest

from completeness_kinds import KINDS
from completeness_made import outcome_of

# A few of the kinds every day; `.ci/run` has the benchmark judge some blogs of each.
SOME = [*KINDS][::7]
# Another number than the benchmark's own, so that the two see different blogs.
SEED = 77


@pytest.mark.parametrize("kind", SOME)
def test_a_made_blog_is_judged_rightly(kind):
    outcome = outcome_of(kind, SEED)
    assert outcome.wrong is None, outcome
    assert outcome.is_allowed, outcome
    assert not outcome.misnamed, outcome
    assert not outcome.unnamed, outcome


def test_the_same_seed_makes_the_same_blog():
    kind = "static: pages of posts are errors"
    assert outcome_of(kind, SEED) == outcome_of(kind, SEED)
