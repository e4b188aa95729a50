"""Set up .venv, the environment that the scripts of this checkout share: python scripts/set_up.py [EXTRA...]

Called by venv.sh when there is something to do; `scripts/install` is what people type. The steps:

1. wait for another set-up of the same checkout, which may do the work
2. remove an environment that cannot be used: one whose set-up was interrupted, that was moved, or whose Python is gone
3. make the environment and install everlog with uv, or with pip where there is no uv or where uv fails
4. write .venv/.everlog, which says that all of it is there

What uv and pip write is summed up in one line, and shown as it is when they fail. Nothing but the standard library is
used: there is nothing else yet.
"""

from __future__ import annotations

import contextlib
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
# Read by venv.sh as well: the extras in one line, then what must not have changed since.
STAMP = VENV / ".everlog"
# There while the environment is being changed; the extras that it shall have.
UNFINISHED = VENV / ".everlog-unfinished"
# On a terminal a line is rewritten; elsewhere, in a log, one line every few seconds shows that it goes on.
REWRITE_SECONDS = 0.2
REPEAT_SECONDS = 3.0
# Not that of an active environment, which may be the one that is removed.
BASE_PYTHON = getattr(sys, "_base_executable", "") or sys.executable
# Lines as they come, whole and plain; and not into the user's own folder, which pip's settings may ask for.
ENVIRONMENT = {"PYTHONUNBUFFERED": "1", "COLUMNS": "200", "NO_COLOR": "1", "PIP_USER": "0"}
UNITS = {"kB": 1e3, "KiB": 1024, "MB": 1e6, "MiB": 1024**2, "GB": 1e9, "GiB": 1024**3}


class Failed(Exception):
    """A step did not work; the text says which, and what to do."""


def main(arguments: list[str]) -> int:
    """Set up the environment with these extras; 0 if it is ready, 2 if not, 130 if interrupted."""
    try:
        wanted = set(arguments)
        check_names(wanted)
        with lock() as held:
            if not is_ready(wanted):
                set_up(wanted | remembered_extras(), held)
    except Failed as failed:
        say(str(failed))
        return 2
    except KeyboardInterrupt:
        say("\nstopped before everlog was set up; the same command starts over")
        return 130
    return 0


def check_names(wanted: set[str]) -> None:
    """Refuse an extra that pyproject.toml does not have."""
    known = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    for name in sorted(wanted - known.keys()):
        raise Failed(f"there is no extra named {name}; there are {', '.join(sorted(known))}")


# --- the state of the environment ---


@contextlib.contextmanager
def lock() -> Iterator[tuple[int, ...]]:
    """Keep other set-ups of this checkout out; gives the file that holds the lock, for child processes to keep.

    The lock is on the checkout's folder, so no file is left behind. File systems that cannot lock a folder go without.
    """
    if fcntl is None:
        yield ()
        return
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another process is setting up .venv; waiting for it")
            fcntl.flock(folder, fcntl.LOCK_EX)
        except OSError:
            pass
        yield (folder,)
    finally:
        os.close(folder)


def is_ready(wanted: set[str]) -> bool:
    """Whether another process has done what this one was started for."""
    return (
        (VENV / "bin" / "everlog").exists() and STAMP.is_file() and not UNFINISHED.exists()
        and STAMP.read_text("utf-8").partition("\n")[2] == facts() and wanted <= remembered_extras()
    )


def facts() -> str:
    """What an environment was made for: moved, with another Python or other needs it must be set up again."""
    return f"{ROOT}\n{PYTHON.resolve()}\n{(ROOT / 'pyproject.toml').read_text('utf-8')}"


def remembered_extras() -> set[str]:
    """The extras that the environment has, or was about to get."""
    lines = [path.read_text("utf-8").partition("\n")[0] for path in (STAMP, UNFINISHED) if path.is_file()]
    return {name for line in lines for name in line.split()}


def trouble_with_venv() -> str:
    """Why the environment that is there cannot be installed into; empty if it can, or if there is none."""
    if not VENV.exists() and not VENV.is_symlink():
        return ""
    if UNFINISHED.exists():
        return "its last set-up did not finish"
    if STAMP.is_file():
        made_in, made_with = [*STAMP.read_text("utf-8").splitlines(), "", ""][1:3]
        if made_in != str(ROOT):
            return f"it was made in {made_in}"
        if made_with != str(PYTHON.resolve()):
            return "its Python was replaced"
    if not is_new_enough(PYTHON):
        return "its Python does not run, or is older than 3.11"
    return ""


