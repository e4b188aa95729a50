"""The commands of a fleet, as users and their programs meet them."""

from __future__ import annotations

import json
from hashlib import sha256
from urllib.request import urlopen

import pytest

from everlog.archive import open_archive
from everlog.archive.job_models import NewJob, SliceResult
from everlog.fleet.metrics import serve_metrics
from fleet.a_fleet import Fleet, crawl_jobs, keep_awake, let_time_pass
from services import free_port


def test_blogs_of_arguments_lists_and_stdin_are_queued_once(fleet, archive, tmp_path):
    (tmp_path / "blogs.opml").write_text(
        "<opml version='2.0'><body><outline type='rss' htmlUrl='http://c.example/' xmlUrl='http://c.example/f'/>"
        "</body></opml>",
    )
    done = fleet.run(
        "enqueue", "http://a.example/", "a.example", "blogs.opml", "-", "--max-pages", "7", "--json",
        stdin="b.example # a remark\n",
    )
    assert done.code == 0
    told = done.json
    assert told["queued"] == ["http://a.example/", "http://c.example/", "b.example"]
    assert [job.settings for job in archive.jobs.queued()] == [{"max_pages": 7}] * 3
    again = fleet.run("enqueue", "http://a.example/")
    assert "0 blogs queued, 1 were already queued" in again.err


def test_a_mistyped_address_is_told_and_the_others_are_queued(fleet, archive):
    done = fleet.run("enqueue", "http://a.example/", "nonsense")
    assert done.code == 3
    assert "'nonsense' is not a valid blog address" in done.err
    assert [job.url for job in archive.jobs.queued()] == ["http://a.example/"]
    assert fleet.run("enqueue", "nonsense").code == 2
    assert fleet.run("enqueue", "http://a.example/", "--scope", "everything").code == 2


@pytest.mark.parametrize("word", ["missing.opml", "./blogs", "/nowhere/blogs.txt"])
def test_a_list_that_is_not_there_is_no_blog(fleet, archive, word):
    done = fleet.run("enqueue", word)
    assert done.code == 2
    assert "cannot be read" in done.err
    assert list(archive.jobs.queued()) == []


def test_what_waits_is_told_with_its_reason_and_can_be_cancelled(fleet, archive):
    [job] = crawl_jobs(archive, ["http://a.example/"])
    later = SliceResult(end="later", reason="answers 503\nfor now", wait_seconds=3600.0, failed=True)
    archive.leases.end(archive.jobs.claim(job.id, "somebody").fence, later)
    told = fleet.run("fleet", "status", "--json").json
    assert [(one["url"], one["reason"]) for one in told["waiting"]] == [("http://a.example/", "answers 503\nfor now")]
    shown = fleet.run("fleet", "status").out
    assert f"  {job.id}  http://a.example/  until 20" in shown
    assert "UTC: answers 503\n" in shown
    assert fleet.run("fleet", "revive", str(job.id)).code == 2
    assert "1 jobs removed, 1 do not exist" in fleet.run("fleet", "cancel", str(job.id), "12345").err
    assert fleet.run("fleet", "cancel", str(job.id)).code == 2


def test_jobs_are_cancelled_by_the_addresses_they_were_given_for(fleet, archive):
    crawl_jobs(archive, ["http://a.example/", "http://b.example/"])
    archive.jobs.add([NewJob(kind="update", url="http://a.example/")])
    assert "2 jobs removed" in fleet.run("fleet", "cancel", "A.example").err
    assert [job.url for job in archive.jobs.queued()] == ["http://b.example/"]
    assert fleet.run("fleet", "cancel", "http://a.example/").code == 2
    assert fleet.run("fleet", "cancel", "no address").code == 2


def test_only_blogs_that_are_held_are_queued_for_updates(fleet, archive):
    archive.blogs.add("http://a.example/", scope="path")
    done = fleet.run("enqueue", "--update", "http://a.example/", "http://b.example/")
    assert done.code == 3
    assert "http://b.example/ is not in the archive, so it cannot be updated; leave out --update" in done.err
    assert [(job.kind, job.url) for job in archive.jobs.queued()] == [("update", "http://a.example/")]
    assert fleet.run("enqueue", "--update", "http://b.example/").code == 2


