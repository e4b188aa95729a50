"""Posts per year, as text and as a picture."""

from __future__ import annotations

import pytest
from lxml import etree

from everlog.history.completeness.verdict import Gap
from everlog.history.completeness.year_bars import bar_lines, years_of
from everlog.history.completeness.year_chart import chart_of

SVG = "{http://www.w3.org/2000/svg}"


def gaps(year, count):
    return [Gap(url=f"https://a.org/{number}", reason="HTTP 404", year=year) for number in range(count)]


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_no_line_of_bars_is_wider_than_the_screen(width):
    years = years_of({year: 3 ** (year - 2010) for year in range(2010, 2020)}, missing=gaps(2012, 2))
    assert max(map(len, bar_lines(years, width))) <= width


def test_one_missing_post_among_thousands_shows():
    lines = bar_lines(years_of({2019: 5_000}, excused=gaps(2019, 1), missing=gaps(2019, 1)), 80)
    assert all(sign in lines[0] for sign in "█▒░")
    assert lines[0].endswith("5,002")
    assert lines[-1] == "█ held  ▒ excused  ░ missing"


def test_posts_without_a_year_come_last_and_a_blog_without_posts_has_no_bars():
    assert [year.label for year in years_of({None: 1, 2020: 2})] == ["2020", "undated"]
    assert bar_lines(years_of({}), 80) == []


def test_many_years_without_a_post_are_one_line_and_a_few_are_shown():
    """One wrong date in a sitemap would make a century of empty lines."""
    years = years_of({2020: 12, 2026: 1}, missing=gaps(1912, 1))
    assert [line.split()[0] for line in bar_lines(years, 80)] == [
        "1912", "…", "2020", *map(str, range(2021, 2027)), "█",
    ]
    root = etree.fromstring(chart_of(years, title="a", sentence="b").encode())
    assert [text.text for text in root.iter(f"{SVG}text")].count("…") == 1
    assert root.findtext(f"{SVG}desc").startswith("b. 1912: 0 held, 1 missing; …; 2020: 12 held; 2021: 0 held")


def test_the_picture_is_valid_says_what_it_shows_and_escapes_titles():
    years = years_of({2019: 30, 2020: 15}, excused=gaps(2019, 2), missing=gaps(2020, 5))
    root = etree.fromstring(chart_of(years, title="Fish & <chips>\x1b", sentence="not all posts are here").encode())
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title") == "Posts per year of Fish & <chips>"
    described = root.findtext(f"{SVG}desc")
    assert described == "not all posts are here. 2019: 30 held, 2 excused; 2020: 15 held, 5 missing"
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {"held: 45", "excused: 2", "missing: 5", "2019", "2020", "posts", "year"} <= set(texts)


@pytest.mark.parametrize("count", [0, 1, 30, 130])
def test_the_picture_has_room_for_any_number_of_years(count):
    years = years_of({1900 + number: number for number in range(1, count + 1)})
    root = etree.fromstring(chart_of(years, title="a", sentence="b").encode())
    named = [text.text for text in root.iter(f"{SVG}text") if (text.text or "").isdecimal() and len(text.text) == 4]
    assert len([name for name in named if 1900 < int(name) < 2100]) <= 17
