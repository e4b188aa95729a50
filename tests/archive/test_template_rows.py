"""The templates of before a redesign, and which of all was in force when."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from everlog.archive.archive import ArchiveOptions
from everlog.records import Event

if TYPE_CHECKING:
    from collections.abc import Iterator

    from places import Place

    from everlog.archive import Archive
    from everlog.records import Blog

FIRST = datetime(2024, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def archive(place: Place) -> Iterator[Archive]:
    with place.open(options=ArchiveOptions(min_free_bytes=0)) as opened:
        yield opened


@pytest.fixture
def blog(archive: Archive) -> Blog:
    return archive.blogs.add("https://a.blog/", scope="path")


def known_since(moment: datetime | None) -> str:
    return json.dumps({"learned_at": moment.isoformat()} if moment else {})


def test_a_blog_that_was_not_learned_has_nothing_to_keep(archive, blog):
    changed = archive.blogs.change_template(
        blog.id, template="one", knowledge=known_since(FIRST), at=FIRST, reason="first",
    )
    assert changed.template == "one"
    assert archive.blogs.templates(blog.id) == ()


def test_each_template_is_in_force_until_the_next(archive, blog):
    archive.blogs.update(blog.id, template="one", knowledge=known_since(FIRST))
    for number, name in enumerate(("two", "three"), 1):
        at = FIRST + number * DAY
        archive.blogs.change_template(
            blog.id, template=name, knowledge=known_since(at), at=at, reason=f"{name} is better",
        )
    assert [each.template for each in archive.blogs.templates(blog.id)] == ["one", "two"]
    assert [each.learned_at for each in archive.blogs.templates(blog.id)] == [FIRST, FIRST + DAY]
    assert [each.retired_at for each in archive.blogs.templates(blog.id)] == [FIRST + DAY, FIRST + 2 * DAY]


def test_what_an_older_version_learned_has_no_first_day(archive, blog):
    archive.blogs.update(blog.id, template="one", knowledge=known_since(None))
    archive.blogs.change_template(blog.id, template="two", knowledge=known_since(FIRST), at=FIRST, reason="redesigned")
    former, = archive.blogs.templates(blog.id)
    assert former.learned_at is None
    assert former.retired_at == FIRST


def test_the_word_of_it_is_kept_with_the_change_or_not_at_all(archive, blog):
    archive.blogs.update(blog.id, template="one", knowledge=known_since(FIRST))
    event = Event(blog_id=blog.id, kind="redesigned", at=FIRST, reason="it looks different")
    archive.blogs.change_template(
        blog.id, template="two", knowledge=known_since(FIRST), at=FIRST, reason="redesigned", events=[event],
    )
    assert [each.reason for each in archive.events(blog_id=blog.id)] == ["it looks different"]
    unreadable = Event(blog_id=blog.id, kind="redesigned", at=FIRST, reason="x", detail={"not": object()})
    with pytest.raises(TypeError):
        archive.blogs.change_template(
            blog.id, template="three", knowledge=known_since(FIRST), at=FIRST, reason="again", events=[unreadable],
        )
    assert archive.blogs()[0].template == "two"
    assert len(archive.blogs.templates(blog.id)) == 1


def test_other_blogs_keep_theirs(archive, blog):
    other = archive.blogs.add("https://b.blog/", scope="path")
    archive.blogs.update(blog.id, template="one", knowledge=known_since(FIRST))
    archive.blogs.change_template(blog.id, template="two", knowledge=known_since(FIRST), at=FIRST, reason="redesigned")
    assert archive.blogs.templates(other.id) == ()
