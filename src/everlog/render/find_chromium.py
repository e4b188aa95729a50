"""Where Chromium is on this machine."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from everlog.errors import NoBrowser
from everlog.extras import line_for_extra

# What it said last, and anything it said, in Playwright's log of it.
_FATAL = re.compile(r"\[err\] \[[^\]]*:FATAL:[^\]]*\] (.{1,300})")
_SAID = re.compile(r"\[err\] (.{1,300})")
VARIABLE = "EVERLOG_CHROMIUM"
# The shell comes first: it has no windows to draw, and a page costs half the processor time in it.
NAMES = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome",
)


def find_chromium(executable: str | None, own_download: str | None = None) -> str:
    """The program to start: the one named, else Debian's or another on the PATH, else Playwright's own."""
    named = executable or os.environ.get(VARIABLE)
    if named:
        found = shutil.which(named)
        if found is None:
            raise NoBrowser(f"no such program: {named}", advice=how_to_get_a_browser())
        return found
    for name in NAMES:
        found = shutil.which(name)
        if found is not None:
            return found
    if own_download is not None and Path(own_download).exists():
        return own_download
    raise NoBrowser("Chromium not found", advice=how_to_get_a_browser())


def how_to_get_a_browser() -> str:
    """What to type for what is missing of the two: the package that controls a browser, and the browser."""
    if find_spec("playwright") is None:
        return f"install it:  {line_for_extra('render')}\n  {_chromium_advice()}"
    return _chromium_advice()


def _chromium_advice() -> str:
    python = shlex.quote(sys.executable)
    system = "brew install --cask chromium" if sys.platform == "darwin" else "apt install chromium"
    return (
        f"get Chromium:  {system}   (or {python} -m playwright install chromium,"
        f"\n  or set {VARIABLE} to the path of a Chromium)"
    )


def not_started(executable: str, said: str) -> NoBrowser:
    """The error for a browser that does not start, from what Playwright says about it.

    >>> print(not_started("/usr/bin/chromium", "BrowserType.launch: closed\\n[pid=7][err] [7:7:FATAL:a.cc:1] No room"))
    /usr/bin/chromium does not start: No room
      start it by hand to see more, or set another one in EVERLOG_CHROMIUM
    """
    if "No usable sandbox" in said or "sandboxing failed" in said:
        advice = "apt install chromium-sandbox, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1)"
        return NoBrowser(f"{executable} does not start: it cannot create its sandbox", advice=advice)
    reason = _FATAL.search(said) or _SAID.search(said)
    return NoBrowser(
        f"{executable} does not start: {reason[1] if reason else said.partition(chr(10))[0]}",
        advice=f"start it by hand to see more, or set another one in {VARIABLE}",
    )
