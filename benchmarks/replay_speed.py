"""How fast captured pages are shown: first byte and whole answer, from an archive of 100,000 captures.

    python benchmarks/replay_speed.py [--captures 100000] [--requests 300] [--most-median 30 --most-worst 200]

Both databases, files on disk and in an S3 on loopback (moto, in a process of its own). The server is a process of its
own as well, asked over one connection as a browser's is: pages of 20 kB with 60 references, style sheets with 10,
pictures of 20 kB, none of them twice. A thousand of the captures are real, in WARC files that the archive wrote; the
other rows are there to make the tables as large as they get, and half of the real addresses were captured five times.
*p50* and *p99* are milliseconds of the clock, which means little on a machine that is busy with other things: *CPU* is
what one answer took of the server's processor time (that of the database and of the S3 comes on top). With --most it
ends with 1 if a page is slower.
"""

from __future__ import annotations

import argparse
import http.client
import multiprocessing
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, insert, select

from everlog.archive import open_archive
from everlog.archive.archive import Archive, ArchiveOptions
from everlog.archive.backend import Backend
from everlog.archive.db import schema
from everlog.archive.db.column_values import stamp
from everlog.archive.files.remote_store import RemoteStore
from everlog.core.urls import canonical
from everlog.records import Exchange, Visit
from everlog.web.server import ArchiveServer, ServeOptions
from fleet_ground import servers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

HOME = "http://a.example/"
START = datetime(2024, 5, 1, tzinfo=UTC)
CHANCE = random.Random(7)  # noqa: S311 - not a secret
BUCKET = "replay"
REFERENCES, OF_STYLE = 60, 10
GROUP = 100
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one kind of file took."""

    first: list[float]
    whole: list[float]
    cpu: float


def main() -> int:
    """Make the archives, ask, print a table."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--captures", type=int, default=100_000)
    options.add_argument("--requests", type=int, default=300)
    options.add_argument("--most-median", type=float, default=float("inf"))
    options.add_argument("--most-worst", type=float, default=float("inf"))
    asked = options.parse_args()
    slow = 0
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="everlog-replay-")))
        server = stack.enter_context(servers.postgres())
        stack.enter_context(object_store())
        wheres = {"SQLite": (str(place / "sqlite"), None), "PostgreSQL": (server.url(), str(place / "files"))}
        for name, (where, files) in wheres.items():
            with open_archive(where, create=True, files=files) as archive:
                make(archive, asked.captures, asked.requests)
                upload(archive, name.lower())
        print(f"{asked.captures:,} captures, {asked.requests} requests of each kind; load {os.getloadavg()[0]:.1f}\n")
        print("| database | files | what | first byte p50 | p99 | whole p50 | p99 | CPU |")
        print("|---|---|---|---:|---:|---:|---:|---:|")
        for name, (where, files) in wheres.items():
            for kind in ("disk", "S3"):
                remote = f"s3://{BUCKET}/{name.lower()}" if kind == "S3" else None
                for what, measured in measure(where, files, remote, asked.requests).items():
                    print(f"| {name} | {kind} | {what} | {shown(measured)} |", flush=True)
                    is_slow = at(measured.whole, 0.5) > asked.most_median or at(measured.whole, 0.99) > asked.most_worst
                    slow += what == "page" and is_slow
    return 1 if slow else 0


def make(archive: Archive, captures: int, pages: int) -> None:
    """Real captures of pages and their files, and rows for the rest."""
    blog = archive.blogs.add(HOME, scope="path").id
    pictures = [f"{HOME}media/{number}.png" for number in range(pages)]
    with archive.lock(blog):
        visits = [_visit(blog, url, CHANCE.randbytes(20_000), "image/png", "media") for url in pictures]
        visits += [
            _visit(blog, f"{HOME}css/{number}.css?ver=1", _style(pictures), "text/css", "requisite")
            for number in range(pages)
        ]
        visits += [_visit(blog, f"{HOME}post/{number}/", _page(number, pictures), "text/html; charset=utf-8", "page")
                   for number in range(pages)]
        for start in range(0, len(visits), GROUP):
            archive.commit(visits[start : start + GROUP])
    _fill(archive, blog, captures - len(visits), again=[visit.key for visit in visits[::2]])


def _visit(blog: int, url: str, body: bytes, kind: str, purpose: Any) -> Visit:
    answer = Exchange(
        url=url, status=200, reason="OK", headers=(("Content-Type", kind),), body=body, fetched_at=START,
        purpose=purpose,
    )
    return Visit(blog_id=blog, url=url, key=canonical(url), outcome="page", exchanges=(answer,))


def _style(pictures: list[str]) -> bytes:
    shown = CHANCE.sample(pictures, OF_STYLE)
    rules = (f".a{number} {{ background: url('{url}') }}\n" for number, url in enumerate(shown))
    return ("body { margin: 0; font: 1rem/1.5 serif }\n" * 200 + "".join(rules)).encode()


