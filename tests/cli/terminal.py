"""A terminal of a given width, and the program on it: what stands on its screen, as a person would see it."""

from __future__ import annotations

import codecs
import os
import pty
import re
import select
import subprocess
import termios
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cli.program import PATIENCE_SECONDS, command, environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Colours, and whether the cursor is shown: neither moves anything.
_STYLE = re.compile(r"\x1b\[(?:[0-9;]*m|\?25[lh])")
_STEER = re.compile(r"\x1b\[(\d*)([AK])")


class Screen:
    """What the program wrote, as far as it steers a terminal by lines; anything else is an error."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.lines = [""]
        # All that was ever written.
        self.written = ""
        self._row = self._column = 0
        self._waiting = ""

    def feed(self, text: str) -> None:
        self.written += text
        self._waiting = _STYLE.sub("", self._waiting + text)
        while self._waiting:
            if self._waiting.startswith("\x1b"):
                steer = _STEER.match(self._waiting)
                if steer is None:
                    assert len(self._waiting) < 10, self._waiting
                    return
                self._waiting = self._waiting[steer.end() :]
                if steer[2] == "A":
                    self._row = max(0, self._row - int(steer[1] or 1))
                else:
                    self.lines[self._row] = ""
                continue
            self._put(self._waiting[0])
            self._waiting = self._waiting[1:]

    def _put(self, letter: str) -> None:
        if letter == "\r":
            self._column = 0
            return
        if letter == "\n" or self._column == self.columns:
            self._row += 1
            if letter == "\n":
                if self._row == len(self.lines):
                    self.lines.append("")
                return
            self._column = 0
            if self._row == len(self.lines):
                self.lines.append("")
        line = self.lines[self._row].ljust(self._column)
        self.lines[self._row] = line[: self._column] + letter + line[self._column + 1 :]
        self._column += 1

    def __str__(self) -> str:
        return "\n".join(line.rstrip() for line in self.lines)


class Running:
    """A command that runs on a terminal."""

    def __init__(self, process: subprocess.Popen[bytes], terminal: int, columns: int) -> None:
        self.process = process
        self.screen = Screen(columns)
        self._terminal = terminal
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Read on until the screen shows this."""
        while (found := re.search(pattern, str(self.screen))) is None:
            assert self._read(), f"{pattern} was never shown:\n{self.screen}"
        return found

    def wait_for_end(self) -> int:
        """Read on until the program has ended; its exit code."""
        while self._read():
            pass
        return self.process.wait(PATIENCE_SECONDS)

    def _read(self) -> bool:
        readable, _, _ = select.select([self._terminal], [], [], PATIENCE_SECONDS)
        assert readable, f"nothing was written for long:\n{self.screen}"
        try:
            data = os.read(self._terminal, 65536)
        except OSError:  # all that had it open have ended
            return False
        self.screen.feed(self._decoder.decode(data))
        return bool(data)


@contextmanager
def on_terminal(
    *words: str, folder: Path, columns: int = 80, stdout: int | None = None, **variables: str,
) -> Iterator[Running]:
    """A command with a terminal for stderr, and for stdout unless another is given."""
    ours, its = pty.openpty()
    termios.tcsetwinsize(its, (24, columns))
    kept = environment(TERM="xterm-256color").items()
    env = {name: value for name, value in kept if name not in {"NO_COLOR", "COLUMNS", "LINES"}} | variables
    process = subprocess.Popen(
        command(*words), cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=its if stdout is None else stdout,
        stderr=its,
    )
    os.close(its)
    try:
        yield Running(process, ours, columns)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(PATIENCE_SECONDS)
        os.close(ours)
