"""A crawl holds no huge picture in memory."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from cli.program import command, environment
from cli.sites import serve_demo
from everlog.archive import open_archive
from fetch.servers import Seen, Server, reply

PICTURE_BYTES = 90_000_000
# The crawl of the same blog with small pictures takes 135 MB; with this one in memory it would be 390 MB and more.
MOST_BYTES = 250_000_000
# A process counts the memory of the one that began it as its own peak, and this one may be large by now.
PEAK = (
    "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
)


@pytest.fixture
def server():
    with Server() as running:
        yield running


def test_a_crawl_with_a_huge_picture_takes_hardly_more_memory_than_one_without(server, tmp_path):
    url = serve_demo(server)
    others = server.routes["*"]
    piece = os.urandom(1_000_000)

    def answer(seen: Seen):
        if seen.path.endswith("snow-in-the-cutting-1.png"):
            head = reply(200, Content_Type="image/png").replace(b"Length: 0", f"Length: {PICTURE_BYTES}".encode())
            return (part for part in (head, *[piece] * (PICTURE_BYTES // len(piece))))
        return others(seen)

    server.routes["*"] = answer
    crawl = command("crawl", url, "--delay", "0", "--archive", str(tmp_path / "archive"), "-q")
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *crawl], env=environment(), stdout=subprocess.PIPE, text=True, check=True,
    )
    assert int(done.stdout) * 1024 < MOST_BYTES
    with open_archive(tmp_path / "archive", create=True) as archive:
        assert max(path.stat().st_size for path in (archive.files.folder / "media").rglob("*.png")) == PICTURE_BYTES
