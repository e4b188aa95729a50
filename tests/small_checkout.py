"""A checkout whose everlog is a program of one line, for the tests of the scripts that set one up.

Scripts, uv and pip are the real ones; only what they install is small, and comes from the disk: it is built by the
module below, so that nothing is downloaded.
"""

from __future__ import annotations

import ensurepip
import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
SCRIPTS = ("everlog", "install", "set_up.py", "venv.sh")
PATIENCE_SECONDS = 300
WITHOUT_UV = "/usr/bin:/bin"
# `everlog WORDS` prints what it was called with; `everlog has` whether the extra is there.
PROGRAM = """
import importlib.util, os, sys

def main():
    if sys.argv[1:] == ["has"]:
        print(importlib.util.find_spec("small_part") is not None)
    else:
        print("|".join([os.environ["EVERLOG_COMMAND"], os.getcwd(), *sys.argv[1:]]))
"""
PROJECT = """[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "{name}"
version = "1"

[project.optional-dependencies]
render = ["small-part @ {part}"]
"""
EXTRA = 'Provides-Extra: render\nRequires-Dist: small-part @ {part} ; extra == "render"\n'
# Every build leaves a line in builds.log. While there is a pipe called `gate`, a build waits until something is written
# to it; where there is a file called `fail`, it fails.
BACKEND = '''
import pathlib, zipfile

def build_editable(folder, config_settings=None, metadata_directory=None):
    here = pathlib.Path.cwd()
    with open("builds.log", "a") as log:
        log.write("build\\n")
    if (here / "gate").exists():
        (here / "gate").read_bytes()
    if (here / "fail").exists():
        raise SystemExit("the build has failed, for the test")
    name, extra = {name!r}, {extra!r}
    wheel = f"{{name}}-1-py3-none-any.whl"
    info = f"{{name}}-1.dist-info"
    with zipfile.ZipFile(pathlib.Path(folder) / wheel, "w") as file:
        file.writestr(f"{{name}}.pth", str(here / "src"))
        file.writestr(f"{{info}}/METADATA", f"Metadata-Version: 2.1\\nName: {{name}}\\nVersion: 1\\n{{extra}}")
        file.writestr(f"{{info}}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        file.writestr(f"{{info}}/entry_points.txt", f"[console_scripts]\\n{{name}} = {{name}}:main\\n")
        file.writestr(f"{{info}}/RECORD", "")
    return wheel

build_wheel = build_editable
'''


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a script left behind."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """A small checkout, and how its scripts are run."""

    root: Path

    @property
    def builds(self) -> int:
        """How often everlog was built, and so installed."""
        log = self.root / "builds.log"
        return len(log.read_text("utf-8").splitlines()) if log.exists() else 0

    def run(self, *words: str | Path, folder: Path | None = None, **variables: str) -> Ran:
        """Run a script to its end, in the checkout's folder unless another is given."""
        with self.begin(*words, folder=folder, **variables) as child:
            out, err = child.communicate(timeout=PATIENCE_SECONDS)
        assert "Traceback" not in err or (self.root / "fail").exists(), err
        return Ran(code=child.returncode, out=out, err=err)

    def begin(self, *words: str | Path, folder: Path | None = None, **variables: str) -> subprocess.Popen[str]:
        """Start a script, as the head of a group of processes."""
        variables = {"PATH": f"{self.root / 'with-uv'}:{WITHOUT_UV}", **environment(), **variables}
        return subprocess.Popen(
            [*map(str, words)], cwd=folder or self.root, env=variables, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )


def make_checkout(root: Path) -> Checkout:
    """A checkout in a new folder, where nothing is set up."""
    part = root / "part"
    for folder, name, module, extra in (
        (root, "everlog", PROGRAM, EXTRA.format(part=part.as_uri())),
        (part, "small_part", "def main(): pass\n", ""),
    ):
        (folder / "src").mkdir(parents=True)
        (folder / "src" / f"{name}.py").write_text(module, "utf-8")
        (folder / "backend.py").write_text(BACKEND.format(name=name, extra=extra), "utf-8")
        (folder / "pyproject.toml").write_text(PROJECT.format(name=name, part=part.as_uri()), "utf-8")
    (root / "scripts").mkdir()
    for script in SCRIPTS:
        shutil.copy(ROOT / "scripts" / script, root / "scripts")
    link_uv(root / "with-uv")
    return Checkout(root=root)


def environment() -> dict[str, str]:
    """A machine without a network; of the user's settings none that would change the outcome."""
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
    # Debian keeps the wheels of ensurepip elsewhere.
    wheels = Path(sysconfig.get_config_var("WHEEL_PKG_DIR") or Path(ensurepip.__file__).parent / "_bundled")
    return {
        **kept, "PYTHON": sys.executable, "UV_OFFLINE": "1", "UV_NO_CACHE": "1",
        "UV_FIND_LINKS": str(wheels), "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "UV_NO_CONFIG": "1",
    }


def link_uv(folder: Path) -> None:
    """Put uv into a folder of its own, so that a PATH can have it and nothing else of what stands beside it."""
    program = shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert program, "there is no uv; scripts/install dev installs it"
    folder.mkdir()
    (folder / "uv").symlink_to(program)
