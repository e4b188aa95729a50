"""A real object store on loopback, and archives whose files are in it."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import services
from archive.places import Place
from everlog.archive.archive import ArchiveOptions, open_archive
from everlog.archive.files.remote_files import Patience

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest
    from moto.server import ThreadedMotoServer

    from everlog.archive.archive import Archive

BUCKET = "blogs"
NO_PATIENCE = Patience(tries=2, first_seconds=0.0)


class S3:
    """An S3 of our own; what is in it survives that it is stopped."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._server: ThreadedMotoServer | None = None

    def start(self) -> None:
        """Run it; it answers when this returns."""
        # Here, because processes that are killed have `Bucket` from this module, and need nothing of that.
        from moto.server import ThreadedMotoServer

        self._server = ThreadedMotoServer(ip_address="127.0.0.1", port=self.port, verbose=False)
        self._server.start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.stop()
            self._server = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def keys(self, prefix: str) -> list[str]:
        """The names of all objects that begin so."""
        found = self._client().list_objects_v2(Bucket=BUCKET, Prefix=prefix)
        return [item["Key"] for item in found.get("Contents", ())]

    def get(self, key: str) -> bytes:
        return self._client().get_object(Bucket=BUCKET, Key=key)["Body"].read()

    def make_bucket(self) -> None:
        self._client().create_bucket(Bucket=BUCKET)

    def _client(self):
        import boto3

        return boto3.client("s3", endpoint_url=self.url)


@contextmanager
def s3(patched: pytest.MonkeyPatch) -> Iterator[S3]:
    """A running S3 with one bucket, which the environment leads to."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        patched.delenv(name)
    with services.held_port() as port:
        server = S3(port)
        server.start()
        patched.setenv("AWS_ENDPOINT_URL", server.url)
        patched.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patched.setenv("AWS_EC2_METADATA_DISABLED", "true")
        patched.setenv("AWS_ACCESS_KEY_ID", "nobody")
        patched.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
        try:
            server.make_bucket()
            yield server
        finally:
            server.stop()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket(Place):
    """An archive on a server with its files in a bucket; `folder` is the spool of one machine."""

    prefix: str

    def open(self, *, create: bool = True, options: ArchiveOptions | None = None) -> Archive:
        return self.at(self.folder, create=create, options=options)

    def at(self, spool: Path | None, *, create: bool = True, options: ArchiveOptions | None = None) -> Archive:
        """As it is opened on a machine with this spool."""
        options = options or ArchiveOptions(min_free_bytes=0, patience=NO_PATIENCE)
        return open_archive(self.url, files=self.files, spool=spool, create=create, options=options)

    @property
    def files(self) -> str:
        return f"s3://{BUCKET}/{self.prefix}"
