"""Workers that only read: they are sent pages that others fetched, and say what is on them.

Reading has no effects. A page may be read twice, or its reader be killed: whoever asked reads it then.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from everlog.errors import EverlogError
from everlog.fleet.engine import PRESENCE, PRESENCE_SECONDS
from everlog.fleet.processes import warm_up
from everlog.fleet.sheets import QUEUE, READ, Order, digest_of, pack_glimpse, reading_app
from everlog.usecases.discover.blog_scope import scope_of
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.learn.page_comparison import compared_anew
from everlog.usecases.learn.template_history import TemplateHistory
from everlog.usecases.page.page_reading import ReadContext, look

if TYPE_CHECKING:
    from collections.abc import Callable

    from celery import Celery

    from everlog.archive import Archive
    from everlog.fleet.engine import Engine

log = logging.getLogger("everlog.fleet")

# What is known of so many blogs is kept ready: few blogs of a fleet are huge at the same time.
LENSES_KEPT = 8
# A page takes some hundredths of a second, and one that takes so long is read by nobody.
HANGS_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadersPlan:
    """What this worker is called, and how many pages it reads at once."""

    name: str
    processes: int


def run_readers(
    plan: ReadersPlan, engine: Engine, *, open_shared: Callable[[], Archive],
    on_ready: Callable[[Archive], None] = lambda _: None,
) -> int:
    """Read pages until a signal ends it. The exit code of Celery's worker."""
    with open_shared() as archive:
        engine.depths()  # a broker that is not there is better known now
        on_ready(archive)
        return _serve(plan, engine, open_shared)


def _serve(plan: ReadersPlan, engine: Engine, open_shared: Callable[[], Archive]) -> int:
    warm_up()
    app = reading_app(engine.broker, answers=True)
    _add_task(app, Lenses(open_shared))
    presence = _Presence(plan, engine.broker)
    _add_presence(app, presence)
    worker = app.Worker(
        hostname=f"everlog-readers@{plan.name}", concurrency=plan.processes, pool="prefork", quiet=True,
        optimization="fair", queues=[QUEUE], loglevel="WARNING", task_events=False, without_gossip=True,
        without_mingle=True, without_heartbeat=True, time_limit=HANGS_SECONDS,
    )
    log.info("%s reads pages, %d at a time", plan.name, plan.processes, extra={"worker": plan.name})
    try:
        worker.start()
        return int(worker.exitcode or 0)
    finally:
        presence.leave()
        app.close()
        engine.close()


class Lenses:
    """What pages of blogs are read by, as the database has it; each is made once, the latest are kept."""

    def __init__(self, open_shared: Callable[[], Archive]) -> None:
        self._open_shared = open_shared
        self._archive: Archive | None = None
        self._kept: OrderedDict[str, ReadContext] = OrderedDict()

    def find(self, home: str, digest: str) -> ReadContext | None:
        """What the digest stands for; None if the database has something else, or does not answer."""
        if digest not in self._kept:
            try:
                self._load(home)
            except EverlogError as error:
                log.warning("%s", error.message)
                self.close()
        read_context = self._kept.get(digest)
        if read_context is not None:
            self._kept.move_to_end(digest)
        return read_context

    def close(self) -> None:
        if self._archive is not None:
            self._archive.close()
            self._archive = None

    def _load(self, home: str) -> None:
        if self._archive is None:
            self._archive = self._open_shared()
        blog = self._archive.find_blog(home)
        known = LearnedBlog.of(blog) if blog is not None else None
        if blog is None or known is None:
            return
        template_history = TemplateHistory.of(blog.id, self._archive)
        # A first crawl reads by what it learned, all others by what repeated at the last one.
        for present in (known, compared_anew(known, blog, self._archive)):
            read_context = ReadContext(
                scope=scope_of(blog, self._archive), present=present, template_history=template_history,
            )
            self._kept.setdefault(digest_of(read_context), read_context)
        while len(self._kept) > LENSES_KEPT:
            self._kept.popitem(last=False)


def _add_task(app: Celery, lenses: Lenses) -> None:
    def read(said: dict[str, Any]) -> str | None:
        try:
            order = Order.unpack(said)
        except (ValueError, KeyError, TypeError) as error:
            log.warning("a page cannot be decoded: %s", error)
            return None
        read_context = lenses.find(order.home, order.digest)
        return pack_glimpse(look(order.sheet, read_context)) if read_context is not None else None

    app.task(name=READ, bind=False, ignore_result=False)(read)


class _Presence:
    """Tells whoever has pages that somebody reads them."""

    def __init__(self, plan: ReadersPlan, broker: str) -> None:
        self._plan = plan
        self._broker = broker
        self._client: Any = None

    def tell(self) -> None:
        from redis import Redis  # noqa: PLC0415 - only fleets need it
        from redis.exceptions import RedisError  # noqa: PLC0415

        try:
            if self._client is None:
                self._client = Redis.from_url(self._broker, socket_timeout=2.0, socket_connect_timeout=2.0)
            self._client.set(PRESENCE + self._plan.name, self._plan.processes, ex=PRESENCE_SECONDS)
        except RedisError as error:
            log.debug("the broker is not reachable: %s", error)

    def leave(self) -> None:
        from redis.exceptions import RedisError  # noqa: PLC0415 - as above

        if self._client is None:
            return
        try:
            self._client.delete(PRESENCE + self._plan.name)
        except RedisError as error:
            log.debug("the broker is not reachable: %s", error)
        self._client.close()


def _add_presence(app: Celery, presence: _Presence) -> None:
    from celery import bootsteps  # noqa: PLC0415 - only workers need it

    class Telling(bootsteps.StartStopStep):  # type: ignore[misc]
        """Celery's own timer tells it: a thread of ours would not be safe where processes are forked."""

        requires = ("celery.worker.components:Timer",)

        def start(self, parent: Any) -> None:
            presence.tell()
            self.repeated = parent.timer.call_repeatedly(PRESENCE_SECONDS / 3, presence.tell, priority=10)

        def stop(self, _parent: Any) -> None:
            self.repeated.cancel()

    app.steps["worker"].add(Telling)
