"""The calendar of a blog: a year at a time, with a link for every day that has posts."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from archive import some_visits as some
from everlog.archive import open_archive
from everlog.records import Provenance
from web.served_archive import serving
from web.some_blogs import add_posts

LONG = "http://long.example/"


def test_every_day_with_posts_is_a_link_to_them(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        add_posts(archive, LONG, 60, title="A long life")
        with serving(archive) as served:
            last = served.page("/calendar/long.example").text
            first = served.page("/calendar/long.example?year=2020").text
            days = re.findall(r'href="/blog/long\.example\?month=(\d{4}-\d\d-\d\d)"', first)
            assert len(days) == len(set(days)) == 40
            assert all(day.startswith("2020-") for day in days)
            assert 'aria-label="15 January 2020: 1 post"' in first
            assert '<a href="/blog/long.example?month=2020-01">January</a> <span class="quiet">2<' in first
            assert '<a id="year-after" href="?year=2021">' in first
            assert "month=2021-06-29" in last
            assert '<a id="year-before" rel="prev" href="?year=2020">' in last
            assert "Post 0<" in served.page("/blog/long.example?month=2020-01-15").text
            assert first.count("<table") == 12


@pytest.mark.parametrize("query", ["year=1999", "year=x", "year=%3Cscript%3E", "year=20200"])
def test_a_year_without_posts_leads_to_the_last_one_with_some(tmp_path, query):
    with open_archive(tmp_path / "archive", create=True) as archive:
        add_posts(archive, LONG, 2)
        with serving(archive) as served:
            answer = served.page(f"/calendar/long.example?{query}")
            assert answer.status == 200
            assert ">2020</a>" in answer.said


def test_posts_of_which_only_the_month_is_known_or_nothing_are_told(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = archive.blogs.add(LONG, scope="path").id
        dates = (datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC), None)
        with archive.lock(blog):
            archive.commit([some.page(blog, f"{LONG}{number}", outcome="post", post=some.post(
                f"{LONG}{number}", f"number{number} " * 50, title=f"Post {number}", published=date,
                provenance={"published": Provenance(method="x", confidence=0.9, precision="month")},
            ), exchanges=(
                some.exchange(f"{LONG}{number}", b"%d" % number, at=number),
            )) for number, date in enumerate(dates)])
        with serving(archive) as served:
            for year in ("0001", "9999"):
                text = served.page(f"/calendar/long.example?year={year}").text
                assert "Of 1 post only the month is known" in text
                assert "1 post without a date" in text


def test_a_blog_without_dated_posts_and_one_that_is_not_there(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        archive.blogs.add(LONG, scope="path")
        with serving(archive) as served:
            assert "has a date" in served.page("/calendar/long.example").text
            assert served.page("/calendar/nowhere.example").status == 404


def test_in_public_hidden_posts_are_on_no_day(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        add_posts(archive, LONG, 3)
        archive.hidden.set_post(archive.listing.find(LONG + "0").id, hidden=True)
        with serving(archive, public=True) as public:
            text = public.page("/calendar/long.example").text
            assert "2020-01-15" not in text
            assert "2 posts" in text
