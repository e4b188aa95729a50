"""The outcome policy: what becomes of a job when its slice ends."""

from __future__ import annotations

import pytest

from everlog.archive.db import schema
from everlog.core.retry_policy import JOB_FIRST_SECONDS, JOB_TRIES
from everlog.fleet.outcomes import OutcomePolicy
from everlog.settings import make_settings
from everlog.usecases.crawl.report import Report, Tally
from fleet.a_fleet import crawl_jobs

URL = "http://a.example/"


def blocked(**tally):
    return Report(blog=URL, ending="blocked", reason="answers 429", tally=Tally(blog=URL, **tally))


@pytest.fixture
def tried(archive):
    """Do slices of one job that all end with the same report, as soon as each may be done; the ends of them."""

    def do(report, times):
        [job] = crawl_jobs(archive, [URL])
        ends = []
        for _ in range(times):
            lease = archive.jobs.claim(job.id, "only")
            end = OutcomePolicy(lease, archive, make_settings({})).after(report, make_settings({}))
            archive.leases.end(lease.fence, end)
            ends.append(end)
            with archive.backend.database.writing() as connection:
                connection.execute(schema.jobs.update().values(due_at="2020-01-01T00:00:00.000000Z"))
            archive.jobs.wake()
        return ends

    return do


def test_a_server_that_closes_the_door_and_names_no_time_is_asked_ever_later_and_then_no_more(tried):
    ends = tried(blocked(guessed_wait=True), JOB_TRIES)
    assert [end.wait_seconds for end in ends[:-1]] == [JOB_FIRST_SECONDS * 2**tries for tries in range(JOB_TRIES - 1)]
    assert ends[-1].end == "dead"
    assert "answers 429" in ends[-1].reason


def test_one_that_gave_posts_before_is_asked_again_as_if_for_the_first_time(tried):
    ends = tried(blocked(guessed_wait=True, new_posts=3), JOB_TRIES + 1)
    assert {(end.end, end.wait_seconds) for end in ends} == {("later", JOB_FIRST_SECONDS)}
