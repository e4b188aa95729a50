"""When a host may be asked again: the pure clock of one host, and what `Retry-After` means.

HostClock     the slots of one host: delays, back-off, requests in flight
Cause         what a request waits for, and the server's own word for it
retry_after   the moment a `Retry-After` header names
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from everlog.core.retry_policy import RATE_LIMITS, SERVER_ERRORS

# What no calendar can hold is written as this day: far enough to mean never, and near enough to
# the end of the calendar that adding to it does not overflow.
NEVER = datetime(9999, 1, 1, tzinfo=UTC)

# A longer wish is cut to this. At a minute a page, a thousand posts take seventeen hours; who
# wants to keep crawlers out for longer has `Disallow` for it.
LONGEST_CRAWL_DELAY_SECONDS = 60.0

# 429 and 503 without a time: this long, then twice as long for each further refusal, at most that.
FIRST_BACK_OFF_SECONDS = 5.0
LONGEST_BACK_OFF_SECONDS = 600.0

# A failed answer lengthens the delay to at least this; a slow one adds half as much, since one
# heavy page says less about a server than an error does. Each good answer halves what was added.
FAILURE_STEP_SECONDS = 1.0
SLOW_STEP_SECONDS = 0.5
LONGEST_ADDED_SECONDS = 60.0
# Halving never reaches zero; below this the next request is as good as at once.
FORGOTTEN_SECONDS = 0.1

# Slow is what takes much longer than this host's usual, and long enough for a person to notice.
SLOW_TIMES_USUAL = 4.0
SLOW_SECONDS = 2.0
# How much of the usual each answer is: the last ten answers or so count.
USUAL_SHARE = 0.1

# A server may say much in one header; more than this tells nobody more.
LONGEST_SIGNAL = 100

_SECONDS = re.compile(r"\d+(?:\.\d+)?")


def retry_after(value: str | None, now: datetime) -> datetime | None:
    """The moment a `Retry-After` header names; None where it names none that lies ahead.

    >>> moment = datetime(2024, 5, 1, 12, tzinfo=UTC)
    >>> retry_after("120", moment).isoformat()
    '2024-05-01T12:02:00+00:00'
    >>> retry_after("Wed, 01 May 2024 13:00:00 GMT", moment).isoformat()
    '2024-05-01T13:00:00+00:00'
    >>> retry_after("-5", moment) is retry_after("soon", moment) is None
    True
    """
    text = (value or "").strip()
    until = _later(now, float(text[:400])) if _SECONDS.fullmatch(text) else _http_date(text)
    return until if until is not None and until > now else None


def utc_time(moment: datetime, now: datetime) -> str:
    """A moment as messages name it: never before it has come, and with its day unless that is today.

    >>> now = datetime(2024, 5, 1, 8, 0, tzinfo=UTC)
    >>> utc_time(now + timedelta(minutes=25), now), utc_time(now + timedelta(days=1, seconds=1), now)
    ('08:25 UTC', '2024-05-02 08:01 UTC')
    """
    there = moment.astimezone(UTC)
    if there.second or there.microsecond:
        there = _later(there.replace(second=0, microsecond=0), 60)
    return f"{there:%H:%M} UTC" if there.date() == now.astimezone(UTC).date() else f"{there:%Y-%m-%d %H:%M} UTC"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """What a request waits for: a reason of a few kinds, and the server's own signal where it gave one.

    Waits are added up by cause, so no figure that changes belongs into the reason.
    """

    reason: str
    signal: str = ""


OWN_DELAY = Cause(reason="delay between requests")
ANSWERS = Cause(reason="requests in flight")


@dataclass(slots=True)
class HostClock:
    """The slots of one host. It never looks at a clock: every question brings its own `now`.

    >>> clock, start = HostClock(delay_seconds=2.0, concurrency=4), datetime(2024, 5, 1, tzinfo=UTC)
    >>> clock.next_turn(start) == start
    True
    >>> clock.started(start)
    >>> (clock.next_turn(start) - start).total_seconds(), clock.why
    (2.0, '2 s between requests')
    """

    delay_seconds: float = 0.0
    concurrency: int = 1
    crawl_delay_seconds: float = 0.0
    slowed: int = 0
    in_flight: int = 0
    held_until: datetime | None = None
    held_for: Cause = OWN_DELAY
    _robots_signal: str = ""
    _added_seconds: float = 0.0
    _added_for: Cause = OWN_DELAY
    _last_start: datetime | None = None
    _last_growth: datetime | None = None
    _refusals: int = 0
    _usual_seconds: float | None = None

    @property
    def pace_seconds(self) -> float:
        """The time between two requests, as things stand."""
        return max(self.delay_seconds, self.crawl_delay_seconds) + self._added_seconds

    @property
    def why(self) -> str:
        """What the next request waits for, in words."""
        cause = self.cause
        if self.held_until is not None:
            return cause.reason
        if cause is ANSWERS:
            return f"{self.in_flight} {cause.reason}"
        pace = f"{self.pace_seconds:.3g} s between requests"
        return pace if cause is OWN_DELAY else f"{pace}, {cause.reason}"

    @property
    def cause(self) -> Cause:
        """What the next request waits for, as the statistics count it."""
        if self.held_until is not None:
            return self.held_for
        if self.in_flight >= self.concurrency:
            return ANSWERS
        if self._added_seconds:
            return self._added_for
        if self.crawl_delay_seconds > self.delay_seconds:
            return Cause(reason="crawl-delay in robots.txt", signal=self._robots_signal)
        return OWN_DELAY

    def share(self, *, delay_seconds: float, concurrency: int) -> None:
        """One more asks this host: the politer of both policies holds for all."""
        self.delay_seconds = max(self.delay_seconds, delay_seconds)
        self.concurrency = max(1, min(self.concurrency, concurrency))

    def crawl_delay(self, seconds: float | None, signal: str = "") -> None:
        """What robots.txt asks for, in its own words too, or no longer asks for."""
        self.crawl_delay_seconds = min(max(seconds or 0.0, 0.0), LONGEST_CRAWL_DELAY_SECONDS)
        self._robots_signal = signal[:LONGEST_SIGNAL]

    def hold(self, until: datetime, reason: str, signal: str = "") -> None:
        """Nobody asks before `until`; an earlier moment never shortens a wait."""
        if self.held_until is None or until > self.held_until:
            self.held_until, self.held_for = until, Cause(reason=reason, signal=signal[:LONGEST_SIGNAL])

    @property
    def strain(self) -> tuple[float, int]:
        """How much slower than usual the host is asked, and after how many refusals: for the next run."""
        return self._added_seconds, self._refusals

    def take_strain(self, added_seconds: float, refusals: int) -> None:
        """Begin as an earlier run ended; nothing that is known already is made less of."""
        if added_seconds > self._added_seconds:
            self._added_seconds = min(added_seconds, LONGEST_ADDED_SECONDS)
            self._added_for = Cause(reason="backing off after errors in the last run")
        self._refusals = max(self._refusals, refusals)

    def resting(self, now: datetime) -> bool:
        """Whether the host was in trouble lately, or asked to be left alone."""
        return self._added_seconds > 0 or (self.held_until is not None and self.held_until > now)

    def next_turn(self, now: datetime) -> datetime | None:
        """When the next request may start, `now` at the earliest; None: after an answer has come."""
        if self.held_until is not None and self.held_until <= now:
            self.held_until = None
        if self.in_flight >= self.concurrency:
            return None
        turn = now
        if self._last_start is not None and (pace := self.pace_seconds):
            turn = max(turn, _later(self._last_start, pace))
        return max(turn, self.held_until) if self.held_until is not None else turn

    def started(self, now: datetime) -> None:
        """A request goes out."""
        self.in_flight += 1
        self._last_start = now

    def rode(self) -> None:
        """A request goes out in the wake of a page that had its slot."""
        self.in_flight += 1

    def withdrawn(self) -> None:
        """A request ended without an answer that says anything about the host."""
        self.in_flight -= 1

    def answered(
        self, now: datetime, *, status: int | None, seconds: float, retry_after: datetime | None = None, said: str = "",
    ) -> None:
        """An answer came, or (`status` None) the connection failed, `seconds` after the request.

        `said` is the `Retry-After` that `retry_after` was read from, word for word.
        """
        self.in_flight -= 1
        # Requests in flight together meet the same trouble: it counts once.
        news = self._last_growth is None or _later(now, -seconds) >= self._last_growth
        if status in RATE_LIMITS:
            self._refused(now, status, retry_after, news=news)
        elif status is None or status >= SERVER_ERRORS:
            failed = Cause(reason="backing off after failed requests", signal="" if status is None else f"{status}")
            self._grow(now, FAILURE_STEP_SECONDS, failed, news=news)
            self.hold(_later(now, self._added_seconds), failed.reason, failed.signal)
        elif self._is_slow(seconds):
            self._grow(now, SLOW_STEP_SECONDS, Cause(reason="backing off after slow responses"), news=news)
        else:
            self._relax()
            usual = self._usual_seconds if self._usual_seconds is not None else seconds
            self._usual_seconds = usual + USUAL_SHARE * (seconds - usual)
        if retry_after is not None and status is not None and status >= 400:
            signal = f"{status}, Retry-After: {said}" if said else f"{status}"
            self.hold(retry_after, f"the server asked us to wait (HTTP {status})", signal)

    def _refused(self, now: datetime, status: int | None, asked: datetime | None, *, news: bool) -> None:
        less = Cause(reason=f"backing off after HTTP {status}", signal=f"{status}")
        self._grow(now, FAILURE_STEP_SECONDS, less, news=news)
        if news:
            self._refusals += 1
        wait = min(FIRST_BACK_OFF_SECONDS * 2.0 ** min(self._refusals - 1, 30), LONGEST_BACK_OFF_SECONDS)
        if asked is None:
            self.hold(_later(now, wait), f"rate-limited by the server (HTTP {status})", f"{status}")

    def _grow(self, now: datetime, step: float, cause: Cause, *, news: bool) -> None:
        if news:
            self.slowed += 1
            self._last_growth = now
            self._added_seconds = min(max(2 * self._added_seconds, step), LONGEST_ADDED_SECONDS)
            self._added_for = cause

    def _relax(self) -> None:
        self._refusals = 0
        self._added_seconds /= 2
        if self._added_seconds < FORGOTTEN_SECONDS:
            self._added_seconds = 0.0

    def _is_slow(self, seconds: float) -> bool:
        usual = self._usual_seconds
        return usual is not None and seconds > max(SLOW_SECONDS, SLOW_TIMES_USUAL * usual)


def _later(moment: datetime, seconds: float) -> datetime:
    try:
        return min(moment + timedelta(seconds=seconds), NEVER)
    except OverflowError:
        return NEVER


def _http_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
