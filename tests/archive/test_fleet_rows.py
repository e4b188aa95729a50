"""Jobs, grants, leases, turns and workers, on each database."""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select, text

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_of, stamp
from everlog.archive.db.postgres import PostgresDatabase
from everlog.archive.db.sqlite import SqliteDatabase
from everlog.archive.job_models import QUEUES, Job, NewJob, SliceResult
from everlog.archive.models import Poll
from everlog.archive.repos import polls
from everlog.archive.repos.job_rows import clock_of
from everlog.archive.repositories import Repositories
from everlog.errors import LeaseLost
from everlog.schedule.poll_schedule import Polling
from everlog.schedule.rhythm import rhythm_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
DONE = SliceResult(end="done", reason="all is here")
AGAIN = SliceResult(end="again", reason="its time was over", requests=10, posts=2)
PATIENCE: dict[str, Any] = {"timeout_seconds": 15.0, "most_tries": 3, "progress": 20}


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Repositories]:
    yield from _opened(
        SqliteDatabase(tmp_path / "everlog.sqlite") if request.param == "sqlite"
        else PostgresDatabase(request.getfixturevalue("postgres_url")),
    )


@pytest.fixture
def shared(postgres_url: str) -> Iterator[Repositories]:
    """On PostgreSQL, where several write at once."""
    yield from _opened(PostgresDatabase(postgres_url))


def _opened(database: SqliteDatabase | PostgresDatabase) -> Iterator[Repositories]:
    try:
        with database.writing() as connection:
            schema.metadata.create_all(connection)
        yield Repositories(database)
    finally:
        database.close()


def add(store: Repositories, *urls: str, **rest: Any) -> list[Job]:
    return list(store.jobs.add([NewJob(**{"kind": "crawl", "url": url, **rest}) for url in urls]))


def rows(store: Repositories, table: Any) -> list[Any]:
    with store.jobs.database.reading() as connection:
        return list(connection.execute(select(table).order_by(*table.primary_key)))


def the_job(store: Repositories, job_id: int) -> Any:
    return next(row for row in rows(store, schema.jobs) if row.id == job_id)


def silence(store: Repositories, fence: int, seconds: float = 60.0) -> None:
    """As if a worker had given its last word some time earlier."""
    with store.jobs.database.writing() as connection:
        grants = schema.grants
        connection.execute(grants.update().where(grants.c.fence == fence).values(beat=grants.c.beat - seconds))


def an_hour_passes(store: Repositories) -> None:
    """As if all that jobs wait for were an hour nearer."""
    with store.jobs.database.writing() as connection:
        for row in connection.execute(select(schema.jobs).where(schema.jobs.c.due_at.is_not(None))).all():
            earlier = stamp(moment_of(row.due_at) - timedelta(hours=1))
            connection.execute(schema.jobs.update().where(schema.jobs.c.id == row.id).values(due_at=earlier))


def claimed(store: Repositories, job_id: int, worker: str = "w1") -> Any:
    grant = store.jobs.claim(job_id, worker)
    assert grant is not None
    return grant


def watched(store: Repositories, *homes: str, due_at: datetime = NOW) -> list[int]:
    """Blogs that are watched, and due a second apart."""
    found = []
    for number, home in enumerate(homes):
        blog = store.blogs.add(home, scope="host")
        store.blogs.update(blog.id, state="finished", feed_url=f"{home}feed")
        store.polls.set(a_poll(blog.id, due_at + timedelta(seconds=number)))
        found.append(blog.id)
    return found


def a_poll(blog_id: int, due_at: datetime, **rest: Any) -> Poll:
    return Poll(blog_id=blog_id, polling=Polling(due_at=due_at, why="a test", rhythm=rhythm_of((), NOW)), **rest)


def poll_rows(store: Repositories) -> dict[int, Any]:
    return {row.blog_id: row for row in rows(store, schema.polls)}


def scheduled(store: Repositories, *, batch: int = 100, most: int = 1_000) -> tuple[Job, ...]:
    return store.polls.schedule(now=NOW + timedelta(hours=1), batch=batch, most=most)


def test_a_job_is_queued_once_for_each_kind_and_address(store):
    first = add(store, "https://a.example/", "https://b.example/", "http://www.A.example")
    assert [(job.url, job.host, job.state, job.queue) for job in first] == [
        ("https://a.example/", "a.example", "queued", "crawl"), ("https://b.example/", "b.example", "queued", "crawl"),
    ]
    assert add(store, "https://a.example/#top") == []
    (update,) = add(store, "https://a.example/", kind="update", settings={"max_pages": 3}, needs_browser=True)
    assert (update.queue, update.settings) == ("update.browser", {"max_pages": 3})
    assert list(store.jobs.queued()) == [*first, update]
    assert store.jobs.count_queued() == dict.fromkeys(QUEUES, 0) | {"crawl": 2, "update.browser": 1}


@pytest.mark.slow
def test_ten_thousand_jobs_are_added_in_the_order_they_were_given(store):
    urls = [f"https://blog{number * 7919 % 10_000}.example/" for number in range(10_000)]
    assert [job.url for job in add(store, *urls)] == urls
    assert [job.url for job in store.jobs.queued()] == urls
    assert add(store, *urls) == []


