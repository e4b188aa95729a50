"""Crawl loop: fetch the next URL, put it through the pipeline, until nothing new can be expected."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Coroutine, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from everlog.core.politeness import utc_time
from everlog.core.retry_policy import HOST_DEAD_AFTER, PASSING
from everlog.core.urls import canonical
from everlog.errors import EverlogError
from everlog.extract.classify.post_paging import page_of_post
from everlog.records import Failure, Fetched, Lane, Link, Visit
from everlog.usecases.crawl.crawl_context import ENDED, INTERRUPTED, SLICE_OVER, CrawlContext, Stop
from everlog.usecases.crawl.report import take_figures
from everlog.usecases.crawl.url_queue import Queue
from everlog.usecases.discover.front_page import names_a_time
from everlog.usecases.page.failures import visit_of_failure, visit_of_missed_file
from everlog.usecases.page.page_context import PageContext
from everlog.usecases.page.pipeline import steps_named, take_steps
from everlog.usecases.page.post_identity import key_of_moved
from everlog.usecases.page.requisite_links import file_lanes
from everlog.usecases.page.requisite_visits import (
    links_of_medium,
    medium_held_as_requisite,
    visit_of_requisite,
    without_page,
)

log = logging.getLogger("everlog")

T = TypeVar("T")

# Two pictures or requisites at a time from other hosts: they come from a few large hosts and are asked for beside the
# pages.
FILE_WORKERS = 2
# Posts at odd addresses before the pattern of addresses is learned anew, as in the simulated crawls of
# the benchmarks; and how many of them teach at all.
ODD_ADDRESSES = 3
ODD_AT_MOST = 60
# Reasons are counted by kind: without the addresses in them, and no longer than a line.
_ADDRESS = re.compile(r",? (?:to |for |at )?\(?https?://\S+")
LONGEST_REASON = 80
NOT_MODIFIED = 304
# The figures are counted anew so often, but take at most a fiftieth of the time: 100,000 rows are counted in 0.1 s.
FIGURES_SECONDS = 1.0
FIGURES_SHARE = 50
# Pages that are looked at before the crawl runs, however late it is: the front pages of a blog are one or two.
LEAST_TAKEN = 2


class Crawl:
    """Visits a blog's URLs, several at a time, in the frontier's order."""

    def __init__(self, context: CrawlContext, *, is_update: bool = False, only: tuple[Lane, ...] | None = None) -> None:
        self.context = context
        # Whether pages are visited at all, and not only files of these lanes.
        self._has_pages = only is None
        # Pages that are held are asked for with the condition that they changed.
        self.is_update = is_update
        # But for these, whose comments may have changed while the page did not.
        self.refetched: frozenset[str] = frozenset()
        self.stop = Stop()
        self.queue = Queue(context.archive, context.blog, newest_first=context.settings.newest_first)
        self._now = context.run.now
        self._started_at = self._now()
        self._steps = steps_named(context.settings.pipeline)
        self._files = file_lanes(context.settings) if only is None else only
        self._busy = 0
        self._changed = asyncio.Event()
        # Set when what is under way is not waited for: it stays in the queue.
        self._hurry = asyncio.Event()
        self._silent = 0
        self._odd: list[str] = []
        self._pages_over = not self._has_pages
        self._is_winding_down = self._is_cut_short = self._is_running = False
        # Pages that were visited since the crawl runs; and those that came before.
        self._visited = self.taken = 0
        self._figures_due = 0.0
        self._estimate = context.archive.blogs.state(context.blog.id).estimate
        # A second crawl of the same run goes on counting.
        self._began = asyncio.get_running_loop().time() - context.tally.seconds

    async def run(self) -> Stop:
        """Visit what waits, and what is found on the way, until one of the reasons to stop."""
        settings = self.context.settings
        self._is_running = True
        self._started_at = self._now()
        self.queue.refill((*(("post", "page") if self._has_pages else ()), *self._files), self._started_at)
        pages = settings.concurrency if self._has_pages else 0
        workers = [asyncio.ensure_future(self._visit_pages()) for _ in range(pages)]
        workers += [asyncio.ensure_future(self._visit_files()) for _ in range(FILE_WORKERS if self._files else 0)]
        everything: asyncio.Future[Any] = asyncio.gather(*workers)
        hurry: asyncio.Future[Any] = asyncio.ensure_future(self._hurry.wait())
        watch = asyncio.ensure_future(self._watch_the_clock())
        await asyncio.wait({everything, hurry}, return_when=asyncio.FIRST_COMPLETED)
        for task in (everything, *workers, hurry, watch):
            task.cancel()
        ended = await asyncio.gather(everything, *workers, hurry, watch, return_exceptions=True)
        if isinstance(ended[0], Exception):
            raise ended[0]
        if self._is_cut_short:
            self.stop.say("limit", SLICE_OVER)
        await self._settle_copies()
        until = self.context.archive.urls.waits_until(self.context.blog.id) if self._has_pages else None
        if until is not None and until > self._now():
            self.stop.say("blocked", f"the server asked us to wait, retry after {utc_time(until, self._now())}")
        if settings.media:
            tally = self.context.tally
            tally.media_held_off, tally.media_held_until = self.context.archive.urls.media_held_off(
                self.context.blog.id, now=self._now(),
            )
        self.stop.say("complete", "every page that was found has been visited")
        if self._has_pages:
            self.queue.keep_progress(is_over=self.stop.ending in ENDED)
        return self.stop

    def goes_on(self) -> bool:
        """Whether another page may be asked for; the limit of pages is noticed here."""
        if self.context.error is not None:
            raise self.context.error
        settings, tally = self.context.settings, self.context.tally
        if settings.max_pages is not None and tally.requests + self._busy >= settings.max_pages:
            self.stop.say("limit", f"stopped at the limit of {settings.max_pages} pages")
        self._heed_slice()
        if self._is_winding_down and not self._is_running and self.taken >= LEAST_TAKEN:
            self._is_cut_short = True
            return False
        return self.stop.ending is None

    async def unless_ended(self, asking: Coroutine[Any, Any, T]) -> T | None:
        """What comes of asking before the crawl itself runs; None if its time is over, or it is interrupted, first."""
        asked = asyncio.ensure_future(asking)
        hurry: asyncio.Future[Any] = asyncio.ensure_future(self._hurry.wait())
        watch = asyncio.ensure_future(self._watch_the_clock())
        try:
            await asyncio.wait({asked, hurry}, return_when=asyncio.FIRST_COMPLETED)
            return asked.result() if asked.done() else None
        finally:
            for task in (asked, hurry, watch):
                task.cancel()
            await asyncio.gather(asked, hurry, watch, return_exceptions=True)

    async def take_any(self, link: Link, answer: Fetched | Failure) -> None:
        """What was asked for before the crawl began, whatever came of it."""
        self.taken += 1
        if isinstance(answer, Failure):
            await self.take_failure(link, answer)
        elif answer.answer.status == NOT_MODIFIED:
            await self._take_unchanged(link, answer)
        else:
            await self.take(link, answer)

    async def take(self, link: Link, answer: Fetched) -> None:
        """A page that was fetched already goes the same way as the others."""
        page = PageContext(link=link, fetched=answer)
        self.context.is_new(canonical(answer.page.url))
        await take_steps(page, self.context, self._steps)
        self.queue.add(page.links)
        # What waits for its original was read as a post.
        is_post = page.outcome in {"post", "retry"}
        if not is_post or page.new_posts:
            self.queue.frontier.learn(answer.page.url, page.new_posts, post=is_post)
        if page.post is not None and page.post.kind == "post" and not page.reading.by_url:
            self._learn_address(answer.page.url)
        if self.context.archive_walk is not None:
            self.context.archive_walk.take(answer.page.url, page.reading.links, page.new_posts)
        self._count(page)
        log.info("%s: %s (%s)", page.outcome, link.url, page.reason or page.note or f"{page.new_posts} new posts")
        if page.outcome == "retry":
            self.queue.postpone(link.key)
        else:
            await self._settle(self.context.copies.settled_by(page.held_key, page.post))

    def _learn_address(self, url: str) -> None:
        """Posts whose addresses are unlike the feed's teach the pattern, a few at a time."""
        context = self.context
        self._odd.append(url)
        if len(self._odd) % ODD_ADDRESSES == 0 and len(self._odd) <= ODD_AT_MOST:
            context.learn(replace(context.learned, classifier=context.learned.classifier.with_urls(self._odd)))
            context.archive.blogs.update(context.blog.id, knowledge=context.learned.knowledge())

    def interrupt(self) -> None:
        """End at once; what was fetched is stored, the rest stays in the queue."""
        self.stop.say("interrupted", INTERRUPTED)
        self._hurry.set()

    def wind_down(self) -> None:
        """Ask for nothing more; what is under way is waited for, the rest stays in the queue.

        But not before a page was visited: time that is spent on what comes before the pages must not end every run
        where the one before it ended.
        """
        self._is_winding_down = True
        self._changed.set()

    def _heed_slice(self) -> None:
        if self._is_winding_down and self._visited:
            self.stop.say("limit", SLICE_OVER)

    async def _settle_copies(self) -> None:
        """What waits for other pages: at the end it is known what each is; at a pause, of some of them."""
        context = self.context
        if self.stop.ending in ENDED:
            await self._settle(context.copies.all_settled(context.held))
        else:
            await context.drain()
            await self._settle(context.copies.settled_so_far(context.held, context.was_visited, self.queue.taken_up))
        await context.drain()

    async def _settle(self, visits: Iterable[Visit]) -> None:
        """Store what waited for another page and is now known."""
        for visit in visits:
            await self.context.submit(visit)

    async def _visit_pages(self) -> None:
        while (link := await self._next_page()) is not None:
            self._busy += 1
            try:
                await self._visit(link)
            finally:
                self._busy -= 1
                self.queue.done(link)
                self._changed.set()

    async def _next_page(self) -> Link | None:
        while self.goes_on():
            if self.queue.posts_overflowed:
                await self.context.drain()
                self.queue.refill(("post",), self._now())
            link = self.queue.next_page()
            if link is not None:
                return link
            if self._busy == 0:
                # Only here is everything stored, so only here the archive's queue is the whole truth.
                self._busy += 1
                try:
                    await self.context.drain()
                    refilled = self.queue.refill(("post", "page"), self._now())
                    refilled = refilled or self.queue.take_up_put_off(self._now())
                finally:
                    self._busy -= 1
                if not refilled:
                    break
                self._changed.set()
                continue
            self._changed.clear()
            await self._changed.wait()
        self._pages_over = True
        self._changed.set()
        return None

    async def _visit_files(self) -> None:
        while self.stop.ending in {None, "complete"}:
            self._heed_slice()
            link = self.queue.next_file(own_host=False)
            if link is None and self._pages_over:
                link = self.queue.next_file(own_host=True)
            if link is None and self._pages_over and self._busy == 0:
                await self.context.drain()
                # What waits since this crawl began waits for the next: asked for as soon as it may be, a picture whose
                # host always wants a second more would keep the crawl from its end.
                if not self.queue.refill(self._files, self._started_at):
                    return
                continue
            if link is None:
                self._changed.clear()
                await self._changed.wait()
                continue
            await self._visit_file(link)
            self._changed.set()

    async def _visit(self, link: Link) -> None:
        context = self.context
        # What was put off is stored, but not as the post that it may turn out to be.
        is_conditional = self.is_update and link.key not in self.refetched and link.key not in self.queue.taken_up
        stored = context.archive.captures.find(context.blog.id, link.url) if is_conditional else None
        answer = await context.fetcher.fetch(
            link.url, etag=stored.etag if stored else None, last_modified=stored.last_modified if stored else None,
        )
        context.tally.requests += 1
        self._visited += 1
        if isinstance(answer, Failure):
            await self.take_failure(link, answer)
            return
        self._silent = 0
        if answer.answer.status == NOT_MODIFIED and self._has_other_pages(link):
            # That one page of a post is as it was says nothing about the others.
            answer = await context.fetcher.fetch(link.url)
            context.tally.requests += 1
            if isinstance(answer, Failure):
                await self.take_failure(link, answer)
                return
        if answer.answer.status == NOT_MODIFIED:
            await self._take_unchanged(link, answer)
            return
        try:
            await self.take(link, answer)
        except EverlogError:
            raise
        except Exception as error:
            # One page that a step cannot cope with must not end the crawl of all others, now and at every try.
            log.exception("bug at %s", link.url)
            reason = f"bug in everlog or in a step: {type(error).__name__}: {error}"
            await self.take_failure(link, Failure(url=link.url, trouble="protocol", reason=reason))
            return
        why = None if context.settings.exhaustive else self.queue.frontier.exhausted()
        if why is not None and (self.queue.holds_back_promising or await self._has_put_off()):
            why = None
        if why is not None:
            self.stop.say("complete", why)

    def _has_other_pages(self, link: Link) -> bool:
        """Whether a post's text is split over several pages, or a page of it is missing since the last visit."""
        context = self.context
        row = context.archive.urls.state(context.blog.id, link.key)
        held = context.held(link.key)
        if held is None:
            return False
        return (row is not None and row[1] > 0) or any(page_of_post(url, held.url) for url in held.aliases)

    async def _has_put_off(self) -> bool:
        """Whether posts were put off that are now to be looked at, before the crawl ends."""
        await self.context.drain()
        return self.stop.ending is None and self.queue.take_up_put_off(self._now())

    async def _take_unchanged(self, link: Link, answer: Fetched) -> None:
        await self.context.submit(Visit(
            blog_id=self.context.blog.id, url=link.url, key=link.key, outcome="unchanged", exchanges=answer.exchanges,
            post_key=key_of_moved(link.key, None, self.context),
        ))

    async def _visit_file(self, link: Link) -> None:
        context = self.context
        try:
            if link.lane == "requisite":
                context.tally.file_requests += 1
                visit = await visit_of_requisite(link, context, self._now())
            else:
                visit = medium_held_as_requisite(link, context) or await self._visit_medium(link)
            self.queue.add(visit.links)
            self._visited += 1
            await context.submit(visit)
        finally:
            self.queue.done(link)

    async def _visit_medium(self, link: Link) -> Visit:
        context = self.context
        context.tally.file_requests += 1
        answer = without_page(await context.fetcher.fetch(link.url, purpose="media"))
        if isinstance(answer, Failure):
            return visit_of_missed_file(link, answer, context, self._now())
        return Visit(
            blog_id=context.blog.id, url=link.url, key=link.key, outcome="media", exchanges=answer.exchanges,
            links=links_of_medium(answer.answer, link, context),
        )

    async def take_failure(self, link: Link, failure: Failure) -> None:
        """A page that could not be had: whose fault it is says whether it is asked for again."""
        context = self.context
        visit = visit_of_failure(link, failure, context, self._now())
        log.info("%s: %s (%s)", visit.outcome, link.url, failure.reason)
        if visit.again_at is not None:
            # The server says when to come back: the URL waits in the queue, and so does the crawl.
            self.stop.say("blocked", f"{failure.reason}, retry after {utc_time(visit.again_at, self._now())}")
            context.tally.guessed_wait = context.tally.guessed_wait or not names_a_time(failure)
        if context.scope.is_own_failure(failure):
            self._silent = self._silent + 1 if failure.trouble in PASSING else 0
        if self._silent >= HOST_DEAD_AFTER:
            self.stop.say("incomplete", f"stopped after {self._silent} failed requests in a row ({failure.reason})")
        await context.submit(visit)
        await self._settle(context.copies.settled_by(link.key, None))
        self.queue.frontier.learn(link.url, 0, failed=True)

    def _count(self, page: PageContext) -> None:
        tally = self.context.tally
        if page.outcome == "skip":
            tally.skipped += 1
            tally.reasons[_ADDRESS.sub("", page.reason or "skipped")[:LONGEST_REASON]] += 1
        tally.noted += page.note is not None

    def _refresh_figures(self, at: float) -> None:
        """What the archive has by now, now and then."""
        if at < self._figures_due:
            return
        context = self.context
        take_figures(context.tally, context.blog, context.archive, self._estimate, is_finished=self.is_update)
        took = asyncio.get_running_loop().time() - at
        self._figures_due = at + max(FIGURES_SECONDS, took * FIGURES_SHARE)

    async def _watch_the_clock(self) -> None:
        """Keep the figures fresh, end at the limit of time, notice what went wrong in the writer."""
        loop = asyncio.get_running_loop()
        context = self.context
        while True:
            tally = context.tally
            tally.seconds = loop.time() - self._began
            self._refresh_figures(loop.time())
            limit = context.settings.max_time
            if limit is not None and tally.seconds >= limit:
                self.stop.say("limit", f"stopped at the time limit of {limit:g} seconds")
                self._hurry.set()
            self._heed_slice()
            if self.stop.ending is not None or context.error is not None:
                self._changed.set()
            await asyncio.sleep(0.1)
