"""Readers of a fleet, in a process of their own: `python a_reader.py ARCHIVE FILES BROKER PROCESSES`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from everlog.archive import open_archive
from everlog.fleet.engine import make_engine
from everlog.fleet.readers import ReadersPlan, run_readers

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def readers(archive: str, files: Path, broker: str, *, processes: int = 1) -> Iterator[subprocess.Popen[bytes]]:
    """Readers while this lasts; what they say goes to a file beside the archive's."""
    with (files.parent / "readers.log").open("ab") as said:
        process = subprocess.Popen(
            [sys.executable, __file__, archive, str(files), broker, str(processes)], stdin=subprocess.DEVNULL,
            stdout=said, stderr=said, start_new_session=True,
        )
    try:
        yield process
    finally:
        kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """End readers without a word, as the power does."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


if __name__ == "__main__":
    where, folder, queue, number = sys.argv[1:]
    plan = ReadersPlan(name="r1", processes=int(number))
    sys.exit(run_readers(plan, make_engine(queue), open_shared=lambda: open_archive(where, files=Path(folder))))
