"""What a program sees of records and dates: one line each, the export's object, dates in any spelling."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone
from importlib.metadata import version

import pytest

import everlog
from everlog.archive import open_archive
from everlog.core.moments import as_moment
from everlog.errors import UsageError
from everlog.export.jsonl import post_to_line

LONG = "A title that goes on and on, as if nobody would ever have to read it on one line of a terminal " * 3
URL = f"https://a.blog.example/{'a-long-name-' * 20}"
WHEN = datetime(2024, 5, 31, 12, tzinfo=UTC)
RECORDS = {
    "a post": (
        everlog.Post(url="https://a.blog/1", title="Rain", published=WHEN, comments=(everlog.Comment(),) * 3),
        "<Post 'Rain' https://a.blog/1 2024-05-31, 3 comments>",
    ),
    "a post without a title": (everlog.Post(url="https://a.blog/1"), "<Post https://a.blog/1>"),
    "a post with one comment": (
        everlog.Post(url="https://a.blog/1", comments=(everlog.Comment(),)), "<Post https://a.blog/1, 1 comment>",
    ),
    "a page": (
        everlog.Page(url="https://a.blog/1", body=b"x" * 12_345, content_type="text/html"),
        "<Page https://a.blog/1, 12,345 bytes, text/html>",
    ),
    "a comment": (
        everlog.Comment(author="Ann", published=WHEN, text="So true.\n\nAnd more."),
        "<Comment by Ann 2024-05-31 'So true. And more.'>",
    ),
    "a comment of nobody": (everlog.Comment(), "<Comment>"),
    "an entry": (
        everlog.Entry(link="https://a.blog/1", title="Rain", published=WHEN),
        "<Entry 'Rain' https://a.blog/1 2024-05-31>",
    ),
    "a feed": (
        everlog.Feed(url="https://a.blog/feed", title="A Blog", entries=(everlog.Entry(link="/1"),) * 2),
        "<Feed 'A Blog' https://a.blog/feed, 2 entries>",
    ),
    "media": (
        everlog.Media(url="https://a.blog/a.png", path="media/aa/a.png", type="image/png", bytes=1_234),
        "<Media https://a.blog/a.png, 1,234 bytes, image/png>",
    ),
    "media that could not be had": (
        everlog.Media(url="https://a.blog/a.png"), "<Media https://a.blog/a.png, not kept>",
    ),
    "a blog": (
        everlog.Blog(id=1, home="https://a.blog/", title="A Blog", state="finished", added_at=WHEN),
        "<Blog 'A Blog' https://a.blog/, finished>",
    ),
    "a hit": (
        everlog.Hit(
            url="https://a.blog/1", blog="https://a.blog/", title="Rain", authors=(), published=WHEN, score=3.219,
            where="comment", marked_title=(), snippet=(),
        ),
        "<Hit 'Rain' https://a.blog/1 2024-05-31, score 3.22, in a comment>",
    ),
}
HUGE = {
    "a post": everlog.Post(
        url=URL, title=LONG, text=LONG, html=LONG, published=WHEN, comments=(everlog.Comment(),) * 9_999,
    ),
    "a page": everlog.Page(url=URL, body=b"x" * 10**6, content_type=LONG),
    "a comment": everlog.Comment(author=LONG, text=LONG, html=LONG, published=WHEN),
    "an entry": everlog.Entry(link=URL, title=LONG, content=LONG, published=WHEN),
    "a feed": everlog.Feed(url=URL, title=LONG, entries=(everlog.Entry(link=URL),) * 99),
    "media": everlog.Media(url=URL, path=URL, type=LONG, bytes=10**12),
    "a blog": everlog.Blog(id=1, home=URL, title=LONG, template=LONG, knowledge=LONG, added_at=WHEN),
    "a hit": everlog.Hit(
        url=URL, blog=URL, title=LONG, authors=(LONG,), published=WHEN, score=3.2, where="text", marked_title=(),
        snippet=((LONG, False),),
    ),
}


@pytest.mark.parametrize(("record", "shown"), RECORDS.values(), ids=RECORDS)
def test_a_record_is_shown_by_what_it_is_known_by(record, shown):
    assert repr(record) == shown


@pytest.mark.parametrize("record", HUGE.values(), ids=HUGE)
def test_no_record_takes_more_than_a_line(record):
    assert len(repr(record)) <= 100
    assert "\n" not in repr(record)


def test_an_archive_and_a_template_are_shown_on_one_line(tmp_path, template):
    with open_archive(tmp_path / "kept", create=True) as archive:
        assert repr(archive) == f"<Archive {tmp_path / 'kept'}>"
    with open_archive(tmp_path / "kept", read_only=True) as archive:
        assert repr(archive) == f"<Archive {tmp_path / 'kept'}, read-only>"
    assert repr(template) == "<Template of https://a.blog/, learned from 5 posts>"


def test_a_post_as_plain_data_is_the_line_of_the_export():
    post = everlog.Post(
        url="https://a.blog/1", title="Rain", published=WHEN, tags=("sea",), warc=("warc/1.warc.gz", 7),
        comments=(everlog.Comment(id="1", published=WHEN, text="So true."),),
        media=(everlog.Media(url="https://a.blog/a.png", bytes=3),),
        provenance={"published": everlog.Provenance(method="selector", rule="time", precision="day")},
    )
    assert post.to_dict() == json.loads(post_to_line(post))
    assert list(post.to_dict()) == list(json.loads(post_to_line(post)))
    assert post.to_dict()["published"] == "2024-05-31T12:00:00+00:00"


@pytest.mark.parametrize(
    "since",
    [
        "2024-05-31", "2024-05-31T00:00", "2024-05-31T00:00+00:00", "2024-05-31T02:00:00+02:00", date(2024, 5, 31),
        datetime(2024, 5, 31), datetime(2024, 5, 31, tzinfo=UTC),  # noqa: DTZ001 - what people give
        datetime(2024, 5, 31, 2, tzinfo=timezone(timedelta(hours=2))),
    ],
    ids=repr,
)
def test_a_day_is_midnight_in_utc_however_it_is_given(since):
    assert as_moment(since) == datetime(2024, 5, 31, tzinfo=UTC)
    assert as_moment(since).tzinfo is not None


@pytest.mark.parametrize("since", ["yesterday", "", "31.5.2024", "2024-13-01", 1717113600])
def test_what_is_no_date_says_how_dates_are_given(since, tmp_path):
    calls = [
        lambda: as_moment(since),
        lambda: everlog.update("https://a.blog/", since),
        lambda: archive.posts(since=since),
        lambda: archive.events(since=since),
        lambda: archive.export("jsonl", tmp_path / "out.jsonl", since=since),
    ]
    with open_archive(tmp_path / "kept", create=True) as archive:
        for call in calls:
            with pytest.raises(UsageError, match="is not a date") as raised:
                call()
            assert raised.value.advice == "give it as 2024-05-31 or 2024-05-31T12:00+02:00"


def test_the_version_is_that_of_the_package_and_costs_nothing():
    assert everlog.__version__ == version("everlog")
    light = "import sys, everlog; everlog.__version__; print('lxml' in sys.modules or 'sqlalchemy' in sys.modules)"
    asked = subprocess.run([sys.executable, "-c", light], capture_output=True, text=True, check=True)
    assert asked.stdout == "False\n"