def _page(number: int, pictures: list[str]) -> bytes:
    """A page with a style sheet, pictures in several spellings, and links, of which some are not held."""
    shown = CHANCE.sample(pictures, REFERENCES // 3)
    parts = [f'<link rel="stylesheet" href="/css/{number}.css?ver=1">', f"<title>{number}</title><body>"]
    words = "Some words of an article. " * 10
    parts += [f'<p>{words}<img src="{url.removeprefix("http:")}" alt=""></p>' for url in shown]
    parts += [f'<a href="/post/{CHANCE.randrange(2 * len(pictures))}/">A post</a>' for _ in range(REFERENCES // 3)]
    parts += [f'<a href="https://other.example/{CHANCE.random()}">Away</a>' for _ in range(REFERENCES // 3)]
    return "\n".join(parts).encode() + b"<p>" + b"The end. " * 1_000


def _fill(archive: Archive, blog: int, count: int, again: list[str]) -> None:
    """Rows of captures that are never opened: some of addresses that are, at other times; most of others."""
    database: Any = archive.backend.database
    urls, captures = schema.urls, schema.captures
    with database.writing() as connection:
        known = {key: url_id for key, url_id in connection.execute(select(urls.c.key, urls.c.id))}  # noqa: C416 - rows
        last: int = connection.scalar(select(func.max(urls.c.id))) or 0
        number: int = connection.scalar(select(func.max(captures.c.id))) or 0
        warc = connection.scalar(select(schema.warc_files.c.id).limit(1))
        fresh = [{
            "id": last + place, "blog_id": blog, "key": f"a.example/old/{place}", "url": f"{HOME}old/{place}",
            "lane": "page", "rank": 0.0, "state": "done", "tries": 1, "new_posts": 0, "queued_at": stamp(START),
        } for place in range(1, max(2, count // 5))]
        wanted = [known[key] for key in again for _ in range(4)]
        wanted += [row["id"] for row in fresh for _ in range(5)]
        rows = [{
            "id": number + place, "blog_id": blog, "url_id": url_id, "url": HOME, "purpose": "page", "answer": True,
            "status": 200, "content_type": "text/html", "digest": f"sha256:{place:064x}", "bytes": 1,
            "fetched_at": stamp(START + timedelta(days=1 + place % 300)), "warc_id": warc, "offset": 10**12 + place,
            "length": 1,
        } for place, url_id in enumerate(wanted[:count], 1)]
        for table, made in ((urls, fresh), (captures, rows)):
            for start in range(0, len(made), 5_000):
                connection.execute(insert(table), made[start : start + 5_000])
    with database.engine.connect() as connection:
        connection.exec_driver_sql("ANALYZE")
        connection.commit()


def upload(archive: Archive, prefix: str) -> None:
    """Copies of the files, in the S3."""
    store, target = archive.backend.file_store, RemoteStore(f"s3://{BUCKET}/{prefix}")
    for name in store.names("warc"):
        with store.open(name) as source:
            target.put(name, source)


def measure(where: str, files: str | None, remote: str | None, requests: int) -> dict[str, Measured]:
    """Ask a server for pages, style sheets and pictures."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(where, files, remote, there))
    process.start()
    try:
        port: int = here.recv()
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        moment = START.strftime("%Y%m%d%H%M%S")
        kinds = {
            "page": [f"/web/{moment}mp_/{HOME}post/{number}/" for number in range(requests)],
            "style sheet": [f"/web/{moment}/{HOME}css/{number}.css?ver=1" for number in range(requests)],
            "picture": [f"/web/{moment}/{HOME}media/{number}.png" for number in range(requests)],
        }
        # What is loaded when it is first needed is not measured.
        for paths in kinds.values():
            _ask(connection, paths[-1])
        return {what: _measured(connection, paths, process.pid or 0) for what, paths in kinds.items()}
    finally:
        process.terminate()
        process.join()


def serve(where: str, files: str | None, remote: str | None, told: Connection) -> None:
    """The server, in a process of its own; its files may be elsewhere than its database says."""
    archive = open_archive(where, files=files, options=ArchiveOptions(min_free_bytes=0))
    if remote is not None:
        backend = archive.backend
        archive = Archive(
            Backend(
                database=backend.database, file_store=RemoteStore(remote), locks=backend.locks, where=backend.where,
            ), ArchiveOptions(min_free_bytes=0),
        )
    ArchiveServer(archive, ServeOptions(port=0)).run(lambda origins: told.send(origins.replay_port))


def _measured(connection: http.client.HTTPConnection, paths: list[str], pid: int) -> Measured:
    before = _cpu(pid)
    times = [_ask(connection, path) for path in paths]
    return Measured(
        first=[first for first, _ in times], whole=[whole for _, whole in times],
        cpu=(_cpu(pid) - before) / len(paths) * 1_000,
    )


def _ask(connection: http.client.HTTPConnection, path: str) -> tuple[float, float]:
    begin = time.perf_counter()
    connection.request("GET", path)
    answer = connection.getresponse()
    first = time.perf_counter()
    body = answer.read()
    whole = time.perf_counter()
    if answer.status != 200 or len(body) < 5_000:
        raise AssertionError(f"{path}: {answer.status}, {len(body)} bytes")
    return (first - begin) * 1_000, (whole - begin) * 1_000


def _cpu(pid: int) -> float:
    """Seconds of processor time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def at(values: list[float], share: float) -> float:
    """The value below which this share of them lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def shown(measured: Measured) -> str:
    parts = [at(values, share) for values in (measured.first, measured.whole) for share in (0.5, 0.99)]
    return " | ".join([*(f"{part:.1f}" for part in parts), f"{measured.cpu:.1f}"])


@contextmanager
def object_store() -> Iterator[None]:
    """An S3 in a process of its own, which the environment leads to."""
    import boto3  # noqa: PLC0415 - comes with moto

    port = servers.free_port()
    os.environ |= {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true", "AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": "nothing",
    }
    command = [sys.executable, "-c", "from moto.server import main; main()", "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for(port)
            boto3.client("s3").create_bucket(Bucket=BUCKET)
            yield
        finally:
            process.terminate()


def _wait_for(port: int) -> None:
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError("the S3 does not answer")


if __name__ == "__main__":
    sys.exit(main())
