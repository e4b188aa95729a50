"""The right to write: who has it, who gets it next, and what becomes of those who come too late."""

from __future__ import annotations

import threading

import pytest

from everlog.archive import open_archive
from everlog.archive.db import schema
from everlog.archive.lease_holder import LeaseHolder
from everlog.errors import ArchiveBusy, LeaseLost


@pytest.fixture
def archives(postgres_url, tmp_path):
    """The same archive as two processes see it."""
    with (
        open_archive(postgres_url, create=True, files=tmp_path / "files") as first,
        open_archive(postgres_url, create=True, files=tmp_path / "files") as second,
    ):
        yield first, second


def take_away(archive):
    """What a keeper does with the grants of the silent."""
    with archive.backend.database.writing(fenced=False) as connection:
        connection.execute(schema.grants.delete())


def test_a_blog_is_crawled_by_one_process_at_a_time(archives):
    first, second = archives
    blog = first.blogs.add("http://a.example/", scope="path")
    with first.lock(blog.id), pytest.raises(ArchiveBusy, match=r"a\.example is being crawled by"), second.lock(blog.id):
        pass
    with second.lock(blog.id):
        pass


def test_two_blogs_of_one_host_wait_for_each_other_and_others_do_not(archives):
    first, second = archives
    one = first.blogs.add("http://a.example/one/", scope="path")
    two = first.blogs.add("http://a.example/two/", scope="path")
    elsewhere = first.blogs.add("http://b.example/", scope="path")
    with first.lock(one.id), first.lock(two.id):
        with pytest.raises(ArchiveBusy), second.lock(two.id):
            pass
        with second.lock(elsewhere.id):
            pass


def test_what_comes_too_late_is_refused_and_nothing_of_it_is_stored(archives):
    late, other = archives
    blog = late.blogs.add("http://a.example/", scope="path")
    with late.lock(blog.id):
        take_away(other)
        with other.lock(blog.id):
            with pytest.raises(LeaseLost):
                late.blogs.update(blog.id, title="too late")
            other.blogs.update(blog.id, title="in time")
        assert other.blogs.find(blog.home).title == "in time"


def test_a_process_that_lost_its_grant_gets_another_for_its_next_blog(archives):
    sleeper, other = archives
    blog = sleeper.blogs.add("http://a.example/", scope="path")
    lease_holder = sleeper.backend.locks.lease_holder
    with sleeper.lock(blog.id):
        first = lease_holder.fence
        take_away(other)
    with sleeper.lock(blog.id):
        assert lease_holder.fence > first
        sleeper.blogs.update(blog.id, title="awake")


def test_a_word_is_given_from_time_to_time_and_its_refusal_is_noticed(archives):
    archive, other = archives
    beaten, lost = threading.Event(), threading.Event()
    lease_holder = LeaseHolder(archive.leases, "a worker", heartbeat_seconds=0.01)

    def heard():
        (lost if lease_holder.is_lost else beaten).set()

    lease_holder.take_over(archive.leases.begin("a worker"), ["a.example"], on_heartbeat=heard)
    assert beaten.wait(300)
    take_away(other)
    assert lost.wait(300)
    lease_holder.close()


def test_a_grant_is_given_back_at_the_end(archives):
    archive, other = archives
    blog = archive.blogs.add("http://a.example/", scope="path")
    with archive.lock(blog.id):
        pass
    archive.backend.locks.lease_holder.close()
    with other.backend.database.reading() as connection:
        assert connection.execute(schema.grants.select()).all() == []


def test_a_host_whose_crawl_was_killed_is_free_once_it_was_silent_for_long_enough(archives):
    first, second = archives
    blog = first.blogs.add("http://a.example/", scope="path")
    with first.lock(blog.id):
        first.backend.locks.lease_holder.stop_heartbeats()
        with second.backend.database.writing() as connection:
            connection.execute(schema.grants.update().values(beat=schema.grants.c.beat - 16))
        with second.lock(blog.id), pytest.raises(LeaseLost):
            first.blogs.update(blog.id, title="too late")
