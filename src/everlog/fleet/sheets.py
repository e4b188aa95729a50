"""How a page goes to a reader, and what it told comes back: JSON and compressed bytes, nothing that could be run."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from everlog.fleet.broker import encryption
from everlog.records import Page
from everlog.usecases.page.page_reading import PageInput, PageReading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from celery import Celery

    from everlog.usecases.page.page_reading import ReadContext

READ = "everlog.read"
# Behind the queues of jobs, and served by readers alone.
QUEUE = "everlog.9.read"
# How long a page may wait for a reader. Whoever asked has long read it by then, so it only keeps the queue short, and
# clocks that differ by some seconds do no harm.
EXPIRES_SECONDS = 60
# How long what was read is kept: whoever asked hears of it at once, or not at all.
ANSWER_SECONDS = 15
# How long somebody waits for a broker that does not answer.
BROKER_SECONDS = 2.0
# A page has at most 20 MB unless somebody wants it otherwise; what claims to be more is not unpacked.
MOST_BYTES = 200_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A page to be read: of which blog, by what knowledge of it."""

    home: str
    digest: str
    sheet: PageInput

    def pack(self) -> dict[str, Any]:
        """Plain data for JSON."""
        page = self.sheet.page
        return {
            "home": self.home, "digest": self.digest, "url": page.url, "type": page.content_type,
            "fetched_at": page.fetched_at.isoformat() if page.fetched_at is not None else None,
            "comments_feed": self.sheet.comments_feed, "may_be_kept": self.sheet.may_be_kept,
            "ignores_robots": self.sheet.ignores_robots,
            "body": packed(page.body),
        }

    @classmethod
    def unpack(cls, said: Mapping[str, Any]) -> Order:
        """The order that `pack` wrote; `ValueError`, `KeyError` or `TypeError` for anything else."""
        at = said["fetched_at"]
        page = Page(
            url=str(said["url"]), body=unpacked(said["body"]), content_type=said["type"],
            fetched_at=datetime.fromisoformat(at) if at is not None else None,
        )
        sheet = PageInput(
            page=page, comments_feed=said["comments_feed"], may_be_kept=bool(said["may_be_kept"]),
            ignores_robots=bool(said["ignores_robots"]),
        )
        return cls(home=str(said["home"]), digest=str(said["digest"]), sheet=sheet)


def pack_glimpse(reading: PageReading) -> str:
    """A glimpse as a reader sends it back."""
    return packed(reading.to_json().encode())


def unpack_glimpse(message: bytes | str) -> PageReading | None:
    """What a reader's answer says, as Celery wrote it; None if it says nothing that can be used."""
    try:
        said = json.loads(message)
        is_read = said["status"] == "SUCCESS" and said["result"]
        return PageReading.from_json(unpacked(said["result"])) if is_read else None
    except (ValueError, KeyError, TypeError):
        return None


def packed(data: bytes) -> str:
    """Bytes as a text for JSON, made small as fast as possible.

    >>> unpacked(packed(b"a page"))
    b'a page'
    """
    return base64.b64encode(zlib.compress(data, 1)).decode("ascii")


def unpacked(text: str) -> bytes:
    """The bytes that `packed` made a text of; `ValueError` for anything else."""
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
    except zlib.error as error:
        raise ValueError(f"damaged in transit: {error}") from None
    if not stream.eof:
        raise ValueError("truncated, or too long")
    return data


def digest_of(read_context: ReadContext) -> str:
    """A short mark of all that pages are read by; former designs never change, so when they ended is enough."""
    known, scope = read_context.present, read_context.scope
    parts = (
        known.template.to_json(), known.knowledge(), scope.home, scope.mode, scope.former,
        scope.also, [asdict(alias) for alias in scope.aliases],
        [retired_at.isoformat() for retired_at, _ in read_context.template_history.former],
    )
    return blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


def reading_app(broker: str, *, answers: bool) -> Celery:
    """The Celery application of readers; who asks them has no `answers` to give, and waits for them in its own way."""
    from celery import Celery  # noqa: PLC0415 - a third of a second that only fleets need

    app = Celery("everlog.reading", broker=broker, backend=broker if answers else None, set_as_current=False)
    options: dict[str, Any] = {
        # Readers that wait for pages ask anew every second, so silence is a broker that stands still.
        "socket_timeout": BROKER_SECONDS, "socket_connect_timeout": BROKER_SECONDS, "socket_keepalive": True,
        "priority_steps": [0],
    }
    app.conf.update(
        task_queues={QUEUE: {"exchange": QUEUE}}, task_default_queue=QUEUE, task_create_missing_queues=False,
        broker_transport_options=options, broker_connection_retry_on_startup=True, broker_connection_max_retries=None,
        task_serializer="json", result_serializer="json", accept_content=["json"], result_accept_content=["json"],
        result_expires=ANSWER_SECONDS,
        redis_socket_timeout=BROKER_SECONDS, redis_socket_connect_timeout=BROKER_SECONDS,
        # A page that is lost with its reader is read by whoever asked: nothing comes twice.
        task_acks_late=False, worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False, worker_redirect_stdouts=False, worker_send_task_events=False,
        worker_enable_remote_control=False, timezone="UTC",
        **encryption(broker),
    )
    return app
