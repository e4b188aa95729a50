"""Runner of crawls and watches from outside an event loop: one or many blogs in one run of the web."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from everlog.errors import EverlogError
from everlog.records import Blog, Wait
from everlog.usecases.crawl.crawl_blog import archive_blog
from everlog.usecases.crawl.crawl_context import CrawlRun, StopSwitch
from everlog.usecases.crawl.report import Report, Tally
from everlog.usecases.discover.held_blog import blog_named, home_known_as
from everlog.usecases.discover.stored_allowlist import keep_allowed, note_typed
from everlog.usecases.discover.typed_address import fetchable, other_spellings
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.rate_limiter import shared_rate_limiter, shared_time
from everlog.usecases.sessions import HostCache, open_session, open_web_archive
from everlog.usecases.update.update_blog import refresh_blog
from everlog.usecases.watch.watch_loop import Watcher, WatchTally

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence
    from types import FrameType

    from everlog.archive import Archive
    from everlog.archive.write.record_batch import Acknowledged
    from everlog.core.fetcher import Fetcher
    from everlog.fetch import HttpClient
    from everlog.render import Browser, RenderOptions
    from everlog.settings import Settings
    from everlog.usecases.watch.poll import PollResult
    from everlog.usecases.watch.poll_source import PollSource

# Blogs of a list that are visited side by side. They are on different hosts, so none waits for
# another; more would only share this machine's processor.
SIDE_BY_SIDE = 4
INTERRUPTED = 130
# How often what is waited for is looked at; and how long Chromium takes to start on a busy machine.
LOOK_SECONDS = 0.2
BROWSER_STARTS_IN = timedelta(seconds=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One blog to crawl, to update since a date, to repair, or to fetch what its stored pages need."""

    url: str
    kind: Literal["crawl", "update", "repair", "requisites"] = "crawl"
    since: datetime | None = None
    # Whether a user typed its address, rather than a list that may come from anywhere.
    typed: bool = False
    # What `--allow` names for the blog from now on; None: what was allowed before.
    allow: tuple[str, ...] | None = None
    # Whether this is a further part of a crawl that takes turns with others.
    goes_on: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StopControl:
    """How another thread ends a run: at once, or when what is under way is done."""

    interrupt: Callable[[], None]
    wind_down: Callable[[], None]


def run_jobs(
    jobs: Sequence[Job], archive: Archive, settings: Settings, *,
    on_safe: Callable[[Acknowledged], None] = lambda _: None, on_start: Callable[[Tally], None] = lambda _: None,
    on_stop_control: Callable[[StopControl], None] = lambda _: None, on_signal: Callable[[], None] = lambda: None,
) -> list[Report | EverlogError]:
    """Crawl blogs and give each one's report, in the order of the jobs.

    `on_safe` hears of every visit that is safe in the archive; `on_start` is given each crawl's tally
    when it begins, `on_stop_control` what ends the run. The first SIGINT or SIGTERM lets what was fetched be stored,
    the second stops at once; `on_signal` hears of the first, in the signal's own handler.
    """
    from everlog.fetch import with_http_client  # noqa: PLC0415 - starting Scrapy takes a second
    from everlog.render import Browser  # noqa: PLC0415 - as above: only who crawls needs it

    def run_of(job: Job, fetcher: HttpClient, browser: Browser, *, is_over: bool) -> CrawlRun:
        url = fetchable(job.url)
        own = _settings_for(job, url, settings)
        tally = Tally(blog=url)
        on_start(tally)
        return CrawlRun(
            fetcher=_session_for(job, url, own, archive, fetcher), archive=archive, settings=own, tally=tally,
            on_safe=on_safe, browser=browser, allow=job.allow, goes_on=job.goes_on, now=fetcher.timekeeper.now,
            stop=StopSwitch(is_over=is_over),
            web_archive=open_web_archive(own.from_wayback, own, archive, fetcher) if own.from_wayback else None,
        )

    async def all_of(fetcher: HttpClient) -> list[Report | EverlogError]:
        async with Browser(render_options(settings)) as browser:
            return await all_with(fetcher, browser)

    async def all_with(fetcher: HttpClient, browser: Browser) -> list[Report | EverlogError]:
        turn = asyncio.Semaphore(SIDE_BY_SIDE)
        runs: dict[int, CrawlRun] = {}
        interrupted = over = False

        async def one(number: int, job: Job) -> Report | EverlogError:
            async with turn:
                if interrupted:
                    return Report(blog=job.url, ending="interrupted", reason="not started", tally=Tally(blog=job.url))
                try:
                    runs[number] = run_of(job, fetcher, browser, is_over=over)
                    run = runs[number]
                    async with waits_shown(run.tally, run.fetcher, run.now, browser, run.web_archive):
                        return await _do(job, run)
                except EverlogError as error:
                    return error

        tasks = [asyncio.ensure_future(one(number, job)) for number, job in enumerate(jobs)]

        def interrupt() -> None:
            nonlocal interrupted
            interrupted = True
            for number, task in enumerate(tasks):
                run = runs.get(number)
                if run is not None and run.stop.crawl is not None:
                    run.stop.interrupt()
                else:  # nothing was fetched yet that could be stored
                    task.cancel()

        def wind_down() -> None:
            nonlocal over
            over = True
            for run in runs.values():
                run.stop.wind_down()

        on_stop_control(_stop_control(interrupt, wind_down))
        with interruptible(interrupt, on_signal):
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        return [_outcome(job, end, is_alone=len(jobs) == 1) for job, end in zip(jobs, ended, strict=True)]

    return with_http_client(all_of, rate_limiter=shared_rate_limiter(archive), now=shared_time(archive))


