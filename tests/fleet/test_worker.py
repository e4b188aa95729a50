"""Workers as processes: what they archive, how they share, end, and die."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

import a_blog
from cli.sites import serve_demo, serve_small
from everlog.archive.db import schema
from everlog.archive.job_models import SliceResult
from everlog.archive.repos.job_rows import job_of
from everlog.archive.verify import verify
from everlog.fleet.job_queue import JobQueue
from fetch.servers import Server, reply
from fleet.a_fleet import asked, keep_awake, no_job_left, posts_of, until
from usecases.a_service_web import DISQUS_PAGE


@pytest.mark.slow
def test_a_blog_in_many_slices_on_two_workers_is_the_blog_that_one_crawl_brings(fleet, server, alone):
    url = serve_demo(server)
    assert fleet.run("enqueue", url).code == 0
    for name in ("first", "second"):
        fleet.worker(name, "--slice-pages", "40")
    with fleet.open() as archive:
        until(lambda: no_job_left(archive))
        expected, requests = alone
        assert posts_of(archive) == expected
        assert list(verify(archive)) == []
        [blog] = archive.blogs()
        assert blog.state == "finished"
        assert len(archive.blogs.runs(blog.id)) > 3
        # Going on costs no request: each address was asked for as often as in one crawl.
        assert asked(server) == requests
        # A slice is counted when its job has ended.
        until(lambda: sum(worker.slices for worker in archive.workers()) >= len(archive.blogs.runs(blog.id)))
        assert sum(worker.slices for worker in archive.workers()) == len(archive.blogs.runs(blog.id))


@pytest.mark.slow
def test_due_feeds_are_asked_by_workers_and_bring_new_posts(fleet, server):
    home = serve_small(server, numbers=range(7, 0, -1))
    fleet.run("enqueue", home)
    fleet.worker("only")
    with fleet.open() as archive:
        until(lambda: no_job_left(archive))
        assert len(list(archive.posts())) == 7
        serve_small(server, numbers=range(8, 0, -1))
        assert fleet.run("watch", "--once").code == 0
        with archive.backend.database.writing() as connection:
            connection.execute(schema.polls.update().values(due_at="2020-01-01T00:00:00.000000Z"))
        assert "1 feeds queued" in fleet.run("watch", "--once").err
        until(lambda: len(list(archive.posts())) == 8)
        until(lambda: no_job_left(archive))
        [poll] = [archive.polls.of(blog.id) for blog in archive.blogs()]
        assert poll.polling.due_at.year > 2020
        assert list(verify(archive)) == []


@pytest.mark.slow
def test_what_only_a_browser_shows_is_left_to_workers_that_have_one(fleet, server):
    def serve(numbers):
        home = serve_small(server, numbers=numbers)
        for number in numbers:
            server.routes[f"/{number}"] = reply(200, a_blog.page(number, after=DISQUS_PAGE))
        return home

    def left():
        return [(job.kind, job.url) for job in archive.jobs.queued() if job.needs_browser]

    home = serve(range(7, 0, -1))
    fleet.run("enqueue", home)
    fleet.worker("blind")
    with fleet.open() as archive:
        archive.workers.sign_in("seeing", processes=1, has_browser=True)
        keep_awake(archive)
        until(lambda: left() == [("crawl", home)])
        [job] = archive.jobs.queued()
        # What could not be had is asked for again, which only the first slice of an update does.
        assert job.slices == 0
        grant = archive.jobs.claim(job.id, "seeing")
        archive.leases.end(grant.fence, SliceResult(end="done", reason="as if it had drawn them"))
        serve(range(8, 0, -1))
        fleet.run("watch", "--once")
        with archive.backend.database.writing() as connection:
            connection.execute(schema.polls.update().values(due_at="2020-01-01T00:00:00.000000Z"))
        fleet.run("watch", "--once")
        until(lambda: left() == [("update", home)])
        assert len(list(archive.posts())) == 8
        # It is sent after it is stored.
        until(lambda: JobQueue(fleet.broker).depths()["update.browser"] == 1)
        assert fleet.run("fleet", "status", "--json").json["queues"]["update.browser"] == {"jobs": 1, "messages": 1}


@pytest.mark.slow
def test_a_server_that_names_a_time_is_asked_then_and_one_that_forbids_it_a_few_times_more(fleet, server):
    server.routes |= {"/robots.txt": reply(404), "*": reply(429, Retry_After="4000")}
    rules = {"/robots.txt": reply(200, "User-agent: *\nDisallow: /")}
    with Server(rules) as forbidden, Server({"/robots.txt": reply(503)}) as broken:
        fleet.run("enqueue", server.url(), forbidden.url(), broken.url())
        fleet.worker("only")
        with fleet.open() as archive:
            asked_later = select(schema.jobs).where(schema.jobs.c.state == "parked").order_by(schema.jobs.c.id)

            def parked():
                with archive.backend.database.reading() as connection:
                    return [job_of(row) for row in connection.execute(asked_later)]

            until(lambda: len(parked()) == 3)
            named, forbids, silent = parked()
            minutes = [(job.due_at - datetime.now(UTC)) / timedelta(minutes=1) for job in parked()]
    assert named.tries == 0
    assert 30 < minutes[0] <= 4000 / 60
    assert forbids.tries == 1
    assert "robots.txt disallows" in forbids.reason
    assert minutes[1] <= 5
    # Rules that cannot be read are no word of the server's: such a host is not asked for ever.
    assert silent.tries == 1
    assert "robots.txt returned 503" in silent.reason
    assert minutes[2] > 5


@pytest.mark.slow
def test_updates_come_before_new_crawls(archive, job_queue, fleet):
    with Server() as one, Server() as other:
        crawled, updated = serve_small(one), serve_small(other)
        fleet.run("crawl", updated, "-q")
        fleet.run("enqueue", crawled)
        fleet.run("enqueue", "--update", updated)
        assert JobQueue(fleet.broker).depths()["update"] == 1
        fleet.worker("only")
        until(lambda: no_job_left(archive))
        said = fleet.said("only")
        assert said.index(f"update {updated}") < said.index(f"crawl {crawled}")
