"""Verdicts on made blogs with gaps of every kind; `benchmarks/completeness_made.py` makes two hundred of them."""

from __future__ import annotations

import pytest

from completeness_made import outcome_of
from completeness_wall_kinds import KINDS

pytestmark = pytest.mark.slow

# A few of the kinds; `.ci/run` has the benchmark judge a blog of each, too.
SOME = [*KINDS][::14]
# Those that were once judged wrongly.
SURELY = [
    "REST: a post goes and another comes while it is walked", "REST: posts get other dates, and with them addresses",
    "REST: pages of posts lead to the front page", "REST: texts are told, pages are said to be gone",
    "sitemap: its parts are on another host",
    "walls: pages of told posts show something else", "walls: addresses of told posts lead to other posts",
    "paged feed: posts with passwords", "REST: posts that were published twice",
    "comments: REST counts some that pages alone show", "comments: REST knows nothing of some that pages show",
    "comments: as many are deleted before an update as nobody sees",
]
# Another number than the benchmark's own, so that the two see different blogs.
SEED = 77


@pytest.mark.parametrize("kind", dict.fromkeys([*SOME, *SURELY]))
def test_a_made_blog_is_judged_rightly(kind):
    outcome = outcome_of(kind, SEED)
    assert outcome.wrong is None, outcome
    assert outcome.is_allowed, outcome
    assert not outcome.misnamed, outcome
    assert not outcome.unnamed, outcome


def test_the_same_seed_makes_the_same_blog():
    kind = "static: pages of posts are errors"
    assert outcome_of(kind, SEED) == outcome_of(kind, SEED)


def test_a_post_whose_address_leads_to_the_front_page_is_said_to_do_so():
    sentence = outcome_of("REST: pages of posts lead to the front page", SEED).sentence
    assert "its address redirects to the home page" in sentence


def test_a_sitemap_of_which_a_half_is_dead_is_said_to_be_so():
    sentence = outcome_of("sitemap: half of it is dead, and nothing else leads there", SEED).sentence
    assert sentence.endswith("but may leave some out (sitemap: 1 of its parts could not be read)")
