"""The other side of `readers`: a crawl of one huge blog sends some of its pages away to be read.

Whatever goes wrong - no reader, no broker, no answer in time, another template - the page is read here. A page is taken
in once, by the crawl that fetched it, so none is lost and none comes twice.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from everlog.errors import EverlogError, ServiceDown
from everlog.fleet.engine import present_readers
from everlog.fleet.sheets import (
    BROKER_SECONDS,
    EXPIRES_SECONDS,
    QUEUE,
    READ,
    Order,
    digest_of,
    reading_app,
    unpack_glimpse,
)
from everlog.usecases.discover.find_blog import home_known_as
from everlog.usecases.discover.typed_address import fetchable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from celery import Celery

    from everlog.archive import Archive
    from everlog.usecases.page.page_reading import PageInput, PageReading, ReadContext

log = logging.getLogger("everlog.fleet")

# Addresses that wait, from which on a blog is huge: two slices of pages at the usual settings. A smaller one has its
# turn, is done, and leaves the processor to other blogs.
HUGE = 1_000
# Pages under way for each process that reads: one that is read, one that waits beside it. More are read here meanwhile.
EACH = 2
# Smaller pages are read here. Sending a page of 4 kB and hearing of it costs 2.1 ms of processor time, reading it 7.1;
# of one of 30 kB 2.8 and 13 (a made blog, Redis on the same machine, which was busy with other things).
LEAST_BYTES = 2_000
# How long an answer is waited for. A page takes some hundredths of a second; where a reader was killed, every page that
# was with it waits so long, once.
WAIT_SECONDS = 3.0
# How long nobody is asked after an answer did not come.
REST_SECONDS = 30.0
# How often it is looked who reads.
LOOK_SECONDS = 3.0
HEARING_SECONDS = 0.5
# What Celery calls its answers.
_ANSWER = "celery-task-meta-"


@contextmanager
def readers_for(url: str, archive: Archive, broker: str | None, *, huge: int = HUGE) -> Iterator[SharedReader | None]:
    """Who else reads the pages of a blog while this lasts; None where it is not huge, or nobody is there."""
    if not broker:
        yield None
        return
    reader = SharedReader(broker)
    try:
        # Most fleets have no readers, and asking for them is cheaper than counting.
        yield reader if reader.finds_readers() and _is_huge(url, archive, huge) and reader.open() else None
    finally:
        reader.close()
        if reader.answered:
            log.info(
                "%d pages were read by reader workers", reader.answered, extra={"blog": url, "pages": reader.answered},
            )


class SharedReader:
    """Sends pages to the readers of a fleet, and hears what they say."""

    def __init__(self, broker: str, *, least_bytes: int | None = None, wait_seconds: float = WAIT_SECONDS) -> None:
        self._broker = broker
        self._least_bytes = LEAST_BYTES if least_bytes is None else least_bytes
        self.wait_seconds = wait_seconds
        self._name = uuid.uuid4().hex
        self._numbers = itertools.count()
        self._waiting: dict[str, asyncio.Future[PageReading | None]] = {}
        self._room = 0
        self._rests_until = 0.0
        self._refused: set[str] = set()
        self._marked: tuple[ReadContext, str] | None = None
        self._app: Celery | None = None
        self._sender = ThreadPoolExecutor(max_workers=1, thread_name_prefix="everlog-sheets")
        self._listener = threading.Thread(target=self._listen, name="everlog-glimpses", daemon=True)
        self._is_over = threading.Event()
        self._hears = threading.Event()
        # How many pages others have read.
        self.answered = 0

    def finds_readers(self) -> bool:
        """Whether anybody reads now."""
        client = self._connect()
        try:
            self._count_readers(client)
        except ServiceDown as down:
            log.debug("%s", down.message)
        finally:
            client.close()
        return self._room > 0

    def open(self) -> bool:
        """Hear answers, and who reads, from now on; False if the broker does not answer."""
        self._listener.start()
        # What is answered before somebody listens is answered to nobody.
        return self._hears.wait(BROKER_SECONDS)

    def close(self) -> None:
        self._is_over.set()
        self._sender.shutdown(cancel_futures=True)
        if self._listener.is_alive():
            self._listener.join()
        if self._app is not None:
            self._app.close()

    async def look(self, sheet: PageInput, read_context: ReadContext) -> PageReading | None:
        """What a reader says of a page; None: look yourself."""
        if not self._is_worth_it(sheet):
            return None
        name = f"{self._name}-{next(self._numbers)}"
        loop = asyncio.get_running_loop()
        future: asyncio.Future[PageReading | None] = loop.create_future()
        self._waiting[name] = future
        try:
            async with asyncio.timeout(self.wait_seconds):
                if not await loop.run_in_executor(self._sender, self._send, name, sheet, read_context):
                    return None
                reading = await future
        except (TimeoutError, ServiceDown) as error:
            log.debug("%s is read here: %s", sheet.page.url, error)
            self._rests_until = time.monotonic() + REST_SECONDS
            return None
        finally:
            del self._waiting[name]
        if reading is None:
            self._refused.add(self._digest(read_context))
        self.answered += reading is not None
        return reading

    def _is_worth_it(self, sheet: PageInput) -> bool:
        return (
            len(self._waiting) < self._room and len(sheet.page.body) >= self._least_bytes
            and time.monotonic() >= self._rests_until
        )

    def _send(self, name: str, sheet: PageInput, read_context: ReadContext) -> bool:
        """Send a page; False if readers are known to read by other knowledge than this."""
        from kombu.exceptions import OperationalError  # noqa: PLC0415 - only fleets need it
        from redis.exceptions import RedisError  # noqa: PLC0415

        digest = self._digest(read_context)
        if digest in self._refused:
            return False
        if self._app is None:
            self._app = reading_app(self._broker, answers=False)
        order = Order(home=read_context.scope.home, digest=digest, sheet=sheet)
        try:
            self._app.send_task(
                READ, args=(order.pack(),), task_id=name, queue=QUEUE, retry=False, expires=EXPIRES_SECONDS,
                # Celery would write the page into the message a second time, for people to look at.
                argsrepr="(a page)", kwargsrepr="{}",
            )
        except (RedisError, OperationalError, OSError) as error:
            raise ServiceDown(
                f"the broker is not reachable: {error}", advice="start Redis, or check --broker",
            ) from error
        return True

    def _digest(self, read_context: ReadContext) -> str:
        if self._marked is None or self._marked[0] is not read_context:
            self._marked = read_context, digest_of(read_context)
        return self._marked[1]

    def _listen(self) -> None:
        """Hear all answers to this one's questions: Celery publishes each under the name it was asked by."""
        from redis.exceptions import RedisError  # noqa: PLC0415 - only fleets need it

        client = self._connect()
        looked_at = 0.0
        while not self._is_over.is_set():
            try:
                with client.pubsub(ignore_subscribe_messages=True) as heard:
                    heard.psubscribe(f"{_ANSWER}{self._name}-*")
                    self._hears.set()
                    while not self._is_over.is_set():
                        if time.monotonic() >= looked_at + LOOK_SECONDS:
                            self._count_readers(client)
                            looked_at = time.monotonic()
                        message = heard.get_message(timeout=HEARING_SECONDS)
                        if message is not None:
                            self._answer(message["channel"].decode().removeprefix(_ANSWER), message["data"])
            except (RedisError, ServiceDown, OSError) as error:
                log.debug("the broker is not reachable: %s", error)
                self._room = 0
                self._is_over.wait(1.0)
        client.close()

    def _answer(self, name: str, message: bytes) -> None:
        future = self._waiting.get(name)
        if future is None:
            return  # too late
        reading = unpack_glimpse(message)
        future.get_loop().call_soon_threadsafe(_settle, future, reading)

    def _count_readers(self, client: Any) -> None:
        from redis.exceptions import RedisError  # noqa: PLC0415 - as above

        try:
            readers = present_readers(client)
        except (RedisError, OSError) as error:
            raise ServiceDown(
                f"the broker is not reachable: {error}", advice="start Redis, or check --broker",
            ) from error
        self._room = EACH * sum(readers.values())

    def _connect(self) -> Any:
        from redis import Redis  # noqa: PLC0415 - as above

        return Redis.from_url(self._broker, socket_timeout=BROKER_SECONDS, socket_connect_timeout=BROKER_SECONDS)


def _is_huge(url: str, archive: Archive, least: int) -> bool:
    try:
        blog = home_known_as(fetchable(url), archive)
    except EverlogError:
        return False
    if blog is None or blog.template is None:
        return False
    now, waiting = datetime.now(UTC), 0
    for lane in ("post", "page"):
        waiting += len(archive.queued(blog.id, lane, limit=least + 1 - waiting, now=now))
        if waiting > least:
            return True
    return False


def _settle(future: asyncio.Future[PageReading | None], reading: PageReading | None) -> None:
    if not future.done():
        future.set_result(reading)
