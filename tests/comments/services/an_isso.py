"""The comment server Isso as a process of its own, with the comments of a talk."""

from __future__ import annotations

import http.client
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from service_hosts import need

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from a_talk import Said

SETTINGS = """[general]
dbpath = {folder}/comments.db
host = {blog}
[server]
public-endpoint = {endpoint}
[guard]
enabled = false
[markup]
renderer = mistune
"""
# It takes a port that is free, and says which.
SERVER = """
import sys
from wsgiref.simple_server import WSGIRequestHandler, make_server
from isso import config, make_app

class Quiet(WSGIRequestHandler):
    def log_message(self, *words):
        pass

app = make_app(config.load(config.default_file(), sys.argv[1]), threading=True)
server = make_server("127.0.0.1", 0, app, handler_class=Quiet)
print(server.server_port, flush=True)
server.serve_forever()
"""


@contextmanager
def isso(folder: Path, blog: str, endpoint: str, path: str, comments: tuple[Said, ...]) -> Iterator[int]:
    """The port of a server that has these comments for a path."""
    settings = folder / "isso.cfg"
    settings.write_text(SETTINGS.format(folder=folder, blog=blog, endpoint=endpoint), "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(need(".isso"))}
    with (folder / "isso.log").open("w+") as log, subprocess.Popen(
        [sys.executable, "-c", SERVER, str(settings)], stdout=subprocess.PIPE, stderr=log, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            port = process.stdout.readline().strip()
            assert port, (folder / "isso.log").read_text("utf-8")
            _fill(int(port), folder, path, comments)
            yield int(port)
        finally:
            process.kill()


def _fill(port: int, folder: Path, path: str, comments: tuple[Said, ...]) -> None:
    numbers: dict[int, int] = {}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    for comment in comments:
        words = {
            "author": comment.author, "website": comment.site, "text": comment.text, "title": "A post",
            "parent": numbers.get(comment.answers or 0),
        }
        connection.request(
            "POST", f"/new?uri={path}", body=json.dumps(words), headers={"content-type": "application/json"}
        )
        with connection.getresponse() as response:
            numbers[comment.number] = json.load(response)["id"]
    connection.close()
    # Isso dates comments itself, with the day of the test.
    with closing(sqlite3.connect(folder / "comments.db")) as database, database:
        database.executemany(
            "UPDATE comments SET created = ? WHERE id = ?",
            [(comment.at.timestamp(), numbers[comment.number]) for comment in comments],
        )
