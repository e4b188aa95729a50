"""What is remembered of pages."""

from __future__ import annotations

import json

import pytest
from compared_pages import TEXTS, blog, page
from hypothesis import given
from hypothesis import strategies as st

from everlog.extract.extractors.diffpost import RepeatCounts, clean
from everlog.extract.extractors.diffpost.page_counts import BATCH_ELEMENTS, MOST_PAGES, MOST_PRINTS, in_batches
from everlog.extract.extractors.diffpost.units import Units

DESIGN = "<h1>My blog</h1><p>{}</p><p>I live by the sea.</p>"


def test_pages_added_one_by_one_are_pages_learned_together():
    pages = blog(DESIGN)
    grown = RepeatCounts()
    for outline in pages:
        grown = grown.with_units(Units(outline))
    assert grown == RepeatCounts.learn(pages)


def test_the_same_holds_where_pages_are_more_than_can_be_remembered():
    pages = [page(f"<p>Menu</p><p>{TEXTS[number % 7]}</p><p>{'ab' * number}</p>") for number in range(3 * MOST_PAGES)]
    grown = RepeatCounts()
    for outline in [*pages, *pages[:4]]:
        grown = grown.with_units(Units(outline))
    assert grown == RepeatCounts.learn([*pages, *pages[:4]])


def test_an_element_that_a_page_bears_twice_is_borne_by_one_page():
    known = RepeatCounts.learn(blog("<div><p>Hi</p><p>Hi</p></div><p>{}</p>", 2))
    assert max(known.counts) == 2


def test_a_page_that_is_there_twice_counts_once():
    pages = blog(DESIGN, 2)
    assert RepeatCounts.learn([*pages, pages[0]]) == RepeatCounts.learn(pages)
    assert len(RepeatCounts.learn(pages).pages) == 2


def test_what_is_known_goes_through_json_and_back():
    known = RepeatCounts.learn(blog(DESIGN))
    assert RepeatCounts.from_dict(json.loads(json.dumps(known.to_dict()))) == known
    assert hash(RepeatCounts.from_dict(known.to_dict())) == hash(known)


@pytest.mark.parametrize(
    "damaged",
    [
        {}, {"pages": None, "prints": "", "counts": ""}, {"pages": ["zz"], "prints": "", "counts": ""},
        {"pages": [], "prints": "AAAA", "counts": ""}, {"pages": [], "prints": "?", "counts": ""},
        {"pages": [], "prints": 7, "counts": ""}, {"pages": [1], "prints": "", "counts": ""},
        {"pages": ["f" * 17], "prints": "", "counts": ""}, {"pages": ["-1"], "prints": "", "counts": ""},
        {"pages": ["1"], "prints": "AgAAAAAAAAABAAAAAAAAAA==", "counts": "AQE="}, [],
    ],
)
def test_nothing_is_known_from_damaged_data(damaged):
    assert RepeatCounts.from_dict(damaged) == RepeatCounts()


def test_a_thousand_pages_take_no_more_room_than_some():
    known = RepeatCounts()
    for number in range(5 * MOST_PAGES):
        known = known.with_units(Units(page(f"<p>Menu</p><p>{'ab' * (number + 1)}</p>")))
        assert len(known.pages) <= MOST_PAGES
    assert len(known.counts) < 3 * MOST_PAGES


def test_what_all_pages_bear_is_never_forgotten():
    known = RepeatCounts()
    for number in range(5 * MOST_PAGES):
        known = known.with_units(Units(page(f"<p>Menu</p><p>{'ab' * (number + 1)}</p>")))
    fresh = page("<p>Menu</p><p>Rain</p>")
    kept = clean(fresh, known)
    assert [fresh.segments[place] for place, stays in enumerate(kept) if stays] == ["Rain"]


def test_a_page_of_very_many_elements_is_remembered_in_part():
    body = "".join(f"<p>{chr(0x4e00 + place)}</p>" for place in range(2 * MOST_PRINTS))
    known = RepeatCounts.learn([page("<p>Menu</p>" + body), page("<p>Menu</p>" + body + "<p>more</p>")])
    assert len(known.counts) == MOST_PRINTS
    assert len(json.dumps(known.to_dict())) < 60_000


def test_without_what_was_seen_once_pages_are_cleaned_alike():
    pages = blog(DESIGN, 10)
    known = RepeatCounts.learn(pages)
    compact = known.compact()
    assert len(compact.counts) < len(known.counts)
    for outline in [*pages, page(DESIGN.replace("{}", "Something new."))]:
        assert (clean(outline, compact) == clean(outline, known)).all()


def test_from_few_pages_nothing_can_be_left_out():
    known = RepeatCounts.learn(blog(DESIGN))
    assert known.compact() is known


def test_pages_are_taken_some_at_a_time():
    large = page("<p>a</p>" * BATCH_ELEMENTS)
    assert [len(few) for few in in_batches([*blog(DESIGN, 2), large, large, *blog(DESIGN, 1)])] == [3, 1, 1]
    assert list(in_batches([])) == []


@given(st.lists(st.sampled_from(TEXTS), max_size=30))
def test_every_count_is_a_number_of_pages(texts):
    known = RepeatCounts.learn(page(f"<h1>My blog</h1><p>{text}</p>") for text in texts)
    assert len(known.prints) == 8 * len(known.counts)
    assert all(1 <= count <= len(known.pages) for count in known.counts)
