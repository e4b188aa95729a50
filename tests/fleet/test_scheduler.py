"""Who hands out what is due, and takes in what is to be watched."""

from __future__ import annotations

import pytest

from everlog.archive.db import schema
from everlog.core.urls import canonical
from everlog.errors import ServiceDown
from everlog.fleet.scheduler import Scheduler

MANY = 1_000


def add_finished_blogs(archive, count):
    """Blogs that were crawled to their end, and that nobody has watched yet."""
    homes = [f"https://blog-{number}.example/" for number in range(count)]
    rows = [
        {"key": canonical(home), "home": home, "scope": "path", "state": "finished", "added_at": "2024-05-01T12:00:00Z"}
        for home in homes
    ]
    with archive.backend.database.writing() as connection:
        connection.execute(schema.blogs.insert(), rows)


@pytest.mark.slow
def test_all_blogs_that_were_crawled_are_watched_before_a_single_look_ends(archive, job_queue):
    add_finished_blogs(archive, MANY)
    Scheduler(archive, job_queue, "a scheduler").run(once=True)
    assert archive.polls.count_watched() == MANY


def test_nobody_rests_before_all_blogs_that_were_crawled_are_watched(archive, job_queue):
    add_finished_blogs(archive, MANY)
    scheduler = Scheduler(archive, job_queue, "a scheduler", sleep=lambda _: scheduler.stop())
    scheduler.run()
    assert archive.polls.count_watched() == MANY


def test_a_broker_that_is_away_is_rested_for_though_blogs_are_to_be_watched(archive, job_queue, caplog):
    job_queue.broker = "redis://127.0.0.1:1/0"
    add_finished_blogs(archive, MANY)
    scheduler = Scheduler(archive, job_queue, "a scheduler", sleep=lambda _: scheduler.stop())
    scheduler.run()
    assert 0 < archive.polls.count_watched() < MANY
    assert "retrying" in caplog.text


def test_a_database_that_is_away_is_rested_for(archive, job_queue):
    looks = []

    def no_answer():
        looks.append("a look")
        raise ServiceDown("the database does not answer")

    scheduler = Scheduler(archive, job_queue, "a scheduler", now=no_answer, sleep=lambda _: scheduler.stop())
    scheduler.run()
    assert looks == ["a look"]
