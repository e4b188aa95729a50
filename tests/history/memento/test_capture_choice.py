"""Which captures of a page are worth a request."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from everlog.history.memento.capture_choice import (
    MOST_TRIED,
    earlier_versions,
    next_to_try,
    pages_of,
    shared_digests,
)
from everlog.history.memento.memento_lines import Memento


def capture(year, digest=None, **given):
    of_page = {"url": "http://a.org/x", "status": 200, "media_type": "text/html"}
    return Memento(stamp=f"{year}0101000000", digest=digest or f"D{year}", **(of_page | given))


def years(captures):
    return [int(each.stamp[:4]) for each in captures]


def test_redirects_errors_and_pictures_are_no_pages():
    captures = [
        capture(2010, status=301), capture(2011, status=404), capture(2012, media_type="image/png"), capture(2013),
        capture(2014, status=None, media_type=None),
    ]
    assert years(pages_of(captures)) == [2013, 2014]


def test_equal_bytes_are_taken_once_and_where_they_are_kept():
    captures = [
        capture(2013, "A", media_type="warc/revisit", status=None), capture(2012, "A"), capture(2014, "B"),
        capture(2015, "A"), capture(2016, "C", media_type="warc/revisit", status=None),
    ]
    assert years(pages_of(captures)) == [2012, 2014, 2016]


def test_what_stands_at_many_addresses_is_no_post():
    sold = [capture(2020, "SOLD", url=f"http://a.org/{number}") for number in range(3)]
    twice = [capture(2020, "TWICE", url=url) for url in ("http://a.org/?p=7", "http://a.org/seven")]
    scheme = [capture(2020, "SCHEME", url=url) for url in ("http://a.org/x", "https://a.org/x", "http://www.a.org/x")]
    shared = shared_digests([*sold, *twice, *scheme])
    assert shared == {"SOLD"}
    assert pages_of(sold, besides=shared) == ()


def newest_found(good, count):
    tried = {}
    while (place := next_to_try(count, tried)) is not None:
        assert place not in tried
        tried[place] = place in good
    return max((place for place, is_post in tried.items() if is_post), default=None), len(tried)


@pytest.mark.parametrize("count", [1, 2, 3, 10, 30])
def test_the_last_state_before_a_domain_died_is_found(count):
    for alive in range(1, count + 1):
        found, asked = newest_found(range(alive), count)
        assert found == alive - 1
        assert asked <= MOST_TRIED


def test_the_newest_capture_is_enough_if_it_shows_the_post():
    assert newest_found(range(50), 50) == (49, 1)


def test_a_post_between_two_other_owners_is_looked_for():
    assert newest_found(range(10, 20), 30)[0] == 19


def test_a_page_that_never_was_a_post_costs_a_few_requests():
    assert newest_found((), 1_000) == (None, MOST_TRIED)
    assert newest_found((), 0) == (None, 0)


def test_earlier_versions_are_spread_over_the_time_before():
    pages = [capture(year) for year in range(2001, 2021)]
    before = datetime(2015, 6, 1, tzinfo=UTC)
    assert years(earlier_versions(pages, before=before, most=3)) == [2001, 2008, 2015]
    assert years(earlier_versions(pages, before=before, most=1)) == [2001]
    assert earlier_versions(pages, before=before, most=0) == ()
    assert earlier_versions(pages, before=datetime(1999, 1, 1, tzinfo=UTC), most=3) == ()


def test_what_was_taken_before_counts():
    pages = [capture(year) for year in range(2001, 2021)]
    before = datetime(2015, 6, 1, tzinfo=UTC)
    known = {"20010101000000", "20080101000000", "20150101000000"}
    assert earlier_versions(pages, before=before, most=3, known=known) == ()


def test_all_earlier_captures_are_taken_where_they_are_few():
    pages = [capture(2001), capture(2002)]
    assert years(earlier_versions(pages, before=datetime(2015, 6, 1, tzinfo=UTC), most=3)) == [2001, 2002]


def test_captures_of_a_time_map_have_no_digest_and_share_none():
    captures = [Memento(url=f"http://a.org/{number}", stamp="20200101000000") for number in range(5)]
    assert shared_digests(captures) == frozenset()
    assert len(pages_of([replace(each, stamp=f"200{at}0101000000") for at, each in enumerate(captures)])) == 5
