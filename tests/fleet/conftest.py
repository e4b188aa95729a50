"""A database and a queue for each test, on servers that tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cli.sites import serve_demo
from everlog.archive import Archive, open_archive
from everlog.fleet.job_queue import JobQueue
from fetch.servers import Server
from fleet.a_fleet import Fleet, a_fleet, asked, posts_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def archive(archive_url: str, tmp_path: Path) -> Iterator[Archive]:
    with open_archive(archive_url, create=True, files=tmp_path / "files") as opened:
        yield opened


@pytest.fixture
def job_queue(redis_url: str) -> Iterator[JobQueue]:
    opened = JobQueue(redis_url)
    yield opened
    opened.close()


@pytest.fixture
def fleet(archive_url: str, redis_url: str, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(archive_url, redis_url, tmp_path) as running:
        yield running


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The demo's blog, crawled by one process into a folder: what a fleet must come to, too."""
    from cli.program import everlog

    folder = tmp_path_factory.mktemp("alone")
    with Server() as server:
        everlog("crawl", serve_demo(server), "--delay", "0", "-q", "--archive", "kept", folder=folder)
        with open_archive(folder / "kept", create=True) as archive:
            return posts_of(archive), asked(server)
