"""Draws docs/images/demo.svg, the picture in the README, from a real run of `everlog demo` in a terminal.

    python scripts/make_screenshot.py [FILE]      # needs the extra dev: scripts/install dev

The demo runs in a pseudo-terminal and in an empty folder; a terminal emulator (pyte) reads what it writes, and rich
draws what is then on the screen. Port and times, which differ from run to run, are set to fixed ones.
"""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

import pyte
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "images" / "demo.svg"
COMMAND = "scripts/everlog"
COLUMNS = 104
# More than the demo writes: what has left the screen would be missing.
LINES = 120
# What differs from run to run, and what is drawn in its place.
FIXED = (
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:8642"),
    (re.compile(r"\d+(\.\d+)?(?= pages/s)"), "80"),
    (re.compile(r"\b\d+\.\d(?= +complete\b)"), "3.0"),
    (re.compile(r"\b\d+(\.\d+)? (s|seconds)\b"), r"3 \2"),
)
# rich loads a font from the network; every machine has one of these.
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"


def main(arguments: list[str]) -> int:
    """Run the demo, draw the picture; the demo's exit code if it fails."""
    code, written = run_in_terminal([sys.executable, "-m", "everlog", "demo"])
    if code:
        sys.stderr.buffer.write(written)
        return code
    target = Path(arguments[0]) if arguments else PICTURE
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(drawn(on_screen(written)), "utf-8")
    sys.stderr.write(f"wrote {target}\n")
    return 0


def run_in_terminal(command: list[str]) -> tuple[int, bytes]:
    """A command's exit code, and all it wrote to a terminal of its own."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    # Nothing of the user's changes the picture: no settings, no proxy, no lack of colour.
    kept = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "PYTHONPATH"}}
    variables = {**kept, "TERM": "xterm-256color", "LANG": "C.UTF-8", "EVERLOG_COMMAND": COMMAND}
    with tempfile.TemporaryDirectory() as folder, subprocess.Popen(  # noqa: S603
        command, cwd=folder, env=variables, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
    ) as child:
        os.close(theirs)
        written = b"".join(iter(lambda: read(ours), b""))
    os.close(ours)
    return child.returncode, written


def read(terminal: int) -> bytes:
    """What comes next from a terminal; nothing when the other side has closed it."""
    try:
        return os.read(terminal, 65_536)
    except OSError:  # what Linux says at the end
        return b""


def on_screen(written: bytes) -> list[Text]:
    """The lines that a terminal shows in the end, below the command as it is typed."""
    screen = pyte.Screen(COLUMNS, LINES)
    pyte.ByteStream(screen).feed(written)
    lines = [line_of(screen.buffer[row]) for row in range(LINES)]
    while lines and not lines[-1].plain.strip():
        lines.pop()
    return [Text.assemble(("$ ", "bold green"), (f"{COMMAND} demo", "bold")), *lines]


def line_of(row: dict[int, pyte.screens.Char]) -> Text:
    """One line of the screen, with its colours."""
    line = Text(no_wrap=True)
    for column in range(COLUMNS):
        char = row[column]
        line.append(char.data, Style(
            color=colour(char.fg), bold=char.bold or None, italic=char.italics or None,
            underline=char.underscore or None,
        ))
    line.rstrip()
    for pattern, fixed in FIXED:
        for found in reversed(list(pattern.finditer(line.plain))):
            style = line.get_style_at_offset(Console(), found.start())
            line = Text.assemble(line[:found.start()], (found.expand(fixed), style), line[found.end():])
    return line


def colour(name: str) -> str | None:
    """A colour of pyte as rich calls it."""
    if name == "default":
        return None
    if re.fullmatch(r"[0-9a-f]{6}", name):
        return f"#{name}"
    return name.replace("brown", "yellow").replace("bright", "bright_")


def drawn(lines: list[Text]) -> str:
    """The lines as an SVG that needs nothing from the network."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), color_system="truecolor")
    for line in lines:
        console.print(line, soft_wrap=True)
    form = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    form = form.replace("Fira Code, monospace", FONTS)
    return console.export_svg(title="everlog", theme=MONOKAI, code_format=form, unique_id="everlog")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
