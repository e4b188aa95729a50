"""What a fleet's processes use: seconds of processors, bytes of PostgreSQL's log, memory, connections."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

if TYPE_CHECKING:
    from fleet_ground import Fleet
    from services import Postgres

TICKS = os.sysconf("SC_CLK_TCK")
LOOK_SECONDS = 1.0
LOGGED = "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')"
WRITES = "select xact_commit + xact_rollback from pg_stat_database where datname = current_database()"
CONNECTIONS = "select count(*) from pg_stat_activity where datname = current_database()"


class Meter:
    """Looks at a fleet from now on."""

    def __init__(self, postgres: Postgres, fleet: Fleet) -> None:
        self._postgres, self._fleet = postgres, fleet
        self._memory: dict[str, float] = {}
        self._connections = 0
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._before = self._now()
        self._thread.start()

    def used(self) -> dict[str, float]:
        """What was used until now."""
        self._ending.set()
        self._thread.join()
        return {name: value - self._before[name] for name, value in self._now().items()}

    def peak(self) -> dict[str, float]:
        """The most that was there at one time. Pages that processes share are counted once, in parts."""
        most = max(self._memory.values(), default=0.0)
        return {"most MB of a worker with its process": most, "most connections": float(self._connections)}

    def _now(self) -> dict[str, float]:
        postmaster = int((self._postgres.folder / "data" / "postmaster.pid").read_text("ascii").split()[0])
        return {
            "processor ms of workers": sum(_spent(process.pid) for process in self._fleet.workers.values()),
            "processor ms of PostgreSQL": _spent(postmaster),
            "bytes of WAL": float(self._fleet.ask(LOGGED)[0][0]),
            "transactions": float(self._fleet.ask(WRITES)[0][0]),
        }

    def _look(self) -> None:
        while not self._ending.wait(LOOK_SECONDS):
            for name, process in tuple(self._fleet.workers.items()):
                size = sum(map(_megabytes, (process.pid, *children(process.pid))))
                self._memory[name] = max(size, self._memory.get(name, 0.0))
            with suppress(psycopg.Error):
                # Less the one that asks.
                self._connections = max(self._connections, int(self._fleet.ask(CONNECTIONS)[0][0]) - 1)


def children(pid: int) -> list[int]:
    """All processes below one."""
    found: list[int] = []
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (thread / "children").read_text("ascii").split()):
                found += [child, *children(child)]
    return found


def _spent(pid: int) -> float:
    """Milliseconds of processors that a process and all below it have used, those that have ended too."""
    total = 0.0
    for each in (pid, *children(pid)):
        with suppress(OSError):
            fields = Path(f"/proc/{each}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            total += sum(map(int, fields[11:15]))
    return 1000 * total / TICKS


def _megabytes(pid: int) -> float:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0
