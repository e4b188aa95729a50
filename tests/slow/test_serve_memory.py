"""A film is shown without being held in memory."""

from __future__ import annotations

import hashlib
import http.client
import signal
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from archive import some_visits as some
from archive.some_visits import HOME, START
from cli.program import begin
from everlog.archive import open_archive
from everlog.records import Spooled

if TYPE_CHECKING:
    import subprocess

FILM_BYTES = 300_000_000
# A server that has answered some pages takes 75 MB; with the film in memory it would be 375 MB.
MOST_KILOBYTES = 150_000
PIECE = bytes(range(250)) * 4_000


def peak_kilobytes(process: subprocess.Popen[str]) -> int:
    lines = Path(f"/proc/{process.pid}/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def test_a_film_of_300_mb_streams_from_its_record_and_from_its_media_file(tmp_path):
    folder = tmp_path / "archive"
    film = tempfile.TemporaryFile()  # noqa: SIM115 - who stores it closes it
    digest = hashlib.sha256()
    for _ in range(FILM_BYTES // len(PIECE)):
        film.write(PIECE)
        digest.update(PIECE)
    kept = Spooled(file=film, size=FILM_BYTES, sha256=digest.hexdigest())
    with open_archive(folder, create=True) as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        answer = some.exchange(
            HOME + "film.mp4", b"", headers=(("Content-Type", "video/mp4"),), purpose="media", spooled=kept,
        )
        with archive.lock(blog):
            archive.commit([some.page(blog, HOME + "film.mp4", outcome="media", exchanges=(answer,))])
    server = begin("serve", "--archive", str(folder), "--port", "0", folder=tmp_path)
    try:
        assert server.stderr is not None
        place = next(line.split()[4] for line in server.stderr if line.startswith("captured pages come from"))
        pages = http.client.HTTPConnection(urlsplit(place.rstrip(";")).netloc)
        path = f"/web/{START:%Y%m%d%H%M%S}/{HOME}film.mp4"
        for _ in range(2):
            pages.request("GET", path)
            told = pages.getresponse()
            read = hashlib.sha256()
            while piece := told.read(1 << 20):
                read.update(piece)
            assert read.hexdigest() == kept.sha256
            # The second time there is only the record to read from.
            for file in (folder / "media").rglob("*.mp4"):
                file.unlink()
        pages.request("GET", path, headers={"Range": f"bytes={FILM_BYTES - 5}-"})
        assert pages.getresponse().read() == PIECE[-5:]
        pages.close()
        assert peak_kilobytes(server) < MOST_KILOBYTES
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=60)
    assert server.returncode == 130

