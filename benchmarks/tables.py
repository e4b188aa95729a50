"""Results as Markdown, and the machine they were measured on."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Cell = str | int | float | None


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A table; the first column is text, the others are figures.

    >>> print(markdown_table(["tool", "F1"], [["a", 0.5], ["b", None]]))
    | tool | F1 |
    |---|---:|
    | a | 0.5 |
    | b | – |
    """
    lines = [_line(heads), "|---|" + "---:|" * (len(heads) - 1)]
    return "\n".join(lines + [_line([_shown(cell) for cell in row]) for row in rows])


def percent(share: float | None) -> str | None:
    """A share in per cent, to a tenth.

    >>> percent(0.98765)
    '98.8'
    """
    return None if share is None else f"{100 * share:.1f}"


def machine() -> str:
    """Processor, cores and Python: without them a time says little."""
    python = platform.python_version()
    return f"{_processor()}, {os.cpu_count()} cores, Python {python}, lxml {version('lxml')}"


def _processor() -> str:
    try:
        name = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text("utf-8"), re.MULTILINE)
    except OSError:
        name = None
    return name[1].strip() if name else platform.processor() or platform.machine()


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _shown(cell: Cell) -> str:
    if cell is None:
        return "–"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
