"""Images, services, manifests and units, as far as they can be checked without a Docker engine."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
import yaml

from everlog.archive.job_models import UPDATE, FleetState, WorkerState
from everlog.fleet.metrics import FleetCollector

ROOT = Path(__file__).parent.parent
PARTS = ("Dockerfile", ".dockerignore", "compose.yaml", "docs", "packaging", "scripts")
CHECKS = ("dockerfile", "compose", "kubernetes", "units", "commands")
MANIFESTS = "packaging/kubernetes/"
OURS = ("scheduler", "worker", "browser-worker")


def check(name: str, root: Path = ROOT) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, str(root / "scripts" / "check_packaging.py"), name],
        capture_output=True, encoding="utf-8", check=False, cwd=root,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("name", CHECKS)
def test_nothing_is_wrong_with(name):
    assert check(name) == (0, f"{name}: nothing wrong\n")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "file", "old", "new", "said"), [
    ("dockerfile", "Dockerfile", "FROM python:${PYTHON} AS build", "FROM python:latest AS build", "DL3007"),
    ("compose", "compose.yaml", "condition: service_healthy", "condition: service_happy", "service_happy|depends_on"),
    ("compose", "compose.yaml", "    stop_grace_period: 60s", "    stop_grace_time: 60s", "stop_grace_time"),
    ("kubernetes", MANIFESTS + "workers.yaml", "  replicas: 4", "  replicas: many", "many"),
    ("kubernetes", MANIFESTS + "workers.yaml", "podManagementPolicy", "podManagementPolice", "Police"),
    ("kubernetes", MANIFESTS + "workers.yaml", "serviceName: everlog-worker", "serviceName: a", "no Service a"),
    ("kubernetes", MANIFESTS + "settings.yaml", "name: everlog-settings", "name: others", "no ConfigMap"),
    ("kubernetes", MANIFESTS + "kustomization.yaml", "- settings.yaml", "- setting.yaml", "no file setting.yaml"),
    ("units", "packaging/everlog-worker@.service", "KillMode=mixed", "KillMood=mixed", "KillMood"),
    ("commands", "packaging/everlog-worker@.service", "--name %H-%i", "--nick %H-%i", "--nick is no flag of worker"),
    ("commands", "docs/fleet.md", "everlog fleet revive 4711", "everlog fleet raise 4711", "there is no command raise"),
    ("commands", "compose.yaml", "[watch, --metrics-port", "[look, --metrics-port", "there is no command look"),
])
def test_what_is_wrong_is_found(tmp_path, name, file, old, new, said):
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, tmp_path / part)
    text = (tmp_path / file).read_text("utf-8")
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new, 1), "utf-8")
    code, out = check(name, tmp_path)
    assert code == 1
    assert re.search(said, out)


@pytest.mark.parametrize("script", [
    "packaging/healthy.py", "scripts/check_packaging.py", "scripts/replay_dockerfile.py", "scripts/set_up.py",
])
def test_the_examples_in_a_script_are_right(script):
    done = subprocess.run(
        [sys.executable, "-m", "doctest", str(ROOT / script)], capture_output=True, encoding="utf-8", check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_an_unknown_check_is_refused_with_the_names_of_those_there_are():
    code, out = check("images")
    assert code == 2
    assert "there is no check images" in out
    assert "dockerfile" in out


# --- the image ---


def test_nothing_is_copied_into_an_image_that_is_not_named():
    lines = [line for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if not line.startswith("#")]
    assert lines[0] == "*"
    named = {line[1:] for line in lines if line.startswith("!")}
    copied = {
        word for line in (ROOT / "Dockerfile").read_text("utf-8").splitlines()
        if line.startswith("COPY ") and "--from=" not in line for word in line.split()[1:-1]
    }
    assert copied == named


def test_images_run_as_the_user_that_owns_their_volumes_and_pods():
    text = (ROOT / "Dockerfile").read_text("utf-8")
    users = re.findall(r"^USER (\S+)$", text, re.MULTILINE)
    assert users[-1] == "10001:10001"
    assert "--owner=10001 --group=10001 /files /spool" in text
    pods = [manifest["spec"]["template"]["spec"] for manifest in manifests() if "template" in manifest.get("spec", {})]
    assert len(pods) == 4
    assert {pod["securityContext"]["runAsUser"] for pod in pods} == {10001}
    assert all(pod["securityContext"]["runAsNonRoot"] and not pod["enableServiceLinks"] for pod in pods)
    boxes = [box["securityContext"] for pod in pods for box in pod["containers"]]
    assert all(box["readOnlyRootFilesystem"] and not box["allowPrivilegeEscalation"] for box in boxes)


def test_the_version_of_the_images_is_the_programs():
    version = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert version is not None
    kustomization = yaml.safe_load((ROOT / "packaging/kubernetes/kustomization.yaml").read_text("utf-8"))
    assert {image["newTag"] for image in kustomization["images"]} == {version[1]}
    [job] = [manifest for manifest in manifests() if manifest["kind"] == "Job"]
    assert job["spec"]["template"]["spec"]["containers"][0]["image"] == f"everlog:{version[1]}"


# --- the services ---


def test_services_wait_for_the_database_and_the_queue_and_have_time_to_end():
    services = compose()["services"]
    for name in OURS:
        service = services[name]
        assert {key: value["condition"] for key, value in service["depends_on"].items()} == {
            "postgres": "service_healthy", "redis": "service_healthy",
        }
        assert service["stop_grace_period"] in {"90s", "1m30s"}
        assert any(volume.startswith("spool:/spool") for volume in service["volumes"])
        assert service["read_only"] is True
    assert all("healthcheck" in services[name] for name in ("postgres", "redis"))


def test_the_queue_of_the_services_forgets_nothing_while_it_runs():
    command = compose()["services"]["redis"]["command"]
    assert command[command.index("--maxmemory-policy") + 1] == "noeviction"


def test_every_image_has_a_version_but_those_made_here():
    images = {service["image"] for service in compose()["services"].values()}
    assert {image for image in images if ":" not in image} == {"everlog", "everlog-browser"}
    assert not any(image.endswith(":latest") for image in images)


def test_a_password_of_ones_own_reaches_the_database_and_the_workers():
    services = compose(POSTGRES_PASSWORD="k$y/of:mine")["services"]  # noqa: S106 - an example
    given = {services["postgres"]["environment"]["POSTGRES_PASSWORD"]}
    given |= {services[name]["environment"]["PGPASSWORD"] for name in OURS}
    assert {text.replace("$$", "$") for text in given} == {"k$y/of:mine"}


def test_the_rules_for_chromium_let_it_build_its_sandbox():
    rules = json.loads((ROOT / "packaging" / "chromium-seccomp.json").read_text("utf-8"))
    denied = {name for rule in rules["syscalls"] for name in rule["names"]}
    assert rules["defaultAction"] == "SCMP_ACT_ALLOW"
    assert not denied & {"clone", "clone3", "unshare", "setns", "chroot", "seccomp", "prctl"}
    assert {"mount", "bpf", "init_module", "keyctl"} <= denied


def test_examples_hold_no_secrets():
    [secret] = [manifest for manifest in manifests() if manifest["kind"] == "Secret"]
    assert all("REPLACE-ME" in value for value in secret["stringData"].values())
    text = (ROOT / "packaging" / "fleet.env.example").read_text("utf-8")
    secrets = re.findall(r"^(\w*(?:PASSWORD|KEY)\w*)=(.*)$", text, re.MULTILINE)
    assert secrets
    assert {value for _, value in secrets} == {"REPLACE-ME"}


# --- the guide ---


def test_the_guide_to_a_fleet_names_the_metrics_there_are():
    page = (ROOT / "docs" / "fleet.md").read_text("utf-8")
    rows = re.findall(r"^\| (`everlog_.*?) \|", page, re.MULTILINE)
    named: set[str] = set()
    for row in rows:
        names = re.findall(r"`([a-z_]+)", row)
        # `_posts_total` is short for the first name of its row with another end.
        named |= {name if name.startswith("everlog") else f"everlog_worker{name}" for name in names}
    shown = {sample.name for scope in (None, "a") for each in collected(scope) for sample in each.samples}
    assert named == shown


def collected(worker: str | None) -> list:
    """What the figures of a small fleet are."""

    class Workers:
        def __call__(self) -> tuple[WorkerState, ...]:
            now = datetime.now(UTC)
            return (
                WorkerState(
                    name="a", processes=1, has_browser=False, started_at=now, there_seconds=1.0, silent_seconds=0.0,
                ),
            )

        def fleet_state(self, *, now: datetime) -> FleetState:
            return FleetState(
                workers=self(), running=(), depths={UPDATE: 1}, states={}, dead=(), oldest_queued_seconds=None,
                oldest_due_at=now, due=1, is_draining=False,
            )

    class Small:
        workers = Workers()

        def depths(self) -> dict[str, int]:
            return {UPDATE: 1}

    return list(FleetCollector(Small(), Small(), worker=worker).collect())


# --- whether a container is healthy ---


@contextmanager
def metrics(page: bytes):
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *arguments):
            pass

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def healthy(tmp_path: Path, *command: str) -> tuple[int, str]:
    line = tmp_path / "cmdline"
    line.write_bytes(b"".join(word.encode() + b"\0" for word in command))
    done = subprocess.run(
        [sys.executable, str(ROOT / "packaging" / "healthy.py"), str(line)],
        capture_output=True, encoding="utf-8", check=False,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.mark.parametrize(("page", "code"), [
    (b'everlog_up 1.0\neverlog_worker_silent_seconds{worker="a"} 3.0\n', 0),
    (b'everlog_up 1.0\neverlog_worker_silent_seconds{worker="a"} 300.0\n', 1),
    (b'everlog_up 1.0\neverlog_worker_silent_seconds{worker="b"} 300.0\neverlog_jobs{state="queued"} 7.0\n', 0),
    (b"everlog_up 0.0\n", 0),
    (b"something else\n", 1),
], ids=["a worker", "a worker that hangs", "a scheduler of a fleet with a silent worker", "no database", "not everlog"])
def test_a_container_is_healthy_as_its_metrics_tell(tmp_path, page, code):
    with metrics(page) as port:
        found, said = healthy(tmp_path, "tini", "--", "everlog", "worker", "--metrics-port", str(port))
    assert found == code
    assert bool(said) == bool(code)


def test_a_program_that_answers_no_more_is_not_healthy(tmp_path):
    with metrics(b"") as port:
        pass
    code, said = healthy(tmp_path, "tini", "--", "everlog", "watch", f"--metrics-port={port}")
    assert code == 1
    assert f"no metrics at port {port}" in said


def test_a_program_without_metrics_is_healthy_while_it_runs(tmp_path):
    assert healthy(tmp_path, "tini", "--", "everlog", "crawl", "https://a.blog.example/") == (0, "")


def test_the_image_and_the_pods_ask_with_the_same_program():
    asked = "/usr/local/lib/everlog/healthy.py"
    text = (ROOT / "Dockerfile").read_text("utf-8")
    assert f'CMD ["python", "{asked}"]' in text
    assert f"COPY packaging/healthy.py {asked}" in text
    lasting = [manifest for manifest in manifests() if manifest["kind"] in {"Deployment", "StatefulSet"}]
    boxes = [box for manifest in lasting for box in manifest["spec"]["template"]["spec"]["containers"]]
    probes = [box["livenessProbe"]["exec"]["command"] for box in boxes]
    assert probes == [["python", asked]] * 3


def manifests() -> list[dict]:
    paths = sorted((ROOT / "packaging" / "kubernetes").glob("*.yaml"))
    read = [yaml.safe_load_all(path.read_text("utf-8")) for path in paths if path.name != "kustomization.yaml"]
    return [manifest for each in read for manifest in each]


def compose(**variables: str) -> dict:
    """compose.yaml as docker-compose understands it."""
    program = shutil.which("docker-compose")
    assert program, "there is no docker-compose; scripts/install-packaging-parts installs it"
    done = subprocess.run(
        [program, "--file", str(ROOT / "compose.yaml"), "config"], capture_output=True, encoding="utf-8", check=True,
        env={"PATH": "/usr/bin:/bin", **variables},
    )
    return yaml.safe_load(done.stdout)
