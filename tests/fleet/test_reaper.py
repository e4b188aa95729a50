"""The reaper: what was lost is queued again."""

from __future__ import annotations

from everlog.fleet.reaper import Reaper, rebuild
from fleet.a_fleet import crawl_jobs, let_time_pass


def reaper_of(archive, job_queue, name="a reaper"):
    return Reaper(archive, job_queue, name)


def next_round(job_queue, reaper):
    """A round, as if the time between two had passed."""
    job_queue._client().delete("everlog.keeper")
    return reaper.round()


def addresses(count):
    return [f"http://blog-{number}.example/" for number in range(count)]


def test_a_queue_that_was_emptied_is_filled_from_the_database(archive, job_queue, redis_server):
    reaper = reaper_of(archive, job_queue)
    job_queue.send(crawl_jobs(archive, addresses(1_000)))
    job_queue.mark()
    redis_server.empty()
    assert next_round(job_queue, reaper) == 1_000
    assert job_queue.depths()["crawl"] == 1_000
    assert next_round(job_queue, reaper) == 0


def test_a_job_whose_worker_timed_out_is_queued_again(archive, job_queue):
    reaper = reaper_of(archive, job_queue)
    job_queue.mark()
    [job] = crawl_jobs(archive, addresses(1))
    assert archive.jobs.claim(job.id, "a worker") is not None
    assert next_round(job_queue, reaper) == 0
    let_time_pass(archive, seconds=16)
    assert next_round(job_queue, reaper) == 1
    assert job_queue.depths()["crawl"] == 1


def test_a_job_that_kills_its_workers_is_given_up_with_a_reason(archive, job_queue):
    reaper = reaper_of(archive, job_queue)
    job_queue.mark()
    [job] = crawl_jobs(archive, addresses(1))
    for _ in range(10):
        assert archive.jobs.claim(job.id, "a worker") is not None
        let_time_pass(archive, seconds=16)
        next_round(job_queue, reaper)
    [dead] = archive.jobs.dead(limit=10)
    assert dead.id == job.id
    assert "10 times" in dead.reason


def test_a_job_that_gets_somewhere_each_time_is_never_given_up(archive, job_queue):
    reaper = reaper_of(archive, job_queue)
    job_queue.mark()
    [job] = crawl_jobs(archive, addresses(1))
    for _ in range(12):
        grant = archive.jobs.claim(job.id, "a worker")
        assert archive.leases.heartbeat(grant.fence, requests=25)
        let_time_pass(archive, seconds=16)
        next_round(job_queue, reaper)
    assert archive.jobs.dead(limit=10) == ()


def test_messages_that_nobody_received_are_sent_again_once_they_are_old(archive, job_queue, redis_url):
    reaper = reaper_of(archive, job_queue)
    job_queue.mark()
    # Two of three messages were taken by a worker that died before it claimed their jobs.
    jobs = crawl_jobs(archive, addresses(3))
    job_queue.send(jobs[2:])
    assert next_round(job_queue, reaper) == 0
    assert next_round(job_queue, reaper) == 0
    let_time_pass(archive, seconds=60)
    assert next_round(job_queue, reaper) == 2
    assert job_queue.depths()["crawl"] == 3


def test_messages_are_missed_by_whichever_reaper_looks_next(archive, job_queue):
    job_queue.mark()
    crawl_jobs(archive, addresses(3))
    let_time_pass(archive, seconds=60)
    reapers = [reaper_of(archive, job_queue, name) for name in ("first", "second", "third")]
    assert [next_round(job_queue, reaper) for reaper in reapers] == [0, 3, 0]


def test_what_waited_for_a_host_is_handed_out_when_a_crawl_by_hand_lets_it_go(archive, job_queue):
    job_queue.mark()
    by_hand = archive.leases.begin("somebody")
    assert archive.leases.lease_host(by_hand, "blog-0.example") is None
    [job] = crawl_jobs(archive, addresses(1))
    assert archive.jobs.claim(job.id, "a worker") is None
    archive.leases.end(by_hand)
    assert next_round(job_queue, reaper_of(archive, job_queue)) == 1
    assert job_queue.depths()["crawl"] == 1


def test_a_round_is_one_reapers_turn(archive, job_queue, redis_server):
    job_queue.send(crawl_jobs(archive, addresses(3)))
    redis_server.empty()
    assert reaper_of(archive, job_queue, "first").round() == 3
    assert reaper_of(archive, job_queue, "second").round() == 0


def test_a_reaper_survives_a_broker_that_is_away(archive, job_queue, caplog):
    job_queue.broker = "redis://127.0.0.1:1/0"
    assert reaper_of(archive, job_queue).round() == 0
    assert "is not reachable" in caplog.text


def test_a_rebuild_gives_each_queued_job_one_message_and_others_none(archive, job_queue):
    jobs = crawl_jobs(archive, addresses(10))
    job_queue.send(jobs)
    job_queue.send(jobs)
    archive.jobs.claim(jobs[0].id, "a worker")
    assert rebuild(archive, job_queue) == 9
    assert job_queue.depths()["crawl"] == 9
