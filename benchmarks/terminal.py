"""A terminal for programs: what a person would see of a command, and keys pressed at what is on the screen.

    terminal = Terminal(columns=80, folder=Path("."), environment={...})
    scene = terminal.run(["everlog", "status"])
    print(scene.screen)
"""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import subprocess
import termios
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyte

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# What a window of a laptop shows. The record below it is longer, so that nothing is scrolled out of it.
ROWS = 40
RECORDED_ROWS = 4000
# Nobody waits so long unless something hangs.
PATIENCE_SECONDS = 300.0
_ANSI = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One command on the terminal: what stood there at its end, all it ever wrote, and when it began to write."""

    words: tuple[str, ...]
    screen: str
    written: str
    code: int
    first_output_seconds: float | None
    seconds: float
    is_coloured: bool


class Terminal:
    """A terminal of a given width; every command has a screen of its own."""

    def __init__(self, *, columns: int, folder: Path, environment: Mapping[str, str]) -> None:
        self.columns = columns
        self.folder = folder
        self.environment = dict(environment)

    def run(self, words: Sequence[str], *, interrupt_at: str | None = None) -> Scene:
        """A command from its start to its end; Ctrl-C is pressed once `interrupt_at` (a regex) is seen."""
        screen = pyte.Screen(self.columns, RECORDED_ROWS)
        stream = pyte.ByteStream(screen)
        ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, self.columns, 0, 0))
        began = time.monotonic()
        first: float | None = None
        written = bytearray()
        waits_for = re.compile(interrupt_at.encode()) if interrupt_at else None
        program = subprocess.Popen(
            words, cwd=self.folder, env=self.environment, stdin=theirs, stdout=theirs, stderr=theirs,
            start_new_session=True, preexec_fn=_own_terminal,  # noqa: PLW1509 - no threads here
        )
        os.close(theirs)
        try:
            while (data := _read(ours, began)) is not None:
                if data and first is None:
                    first = time.monotonic() - began
                written += data
                stream.feed(data)
                if waits_for is not None and waits_for.search(_ANSI.sub(b"", bytes(written))):
                    os.write(ours, b"\x03")
                    waits_for = None
            code = program.wait(PATIENCE_SECONDS)
        finally:
            if program.poll() is None:
                program.kill()
                program.wait()
            os.close(ours)
        return Scene(
            words=tuple(words), screen="\n".join(line.rstrip() for line in screen.display).rstrip(),
            written=_ANSI.sub(b"", bytes(written)).decode("utf-8", "replace"), code=code, first_output_seconds=first,
            seconds=time.monotonic() - began, is_coloured=b"\x1b[3" in written or b"\x1b[9" in written,
        )


def _read(descriptor: int, began: float) -> bytes | None:
    """What is written next; None at the end."""
    left = PATIENCE_SECONDS - (time.monotonic() - began)
    ready, _, _ = select.select([descriptor], [], [], max(0.0, left))
    if not ready:
        raise TimeoutError(f"nothing ends after {PATIENCE_SECONDS:.0f} s")
    try:
        return os.read(descriptor, 65536) or None
    except OSError:  # the last program that had the terminal has closed it
        return None


def _own_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