def test_no_queue_gets_longer_than_it_may_be_and_what_is_parked_follows_as_there_is_room(store):
    jobs = [NewJob(kind="crawl", url=f"https://blog{number}.example/") for number in range(10)]
    update = NewJob(kind="update", url="https://blog0.example/")
    added = store.jobs.add([*jobs, update], most_queued=4)
    assert [job.state for job in added] == ["queued"] * 5 + ["parked"] * 6
    assert store.jobs.count_queued() == dict.fromkeys(QUEUES, 0) | {"crawl": 4, "update": 1}
    assert store.jobs.wake(most_queued=4) == ()
    # Adding the list again moves nothing.
    assert store.jobs.add(jobs, most_queued=4) == ()
    for job in added[:2]:
        store.leases.end(claimed(store, job.id).fence, DONE)
    assert [job.url for job in store.jobs.wake(most_queued=4)] == ["https://blog4.example/", "https://blog5.example/"]
    assert store.jobs.wake(most_queued=4) == ()
    assert len(store.jobs.wake(most_queued=100)) == 4


def test_jobs_that_are_revived_fill_no_queue_either(store):
    for job in add(store, *(f"https://blog{number}.example/" for number in range(5))):
        store.leases.end(claimed(store, job.id).fence, SliceResult(end="dead", reason="no such host"))
    assert [store.jobs.revive(limit=3), store.jobs.revive(limit=3), store.jobs.revive(limit=3)] == [3, 2, 0]
    assert len(store.jobs.wake(most_queued=4)) == 4
    again = store.jobs.add([NewJob(kind="crawl", url="https://blog9.example/")], most_queued=4)
    assert [job.state for job in again] == ["parked"]


def test_a_job_that_was_given_up_or_waits_for_a_time_is_taken_up_when_it_is_added_again(store):
    dead, waiting, running, queued = add(store, *(f"https://{name}.example/" for name in "abcd"))
    store.leases.end(claimed(store, dead.id).fence, SliceResult(end="dead", reason="no such host", failed=True))
    later = SliceResult(end="later", reason="503", wait_seconds=3600.0, failed=True)
    store.leases.end(claimed(store, waiting.id).fence, later)
    claimed(store, running.id)
    assert (the_job(store, dead.id).state, the_job(store, waiting.id).tries) == ("dead", 1)
    again = add(store, *(f"https://{name}.example/" for name in "dcba"), settings={"media": False})
    assert [(job.id, job.state, job.tries, job.reason, job.due_at) for job in again] == [
        (dead.id, "queued", 0, None, None), (waiting.id, "queued", 0, None, None),
    ]
    assert again[0].settings == {"media": False}
    # Somebody wants it now, whatever was wanted before.
    assert again[0].added_at > dead.added_at
    assert (the_job(store, running.id).state, the_job(store, queued.id).state) == ("running", "queued")


def test_texts_that_no_database_takes_do_no_harm(store):
    (job,) = add(store, "https://a.example/\x00b\ud800", settings={"agent": "x\x00"})
    grant = claimed(store, job.id, "w\x00")
    store.leases.end(grant.fence, SliceResult(end="dead", reason="why\x00"))
    assert [dead.reason for dead in store.jobs.dead(limit=5)] == ["why\ufffd"]


def test_addresses_of_any_length_can_be_jobs(store):
    long = "https://a.example/" + "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=20_000))  # noqa: S311
    assert len(add(store, long, long + "x")) == 2
    assert add(store, long) == []


def test_a_claimed_job_is_nobody_elses(store):
    (job,) = add(store, "https://a.example/")
    grant = claimed(store, job.id)
    assert (grant.job.state, grant.hosts, grant.job.id) == ("running", ("a.example",), job.id)
    assert store.jobs.claim(job.id, "w2") is None
    assert store.jobs.claim(12345, "w2") is None
    assert list(store.jobs.queued()) == []


def test_fencing_numbers_are_never_given_twice(store):
    first = store.leases.begin("w1")
    store.leases.end(first)
    second = store.leases.begin("w1")
    assert second > first
    (job,) = add(store, "https://a.example/")
    assert claimed(store, job.id).fence > second


def test_a_job_whose_host_is_busy_is_parked_and_comes_back_when_the_host_is_free(store):
    one, two, three = add(store, *(f"https://a.example/{name}/" for name in "xyz"))
    grant = claimed(store, one.id, "w1")
    assert store.jobs.claim(two.id, "w2") is None
    assert store.jobs.claim(three.id, "w2") is None
    parked = the_job(store, two.id)
    assert (parked.state, parked.due_at) == ("parked", None)
    assert parked.reason == "waiting for a.example, which w1 is crawling"
    assert len(rows(store, schema.grants)) == 1
    assert store.jobs.wake() == ()
    # The one that waited goes first; the other waits on.
    assert [(job.id, job.state) for job in store.leases.end(grant.fence, AGAIN)] == [
        (two.id, "queued"), (one.id, "queued"),
    ]
    grant = claimed(store, two.id, "w2")
    assert store.jobs.claim(one.id, "w1") is None
    assert [job.id for job in store.leases.end(grant.fence, DONE)] == [three.id]
    assert [row.id for row in rows(store, schema.jobs)] == [one.id, three.id]


def test_what_a_slice_did_is_added_to_its_job(store):
    (job,) = add(store, "https://a.example/")
    for _ in range(2):
        (again,) = store.leases.end(claimed(store, job.id).fence, AGAIN)
    assert (again.slices, again.requests, again.posts, again.tries, again.reason) == (2, 20, 4, 0, "its time was over")
    (job,) = store.leases.end(claimed(store, job.id).fence, SliceResult(end="again", reason="", needs_browser=True))
    assert job.queue == "crawl.browser"
    assert store.jobs.count_queued()["crawl.browser"] == 1


def test_failures_in_a_row_are_counted(store):
    (job,) = add(store, "https://a.example/")
    for failed, tries in ((True, 1), (True, 2), (False, 0), (True, 1)):
        end = SliceResult(end="later", reason="503", wait_seconds=0.0, failed=failed)
        assert store.leases.end(claimed(store, job.id).fence, end) == ()
        assert (the_job(store, job.id).state, the_job(store, job.id).tries) == ("parked", tries)


