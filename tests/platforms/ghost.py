"""A real Ghost on loopback: Node.js, Ghost, and SQLite.

Ghost itself is shared and read only. A site is a folder with a database, which is copied from an empty or filled one.
Changes are made inside of the server by `node/run.js`, which also writes the log of requests.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from platforms.serving import Request, RequestLog, ShutPages, copy_database, installed, kept_database, running
from services import held_port

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterable, Iterator, Sequence

    from platforms.content import Change

RUN = Path(__file__).with_name("node") / "run.js"


@dataclass(frozen=True, slots=True, kw_only=True)
class TruePost:
    """A post or page as Ghost itself has it, whether readers may see it or not."""

    id: str
    type: str
    status: str
    # public, members, paid
    visibility: str
    # To strangers, with its text.
    visible: bool
    link: str
    title: str
    content: str
    authors: list[str]
    tags: list[str]
    date: str | None
    modified: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """All that is in a site, told by its own models."""

    posts: tuple[TruePost, ...]
    # The public key of the content API, which every page has too.
    content_key: str


class Site:
    """A running Ghost site: what is in it, changes of it, and the requests that were made to it."""

    def __init__(self, folder: Path, url: str, process: subprocess.Popen[bytes]) -> None:
        self.folder = folder
        self.url = url
        # The ids of what was made under a key.
        self.keys: dict[str, str] = {}
        self._process = process
        self._log = RequestLog(folder / "requests.log")
        self._shut = ShutPages(folder / "shut.json")

    def change(self, changes: Sequence[Change]) -> None:
        """Do them in order."""
        self._run(changes, truth=False)

    def truth(self) -> Truth:
        told = self._run([], truth=True)
        return Truth(posts=tuple(TruePost(**post) for post in told["posts"]), content_key=told["content_key"])

    def requests(self) -> list[Request]:
        """What was asked since the site came up, or since they were forgotten."""
        return self._log.read()

    def forget_requests(self) -> None:
        self._log.clear()

    def shut(self, links: Iterable[str], *, status: int = 403) -> None:
        """Make pages unreachable behind the site's back: it lists them as before."""
        self._shut.shut(links, status=status)

    def _run(self, changes: Sequence[Change], *, truth: bool) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"changes": list(changes), "truth": truth}).encode() + b"\n")
        self._process.stdin.flush()
        told = self.heard()
        self.keys = told["keys"]
        return told["truth"]

    def heard(self) -> Any:
        """The next line that Ghost answers with."""
        assert self._process.stdout is not None
        told = json.loads(self._process.stdout.readline() or b'{"error": "Ghost ended"}')
        if "error" in told:
            log = (self.folder / "server.log").read_text("utf-8", errors="replace")
            raise RuntimeError(f"Ghost failed: {told['error']}\n{log[-4_000:]}")
        return told


@contextmanager
def site(*, filled_with: Sequence[Change] = ()) -> Iterator[Site]:
    """A running Ghost site, empty or filled. What fills it is done once on a machine, and copied after that."""
    software = installed("ghost")
    begin_with = _filled(software, [{"do": "empty"}], None)
    if filled_with:
        begin_with = _filled(software, filled_with, begin_with)
    with _made(software, begin_with) as made:
        made.change([])
        made.forget_requests()
        yield made


def _filled(software: Path, changes: Sequence[Change], begin_with: Path | None) -> Path:
    """The database of a site after changes."""
    def fill(database: Path) -> None:
        with _made(software, begin_with) as made:
            made.change(changes)
            copy_database(made.folder / "site.sqlite", database)

    return kept_database(software, made_from=json.dumps(changes).encode() + RUN.read_bytes(), make=fill)


@contextmanager
def _made(software: Path, begin_with: Path | None) -> Iterator[Site]:
    """A Ghost that runs on a database: a copy of one, or its own new one with what Ghost puts into it."""
    with TemporaryDirectory(prefix="everlog-ghost-", ignore_cleanup_errors=True) as name, held_port() as port:
        folder, url = Path(name), f"http://127.0.0.1:{port}"
        if begin_with:
            shutil.copyfile(begin_with, folder / "site.sqlite")
        for part in ("data", "images", "files", "media", "logs", "public", "settings"):
            (folder / "content" / part).mkdir(parents=True)
        (folder / "content" / "themes").symlink_to(software / "content" / "themes")
        # So Ghost's own installer lays it out, and by this link Ghost finds itself.
        (folder / "current").symlink_to(software)
        (folder / "config.production.json").write_text(json.dumps(_config(folder, url, port)))
        environment = {
            "PATH": os.environ["PATH"], "NODE_ENV": "production", "EVERLOG_GHOST": str(software),
            "EVERLOG_SITE": str(folder),
        }
        log = folder / "server.log"
        with running(["node", str(RUN)], url=url, log=log, environment=environment, folder=folder) as process:
            made = Site(folder, url, process)
            made.heard()
            yield made


def _config(folder: Path, url: str, port: int) -> dict[str, Any]:
    """What `ghost config` writes: SQLite, and nothing that goes out to the web."""
    return {
        "url": url,
        "server": {"host": "127.0.0.1", "port": port},
        "database": {
            "client": "sqlite3", "connection": {"filename": str(folder / "site.sqlite")}, "useNullAsDefault": True,
        },
        "mail": {"transport": "stub"},
        "paths": {"contentPath": str(folder / "content")},
        "logging": {"level": "warn", "transports": ["stdout"]},
        "privacy": {
            "useUpdateCheck": False, "useGravatar": False, "useRpcPing": False, "useStructuredData": True,
        },
        "backgroundJobs": {"emailAnalytics": False},
    }
