"""What fleets are measured on: a real PostgreSQL and Redis, a web on loopback, and workers as real processes.

    with services() as (postgres, redis), corpus_web(folders, SERVER, log, delay=0.05) as proxy:
        with Fleet(postgres.url(), redis.url, scratch, proxy) as fleet:
            fleet.start(2)
            fleet.enqueue(homes, "--max-pages", "40")
            fleet.wait()

All that is started is ended in every case: each worker is a process group of its own, which is ended whole.
The servers are started by tests/services.py. Whoever needs no more than these takes `servers` from here: this module
knows where the tests are, so `python benchmarks/NAME.py` needs no path.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import psycopg

import services as servers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

SERVER = Path(__file__).parent.parent.parent / "shared" / "corpus" / "serve.py"
# A worker stores what it has when it is asked to end; one that does not in this time is killed.
END_SECONDS = 60.0
LOOK_SECONDS = 0.2
ALIVE = ("queued", "parked", "running")


@contextmanager
def services(*, fsync: bool = True) -> Iterator[tuple[servers.Postgres, servers.Redis]]:
    """The two servers of a fleet."""
    with servers.postgres(fsync=fsync) as postgres, servers.redis() as redis:
        yield postgres, redis


@contextmanager
def corpus_web(folders: Iterable[Path], script: Path, log: Path, *, delay: float = 0.0) -> Iterator[str]:
    """The corpus behind a forward proxy that waits before each answer; its address."""
    port = servers.free_port()
    command = [
        sys.executable, str(script), *map(str, sorted(set(folders))), "--port", str(port), "--log", str(log),
        "--delay", str(delay),
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as server:
        assert server.stderr is not None
        server.stderr.readline()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.kill()


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A line of a web's log."""

    at: float
    host: str
    path: str
    status: int


def requests_in(log: Path) -> list[Request]:
    """What was asked, in the order of the log."""
    rows = (line.split("\t") for line in log.read_text("utf-8", "surrogateescape").splitlines())
    return [
        Request(at=float(row[0]), host=row[1].removeprefix("www."), path=row[2], status=int(row[3])) for row in rows
    ]


def closest(requests: Iterable[Request]) -> dict[str, float]:
    """For each host that was asked twice, the shortest time between two requests."""
    last: dict[str, float] = {}
    gaps: dict[str, float] = {}
    for request in sorted(requests, key=lambda each: each.at):
        if request.host in last:
            gap = request.at - last[request.host]
            gaps[request.host] = min(gap, gaps.get(request.host, gap))
        last[request.host] = request.at
    return gaps


def repeated(requests: Iterable[Request]) -> Counter[tuple[str, str]]:
    """How often each address was asked for again, robots.txt apart."""
    asked = Counter((each.host, each.path) for each in requests if each.path != "/robots.txt")
    return Counter({key: count - 1 for key, count in asked.items() if count > 1})


