"""All that belongs to a post is known, row by row and file by file."""

from __future__ import annotations

from datetime import timedelta

import pytest
import some_visits as some
from places import KINDS, Place
from some_visits import HOME

from everlog.archive.db import schema
from everlog.archive.repos.post_parts import PARTS
from everlog.archive.verify import verify

URL, OTHER, COPY, PICTURE = (HOME + name for name in ("a", "b", "copy", "p.png"))


@pytest.fixture(params=KINDS)
def archive(request, tmp_path):
    url = None if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    with Place(folder=tmp_path / "archive", url=url).open() as archive:
        yield archive


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
