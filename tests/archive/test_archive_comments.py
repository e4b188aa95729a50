"""What an archive keeps beside the answers: what a browser drew, and which posts lack their comments."""

from __future__ import annotations

from dataclasses import replace

import pytest
import some_visits as some
from some_visits import HOME, LONG

from everlog.archive.verify import verify
from everlog.records import Comment

URL = HOME + "a"
FAILED = "failed"


@pytest.fixture
def archive(place):
    with place.open() as opened:
        yield opened


@pytest.fixture
def blog(archive):
    number = archive.blogs.add(HOME, scope="path").id
    with archive.lock(number):
        yield number


def drawn_visit(blog, body=b"<p>hello</p>", *, at=0, drawn=b"<p>drawn</p>"):
    """A visit to a post whose page was drawn, with a picture of it."""
    made = some.exchange(URL, drawn, at=at, purpose="rendered")
    picture = some.exchange(
        f"urn:fullPage:{URL}", b"\x89PNG", at=at, purpose="screenshot", headers=(("Content-Type", "image/png"),),
    )
    return some.post_visit(blog, URL, exchanges=(made, picture, some.exchange(URL, body, at=at)))


def commented(visit, state):
    return replace(visit, post=replace(visit.post, comments_state=state))


def test_what_a_browser_drew_is_found_beside_the_answer_it_was_made_from(archive, blog):
    archive.commit([drawn_visit(blog)])
    capture = archive.captures.rendering(blog, URL)
    assert archive.files.exchange(capture, purpose="rendered").body == b"<p>drawn</p>"
    assert archive.files.exchange(archive.captures.find(blog, URL)).body == b"<p>hello</p>"
    assert list(verify(archive)) == []


def test_a_drawing_of_an_older_answer_is_not_taken_for_one_of_the_newest(archive, blog):
    archive.commit([drawn_visit(blog)])
    archive.commit([some.post_visit(blog, URL, LONG + " other words", at=9)])
    assert archive.captures.rendering(blog, URL) is None


def test_a_drawing_of_an_answer_that_is_not_read_from_is_none_of_the_answer_before_or_behind_it(archive, blog):
    def current():
        return archive.files.exchange(archive.captures.rendering(blog, URL), purpose="rendered").body

    whole = drawn_visit(blog)
    login = drawn_visit(blog, b"Please log in.", at=9, drawn=b"the login, drawn")
    archive.commit([whole, replace(login, post=some.post(URL, "Please log in."))])
    assert current() == b"<p>drawn</p>"
    archive.commit([some.page(blog, URL, outcome="unchanged", exchanges=(some.exchange(URL, b"", status=304, at=19),))])
    assert current() == b"<p>drawn</p>"
    archive.commit([replace(whole, exchanges=whole.exchanges[-1:])])
    assert current() == b"<p>drawn</p>"


def test_a_page_that_did_not_change_keeps_its_drawing(archive, blog):
    archive.commit([drawn_visit(blog)])
    archive.commit([some.page(blog, URL, outcome="unchanged", exchanges=(some.exchange(URL, b"", status=304, at=9),))])
    assert archive.captures.rendering(blog, URL) is not None
    assert list(verify(archive)) == []


def test_drawings_and_pictures_are_no_other_addresses_of_a_post(archive, blog):
    archive.commit([drawn_visit(blog)])
    (post,) = archive.posts()
    assert post.aliases == ()
    assert list(archive.captures(blog)) == [archive.captures.find(blog, URL)]


def test_posts_without_their_comments_are_remembered_until_these_are_had(archive, blog):
    archive.commit([commented(some.post_visit(blog, URL), FAILED), some.post_visit(blog, HOME + "b", some.LONG + " b")])
    assert archive.comments.lacking(blog, most_tries=3) == ("a.example/a",)
    assert archive.comments.count_failed(blog) == 1
    archive.commit([commented(some.post_visit(blog, URL, at=5), "complete")])
    assert archive.comments.lacking(blog, most_tries=3) == ()
    assert archive.comments.count_failed(blog) == 0


def test_comments_are_read_without_the_rest_of_their_posts(archive, blog, monkeypatch):
    monkeypatch.setattr("everlog.archive.repos.comments.AT_ONCE", 2)
    talk = (Comment(id="7", author="Bea", text="Nice."), Comment(id="8", author="Cem", text="So it is."))
    visits = [some.post_visit(blog, HOME + name, f"{some.LONG} {name}") for name in "abc"]
    archive.commit([replace(each, post=replace(each.post, comments=talk)) for each in visits])
    found = list(archive.comments.of_posts(blog, ["a.example/c", "a.example/a", "a.example/b", "a.example/d"]))
    assert found == [(f"a.example/{name}", HOME + name, talk) for name in "abc"]


def test_comments_that_were_asked_for_in_vain_too_often_are_not_asked_for_again(archive, blog):
    for at in range(3):
        assert len(archive.comments.lacking(blog, most_tries=3)) == min(at, 1)
        archive.commit([commented(some.post_visit(blog, URL, at=at), FAILED)])
    assert archive.comments.lacking(blog, most_tries=3) == ()
    assert archive.comments.count_failed(blog) == 1