def test_a_job_that_waits_for_a_time_is_not_claimed_before_and_woken_then(store):
    (job,) = add(store, "https://a.example/")
    store.leases.end(claimed(store, job.id).fence, SliceResult(end="later", reason="503", wait_seconds=3600.0))
    assert 3_500 < (moment_of(the_job(store, job.id).due_at) - store.jobs.now()).total_seconds() <= 3_600
    assert store.jobs.claim(job.id, "w1") is None
    assert store.jobs.wake() == ()
    an_hour_passes(store)
    (woken,) = store.jobs.wake()
    assert (woken.id, woken.state) == (job.id, "queued")
    claimed(store, job.id)


def test_of_the_jobs_that_wait_for_one_host_one_is_woken_at_a_time(store):
    jobs = add(store, *(f"https://a.example/{number}/" for number in range(4)), "https://b.example/")
    fence = store.leases.begin("by hand")
    assert store.leases.lease_host(fence, "a.example") is None
    assert [store.jobs.claim(job.id, "w1") is None for job in jobs] == [True] * 4 + [False]
    silence(store, fence)
    assert store.leases.expire(**PATIENCE) == ()
    assert [job.id for job in store.jobs.wake()] == [jobs[0].id]
    assert store.jobs.wake() == ()
    grant = claimed(store, jobs[0].id)
    assert store.jobs.wake() == ()
    assert [job.id for job in store.leases.end(grant.fence, DONE)] == [jobs[1].id]


def test_a_job_whose_time_has_come_stands_in_line_for_its_busy_host(store):
    one, two = add(store, "https://a.example/x/", "https://a.example/y/")
    store.leases.end(claimed(store, one.id).fence, SliceResult(end="later", reason="503", wait_seconds=0.0))
    grant = claimed(store, two.id)
    assert store.jobs.wake() == ()
    assert [job.id for job in store.leases.end(grant.fence, AGAIN)] == [one.id, two.id]


def test_a_poll_that_waits_is_woken_by_its_time_alone(store):
    watched(store, "https://a.example/")
    (job,) = scheduled(store)
    store.leases.end(claimed(store, job.id).fence, SliceResult(end="later", reason="no network", wait_seconds=3600.0))
    assert store.jobs.wake() == ()
    an_hour_passes(store)
    assert [woken.id for woken in store.jobs.wake()] == [job.id]


def test_a_grant_can_lease_more_hosts_and_let_them_go(store):
    mine, other = store.leases.begin("w1"), store.leases.begin("w2")
    assert store.leases.lease_host(mine, "a.example") is None
    assert store.leases.lease_host(mine, "a.example") is None
    assert store.leases.lease_host(other, "a.example") == "w1"
    (job,) = add(store, "https://a.example/")
    assert store.jobs.claim(job.id, "w3") is None
    store.leases.release_host(other, "a.example")
    assert store.leases.lease_host(other, "a.example") == "w1"
    store.leases.release_host(mine, "a.example")
    assert store.leases.lease_host(other, "a.example") is None
    assert store.leases.end(other) == ()
    assert rows(store, schema.leases) == []
    # Who lets a host go without having done a job cannot tell the workers who waits for it: it waits for who can.
    assert the_job(store, job.id).state == "parked"
    assert [woken.id for woken in store.jobs.wake()] == [job.id]


def test_who_lost_a_grant_is_told_so(store):
    (job,) = add(store, "https://a.example/")
    grant = claimed(store, job.id)
    silence(store, grant.fence)
    assert [lost.id for lost in store.leases.expire(**PATIENCE)] == [job.id]
    assert store.leases.heartbeat(grant.fence) is False
    with pytest.raises(LeaseLost):
        store.leases.end(grant.fence, DONE)
    with pytest.raises(LeaseLost):
        store.leases.lease_host(grant.fence, "b.example")
    store.leases.release_host(grant.fence, "a.example")
    store.jobs.database.fence = grant.fence
    with pytest.raises(LeaseLost):
        add(store, "https://c.example/")
    assert store.leases.heartbeat(grant.fence) is False
    assert store.hosts.reserve("a.example", 1.0) == 0.0
    assert claimed(store, job.id, "w2").fence > grant.fence


def test_a_grant_is_ended_under_its_own_fence(store):
    (job,) = add(store, "https://a.example/")
    grant = claimed(store, job.id)
    store.jobs.database.fence = grant.fence
    assert store.leases.heartbeat(grant.fence, requests=3) is True
    assert [again.id for again in store.leases.end(grant.fence, AGAIN)] == [job.id]
    store.workers.sign_in("w1", processes=1, has_browser=False)
    store.workers.count_slice("w1", AGAIN, 2.0)


def test_a_grant_in_use_is_not_taken_away(store):
    (job,) = add(store, "https://a.example/")
    grant = claimed(store, job.id)
    silence(store, grant.fence)
    assert store.leases.heartbeat(grant.fence, requests=3) is True
    assert store.leases.heartbeat(grant.fence) is True
    assert store.leases.expire(**PATIENCE) == ()
    assert rows(store, schema.grants)[0].requests == 3


def test_a_job_that_is_lost_too_often_in_a_row_is_given_up_unless_it_gets_somewhere(store):
    (job,) = add(store, "https://a.example/")
    states = []
    for requests in (0, 19, 20, 0, 0, 0):
        grant = claimed(store, job.id)
        store.leases.heartbeat(grant.fence, requests=requests)
        silence(store, grant.fence)
        handed = store.leases.expire(**PATIENCE)
        states.append((len(handed), the_job(store, job.id).tries, the_job(store, job.id).state))
    assert states == [
        (1, 1, "queued"), (1, 2, "queued"), (1, 0, "queued"), (1, 1, "queued"), (1, 2, "queued"), (0, 3, "dead"),
    ]
    (dead,) = store.jobs.dead(limit=5)
    assert (dead.reason, dead.requests) == ("its worker was lost 3 times in a row", 39)
    assert store.jobs.claim(job.id, "w1") is None
    assert store.jobs.revive() == 1
    assert store.jobs.revive([job.id]) == 0
    (revived,) = store.jobs.wake()
    assert (revived.id, revived.state, revived.tries, revived.reason) == (job.id, "queued", 0, None)


