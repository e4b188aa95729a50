"""The line that installs what is missing, into the environment that this program runs in.

Not by the name of an extra of everlog's: what an index has under that name may be somebody else's package.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec
from pathlib import Path

# What extras hold where the program runs from its source and nobody can be asked: see pyproject.toml.
_WITHOUT_METADATA = {
    "render": ("playwright>=1.49",), "serve": ("jinja2>=3.1.4", "starlette>=0.40", "uvicorn>=0.31"),
}
_OF_EXTRA = re.compile(r"""^([^;]+);.*extra\s*==\s*['"]([\w-]+)['"]""")


def line_for_extra(extra: str) -> str:
    """What to type to get the packages of an extra."""
    script = _install_script()
    return line_for(*packages_of(extra)) if script is None else f"{script} {extra}"


def line_for(*packages: str) -> str:
    """What to type to get packages. Environments that uv made have no pip of their own."""
    wanted = " ".join(map(shlex.quote, packages))
    python = shlex.quote(sys.executable)
    if find_spec("pip") is not None:
        return f"{python} -m pip install {wanted}"
    if shutil.which("uv") is not None:
        return f"uv pip install --python {python} {wanted}"
    return f"{python} -m ensurepip && {python} -m pip install {wanted}"


def packages_of(extra: str) -> tuple[str, ...]:
    """The packages of an extra, with their versions, as this installation of everlog names them."""
    try:
        said = requires("everlog") or ()
    except PackageNotFoundError:
        said = ()
    parts = filter(None, map(_OF_EXTRA.match, said))
    return tuple(part[1].strip() for part in parts if part[2] == extra) or _WITHOUT_METADATA.get(extra, (extra,))


def _install_script() -> str | None:
    """The script that sets up a checkout, as it is typed where the checkout's own script started this program."""
    typed = shlex.split(os.environ.get("EVERLOG_COMMAND", ""))
    file = Path(typed[0]) if len(typed) == 1 else Path()
    is_of_checkout = file.name == "everlog" and file.parent.name == "scripts"
    if not is_of_checkout or not (file.parent.parent / "pyproject.toml").is_file():
        return None
    return shlex.quote(str(file.with_name("install")))
