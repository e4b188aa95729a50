"""Session: what one blog's crawl fetches; every hop through the same gate: allowlist, robots.txt, throttle."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.core.fetcher import Fetcher, FetchPolicy, HostStats
from everlog.core.politeness import Cause, retry_after
from everlog.core.retry_policy import RATE_LIMITS, SILENT, STUMBLES
from everlog.core.urls import absolute
from everlog.fetch.allowlist import Allowlist
from everlog.fetch.backoff import recall_backoff, recall_strain, remember_backoff, remember_strain
from everlog.fetch.host_stats import HostStatsBook
from everlog.fetch.origins import Origins
from everlog.fetch.request import (
    FetchError,
    LateForSlot,
    browser_http_request,
    conditions_of,
    host_key,
    http_request,
    origin_of,
    spelled,
    trusts,
)
from everlog.fetch.robots import Rules, agent_name, out_of_reach, read_rules, remember_rules, remembered_rules
from everlog.fetch.shared_throttle import SLOTS_TRIED, SharedSlot, acquire_shared, share_backoff
from everlog.fetch.throttle import HeldOff, HostThrottle, awake_and_asleep
from everlog.records import BrowserRequest, Exchange, Failure, Fetched, Purpose, Trouble, Wait

if TYPE_CHECKING:
    from collections.abc import Callable

    from everlog.fetch.request import HttpRequest
    from everlog.fetch.shared_hosts import SharedHosts

REDIRECTS = frozenset({301, 302, 303, 307, 308})
MOST_REDIRECTS = 10
# What is asked for beside the pages: it must not keep them waiting, and a host of it may be dead while the blog is not.
BESIDE_PAGES: frozenset[Purpose] = frozenset({"media", "requisite"})
# A page that waits in the browser holds a tab: where the host wants more rest than this, it does without.
RIDE_WAIT_SECONDS = 10.0
MOST_ROBOTS_REDIRECTS = 5  # RFC 9309, 2.3.1.2: at least five
# Troubles that come before anything was sent, and those that are the host's whatever is asked for.
UNSENT = frozenset({"address", "dns", "proxy"})
HOST_TROUBLES = frozenset({"address", "connection", "dns", "proxy", "tls", "rate-limited"})


class Session(Fetcher):
    """The web of one blog, and the robots.txt answers for its archive."""

    def __init__(
        self, hosts: SharedHosts, policy: FetchPolicy, *,
        recall: Callable[[str], str | None] | None, remember: Callable[[str, str], None] | None,
    ) -> None:
        self.policy = policy
        self._hosts = hosts
        self._recall = recall
        self._remember = remember
        self._allowlist = Allowlist(policy, remember)
        self._agent = agent_name(policy.user_agent)
        self._throttles: dict[str, HostThrottle] = {}
        self._strained: set[str] = set()
        self._stats = HostStatsBook()
        self._origins = Origins()
        self._guessed = {origin_of(_spelled(each)) for each in policy.guessed}
        self._robots_exchanges: list[Exchange] = []

    async def fetch(
        self, url: str, *, purpose: Purpose = "page", etag: str | None = None, last_modified: str | None = None,
    ) -> Fetched | Failure:
        """Fetch a URL; throttled, with redirects followed, and retried where that may help."""
        return await self._follow(url, purpose, conditions_of(etag, last_modified), MOST_REDIRECTS)

    async def request(self, wanted: BrowserRequest) -> Exchange | Failure:
        """The answer to what a page in the browser asks for: one hop, whatever its status, no second try.

        robots.txt is about pages, and the page was throttled; addresses are guarded like all others.
        """
        url = _spelled(wanted.url)
        refused = self._allowlist.barred(url)
        if refused is not None:
            return Failure(url=wanted.url, trouble="address", reason=refused)
        # What the user is known by is for looking, never for what a frame of another site may wish to post.
        is_look = wanted.method.upper() in {"GET", "HEAD"}
        private = is_look and bool(self.policy.headers or self.policy.cookies) and trusts(url, self.policy)
        try:
            permit = self._allowlist.permit(url)
            request = browser_http_request(wanted, url, self.policy, private=private, permit=permit)
            return await self._once(request, host_key(url), rides=True)
        except FetchError as error:
            return Failure(url=wanted.url, trouble=error.trouble, reason=error.reason)
        except HeldOff as held:
            return Failure(url=wanted.url, trouble="rate-limited", reason=held.cause.reason, until=held.until)

    def waiting(self) -> tuple[Wait, ...]:
        """The hosts nobody is asking just now, and why."""
        waits = (throttle.waiting() for throttle in self._throttles.values())
        return tuple(wait for wait in waits if wait is not None)

    def host_stats(self) -> tuple[HostStats, ...]:
        """What this session requested of every host since its statistics were last taken."""
        return self._stats.figures(self._pace)

    def take_host_stats(self) -> tuple[HostStats, ...]:
        """The same, for an archive that adds it up: from here on counting begins anew."""
        return self._stats.take(self._pace)

    def robots_exchanges(self) -> tuple[Exchange, ...]:
        """The requests for robots.txt, and their answers, since this was last called."""
        exchanges = tuple(self._robots_exchanges)
        self._robots_exchanges.clear()
        return exchanges

    async def _follow(
        self, url: str, purpose: Purpose, conditions: tuple[tuple[str, str], ...], most_redirects: int, *,
        for_media: bool = False,
    ) -> Fetched | Failure:
        trail: list[Exchange] = []
        here = _spelled(url)
        private = bool(self.policy.headers or self.policy.cookies)
        seen: set[str] = set()
        silence: Failure | None = None
        while True:
            way = self._way_to(here, purpose)
            if way != here and way in seen:
                reason = f"redirects to {here}, which does not respond"
                return Failure(url=url, trouble="connection", reason=reason, exchanges=tuple(trail))
            here = way
            seen.add(here)
            private = private and trusts(here, self.policy)
            last = await self._hop(here, purpose, conditions, private=private, for_media=for_media)
            if isinstance(last, Failure):
                other = self._origins.other_way(here) if purpose != "robots" else None
                if other is None or other in seen:
                    return replace(last, url=url, exchanges=tuple(trail))
                # Whoever answers at this host answers in the other scheme.
                silence, here = silence or last, other
                continue
            trail.append(last)
            target = _target(last)
            if target is None:
                return self._verdict(url, tuple(trail), conditional=bool(conditions))
            if self.policy.stays and host_key(target) != host_key(here):
                reason = f"redirects to another host: {target}"
                return Failure(url=url, trouble="address", reason=reason, status=last.status, exchanges=tuple(trail))
            if target in seen and silence is not None:
                # What answers only sends back to what does not.
                return replace(silence, url=url, exchanges=tuple(trail))
            if target in seen or len(trail) > most_redirects:
                what = "redirect loop" if target in seen else "too many redirects"
                times = "once" if len(trail) == 1 else f"{len(trail)} times"
                reason = f"{what}: redirected {times}, last to {target}"
                return Failure(url=url, trouble="loop", reason=reason, status=last.status, exchanges=tuple(trail))
            # Who was sent elsewhere comes back as a stranger.
            private = private and host_key(target) == host_key(here)
            here = target

    async def _hop(
        self, url: str, purpose: Purpose, conditions: tuple[tuple[str, str], ...], *, private: bool, for_media: bool,
    ) -> Exchange | Failure:
        """The answer to one address, or why there is none."""
        if purpose not in BESIDE_PAGES:
            return await self._pass(url, purpose, conditions, private=private, for_media=for_media)
        # A host of pictures that is dead costs one try in a run, however many pictures are to be had from it.
        async with nullcontext() if self._origins.is_alive(url) else self._origins.first_contact(url):
            if (silence := self._origins.why_left_alone(url)) is not None:
                return replace(silence, url=url)
            return await self._pass(url, purpose, conditions, private=private, for_media=True)

    async def _pass(
        self, url: str, purpose: Purpose, conditions: tuple[tuple[str, str], ...], *, private: bool, for_media: bool,
    ) -> Exchange | Failure:
        refused = await self._gate(url, purpose)
        if refused is not None:
            return refused
        try:
            return await self._answer(url, purpose, conditions, private=private, for_media=for_media)
        except FetchError as error:
            return Failure(url=url, trouble=error.trouble, reason=error.reason)
        except HeldOff as held:
            return Failure(url=url, trouble="rate-limited", reason=held.cause.reason, until=held.until)

    def _way_to(self, url: str, purpose: Purpose) -> str:
        """The address to ask for a page: in the other scheme, where nobody answers in its own."""
        is_dead = purpose != "robots" and self._origins.is_dead(url)
        return (self._origins.other_way(url) if is_dead else None) or url

    async def _gate(self, url: str, purpose: Purpose) -> Failure | None:
        refused = self._allowlist.barred(url)
        if refused is not None:
            return Failure(url=url, trouble="address", reason=refused)
        if purpose == "robots" or not self.policy.obey_robots:
            return None
        origin = origin_of(url)
        rules = self._hosts.robots.known(origin, self._hosts.timekeeper.now()) or await self._rules(
            origin, for_media=purpose in BESIDE_PAGES,
        )
        if rules.allows(url, self._agent):
            return None
        if rules.trouble is not None:
            failure = Failure(url=url, trouble=rules.trouble, reason=rules.reason, until=rules.stands_until)
            if not rules.signal and rules.trouble in SILENT | {"robots"}:
                # Nobody said anything, to this session or to another.
                self._origins.silent(failure)
            if rules.trouble == "robots":
                unread = Cause(reason="robots.txt could not be fetched", signal=rules.signal)
                self._stats.put_off(host_key(url), unread, rules.stands_until, self._hosts.timekeeper.now())
            return failure
        return Failure(url=url, trouble="robots", reason=f"robots.txt disallows {url}")

    def _verdict(self, url: str, trail: tuple[Exchange, ...], *, conditional: bool) -> Fetched | Failure:
        last = trail[-1]
        status = last.status
        if 200 <= status < 300 or (status == 304 and conditional):
            return Fetched(url=url, exchanges=trail)
        reason = " ".join(f"HTTP {status} {last.reason} at {last.url}".split())
        if status in RATE_LIMITS:
            clock = self._throttle(host_key(last.url)).clock
            return Failure(
                url=url, trouble="rate-limited", reason=reason, status=status, until=clock.held_until, exchanges=trail
            )
        trouble: Trouble = "gone" if status == 410 else "http"
        return Failure(url=url, trouble=trouble, reason=reason, status=status, exchanges=trail)

    async def _answer(
        self, url: str, purpose: Purpose, conditions: tuple[tuple[str, str], ...], *, private: bool, for_media: bool,
    ) -> Exchange:
        """The answer to one spelled URL, throttled and with as many retries as the policy allows.

        Raises FetchError where there is none, HeldOff where the host is not to be asked for long.
        """
        host = host_key(url)
        permit = self._allowlist.permit(url)
        request = http_request(url, purpose, self.policy, conditions=conditions, private=private, permit=permit)
        last: Exchange | FetchError | None = None
        # Rules that a server cannot give are no reason to press it: who asks for robots.txt stays out.
        passing = frozenset[int]() if purpose == "robots" else STUMBLES
        for tries_left in range(self.policy.retries, -1, -1):
            try:
                last = await self._once(request, host)
            except FetchError as error:
                # A picture that used up its time would use up as much again, and a host that gives none no answer will
                # hardly give one a moment later: the next run may have more luck.
                is_timeout = purpose in BESIDE_PAGES and error.trouble == "timeout"
                is_spent = is_timeout or (for_media and not self._origins.is_alive(url))
                is_elsewhere = self._origins.other_way(url) is not None or self._is_guess(url)
                if not error.again or not tries_left or is_spent or is_elsewhere:
                    raise
                last = error
            except HeldOff:
                # The wait for another try is too long: what the last one brought stands.
                if last is None:
                    raise
                break
            else:
                if last.status not in passing:
                    break
        if isinstance(last, FetchError):
            raise last
        assert last is not None  # noqa: S101 - the first try sets it or raises
        return last

    async def _once(self, request: HttpRequest, host: str, *, rides: bool = False) -> Exchange:
        for _ in range(SLOTS_TRIED - 1):
            try:
                return await self._throttled(request, host, rides=rides)
            except LateForSlot as late:
                # The connection is there now; who cannot be reached any faster is not asked less often by waiting.
                if late.by_connecting:
                    break
        return await self._throttled(request, host, rides=rides, whenever=True)

    async def _throttled(self, request: HttpRequest, host: str, *, rides: bool, whenever: bool = False) -> Exchange:
        """Send a request in its slot; LateForSlot if that went by on the way to the socket, unless `whenever`."""
        throttle = self._throttle(host)
        now = self._hosts.timekeeper.now
        longest = self.policy.longest_wait_seconds
        shared: SharedSlot | None = None
        if self._origins.is_backing_off:
            await self._rest_of_origin(request.url, longest)
        try:
            spells = await (throttle.ride(min(longest, RIDE_WAIT_SECONDS)) if rides else throttle.acquire(longest))
            if not rides and self._hosts.rate_limiter is not None:
                shared = await acquire_shared(self._hosts.rate_limiter, throttle, longest, self._hosts.timekeeper)
        except HeldOff as held:
            self._stats.held_off(host, held, now())
            raise
        if shared is not None:
            spells += shared.spells
            request = replace(request, leave_by=None if whenever else awake_and_asleep() + shared.within_seconds)
        self._stats.waited(host, spells, now())
        began = now()
        try:
            answer = await self._hosts.download(request)
        except LateForSlot as late:
            throttle.withdrawn()
            if shared is not None and self._hosts.rate_limiter is not None and not late.by_connecting:
                # Later slots have to allow for it.
                self._hosts.rate_limiter.note_late(shared.late_seconds + (now() - began).total_seconds())
            raise
        except FetchError as error:
            slowed = self._went_wrong(error, request.url, throttle, (now() - began).total_seconds())
            if error.trouble not in UNSENT:
                self._stats.requested(host, began, slowed=slowed)
                self._note_strain(throttle, slowed=slowed)
            raise
        except BaseException:
            self._stats.requested(host, began)
            throttle.withdrawn()
            raise
        # By the clock of the throttle, so that what was fetched and what is allowed can be compared.
        ended = now()
        exchange = replace(answer.exchange, fetched_at=ended)
        said = exchange.header("Retry-After") or ""
        until = retry_after(said, ended) if said else None
        is_page = 200 <= exchange.status < 300 and request.purpose != "robots"
        self._origins.answered(request.url, ended, is_page=is_page, seconds=answer.seconds)
        slowed = throttle.answered(status=exchange.status, seconds=answer.seconds, retry_after=until, said=said)
        self._stats.requested(host, began, wire_bytes=answer.wire_bytes, slowed=slowed)
        self._note_strain(throttle, slowed=slowed)
        if exchange.status in RATE_LIMITS:
            remember_backoff(self._remember, host, throttle.clock, now())
            if self._hosts.rate_limiter is not None:
                await share_backoff(self._hosts.rate_limiter, throttle, now())
        return exchange

    async def _rest_of_origin(self, url: str, longest_wait_seconds: float) -> None:
        """Wait for the back-off of one origin, outside the queue of its host: others of its host need not."""
        time = self._hosts.timekeeper
        while (wait := (self._origins.next_at(url, time.now()) - time.now()).total_seconds()) > 0:
            if wait > longest_wait_seconds:
                raise HeldOff(self._origins.next_at(url, time.now()), Cause(reason="backing off after failed requests"))
            await time.sleep(wait)
            if self._origins.is_dead(url):
                # It turned out while others waited as well.
                reason = f"{origin_of(url)} does not respond, although its host does over http or https"
                raise FetchError("connection", reason)

    def _went_wrong(self, error: FetchError, url: str, throttle: HostThrottle, seconds: float) -> bool:
        """Whether a request without an answer made the pace of its host slower."""
        if error.got_something:
            self._origins.gave_something(url)
        if error.trouble in SILENT:
            self._origins.silent(Failure(url=url, trouble=error.trouble, reason=error.reason))
        # An answer too large, or none that anybody may ask for, says nothing about how busy the host is; nor does an
        # origin that is silent while the same host answers at another.
        if error.again and not self._origins.has_working_twin(url) and not self._is_guess(url):
            return throttle.answered(status=None, seconds=seconds)
        if error.again:
            self._origins.back_off(url, self._hosts.timekeeper.now(), seconds=seconds)
        throttle.withdrawn()
        return False

    def _is_guess(self, url: str) -> bool:
        """Whether nobody typed this scheme: the other one is asked next, rather than this again."""
        return origin_of(url) in self._guessed and self._origins.is_guess(url)

    async def _rules(self, origin: str, *, for_media: bool) -> Rules:
        book = self._hosts.robots
        async with book.reading(origin):
            now = self._hosts.timekeeper.now()
            known = book.known(origin, now)
            if known is not None:
                return known
            rules = remembered_rules(self._recall, origin, now) or await self._read_rules(
                origin, for_media=for_media,
            )
            # What only this session may not reach, or not yet, is not everybody's.
            if rules.trouble not in {"address", "rate-limited"}:
                book.keep(origin, rules)
                clock = self._throttle(host_key(origin)).clock
                clock.crawl_delay(rules.crawl_delay(self._agent), rules.delay_said(self._agent))
            return rules

    async def _read_rules(self, origin: str, *, for_media: bool) -> Rules:
        outcome = await self._follow(f"{origin}/robots.txt", "robots", (), MOST_ROBOTS_REDIRECTS, for_media=for_media)
        self._robots_exchanges.extend(outcome.exchanges)
        now = self._hosts.timekeeper.now()
        if isinstance(outcome, Fetched) or (outcome.status is not None and outcome.trouble != "loop"):
            rules = read_rules(outcome.exchanges[-1], now)
            remember_rules(self._remember, origin, outcome.exchanges[-1], rules)
            return rules
        # Where the host itself cannot be reached, that is the trouble, whatever was asked for.
        if outcome.trouble in HOST_TROUBLES and not outcome.exchanges:
            return Rules(read_at=now, trouble=outcome.trouble, reason=outcome.reason, until=outcome.until)
        return out_of_reach(f"robots.txt could not be fetched ({outcome.reason})", now)

    def _throttle(self, host: str) -> HostThrottle:
        throttle = self._throttles.get(host)
        if throttle is None:
            throttle = self._throttles[host] = self._hosts.throttle(host, self.policy)
            recall_backoff(self._recall, self._remember, host, throttle.clock, self._hosts.timekeeper.now())
            recall_strain(self._recall, host, throttle.clock, self._hosts.timekeeper.now())
            if throttle.clock.strain != (0.0, 0):
                self._strained.add(host)
        return throttle

    def _note_strain(self, throttle: HostThrottle, *, slowed: bool) -> None:
        """What makes the pace slower, and that it is as usual again, is for the next run too."""
        is_eased = throttle.host in self._strained and throttle.clock.strain == (0.0, 0)
        if slowed or is_eased:
            (self._strained.discard if is_eased else self._strained.add)(throttle.host)
            remember_strain(self._remember, throttle.host, throttle.clock, self._hosts.timekeeper.now())

    def _pace(self, host: str) -> float:
        return self._throttle(host).clock.pace_seconds


def _spelled(url: str) -> str:
    try:
        return spelled(url)
    except ValueError:
        return url  # no URL at all: the gate says so


def _target(exchange: Exchange) -> str | None:
    """Where an answer sends its reader; None if it is the answer."""
    location = exchange.header("Location")
    if exchange.status not in REDIRECTS or not location:
        return None
    with suppress(UnicodeError):  # no UTF-8: as it stands, then
        location = location.encode("latin-1").decode("utf-8")
    return _spelled(absolute(exchange.url, location) or location)