def is_new_enough(python: Path) -> bool:
    try:
        check = "import sys; sys.exit(sys.version_info < (3, 11))"
        return subprocess.run([python, "-I", "-c", check], capture_output=True, check=False).returncode == 0  # noqa: S603
    except OSError:
        return False


# --- setting up ---


def set_up(extras: set[str], held: tuple[int, ...]) -> None:
    """Install everlog with these extras, with the first tool that manages to."""
    trouble = trouble_with_venv()
    if trouble:
        say(f"removing .venv: {trouble}")
        remove()
    uv = shutil.which("uv")
    how = "with uv" if uv else "with pip (with uv it would take seconds: https://docs.astral.sh/uv/)"
    say(f"setting up everlog in .venv, once, {how}")
    started = time.monotonic()
    begin(extras)
    with_extras = f".[{','.join(sorted(extras))}]" if extras else "."
    progress = Progress(held=held)
    if not (uv and install_with_uv(uv, with_extras, progress)):
        install_with_pip(with_extras, progress)
    STAMP.write_text(f"{' '.join(sorted(extras))}\n{facts()}", "utf-8")
    UNFINISHED.unlink()
    say(f"everlog is set up: {progress.amount()} in {time.monotonic() - started:.0f} s")


def begin(extras: set[str]) -> None:
    """Mark the environment as unfinished, before anything of it is there."""
    try:
        VENV.mkdir(exist_ok=True)
        UNFINISHED.write_text(f"{' '.join(sorted(extras))}\n", "utf-8")
        STAMP.unlink(missing_ok=True)
    except OSError as error:
        raise Failed(
            f"everlog cannot be set up in {VENV}: {error.strerror}\n"
            f"  install it elsewhere:  uv tool install '{ROOT}'\n"
            f"  or:                    python3 -m venv ~/everlog && ~/everlog/bin/pip install '{ROOT}'\n"
            "  or copy this folder to a place that can be written to, and run it there",
        ) from None


def remove() -> None:
    """Take away what is in .venv; a link to a folder elsewhere is taken away, and the folder left alone."""
    try:
        if VENV.is_symlink() or VENV.is_file():
            VENV.unlink()
        else:
            shutil.rmtree(VENV)
    except OSError as error:
        raise Failed(f"{VENV} cannot be removed: {error}\n  remove it yourself:  rm -rf '{VENV}'") from None


def install_with_uv(uv: str, what: str, progress: Progress) -> bool:
    """Whether uv made the environment and installed everlog into it; pip is then tried, which may be set up better."""
    made = PYTHON.exists() or progress.run(
        "making .venv", [uv, "venv", "--allow-existing", "--no-project", "--python", BASE_PYTHON, str(VENV)],
    )
    # With pip, `.venv/bin/pip install ...` works as in any other environment.
    install = [uv, "pip", "install", "--python", str(PYTHON), "pip"]
    if made and progress.run("looking up what everlog needs", [*install, "-e", what]):
        return True
    progress.show_output()
    say("uv failed, as the lines above say; trying pip")
    return False


def install_with_pip(what: str, progress: Progress) -> None:
    """Make the environment with venv, and install everlog with its pip."""
    pip = [str(PYTHON), "-I", "-m", "pip", "--disable-pip-version-check", "--no-input"]
    if not has_pip():
        made = progress.run("making .venv", [BASE_PYTHON, "-I", "-m", "venv", str(VENV)])
        if not made:
            progress.show_output()
            raise Failed(
                f"'{BASE_PYTHON} -m venv' failed, as the lines above say\n"
                "  Debian, Ubuntu:  apt install python3-venv\n"
                "  or get uv, which does without:  https://docs.astral.sh/uv/",
            )
        # The pip that Python brings takes 20 s of computing to look up everlog's needs, a new one 9 s. A failure to
        # get it is no failure: the old one does it too.
        progress.run("updating pip", [*pip, "install", "--upgrade", "pip"])
    # As uv does it: Python compiles what is used when it is first used. All of it takes 10 s more, and 100 MB.
    if not progress.run("looking up what everlog needs", [*pip, "install", "--no-compile", "-e", what]):
        progress.show_output()
        raise Failed(
            "everlog could not be installed into .venv; the lines above say why\n"
            "  to try again:  scripts/install",
        )


def has_pip() -> bool:
    return PYTHON.exists() and subprocess.run(  # noqa: S603
        [PYTHON, "-I", "-c", "import pip"], capture_output=True, check=False,
    ).returncode == 0


# --- what is seen of it ---