def test_who_went_without_a_word_is_not_asked_to_end(fleet, archive):
    archive.workers.sign_in("gone", processes=3, has_browser=False)
    let_time_pass(archive, seconds=60)
    assert "0 workers stop when their blogs are stored; 1 sent no heartbeat" in fleet.run("fleet", "drain").err
    shown = fleet.run("fleet", "status").out
    assert "0 workers, 0 processes" in shown
    assert "gone                         silent" in shown


def test_a_host_longer_than_any_is_told_and_the_others_of_its_list_are_queued(fleet, archive, tmp_path):
    # Too long for an index, and a database cannot store it in less room.
    endless = "".join(sha256(bytes([number])).hexdigest() for number in range(100)) + ".example"
    (tmp_path / "blogs.txt").write_text(f"http://{endless}/\nhttp://a.example/\n")
    done = fleet.run("enqueue", "blogs.txt", endless, "b.example:" + "0" * 4_000 + "80")
    assert done.code == 3
    assert done.err.count("is not a valid blog address: host names have at most 253 characters") == 3
    assert [job.url for job in archive.jobs.queued()] == ["http://a.example/"]


def test_the_state_of_a_fleet_is_told_to_people_and_programs(fleet, archive):
    archive.workers.sign_in("somebody", processes=3, has_browser=True)
    keep_awake(archive)
    running, dead, _ = crawl_jobs(archive, ["http://a.example/", "http://b.example/", "http://c.example/"])
    archive.jobs.claim(running.id, "somebody")
    gone = archive.jobs.claim(dead.id, "somebody")
    archive.leases.end(gone.fence, SliceResult(end="dead", reason="no page of it could be read as a post"))
    told = fleet.run("fleet", "status", "--json").json
    assert [worker["name"] for worker in told["workers"]] == ["somebody"]
    assert told["queues"]["crawl"] == {"jobs": 1, "messages": 0}
    assert [job["url"] for job in told["running"]] == ["http://a.example/"]
    assert [job["url"] for job in told["dead"]] == ["http://b.example/"]
    assert told["states"] == {"queued": 1, "running": 1, "dead": 1}
    assert told["requests_per_second"] == told["workers"][0]["requests_per_second"] == 0.0
    shown = fleet.run("fleet", "status").out
    for words in ("1 workers, 3 processes", "somebody", "http://a.example/", "no page of it could be read as a post",
                  "1 jobs of crawl are missing in the broker"):
        assert words in shown
    assert "b.example/\tno page of it" in fleet.run("fleet", "dead").out
    assert "1 jobs queued again" in fleet.run("fleet", "revive").err
    assert "2 jobs queued again" in fleet.run("fleet", "rebuild").err
    assert fleet.run("fleet", "status", "--json").json["queues"]["crawl"] == {"jobs": 2, "messages": 2}


@pytest.mark.parametrize("words", [("enqueue", "http://a.example/"), ("fleet", "status"), ("worker",), ("watch",)])
def test_a_database_that_is_not_there_is_exit_code_7_with_advice(words, redis_url, tmp_path):
    fleet = Fleet(archive=f"postgresql://nobody:secret@127.0.0.1:{free_port()}/x", broker=redis_url, folder=tmp_path)
    done = fleet.run(*words)
    assert done.code == 7
    assert "secret" not in done.err + done.out


def test_a_broker_that_is_not_there_is_exit_code_7_and_jobs_are_kept(fleet, archive):
    fleet.broker = f"redis://127.0.0.1:{free_port()}/0"
    done = fleet.run("enqueue", "http://a.example/")
    assert done.code == 7
    assert "1 jobs are stored" in done.err
    assert [job.url for job in archive.jobs.queued()] == ["http://a.example/"]
    assert fleet.run("worker").code == 7
    status = fleet.run("fleet", "status")
    assert status.code == 7
    assert "is not reachable" in status.out


@pytest.mark.parametrize("end", ["notaport/0", "6379/abc", "6379/0?foo=1"])
def test_a_broker_whose_address_cannot_be_used_is_exit_code_2_and_nothing_is_stored(fleet, archive, end):
    [dead] = crawl_jobs(archive, ["http://dead.example/"])
    archive.leases.end(archive.jobs.claim(dead.id, "somebody").fence, SliceResult(end="dead", reason="it is empty"))
    fleet.broker = f"redis://:secret@127.0.0.1:{end}"
    for words in (("enqueue", "http://a.example/"), ("fleet", "revive")):
        done = fleet.run(*words)
        assert done.code == 2
        assert "redis://HOST:6379/0" in done.err
        assert "secret" not in done.err + done.out
    assert list(archive.jobs.queued()) == []
    assert [job.id for job in archive.jobs.dead(limit=10)] == [dead.id]


