"""Which older posts are fetched again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.extract.extractors.diffpost import comparison_pages
from everlog.extract.extractors.diffpost.comparison_posts import LEAST_COMPANY

OLD = [f"/{number}" for number in range(20, 0, -1)]


def test_a_single_new_post_gets_the_newest_older_ones_as_company():
    assert comparison_pages(["/21"], OLD, company=3) == ("/20", "/19", "/18")


@pytest.mark.parametrize(("new", "again"), [(0, 0), (1, 3), (2, 2), (3, 1), (4, 0), (50, 0)])
def test_only_as_many_are_fetched_again_as_new_ones_are_missing(new, again):
    assert len(comparison_pages([f"/new-{number}" for number in range(new)], OLD, company=3)) == again


def test_a_young_blog_has_only_what_it_has():
    assert comparison_pages(["/2"], ["/1"]) == ("/1",)
    assert comparison_pages(["/1"], []) == ()


def test_a_post_is_fetched_once():
    assert comparison_pages(["/20", "/20"], ["/20", "/19", "/19", "/18", "/17"], company=2) == ("/19", "/18")


@given(st.lists(st.sampled_from(OLD)), st.lists(st.sampled_from(OLD)))
def test_every_new_post_has_company_if_there_is_any(new, old):
    again = comparison_pages(new, old)
    assert not set(again) & set(new)
    assert set(again) <= set(old)
    if new:
        others = (set(new) | set(old)) - {new[0]}
        assert len((set(new) | set(again)) - {new[0]}) >= min(LEAST_COMPANY, len(others))
