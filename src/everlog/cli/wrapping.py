"""Texts wrapped at words where there is an edge to wrap at; addresses stay whole, to be clicked and copied."""

from __future__ import annotations

import sys
import textwrap

from everlog.cli.lines import console, say

# On a screen narrower than this nothing is gained by wrapping.
NARROWEST = 40


def room() -> int | None:
    """How many columns data on stdout has; None where it goes into a file or to another program."""
    return console(stderr=False).width if sys.stdout.isatty() else None


def wrapped(text: str, first: str, indent: str, width: int | None) -> list[str]:
    """The lines of a text: the first begins with `first`, the others with `indent`; one line without a width.

    >>> wrapped("2 posts, 1 other page, 3 pictures and files", "missing  ", " " * 9, 40)
    ['missing  2 posts, 1 other page, 3', '         pictures and files']
    >>> wrapped("2 posts, 1 other page", "missing  ", " " * 9, None)
    ['missing  2 posts, 1 other page']
    """
    if width is None or len(first) + len(text) <= width:
        return [first + text]
    return textwrap.wrap(
        text, max(width, NARROWEST), initial_indent=first, subsequent_indent=indent, break_long_words=False,
        break_on_hyphens=False,
    )


def print_wrapped(text: str, first: str) -> None:
    """Print data with a label, wrapped below where it begins."""
    for line in wrapped(text, first, " " * len(first), room()):
        say(line)
