"""The program's own name: what this user types to start it, so that every command it prints can be typed as printed.

Texts say `everlog crawl URL`. Where the program was started otherwise (`scripts/everlog` of a checkout, `python -m
everlog`, `uv run everlog`), they are rewritten where they are printed: `as_typed`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from functools import cache
from pathlib import Path

NAME = "everlog"
# Set by who starts the program for the user, such as scripts/everlog: the words that the user typed for it.
VARIABLE = "EVERLOG_COMMAND"
# `uv run` sets it for what it runs, and puts its environment before the user's PATH.
_UNDER_UV = "UV_RUN_RECURSION_DEPTH"
# The name with what follows it in a command: a command or option, an address, or what stands for one. Other mentions
# of the program, such as "a bug in everlog", have none of these behind them.
_COMMAND = re.compile(
    r"(?<![\w./-])everlog(?= (?:-h\b|--?[a-z]|[A-Z]{3,}\b|https?://|(?:copy|crawl|demo|diff|enqueue|evaluate|export|fleet"
    r"|forget|hide|import|inspect|move|repair|reread|rules|search|serve|show|status|update|verify|watch|worker)\b))"
)


@cache
def command_name() -> str:
    """What the user types to start this program."""
    given = os.environ.get(VARIABLE, "").strip()
    if given and given.isprintable():
        return given
    return _started_as(sys.argv[0] if sys.argv else "", sys.orig_argv[0] if sys.orig_argv else "python")


def as_typed(text: str) -> str:
    """A text whose commands can be typed as they stand.

    >>> as_typed("to add it:  everlog crawl URL")
    'to add it:  everlog crawl URL'
    """
    return _renamed(text, command_name())


def _renamed(text: str, name: str) -> str:
    """The commands of a text under another name.

    >>> _renamed("a bug in everlog: try 'everlog status -v', or everlog --help", "scripts/everlog")
    "a bug in everlog: try 'scripts/everlog status -v', or scripts/everlog --help"
    """
    return text if name == NAME or NAME not in text else _COMMAND.sub(lambda _: name, text)


def _started_as(program: str, interpreter: str) -> str:
    """The words that start the program at this path again; the plain name where that cannot be told."""
    path = Path(program)
    if path.name == "__main__.py" and path.parent.name == NAME:
        return f"{shlex.quote(interpreter)} -m {NAME}"
    if path.stem != NAME:
        return NAME
    if os.environ.get(_UNDER_UV):
        return f"uv run {NAME}"
    on_path = shutil.which(NAME)
    if on_path is not None and Path(on_path).resolve() == path.resolve():
        return NAME
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    # A name without a folder would be looked for on the PATH.
    return shlex.quote(str(path) if os.sep in str(path) else f".{os.sep}{path}")
