"""The program in a process of its own, since Scrapy runs once in each.

`everlog` runs a command to its end, in a process that has all imports done already; `begin` and `command` start it as
users do, for who wants to see it run, stop it, or give it a terminal.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import launcher

if TYPE_CHECKING:
    from pathlib import Path

# Nobody waits so long unless something hangs.
PATIENCE_SECONDS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a run of the program left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def everlog(*words: str, folder: Path, stdin: str = "", **variables: str) -> Done:
    """Run a command in a folder to its end; `variables` are added to the environment."""
    _, *arguments = command(*words)
    ended = launcher.run(arguments, cwd=folder, env=environment(**variables), stdin=stdin.encode())
    out, err = ended.stdout.decode(), ended.stderr.decode()
    assert "Traceback" not in err, err
    return Done(code=ended.returncode, out=out, err=err)


def begin(*words: str, folder: Path) -> subprocess.Popen[str]:
    """Start a command and leave it running."""
    return subprocess.Popen(
        command(*words), cwd=folder, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "everlog", *words]


def environment(**variables: str) -> dict[str, str]:
    """The environment without what would change the outcome on somebody's machine."""
    kept = {
        name: value for name, value in os.environ.items()
        if not name.startswith("EVERLOG_") and not name.lower().endswith("_proxy")
    }
    return kept | {"EVERLOG_COMMAND": "everlog"} | variables
