"""The command line: parse, one library call, print. Data goes to stdout, talk to stderr.

app.py holds the program, one module per command the rest. Commands import what they need when
they run, so that `everlog --version` answers at once.
"""

from __future__ import annotations

from everlog.cli.app import main

__all__ = ["main"]
