"""Memory of a crawl that meets one huge picture: is it held in memory, or streamed to the disk?

    python benchmarks/media_memory.py [--megabytes 200] [--pictures 1]

The demo's blog is served on loopback by another process, with so many bytes in place of some of its pictures, and
crawled into a new archive; then the process says how much memory it has held at most (VmHWM), and whether the stored
pictures have the digests that were sent. With `--megabytes 0` the blog is as it is, to compare with.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import subprocess
import sys
import tempfile
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

from crawl_memory import memory

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

MEGABYTE = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--pictures", type=int, default=1)
    parser.add_argument("--home", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.home:
        crawl(arguments.home, arguments.megabytes)
        return
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(theirs, arguments.megabytes, arguments.pictures), daemon=True)
    server.start()
    home = ours.recv()
    done = subprocess.run(
        [sys.executable, __file__, "--home", home, "--megabytes", str(arguments.megabytes)], stdout=subprocess.PIPE,
        text=True, check=True,
    )
    server.terminate()
    found = json.loads(done.stdout)
    print(f"{arguments.pictures} x {arguments.megabytes} MB: {found['VmHWM']:.0f} MB at most, {found['huge']} whole")


def piece(picture: int, number: int) -> bytes:
    """A megabyte that is like no other, and cannot be compressed."""
    return hashlib.shake_128(f"{picture}/{number}".encode()).digest(MEGABYTE)


def serve(tell: Connection, megabytes: int, pictures: int) -> None:
    """The demo's blog with huge pictures, until the process is ended."""
    from everlog.demo.site import pages  # noqa: PLC0415 - the parent needs none of it

    documents: dict[str, tuple[str, bytes]] = {}
    huge: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            kind, body = documents.get(self.path, ("", b""))
            self.send_response(200 if kind else 404)
            self.send_header("Content-Type", kind or "text/plain")
            is_huge = megabytes and self.path in huge
            self.send_header("Content-Length", str(megabytes * MEGABYTE if is_huge else len(body)))
            self.end_headers()
            if not is_huge:
                self.wfile.write(body)
                return
            for number in range(megabytes):
                self.wfile.write(piece(huge.index(self.path), number))

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    with closing(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as server:
        home = f"http://127.0.0.1:{server.server_address[1]}"
        documents |= {path: (document.type, document.body) for path, document in pages(home).items()}
        shown = [path for path, (kind, _) in documents.items() if kind == "image/png" and path.endswith("-1.png")]
        huge += shown[:pictures]
        tell.send(f"{home}/")
        server.serve_forever()


def crawl(home: str, megabytes: int) -> None:
    """NewCrawl into a new archive; a line of JSON at its end."""
    from everlog.archive import open_archive  # noqa: PLC0415 - the parent needs none of it
    from everlog.errors import EverlogError  # noqa: PLC0415
    from everlog.settings import make_settings  # noqa: PLC0415
    from everlog.usecases.runner import Job, run_jobs  # noqa: PLC0415

    settings = make_settings({"delay": 0, "max_media_bytes": (megabytes + 100) * MEGABYTE})
    # Not in /tmp: that may be memory too.
    here = Path(__file__).parent
    with tempfile.TemporaryDirectory(dir=here) as folder, open_archive(Path(folder), create=True) as archive:
        [report] = run_jobs([Job(url=home, typed=True)], archive, settings)
        if isinstance(report, EverlogError):
            raise report
        most = memory()
        whole = 0
        for file in Path(folder, "media").rglob("*.png"):
            if file.stat().st_size == megabytes * MEGABYTE:
                with file.open("rb") as stored:
                    whole += hashlib.file_digest(stored, "sha256").hexdigest() == file.stem
    print(json.dumps(most | {"huge": whole}))


if __name__ == "__main__":
    main()