@dataclass(kw_only=True)
class Fleet:
    """Workers on one archive; `proxy` is the web they see."""

    archive: str
    broker: str
    folder: Path
    proxy: str
    flags: tuple[str, ...] = ("--processes", "1", "--no-browser", "--log-format", "json")
    settings: dict[str, str] = field(default_factory=dict)
    workers: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _started: int = 0

    def __post_init__(self) -> None:
        self.files = self.folder / "files"
        self.files.mkdir(parents=True, exist_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def environment(self) -> dict[str, str]:
        own = {"http_proxy": self.proxy, "https_proxy": self.proxy, "no_proxy": "", "EVERLOG_FILES": str(self.files)}
        return {**os.environ, **own, **self.settings}

    def command(self, *words: str, archive: str | None = None, broker: str | None = None) -> list[str]:
        """A command of everlog on this archive; a relay may stand between it and the servers."""
        shared = ["--archive", archive or self.archive]
        shared += [] if words[0] in {"verify", "list"} else ["--broker", broker or self.broker]
        return [sys.executable, "-m", "everlog", *words, *shared]

    def start(self, count: int = 1, *, archive: str | None = None, broker: str | None = None) -> list[str]:
        """So many more workers; their names."""
        names = []
        for _ in range(count):
            self._started += 1
            name = f"w{self._started}"
            # Each worker's spool is its own, as if it were on a machine of its own.
            own = ["worker", "--name", name, "--spool", str(self.folder / f"spool-{name}")]
            with (self.folder / f"{name}.log").open("wb") as log:
                self.workers[name] = subprocess.Popen(
                    self.command(*own, *self.flags, archive=archive, broker=broker), env=self.environment,
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                )
            names.append(name)
        return names

    def ready(self, count: int | None = None, *, seconds: float = 300.0) -> None:
        """Wait until so many workers have signed in."""
        wanted = len(self.workers) if count is None else count
        self.until(lambda: int(self.ask("select count(*) from workers")[0][0]) >= wanted, seconds=seconds)

    def kill(self, name: str) -> None:
        """End a worker without a word, with all its processes."""
        process = self.workers.pop(name)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        """End all workers in good order; those that do not end are killed."""
        for process in self.workers.values():
            with suppress(ProcessLookupError):
                process.terminate()
        until = time.monotonic() + END_SECONDS
        for name in list(self.workers):
            with suppress(subprocess.TimeoutExpired):
                self.workers[name].wait(max(0.1, until - time.monotonic()))
            self.kill(name)

    def enqueue(self, homes: Sequence[str], *flags: str) -> None:
        """Hand blogs to the fleet."""
        self.run("enqueue", "-", *flags, "-q", said="\n".join(homes))

    def run(self, *words: str, said: str = "") -> None:
        """A command of everlog that must succeed."""
        subprocess.run(self.command(*words), input=said, env=self.environment, text=True, check=True)

    def ask(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of the database, by a connection of its own."""
        with psycopg.connect(self.archive, connect_timeout=10) as connection:
            return connection.execute(statement, values).fetchall()

    def jobs(self) -> Counter[str]:
        """Jobs by state."""
        return Counter(dict(self.ask("select state, count(*) from jobs group by state")))

    def wait(self, *, seconds: float = 1_800.0) -> Counter[str]:
        """Wait until no job is left but those that were given up; jobs by state."""
        self.until(lambda: self.is_without(*ALIVE), seconds=seconds)
        return self.jobs()

    def is_without(self, *states: str) -> bool:
        """Whether no job is in any of these states, at one moment: one that goes from state to state is in one."""
        jobs = self.jobs()
        return not any(jobs[state] for state in states)

    def until(self, is_so: Callable[[], bool], *, seconds: float) -> float:
        """Wait until something is so; how long it took. The servers may be away meanwhile."""
        began = time.monotonic()
        while True:
            with suppress(psycopg.Error):
                if is_so():
                    return time.monotonic() - began
            if time.monotonic() - began > seconds:
                raise TimeoutError(f"not so after {seconds:.0f} s: {self.told()}")
            self._dead_workers()
            time.sleep(LOOK_SECONDS)

    def told(self) -> str:
        """What can be said of a fleet that does not end: jobs, and the last words of its workers."""
        rows: list[tuple[Any, ...]] = []
        with suppress(psycopg.Error):
            rows = self.ask("select id, kind, url, state, tries, reason from jobs order by id limit 20")
        logs = sorted(self.folder.glob("*.log"))
        return f"{rows}\n" + "\n".join(log.read_text("utf-8", "replace")[-600:] for log in logs[-4:])

    def lines(self, name: str | None = None) -> Iterator[dict[str, Any]]:
        """What workers wrote, as far as it is for programs."""
        for log in sorted(self.folder.glob(f"{name or 'w*'}.log")):
            for line in log.read_text("utf-8", "replace").splitlines():
                with suppress(ValueError):
                    if isinstance(found := json.loads(line), dict):
                        yield found

    def posts(self) -> dict[str, str]:
        """The posts that are held: what tells one reading of them from another, by key."""
        return dict(self.ask(POSTS))

    def verify(self) -> str:
        """What `everlog verify` has to say against the archive; nothing if all is well."""
        words = self.command("verify", "-q")
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, check=False)
        return "" if not done.returncode else f"exit {done.returncode}: {done.stdout[-2_000:]}{done.stderr[-2_000:]}"

    def _dead_workers(self) -> None:
        for name, process in self.workers.items():
            if process.poll() is not None:
                said = (self.folder / f"{name}.log").read_text("utf-8", "replace")[-2_000:]
                raise RuntimeError(f"worker {name} ended with {process.returncode}: {said}")


POSTS = "select b.key || ' ' || p.key, p.digest from posts p join blogs b on b.id = p.blog_id"


class Processor:
    """How busy the machine is between two looks."""

    def __init__(self) -> None:
        self._before = ticks()

    def share(self) -> float:
        """The busy share of all cores since this was made."""
        busy, total = ticks()
        return (busy - self._before[0]) / max(1.0, total - self._before[1])


def ticks() -> tuple[float, float]:
    """How much all processors have done since the machine started, and could have done."""
    counts = [float(word) for word in Path("/proc/stat").read_text("ascii").split("\n", 1)[0].split()[1:]]
    idle = counts[3] + counts[4]
    return sum(counts) - idle, sum(counts)


def load() -> str:
    """How busy the machine was otherwise, for the reader of figures."""
    return f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.2f} before"
