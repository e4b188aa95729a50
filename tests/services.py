"""A real PostgreSQL and a real Redis on loopback, for tests and measurements: started, stopped, killed, taken away.

Each is in a temporary folder of its own and on a port of its own, so any number of them can run side by side.

    with services.postgres() as server:
        archive = everlog.open_archive(server.url("an_archive"), create=True, files=folder)
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

# How long a server may take to come up, and to answer the first time. On a loaded machine that is some seconds.
START_SECONDS = 300.0


class Postgres:
    """A PostgreSQL of our own: one cluster, as many databases as are asked for."""

    def __init__(self, folder: Path, port: int, *, fsync: bool) -> None:
        self.folder = folder
        self.port = port
        self.fsync = fsync
        self._made = 0
        self._user = _who_may_run_it()
        if self._user:
            shutil.chown(folder, self._user, self._user)
        self._run(
            "initdb", "--no-sync", "--auth=trust", "--username=everlog", "--encoding=UTF8", "--locale=C.UTF-8",
            "--pgdata", str(folder / "data"),
        )

    @property
    def server_url(self) -> str:
        """The server without the name of a database."""
        return f"postgresql://everlog@127.0.0.1:{self.port}"

    def url(self, name: str | None = None, *, template: str = "template0") -> str:
        """A fresh database: an empty one, or a copy of another that nobody is connected to."""
        self._made += 1
        name = name or f"made_{self._made}"
        self._run(
            "createdb", "--host=127.0.0.1", f"--port={self.port}", "--username=everlog", f"--template={template}",
            "--encoding=UTF8", name,
        )
        return f"{self.server_url}/{name}"

    def start(self) -> None:
        """Run it; it answers when this returns."""
        settings = {
            "port": self.port, "listen_addresses": "127.0.0.1", "unix_socket_directories": self.folder,
            "fsync": "on" if self.fsync else "off", "full_page_writes": "on" if self.fsync else "off",
            "max_connections": 200, "shared_buffers": "64MB", "log_min_messages": "warning",
            "autovacuum_naptime": "1h" if not self.fsync else "1min",
        }
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        try:
            self._run(
                "pg_ctl", "start", "--wait", f"--timeout={START_SECONDS:.0f}", "--pgdata", str(self.folder / "data"),
                "--log", str(self.folder / "log"), "--options", options,
            )
        except RuntimeError as error:
            log = (self.folder / "log").read_text("utf-8", errors="replace")
            raise RuntimeError(f"PostgreSQL does not start:\n{log[-2_000:]}") from error

    def stop(self, mode: str = "immediate") -> None:
        """End it: `immediate` is as if it had crashed, `fast` closes connections in order, `smart` waits for them."""
        self._run("pg_ctl", "stop", "--wait", f"--mode={mode}", "--pgdata", str(self.folder / "data"))

    def restart(self, mode: str = "fast") -> None:
        self.stop(mode)
        self.start()

    @property
    def is_running(self) -> bool:
        return (self.folder / "data" / "postmaster.pid").exists()

    def _run(self, program: str, *arguments: str) -> None:
        # Into a file, as a server that goes on running keeps what it was given open, and a pipe would never end.
        with tempfile.TemporaryFile() as said:
            ended = subprocess.run(
                [_program(program), *arguments], check=False, cwd=self.folder, user=self._user, group=self._user,
                extra_groups=[] if self._user else None, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8", "TZ": "UTC"},
            )
            said.seek(0)
            if ended.returncode:
                raise RuntimeError(f"{program} ended with {ended.returncode}: {said.read().decode(errors='replace')}")


class Redis:
    """A Redis of our own that keeps nothing on disk: what is killed comes back empty."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.port = port
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Run it; it answers when this returns."""
        self._process = subprocess.Popen(
            [_program("redis-server"), "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
             "--appendonly", "no", "--dir", str(self.folder), "--logfile", str(self.folder / "log")],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        if not self._answers():
            self.kill()
            log = (self.folder / "log").read_text("utf-8", errors="replace")
            raise RuntimeError(f"Redis does not start:\n{log[-2_000:]}")

    def kill(self) -> None:
        """Kill it without a word (all that was in it is lost)."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        """Let it accept connections and never answer."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def empty(self) -> None:
        """Forget all that is in it."""
        if _asked(self.port, b"FLUSHALL\r\n") != b"+OK\r\n":
            raise RuntimeError("Redis did not empty itself")

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def _answers(self) -> bool:
        assert self._process is not None
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                return _asked(self.port, b"PING\r\n") == b"+PONG\r\n"
            except OSError:
                # Not listening yet; a refused connection is answered at once, so this asks some hundred times.
                self._pause()
        return False

    def _pause(self) -> None:
        assert self._process is not None
        try:
            self._process.wait(0.01)
        except subprocess.TimeoutExpired:
            return