def _stop_control(interrupt: Callable[[], None], wind_down: Callable[[], None]) -> StopControl:
    loop = asyncio.get_running_loop()

    def later(what: Callable[[], None]) -> Callable[[], None]:
        def tell() -> None:
            with suppress(RuntimeError):  # the run has ended meanwhile
                loop.call_soon_threadsafe(what)

        return tell

    return StopControl(interrupt=later(interrupt), wind_down=later(wind_down))


def run_watch(
    archive: Archive, settings: Settings, *, once: bool = False, tally: WatchTally | None = None,
    on_polled: Callable[[Blog, PollResult], None] = lambda _blog, _polled: None,
    source: PollSource | None = None, on_stop_control: Callable[[StopControl], None] = lambda _: None,
) -> bool:
    """Watch over all blogs of an archive until a signal ends it, or `max_time`; with `once`, until nothing is due.

    Says whether it was a signal. `on_polled` hears what came of each poll; `source` has other feeds than all;
    `on_stop_control` is given what ends the run.
    """
    from everlog.fetch import with_http_client  # noqa: PLC0415 - starting Scrapy takes a second
    from everlog.render import Browser  # noqa: PLC0415 - as above

    async def watch(fetcher: HttpClient) -> bool:
        # Pages of several blogs are visited at once, whole updates of a few only: they share this machine's processor.
        turn = asyncio.Semaphore(SIDE_BY_SIDE)
        host_cache = HostCache(archive)
        async with Browser(render_options(settings)) as browser:

            def run_for(blog: Blog) -> CrawlRun:
                own = settings.for_blog(blog.home)
                session = open_session(blog.home, own, archive, fetcher, blog=blog, host_cache=host_cache)
                return CrawlRun(
                    fetcher=session, archive=archive, settings=own, browser=browser,
                    tally=Tally(blog=blog.home), now=fetcher.timekeeper.now, turn=turn,
                )

            watcher = Watcher(
                archive, now=fetcher.timekeeper.now, sleep=fetcher.timekeeper.sleep, run_for=run_for,
                on_polled=on_polled,
                tally=tally, host_cache=host_cache, source=source,
            )
            on_stop_control(_stop_control(watcher.stop, watcher.wind_down))
            with interruptible(watcher.stop):
                await watcher.run(once=once, max_seconds=settings.max_time)
            return watcher.was_stopped

    return with_http_client(watch, rate_limiter=shared_rate_limiter(archive), now=shared_time(archive))


def render_options(settings: Settings) -> RenderOptions:
    """How the browser draws pages; it is started when the first page needs it."""
    from everlog.render import RenderOptions  # noqa: PLC0415 - as above

    return RenderOptions(
        tabs=settings.tabs, page_seconds=settings.render_time, max_bytes=settings.max_page_bytes,
        executable=settings.browser,
    )


