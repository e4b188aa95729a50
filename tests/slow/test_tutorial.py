"""The tutorial's commands run as they stand there, against the demo's blog: the page cannot rot."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from cli.conftest import here, server
from cli.program import PATIENCE_SECONDS, environment
from cli.sites import serve_demo

__all__ = ["here", "server"]

TUTORIAL = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text("utf-8")
EXAMPLE = "https://a.blog.example/"
# A block that has a name is a file; blocks of sh are commands, one a line, with "# exits 6" where that is right.
_BLOCK = re.compile(r"^```(\w+) ?([\w.]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_EXIT = re.compile(r"# exits (\d+)$")


def test_every_command_of_the_tutorial_does_what_it_says(server, here):
    url = serve_demo(server)
    program = here / "bin" / "everlog"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m everlog "$@"\n')
    program.chmod(0o755)
    variables = environment(EVERLOG_DELAY="0", NO_COLOR="1")
    variables["PATH"] = f"{program.parent}:{variables['PATH']}"
    commands = 0
    for kind, name, text in _BLOCK.findall(TUTORIAL.replace(EXAMPLE, url)):
        if name:
            (here / name).write_text(text, "utf-8")
        for line in text.splitlines() if kind == "sh" else ():
            expected = _EXIT.search(line)
            done = subprocess.run(
                ["sh", "-c", line], cwd=here, env=variables, capture_output=True, text=True, check=False,
                timeout=PATIENCE_SECONDS,
            )
            assert done.returncode == int(expected[1] if expected else 0), f"{line}\n{done.stderr}"
            assert "Traceback" not in done.stderr
            commands += 1
    assert commands > 20
    assert len((here / "posts.jsonl").read_text("utf-8").splitlines()) == 40
    assert len(list((here / "notes").glob("*.md"))) == 40
