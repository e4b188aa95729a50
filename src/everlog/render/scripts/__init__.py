"""The scripts that run inside pages."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

WORLD = "everlog"


@cache
def script(name: str) -> str:
    """The text of one of the scripts beside this file."""
    return files(__name__).joinpath(f"{name}.js").read_text("utf-8")
