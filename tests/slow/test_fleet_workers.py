"""Workers as processes: how they are drained, and what they leave for later."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from fleet.a_fleet import until
from fleet.conftest import fleet, server
from services import free_port

__all__ = ["fleet", "server"]


def _now():
    return datetime.now(UTC)


def test_drain_ends_all_workers(fleet):
    processes = [fleet.worker(name) for name in ("first", "second")]
    with fleet.open() as archive:
        until(lambda: len(json.loads(fleet.run("fleet", "status", "--json").out)["workers"]) == 2)
        assert fleet.run("fleet", "drain").code == 0
        assert [process.wait(60) for process in processes] == [0, 0]
        assert fleet.run("fleet", "drain").code == 2
        assert archive.fleet_state(now=_now()).workers == ()


def test_a_blog_that_cannot_be_had_is_tried_again_later_and_one_without_posts_is_given_up(fleet, server):
    server.routes["/"] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/html\r\n\r\nhm"
    fleet.run("enqueue", f"http://127.0.0.1:{free_port()}/", server.url())
    fleet.worker("only", log="json")
    with fleet.open() as archive:
        until(lambda: archive.fleet_state(now=_now()).states.get("parked", 0) == 2
              or archive.fleet_state(now=_now()).states == {"parked": 1, "dead": 1})
        for line in filter(None, fleet.said("only").splitlines()):
            if line.startswith("{"):
                assert {"at", "level", "message", "worker"} <= json.loads(line).keys()
