"""The first command that is typed in a new checkout: it sets everlog up, says so, and mends what was broken."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import pytest

from small_checkout import PATIENCE_SECONDS, WITHOUT_UV, Checkout, make_checkout


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A checkout in a folder with a space in its name; nothing is set up."""
    return make_checkout(tmp_path / "a checkout")


@pytest.fixture
def ready(checkout: Checkout) -> Checkout:
    """A checkout where everlog is set up."""
    assert checkout.run("scripts/everlog").code == 0
    return checkout


# --- the first run ---


def test_the_first_run_says_what_it_does_and_then_runs_everlog(checkout):
    ran = checkout.run("scripts/everlog", "demo")
    assert (ran.code, ran.out) == (0, f"scripts/everlog|{checkout.root}|demo\n")
    said = ran.err.splitlines()
    assert said[0] == "setting up everlog in .venv, once, with uv"
    assert any("making .venv" in line for line in said)
    assert said[-1].startswith("everlog is set up: 2 packages in ")


@pytest.mark.slow
def test_without_uv_pip_sets_it_up_and_its_warnings_are_not_shown(checkout, tmp_path):
    missing = (tmp_path / "missing").as_uri()
    ran = checkout.run("scripts/everlog", PATH=WITHOUT_UV, PIP_FIND_LINKS=missing)
    assert ran.code == 0
    assert ran.err.startswith("setting up everlog in .venv, once, with pip (with uv it would take seconds")
    assert missing not in ran.err
    assert "WARNING" not in ran.err


@pytest.mark.slow
def test_where_uv_fails_pip_is_tried_and_what_uv_said_is_shown(checkout):
    ran = checkout.run("scripts/everlog", UV_FIND_LINKS="")
    assert ran.code == 0
    assert "uv failed, as the lines above say; trying pip" in ran.err
    assert "pip" in ran.err.partition("uv failed")[0]


@pytest.mark.slow
def test_a_set_up_that_fails_shows_all_that_was_written_and_the_next_command(checkout):
    (checkout.root / "fail").touch()
    ran = checkout.run("scripts/everlog", "demo")
    assert (ran.code, ran.out) == (2, "")
    assert "the build has failed, for the test" in ran.err
    assert ran.err.endswith("  to try again:  scripts/install\n")
    (checkout.root / "fail").unlink()
    ran = checkout.run("scripts/everlog")
    assert ran.code == 0
    assert "removing .venv: its last set-up did not finish" in ran.err


def test_a_python_that_is_too_old_is_refused_with_what_to_type(checkout):
    ran = checkout.run("scripts/everlog", PYTHON="/bin/false")
    assert (ran.code, ran.out) == (2, "")
    assert "everlog needs Python 3.11 or newer, and PYTHON=/bin/false is not that" in ran.err
    assert "PYTHON=/path/to/python3.12 scripts/everlog" in ran.err
    assert not (checkout.root / ".venv").exists()


def test_a_checkout_that_cannot_be_written_says_where_to_install_instead():
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        checkout = make_checkout(Path(folder) / "checkout")
        checkout.root.chmod(0o555)
        # Permissions do not bind root.
        other_user = ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        python = shutil.which("python3", path=WITHOUT_UV) or sys.executable
        ran = checkout.run(*other_user, "scripts/everlog", PYTHON=python)
        checkout.root.chmod(0o755)
    assert ran.code == 2
    assert f"everlog cannot be set up in {checkout.root}/.venv: Permission denied" in ran.err
    assert f"uv tool install '{checkout.root}'" in ran.err


# --- later runs ---


def test_the_second_run_installs_nothing_says_nothing_and_needs_no_network(ready):
    ran = ready.run("scripts/everlog", "a", "b c", PATH=WITHOUT_UV, PYTHON="/bin/false", UV_FIND_LINKS="")
    assert (ran.code, ran.out, ran.err) == (0, f"scripts/everlog|{ready.root}|a|b c\n", "")
    assert ready.builds == 1


