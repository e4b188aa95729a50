"""Job queue of a fleet: Celery with Redis as its broker. A message is the id of a job and nothing else."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from everlog.archive.job_models import QUEUES, Job
from everlog.errors import ServiceDown, UsageError
from everlog.extras import line_for_extra
from everlog.fleet.broker import checked, encryption, without_password

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from celery import Celery
    from redis import Redis


SLICE = "everlog.slice"
# Brokers are asked for queues in the order of their names.
NAMES = {queue: f"everlog.{number}.{queue}" for number, queue in enumerate(QUEUES)}
# There as long as the broker has kept what it was given: a broker that was emptied does not have it.
MARK = "everlog.mark"
# Whose turn it is to be the reaper; there is no harm in two. Workers of older versions know the key by this name.
REAPER = "everlog.keeper"
# How many messages were missing of each queue when somebody looked last; long ago it says nothing of now.
SHORT = "everlog.short"
SHORT_SECONDS = 60
# A message whose worker died comes again after this. Nobody waits for it: the database has long queued the job again,
# and what comes twice finds nothing to do. It must only be longer than any slice.
VISIBILITY_SECONDS = 7_200
# How long somebody waits for a broker that does not answer.
ANSWER_SECONDS = 5.0


def make_job_queue(broker: str | None) -> JobQueue:
    """Job queue on a broker, which is not asked for anything yet."""
    address = checked(broker)
    try:
        import celery  # noqa: F401, PLC0415 - only fleets need it
        import redis  # noqa: F401, PLC0415
    except ImportError as error:
        advice = f"install what fleets need:  {line_for_extra('fleet')}"
        raise UsageError(f"{error.name} is not installed", advice=advice) from None
    return JobQueue(address)


class JobQueue:
    """Job queue: sends messages to workers, and counts those that wait."""

    def __init__(self, broker: str) -> None:
        self.broker = broker
        self._app: Celery | None = None
        self._redis: Redis | None = None

    @property
    def app(self) -> Celery:
        """The Celery application."""
        if self._app is None:
            self._app = _make_app(self.broker)
        return self._app

    def send(self, jobs: Iterable[Job]) -> int:
        """Send one message for each job. How many; ServiceDown if the broker does not take them all."""
        sent = 0
        with self._reached(), self.app.producer_pool.acquire(block=True, timeout=ANSWER_SECONDS) as producer:
            for job in jobs:
                self.app.send_task(
                    SLICE, args=(job.id,), queue=NAMES[job.queue], producer=producer, retry=False, ignore_result=True,
                )
                sent += 1
        return sent

    def depths(self) -> Mapping[str, int]:
        """Depth of each queue: how many messages wait in it."""
        with self._reached():
            pipeline = self._client().pipeline(transaction=False)
            for queue in QUEUES:
                pipeline.llen(NAMES[queue])
            return dict(zip(QUEUES, pipeline.execute(), strict=True))

    def is_marked(self) -> bool:
        """Whether the broker still has what it was given."""
        with self._reached():
            return bool(self._client().exists(MARK))

    def mark(self) -> bool:
        """Put the mark there; False if somebody else has."""
        with self._reached():
            return bool(self._client().set(MARK, "1", nx=True))

    def may_reap(self, name: str, seconds: float) -> bool:
        """Whether it is this one's turn to be the reaper; nobody else's for so long."""
        with self._reached():
            return bool(self._client().set(REAPER, name, nx=True, px=int(seconds * 1_000)))

    def extend_turn(self, name: str, seconds: float) -> None:
        """The reaper's turn stays with this one for so long."""
        with self._reached():
            self._client().set(REAPER, name, px=int(seconds * 1_000))

    def shortage(self, now: Mapping[str, int]) -> dict[str, int]:
        """Note how many messages are missing in each queue; how many were missing at the last look."""
        with self._reached():
            pipeline = self._client().pipeline()
            pipeline.hgetall(SHORT)
            pipeline.hset(SHORT, mapping={queue: str(count) for queue, count in now.items()})
            pipeline.expire(SHORT, SHORT_SECONDS)
            before: dict[bytes, bytes] = pipeline.execute()[0]
        return {queue.decode(): int(count) for queue, count in before.items()}

    def empty(self) -> None:
        """Remove all messages, and the mark."""
        with self._reached():
            self._client().delete(MARK, *NAMES.values())

    def close(self) -> None:
        if self._redis is not None:
            self._redis.close()
        if self._app is not None:
            self._app.close()

    def _client(self) -> Redis:
        if self._redis is None:
            from redis import Redis  # noqa: PLC0415 - only fleets need it

            self._redis = Redis.from_url(
                self.broker, socket_timeout=ANSWER_SECONDS, socket_connect_timeout=ANSWER_SECONDS,
            )
        return self._redis

    @contextmanager
    def _reached(self) -> Iterator[None]:
        from kombu.exceptions import OperationalError  # noqa: PLC0415 - as above
        from redis.exceptions import AuthenticationError, NoPermissionError, RedisError  # noqa: PLC0415

        try:
            yield
        except (RedisError, OperationalError, OSError) as error:
            if any(isinstance(each, (AuthenticationError, NoPermissionError)) for each in (error, error.__cause__)):
                refused = ServiceDown(
                    f"access denied by the broker {without_password(self.broker)}: {error}",
                    advice="check the user and the password in --broker redis://USER:PASSWORD@HOST:6379/0",
                )
                # A wrong flag to who begins with it; but a fleet under way waits for its broker to know it again.
                refused.exit_code = UsageError.exit_code
                raise refused from error
            raise ServiceDown(
                f"the broker {without_password(self.broker)} is not reachable: {error}",
                advice="start it; jobs are safe in the database and are queued again when it is back",
            ) from error


def _make_app(broker: str) -> Celery:
    from celery import Celery  # noqa: PLC0415 - a third of a second that only fleets need
    from kombu.entity import Queue  # noqa: PLC0415

    app = Celery("everlog", broker=broker, set_as_current=False)
    options: dict[str, Any] = {
        # Kombu asks the queues in the order of their names, so the first that has something is served.
        "queue_order_strategy": "sorted", "priority_steps": [0], "visibility_timeout": VISIBILITY_SECONDS,
        # A worker that waits for messages asks anew every second, so a time-out is a broker that hangs.
        "socket_timeout": ANSWER_SECONDS, "socket_connect_timeout": ANSWER_SECONDS, "socket_keepalive": True,
    }
    app.conf.update(
        task_queues=[Queue(name) for name in NAMES.values()],  # type: ignore[no-untyped-call]
        task_create_missing_queues=False,
        task_default_queue=NAMES[QUEUES[-1]],
        broker_transport_options=options,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        task_serializer="json", accept_content=["json"],
        task_ignore_result=True, task_store_errors_even_if_ignored=False,
        # A worker takes one message for each of its processes, and keeps it until the slice has ended.
        task_acks_late=True, task_acks_on_failure_or_timeout=True, task_reject_on_worker_lost=False,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False, worker_redirect_stdouts=False, worker_send_task_events=False,
        worker_enable_remote_control=False, worker_cancel_long_running_tasks_on_connection_loss=False,
        timezone="UTC",
        **encryption(broker),
    )
    return app
