"""An archive that is served, on real ports of this machine, and how a client asks it."""

from __future__ import annotations

import http.client
import re
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from everlog.web.server import ArchiveServer, ServeOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.archive import Archive
    from everlog.web.origins import Origins

OWN_SCRIPT = re.compile(r'<script defer src="/static/[a-z.]+\.js\?v=[0-9a-f]{12}"></script>')


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a client was answered."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def said(self) -> str:
        """The page without the scripts of its own: any other one is somebody else's."""
        return OWN_SCRIPT.sub("", self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """The two addresses of an archive."""

    archive: Archive
    interface: str
    replay: str

    def ask(self, path: str, method: str = "GET", *, at: str | None = None, **headers: str) -> Answer:
        """One request, to captured pages unless another address is given; redirects are not followed."""
        parts = urlsplit(at or self.replay)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, headers=named)
            answer = connection.getresponse()
            return Answer(status=answer.status, headers=answer.headers, body=answer.read())
        finally:
            connection.close()

    def page(self, path: str, **headers: str) -> Answer:
        """A page of the interface."""
        return self.ask(path, at=self.interface, **headers)


@contextmanager
def serving(archive: Archive, **options: object) -> Iterator[Served]:
    """The archive on free ports, until the context ends."""
    server = ArchiveServer(archive, ServeOptions(**{"port": 0, **options}))  # type: ignore[arg-type]
    found: list[Origins] = []
    is_ready = threading.Event()

    def ready(origins: Origins) -> None:
        found.append(origins)
        is_ready.set()

    thread = threading.Thread(target=server.run, args=(ready,))
    thread.start()
    try:
        assert is_ready.wait(60)
        ports = found[0].port, found[0].replay_port
        yield Served(
            archive=archive, interface=f"http://127.0.0.1:{ports[0]}", replay=f"http://127.0.0.1:{ports[1]}",
        )
    finally:
        server.stop()
        thread.join(60)
        assert not thread.is_alive()
