"""What was noted of pages: posts that look unlike the others are one thing, pages that may be posts another."""

from __future__ import annotations

import pytest

from archive import some_visits as some
from archive.some_visits import HOME
from everlog.archive import open_archive
from everlog.usecases.page_doubts import page_doubts

ADDRESS_ONLY = "its address looks like a post, its markup does not"
MARKUP_ONLY = "its markup looks like a post, its address does not"


@pytest.fixture
def archive(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as opened:
        yield opened


@pytest.fixture
def blog(archive):
    number = archive.blogs.add(HOME, scope="path").id
    with archive.lock(number):
        yield number


def test_a_post_that_is_held_is_in_no_doubt_however_its_page_looks(archive, blog):
    archive.commit([
        some.post_visit(blog, HOME + "2021/old", note=ADDRESS_ONLY),
        some.post_visit(blog, HOME + "2024/new"),
        some.page(blog, HOME + "2021/lost", note=f"{ADDRESS_ONLY}: a page"),
        some.page(blog, HOME + "essay", note=f"{MARKUP_ONLY}: a page"),
    ])
    unlike, doubtful = page_doubts(blog, archive)
    assert (unlike.kind, unlike.are_held, unlike.pages) == ("unlike", True, ((HOME + "2021/old", ADDRESS_ONLY),))
    assert unlike.sentence == "1 post that is held looks unlike the others, by its page or its address"
    assert (doubtful.kind, doubtful.are_held) == ("in doubt", False)
    assert [url for url, _ in doubtful.pages] == [HOME + "2021/lost", HOME + "essay"]
    assert doubtful.sentence == "2 pages may be posts and were not recognised as such"


def test_another_address_of_a_post_that_is_held_is_in_no_doubt_either(archive, blog):
    archive.commit([some.post_visit(blog, HOME + "2021/old")])
    archive.commit([some.post_visit(blog, HOME + "print/old", note=MARKUP_ONLY)])
    assert archive.blogs.figures(blog).aliases == 1
    assert [(each.kind, each.pages) for each in page_doubts(blog, archive)] == [
        ("unlike", ((HOME + "print/old", MARKUP_ONLY),)),
    ]


def test_a_post_without_one_of_its_pages_is_told_apart(archive, blog):
    archive.commit([
        some.post_visit(blog, HOME + "long", note="incomplete: page 2 could not be fetched: answers 404"),
    ])
    [found] = page_doubts(blog, archive)
    assert found.kind == "incomplete"
    assert found.sentence == "1 post is held without a further page, which could not be fetched"


def test_where_nothing_was_noted_there_is_no_doubt(archive, blog):
    archive.commit([some.post_visit(blog, HOME + "1"), some.page(blog, HOME + "about")])
    assert page_doubts(blog, archive) == ()
