"""What brings back what was lost."""

from __future__ import annotations

from everlog.fleet.reaper import Keeper, rebuild
from fleet.a_fleet import crawl_jobs, let_time_pass


def keeper_of(archive, engine, name="a keeper"):
    return Keeper(archive, engine, name)


def next_round(engine, keeper):
    """A round, as if the time between two had passed."""
    engine._client().delete("everlog.keeper")
    return keeper.round()


def addresses(count):
    return [f"http://blog-{number}.example/" for number in range(count)]


def test_a_queue_that_was_emptied_is_filled_from_the_database(archive, engine, redis_server):
    keeper = keeper_of(archive, engine)
    engine.send(crawl_jobs(archive, addresses(1_000)))
    engine.mark()
    redis_server.empty()
    assert next_round(engine, keeper) == 1_000
    assert engine.depths()["crawl"] == 1_000
    assert next_round(engine, keeper) == 0


def test_a_job_whose_worker_is_silent_is_queued_again(archive, engine):
    keeper = keeper_of(archive, engine)
    engine.mark()
    [job] = crawl_jobs(archive, addresses(1))
    assert archive.claim_job(job.id, "a worker") is not None
    assert next_round(engine, keeper) == 0
    let_time_pass(archive, seconds=16)
    assert next_round(engine, keeper) == 1
    assert engine.depths()["crawl"] == 1


def test_a_job_that_kills_its_workers_is_given_up_with_a_reason(archive, engine):
    keeper = keeper_of(archive, engine)
    engine.mark()
    [job] = crawl_jobs(archive, addresses(1))
    for _ in range(10):
        assert archive.claim_job(job.id, "a worker") is not None
        let_time_pass(archive, seconds=16)
        next_round(engine, keeper)
    [dead] = archive.dead_jobs(limit=10)
    assert dead.id == job.id
    assert "10 times" in dead.reason


def test_a_job_that_gets_somewhere_each_time_is_never_given_up(archive, engine):
    keeper = keeper_of(archive, engine)
    engine.mark()
    [job] = crawl_jobs(archive, addresses(1))
    for _ in range(12):
        grant = archive.claim_job(job.id, "a worker")
        assert archive.beat(grant.fence, requests=25)
        let_time_pass(archive, seconds=16)
        next_round(engine, keeper)
    assert archive.dead_jobs(limit=10) == ()


def test_hints_that_nobody_heard_are_given_again_once_they_are_old(archive, engine, redis_url):
    keeper = keeper_of(archive, engine)
    engine.mark()
    # Two of three messages were taken by a worker that died before it claimed their jobs.
    jobs = crawl_jobs(archive, addresses(3))
    engine.send(jobs[2:])
    assert next_round(engine, keeper) == 0
    assert next_round(engine, keeper) == 0
    let_time_pass(archive, seconds=60)
    assert next_round(engine, keeper) == 2
    assert engine.depths()["crawl"] == 3


def test_hints_are_missed_by_whichever_keeper_looks_next(archive, engine):
    engine.mark()
    crawl_jobs(archive, addresses(3))
    let_time_pass(archive, seconds=60)
    assert [next_round(engine, keeper_of(archive, engine, name)) for name in ("first", "second", "third")] == [0, 3, 0]


def test_what_waited_for_a_host_is_handed_out_when_a_crawl_by_hand_lets_it_go(archive, engine):
    engine.mark()
    by_hand = archive.begin_grant("somebody")
    assert archive.lease_host(by_hand, "blog-0.example") is None
    [job] = crawl_jobs(archive, addresses(1))
    assert archive.claim_job(job.id, "a worker") is None
    archive.end_grant(by_hand)
    assert next_round(engine, keeper_of(archive, engine)) == 1
    assert engine.depths()["crawl"] == 1


def test_a_round_is_one_keepers_turn(archive, engine, redis_server):
    engine.send(crawl_jobs(archive, addresses(3)))
    redis_server.empty()
    assert keeper_of(archive, engine, "first").round() == 3
    assert keeper_of(archive, engine, "second").round() == 0


def test_a_keeper_survives_a_broker_that_is_away(archive, engine, caplog):
    engine.broker = "redis://127.0.0.1:1/0"
    assert keeper_of(archive, engine).round() == 0
    assert "is not reachable" in caplog.text


def test_a_rebuild_gives_each_queued_job_one_message_and_others_none(archive, engine):
    jobs = crawl_jobs(archive, addresses(10))
    engine.send(jobs)
    engine.send(jobs)
    archive.claim_job(jobs[0].id, "a worker")
    assert rebuild(archive, engine) == 9
    assert engine.depths()["crawl"] == 9
