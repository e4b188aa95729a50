"""Does what the Dockerfile says without a Docker engine, and runs what would be the images.

    unshare --mount --pid --fork --kill-child python scripts/replay_dockerfile.py FOLDER '{"TARGET": ["COMMAND", ...]}'

Each stage is this machine's own file system with a layer over it: the steps of the Dockerfile run as they stand, see
what the steps before them left, and change nothing but the layers, which are in FOLDER. Each COMMAND ("worker --help")
is then given to the image's entry point as compose.yaml has it run: as its user, with nothing to write to but /spool
and /tmp; "--entrypoint PROGRAM ..." runs another program instead. It has to be root, in namespaces of its own; the
machine's Debian and Python stand in for those of the base image.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).parent.parent
BASE_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Where packages come from is the machine's business, as are its certificates.
HANDED_ON = re.compile(r"PIP_\w+|(https?|no|all)_proxy|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE", re.IGNORECASE)
# What is said about an image and changes nothing in it.
SAID = frozenset({"LABEL", "EXPOSE", "HEALTHCHECK", "CMD", "STOPSIGNAL"})

# A file system that is the stage's and nothing else's. Not by chroot: in one, Chromium could not build its sandbox.
ALONE = """
cd "$0"
pivot_root . mnt
umount --lazy /mnt
mount -t proc proc /proc
mount -t tmpfs tmpfs /tmp
mount --bind /spool /spool
mount -o remount,bind,ro /
exec "$@"
"""

# Name, source, and instructions with what follows each.
ReadStage = tuple[str, str, list[tuple[str, str]]]


def main(arguments: list[str]) -> int:
    """Make the stages that the targets need, then run the commands in each; the first exit code that is not 0."""
    folder, plan = arguments[0], json.loads(arguments[1])
    context = make_context(Path(folder) / "context")
    stages: dict[str, Stage] = {}
    read = read_stages((ROOT / "Dockerfile").read_text("utf-8"))
    needed = set().union(*(stages_for(target, read) for target in plan))
    for name, source, steps in read:
        if name not in needed:
            continue
        stages[name] = stage = Stage.begin(Path(folder) / name, stages.get(source))
        for instruction, rest in steps:
            tell(f"{name}: {instruction} {rest}")
            stage.do(instruction, rest, context=context, stages=stages)
    for target, commands in plan.items():
        for command in commands:
            code = stages[target].run_image(shlex.split(command))
            if code:
                return code
    return 0


def read_stages(text: str) -> list[ReadStage]:
    """Name, source and steps of each stage of a Dockerfile.

    >>> read_stages("ARG V=3\\nFROM python:${V} AS a\\nRUN x \\\\\\n  && y\\nFROM a AS b\\nUSER 1")
    [('a', 'python:3', [('RUN', 'x   && y')]), ('b', 'a', [('USER', '1')])]
    """
    defaults: dict[str, str] = {}
    stages: list[ReadStage] = []
    lines = "\n".join(line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#"))
    for line in lines.replace("\\\n", "").splitlines():
        instruction, _, rest = line.partition(" ")
        if instruction == "FROM":
            source, _, name = rest.partition(" AS ")
            stages.append((name, re.sub(r"\$\{(\w+)\}", lambda found: defaults[found[1]], source), []))
        elif not stages:
            variable, _, value = rest.partition("=")
            defaults[variable] = value
        else:
            stages[-1][2].append((instruction, rest))
    return stages


def stages_for(target: str, stages: list[ReadStage]) -> set[str]:
    """The stages that one is made of, itself among them.

    >>> sorted(stages_for("c", read_stages("FROM x AS a\\nFROM x AS b\\nFROM b AS c\\nCOPY --from=a /d /d")))
    ['a', 'b', 'c']
    """
    needed = {target}
    # A stage can only name earlier ones.
    for name, source, steps in reversed(stages):
        if name in needed:
            copied = [rest.split()[0].removeprefix("--from=") for what, rest in steps if what == "COPY"]
            needed.update({source, *copied} & {each for each, *_ in stages})
    return needed


def make_context(folder: Path) -> Path:
    """What .dockerignore leaves of the checkout."""
    for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines():
        if line.startswith("!"):
            copy(ROOT / line[1:], folder / line[1:], leave=("__pycache__", "*.pyc"))
    return folder


@dataclass(slots=True, kw_only=True)
class Stage:
    """A stage as far as it is made: what it changed, all as it sees it, and what holds for the steps to come."""

    layer: Path
    root: Path
    workdir: str = "/"
    user: str = "0:0"
    entry: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)

    @classmethod
    def begin(cls, folder: Path, source: Stage | None) -> Stage:
        """A layer over this machine, with what another stage changed in it to begin with."""
        layer, root, work = (folder / part for part in ("layer", "root", "work"))
        for each in (root, work):
            each.mkdir(parents=True)
        if source is None:
            layer.mkdir()
            handed = {name: value for name, value in os.environ.items() if HANDED_ON.fullmatch(name)}
            stage = cls(layer=layer, root=root, environment=handed | {"PATH": BASE_PATH})
        else:
            # A copy, because Linux takes no two layers one of which is inside the other, as all are inside "/".
            call("cp", "--archive", str(source.layer), str(layer))
            stage = replace(source, layer=layer, root=root, environment=dict(source.environment))
        options = f"lowerdir=/,upperdir={layer},workdir={work}"
        call("mount", "-t", "overlay", "overlay", "-o", options, str(root))
        call("mount", "--rbind", "/dev", str(root / "dev"))
        call("mount", "-t", "proc", "proc", str(root / "proc"))
        stage.lay_out_python()
        return stage

    def lay_out_python(self) -> None:
        """`python` where the base image has it, for everybody to run."""
        python = Path(sys.executable).resolve()
        for parent in python.parents:
            inside = self.root / parent.relative_to("/")
            inside.chmod(inside.stat().st_mode | 0o055)
        for name in ("python", "python3"):
            link = self.root / "usr/local/bin" / name
            link.unlink(missing_ok=True)
            link.symlink_to(python)
        # A virtual environment looks for the modules beside the link; they are the machine's, so not to be written to.
        modules = f"lib/python{sys.version_info.major}.{sys.version_info.minor}"
        inside = self.root / "usr/local" / modules
        inside.mkdir(exist_ok=True)
        if not inside.samefile(Path(sys.base_prefix) / modules):
            call("mount", "--bind", "-o", "ro", str(Path(sys.base_prefix) / modules), str(inside))

    def do(self, instruction: str, rest: str, *, context: Path, stages: dict[str, Stage]) -> None:
        """One step."""
        if instruction == "RUN":
            self.run(["/bin/sh", "-c", rest])
        elif instruction == "COPY":
            self.copy(shlex.split(rest), context=context, stages=stages)
        elif instruction == "WORKDIR":
            self.workdir = rest
            self.inside(rest).mkdir(parents=True, exist_ok=True)
        elif instruction == "ENV":
            self.environment |= dict(word.split("=", 1) for word in shlex.split(rest))
        elif instruction == "USER":
            self.user = rest
        elif instruction == "ENTRYPOINT":
            self.entry = json.loads(rest)
        elif instruction == "VOLUME":
            for name in json.loads(rest):
                self.inside(name).mkdir(parents=True, exist_ok=True)
        elif instruction not in SAID:
            raise SystemExit(f"{instruction} is not known here; teach it to {Path(__file__).name}")

    def copy(self, words: list[str], *, context: Path, stages: dict[str, Stage]) -> None:
        """COPY [--from=STAGE] SOURCE... TARGET."""
        source = context
        if words[0].startswith("--from="):
            source = stages[words.pop(0).removeprefix("--from=")].root
        *names, target = words
        for name in names:
            # A folder's contents are copied, a file goes into a target that is or names a folder.
            origin = source / name.lstrip("/")
            into = self.inside(target)
            copy(origin, into / origin.name if origin.is_file() and target.endswith("/") else into)

    def inside(self, name: str) -> Path:
        """A path of the stage as this machine sees it."""
        return self.root / os.path.normpath(Path(self.workdir) / name).lstrip("/")

    def run(self, command: list[str]) -> None:
        """A step's command; all ends if it fails."""
        call(*self.within(command, root=str(self.root)))

    def run_image(self, arguments: list[str]) -> int:
        """What `docker run --read-only` would: the entry point as process 1."""
        command = arguments[1:] if arguments[:1] == ["--entrypoint"] else [*self.entry, *arguments]
        tell(f"run: {shlex.join(command)}")
        alone = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "/bin/sh", "-ec", ALONE, str(self.root)]
        return subprocess.run([*alone, *self.within(command, root="/")], check=False).returncode  # noqa: S603

    def within(self, command: list[str], *, root: str) -> list[str]:
        """A command in the stage, as its user and in its folder."""
        home = "/root" if self.user == "0:0" else "/home/everlog"
        variables = [f"{name}={value}" for name, value in ({"HOME": home} | self.environment).items()]
        enter = ["chroot", f"--userspec={self.user}", "--groups=", root]
        return [*enter, "/usr/bin/env", "-i", f"--chdir={self.workdir}", *variables, *command]


def copy(source: Path, target: Path, *, leave: tuple[str, ...] = ()) -> None:
    """A file or the contents of a folder, but for what is called so; links stay links."""
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns(*leave))
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def call(*command: str) -> None:
    """Run a program; all ends with its exit code if it fails."""
    done = subprocess.run(command, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(done.returncode)


def tell(text: str) -> None:
    """A line about what is done now."""
    sys.stderr.write(f"== {text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
