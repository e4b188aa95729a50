"""Captures of others as rows: numbers, labels, the queue, media and which answer counts, in every kind of archive."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import some_visits as some
from some_visits import HOME, LONG
from sqlalchemy import select

from everlog.archive.db import schema
from everlog.archive.verify import verify

URL = HOME + "a"
OLD = datetime(2012, 3, 1, tzinfo=UTC)


@pytest.fixture
def archive(place):
    with place.open() as opened:
        yield opened
        assert list(verify(opened)) == []


@pytest.fixture
def blog(archive):
    added = archive.blogs.add(HOME, scope="path")
    with archive.lock(added.id):
        yield added.id


def foreign(blog, text, days=0, *, url=URL, row="done", origin="import"):
    """A capture that others made so many days after the first of them."""
    at = OLD + timedelta(days=days)
    answer = some.exchange(url, text.encode(), at=1000 + days, origin=origin, captured_at=at, source_uri="a.warc")
    post = some.post(url, text, origin=origin, captured=at, fetched=at)
    return some.page(blog, url, outcome="post", exchanges=(answer,), post=post, foreign=row)


def live(blog, text=LONG, *, at=0):
    visit = some.post_visit(blog, URL, text, at=at)
    return replace(visit, post=replace(visit.post, fetched=visit.exchanges[-1].fetched_at))


def kept(archive, *visits):
    return [(word.kept, word.version) for word in archive.commit(visits)]


def numbers(archive):
    return [(post.version, post.origin, post.captured) for post in archive.versions(URL)]


def answers(archive, blog):
    capture = archive.captures.find(blog, URL)
    return capture.origin, capture.captured_at


def rows(archive, table):
    with archive.backend.database.reading() as connection:
        return connection.execute(select(table)).all()


def test_beside_a_live_copy_numbers_go_down_and_the_copy_stays(archive, blog):
    archive.commit([live(blog)])
    assert kept(archive, foreign(blog, LONG + " two", 2), foreign(blog, LONG + " one", 1)) == [
        ("earlier", 1), ("earlier", 1),
    ]
    assert kept(archive, foreign(blog, LONG, 3)) == [("same", 1)]
    assert numbers(archive) == [
        (-1, "import", OLD + timedelta(days=1)), (0, "import", OLD + timedelta(days=2)), (1, "live", None),
    ]
    assert archive.posts.find(URL).text == LONG
    assert answers(archive, blog) == ("live", None)


def test_below_a_text_that_was_told_stands_the_first_page_of_it(archive, blog):
    told = replace(live(blog), exchanges=(), told_at=OLD + timedelta(days=9))
    archive.commit([told])
    assert kept(archive, foreign(blog, LONG, 1), foreign(blog, LONG, 2)) == [("earlier", 1), ("same", 1)]
    assert kept(archive, foreign(blog, LONG, 3)) == [("same", 1)]
    assert numbers(archive) == [(0, "import", OLD + timedelta(days=1)), (1, "live", None)]
    assert archive.posts.find(URL).warc is None


def test_without_one_they_are_the_post_until_it_comes(archive, blog):
    first = [foreign(blog, LONG + " one", 1), foreign(blog, LONG + " two", 2), foreign(blog, LONG + " none", 0)]
    assert kept(archive, *first) == [("new", 1), ("changed", 2), ("earlier", 2)]
    assert answers(archive, blog) == ("import", OLD + timedelta(days=2))
    assert kept(archive, live(blog, LONG + " two", at=5000)) == [("same", 3)]
    assert [number for number, *_ in numbers(archive)] == [0, 1, 2, 3]
    assert (archive.posts.find(URL).origin, answers(archive, blog)) == ("live", ("live", None))
    assert kept(archive, live(blog, LONG + " two", at=6000)) == [("same", 3)]


def test_all_of_it_in_one_batch_is_the_same(archive, blog):
    visits = [
        foreign(blog, LONG + " one", 1), foreign(blog, LONG + " two", 2), live(blog, at=5000),
        foreign(blog, LONG + " none", 0),
    ]
    assert kept(archive, *visits) == [("new", 1), ("changed", 2), ("changed", 3), ("earlier", 3)]
    assert [number for number, *_ in numbers(archive)] == [0, 1, 2, 3]


def test_the_queue_stays_as_the_live_web_left_it(archive, blog):
    failed = some.page(blog, URL, outcome="failed", exchanges=(some.exchange(URL, b"gone", status=404),))
    archive.commit([failed])
    archive.commit([foreign(blog, LONG), some.page(blog, HOME + "list", foreign="done")])
    assert archive.urls.state(blog, "a.example/a") == ("failed", 1)
    assert archive.urls.state(blog, "a.example/list") == ("done", 0)
    archive.commit([foreign(blog, LONG + " else", url=HOME + "b"), some.page(blog, HOME + "more", foreign="queued")])
    assert archive.urls.state(blog, "a.example/b") == ("queued", 0)
    assert archive.urls.state(blog, "a.example/more") == ("queued", 0)


def test_a_picture_of_others_takes_no_picture_s_place(archive, blog):
    url = HOME + "a.png"
    archive.commit([some.media_visit(blog, url, b"\x89PNG live")])
    archive.commit([some.media_visit(blog, url, b"\x89PNG older", foreign="done")])
    row, = rows(archive, schema.media)
    file = next(each for each in rows(archive, schema.media_files) if each.sha256 == row.sha256)
    assert file.bytes == len(b"\x89PNG live")


def test_a_body_that_is_held_is_referred_to_with_its_own_time(archive, blog):
    archive.commit([live(blog)])
    archive.commit([foreign(blog, LONG, 7)])
    capture = next(each for each in rows(archive, schema.captures) if each.origin == "import")
    assert capture.original_id is not None
    assert capture.captured_at == "2012-03-08T00:00:00.000000Z"
    assert archive.captures.is_held(blog, foreign(blog, LONG, 7).exchanges[0])
    assert not archive.captures.is_held(blog, foreign(blog, LONG, 8).exchanges[0])