@dataclass(slots=True)
class Progress:
    """Runs uv and pip, and sums up in one line what they do."""

    held: tuple[int, ...] = ()
    _output: list[str] = field(default_factory=list)
    _under_way: dict[str, tuple[str, float]] = field(default_factory=dict)
    _packages: int = 0
    _bytes: float = 0
    _step: str = ""
    _shown_at: float = 0
    _started: float = field(default_factory=time.monotonic)

    def run(self, step: str, command: list[str]) -> bool:
        """Whether a command succeeded, shown as a step while it runs."""
        self._step, self._shown_at = step, 0.0
        environment = {**os.environ, **ENVIRONMENT}
        self._output.append(f"$ {' '.join(command)}\n")
        try:
            # The lock stays with a child that outlives this process: nobody else may write into .venv meanwhile.
            child = subprocess.Popen(  # noqa: S603
                command, cwd=ROOT, env=environment, pass_fds=self.held, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace",
            )
        except OSError as error:
            self._output.append(f"{error}\n")
            return False
        with child:
            try:
                for line in lines_of(child):
                    if line:
                        self._output.append(line)
                        self._read(line)
                    self._show()
            except BaseException:
                child.terminate()
                raise
        self._clear()
        return child.returncode == 0

    def amount(self) -> str:
        """How much was installed.

        >>> Progress(_packages=77, _bytes=61.4e6).amount()
        '77 packages, 61 MB downloaded'
        """
        downloaded = f", {self._bytes / 1e6:.0f} MB downloaded" if self._bytes >= 1e6 else ""
        return f"{self._packages} packages{downloaded}"

    def show_output(self) -> None:
        """All that the commands wrote, after one failed."""
        sys.stderr.write("".join(self._output))
        self._output.clear()

    def _read(self, line: str) -> None:
        """What a line of uv or pip tells of the state of things."""
        if found := re.match(r" *Downloading (\S+)(?: \(([\d.]+) ?(\w+)\))?", line):
            name, number, unit = found.groups()
            size = float(number or 0) * UNITS.get(unit, 0)
            shown = f" ({number} {unit.replace('i', '')})" if size >= 1e6 else ""
            self._begin_download(name, f"downloading {name_of(name)}{shown}", size)
        elif found := re.match(r" *Downloaded (\S+)", line):
            self._end_download(found[1])
        elif found := re.match(r"Resolved (\d+) packages|Installing collected packages: (.*)", line):
            self._packages = int(found[1]) if found[1] else found[2].count(",") + 1
            self._step = f"{'getting' if found[1] else 'installing'} {self._packages} packages"
        elif "Retrying" in line or "retrying" in line:
            self._step = "the network does not answer; trying again"

    def _begin_download(self, name: str, step: str, size: float) -> None:
        # pip gets one file after the other and does not say when it has it; uv gets many at once, and does.
        if name.endswith((".whl", ".metadata", ".tar.gz")):
            self._bytes += size
        else:
            self._under_way[name] = (step, size)
        self._step = step

    def _end_download(self, name: str) -> None:
        _, size = self._under_way.pop(name, ("", 0.0))
        self._bytes += size
        steps = [step for step, _ in self._under_way.values()]
        self._step = steps[0] if steps else f"getting {self._packages} packages"

    def _show(self) -> None:
        now = time.monotonic()
        is_terminal = sys.stderr.isatty()
        if now - self._shown_at < (REWRITE_SECONDS if is_terminal else REPEAT_SECONDS):
            return
        self._shown_at = now
        megabytes = f", {self._bytes / 1e6:.0f} MB so far" if self._bytes >= 1e6 else ""
        line = f"  {now - self._started:3.0f} s  {self._step}{megabytes}"
        if is_terminal:
            sys.stderr.write(f"\r\x1b[K{line[:shutil.get_terminal_size().columns - 1]}")
        else:
            sys.stderr.write(f"{line}\n")
        sys.stderr.flush()

    @staticmethod
    def _clear() -> None:
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def lines_of(child: subprocess.Popen[str]) -> Iterator[str]:
    """A child's lines as they come, and an empty one every moment in which none comes."""
    arrived: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        for line in child.stdout or ():
            arrived.put(line)
        arrived.put(None)

    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            line = arrived.get(timeout=REWRITE_SECONDS)
        except queue.Empty:
            line = ""
        if line is None:
            return
        yield line


def name_of(file: str) -> str:
    """A package and its version, from the name of its file.

    >>> name_of("numpy-2.4.6-cp311-cp311-manylinux_2_28_x86_64.whl"), name_of("numpy")
    ('numpy 2.4.6', 'numpy')
    """
    return " ".join(file.rpartition("/")[2].split("-")[:2]) if "-" in file and ".whl" in file else file


def say(text: str) -> None:
    """A line for the user."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
