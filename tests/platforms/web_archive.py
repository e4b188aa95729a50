"""A real pywb on loopback: a web archive of WARC files, with a CDX interface, TimeMaps and captures as they were."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from platforms.serving import installed, running
from services import held_port

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

COLLECTION = "blogs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """A running pywb; `url` is the address of its collection."""

    url: str


@contextmanager
def pywb(warc_files: Iterable[Path], *, index: Path | None = None) -> Iterator[Archive]:
    """A web archive of these files, with an index of its own making, or with one that names them as `warc/...`."""
    python = installed("pywb") / "bin" / "python"
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "PYTHONWARNINGS": "ignore"}
    with TemporaryDirectory(prefix="everlog-pywb-") as name, held_port() as port:
        folder = Path(name)
        given = folder / "given"
        given.mkdir()
        for number, file in enumerate(warc_files):
            shutil.copy(file, given / (file.name if index is not None else f"{number}-{file.name}"))
        adding = [] if index is not None else [["add", COLLECTION, *map(str, sorted(given.iterdir()))]]
        for words in (["init", COLLECTION], *adding):
            subprocess.run(
                [python, "-c", "from pywb.manager.manager import main; main()", *words],
                cwd=folder, env=environment, check=True, capture_output=True,
            )
        if index is not None:
            collection = folder / "collections" / COLLECTION
            given.rename(collection / "archive" / "warc")
            shutil.copy(index, collection / "indexes" / "index.cdxj")
        command = [
            str(python), "-c", "from pywb.apps.cli import wayback; wayback()", "-b", "127.0.0.1", "-p", str(port),
        ]
        url = f"http://127.0.0.1:{port}"
        with running(command, url=url, log=folder / "log", environment=environment, folder=folder):
            yield Archive(url=f"{url}/{COLLECTION}/")
