"""Texts on stdout: wrapped at words to the width of a terminal; for a file or a pipe as they are."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from everlog.cli.terminal.text import console
from everlog.core.terminal import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console
    from rich.text import Text

# Narrower than this, a column of text has no words to wrap at.
LEAST_COLUMNS = 20
# An address, and the space behind it.
_ADDRESS = re.compile(r"(\S*://\S+)\s*")


def room() -> int | None:
    """How many columns data on stdout has; None where it goes into a file or to another program."""
    return console(stderr=False).width if sys.stdout.isatty() else None


def print_wrapped(text: str, *, margin: str = "", hanging: str | None = None) -> None:
    """Print text, every line behind a margin; lines that had to be wrapped go on behind `hanging`, if it is given."""
    clean = harmless(text)
    if not sys.stdout.isatty():
        print("\n".join(margin + line if line else "" for line in clean.split("\n")))
        return
    from rich.text import Text

    print_styled(Text(clean), margin=margin, hanging=hanging)


def print_styled(text: Text, *, margin: str = "", hanging: str | None = None) -> None:
    """The same for text in colours, on a terminal; it must be harmless."""
    screen = console(stderr=False)
    for line in wrapped(text, screen, margin=margin, hanging=margin if hanging is None else hanging):
        # What is wider by now is an address: it runs over the edge whole, and can be copied.
        screen.print(line, soft_wrap=True)


def wrapped(text: Text, screen: Console, *, margin: str, hanging: str) -> Iterator[Text]:
    """The lines of a text on a screen. Addresses are not broken; what has no spaces, as Chinese, ends anywhere.

    >>> from rich.text import Text
    >>> text = Text("A night train, as told at https://a.blog.example/2024/05/the-night-train by its driver")
    >>> [line.plain for line in wrapped(text, console(width=24), margin="", hanging="  ")]
    ['A night train, as told', '  at', '  https://a.blog.example/2024/05/the-night-train', '  by its driver']
    """
    from rich.text import Text

    room = max(screen.width - max(len(margin), len(hanging)), LEAST_COLUMNS)
    for line in text.split("\n", allow_blank=True):
        before = margin
        if not line.plain.strip():
            yield Text("")
            continue
        for piece in _pieces(line, room):
            parts = [piece] if _ADDRESS.fullmatch(piece.plain) else piece.wrap(screen, room, overflow="fold")
            for part in parts:
                part.rstrip()
                yield Text(before) + part
                before = hanging


def _pieces(line: Text, room: int) -> list[Text]:
    """A line, divided where an address begins or ends that is too long for one."""
    from rich.cells import cell_len

    long = [found for found in _ADDRESS.finditer(line.plain) if cell_len(found[1]) > room]
    return [piece for piece in line.divide([at for found in long for at in found.span()]) if piece.plain.strip()]