@asynccontextmanager
async def waits_shown(
    tally: Tally, fetcher: Fetcher, now: Callable[[], datetime], browser: Browser, web_archive: Fetcher | None = None,
) -> AsyncIterator[None]:
    """Meanwhile, the tally says what is waited for, from the first request on; behind it, that this is over."""
    async def look() -> None:
        while True:
            starting = Wait(host="the browser", until=now() + BROWSER_STARTS_IN, why="it is being started")
            archived = web_archive.waiting() if web_archive is not None else ()
            tally.waits = (*fetcher.waiting(), *archived, *((starting,) if browser.is_starting else ()))
            await asyncio.sleep(LOOK_SECONDS)

    looking = asyncio.ensure_future(look())
    try:
        yield
    finally:
        looking.cancel()
        tally.doing = "done"


def _settings_for(job: Job, url: str, settings: Settings) -> Settings:
    own = settings.for_blog(url)
    if job.kind != "repair":
        return own
    from everlog.usecases.repair.repair_blog import patient  # noqa: PLC0415 - few repair

    return patient(own)


async def _do(job: Job, run: CrawlRun) -> Report:
    try:
        if job.kind == "crawl" and run.web_archive is not None:
            from everlog.usecases.foreign.crawl_and_backfill import crawl_and_backfill  # noqa: PLC0415 - few ask one

            return await crawl_and_backfill(job.url, run)
        if job.kind == "crawl":
            return await archive_blog(job.url, run)
        blog = blog_named(job.url, run.archive)
        if job.kind == "repair":
            from everlog.usecases.repair.repair_blog import repair_blog  # noqa: PLC0415 - as above

            return await repair_blog(blog, run)
        if job.kind == "requisites":
            from everlog.usecases.update.fetch_requisites import fetch_requisites  # noqa: PLC0415 - as above

            return await fetch_requisites(blog, run)
        if blog.state != "finished" or LearnedBlog.of(blog) is None:
            return await archive_blog(blog.home, run)
        return await refresh_blog(blog, run, job.since)
    finally:
        # A host that could not be asked, or did not want to be, is in the host statistics too.
        run.keep_host_stats()


def _outcome(job: Job, end: Report | BaseException, *, is_alone: bool) -> Report | EverlogError:
    if isinstance(end, (Report, EverlogError)):
        return end
    if isinstance(end, asyncio.CancelledError):
        reason = "interrupted; run the same command to continue"
        return Report(blog=job.url, ending="interrupted", reason=reason, tally=Tally(blog=job.url))
    if not isinstance(end, Exception) or is_alone:
        raise end
    bug = EverlogError(
        f"{job.url}: bug in everlog: {type(end).__name__}: {end}", advice="crawl it alone with -v and report it",
    )
    bug.exit_code = 1
    return bug


@contextmanager
def interruptible(interrupt: Callable[[], None], on_signal: Callable[[], None] = lambda: None) -> Iterator[None]:
    """The first signal interrupts in good order; the second ends the process at once.

    `on_signal` is called in the handler itself, however busy the loop is.
    """
    loop = asyncio.get_running_loop()
    before: dict[int, Any] = {}

    def handler(_number: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(interrupt)
        on_signal()
        # What is stored is safe whenever the process ends, so the second signal need not wait for anything.
        for known in before:
            signal.signal(known, lambda _number, _frame: os._exit(INTERRUPTED))

    def restore() -> None:
        while before:
            number, old = before.popitem()
            signal.signal(number, old)

    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, handler)
    except ValueError:  # not the main thread: whoever is, decides
        pass
    try:
        yield
    finally:
        restore()


def _session_for(job: Job, url: str, settings: Settings, archive: Archive, fetcher: HttpClient) -> Fetcher:
    """The web as a job may use it; what was typed and allowed for it is remembered first."""
    blog = home_known_as(url, archive)
    # Of a blog that is held, the scheme is known.
    others = other_spellings(job.url, settings) if blog is None else ()
    note_typed([*((url, *others) if job.typed else ()), *filter(None, [settings.feed])], archive)
    if blog is not None and job.allow is not None:
        keep_allowed(blog, job.allow, archive)
    return open_session(url, settings, archive, fetcher, blog=blog, others=others)