def test_jobs_can_be_cancelled_unless_they_run(store):
    running, queued, dead = add(store, *(f"https://{name}.example/" for name in "abc"))
    claimed(store, running.id)
    store.leases.end(claimed(store, dead.id).fence, SliceResult(end="dead", reason="no such host"))
    assert store.jobs.cancel([running.id, queued.id, dead.id, 12345]) == 2
    assert [row.id for row in rows(store, schema.jobs)] == [running.id]
    watched(store, "https://d.example/", "https://e.example/")
    (poll,) = scheduled(store)
    assert store.jobs.cancel([poll.id]) == 1
    assert {row.job_id for row in rows(store, schema.polls)} == {None}


def test_hints_that_got_lost_are_given_again_the_oldest_first(store):
    jobs = add(store, *(f"https://blog{number}.example/" for number in range(5)))
    with store.jobs.database.writing() as connection:
        table = schema.jobs
        connection.execute(table.update().values(queued_at=table.c.queued_at - 100 + table.c.id))
    assert store.jobs.stale("crawl", older_seconds=200, limit=10) == ()
    assert store.jobs.stale("update", older_seconds=0, limit=10) == ()
    assert [job.id for job in store.jobs.stale("crawl", older_seconds=50, limit=2)] == [jobs[0].id, jobs[1].id]
    assert [job.id for job in store.jobs.stale("crawl", older_seconds=50, limit=9)] == [job.id for job in jobs[2:]]
    assert store.jobs.stale("crawl", older_seconds=50, limit=9) == ()


def test_due_feeds_are_put_into_jobs_once_with_those_of_one_host_together(store):
    blogs = watched(store, *(f"https://{host}.example/{number}/" for number in range(3) for host in "ab"))
    (later,) = watched(store, "https://c.example/", due_at=NOW + timedelta(days=1))
    jobs = scheduled(store, batch=4)
    assert [job.blog_ids for job in jobs] == [(blogs[0], blogs[2], blogs[4]), (blogs[1], blogs[3], blogs[5])]
    assert {(job.kind, job.queue, job.state, job.url) for job in jobs} == {("poll", "update", "queued", None)}
    assert {number: row.job_id for number, row in poll_rows(store).items()} == {
        **dict.fromkeys(blogs[::2], jobs[0].id), **dict.fromkeys(blogs[1::2], jobs[1].id), later: None,
    }
    assert scheduled(store) == ()


def test_the_feeds_that_have_been_due_longest_are_scheduled_first(store):
    blogs = watched(store, *(f"https://blog{number}.example/" for number in range(5)))
    taken = [store.polls.schedule(now=NOW + timedelta(hours=1), batch=10, most=2) for _ in range(3)]
    assert [sorted(job.blog_ids) for jobs in taken for job in jobs] == [blogs[:2], blogs[2:4], blogs[4:]]


def test_more_feeds_than_fit_into_one_transaction_are_scheduled(store, monkeypatch):
    monkeypatch.setattr(polls, "_AT_ONCE", 2)
    watched(store, *(f"https://blog{number}.example/" for number in range(7)))
    assert sum(len(job.blog_ids) for job in scheduled(store, most=5)) == 5
    assert sum(len(job.blog_ids) for job in scheduled(store, most=5)) == 2


def test_a_feed_is_left_alone_if_its_blog_is_not_watched_or_a_watcher_has_it(store):
    gone, asked, free = watched(store, *(f"https://{name}.example/" for name in "abc"))
    store.blogs.update(gone, gone="no such host")
    now = NOW + timedelta(hours=1)
    assert [blog.id for _, blog in store.polls.claim("me", now=now, until=now + timedelta(hours=1), limit=1)] == [asked]
    (job,) = scheduled(store)
    assert job.blog_ids == (free,)
    # Nobody has to step over it at each look.
    assert poll_rows(store)[gone].due_at > now.isoformat()


def test_a_watcher_on_one_machine_leaves_feeds_alone_that_are_in_a_job(store):
    blogs = watched(store, "https://a.example/", "https://b.example/")
    now = NOW + timedelta(hours=1)
    store.polls.schedule(now=now, batch=1, most=1)
    assert [blog.id for _, blog in store.polls.claim("me", now=now, until=now, limit=9)] == blogs[1:]
    assert store.polls.next_due(now=now) == NOW + timedelta(seconds=1)


def test_a_feed_leaves_its_job_when_it_was_asked(store):
    blogs = watched(store, *(f"https://{name}.example/" for name in "abc"))
    (job,) = scheduled(store)
    grant = claimed(store, job.id)
    assert (grant.hosts, grant.job.blog_ids) == (("a.example", "b.example", "c.example"), tuple(blogs))
    assert [(poll.blog_id, blog.id) for poll, blog in store.polls.of_job(grant.fence)] == [(b, b) for b in blogs]
    next_time = NOW + timedelta(days=2)
    # A time that is set while it is being asked does not take it out of its job.
    store.polls.set(a_poll(blogs[0], next_time))
    assert [poll.blog_id for poll, _ in store.polls.of_job(grant.fence)] == [blogs[1], blogs[2], blogs[0]]
    store.polls.end(grant.fence, [a_poll(blogs[0], next_time), a_poll(blogs[1], next_time, etag="x")])
    assert [poll.blog_id for poll, _ in store.polls.of_job(grant.fence)] == blogs[2:]
    polls = poll_rows(store)
    assert (polls[blogs[1]].job_id, polls[blogs[1]].etag, polls[blogs[2]].job_id) == (None, "x", job.id)
    (again,) = store.leases.end(grant.fence, AGAIN)
    grant = claimed(store, again.id)
    assert (grant.hosts, grant.job.blog_ids) == (("c.example",), (blogs[2],))
    assert store.leases.end(grant.fence, DONE) == ()
    assert {row.job_id for row in poll_rows(store).values()} == {None}


