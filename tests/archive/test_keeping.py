"""What becomes of a post that is read again: an edit, the same, or less than what is held."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import some_visits as some
from some_visits import HOME, LONG, START
from sqlalchemy import select

from everlog.archive.db import schema
from everlog.archive.verify import verify
from everlog.records import Comment, Provenance

URL = HOME + "a"
NOW = datetime(2030, 1, 1, tzinfo=UTC)
NICE = Comment(id="1", author="Jo", text="Nice.", published=NOW)


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


def visit(blog, *, at=0, text=LONG, body=None, **changes):
    """A visit that reads this from a page with this body."""
    answer = some.exchange(URL, (body or f"{text} {at}").encode(), at=at)
    return some.page(blog, URL, outcome="post", exchanges=(answer,), post=some.post(URL, text, **changes))


def kept(archive, *visits):
    return [word.kept for word in archive.commit(visits)]


def rows(archive, table):
    with archive.backend.database.reading() as connection:
        return connection.execute(select(table)).all()


# What is no edit


def test_a_reading_that_differs_in_white_space_is_the_version_that_is_held(archive, blog):
    archive.commit([visit(blog)])
    assert kept(archive, visit(blog, at=9, text=LONG.replace(" ", "  "))) == ["same"]
    assert [post.text for post in archive.posts.versions(URL)] == [LONG]


def test_what_changed_around_a_post_is_kept_current_without_a_version(archive, blog):
    comments = {"comments": (NICE,), "comments_state": "complete"}
    archive.commit([visit(blog, comment_count_claimed=1, language="en", **comments)])
    again = {**comments, "comments_state": "partial"}
    assert kept(archive, visit(blog, at=9, comment_count_claimed=4, language="de", updated=NOW, **again)) == ["same"]
    [post] = archive.posts.versions(URL)
    assert (post.comment_count_claimed, post.comments_state, post.language, post.updated) == (4, "partial", "de", NOW)
    assert kept(archive, visit(blog, at=19, **again)) == ["same"]
    assert archive.posts.find(URL).comment_count_claimed == 4


def test_what_becomes_known_of_a_comment_is_added_and_its_first_date_stays(archive, blog):
    undated = replace(NICE, published=None, url=None)
    other = Comment(id="2", author="Al", text="Hm.", published=NOW)
    archive.commit([visit(blog, comments=(undated, other))])
    later = replace(other, published=NOW.replace(day=4))
    assert kept(archive, visit(blog, at=9, comments=(replace(NICE, url=URL + "#1"), later))) == ["same"]
    first, second = archive.posts.find(URL).comments
    assert (first.published, first.url, second.published) == (NOW, URL + "#1", NOW)


def test_a_reading_that_was_found_the_same_is_known_the_next_time(archive, blog):
    archive.commit([visit(blog)])
    before = rows(archive, schema.posts)[0].digest
    for at in (9, 19):
        assert kept(archive, visit(blog, at=at, tags=(), title=" A title ")) == ["same"]
    assert rows(archive, schema.posts)[0].digest != before


def test_an_unchanged_post_of_an_archive_with_other_digests_gets_no_version(archive, blog):
    archive.commit([visit(blog)])
    with archive.backend.database.writing() as connection:
        connection.execute(schema.posts.update().values(digest="made otherwise"))
    assert kept(archive, visit(blog, at=9)) == ["same"]
    assert rows(archive, schema.posts)[0].digest != "made otherwise"
    assert len(archive.posts.versions(URL)) == 1


def test_the_held_version_is_compared_and_not_the_last_reading(archive, blog):
    archive.commit([visit(blog, html="<p>a</p>")])
    assert kept(archive, visit(blog, at=9, html="<div>a</div>")) == ["same"]
    assert archive.posts.find(URL).html == "<p>a</p>"
    assert kept(archive, visit(blog, at=19, html="<p>a</p>")) == ["same"]


def test_readings_of_one_batch_are_compared_with_each_other(archive, blog):
    words = archive.commit([
        visit(blog), visit(blog, at=1, text=LONG.replace(" ", "\n"), comment_count_claimed=3),
        visit(blog, at=2, text=LONG + " more"), visit(blog, at=3, text="Gone."),
        visit(blog, at=4, text=f" {LONG} more", language="en"),
    ])
    assert [(word.kept, word.version) for word in words] == [
        ("new", 1), ("same", 1), ("changed", 2), ("truncated", 2), ("same", 2),
    ]
    assert [
        (post.comment_count_claimed, post.language) for post in archive.posts.versions(URL)
    ] == [(3, None), (None, "en")]


def test_a_corrected_version_is_still_found_by_searching(archive, blog):
    archive.commit([visit(blog, title="Tides", comments=(NICE,))])
    archive.commit([visit(blog, at=9, title="Tides", comments=(NICE,), language="en")])
    archive.commit([visit(blog, at=19, title="Storms", comments=(NICE,))])
    assert archive.search.count("tides") == 0
    assert archive.search.count("storms") == 1


# Edits


def test_an_edited_comment_is_a_new_version_and_the_old_one_stays(archive, blog):
    archive.commit([visit(blog, comments=(NICE,))])
    assert kept(archive, visit(blog, at=9, comments=(replace(NICE, text="Not nice."),))) == ["changed"]
    assert [post.comments[0].text for post in archive.posts.versions(URL)] == ["Nice.", "Not nice."]


def test_a_removed_comment_stays_in_the_version_before(archive, blog):
    archive.commit([visit(blog, comments=(NICE, Comment(id="2", text="Spam!")))])
    assert kept(archive, visit(blog, at=9, comments=(NICE,))) == ["changed"]
    assert [len(post.comments) for post in archive.posts.versions(URL)] == [2, 1]


def test_comments_that_a_theme_does_not_show_any_more_are_not_removed(archive, blog):
    comments = {"comments": (NICE,), "comments_state": "complete", "comment_count_claimed": 1}
    archive.commit([visit(blog, **comments)])
    assert kept(archive, visit(blog, at=9)) == ["same"]
    assert kept(archive, visit(blog, at=19, text=LONG + " more")) == ["changed"]
    assert kept(archive, visit(blog, at=29, text=LONG + " more")) == ["same"]
    assert kept(archive, visit(blog, at=39, text=LONG + " more and more")) == ["changed"]
    assert {
        (post.comments, post.comments_state, post.comment_count_claimed) for post in archive.posts.versions(URL)
    } == {
        ((NICE,), "complete", 1),
    }
    assert archive.blogs.counts(blog).comments == 1
    assert {event.kind for event in archive.events()} == {"edited"}


def test_an_edit_does_not_lose_what_the_page_does_not_say_any_more(archive, blog):
    said = {"title": "A title", "authors": ("Ada",), "tags": ("sea",), "published": NOW, "language": "en"}
    by = {"published": Provenance(method="selector", precision="day")}
    archive.commit([visit(blog, **said, provenance=by)])
    silent = {"title": None, "authors": (), "tags": ()}
    assert kept(archive, visit(blog, at=9, text=LONG + " more", **silent)) == ["changed"]
    post = archive.posts.find(URL)
    assert (post.version, post.text) == (2, LONG + " more")
    assert {name: getattr(post, name) for name in said} == said
    assert post.provenance["published"].precision == "day"
    assert [each.published for each in archive.posts(since=NOW)] == [NOW]
    assert kept(archive, visit(blog, at=19, text=LONG + " more", **silent)) == ["same"]


def test_a_stored_page_that_is_read_again_may_say_less(archive, blog):
    archive.commit([visit(blog)])
    again = replace(visit(blog, text="Word0 is all that is left.", title="A  title"), exchanges=())
    assert kept(archive, again) == ["changed"]
    assert archive.posts.find(URL).title == "A  title"
    assert [version.same_page for version in archive.posts.history(URL)] == [False, True]


def test_what_another_template_takes_along_is_no_edit(archive, blog):
    archive.commit([visit(blog)])
    other = visit(blog, at=9, text=f"Menu {LONG} Share", title="A title | A blog")
    assert kept(archive, replace(other, other_template=True)) == ["same"]
    assert kept(archive, visit(blog, at=19, text=f"Menu {LONG} Share it")) == ["changed"]


# Less than what is held


def test_a_truncated_reading_replaces_nothing_however_often_it_comes(archive, blog):
    archive.commit([visit(blog, comments=(NICE,), comments_state="complete")])
    for at in (9, 19):
        words = archive.commit([visit(blog, at=at, text="Please log in.", body="the login", comments_state="failed")])
        assert [(word.kept, word.version) for word in words] == [("truncated", 1)]
    assert [post.text for post in archive.posts.versions(URL)] == [LONG]
    assert rows(archive, schema.posts)[0].comments_state == "complete"
    assert len(rows(archive, schema.captures)) == 3


def test_the_page_of_a_truncated_reading_is_stored_but_not_read_from_again(archive, blog):
    archive.commit([visit(blog, body="the article")])
    archive.commit([visit(blog, at=9, text="Please log in.", body="the login")])
    assert archive.files.exchange(archive.captures.find(blog, URL)).body == b"the article"
    assert [archive.files.exchange(each).body for each in archive.captures(blog)] == [b"the article"]


def test_the_article_is_back_after_a_truncated_reading(archive, blog):
    archive.commit([visit(blog)])
    archive.commit([visit(blog, at=9, text="Please log in.")])
    assert kept(archive, visit(blog, at=19), visit(blog, at=29, text=LONG + " more")) == ["same", "changed"]


def test_a_truncated_reading_does_not_bring_a_post_back_that_is_gone(archive, blog):
    archive.commit([visit(blog)])
    missing = some.exchange(URL, b"no", status=410, at=5)
    archive.commit([some.page(blog, URL, outcome="failed", reason="gone (410)", exchanges=(missing,))])
    archive.commit([visit(blog, at=9, text="This page does not exist.")])
    assert archive.posts.find(URL).gone is not None
    archive.commit([visit(blog, at=19)])
    assert archive.posts.find(URL).gone is None


def test_the_addresses_on_the_way_to_a_truncated_page_are_no_addresses_of_the_post(archive, blog):
    archive.commit([visit(blog)])
    hops = (some.exchange(URL, b"", status=302, at=9), some.exchange(HOME + "login", b"Please log in.", at=9))
    truncated = replace(visit(blog, text="Please log in."), exchanges=(*hops, some.exchange(URL, b"log in", at=9)))
    assert kept(archive, truncated) == ["truncated"]
    assert archive.posts.find(URL).aliases == ()


# The times of versions


def test_the_history_of_a_post_has_the_times_at_which_it_was_read(archive, blog):
    archive.commit([visit(blog), visit(blog, at=9, text=LONG + " more")])
    first, second = archive.posts.history(HOME + "a/?utm_source=x")
    assert (first.post, second.post) == archive.posts.versions(URL)
    assert (first.read_at, second.read_at) == (START, START + timedelta(seconds=9))
    assert not second.same_page
    assert archive.posts.history(HOME + "nowhere") == ()


def test_the_history_can_be_had_with_pictures_still_on_the_web(archive, blog):
    picture = HOME + "sea.png"
    shown = {"html": f'<img src="{picture}">', "media": (some.picture(picture),)}
    archive.commit([visit(blog, **shown), some.media_visit(blog, picture)])
    assert "media/" in archive.posts.history(URL)[0].post.html
    assert picture in archive.posts.history(URL, as_read=True)[0].post.html


# What is behind a version


def test_an_edit_that_was_taken_back_is_what_not_modified_is_about(archive, blog):
    for at, text in enumerate((LONG, LONG + " and more", LONG)):
        archive.commit([visit(blog, at=at, text=text, body=text)])
    silent = some.exchange(URL, b"", status=304, at=9)
    archive.commit([some.page(blog, URL, outcome="unchanged", exchanges=(silent,))])
    assert archive.files.exchange(archive.captures.find(blog, URL)).body == LONG.encode()
