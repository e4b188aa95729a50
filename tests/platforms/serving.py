"""Web server of a platform: a group of processes on loopback, with a log of the requests that it answered."""

from __future__ import annotations

import fcntl
import hashlib
import http.client
import json
import os
import re
import signal
import sqlite3
import subprocess
import time
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest

from services import START_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

PARTS = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "everlog" / "platforms"
MADE_FROM = {
    name: Path(__file__).with_name(folder)
    for name, folder in (("wordpress", "php"), ("ghost", "node"), ("pywb", "pywb"))
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One line of a server's request log."""

    method: str
    # The path with its query, as it was sent.
    target: str
    status: int
    # Their names are in small letters.
    headers: Mapping[str, str] = field(hash=False)


@dataclass(frozen=True, slots=True)
class RequestLog:
    """The requests that a server answered. Whoever has read an answer finds it here."""

    file: Path

    def read(self) -> list[Request]:
        if not self.file.exists():
            return []
        return [Request(**json.loads(line)) for line in self.file.read_text("utf-8").splitlines()]

    def clear(self) -> None:
        self.file.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class ShutPages:
    """Pages that a server in front of a site does not let through, whatever the site itself says of them."""

    file: Path

    def shut(self, links: Iterable[str], *, status: int = 403) -> None:
        """Answer with this status in place of these pages from now on, or with 0 let them through again."""
        shut = json.loads(self.file.read_text("utf-8")) if self.file.exists() else {}
        paths = {unquote(link.partition("://")[2].partition("/")[2]): status for link in links}
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps({**shut, **{f"/{path}": status for path, status in paths.items()}}), "utf-8")
        new.rename(self.file)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a server said to one request."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    def count(self, what: str) -> int:
        """How many different texts match."""
        return len(set(re.findall(what, self.text)))


def ask(url: str, target: str, **headers: str) -> Answer:
    """One request, to a path or address of a site; redirects are not followed. Headers have _ in place of -."""
    with closing(http.client.HTTPConnection(url.removeprefix("http://"), timeout=START_SECONDS)) as connection:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("GET", target.removeprefix(url), headers=sent)
        response = connection.getresponse()
        return Answer(status=response.status, headers=dict(response.headers), text=response.read().decode())


def folder_of(name: str) -> Path:
    """The folder of a platform's software, which the installer names after what it was made from."""
    made_from = (MADE_FROM[name] / "parts.json").read_bytes()
    return PARTS / f"{name}-{hashlib.sha256(made_from).hexdigest()[:12]}"


def installed(name: str) -> Path:
    folder = folder_of(name)
    if not folder.exists():
        raise RuntimeError(f"{name} is not installed: scripts/install-platform-parts --{name}")
    return folder


def needs(name: str) -> pytest.MarkDecorator:
    """Mark of tests that are left out, with a remark, where a platform could not be installed; in CI they fail."""
    missing = not folder_of(name).exists() and os.environ.get("CI") != "true"
    return pytest.mark.skipif(missing, reason=f"{name} is not installed: scripts/install-platform-parts --{name}")


def kept_database(software: Path, *, made_from: bytes, make: Callable[[Path], None]) -> Path:
    """The database of a filled site, kept beside the software under what it was made from; others wait meanwhile."""
    kept = software / f"filled-{hashlib.sha256(made_from).hexdigest()[:16]}.sqlite"
    with (software / ".filling").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            new = kept.with_suffix(".new")
            new.unlink(missing_ok=True)
            make(new)
            new.rename(kept)
    return kept


def copy_database(used: Path, copy: Path) -> None:
    """A whole copy of a SQLite database that a server may be using."""
    with closing(sqlite3.connect(used)) as now, closing(sqlite3.connect(copy)) as whole:
        now.backup(whole)


@contextmanager
def running(
    command: list[str], *, url: str, log: Path, environment: Mapping[str, str], folder: Path,
) -> Iterator[subprocess.Popen[bytes]]:
    """A server that answers at the address, until the block ends; then neither it nor a child of it is left."""
    with log.open("wb") as said:
        process = subprocess.Popen(
            command, env=environment, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said,
            start_new_session=True,
        )
        assert process.stdout is not None
        with process:
            try:
                if not _answers(process, url):
                    text = log.read_text("utf-8", errors="replace")
                    raise RuntimeError(f"{command[0]} does not answer at {url}:\n{text[-4_000:]}")
                yield process
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                # A kill takes a moment. What all of them wrote to ends when the last of them has.
                process.stdout.read()


def _answers(process: subprocess.Popen[bytes], url: str) -> bool:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        # To the end of the answer: only then it is in the log.
        with suppress(OSError, http.client.HTTPException):
            if ask(url, "/").status < 500:
                return True
        # Not listening, or not ready yet: a server that ends meanwhile is seen at once.
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
    return False