def test_who_has_lost_a_poll_says_nothing_about_its_feeds(store):
    (blog,) = watched(store, "https://a.example/")
    (job,) = scheduled(store)
    lost = claimed(store, job.id)
    silence(store, lost.fence)
    store.leases.expire(**PATIENCE)
    assert poll_rows(store)[blog].job_id == job.id
    store.polls.end(lost.fence, [a_poll(blog, NOW, etag="late")])
    assert (poll_rows(store)[blog].job_id, poll_rows(store)[blog].etag) == (job.id, None)
    assert store.polls.of_job(lost.fence) == ()


def test_feeds_of_busy_hosts_wait_for_them_in_jobs_of_their_own(store):
    busy, free = watched(store, "https://a.example/", "https://b.example/")
    (crawl,) = add(store, "https://a.example/")
    claimed(store, crawl.id, "w1")
    (job,) = scheduled(store)
    grant = claimed(store, job.id, "w2")
    assert (grant.hosts, grant.job.blog_ids) == (("b.example",), (free,))
    row = poll_rows(store)[busy]
    waiting = the_job(store, row.job_id)
    assert (waiting.kind, waiting.state, waiting.host, waiting.blog_ids) == ("poll", "parked", "a.example", f"[{busy}]")
    # It is still told how long the feed has been due.
    assert moment_of(row.due_at) == NOW
    assert store.workers.fleet_state(now=NOW).oldest_due_at == NOW


def test_on_a_busy_host_feeds_and_updates_come_before_crawls_that_have_waited_longer(store):
    running, waiting = add(store, "https://a.example/x/", "https://a.example/y/")
    (update,) = add(store, "https://a.example/z/", kind="update")
    grant = claimed(store, running.id, "w1")
    assert store.jobs.claim(waiting.id, "w2") is None
    assert store.jobs.claim(update.id, "w2") is None
    watched(store, "https://a.example/")
    (poll,) = scheduled(store)
    assert store.jobs.claim(poll.id, "w2") is None
    order = []
    ended = store.leases.end(grant.fence, DONE)
    while ended:
        order += [job.id for job in ended]
        ended = store.leases.end(claimed(store, ended[0].id).fence, DONE)
    assert order == [update.id, poll.id, waiting.id]


def test_a_poll_whose_hosts_are_all_busy_waits_for_each(store):
    feeds = watched(store, "https://a.example/", "https://b.example/", "https://a.example/2/")
    crawls = [claimed(store, job.id) for job in add(store, "https://a.example/", "https://b.example/")]
    (job,) = scheduled(store)
    assert store.jobs.claim(job.id, "w2") is None
    assert len(rows(store, schema.grants)) == 2
    waiting = {row.host: row for row in rows(store, schema.jobs) if row.state == "parked"}
    assert (waiting["a.example"].id, waiting["a.example"].blog_ids) == (job.id, f"[{feeds[0]}, {feeds[2]}]")
    assert waiting["b.example"].blog_ids == f"[{feeds[1]}]"
    for grant, host in zip(crawls, ("a.example", "b.example"), strict=True):
        assert [woken.id for woken in store.leases.end(grant.fence, DONE)] == [waiting[host].id]
        assert claimed(store, waiting[host].id).hosts == (host,)


def test_a_poll_of_which_nothing_is_left_is_done(store):
    (gone,) = watched(store, "https://a.example/")
    (job,) = scheduled(store)
    store.blogs.update(gone, gone="no such host")
    assert store.jobs.claim(job.id, "w2") is None
    assert rows(store, schema.jobs) == []
    assert poll_rows(store)[gone].job_id is None
    assert rows(store, schema.grants) == []


def test_a_job_can_wait_for_another_host_than_its_own(store):
    """As one whose address leads elsewhere, where somebody else is at work."""
    moved, there = add(store, "https://a.example/", "https://b.example/")
    grant = claimed(store, there.id, "w1")
    end = SliceResult(end="later", reason="busy", wait_seconds=30.0, waits_for="b.example")
    store.leases.end(claimed(store, moved.id, "w2").fence, end)
    assert store.jobs.wake() == ()
    assert [job.id for job in store.leases.end(grant.fence, DONE)] == [moved.id]
    assert claimed(store, moved.id).hosts == ("b.example",)


def test_a_job_that_needs_a_browser_is_left_alone_by_who_has_none(store):
    (job,) = add(store, "https://a.example/", needs_browser=True)
    assert store.jobs.claim(job.id, "blind", has_browser=False) is None
    assert store.jobs.claim(job.id, "seeing", has_browser=True) is not None


def test_a_job_that_is_given_again_for_a_browser_is_for_a_browser_from_then_on(store):
    (job,) = add(store, "https://a.example/")
    store.leases.end(claimed(store, job.id).fence, SliceResult(end="dead", reason="no feed"))
    (again,) = add(store, "https://a.example/", needs_browser=True)
    assert (again.id, again.queue) == (job.id, "crawl.browser")
    store.leases.end(claimed(store, job.id).fence, SliceResult(end="dead", reason="no feed"))
    (again,) = add(store, "https://a.example/")
    assert again.queue == "crawl.browser"


