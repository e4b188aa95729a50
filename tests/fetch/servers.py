"""Web servers on the loopback address, as well-behaved or as hostile as a test wants them."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterable, Mapping
    from typing import Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request as it arrived."""

    path: str
    headers: Mapping[str, str]
    at: datetime
    line: str
    body: bytes = b""


# A whole answer; or the pieces of one, after which the connection ends, whole or not.
Route = "Callable[[Seen], bytes | Iterable[bytes]] | bytes | Iterable[bytes]"


def reply(status: int = 200, body: bytes | str = b"", **headers: str) -> bytes:
    """An answer that keeps the connection open; `Retry_After="1"` names the header Retry-After."""
    data = body.encode() if isinstance(body, str) else body
    pairs = {"Content-Type": "text/html", **{name.replace("_", "-"): value for name, value in headers.items()}}
    lines = [f"HTTP/1.1 {status} Words", *(f"{name}: {value}" for name, value in pairs.items())]
    return "\r\n".join([*lines, f"Content-Length: {len(data)}", "", ""]).encode() + data


def redirect(target: str, status: int = 302) -> bytes:
    return reply(status, Location=target)


@dataclass
class Server:
    """Answers by path; what it does not know is 404. A list of answers is given one by one."""

    routes: dict[str, object] = field(default_factory=dict)
    tls: ssl.SSLContext | None = None
    tunnel: ssl.SSLContext | None = None  # as a proxy: who answers at the other end of every tunnel
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    seen: list[Seen] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._closed = False
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self._closed = True
        # A blocked accept() is not woken by closing its socket, but by a visitor.
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=60):
            pass
        # Closed under somebody who is about to accept, it would be a bad file descriptor to them.
        self._threads[0].join(timeout=60)
        self._listener.close()
        for connection in tuple(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(timeout=5)

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}{path}"

    def counts(self) -> dict[str, int]:
        return dict(Counter(seen.path for seen in self.seen))

    def last(self, path: str) -> Seen:
        return next(seen for seen in reversed(self.seen) if seen.path == path)

    def _start(self, target: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._closed:
            connection, _ = self._listener.accept()
            if self._closed:
                connection.close()
            else:
                self._start(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection:
                if self.tls is not None:
                    self._answer_sealed(connection, self.tls)
                else:
                    self._answer_all(connection)
        except OSError:
            pass  # the visitor hung up, as visitors may

    def _answer_sealed(self, connection: socket.socket, context: ssl.SSLContext) -> None:
        with context.wrap_socket(connection, server_side=True) as wrapped:
            self._answer_all(wrapped)

    def _answer_all(self, connection: socket.socket) -> None:
        self._open.add(connection)
        waiting = b""
        while True:
            while b"\r\n\r\n" not in waiting:
                data = connection.recv(65536)
                if not data:
                    return
                waiting += data
                if waiting.startswith(b"\x16"):  # a TLS hello, in the clear: as servers do, say so in HTTP
                    connection.sendall(reply(400))
                    return
            head, _, waiting = waiting.partition(b"\r\n\r\n")
            lines = head.lower().split(b"\r\n")
            length = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), 0)
            while len(waiting) < length:
                waiting += connection.recv(65536)
            body, waiting = waiting[:length], waiting[length:]
            answer = self._answer(head.decode("latin-1"), body)
            if head.startswith(b"CONNECT ") and self.tunnel is not None and isinstance(answer, bytes):
                connection.sendall(answer)
                self._answer_sealed(connection, self.tunnel)
                return
            if isinstance(answer, bytes):
                connection.sendall(answer)
                continue
            for piece in answer:
                connection.sendall(piece)
            return

    def _answer(self, head: str, body: bytes) -> bytes | Iterable[bytes]:
        line, *rest = head.split("\r\n")
        headers = {name.lower(): value for name, value in (pair.split(": ", 1) for pair in rest)}
        path = line.split(" ")[1]
        if "://" in path:
            path = "/" + path.split("/", 3)[3]
        seen = Seen(path=path, headers=headers, at=self.now(), line=line, body=body)
        self.seen.append(seen)
        route = self.routes.get(path, self.routes.get("*", reply(404)))
        if isinstance(route, list):
            route = route.pop(0) if len(route) > 1 else route[0]
        return route(seen) if callable(route) else route  # type: ignore[no-any-return]
