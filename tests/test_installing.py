"""The line that installs what is missing: it names packages that exist, for the environment that runs."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from everlog.extras import line_for_extra, packages_of

ROOT = Path(__file__).parent.parent
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", ["render", "fleet", "benchmark"])
def test_the_line_names_the_packages_of_an_extra(extra):
    assert {re.split(r"[\[><=;]", name)[0] for name in packages_of(extra)} == {
        re.split(r"[\[><=;]", name)[0] for name in EXTRAS[extra]
    }
    assert sys.executable in shlex.split(line_for_extra(extra))


@pytest.mark.parametrize(("tools", "expected"), [
    ({"pip": "types.ModuleType('pip')"}, [sys.executable, "-m", "pip", "install", "a>=1"]),
    ({"pip": "None", "uv": "yes"}, ["uv", "pip", "install", "--python", sys.executable, "a>=1"]),
    ({"pip": "None"}, [sys.executable, "-m", "ensurepip", "&&", sys.executable, "-m", "pip", "install", "a>=1"]),
], ids=["pip", "uv", "neither"])
def test_the_line_is_for_what_the_environment_has(tmp_path, tools, expected):
    if "uv" in tools:
        (tmp_path / "uv").write_text("#!/bin/sh\n")
        (tmp_path / "uv").chmod(0o755)
    told = (
        f"import sys, types; sys.modules['pip'] = pip = {tools['pip']}\n"
        "if pip: pip.__spec__ = sys.__spec__\n"
        "from everlog.extras import line_for; print(line_for('a>=1'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", told], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=True,
    )
    assert shlex.split(done.stdout) == expected


@pytest.mark.parametrize(("typed", "told"), [
    ("scripts/everlog", "scripts/install serve"), ("'my clone/scripts/everlog'", "'my clone/scripts/install' serve"),
])
def test_in_a_checkout_its_own_script_installs_an_extra(tmp_path, monkeypatch, typed, told):
    for place in (tmp_path, tmp_path / "my clone"):
        (place / "scripts").mkdir(parents=True)
        (place / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVERLOG_COMMAND", typed)
    assert line_for_extra("serve") == told


@pytest.mark.parametrize("typed", ["everlog", "scripts/everlog", "/usr/bin/everlog", "python -m everlog", ""])
def test_elsewhere_the_packages_of_an_extra_are_named(tmp_path, monkeypatch, typed):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVERLOG_COMMAND", typed)
    assert "uvicorn" in line_for_extra("serve")


def test_nobody_is_told_to_install_everlog_by_name_from_an_index():
    pages = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "packaging").rglob("*.*")]
    pages = [page for page in pages if page.suffix != ".pyc"]
    wrong = re.compile(r"""(?:pip|pipx|uv tool|uv) install[^\n`]*['" ]everlog(?:\[|['"`\s]|$)""", re.MULTILINE)
    assert [str(page) for page in pages if wrong.search(page.read_text("utf-8"))] == []