def test_a_job_that_begins_anew_has_had_no_slice(store):
    (job,) = add(store, "https://a.example/")
    store.leases.end(claimed(store, job.id).fence, AGAIN)
    (again,) = store.leases.end(claimed(store, job.id).fence, SliceResult(end="again", reason="for eyes", anew=True))
    assert (again.slices, again.requests) == (0, 10)


def test_a_crawl_that_waits_for_a_host_of_a_poll_is_woken_when_that_has_ended(store):
    watched(store, "https://a.example/", "https://b.example/")
    (job,) = scheduled(store)
    grant = claimed(store, job.id)
    (crawl,) = add(store, "https://b.example/")
    assert store.jobs.claim(crawl.id, "w2") is None
    assert [woken.id for woken in store.leases.end(grant.fence, DONE)] == [crawl.id]


def test_the_feeds_of_a_poll_that_was_given_up_fall_due_an_hour_later(store):
    (blog,) = watched(store, "https://a.example/")
    (job,) = scheduled(store)
    store.leases.end(claimed(store, job.id).fence, SliceResult(end="dead", reason="a bug"))
    row = poll_rows(store)[blog]
    assert row.job_id is None
    assert 3_500 < (datetime.fromisoformat(row.due_at) - datetime.now(UTC)).total_seconds() <= 3_601


def test_turns_at_a_host_are_a_pace_apart(store):
    waits = [store.hosts.reserve("a.example", 10.0) for _ in range(4)]
    assert waits[0] == 0.0
    assert all(10 * place - 5 < wait <= 10 * place for place, wait in enumerate(waits[1:], start=1))
    assert store.hosts.reserve("b.example", 10.0) == 0.0


def test_a_host_that_is_held_gives_no_turn_until_then_and_a_shorter_wish_changes_nothing(store):
    store.hosts.back_off("a.example", 100.0)
    store.hosts.back_off("a.example", 10.0)
    assert 95 < store.hosts.reserve("a.example", 1.0) <= 100
    assert 95 < store.hosts.reserve("a.example", 1.0) <= 101
    store.hosts.back_off("a.example", 200.0)
    assert 195 < store.hosts.reserve("a.example", 1.0) <= 200
    # Whoever does not wait so long takes no turn from those who do.
    for _ in range(3):
        assert 195 < store.hosts.reserve("a.example", 50.0, longest_seconds=60.0) <= 201


def test_lines_of_hosts_that_nobody_asks_any_more_are_forgotten(store):
    store.hosts.reserve("a.example", 1.0)
    store.hosts.back_off("b.example", 1_000.0)
    store.hosts.back_off("c.example", 0.0)
    assert store.hosts.forget_rate_limits(older_seconds=60.0) == 0
    with store.jobs.database.writing() as connection:
        connection.execute(schema.turns.update().values(free=schema.turns.c.free - 500, held=schema.turns.c.held - 500))
    assert store.hosts.forget_rate_limits(older_seconds=60.0) == 2
    assert [row.host for row in rows(store, schema.turns)] == ["b.example"]


def test_workers_sign_in_count_what_they_do_and_are_asked_to_end(store):
    store.workers.sign_in("w1", processes=2, has_browser=True)
    store.workers.sign_in("w2", processes=1, has_browser=False)
    store.workers.count_slice("w1", AGAIN, 12.5)
    store.workers.count_slice("w1", SliceResult(end="later", reason="503", requests=1, failed=True), 1.0)
    assert store.workers.heartbeat("w1") is False
    assert store.workers.drain("w1") == 1
    assert (
        store.workers.heartbeat("w1"), store.workers.heartbeat("w2"), store.workers.heartbeat("nobody"),
    ) == (True, False, False)
    state = store.workers.fleet_state(now=NOW)
    first = state.workers[0]
    assert [worker.name for worker in state.workers] == ["w1", "w2"]
    assert (first.processes, first.has_browser, first.slices, first.requests, first.posts) == (2, True, 2, 11, 2)
    assert (first.failures, first.busy_seconds, first.is_draining, state.is_draining) == (1, 13.5, True, False)
    assert store.workers.drain() == 2
    assert store.workers.fleet_state(now=NOW).is_draining
    store.workers.sign_in("w3", processes=1, has_browser=False)
    assert store.workers.heartbeat("w3") is False
    assert store.workers.drain(draining=False) == 3
    store.workers.sign_in("w1", processes=4, has_browser=False)
    again = store.workers.fleet_state(now=NOW).workers[0]
    assert (again.name, again.processes, again.slices) == ("w1", 4, 0)
    store.workers.sign_out("w1")
    assert [worker.name for worker in store.workers.fleet_state(now=NOW).workers] == ["w2", "w3"]


def test_workers_that_went_without_a_word_are_forgotten_after_a_day(store):
    store.workers.sign_in("w1", processes=2, has_browser=True)
    with store.jobs.database.writing() as connection:
        connection.execute(schema.workers.update().values(beat=schema.workers.c.beat - 90_000))
    assert store.workers.fleet_state(now=NOW).workers[0].silent_seconds > 86_400
    store.workers.sign_in("w2", processes=1, has_browser=False)
    assert [worker.name for worker in store.workers.fleet_state(now=NOW).workers] == ["w2"]


