"""Whether what ships everlog is sound: python scripts/check_packaging.py [CHECK...]

    dockerfile   hadolint finds nothing
    compose      docker-compose can read compose.yaml
    kubernetes   the manifests fit their schemas, and what they name is there
    units        systemd can read the units
    commands     every command and flag in all of these, and in docs/fleet.md, exists
    steps        the Dockerfile's steps, done without a Docker engine, end in a program that runs (root; minutes)

Without a name all are done. `scripts/check-packaging` installs what this needs, and calls it.
"""

from __future__ import annotations

import configparser
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parent.parent
PACKAGING = ROOT / "packaging"
MANIFESTS = sorted((PACKAGING / "kubernetes").glob("*.yaml"))
# An old one that clusters may still run, and the newest that kubernetes-validate knows.
KUBERNETES = ("1.31", "newest")
# As everlog starts it: with its sandbox, as a user who is not root, where the machine's own files cannot be written to.
CHROMIUM = """
import asyncio
from everlog.render.chromium import Chromium
from everlog.render.render_options import RenderOptions

async def look():
    chromium = await Chromium.start(RenderOptions())
    print(len(await chromium.processes()), "processes of Chromium")
    await chromium.close()

asyncio.run(look())
"""
# Each image, and what must run in it: a whole crawl, the commands of a fleet, and Chromium.
IMAGES = {
    "everlog": ("--help", "demo --archive /spool/demo", "worker --help", "watch --help", "fleet --help"),
    "everlog-browser": ("demo --archive /spool/demo", shlex.join(["--entrypoint", "python", "-c", CHROMIUM])),
}


def main(arguments: list[str]) -> int:
    """Do the checks, tell what is wrong; 1 if anything is."""
    unknown = [name for name in arguments if name not in CHECKS]
    if unknown:
        sys.stderr.write(f"there is no check {unknown[0]}; there are {', '.join(CHECKS)}\n")
        return 2
    wrong = 0
    for name in arguments or CHECKS:
        troubles = CHECKS[name]()
        wrong += len(troubles)
        sys.stdout.write("".join(f"{name}: {line}\n" for line in troubles or ["nothing wrong"]))
        sys.stdout.flush()
    return 1 if wrong else 0


def check_dockerfile() -> list[str]:
    """What hadolint says, down to remarks."""
    return said_by(program("hadolint"), "--no-color", "--failure-threshold", "style", str(ROOT / "Dockerfile"))


def check_compose() -> list[str]:
    """What docker-compose says; the services' settings do not depend on who asks."""
    return said_by(program("docker-compose"), "--file", str(ROOT / "compose.yaml"), "config", "--quiet")


def check_kubernetes() -> list[str]:
    """What does not fit the schemas, and names of other objects and files that nothing has."""
    import kubernetes_validate  # noqa: PLC0415 - other checks do without

    newest = kubernetes_validate.latest_version()
    troubles = []
    for path, manifest in manifests():
        for version in KUBERNETES:
            try:
                kubernetes_validate.validate(manifest, newest if version == "newest" else version, strict=True)
            except (kubernetes_validate.ValidationError, kubernetes_validate.SchemaNotFoundError) as error:
                troubles.append(f"{path.name}, {manifest['kind']}, Kubernetes {version}: {error}")
    return troubles + loose_ends()


def loose_ends() -> list[str]:
    """Files that the kustomization names and are not there, and objects that a manifest names and no other makes."""
    folder = PACKAGING / "kubernetes"
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text("utf-8"))
    troubles = [f"no file {name}" for name in kustomization["resources"] if not (folder / name).is_file()]
    made = {(manifest["kind"], manifest["metadata"].get("name")) for _, manifest in manifests()}
    # The list of blogs is the user's.
    made.add(("ConfigMap", "everlog-blogs"))
    kinds = {"configMapRef": "ConfigMap", "secretRef": "Secret", "configMap": "ConfigMap"}
    for path, manifest in manifests():
        named = [(kinds[key], value["name"]) for key, value in pairs(manifest) if key in kinds]
        named += [("Service", value) for key, value in pairs(manifest) if key == "serviceName"]
        named += [(value["kind"], value["name"]) for key, value in pairs(manifest) if key == "scaleTargetRef"]
        troubles += [f"{path.name}: no {kind} {name}" for kind, name in named if (kind, name) not in made]
        spec = manifest.get("spec", {})
        wanted = spec.get("selector", {}).get("matchLabels", {})
        labels = spec.get("template", {}).get("metadata", {}).get("labels", wanted)
        if not wanted.items() <= labels.items():
            troubles.append(f"{path.name}: {manifest['kind']} selects pods that are not its own")
    return troubles


