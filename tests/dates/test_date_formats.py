"""A date rendered in any format of any language is read back as the same day."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlog.dates import DateFormat, read_date, targets
from everlog.dates.names import is_known, names_of
from everlog.dates.scan import scan
from everlog.dates.stamps import offset_of, plausible, read_offset
from everlog.dates.targets import usual_formats

LANGUAGES = (
    "en", "en-GB", "de", "fr", "es", "pt", "pt-BR", "it", "nl", "pl", "cs", "ru", "uk", "tr", "sv", "da",
    "nb", "fi", "hu", "ro", "el", "ca", "id", "vi", "ja", "ko", "zh", "zh-TW", "hi", "lt",
)  # fmt: skip
DAYS = st.dates(date(1990, 1, 1), date(2089, 12, 31))


@settings(max_examples=300, deadline=None)
@given(day=DAYS, language=st.sampled_from(LANGUAGES), data=st.data())
def test_a_day_rendered_in_a_usual_format_reads_back_as_the_same_day(
    day: date, language: str, data: st.DataObject
) -> None:
    form = data.draw(st.sampled_from(usual_formats(language)))
    text = form.render(datetime.combine(day, time(10, 30), UTC))
    stamp = form.read(text)
    assert stamp is not None, (text, form)
    assert stamp.day == day, (text, form)


@settings(max_examples=200, deadline=None)
@given(day=DAYS, language=st.sampled_from(LANGUAGES), data=st.data())
def test_a_rendered_day_is_spotted_without_knowing_its_format(
    day: date, language: str, data: st.DataObject
) -> None:
    form = data.draw(st.sampled_from([f for f in usual_formats(language) if "yy" not in f.pattern]))
    text = f"x {form.render(datetime.combine(day, time(10, 30), UTC))} x"
    days = {option.day for spot in scan(text, (language, "en")) for option in spot.options}
    assert day in days, (text, form)


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    scan(text, ("en", "vi"))
    DateFormat.parse("d MMMM y|vi").read(text)


def test_a_format_survives_its_text_form() -> None:
    form = DateFormat("d 'de' MMMM 'de' y", "pt-BR")
    assert DateFormat.parse(str(form)) == form


@pytest.mark.parametrize(
    ("text", "pattern", "day"),
    [
        ("March 1st, 2019", "MMMM d, y|en", date(2019, 3, 1)),
        ("Mar. 1, 2019", "MMMM d, y|en", date(2019, 3, 1)),
        ("01 Sept 2019", "d MMMM y|en", date(2019, 9, 1)),
        ("1er mars 2019", "d MMMM y|fr", date(2019, 3, 1)),
        ("Donnerstag, 1. Jänner 2015", "d MMMM y|de", date(2015, 1, 1)),
        ("1 Tháng Mười Hai, 2019", "d MMMM, y|vi", date(2019, 12, 1)),
        ("3/4/19", "d/M/yy|en", date(2019, 4, 3)),
        ("٢٢ سبتمبر، ٢٠٢٣", "d MMMM، y|ar", date(2023, 9, 22)),
        ("22 أيلول 2023", "d MMMM y|ar", date(2023, 9, 22)),
        ("22 كانون الثاني 2023", "d MMMM y|ar", date(2023, 1, 22)),
        ("22 במרץ 2023", "d MMMM y|he", date(2023, 3, 22)),
    ],
)
def test_spellings_that_people_use_are_read(text: str, pattern: str, day: date) -> None:
    stamp = DateFormat.parse(pattern).read(text)
    assert stamp is not None
    assert stamp.day == day


@pytest.mark.parametrize("text", ["31 February 2019", "1 Foo 2019", "Copyright 2019", "", "2019"])
def test_what_is_no_date_is_not_read(text: str) -> None:
    assert DateFormat.parse("d MMMM y|en").read(text) is None


def test_an_impossible_time_leaves_the_day() -> None:
    stamp = DateFormat.parse("y-MM-dd HH:mm|en").read("2019-03-01 77:12")
    assert stamp is not None
    assert (stamp.day, stamp.clock) == (date(2019, 3, 1), None)


def test_a_pattern_with_a_repeated_field_is_read() -> None:
    stamp = DateFormat.parse("d d MMMM y|en").read("1 1 March 2019")
    assert stamp is not None


def test_targets_hold_the_day_at_the_offset_of_the_feed_and_in_utc() -> None:
    moment = datetime(2019, 3, 1, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    texts = targets(moment, ["en"])
    assert "March 1, 2019" in texts
    assert "March 2, 2019" in texts


def test_targets_hold_relative_texts_when_the_time_of_fetching_is_known() -> None:
    moment = datetime(2019, 3, 1, tzinfo=UTC)
    assert "vor 3 Tagen" in targets(moment, ["de"], moment + timedelta(days=3))
    assert "3 days ago" not in targets(moment, ["en"])


def test_a_naive_moment_is_rendered_as_it_is() -> None:
    assert "2019-03-01" in targets(datetime(2019, 3, 1), ["en"])  # noqa: DTZ001


def test_an_unknown_language_is_read_as_english() -> None:
    assert names_of("tlh-AA").months["march"] == 3
    assert not is_known("tlh")


def test_offsets_beyond_the_earth_are_none() -> None:
    assert read_offset("+99:00") is None
    assert offset_of(-15 * 60) is None
    assert read_offset(None) is None


def test_years_far_ahead_of_fetching_are_not_plausible() -> None:
    fetched = datetime(2019, 3, 1, tzinfo=UTC)
    assert plausible(date(2021, 1, 1), fetched)
    assert not plausible(date(2022, 1, 1), fetched)
    assert read_date("1 March 2030", fetched=fetched) is None


@pytest.mark.parametrize(("day", "text"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (24, "24th")])
def test_english_ordinals(day: int, text: str) -> None:
    assert DateFormat("do MMMM", "en").render(datetime(2019, 3, day, tzinfo=UTC)) == f"{text} March"
