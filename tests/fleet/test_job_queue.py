"""The job queue: messages for jobs, in order, and nothing that is lost with it."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from ssl import CERT_NONE, CERT_REQUIRED

import pytest
import redis

import services
from everlog.archive.job_models import QUEUES
from everlog.errors import ServiceDown, UsageError
from everlog.fleet.job_queue import NAMES, JobQueue, make_job_queue
from fleet.a_fleet import crawl_jobs
from services import free_port

# Some times as long as anybody waits for a broker; who has not given up by then waits for ever.
FOR_EVER_SECONDS = 30.0


def test_a_job_that_is_sent_waits_in_its_queue(archive, job_queue):
    jobs = crawl_jobs(archive, ["http://a.example/", "http://b.example/"])
    assert job_queue.send(jobs) == 2
    assert job_queue.depths() == {**dict.fromkeys(QUEUES, 0), "crawl": 2}


def test_a_message_holds_the_number_of_a_job_and_nothing_else_of_it(archive, job_queue, redis_url):
    [job] = crawl_jobs(archive, ["http://a.example/"], header=["Cookie: secret"])
    job_queue.send([job])
    with redis.Redis.from_url(redis_url) as client:
        message = client.lindex(NAMES["crawl"], 0).decode()
    assert "secret" not in message
    assert "a.example" not in message
    assert json.loads(message)["headers"]["argsrepr"] == f"({job.id},)"


def test_queues_are_named_in_the_order_in_which_they_are_served():
    assert [NAMES[queue] for queue in QUEUES] == sorted(NAMES.values())
    assert QUEUES[0] == "update"


def test_the_mark_goes_with_what_was_in_the_queue(job_queue, redis_server):
    assert job_queue.mark()
    assert job_queue.is_marked()
    assert not job_queue.mark()
    redis_server.empty()
    assert not job_queue.is_marked()


def test_one_reaper_at_a_time(job_queue):
    assert job_queue.may_reap("first", 60)
    assert not job_queue.may_reap("second", 60)


def test_a_wrong_password_is_told_as_such(archive, redis_url):
    jobs = crawl_jobs(archive, ["http://a.example/"])
    place = redis_url.removeprefix("redis://")
    job_queue = JobQueue(f"redis://nobody:secret@{place}")
    for ask in (job_queue.depths, lambda: job_queue.send(jobs)):
        with pytest.raises(ServiceDown, match="access denied by the broker") as told:
            ask()
        assert "secret" not in str(told.value)
        assert told.value.exit_code == 2
    job_queue.close()


def test_a_broker_that_is_not_there_is_told_with_its_address_and_without_its_password(archive):
    jobs = crawl_jobs(archive, ["http://a.example/"])
    job_queue = JobQueue(f"redis://somebody:secret@127.0.0.1:{free_port()}/0")
    for ask in (job_queue.depths, lambda: job_queue.send(jobs)):
        with pytest.raises(ServiceDown) as told:
            ask()
        assert told.value.exit_code == 7
        assert "127.0.0.1" in told.value.message
        assert "secret" not in str(told.value)
    job_queue.close()


def test_a_broker_that_stands_still_is_told_and_not_waited_for(archive):
    jobs = crawl_jobs(archive, ["http://a.example/"])
    # The server is killed before the pool waits for its thread: one that hangs ends with it.
    with ThreadPoolExecutor() as pool, services.redis() as server:
        job_queue = JobQueue(server.url)
        assert job_queue.send(jobs) == 1
        server.freeze()
        with pytest.raises(ServiceDown, match="is not reachable"):
            pool.submit(job_queue.send, jobs).result(FOR_EVER_SECONDS)
        server.thaw()
        assert job_queue.send(jobs) == 1
        job_queue.close()


@pytest.mark.parametrize("broker", [None, "", "amqp://queue", "nonsense"])
def test_what_is_no_redis_is_refused_with_advice(broker):
    with pytest.raises(UsageError) as told:
        make_job_queue(broker)
    assert "redis://" in told.value.advice


@pytest.mark.parametrize("broker", [
    "redis://somebody:secret@queue:notaport/0", "redis://somebody:secret@queue:99999/0", "redis://:secret@[::1",
    "redis://:secret@queue..example/0", "redis://:secret@queue/abc", "redis://:secret@queue/0/1",
    "redis://:secret@queue/-1", "redis://:secret@queue/0?socket_timeout=abc", "redis://:secret@queue/0?foo=1",
    "redis://queue/0?password=secret", "redis://:12/secret@queue/0", "redis://:12?secret=1@queue/0",
    "redis://:12#secret@queue/0", "redis://:12;secret@queue/0", "rediss://:secret@queue/0?socket_timeout=5",
    "rediss://:secret@queue/0?ssl_cert_reqs=maybe", "rediss://:secret@queue/0?ssl_ca_certs=", "somebody:secret@queue",
])
def test_an_address_that_cannot_be_used_is_refused_with_advice_and_without_its_password(broker):
    with pytest.raises(UsageError) as told:
        make_job_queue(broker)
    assert "redis://" in told.value.advice
    assert "somebody" not in str(told.value)
    assert "secret" not in str(told.value)


@pytest.mark.parametrize("broker", [
    "redis://queue", "redis://my_queue:6379/3", "redis://[::1]:6379/0", "redis://somebody:p%2Fw%40@queue:6379/0",
    "rediss://queue/0", "rediss://queue/0?ssl_ca_certs=/etc/own.pem&ssl_cert_reqs=required",
])
def test_all_who_read_an_address_that_is_taken_understand_it(broker):
    job_queue = make_job_queue(broker)
    client = job_queue._client().connection_pool.make_connection()
    with job_queue.app.connection_for_write() as connection:
        assert (connection.hostname, connection.password) == (client.host, client.password)
        assert int(connection.virtual_host.strip("/") or 0) == client.db
    job_queue.close()


def test_what_is_encrypted_goes_to_nobody_without_a_certificate():
    for broker, wanted in (("rediss://queue/0", CERT_REQUIRED), ("rediss://queue/0?ssl_cert_reqs=none", CERT_NONE)):
        job_queue = make_job_queue(broker)
        with job_queue.app.connection_for_write() as connection:
            assert connection.ssl["ssl_cert_reqs"] == wanted
        job_queue.close()
