"""WARC and WACZ files as other programs write them."""

from __future__ import annotations

import gzip
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

WHEN = "2020-05-01T10:00:00Z"


@dataclass
class Warc:
    """A WARC file in the making, record by record; each is compressed by itself."""

    gzip: bool = True
    data: bytes = b""
    version: str = "1.0"

    def __post_init__(self) -> None:
        self.record("warcinfo", "application/warc-fields", b"software: somebody else's\r\n")

    def record(self, kind: str, content_type: str, block: bytes, at: str = WHEN, **named: str) -> None:
        """Any record; `named` are headers of it, with `_` for `-`."""
        headers = {"WARC-Type": kind, "WARC-Date": at, "Content-Type": content_type}
        headers |= {name.replace("_", "-"): value for name, value in named.items()}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = f"WARC/{self.version}\r\n{lines}Content-Length: {len(block)}\r\n\r\n".encode()
        written = head + block + b"\r\n\r\n"
        self.data += gzip.compress(written) if self.gzip else written

    def answer(
        self, url: str, body: bytes, at: str = WHEN, *, status: str = "200 OK", type: str = "text/html",  # noqa: A002
        headers: tuple[tuple[str, str], ...] = (), kind: str = "response", **named: str,
    ) -> None:
        """A record of an HTTP answer."""
        lines = "".join(f"{name}: {value}\r\n" for name, value in (("Content-Type", type), *headers))
        block = f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body
        self.record(kind, "application/http; msgtype=response", block, at, WARC_Target_URI=url, **named)

    def request(self, url: str) -> None:
        """What was asked, as most programs keep it too."""
        block = b"GET / HTTP/1.1\r\nHost: a.blog\r\n\r\n"
        self.record("request", "application/http; msgtype=request", block, WARC_Target_URI=url)

    def write(self, path: Path) -> Path:
        path.write_bytes(self.data)
        return path


def wacz(path: Path, warc: bytes, *, name: str = "archive/data.warc.gz", packed: bool = False) -> Path:
    """A WACZ file around a WARC."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("datapackage.json", '{"profile": "data-package"}')
        archive.writestr(name, warc, zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED)
    return path


def packed_as_whole(warc: Warc) -> bytes:
    """A plain WARC that somebody compressed afterwards."""
    return gzip.compress(warc.data)
