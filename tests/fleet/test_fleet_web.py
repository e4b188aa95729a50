"""The web that fleets are measured on dates requests when they arrive, however late it reads them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time

import fleet_web
from fleet_ground import requests_in

REQUEST = b"GET http://blog-1.example/ HTTP/1.1\r\nHost: blog-1.example\r\n\r\n"


def test_requests_that_a_stopped_server_reads_together_are_as_far_apart_as_they_came(tmp_path):
    log = tmp_path / "log"
    words = [sys.executable, fleet_web.__file__, "--blogs", "1", "--posts", "2", "--log", str(log)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        try:
            port = int(server.stdout.readline().rpartition(":")[2])
            first, second = (socket.create_connection(("127.0.0.1", port)) for _ in range(2))
            with first, second:
                os.kill(server.pid, signal.SIGSTOP)
                os.waitpid(server.pid, os.WUNTRACED)
                first.sendall(REQUEST)
                sent_first = time.time()
                second.sendall(REQUEST)
                sent_second = time.time()
                os.kill(server.pid, signal.SIGCONT)
                assert first.recv(100).startswith(b"HTTP/1.1 200")
                assert second.recv(100).startswith(b"HTTP/1.1 200")
        finally:
            server.kill()
    one, other = sorted(request.at for request in requests_in(log))
    assert one <= sent_first
    assert other <= sent_second