def test_a_folder_is_no_archive_for_a_fleet(fleet):
    fleet.archive = str(fleet.folder / "kept")
    done = fleet.run("enqueue", "http://a.example/")
    assert done.code == 2
    assert "everlog copy" in done.err


def test_prometheus_is_told_of_all_jobs_and_a_worker_tells_of_itself(archive, job_queue):
    for name in ("one", "other"):
        archive.workers.sign_in(name, processes=1, has_browser=False)
    crawl_jobs(archive, ["http://a.example/"])
    ports = free_port(), free_port()
    ends = [serve_metrics(ports[0], archive, job_queue), serve_metrics(ports[1], archive, job_queue, worker="one")]
    try:
        whole, own = ([urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()][0] for port in ports)
    finally:
        for end in ends:
            end()
    assert 'everlog_jobs{state="queued"} 1.0' in whole
    assert 'everlog_worker_slices_total{worker="other"} 0.0' in whole
    assert 'worker="other"' not in own
    assert "everlog_up 1.0" in own


def test_a_broker_that_is_away_is_a_metric_too(archive, job_queue):
    job_queue.broker = f"redis://127.0.0.1:{free_port()}/0"
    port = free_port()
    end = serve_metrics(port, archive, job_queue)
    try:
        assert "everlog_up 0.0" in urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
    finally:
        end()


def test_a_worker_that_could_store_nothing_does_not_start(fleet):
    done = fleet.run("worker", "--files", "memory://a/b")
    assert done.code == 2
    assert "--spool" in done.err


@pytest.mark.parametrize("words", [
    ("watch", "--no-media"), ("watch", "--json"), ("watch", "--delay", "2"),
])
def test_flags_that_would_do_nothing_are_refused(fleet, words):
    done = fleet.run(*words)
    assert done.code == 2
    assert words[-1] in done.err or words[-2] in done.err


def test_the_removed_readers_are_refused_with_what_to_do_instead(fleet):
    for words in (("--readers", "4"), ("--readers=none", "--archive", "kept")):
        done = fleet.run("worker", *words)
        assert done.code == 2
        assert "--readers was removed" in done.err
        assert "more workers crawl more blogs" in done.err
    assert "--readers" not in fleet.run("worker", "--help").out


@pytest.mark.slow
def test_all_commands_can_be_quiet_or_say_more(fleet, archive):
    for words in (("enqueue", "http://a.example/"), ("fleet", "status"), ("fleet", "rebuild"), ("fleet", "dead"),
                  ("fleet", "revive")):
        assert fleet.run(*words, "-q", "-v").code == 0


def test_a_scheduler_logs_for_programs_line_by_line(fleet, archive):
    done = fleet.run("watch", "--once", "--log-format", "json")
    assert done.code == 0
    assert "feeds queued" in json.loads(done.err.splitlines()[-1])["message"]
    assert all(json.loads(line)["logger"] for line in done.err.splitlines())


def test_where_a_fleet_has_its_files_is_nothing_to_an_archive_in_a_folder(fleet):
    open_archive(fleet.folder / "kept", create=True).close()
    assert fleet.run("status", "--archive", "kept").code == 0
    refused = fleet.run("copy", "--archive", "kept", "--files", "elsewhere", "--to", "other")
    assert refused.code == 2
    assert "holds its own files" in refused.err


def test_nothing_is_put_into_an_archive_that_a_copy_is_being_made_into(fleet, archive):
    archive.backend.state.begin_copy("another")
    done = fleet.run("enqueue", "http://a.example/")
    assert done.code == 2
    assert "a copy of another is being made" in done.err
    assert list(archive.jobs.queued()) == []


def test_help_has_an_example_for_every_command(fleet):
    for words in (("worker",), ("enqueue",), *(("fleet", name) for name in
                  ("status", "rebuild", "drain", "dead", "revive", "cancel"))):
        done = fleet.run(*words, "--help")
        assert done.code == 0
        assert "Example" in done.out
    assert json.dumps(done.out)
