"""What ships everlog, with the real parts: the Dockerfile's steps, Chromium's rules, a worker's health. As root."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import redis

import services
from everlog.fleet.job_queue import MARK
from everlog.render.find_chromium import find_chromium
from fleet.a_fleet import PATIENCE_SECONDS, until

ROOT = Path(__file__).parents[2]
RULES = ROOT / "packaging" / "chromium-seccomp.json"
USER = 10001


def test_the_steps_of_the_dockerfile_end_in_programs_that_run():
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "check_packaging.py"), "steps"],
        capture_output=True, encoding="utf-8", check=False,
    )
    assert done.stdout == "steps: nothing wrong\n", done.stdout + done.stderr


def test_chromium_builds_its_sandbox_under_the_rules_for_it():
    assert "<p>drawn</p>" in drawn_under_rules().stdout


def test_it_would_not_under_rules_that_forbid_namespaces():
    done = drawn_under_rules("unshare setns chroot")
    assert done.stdout == ""
    assert "No usable sandbox" in done.stderr


def test_a_worker_is_healthy_also_while_the_queue_is_away(tmp_path):
    with services.postgres(fsync=False) as database, services.redis() as queue:
        told = {"EVERLOG_ARCHIVE": database.url(), "EVERLOG_BROKER": queue.url, "EVERLOG_FILES": str(tmp_path)}
        flags = ["--no-browser", "--processes", "1", "--metrics-port", str(services.free_port())]
        with subprocess.Popen(
            [sys.executable, "-m", "everlog", "worker", *flags], env=os.environ | told, cwd=tmp_path,
            stderr=subprocess.PIPE, encoding="utf-8",
        ) as worker:
            assert worker.stderr is not None
            try:
                assert any("takes jobs from" in line for line in worker.stderr)
                assert healthy(worker.pid) == (0, "")
                # From its first round on it hears signals.
                with redis.Redis.from_url(queue.url) as client:
                    until(lambda: client.exists(MARK))
                queue.kill()
                assert healthy(worker.pid) == (0, "")
                queue.start()
                worker.send_signal(signal.SIGTERM)
                worker.stderr.read()
                assert worker.wait(PATIENCE_SECONDS) == 0
            finally:
                worker.kill()


def healthy(process: int) -> tuple[int, str]:
    program = [sys.executable, str(ROOT / "packaging" / "healthy.py"), f"/proc/{process}/cmdline"]
    done = subprocess.run(program, capture_output=True, encoding="utf-8", check=False)
    return done.returncode, done.stdout + done.stderr


def drawn_under_rules(also_forbidden: str = "") -> subprocess.CompletedProcess[str]:
    """A page in Chromium, as a container runs it. Not in pytest's own folder, which only root may enter."""
    profile = Path(tempfile.mkdtemp(prefix="everlog-chromium-", dir="/tmp"))
    os.chown(profile, USER, USER)
    show = ["--headless", "--disable-gpu", f"--user-data-dir={profile}", "--dump-dom", "data:text/html,<p>drawn</p>"]
    runner = [sys.executable, str(Path(__file__).parent / "under_seccomp.py"), str(RULES), also_forbidden]
    try:
        return subprocess.run(
            [*runner, find_chromium(None), *show], capture_output=True, encoding="utf-8", check=False, timeout=300,
            cwd="/", env={"PATH": os.environ["PATH"], "HOME": str(profile)},
        )
    finally:
        shutil.rmtree(profile, ignore_errors=True)
