"""Rows for lists are as current as the versions, whatever brings a post, and survive whatever ends a process."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import some_visits as some
from older import UNDO_REVISION_11
from projection_runs import all_rows, killed_at_statement
from some_visits import HOME, LONG
from sqlalchemy import Engine, event

from everlog.archive.projection import rebuild
from everlog.archive.projection.filters import PostFilter
from everlog.archive.verify import verify
from everlog.records import Comment, Provenance

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)


def visit(blog, name, *, at=0, **fields):
    """A visit to a post that links to another, with tags and a date."""
    text = fields.pop("text", f"{LONG} {name}")
    plain = some.post_visit(blog, HOME + name, text, at=at)
    said = {
        "title": name.title(), "tags": ("Trains", name), "authors": ("Ann Lee",), "language": "en",
        "published": NOW - timedelta(days=40), "html": f'<p>{text}</p><a href="{HOME}b">b</a>',
    }
    return replace(plain, post=replace(plain.post, **(said | fields)))


def commit(archive, blog, *visits):
    with archive.lock(blog):
        archive.commit(visits)


def gone(blog, name, *, at):
    missing = some.exchange(HOME + name, status=410, at=at)
    return some.page(blog, HOME + name, outcome="failed", exchanges=(missing,))


@pytest.fixture
def archive(place):
    with place.open() as opened:
        yield opened


@pytest.fixture
def blog(archive):
    number = archive.blogs.add(HOME, scope="path").id
    commit(archive, number, *(visit(number, name) for name in "abcd"))
    return number


def reread(archive, blog):
    """Stored pages read again, by rules that find another title, date and tag, and one that finds less."""
    for name, fields in {
        "a": {"title": "Read anew", "tags": ("maps",), "published": NOW},
        "b": {"language": None, "authors": ()},
    }.items():
        commit(archive, blog, replace(visit(blog, name, **fields), exchanges=()))


def told(archive, blog):
    """Posts that an interface of the blog told, one of which is held, and the page of one that comes later."""
    said = [replace(visit(blog, name, title=f"Told {name}"), exchanges=(), told_at=NOW) for name in "aef"]
    commit(archive, blog, *said)
    commit(archive, blog, visit(blog, "e", at=90, title="Its page", comments=(Comment(text="hello"),)))


def found_gone(archive, blog):
    """A post whose page is gone for weeks, one that comes back, and one that was edited before it went."""
    for at in range(4):
        commit(archive, blog, gone(blog, "a", at=at * 9 * 86_400), gone(blog, "b", at=at * 9 * 86_400))
    commit(archive, blog, visit(blog, "b", at=50 * 86_400, title="Back"))
    commit(archive, blog, visit(blog, "c", at=51 * 86_400, text=f"{LONG} quite another one", title="Edited"))


def other_kind(archive, blog):
    """A post that turns out to be a page, and one that lost its tags and its date."""
    commit(archive, blog, visit(blog, "a", at=90, kind="page", text=f"{LONG} about us, as it is now"))
    commit(archive, blog, visit(blog, "d", at=91, tags=(), published=None, text=f"{LONG} without anything"))


def hidden(archive, blog):
    """A post that is hidden, edited, and one that is shown again."""
    for name in "ab":
        archive.hidden.set_post(archive.listing.find(HOME + name).id, hidden=True)
    commit(archive, blog, visit(blog, "a", at=90, title="Edited and hidden", text=f"{LONG} and now otherwise"))
    archive.hidden.set_post(archive.listing.find(HOME + "b").id, hidden=False)


def unsure(archive, blog):
    """Posts with confidence, and one that is read better later."""
    for at, sure in enumerate((0.2, 0.95)):
        known = {"title": Provenance(method="selector", confidence=sure)}
        commit(archive, blog, visit(blog, "a", at=90 + at, provenance=known, text=f"{LONG} number {at} of its texts"))


@pytest.mark.parametrize("happens", [reread, told, found_gone, other_kind, hidden, unsure])
def test_rows_are_those_that_would_be_made_from_scratch_after(archive, blog, place, happens):
    before = all_rows(place)
    happens(archive, blog)
    kept = all_rows(place)
    assert kept != before
    assert list(verify(archive)) == []
    archive.listing.rebuild()
    assert all_rows(place) == kept


def test_posts_that_were_told_are_listed_before_their_pages_are_held(archive, blog):
    told(archive, blog)
    listed = {post.url: post.title for post in archive.listing(PostFilter(blog_id=blog)).posts}
    assert listed[HOME + "f"] == "Told f"
    assert listed[HOME + "e"] == "Its page"
    assert archive.overview.figures()[blog].posts == 6


def test_nothing_that_is_hidden_is_in_any_public_count_or_list(archive, blog):
    other = archive.blogs.add("http://b.example/", scope="path").id
    far = replace(visit(other, "x").post, url="http://b.example/x", tags=("secret",))
    commit(archive, other, some.post_visit(other, "http://b.example/x", LONG, at=5))
    commit(archive, other, replace(some.post_visit(other, "http://b.example/x", LONG + "!", at=9), post=far))
    archive.hidden.set_blog(other, hidden=True)
    archive.hidden.set_post(archive.listing.find(HOME + "a").id, hidden=True)
    ids = [post.id for post in archive.listing(PostFilter(kind=None)).posts]
    assert len(ids) == 5
    listing, overview = archive.listing, archive.overview
    assert {post.title for post in listing(PostFilter(public=True)).posts} == {"B", "C", "D"}
    assert listing.count(PostFilter(public=True)) == listing.count(PostFilter(tag="trains", public=True)) == 3
    assert listing.count(PostFilter(tag="secret", public=True)) == listing.count(PostFilter(tag="a", public=True)) == 0
    assert len(listing.among(ids, PostFilter(public=True))) == len(listing.summaries(ids, public=True)) == 3
    assert {post.title for post in listing.newest(public=True)} == {"B", "C", "D"}
    assert {post.title for post in listing.newest(blog_id=blog, public=True)} == {"B", "C", "D"}
    assert overview.count_blogs(public=True) == len(overview.blogs(public=True)) == 1
    assert sum(overview.months([blog], public=True)[blog].values()) == 3
    assert "a" not in {each.term for each in overview.terms(blog, "tag", public=True)}
    assert overview.count_terms(blog, "tag", public=True) == 4
    facets = overview.facets(ids, public=True)
    assert facets.posts == 3
    assert set(facets.blogs) == {blog}
    assert not {"secret", "a"} & {each.term for each in facets.tags}
    third = listing.find(HOME + "c")
    assert all(post is None or post.title != "A" for post in listing.neighbours(third, public=True))
    assert {post.title for post in listing.backlinks(listing.find(HOME + "b").id, public=True)} == {"C", "D"}
    assert sum(overview.days(blog, "2024-03", public=True).values()) == 3


def test_a_rebuild_that_is_killed_anywhere_is_done_by_the_next_one(place):
    expected = _filled(place)
    # Every seventh statement, until one comes to its end.
    for number in range(1, 1_000, 7):
        if not killed_at_statement(place, number, upgrade=False):
            break
        with place.open() as archive:
            # Who crawls meanwhile brings posts into lists that are half made.
            commit(archive, 1, visit(1, "post1", at=9_000 + number, title="Post1"))
            archive.listing.rebuild()
            assert list(verify(archive)) == []
        assert all_rows(place) == expected
    else:
        raise AssertionError("the rebuild never ended")
    assert number > 30, "the rebuild was over before it could be killed"


def test_an_upgrade_that_is_killed_while_it_makes_lists_is_done_by_the_next_one(place):
    # Nothing could be hidden in an archive of that time.
    expected = _filled(place, hides=False)
    place.change(*UNDO_REVISION_11, "update alembic_version set version_num = '0010'")
    kills = 0
    for number in range(20, 1_000, 11):
        if not killed_at_statement(place, number, upgrade=True):
            break
        kills += 1
        # All of it or nothing.
        assert place.rows("select version_num from alembic_version") == [("0010",)]
    assert kills > 3, "the upgrade was over before it could be killed"
    assert all_rows(place) == expected
    with place.open() as archive:
        assert list(verify(archive)) == []


def test_an_upgrade_makes_lists_in_batches(place):
    with place.open() as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        commit(archive, blog, *(visit(blog, f"post{number}") for number in range(2 * rebuild.AT_ONCE + 10)))
    expected = all_rows(place)
    place.change(*UNDO_REVISION_11, "update alembic_version set version_num = '0010'")
    batches = []

    def note(_connection, _cursor, statement, parameters, _context, is_many):
        if is_many and statement.lower().startswith("insert into post_summaries"):
            batches.append(len(parameters))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        place.open(create=False).close()
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    assert batches == [rebuild.AT_ONCE, rebuild.AT_ONCE, 10]
    assert all_rows(place) == expected


def _filled(place, *, hides=True):
    """An archive of some posts, with a hidden one; its rows."""
    with place.open() as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        commit(archive, blog, *(visit(blog, f"post{number}") for number in range(11)))
        archive.hidden.set_post(archive.listing.find(HOME + "post3").id, hidden=hides)
        commit(archive, blog, gone(blog, "post5", at=60))
    return all_rows(place)