def test_what_was_typed_is_handed_on_for_the_commands_that_everlog_advises(ready, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    link = tmp_path / "everlog"
    link.symlink_to(ready.root / "scripts" / "everlog")
    quoted = str(ready.root / "scripts" / "everlog").replace(" ", "\\ ")
    for typed, command in (
        ("./scripts/everlog", "./scripts/everlog"),
        (ready.root / "scripts" / "everlog", quoted),
        (link, str(link)),
    ):
        folder = ready.root if typed == "./scripts/everlog" else elsewhere
        assert ready.run(typed, folder=folder).out == f"{command}|{folder}\n"
    by_path = ready.run("sh", "-c", "everlog", folder=elsewhere, PATH=f"{tmp_path}:{WITHOUT_UV}")
    assert by_path.out == f"everlog|{elsewhere}\n"


def test_a_changed_list_of_needs_is_installed(ready):
    with (ready.root / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write("# something else\n")
    assert ready.run("scripts/everlog").code == 0
    assert ready.builds == 2
    assert ready.run("scripts/everlog").err == ""


@pytest.mark.parametrize(("breaking", "said"), [
    ("python", "its Python was replaced"),
    pytest.param("program", "", marks=pytest.mark.slow),
    pytest.param("interrupted", "its last set-up did not finish", marks=pytest.mark.slow),
])
def test_a_broken_environment_is_made_anew(ready, breaking, said):
    venv = ready.root / ".venv"
    if breaking == "python":
        (venv / "bin" / "python").unlink()
        (venv / "bin" / "python").symlink_to("/nowhere/python")
    elif breaking == "program":
        (venv / "bin" / "everlog").unlink()
    else:
        (venv / ".everlog").rename(venv / ".everlog-unfinished")
    ran = ready.run("scripts/everlog")
    assert (ran.code, ran.out) == (0, f"scripts/everlog|{ready.root}\n")
    assert said in ran.err
    assert ready.run("scripts/everlog").err == ""


@pytest.mark.slow
def test_a_checkout_that_was_moved_is_set_up_again(ready):
    moved = Checkout(root=ready.root.rename(ready.root.with_name("moved")))
    ran = moved.run("scripts/everlog")
    assert (ran.code, ran.out) == (0, f"scripts/everlog|{moved.root}\n")
    assert f"removing .venv: it was made in {ready.root}" in ran.err


# --- extras ---


@pytest.mark.slow
def test_an_extra_goes_into_the_same_environment_and_stays_there(ready):
    assert ready.run("scripts/everlog", "has").out == "False\n"
    ran = ready.run("scripts/install", "render")
    assert ran.code == 0
    assert ran.out == f"everlog is installed in {ready.root}/.venv with render; run it with scripts/everlog\n"
    with (ready.root / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write("# something else\n")
    assert ready.run("scripts/everlog", "has").out == "True\n"
    # Made anew from nothing it has the extra too.
    (ready.root / ".venv" / ".everlog").rename(ready.root / ".venv" / ".everlog-unfinished")
    assert ready.run("scripts/everlog", "has").out == "True\n"
    assert "with render" in ready.run("scripts/install").out


def test_an_unknown_extra_is_refused_with_those_there_are(ready):
    ran = ready.run("scripts/install", "rendering")
    assert (ran.code, ran.err) == (2, "there is no extra named rendering; there are render\n")
    assert ready.builds == 1


# --- several at once, and none to the end ---


def test_two_first_runs_at_once_set_up_once(checkout):
    gate = checkout.root / "gate"
    os.mkfifo(gate)
    first = checkout.begin("scripts/everlog", "first")
    # A pipe opens when the other side does: the build of the first has begun, and waits.
    with gate.open("w", encoding="utf-8"):
        second = checkout.begin("scripts/everlog", "second")
        assert second.stderr is not None
        assert second.stderr.readline() == "another process is setting up .venv; waiting for it\n"
        gate.unlink()
    for child, word in ((first, "first"), (second, "second")):
        out, _ = child.communicate(timeout=PATIENCE_SECONDS)
        assert (child.returncode, out) == (0, f"scripts/everlog|{checkout.root}|{word}\n")
    assert checkout.builds == 1


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "killed"])
def test_a_set_up_that_is_stopped_in_the_middle_is_done_again(checkout, how):
    gate = checkout.root / "gate"
    os.mkfifo(gate)
    child = checkout.begin("scripts/everlog")
    with gate.open("w", encoding="utf-8"):
        os.killpg(child.pid, how)
        _, err = child.communicate(timeout=PATIENCE_SECONDS)
    gate.unlink()
    assert "Traceback" not in err
    if how == signal.SIGINT:
        assert child.returncode == 130
        assert "stopped before everlog was set up; the same command starts over" in err
    ran = checkout.run("scripts/everlog")
    assert (ran.code, ran.out) == (0, f"scripts/everlog|{checkout.root}\n")
