"""Programs started from a process that has all imports done: a fork and what they do, instead of a second of imports.

    done = launcher.run(["-m", "everlog", "status"], cwd=folder)

The words are those behind `python`: `-m MODULE` or a FILE. Each program is a process of its own, with its own working
folder, environment, streams and exit code. What Python reads before its first line
(PYTHON* variables, the locale) is the launcher's: a program that is given other ones of these is started anew, by
`subprocess`. So must be who wants a process that starts as users start it, with a terminal or for a signal.

A program that comes to its end runs its exit handlers and flushes its streams, but takes nothing apart: the modules it
shares with the launcher are so many that this takes seven times as long (0.1 s) as to start.

One launcher serves a whole worker of the tests. It runs as `python -m launcher`, in one thread, and takes orders on
its stdin, a socket: a JSON, with the file descriptors of three streams and of a pipe for the status of `waitpid`.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TESTS = Path(__file__).parent
# Nobody waits so long unless something hangs.
PATIENCE_SECONDS = 300
# What the interpreter looks at when it starts.
_EARLY = ("PYTHON", "LC_", "LANG", "LANGUAGE", "LD_", "MALLOC_", "TZ")

# What everlog imports when it is first needed, as far as that takes long.
_LATER = (
    "babel.dates", "celery.app.amqp", "celery.app.base", "celery.fixups.django", "celery.loaders.app",
    "celery.worker.worker", "encodings.idna", "fsspec.core", "kombu.transport.redis", "protego", "psycopg",
    "pydantic.fields", "pydantic.plugin._loader", "pydantic.type_adapter", "rich.console",
    "scrapy.downloadermiddlewares.httpcompression", "sqlalchemy.dialects.postgresql.psycopg", "typer._adapters",
    "typer._click._textwrap", "typer._click.decorators", "warcio.archiveiterator",
)


def run(
    words: Sequence[str | os.PathLike[str]], *, cwd: Path | None = None, env: Mapping[str, str] | None = None,
    stdin: bytes = b"", stdout: int | None = None, stderr: int | None = None, anew: bool = False,
) -> subprocess.CompletedProcess[bytes]:
    """Run a program to its end; `anew` as any other is started, without imports that are done.

    A stream that is not given to it is read, and is part of the answer.
    """
    variables = dict(os.environ if env is None else env)
    if anew or _early(variables) != _early(os.environ):
        return subprocess.run(
            [sys.executable, *words], cwd=cwd, env=variables, input=stdin, check=False, timeout=PATIENCE_SECONDS,
            stdout=subprocess.PIPE if stdout is None else stdout, stderr=subprocess.PIPE if stderr is None else stderr,
        )
    with contextlib.ExitStack() as stack:
        theirs = [_file(stack, stdin), *(_file(stack) if each is None else each for each in (stdout, stderr))]
        order = {"words": [os.fspath(word) for word in words], "cwd": str(cwd or Path.cwd()), "env": variables}
        status = _launcher().run(order, theirs)
        out, err = (_read(theirs[1]) if stdout is None else b""), (_read(theirs[2]) if stderr is None else b"")
    return subprocess.CompletedProcess([sys.executable, *words], os.waitstatus_to_exitcode(status), out, err)


def _early(variables: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in variables.items() if name.startswith(_EARLY)}


def _file(stack: contextlib.ExitStack, content: bytes = b"") -> int:
    """A file without a name, in memory."""
    file = os.memfd_create("stream")
    stack.callback(os.close, file)
    with open(file, "wb", closefd=False) as written:
        written.write(content)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _read(file: int) -> bytes:
    with open(file, "rb", closefd=False) as read:
        read.seek(0)
        return read.read()


class _Launcher:
    """The process that starts programs, as many at once as are wanted."""

    def __init__(self) -> None:
        self._ours, its = socket.socketpair()
        self._ordering = threading.Lock()
        paths = os.pathsep.join(filter(None, (str(TESTS), os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "launcher"], cwd=TESTS, stdin=its, env={**os.environ, "PYTHONPATH": paths},
        )
        its.close()

    def run(self, order: Any, streams: list[int]) -> int:
        """Start a program with three streams; gives its status when it has ended."""
        data = json.dumps(order).encode()
        status, its = os.pipe()
        try:
            with self._ordering:
                socket.send_fds(self._ours, [len(data).to_bytes(4, "big")], [*streams, its])
                self._ours.sendall(data)
            os.close(its)
            ended, _, _ = select.select([status], [], [], PATIENCE_SECONDS)
            assert ended, f"{order['words']} did not end"
            answer = os.read(status, 4)
            assert answer, "the launcher has died"
            return int.from_bytes(answer, "big")
        finally:
            os.close(status)

    def end(self) -> None:
        self._ours.close()
        self._process.wait(PATIENCE_SECONDS)


@functools.cache
def _launcher() -> _Launcher:
    started = _Launcher()
    atexit.register(started.end)
    return started


# What the launcher itself does


def main() -> None:
    """Take orders until there are no more; a program that was ordered begins where this ends."""
    _import_everything()
    # A program copies the pages of memory that it writes to; so nobody counts what is there already.
    gc.collect()
    gc.freeze()
    # Ctrl+C is for the tests, which then let the launcher go.
    interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    child_died = signal.signal(signal.SIGCHLD, lambda *_: None)
    before = signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    orders = socket.socket(fileno=os.dup(0))
    answers: dict[int, int] = {}
    while True:
        for ready in select.select([orders, told], [], [])[0]:
            if ready == told:
                os.read(told, 4096)
                _answer(answers)
                continue
            size, files, _, _ = socket.recv_fds(orders, 4, 4)
            if not size:
                return
            order = _whole_order(orders, int.from_bytes(size, "big"))
            program = os.fork()
            if not program:
                signal.set_wakeup_fd(before)
                signal.signal(signal.SIGCHLD, child_died)
                signal.signal(signal.SIGINT, interrupt)
                orders.close()
                for file in (told, tell, files[3], *answers.values()):
                    os.close(file)
                _become(order, files[:3])
                return
            answers[program] = files[3]
            for stream in files[:3]:
                os.close(stream)


def _import_everything() -> None:
    package = importlib.import_module("everlog")
    for module in pkgutil.walk_packages(package.__path__, "everlog."):
        # It runs the program.
        if not module.name.endswith(".__main__"):
            importlib.import_module(module.name)
    for name in _LATER:
        # Other versions of these packages have other modules.
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def _whole_order(orders: socket.socket, size: int) -> dict[str, Any]:
    data = b""
    while len(data) < size:
        data += orders.recv(size - len(data))
    found: dict[str, Any] = json.loads(data)
    return found


def _answer(answers: dict[int, int]) -> None:
    """Say of every program that has ended how it has."""
    for program in list(answers):
        ended, status = os.waitpid(program, os.WNOHANG)
        if ended:
            file = answers.pop(program)
            # Who asked may have given up.
            with contextlib.suppress(BrokenPipeError):
                os.write(file, status.to_bytes(4, "big"))
            os.close(file)


def _become(order: dict[str, Any], streams: list[int]) -> None:
    """Be the process that was ordered, as far as it can be seen from inside."""
    for place, stream in enumerate(streams):
        os.dup2(stream, place)
        os.close(stream)
    os.environ.clear()
    os.environ.update(order["env"])
    os.chdir(order["cwd"])
    sys.orig_argv = [sys.executable, *order["words"]]
    sys.argv = order["words"][order["words"][0] == "-m" :]


def _begin() -> None:
    """Run the program that this process has become."""
    if sys.orig_argv[1] == "-m":
        sys.path[0] = str(Path.cwd())
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
        runpy.run_path(sys.argv[0], run_name="__main__")


def _end(given: Any) -> None:
    """End this process as the interpreter does after `sys.exit(given)`, as far as others can see it."""
    code = given if isinstance(given, int) else int(given is not None)
    if given is not None and not isinstance(given, int):
        sys.stderr.write(f"{given}\n")
    # In the interpreter's own order: threads first, then handlers.
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code & 0xFF)


if __name__ == "__main__":
    main()
    if "launcher" not in sys.orig_argv:
        try:
            _begin()
        except SystemExit as end:
            _end(end.code)
        _end(None)
