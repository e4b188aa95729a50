"""The command line: parse, one library call, print. Data goes to stdout, talk to stderr.

    app          the program: its table of commands, and what happens to errors; begin here
    commands/    one module per command
    terminal/    progress, tables and summaries on the screen
    flags        flags that commands share; options, the settings and the archive they make

Commands import what they need when they run, so that `everlog --version` answers at once.
"""

from __future__ import annotations

from everlog.cli.app import main

__all__ = ["main"]