def test_the_state_of_the_fleet_tells_what_runs_what_waits_and_what_is_due(store):
    watched(store, "https://later.example/", due_at=NOW + timedelta(days=1))
    nothing = store.workers.fleet_state(now=NOW)
    assert (nothing.states, nothing.oldest_queued_seconds, nothing.oldest_due_at, nothing.due) == ({}, None, None, 0)
    assert not nothing.is_draining
    watched(store, "https://c.example/", "https://d.example/")
    running, queued, parked, dead = add(
        store, "https://a.example/", "https://b.example/", "https://a.example/x", "https://e.example/",
    )
    store.leases.end(claimed(store, dead.id).fence, SliceResult(end="dead", reason="no such host"))
    grant = claimed(store, running.id)
    store.leases.heartbeat(grant.fence, requests=7)
    silence(store, grant.fence, 5.0)
    assert store.jobs.claim(parked.id, "w2") is None
    state = store.workers.fleet_state(now=NOW)
    assert state.states == {"running": 1, "queued": 1, "parked": 1, "dead": 1}
    assert state.depths["crawl"] == 1
    assert [(job.id, job.reason) for job in state.dead] == [(dead.id, "no such host")]
    (one,) = state.running
    assert (one.job.id, one.fence, one.worker, one.requests) == (running.id, grant.fence, "w1", 7)
    assert 5.0 <= one.silent_seconds < 60
    assert 0.0 <= one.running_seconds < 60
    assert state.oldest_queued_seconds is not None
    assert (state.oldest_due_at, state.due) == (NOW, 1)
    assert queued.id == next(store.jobs.queued()).id


@pytest.mark.parametrize("seed", range(3))
def test_whatever_workers_do_no_job_is_lost_and_none_is_done_twice_at_once(store, seed):
    walk = Walk(store, random.Random(seed))  # noqa: S311 - the same walk every time
    for _ in range(150):
        walk.step()
        walk.look()
    assert walk.finished


class Walk:
    """Some workers that claim, give a word, end, fall silent and come back late, by chance."""

    def __init__(self, store: Repositories, chance: random.Random) -> None:
        self.store = store
        self.chance = chance
        self.held: dict[int, int] = {}
        self.lost: set[int] = set()
        self.finished: set[int] = set()
        self.blogs = watched(store, *(f"https://{host}.example/{n}/" for n in range(3) for host in "abcd"))
        urls = [f"https://{host}.example/{n}/" for n in range(3) for host in "abcde"]
        self.jobs = {job.id for job in add(store, *urls)}

    def step(self) -> None:
        actions = (self.claim, self.claim, self.claim, self.end, self.end, self.beat, self.fall_silent, self.expire,
                   self.wake, self.schedule, self.come_late, self.revive)
        self.chance.choice(actions)()

    def claim(self) -> None:
        job_id = self.chance.choice(sorted(self.jobs))
        running = {self.held[fence] for fence in self.held}
        was_there = any(row.id == job_id for row in rows(self.store, schema.jobs))
        grant = self.store.jobs.claim(job_id, f"w{self.chance.randrange(4)}")
        # Feeds of busy hosts become jobs of their own.
        self.jobs |= {row.id for row in rows(self.store, schema.jobs) if row.kind == "poll"}
        if grant is not None:
            assert job_id not in running
            self.held[grant.fence] = job_id
        elif was_there and not any(row.id == job_id for row in rows(self.store, schema.jobs)):
            self.finish(job_id)

    def end(self) -> None:
        if not self.held:
            return
        fence = self.chance.choice(sorted(self.held))
        kind = self.chance.choice(("done", "again", "again", "later", "dead"))
        end = SliceResult(
            end=kind, reason="chance", requests=1, wait_seconds=0.0 if kind == "later" else None,
            failed=self.chance.random() < 0.5,
        )
        job_id = self.held.pop(fence)
        self.store.leases.end(fence, end)
        if kind == "done":
            self.finish(job_id)

    def finish(self, job_id: int) -> None:
        self.finished.add(job_id)
        self.jobs.discard(job_id)
        if not self.jobs:
            self.jobs = {job.id for job in add(self.store, "https://f.example/", "https://a.example/")}

    def beat(self) -> None:
        for fence in self.held:
            assert self.store.leases.heartbeat(fence, requests=self.chance.randrange(30)) is True

    def fall_silent(self) -> None:
        if self.held:
            silence(self.store, self.chance.choice(sorted(self.held)))

    def expire(self) -> None:
        silent = {row.fence for row in rows(self.store, schema.grants) if row.beat < self.clock() - 30}
        self.store.leases.expire(**PATIENCE)
        assert {row.fence for row in rows(self.store, schema.grants)} == set(self.held) - silent
        for fence in silent:
            self.lost.add(fence)
            del self.held[fence]

    def come_late(self) -> None:
        for fence in self.lost:
            assert self.store.leases.heartbeat(fence) is False
            with pytest.raises(LeaseLost):
                self.store.leases.end(fence, DONE)
        self.lost.clear()

    def wake(self) -> None:
        self.store.jobs.wake()

    def schedule(self) -> None:
        self.jobs |= {job.id for job in scheduled(self.store, batch=4)}

    def revive(self) -> None:
        self.store.jobs.revive()

    def clock(self) -> float:
        with self.store.jobs.database.reading() as connection:
            return clock_of(connection, self.store.jobs.database)

    def look(self) -> None:
        """What must hold at any time."""
        jobs = {row.id: row for row in rows(self.store, schema.jobs)}
        grants = {row.fence: row.job_id for row in rows(self.store, schema.grants)}
        leases = {row.host: row.fence for row in rows(self.store, schema.leases)}
        assert set(jobs) == self.jobs
        assert grants == self.held
        assert len(set(grants.values())) == len(grants)
        assert {job_id: fence for fence, job_id in grants.items()} == {
            row.id: row.fence for row in jobs.values() if row.state == "running"
        }
        for fence, job_id in grants.items():
            if jobs[job_id].host is not None:
                assert leases[jobs[job_id].host] == fence
        assert set(leases.values()) <= set(grants)
        assert {row.state for row in jobs.values()} <= {"queued", "parked", "running", "dead"}
        for poll in rows(self.store, schema.polls):
            assert poll.job_id is None or jobs[poll.job_id].state != "dead"


