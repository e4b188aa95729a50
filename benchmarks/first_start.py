"""How long a new user waits: from `git clone` to the demo's result, with uv and without.

    python benchmarks/first_start.py [--most 60]

For each way the checkout is cloned into an empty folder, with an empty home and empty caches, and the README's first
command is run in it word for word, as on a new machine with a network. A table on stdout has the seconds to the first
thing on the screen, to a finished set-up and to the demo's result, the longest silence, what was downloaded, and the
seconds of the same command once more, and with a proxy that does not answer. With `--most` it ends with 1 if
uv takes longer than that.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# A port of loopback that nobody listens at.
CLOSED = "http://127.0.0.1:9"


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """One first start, in seconds since the clone began."""

    way: str
    cloned: float
    first_output: float
    set_up: float
    result: float
    longest_silence: float
    downloaded: str
    again: float
    behind_proxy: float | None


def main() -> int:
    """Measure the ways there are here; 1 if uv took longer than it may, or a command failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--most", type=float, help="seconds that uv may take from clone to result")
    parser.add_argument("--only", choices=["uv", "pip"], help="measure one way")
    arguments = parser.parse_args()
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    ways = {"uv": uv, "pip": None}
    if not uv:
        ways.pop("uv")
        print("there is no uv on the PATH: only pip is measured", file=sys.stderr)
    starts = [first_start(way, program) for way, program in ways.items() if arguments.only in {None, way}]
    print_table(starts)
    slow = [start for start in starts if start.way == "uv" and arguments.most and start.result > arguments.most]
    return 1 if slow or any(start.behind_proxy is None for start in starts) else 0


def first_start(way: str, uv: str | None) -> Start:
    """Clone, and run the first command of the README, twice and behind a dead proxy."""
    command = first_command()
    with tempfile.TemporaryDirectory(prefix="everlog-first-start-") as name:
        folder = Path(name)
        variables = environment(folder, uv)
        began = time.monotonic()
        subprocess.run(["git", "clone", "--quiet", str(ROOT), "everlog"], cwd=folder, env=variables, check=True)
        cloned = time.monotonic() - began
        lines = timed_lines(command, folder / "everlog", variables, began)
        again = timed_lines(command, folder / "everlog", variables, time.monotonic())
        proxied = variables | {"http_proxy": CLOSED, "https_proxy": CLOSED}
        behind = timed_lines(command, folder / "everlog", proxied, time.monotonic(), may_fail=True)
    done = next(((at, line) for at, line in lines if line.startswith("everlog is set up")), (0.0, ""))
    size = re.search(r"([\d.]+ MB) downloaded", done[1])
    times = [cloned, *(at for at, _ in lines)]
    return Start(
        way=way, cloned=cloned, first_output=times[1], set_up=done[0], result=times[-1],
        longest_silence=max(after - before for before, after in pairwise(times)),
        downloaded=size[1] if size else "", again=again[-1][0], behind_proxy=behind[-1][0] if behind else None,
    )


def first_command() -> str:
    """What the README tells to type first."""
    found = re.search(r"^```sh\n(.+)\n", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert found
    return found[1]


def environment(folder: Path, uv: str | None) -> dict[str, str]:
    """A new user's machine: an empty home, no caches, and uv on the PATH or not."""
    programs, home = folder / "programs", folder / "home"
    programs.mkdir()
    home.mkdir()
    if uv:
        (programs / "uv").symlink_to(uv)
    # Where the machine's own uv stands, nothing is looked for.
    path = [part for part in os.environ["PATH"].split(os.pathsep) if not (Path(part) / "uv").exists()]
    dropped = ("PIP_", "UV_", "VIRTUAL_ENV", "XDG_", "EVERLOG_", "PYTHON")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped) or name == "PIP_CERT"}
    return {**kept, "HOME": str(home), "PATH": os.pathsep.join([str(programs), *path])}


def timed_lines(
    command: str, folder: Path, variables: dict[str, str], began: float, *, may_fail: bool = False,
) -> list[tuple[float, str]]:
    """Each line that a command writes, with the seconds at which it came; none if it failed and may."""
    with subprocess.Popen(
        ["sh", "-c", f"{command} 2>&1"], cwd=folder, env=variables, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, encoding="utf-8",
    ) as child:
        assert child.stdout
        lines = [(time.monotonic() - began, line.rstrip()) for line in child.stdout]
        lines.append((time.monotonic() - began, ""))
    if child.returncode:
        sys.stderr.write("\n".join(line for _, line in lines))
        if may_fail:
            return []
        raise SystemExit(f"{command} ended with {child.returncode}")
    return lines


def print_table(starts: list[Start]) -> None:
    proxied = [start.behind_proxy for start in starts]
    rows = {
        "git clone": [f"{start.cloned:.1f} s" for start in starts],
        "first output": [f"{start.first_output:.1f} s" for start in starts],
        "set up": [f"{start.set_up:.1f} s" for start in starts],
        "the demo's result": [f"{start.result:.1f} s" for start in starts],
        "longest silence": [f"{start.longest_silence:.1f} s" for start in starts],
        "downloaded": [start.downloaded for start in starts],
        "the same command again": [f"{start.again:.1f} s" for start in starts],
        "and behind a dead proxy": [f"{seconds:.1f} s" if seconds else "failed" for seconds in proxied],
    }
    print(f"{'from git clone to':<26}" + "".join(f"{start.way:>10}" for start in starts))
    for name, cells in rows.items():
        print(f"{name:<26}" + "".join(f"{cell:>10}" for cell in cells))


if __name__ == "__main__":
    sys.exit(main())
