"""When comments were written."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from everlog.comments.dating import locate_dates, read_dates, stated_dates
from everlog.core.tree import parse

NOW = datetime(2024, 5, 5, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("12. März 2014 um 10:31", "2014-03-12 10:31"), ("2014年3月12日 10:31 AM", "2014-03-12 10:31"),
        ("March 12th, 2014 at 10:31 am", "2014-03-12 10:31"), ("12 mars 2014 à 10 h 31 min", "2014-03-12 10:31"),
        ("10:31 pm on March 12th, 2014", "2014-03-12 22:31"), ("12 March, 2014 @ 10:31 am", "2014-03-12 10:31"),
        ("12 марта 2014 в 10:31", "2014-03-12 10:31"), ("2014年3月12日 下午10:31", "2014-03-12 22:31"),
        ("12 maart 2014 om 10:31", "2014-03-12 10:31"), ("2014. 3. 12. 오후 10:31", "2014-03-12 22:31"),
        ("12 de marzo de 2014 a las 10:31", "2014-03-12 10:31"), ("12 Mart 2014, 10:31", "2014-03-12 10:31"),
        ("12.03.2014, 10:31", "2014-03-12 10:31"), ("2014-03-12 @ 10:31", "2014-03-12 10:31"),
        ("1394620260", "2014-03-12 10:31"), ("il y a 3 jours", "2024-05-02 00:00"), ("3 days ago", "2024-05-02 00:00"),
        ("2 tahun yang lalu", "2022-05-06 00:00"), ("a year ago", "2023-05-05 12:00"),
        ("yesterday", "2024-05-04 12:00"), ("Reply", None), ("3 Comments", None), ("13:45", None), ("", None),
    ],
)
def test_dates_are_read_in_the_languages_of_themes(text, moment):
    (found,) = read_dates([[text]], ["en"], NOW)
    assert (None if found is None else f"{found:%Y-%m-%d %H:%M}") == moment


def days(texts: list[str], languages: tuple[str, ...] = ("en",)) -> list[str]:
    return [f"{moment:%Y-%m-%d}" if moment else "" for moment in read_dates([[text] for text in texts], languages, NOW)]


def test_one_certain_date_tells_how_the_others_are_written():
    assert days(["03/04/2014", "25/04/2014", "05/04/2014"]) == ["2014-04-03", "2014-04-25", "2014-04-05"]
    assert days(["03/04/2014", "04/25/2014"]) == ["2014-03-04", "2014-04-25"]


def test_comments_follow_each_other_in_time_and_are_not_from_the_future():
    assert days(["03/05/2014", "12/05/2014", "02/06/2014"]) == ["2014-05-03", "2014-05-12", "2014-06-02"]
    assert days(["04/06/2024"]) == ["2024-04-06"]
    assert days(["06/04/2024"]) == ["2024-04-06"]
    assert days(["03/04/2014"]) == ["2014-03-04"]
    assert days(["03/04/2014"], ("en-GB",)) == ["2014-04-03"]


def test_texts_that_are_no_dates_stop_costing_time():
    texts = [f"Reader number {'x' * (n % 50)} of day {n}" for n in range(300)]
    assert days([*texts, "March 12th, 2014"])[-1] == ""
    assert days(["March 12th, 2014", *texts, "March 13th, 2014"])[-1] == "2014-03-13"


def test_many_formats_on_one_page_are_all_read():
    signs = [f"{first}{second}" for first in ".-/|" for second in ".-/|"]
    assert days([f"March{sign}1{sign}2019" for sign in signs]) == ["2019-03-01"] * len(signs)


def test_dates_far_in_the_future_are_none():
    assert days(["March 1, 2019", "March 1, 2050"]) == ["2019-03-01", ""]


def test_what_is_told_twice_is_read_once():
    assert days(["a year ago", "a year ago", "March 1, 1066"]) == ["2023-05-05", "2023-05-05", ""]


def test_the_text_that_states_the_date_is_told():
    located = locate_dates([["Permalink", "1 March 2019"], ["#"]], ["en"])
    assert located == [(datetime(2019, 3, 1, tzinfo=UTC), 1), None]


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<time datetime='2019-03-01'>1 March</time>", ["2019-03-01", "1 March"]),
        ("<p data-time=1551434400 data-id=7 title='Friday'>1 March</p>", ["1551434400", "Friday", "1 March"]),
        ("<p title=x>on <abbr title='2019-03-01'>Friday</abbr></p>", ["2019-03-01", "x", "on Friday"]),
        ("<meta content='2019-03-01'>", ["2019-03-01", "2019-03-01"]),
    ],
)
def test_an_element_states_its_date_for_programs_first(html, texts):
    assert list(stated_dates(parse(f"<div>{html}</div>".encode()).find("body/div")[0])) == texts
