"""Workers as processes: how they are drained, and die, and what they leave for later."""

from __future__ import annotations

import json
import os
import signal
from datetime import UTC, datetime

from cli.sites import dam_up, serve_demo
from everlog.archive.verify import verify
from fleet.a_fleet import PATIENCE_SECONDS, asked, no_job_left, posts_of, until, wait_until_it_hears_of_its_end
from fleet.conftest import alone, fleet, server
from services import free_port

__all__ = ["alone", "fleet", "server"]


def _now():
    return datetime.now(UTC)


def test_drain_ends_all_workers(fleet):
    processes = [fleet.worker(name) for name in ("first", "second")]
    with fleet.open() as archive:
        until(lambda: len(json.loads(fleet.run("fleet", "status", "--json").out)["workers"]) == 2)
        assert fleet.run("fleet", "drain").code == 0
        assert [process.wait(PATIENCE_SECONDS) for process in processes] == [0, 0]
        assert "no worker is running" in fleet.run("fleet", "drain").err
        assert fleet.run("fleet", "drain", "somebody").code == 2
        assert archive.workers.fleet_state(now=_now()).workers == ()


def test_a_blog_that_cannot_be_had_is_tried_again_later_and_one_without_posts_is_given_up(fleet, server):
    server.routes["/"] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/html\r\n\r\nhm"
    fleet.run("enqueue", f"http://127.0.0.1:{free_port()}/", server.url())
    fleet.worker("only", log="json")
    with fleet.open() as archive:
        until(lambda: archive.workers.fleet_state(now=_now()).states.get("parked", 0) == 2
              or archive.workers.fleet_state(now=_now()).states == {"parked": 1, "dead": 1})
        for line in filter(None, fleet.said("only").splitlines()):
            if line.startswith("{"):
                assert {"at", "level", "message", "worker"} <= json.loads(line).keys()


def test_a_signal_to_all_processes_of_a_worker_ends_it_as_one_to_the_worker_alone(fleet, server):
    fleet.run("enqueue", serve_demo(server), "--delay", "3")
    process = fleet.worker("only")
    with fleet.open() as archive:
        until(lambda: asked(server))
        os.killpg(process.pid, signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) == 0
        assert "Traceback" not in fleet.said("only")
        assert archive.workers.fleet_state(now=_now()).running == ()
        [job] = archive.jobs.queued()
        assert job.tries == 0


def test_a_blog_that_was_forgotten_is_not_crawled_on(fleet, server):
    home = serve_demo(server)
    fleet.run("crawl", home, "-q", "--max-pages", "5")
    fleet.run("enqueue", home)
    assert fleet.run("forget", home).code == 0
    fleet.worker("only")
    with fleet.open() as archive:
        until(lambda: no_job_left(archive))
        until(lambda: "was forgotten in the meantime" in fleet.said("only"))
        assert archive.blogs.find(home).forgotten_at is not None


def test_a_killed_workers_blog_is_finished_by_another_with_nothing_lost_or_doubled(fleet, server, alone):
    url = serve_demo(server)
    dam = dam_up(server, after=100)
    fleet.run("enqueue", url)
    doomed = fleet.worker("doomed")
    with fleet.open() as archive:
        until(dam.reached.is_set)
        until(lambda: archive.blogs.counts(archive.blogs()[0].id).posts >= 5)
        fleet.kill(doomed)
        dam.opened.set()
        fleet.worker("heir")
        until(lambda: no_job_left(archive))
        expected, requests = alone
        assert posts_of(archive) == expected
        assert list(verify(archive)) == []
        again = asked(server) - requests
        # What was under way: the answers that were not stored yet.
        assert again.total() <= 64 + 4


def test_a_worker_that_is_asked_to_end_stores_what_it_has_and_leaves_the_rest_to_others(fleet, server, alone):
    url = serve_demo(server)
    dam = dam_up(server, after=100)
    fleet.run("enqueue", url)
    process = fleet.worker("leaving")
    with fleet.open() as archive:
        until(dam.reached.is_set)
        process.send_signal(signal.SIGTERM)
        wait_until_it_hears_of_its_end(archive, "leaving")
        dam.opened.set()
        assert process.wait(PATIENCE_SECONDS) == 0
        state = archive.workers.fleet_state(now=_now())
        assert state.workers == ()
        assert state.states == {"queued": 1}
        assert state.running == ()
        kept, before = posts_of(archive), asked(server)
        assert kept
        assert before.total() < alone[1].total()
        fleet.worker("staying")
        until(lambda: no_job_left(archive))
        assert list(verify(archive)) == []
        assert posts_of(archive) == alone[0]
        assert asked(server).total() > before.total()
        assert max(asked(server).values()) <= 2


def test_a_lost_file_of_one_blog_ends_neither_its_crawl_nor_the_workers(fleet, server, alone):
    url = serve_demo(server)
    fleet.run("enqueue", url)
    dam = dam_up(server, after=100)
    first = fleet.worker("first", "--slice-pages", "8")
    with fleet.open() as archive:
        until(dam.reached.is_set)
        until(lambda: archive.blogs.counts(archive.blogs()[0].id).posts >= 5)
        first.send_signal(signal.SIGTERM)
        wait_until_it_hears_of_its_end(archive, "first")
        dam.opened.set()
        assert first.wait(PATIENCE_SECONDS) == 0
        for file in (fleet.folder / "files" / "warc").glob("*.warc.gz"):
            file.unlink()
        second = fleet.worker("second")
        until(lambda: no_job_left(archive))
        assert archive.jobs.dead(limit=1) == ()
        assert posts_of(archive) == alone[0]
        assert second.poll() is None


def test_a_worker_whose_disk_is_full_says_so_and_leaves_its_job_to_others(fleet, server, tmp_path):
    (tmp_path / "full.toml").write_text(f"[crawl]\nmin_free_bytes = {10**18}\n")
    fleet.run("enqueue", serve_demo(server))
    assert fleet.worker("full", "--config", "full.toml").wait(PATIENCE_SECONDS) == 6
    assert "no more jobs" in fleet.said("full")
    with fleet.open() as archive:
        # Half a minute later it is queued again, by whoever looks after the fleet then.
        assert archive.workers.fleet_state(now=_now()).states in ({"parked": 1}, {"queued": 1})
        fleet.worker("roomy")
        until(lambda: no_job_left(archive))
        assert archive.jobs.dead(limit=1) == ()


def test_a_page_that_no_database_takes_costs_its_blog_a_try_and_no_worker_its_life(fleet, server):
    fleet.run("enqueue", serve_demo(server))
    with fleet.open() as archive:
        with archive.backend.database.writing() as connection:
            connection.exec_driver_sql(
                "create function refuse() returns trigger language plpgsql as "
                "$$ begin raise exception 'no such post'; end $$",
            )
            connection.exec_driver_sql("create trigger refuse before insert on posts execute function refuse()")
        worker = fleet.worker("only")
        until(lambda: archive.workers.fleet_state(now=_now()).states == {"parked": 1})
        # It is said when the job is parked already.
        until(lambda: "no such post" in fleet.said("only"))
        [(tries, reason)] = _parked(archive)
        assert tries == 1
        assert "no such post" in reason
        assert worker.poll() is None


def _parked(archive):
    with archive.backend.database.reading() as connection:
        return connection.exec_driver_sql("select tries, reason from jobs where state = 'parked'").all()
