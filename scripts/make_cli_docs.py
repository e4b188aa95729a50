"""Writes docs/cli.md from the program itself.

    python scripts/make_cli_docs.py            # writes
    python scripts/make_cli_docs.py --check    # exits 1 if the file is not current
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from everlog.cli.app import make_app
from everlog.cli.planned import LATER

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = Path(__file__).parent.parent / "docs" / "cli.md"

HEAD = """# The command line

Written by `scripts/make_cli_docs.py` from the program; do not edit by hand.

Data goes to stdout, progress and remarks to stderr. Bare `everlog URL` is `everlog crawl URL`.

| exit code | means |
|---|---|
| 0 | complete |
| 1 | a bug; the text says how to report it |
| 2 | wrong usage or configuration |
| 3 | usable but incomplete, the reasons are printed; for `evaluate --floors`: a field is below its floor |
| 4 | nothing found: no such host, no feed, no posts |
| 5 | blocked or rate-limited: the same command goes on later |
| 6 | the disk is nearly full, or a limit that was set is reached: the same command goes on |
| 7 | the database or the broker of a fleet cannot be reached: the same command goes on when it can |
| 8 | `verify` found something wrong |
| 130 | interrupted: the same command goes on |

Of several blogs the most urgent ending speaks for all; if some of a list fail and others do not, it is 3. Media
that could not be had are listed and leave the exit code as it is.

What each figure counts (posts held, comments, missing, expected, ...) is in [figures](internals/figures.md): one
word is one number, on the screen and in every `--json`.
"""


def reference() -> str:
    """The whole page."""
    group: Any = typer.main.get_command(make_app())
    sections = [HEAD, "## `everlog`\n", _options(group)]
    sections += [_section(name, command) for name, command in _commands(group)]
    later = "\n".join(f"- `everlog {name}`: {task}" for name, task in LATER.items())
    sections.append(f"## Not in this version yet\n\nThese exit with 2.\n\n{later}\n")
    return "\n".join(sections)


def _commands(group: Any, of: str = "") -> Iterator[tuple[str, Any]]:
    """All commands, and behind one that has commands of its own, these."""
    for name, command in group.commands.items():
        if of or name not in LATER:
            yield of + name, command
            if hasattr(command, "commands"):
                yield from _commands(command, f"{name} ")


def _section(name: str, command: Any) -> str:
    text, _, examples = inspect.cleandoc(command.help or "").partition("\b\n")
    shown = inspect.cleandoc(re.sub(r"^\s*Examples?:\n", "", examples))
    arguments = [_argument(each) for each in command.params if each.param_type_name == "argument"]
    usage = " ".join(["everlog", name, *arguments, "[OPTIONS]"])
    return (
        f"## `{usage}`\n\n{text.strip()}\n\n{_options(command)}\n"
        f"```sh\n{shown.strip()}\n```\n"
    )


def _argument(parameter: Any) -> str:
    name = parameter.metavar + ("..." if parameter.nargs == -1 else "")
    return name if parameter.required else f"[{name}]"


def _options(command: Any) -> str:
    rows = ["| option | does |", "|---|---|"]
    options = [each for each in command.params if each.param_type_name == "option" and not each.hidden]
    rows += [f"| {_names(option)} | {option.help} |" for option in options]
    rows.append("| `-h`, `--help` | Show the help and exit. |")
    return "\n".join(rows) + "\n"


def _names(option: Any) -> str:
    """All names of an option; the one that says no stands behind the one that says yes."""
    value = "" if option.is_flag else f" {option.metavar}"
    no = "".join(f" / {name}" for name in option.secondary_opts)
    return ", ".join(f"`{name}{no}{value}`" for name in option.opts).replace("|", "\\|")


def main(arguments: list[str]) -> int:
    """Write or check the page."""
    if arguments == ["--check"]:
        return 0 if FILE.is_file() and FILE.read_text("utf-8") == reference() else 1
    FILE.write_text(reference(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
