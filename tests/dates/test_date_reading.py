"""Reading dates whose format was not learned."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone

import pytest

from everlog.dates import DateFormat, Stamp, read_date
from everlog.dates.clock import read_clock
from everlog.dates.machine import read_machine
from everlog.dates.relative import read_relative, render_relative
from everlog.dates.scan import scan

FETCHED = datetime(2019, 3, 4, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment", "precision"),
    [
        ("2019-03-01T10:30:00+08:00", "2019-03-01T10:30:00+08:00", "minute"),
        ("2019-03-01 10:30:00 +0800 CST", "2019-03-01T10:30:00+08:00", "minute"),
        ("2019-03-01T10:30:00.000Z", "2019-03-01T10:30:00+00:00", "minute"),
        ("Fri, 01 Mar 2019 10:30:00 -0500", "2019-03-01T10:30:00-05:00", "minute"),
        ("Fri Mar 01 2019 10:30:00 GMT+0800 (CST)", "2019-03-01T10:30:00+08:00", "minute"),
        ("2019年3月1日 下午3:05", "2019-03-01T15:05:00+02:00", "minute"),
        ("March 1, 2019 at 12:05 am", "2019-03-01T00:05:00+02:00", "minute"),
        ("2019-03-01", "2019-03-01T00:00:00+02:00", "day"),
        ("2019-03-01T25:00", "2019-03-01T00:00:00+02:00", "day"),
        ("20190301", "2019-03-01T00:00:00+02:00", "day"),
        ("19-03-01", "2001-03-19T00:00:00+02:00", "day"),
    ],
)
def test_a_date_is_read_with_what_it_states(text: str, moment: str, precision: str) -> None:
    found = read_date(text, offset=timezone(timedelta(hours=2)), languages=["zh"])
    assert found is not None
    assert (found.moment.isoformat(), found.precision) == (moment, precision)


def test_a_learned_format_settles_the_order_of_day_and_month() -> None:
    day_first = read_date("03/04/2019", [DateFormat.parse("d/M/y|en")])
    month_first = read_date("03/04/2019", [DateFormat.parse("M/d/y|en")])
    assert day_first is not None
    assert month_first is not None
    assert (day_first.moment.month, month_first.moment.month) == (4, 3)


def test_the_language_settles_the_order_where_nothing_was_learned() -> None:
    british = read_date("03/04/2019", languages=["en-GB"])
    assert british is not None
    assert british.moment.month == 4


@pytest.mark.parametrize(
    "text",
    [
        "2019-03-01T10:30:00+00:00", "2019-03-01T10:30:00-03:30", "2019-03-01T10:30:00+15:00",
        "2019-03-01T10:30:60+01:00",
        "1889-03-01T10:30:00+01:00", "2019-02-30T10:30:00+01:00", "2019-03-01T24:30:00+01:00",
        "2019-03-01T10:30:0x+01:00",
    ],
)
def test_a_date_in_the_commonest_spelling_is_read_as_the_pattern_reads_it(text: str) -> None:
    # A blank in front is beside the point, and too long for the short cut.
    assert read_machine(text) == read_machine(f" {text}")


def test_an_implausible_year_gives_way_to_the_next_reading() -> None:
    assert read_date("1 March 1850", [DateFormat.parse("d MMMM y|en")]) is None
    assert read_machine("1850-03-01") is None
    assert read_machine("2019-13-01") is None


@pytest.mark.parametrize("language", ["en", "de", "fr", "ru", "ja", "pl"])
@pytest.mark.parametrize("hours", [2, 26, 24 * 5, 24 * 40])
def test_a_relative_text_reads_back_within_a_unit(language: str, hours: int) -> None:
    moment = FETCHED - timedelta(hours=hours)
    for text in render_relative(moment, FETCHED, language):
        stamp = read_relative(f"({text})", FETCHED, (language,))
        assert stamp is not None, text
        assert abs(stamp.day - moment.date()) <= timedelta(days=31), text


def test_hours_ago_has_the_minute_and_days_ago_the_day() -> None:
    hours = read_date("2 hours ago", fetched=FETCHED)
    days = read_date("3 days ago", fetched=FETCHED)
    assert hours is not None
    assert days is not None
    assert (hours.precision, hours.moment.hour) == ("minute", 10)
    assert (days.precision, days.moment.date().isoformat()) == ("day", "2019-03-01")


def test_a_relative_text_without_the_time_of_fetching_says_nothing() -> None:
    assert read_date("3 days ago") is None


def test_an_absurd_count_of_years_says_nothing() -> None:
    assert read_relative("9999 years ago", FETCHED, ("en",)) is None


def test_words_beyond_the_tables_are_left_to_the_last_resort() -> None:
    found = read_date("yesterday", fetched=FETCHED)
    assert found is not None
    assert found.moment.date().isoformat() == "2019-03-03"
    spelled = read_date("2019 the year, March the month 7", languages=["en"])
    assert spelled is None or spelled.moment.year == 2019


def test_a_text_of_many_words_is_no_date() -> None:
    assert read_date("word " * 40) is None
    assert read_date("chapter 12 of 14") is None


def test_a_stamp_keeps_the_offset_it_states() -> None:
    east = timezone(timedelta(hours=9))
    stamp = Stamp(FETCHED.date(), time(1, 2), east)
    assert stamp.moment(UTC).utcoffset() == timedelta(hours=9)
    assert stamp.precision == "minute"


def test_a_number_after_a_date_is_not_always_a_time() -> None:
    assert read_clock("1 march 2019 99:10", 12) == (None, None)


def test_two_dates_in_one_text_are_both_spotted() -> None:
    spots = scan("Published 1 March 2019, updated 2 April 2020", ("en",))
    assert [spot.options[0].day.isoformat() for spot in spots] == ["2019-03-01", "2020-04-02"]


def test_a_weekday_that_looks_like_a_month_is_not_one() -> None:
    spots = scan("mar. 5 nov. 2019", ("es",))
    assert [spot.options[0].day.isoformat() for spot in spots] == ["2019-11-05"]


@pytest.mark.parametrize(
    ("text", "language", "pattern"),
    [
        ("نشر بتاريخ ٢٢ سبتمبر، ٢٠٢٣ بواسطة سامي", "ar", "d MMMM، y|ar"),
        ("22 شتنبر 2023", "ar", "d MMMM y|ar"),
        ("פורסם ב־22 בספטמבר 2023", "he", "d MMMM y|he"),
        ("23年9月22日", "ja", "yy年M月d|ja"),
    ],
)
def test_months_are_known_by_the_names_of_every_country(text: str, language: str, pattern: str) -> None:
    assert [(option.format, option.day) for spot in scan(text, (language,)) for option in spot.options] == [
        (pattern, date(2023, 9, 22))
    ]


@pytest.mark.parametrize("text", ["令和5年9月22日", "平成30年9月22日"])
def test_a_year_of_an_era_is_not_taken_for_a_day(text: str) -> None:
    assert scan(text, ("ja",)) == []
