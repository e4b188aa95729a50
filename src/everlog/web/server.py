"""Server of an archive: the interface and captured pages on two ports, which are two origins, in one process."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import errno
import logging
import signal
import socket
import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import uvicorn
from anyio.to_thread import current_default_thread_limiter

from everlog.archive.repos.mementos import MementoRepository
from everlog.errors import UsageError
from everlog.web.access_log import opened_access_log
from everlog.web.client_limits import ProxyTrust
from everlog.web.interface.interface_app import interface_app
from everlog.web.limited_app import Limits
from everlog.web.mementos.open_reading import MAY_NAME_TIMES
from everlog.web.mementos.replay_app import ReplayApp
from everlog.web.origins import Origins
from everlog.web.page_templates import Pages, TypedCommands
from everlog.web.request_guard import INTERFACE, REPLAY, RequestGuard
from everlog.web.silent_proxy import SilentProxy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from starlette.types import ASGIApp

    from everlog.archive import Archive
    from everlog.web.access_log import AccessLog

# Requests that are under way when the server is stopped have so long to end.
GRACE_SECONDS = 3
# Threads that wait for files and databases; `page_maker` has how many of them make pages. Each has memory and a
# connection of its own.
THREADS = 8
# A film that nobody reads on holds a connection no longer than this.
SILENT_SECONDS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """Where to listen, and what the addresses are called outside. A port of 0 is any that is free."""

    host: str = "127.0.0.1"
    port: int = 8080
    replay_port: int | None = None
    base_url: str | None = None
    replay_base_url: str | None = None
    allowed: tuple[str, ...] = ()
    # What is hidden is left out, and nothing is told of the machine.
    public: bool = False
    # A file, or - for standard output.
    access_log: str | None = None
    # What a proxy on another machine says of its readers is believed; one on this machine is, if there is a `base_url`.
    trust_proxy: bool = False
    # What pages say to type in a terminal.
    typed: TypedCommands = field(default_factory=TypedCommands)


class ArchiveServer:
    """An archive on two ports. `run` returns when somebody stops it."""

    def __init__(self, archive: Archive, options: ServeOptions) -> None:
        self._archive, self._options = archive, options
        self._servers: tuple[_Server, ...] = ()
        self._stopped_by: int | None = None

    def run(self, ready: Callable[[Origins], None]) -> bool:
        """Answer until stopped; `ready` hears where, once both ports are open. Whether it was interrupted (Ctrl-C)."""
        with (
            opened_access_log(self._options.access_log, is_public=self._options.public) as noted,
            _listening(self._options) as (sockets, origins),
        ):
            apps = apps_of(self._archive, origins, self._options, noted)
            asyncio.run(self._serve(apps, sockets, lambda: ready(origins)))
        return self._stopped_by == signal.SIGINT

    def stop(self, by: int | None = None) -> None:
        """Let requests that are under way end, and answer no more; from any thread. Twice: at once."""
        for server in self._servers:
            server.force_exit = self._stopped_by is not None
            server.should_exit = True
        self._stopped_by = by

    async def _serve(
        self, apps: Sequence[ASGIApp], sockets: Sequence[socket.socket], ready: Callable[[], None],
    ) -> None:
        current_default_thread_limiter().total_tokens = THREADS
        self._servers = tuple(_Server(_config(app)) for app in apps)
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, self.stop, number)
        tasks = [
            asyncio.create_task(server.serve(sockets=[listener]))
            for server, listener in zip(self._servers, sockets, strict=True)
        ]
        # What uvicorn says of readers that are cut off is no error of anybody's.
        said, is_running = logging.getLogger("uvicorn.error"), lambda _: not self._servers[0].should_exit
        said.addFilter(is_running)
        try:
            # Both listen already: what is asked now waits for the moment that is left.
            ready()
            await asyncio.gather(*tasks)
        finally:
            said.removeFilter(is_running)


class _Server(uvicorn.Server):
    """A server that leaves signals alone: two of them would take them from each other."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app, log_config=None, access_log=False, lifespan="off", server_header=False, ws="none",
        timeout_keep_alive=SILENT_SECONDS, timeout_graceful_shutdown=GRACE_SECONDS,
        # Whatever a proxy says of the reader is not asked for: addresses come from the options.
        proxy_headers=False,
    )


def apps_of(
    archive: Archive, origins: Origins, options: ServeOptions, noted: AccessLog | None = None,
) -> tuple[ASGIApp, ASGIApp]:
    """The interface, and captured pages."""
    pages, public, limits = Pages(options.typed), options.public, Limits()
    trust = ProxyTrust(on_this_machine=origins.base_url is not None, everywhere=options.trust_proxy)
    # At home nobody has to be limited; without addresses of their own the two ports stand behind no proxy.
    silent = SilentProxy() if public and trust.on_this_machine else None
    if public:
        # The same archive, whose captures are those that anybody may see.
        archive = copy.copy(archive)
        archive.mementos = MementoRepository(archive.backend.database, public=True)
    return (
        RequestGuard(
            interface_app(archive, origins, pages, public=public, limits=limits), origins, headers=INTERFACE,
            access_log=noted, trust=trust, silent=silent,
        ),
        RequestGuard(
            ReplayApp(archive, origins, pages, public=public, limits=limits).app(), origins, headers=REPLAY,
            access_log=noted, trust=trust, silent=silent, before=MAY_NAME_TIMES if public else None,
        ),
    )


@contextlib.contextmanager
def _listening(options: ServeOptions) -> Iterator[tuple[tuple[socket.socket, socket.socket], Origins]]:
    names = frozenset(name.lower().rstrip(".") for name in options.allowed)
    origins = Origins(
        port=0, replay_port=0, base_url=options.base_url, replay_base_url=options.replay_base_url, allowed=names,
    )
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(_bound(options.host, options.port, "--port"))
        port = first.getsockname()[1]
        wanted = options.replay_port if options.replay_port is not None else port + 1 if options.port else 0
        second = stack.enter_context(_bound(options.host, wanted, "--replay-port"))
        yield (first, second), replace(origins, port=port, replay_port=second.getsockname()[1])


def _bound(host: str, port: int, flag: str) -> socket.socket:
    """A socket that listens; if the port is taken, it is said which flag names another."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # TCP by name: only then asyncio sends the pieces of an answer at once. Without it the second one waited for the
    # reader's system to confirm the first, 40 ms of every answer.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
    except (OSError, OverflowError) as error:
        listener.close()
        raise _cannot_listen(error, host, port, flag) from error
    return listener


def _cannot_listen(error: Exception, host: str, port: int, flag: str) -> UsageError:
    number = getattr(error, "errno", None)
    if number == errno.EADDRINUSE:
        return UsageError(
            f"port {port} of {host} is taken by another program",
            advice=f"pass another one, or 0 for any that is free:  everlog serve {flag} 0",
        )
    if number == errno.EACCES:
        return UsageError(f"access denied to port {port}", advice=f"pass one above 1023 with {flag}")
    if isinstance(error, OverflowError):
        return UsageError(f"{port} is not a port", advice=f"pass a number up to 65535 with {flag}")
    return UsageError(f"cannot listen at {host}: {error}", advice="pass an address of this machine with --host")
