"""One crawl of the demo's blog, shared by all tests that look at what it left."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from cli.program import Done, everlog
from cli.sites import serve_demo
from fetch.servers import Server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawled:
    """The demo's blog after its first crawl: the server still runs."""

    server: Server
    url: str
    folder: Path
    done: Done


@pytest.fixture(scope="session")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """The demo's blog, crawled once; not to be changed."""
    folder = tmp_path_factory.mktemp("crawled")
    with Server() as server:
        url = serve_demo(server)
        done = everlog("crawl", url, "--delay", "0", "--json", "--archive", "kept", folder=folder)
        yield Crawled(server=server, url=url, folder=folder / "kept", done=done)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with no setting of anybody's machine in sight."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVERLOG_ARCHIVE", raising=False)
    monkeypatch.delenv("EVERLOG_CONFIG", raising=False)
    return tmp_path


@pytest.fixture
def kept(crawled: Crawled, here: Path) -> str:
    """The address of the crawled blog; its archive is `everlog-archive` here, the test's own copy."""
    shutil.copytree(crawled.folder, here / "everlog-archive")
    return crawled.url


@pytest.fixture
def server() -> Iterator[Server]:
    """A server without anything on it."""
    with Server() as running:
        yield running