def at_once(workers: int, action: Any) -> list[Any]:
    """The same thing by several threads that begin together."""
    ready = threading.Barrier(workers)

    def begin(number: int) -> Any:
        ready.wait()
        return action(number)

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(begin, range(workers)))


def test_of_two_workers_that_claim_a_job_at_once_one_gets_it(shared):
    jobs = add(shared, *(f"https://blog{number}.example/" for number in range(100)))
    for job in jobs:
        got = at_once(2, lambda number, job=job: shared.jobs.claim(job.id, f"w{number}"))
        assert sum(grant is not None for grant in got) == 1
    assert len(rows(shared, schema.grants)) == len(rows(shared, schema.leases)) == 100


def test_of_two_workers_that_claim_jobs_of_one_host_at_once_one_gets_it(shared):
    for number in range(30):
        jobs = add(shared, f"https://a.example/{number}/x", f"https://a.example/{number}/y")
        got = at_once(2, lambda place, jobs=jobs: shared.jobs.claim(jobs[place].id, f"w{place}"))
        (grant,) = [grant for grant in got if grant is not None]
        (woken,) = shared.leases.end(grant.fence, DONE)
        assert shared.leases.end(claimed(shared, woken.id).fence, DONE) == ()


def test_schedulers_that_look_at_once_never_take_the_same_feed(shared):
    blogs = watched(shared, *(f"https://blog{number}.example/" for number in range(120)))
    taken = at_once(3, lambda _: [scheduled(shared, batch=7, most=20) for _ in range(3)])
    while more := scheduled(shared, batch=7, most=20):
        taken.append([more])
    feeds = [blog_id for looks in taken for jobs in looks for job in jobs for blog_id in job.blog_ids]
    assert sorted(feeds) == blogs


def test_workers_that_take_turns_at_once_get_turns_a_pace_apart(shared):
    began = _clock(shared)
    waits = sorted(at_once(4, lambda _: [
        (wait, _clock(shared)) for wait in (shared.hosts.reserve("a.example", 10.0) for _ in range(5))
    ]))
    starts = sorted(at + wait for each in waits for wait, at in each)
    ended = _clock(shared)
    slack = ended - began
    assert all(10 - slack <= later - earlier for earlier, later in pairwise(starts))
    with shared.jobs.database.reading() as connection:
        assert connection.execute(select(schema.turns.c.free)).scalar_one() >= began + 200


def test_polls_with_the_same_hosts_in_other_orders_do_not_wait_for_each_other_for_ever(shared):
    hosts = [f"https://blog{number}.example/" for number in range(20)]
    watched(shared, *(host + "a/" for host in hosts), *(host + "b/" for host in reversed(hosts)))
    with shared.jobs.database.writing() as connection:
        numbers = [row.blog_id for row in connection.execute(select(schema.polls).order_by(schema.polls.c.blog_id))]
    for _ in range(10):
        jobs = shared.jobs.add([NewJob(kind="poll", blog_ids=tuple(ids)) for ids in (numbers[:20], numbers[20:])])
        got = at_once(2, lambda number, jobs=jobs: shared.jobs.claim(jobs[number].id, f"w{number}"))
        leased = [host for grant in got if grant is not None for host in grant.hosts]
        assert len(leased) == len(set(leased)) == 20
        for grant in got:
            if grant is not None:
                shared.leases.end(grant.fence, DONE)


def test_a_grant_under_which_something_is_being_written_is_not_taken_away(shared):
    (job,) = add(shared, "https://a.example/")
    grant = claimed(shared, job.id)
    silence(shared, grant.fence)
    shared.jobs.database.fence = grant.fence
    with shared.jobs.database.writing():
        assert shared.leases.expire(**PATIENCE) == ()
        # The word that it is in use waits for nobody.
        assert shared.leases.heartbeat(grant.fence) is True
    silence(shared, grant.fence)
    assert [lost.id for lost in shared.leases.expire(**PATIENCE)] == [job.id]


def test_two_who_add_the_same_jobs_in_other_orders_do_not_wait_for_each_other_for_ever(shared):
    urls = [f"https://blog{number}.example/" for number in range(300)]
    for attempt in range(5):
        some = [f"{url}{attempt}/" for url in urls]
        got = at_once(2, lambda number, some=some: add(shared, *(reversed(some) if number else some)))
        assert sum(len(jobs) for jobs in got) == 300


def test_due_feeds_are_picked_by_their_index(shared):
    with shared.jobs.database.writing() as connection:
        connection.execute(text(
            "INSERT INTO blogs (id, key, home, scope, state, added_at)"
            " SELECT n, 'k' || n, 'https://h' || n || '.example/', 'host', 'finished', '2024'"
            " FROM generate_series(1, 20000) n",
        ))
        connection.execute(text(
            "INSERT INTO polls (blog_id, due_at, state) SELECT n, '2024-05-01T00:00:' || (n % 60), '{}'"
            " FROM generate_series(1, 20000) n",
        ))
    with shared.jobs.database.writing() as connection:
        connection.execute(text("ANALYZE"))
        statement = polls.due_feeds(NOW, 500).compile(connection, compile_kwargs={"literal_binds": True})
        plan = "\n".join(connection.execute(text(f"EXPLAIN {statement}")).scalars())
    assert "Index Scan using polls_free" in plan
    assert "Seq Scan" not in plan


def _clock(store: Repositories) -> float:
    with store.jobs.database.reading() as connection:
        return clock_of(connection, store.jobs.database)