@contextmanager
def postgres(*, fsync: bool = True) -> Iterator[Postgres]:
    """A running PostgreSQL. Without `fsync` it is faster, and a crash of it may lose what it said it kept."""
    with _folder("everlog-pg-") as folder, held_port() as port:
        server = Postgres(folder, port, fsync=fsync)
        server.start()
        try:
            yield server
        finally:
            if server.is_running:
                server.stop()


@contextmanager
def redis() -> Iterator[Redis]:
    """A running Redis."""
    with _folder("everlog-redis-") as folder, held_port() as port:
        server = Redis(folder, port)
        server.start()
        try:
            yield server
        finally:
            server.kill()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    """The PostgreSQL that tests share which neither stop nor kill it (it does not wait for the disk)."""
    with postgres(fsync=False) as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: Postgres) -> str:
    """A fresh and empty database on the shared PostgreSQL."""
    return postgres_server.url()


@pytest.fixture(scope="session")
def blank_archive(postgres_server: Postgres) -> str:
    """The name of a database with the tables of an archive; where its files are it does not know yet."""
    from everlog.archive import open_archive

    open_archive(postgres_server.url("blank"), create=True).close()
    return "blank"


@pytest.fixture
def archive_url(postgres_server: Postgres, blank_archive: str) -> str:
    """A fresh database with the tables of an archive: 0.1 s of CPU, where making both anew takes 0.5."""
    return postgres_server.url(template=blank_archive)


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Redis]:
    """The Redis that tests share which neither stop nor kill it."""
    with redis() as server:
        yield server


@pytest.fixture
def redis_url(redis_server: Redis) -> str:
    """The shared Redis, with nothing in it."""
    redis_server.empty()
    return redis_server.url


def free_port() -> int:
    """A port on loopback that nobody listens on at this moment."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def held_port() -> Iterator[int]:
    """A port on loopback that nobody else is given meanwhile: who connects is refused, until a server takes it.

    It is bound and not listened on. Servers that say SO_REUSEADDR, as ours do, may come and go beside that.
    """
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        yield int(holder.getsockname()[1])


@contextmanager
def _folder(prefix: str) -> Iterator[Path]:
    # Not pytest's folder: the path of a socket has at most 107 characters, and root's folders are closed to others.
    with tempfile.TemporaryDirectory(prefix=prefix, dir="/tmp", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _program(name: str) -> str:
    """Where a program of a server is. Debian keeps PostgreSQL's beside each other by version, in no PATH."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*"), key=lambda folder: float(folder.name), reverse=True)
    places = [None, *(str(folder / "bin") for folder in versions)]
    found = next((path for place in places if (path := shutil.which(name, path=place))), None)
    if found is None:
        raise RuntimeError(f"{name} is not installed: scripts/install-service-parts")
    return found


def _who_may_run_it() -> str | None:
    """PostgreSQL refuses to run as root; its packages make a user for it."""
    if os.geteuid() != 0:
        return None
    return pwd.getpwnam("postgres").pw_name


def _asked(port: int, command: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=START_SECONDS) as connection:
        connection.sendall(command)
        with connection.makefile("rb") as answer:
            return answer.readline()
