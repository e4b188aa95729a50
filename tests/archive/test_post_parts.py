"""All that belongs to a post is known, row by row and file by file."""

from __future__ import annotations

from datetime import timedelta

import pytest
import some_visits as some
from places import KINDS, Place
from some_visits import HOME, LONG

from everlog.archive.db import schema
from everlog.archive.repos.post_parts import PARTS
from everlog.archive.verify import verify
from everlog.records import Media

URL, OTHER, COPY, PICTURE = (HOME + name for name in ("a", "b", "copy", "p.png"))


@pytest.fixture(params=KINDS)
def archive(request, tmp_path):
    url = None if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    with Place(folder=tmp_path / "archive", url=url).open() as archive:
        yield archive


def test_what_belongs_to_a_post_is_told_and_nothing_of_another(archive):
    blog = archive.blogs.add(HOME, scope="path").id
    picture = (Media(url=PICTURE),)
    with archive.lock(blog):
        first, other = archive.commit([
            some.post_visit(blog, URL, text=f"{LONG} one", media=picture), some.post_visit(blog, OTHER, text=LONG),
        ])
        archive.commit([some.post_visit(blog, URL, text=f"{LONG} one, edited by hand", media=picture, at=1)])
        archive.commit([some.post_visit(blog, COPY, text=f"{LONG} one, edited by hand", media=picture, at=2)])
        archive.commit([some.media_visit(blog, PICTURE)])
        archive.posts.rechecks.plan(blog, now=some.START, most=timedelta(days=90))
    belongs = archive.posts.belongings(first.post_id)
    assert (belongs.key, belongs.blog_id, belongs.versions) == ("a.example/a", blog, (1, 2))
    assert belongs.aliases == (COPY,)
    assert (belongs.indexed, belongs.has_recheck, len(belongs.events)) == (2, True, 1)
    assert [archive.exchange(archive.captures.find(blog, url)).url for url in (URL, COPY)] == [URL, COPY]
    assert sorted(belongs.captures) == [1, 3, 4]
    assert all(archive.folder.joinpath(place.file).exists() for place in belongs.captures.values())
    [path] = belongs.media
    assert archive.folder.joinpath(path).exists()
    alone = archive.posts.belongings(other.post_id)
    assert (alone.versions, alone.aliases, alone.media, len(alone.captures)) == ((1,), (), (), 1)
    assert archive.posts.belongings(99) is None


def test_every_table_that_names_a_post_is_a_part_of_it():
    named = {table for table in schema.metadata.tables.values() if "post_id" in table.c}
    assert named == PARTS.keys()


def test_a_part_of_a_post_of_another_blog_is_a_finding(archive):
    blog, other = (archive.blogs.add(f"http://{name}.example/", scope="path").id for name in "ab")
    with archive.lock(blog):
        archive.commit([some.post_visit(blog, URL)])
        archive.posts.rechecks.plan(blog, now=some.START, most=timedelta(days=90))
    with archive.backend.database.writing() as connection:
        connection.execute(schema.rechecks.update().values(blog_id=other))
    assert [finding.text for finding in verify(archive)] == ["a recheck of a post of another blog"]