def check_units() -> list[str]:
    """What systemd says, to copies of the units whose program is one that is there."""
    stand_in, troubles = program("true"), []
    with tempfile.TemporaryDirectory(prefix="everlog-units-") as folder:
        for path in sorted(PACKAGING.glob("*.service")):
            copy = Path(folder) / path.name.replace("@.", "@1.")
            copy.write_text(path.read_text("utf-8").replace("/usr/local/bin/everlog", stand_in), "utf-8")
            troubles += said_by(program("systemd-analyze"), "verify", str(copy))
    return troubles


def check_commands() -> list[str]:
    """Commands and flags that everlog does not have."""
    import typer  # noqa: PLC0415 - other checks do without

    from everlog.cli.app import make_app  # noqa: PLC0415

    troubles = []
    for where, words in commands():
        command: Any = typer.main.get_command(make_app())
        rest = list(words)
        while rest and rest[0] in getattr(command, "commands", {}):
            command = command.commands[rest.pop(0)]
        if hasattr(command, "commands") and rest and not rest[0].startswith("-"):
            troubles.append(f"{where}: there is no command {rest[0]}")
            continue
        flags = {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
        unknown = [word for word in rest if is_flag(word) and word not in flags]
        troubles += [f"{where}: {word} is no flag of {words[0]}" for word in unknown]
    return troubles


def is_flag(word: str) -> bool:
    """Whether a word of a command line is the name of a flag.

    >>> is_flag("--once"), is_flag("-q"), is_flag("-"), is_flag("1")
    (True, True, False, False)
    """
    return word.startswith("-") and word != "-"


def commands() -> Iterator[tuple[str, list[str]]]:
    """All that is given to everlog in images, services, pods, units and their guide, and where."""
    for line in (ROOT / "Dockerfile").read_text("utf-8").splitlines():
        if line.startswith("CMD "):
            yield "Dockerfile", json.loads(line.removeprefix("CMD "))
    services = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
    for name, service in services.items():
        if service["image"].startswith("everlog"):
            yield f"compose.yaml, {name}", service["command"]
    for path, manifest in manifests():
        for key, value in pairs(manifest):
            if key == "args":
                yield path.name, value
    for path in sorted(PACKAGING.glob("*.service")):
        unit = configparser.ConfigParser(interpolation=None, strict=False)
        unit.read(path)
        yield path.name, shlex.split(unit["Service"]["ExecStart"])[1:]
    guide = (ROOT / "docs" / "fleet.md").read_text("utf-8")
    for code in re.findall(r"^```sh\n(.*?)^```|`([^`]+)`", guide, re.MULTILINE | re.DOTALL):
        for line in re.findall(r"(?:^|\s)everlog ([a-z][^\n]*)", "".join(code)):
            yield "docs/fleet.md", shlex.split(line.removesuffix("&"), comments=True)


def check_steps() -> list[str]:
    """What goes wrong when the Dockerfile's steps are done, and when the programs of its images are run."""
    if os.geteuid() != 0:
        return ["this needs root, for namespaces and layers of its own"]
    with tempfile.TemporaryDirectory(prefix="everlog-images-") as folder:
        alone = [program("unshare"), "--mount", "--pid", "--fork", "--kill-child"]
        replay = [sys.executable, str(ROOT / "scripts" / "replay_dockerfile.py"), folder, json.dumps(IMAGES)]
        done = subprocess.run(  # noqa: S603
            [*alone, *replay], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace",
            check=False,
        )
    last = "\n".join(done.stdout.splitlines()[-40:])
    return [f"exit code {done.returncode}\n{last}"] if done.returncode else []


CHECKS: dict[str, Callable[[], list[str]]] = {
    "dockerfile": check_dockerfile, "compose": check_compose, "kubernetes": check_kubernetes, "units": check_units,
    "commands": check_commands, "steps": check_steps,
}


def manifests() -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every object of every manifest; the kustomization is none."""
    for path in MANIFESTS:
        if path.name != "kustomization.yaml":
            for manifest in yaml.safe_load_all(path.read_text("utf-8")):
                yield path, manifest


def pairs(value: object) -> Iterator[tuple[str, Any]]:
    """Every key with its value, however deep."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key, inner
            yield from pairs(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from pairs(inner)


def program(name: str) -> str:
    """The path of a program: beside Python, where the `dev` extra puts it, or the machine's own."""
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if found is None:
        raise SystemExit(f"there is no {name}; scripts/check-packaging installs it")
    return found


def said_by(*command: str) -> list[str]:
    """The lines a program writes, which has something to say only if something is wrong; never none if it fails."""
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)  # noqa: S603
    lines = (done.stdout + done.stderr).splitlines()
    return lines or ([f"{Path(command[0]).name} ends with {done.returncode}"] if done.returncode else [])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
