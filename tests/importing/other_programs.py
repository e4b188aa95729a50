"""Programs of others that capture sites: wget, and `wacz` for what it wrote. scripts/install-import-parts has them."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

PARTS = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "everlog" / "imports"
MADE_FROM = Path(__file__).with_name("parts.json")
# wget's word for "some pages were answered with an error": every site has a dead link.
WGET_SERVER_ERRORS = 8


def _folder() -> Path:
    return PARTS / f"wacz-{hashlib.sha256(MADE_FROM.read_bytes()).hexdigest()[:12]}"


_missing = not (shutil.which("wget") and _folder().exists()) and os.environ.get("CI") != "true"
needs_them = pytest.mark.skipif(_missing, reason="wget or wacz is not installed: scripts/install-import-parts")


def wget(folder: Path, *urls: str) -> Path:
    """A WARC file of whole sites."""
    done = subprocess.run(
        ["wget", "-q", "--no-config", "--no-proxy", "--recursive", "--level=inf", "--page-requisites",
         "--warc-file=site", *urls],
        cwd=folder, check=False, capture_output=True,
    )
    assert done.returncode in {0, WGET_SERVER_ERRORS}, done.stderr
    return folder / "site.warc.gz"


def wacz_create(warc: Path) -> Path:
    """A WACZ file of a WARC file."""
    made = warc.with_name("site.wacz")
    done = _wacz(warc.parent, "create", "-o", str(made), str(warc))
    assert done.returncode == 0, done.stderr
    return made


def wacz_complaints(file: Path) -> str:
    """What `wacz validate` finds wrong with a file; nothing where it is valid."""
    done = _wacz(file.parent, "validate", "-f", str(file))
    said = done.stdout.decode() + done.stderr.decode()
    return "" if done.returncode == 0 and "is valid" in said else said or "it says nothing"


def _wacz(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    run = "import sys; from wacz.main import main; sys.exit(main(sys.argv[1:]))"
    python = _folder() / "bin" / "python"
    return subprocess.run([python, "-W", "ignore", "-c", run, *words], cwd=folder, check=False, capture_output=True)
