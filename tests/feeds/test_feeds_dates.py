"""Dates of feeds: the moment, with the offset the source states."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.feeds.feed_dates import parse_date


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tue, 05 Mar 2019 10:00:00 +0100", "2019-03-05T10:00:00+01:00"),
        ("Tue, 5 Mar 2019 10:00 GMT", "2019-03-05T10:00:00+00:00"),
        ("05 Mar 19 10:00:00 EST", "2019-03-05T10:00:00-05:00"),
        ("Tuesday, 05-Mar-99 10:00:00 UT", "1999-03-05T10:00:00+00:00"),
        ("Tue Mar  5 10:00:00 2019", "2019-03-05T10:00:00+00:00"),
        ("Tue Mar 05 2019 10:00:00 GMT+0530 (India Standard Time)", "2019-03-05T10:00:00+05:30"),
        ("March 5, 2019", "2019-03-05T00:00:00+00:00"),
        ("March 5, 2019 3:07 PM", "2019-03-05T15:07:00+00:00"),
        ("2019-03-05", "2019-03-05T00:00:00+00:00"),
        ("2019-03-05T10:00:00Z", "2019-03-05T10:00:00+00:00"),
        ("2019-03-05T10:00:00.123456789-03:00", "2019-03-05T10:00:00.123456-03:00"),
        ("2019-03-05 10:00:00 +0900", "2019-03-05T10:00:00+09:00"),
        ("2019-03-05 10:00:00 UTC", "2019-03-05T10:00:00+00:00"),
        ("2019/3/5 10:00", "2019-03-05T10:00:00+00:00"),
        ("20190305T100000Z", "2019-03-05T10:00:00+00:00"),
        ("2019年3月5日", "2019-03-05T00:00:00+00:00"),
        ("5.3.2019 10:00", "2019-03-05T10:00:00+00:00"),
        ("Tue, 05 Mar 2019 24:00:00 +0000", "2019-03-06T00:00:00+00:00"),
        ("Sat, 31 Dec 2016 23:59:60 +0000", "2017-01-01T00:00:00+00:00"),
        ("Di, 05 Mär 2019 10:00:00 +0100", "2019-03-05T10:00:00+01:00"),
        ("mar., 05 févr. 2019 10:00:00 +0100", "2019-02-05T10:00:00+01:00"),
        ("Вт, 05 мар 2019 10:00:00 +0300", "2019-03-05T10:00:00+03:00"),
        ("5 de março de 2019 10:00", "2019-03-05T10:00:00+00:00"),
        ("wt., 05 paź 2019 10:00:00 +0200", "2019-10-05T10:00:00+02:00"),
        ("Mar, 06 Ago 2019 10:00:00 -0300", "2019-08-06T10:00:00-03:00"),
        ("Tue, 05 Mar 2019 10:00:00 +9900", "2019-03-05T10:00:00+00:00"),
    ],
)
def test_dates_are_read_as_generators_write_them(text: str, expected: str) -> None:
    found = parse_date(text)
    assert found is not None
    assert found.isoformat() == expected


def test_a_month_name_is_looked_up_in_the_feeds_language_first() -> None:
    polish, croatian = (parse_date("5 lis 2019", language) for language in ("pl-PL", "hr"))
    assert polish is not None
    assert croatian is not None
    assert (polish.month, croatian.month) == (11, 10)


def test_a_language_nobody_knows_does_not_hide_the_others() -> None:
    assert parse_date("5 März 2019", "xx-klingon") == parse_date("2019-03-05")


@pytest.mark.parametrize(
    "text",
    [None, "", "soon", "Mon, 01 Jan 0001 00:00:00 +0000", "Wed, 30 Nov -0001 00:00:00 +0000", "2019-02-30",
     "1970-01-01T00:00:00Z", "-0001-11-30T00:00:00+00:00", "03/04/2019", "5 Foo 2019", "2019-03-05T99:99:99"],
)  # fmt: skip
def test_what_is_no_date_gives_none(text: str | None) -> None:
    assert parse_date(text) is None


@given(
    st.text(max_size=60) | st.text(alphabet="0123456789-/:.T +ZMarFeb年", max_size=40), st.text(max_size=5)
)
def test_no_text_raises_and_every_date_is_aware(text: str, language: str) -> None:
    found = parse_date(text, language)
    assert found is None or found.tzinfo is not None
