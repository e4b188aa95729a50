"""Servers of the platforms: none outlives its test, and one that does not start says why."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from platforms.serving import RequestLog, ask, running
from services import held_port

if TYPE_CHECKING:
    from pathlib import Path

# Two processes that listen on one socket, as PHP's web server has several.
FORKING = """
import http.server, os, sys
server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), http.server.SimpleHTTPRequestHandler)
os.fork()
server.serve_forever()
"""


def test_a_server_and_its_children_end_with_the_block(tmp_path: Path) -> None:
    with held_port() as port:
        url, log = f"http://127.0.0.1:{port}", tmp_path / "log"
        command = [sys.executable, "-c", FORKING, str(port)]
        with running(command, url=url, log=log, environment=os.environ, folder=tmp_path):
            assert ask(url, "/").status == 200
        with pytest.raises(ConnectionRefusedError):
            ask(url, "/")


def test_a_server_that_does_not_start_says_what_it_said(tmp_path: Path) -> None:
    command = ["sh", "-c", "echo there is no site here >&2; exit 1"]
    url, log = "http://127.0.0.1:9", tmp_path / "log"
    with (
        pytest.raises(RuntimeError, match="there is no site here"),
        running(command, url=url, log=log, environment=os.environ, folder=tmp_path),
    ):
        pytest.fail("it did not start")


def test_a_log_that_nobody_wrote_to_is_empty(tmp_path: Path) -> None:
    assert RequestLog(tmp_path / "requests.log").read() == []
