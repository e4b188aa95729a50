"""Repair of a blog: each post that is missing is tried again, in every way there is.

Its own address with more patience than an update has, other addresses of the same post, the page as a browser shows
it; pictures and comments that could not be had; then, where the user names one, a web archive. What was won is told
for each post, and the verdict is renewed.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from everlog.core.urls import canonical
from everlog.errors import NothingToLearn
from everlog.history.other_addresses import other_addresses, short_links, stated_address
from everlog.records import Failure, Link
from everlog.usecases.completeness import missing_posts, renew
from everlog.usecases.crawl.crawl_blog import archive_blog
from everlog.usecases.crawl.lifecycle import begin, crawl_info, open_context, recorded_run, run_to_end
from everlog.usecases.crawl.report import Report, take_last_figures
from everlog.usecases.discover.aliased_fetcher import aliased
from everlog.usecases.discover.blog_scope import scope_of
from everlog.usecases.foreign.backfill import backfill_blog
from everlog.usecases.foreign.capture_judge import CaptureJudge
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.learn.page_comparison import compared_anew
from everlog.usecases.page.rendering import can_render
from everlog.usecases.page.requisite_links import file_lanes
from everlog.usecases.page.stored_pages import stored_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from everlog.history.completeness import Gap
    from everlog.records import Blog, Exchange, Fetched
    from everlog.settings import Settings
    from everlog.usecases.crawl.crawl_context import CrawlContext, CrawlRun, Stop
    from everlog.usecases.crawl.crawl_loop import Crawl
    from everlog.usecases.crawl.report import Ending

# More patience than a crawl has: who asks for a repair waits for single pages.
RETRIES = 5
TIMEOUT_SECONDS = 90.0
LONGEST_WAIT_SECONDS = 1800.0
# However often the comments of a post were asked for before.
ANY_TRIES = 1_000_000
CUT_SHORT = frozenset({"blocked", "limit", "interrupted"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairReport(Report):
    """How the repair of a blog ended: `won` are posts with how each was had, `left` those that are still missing."""

    won: tuple[tuple[str, str], ...] = ()
    left: tuple[Gap, ...] = ()
    media_won: int = 0
    verdict: str = "unknown"


def patient(settings: Settings) -> Settings:
    """The settings of a run that has more time than a crawl."""
    return replace(
        settings, retries=max(settings.retries, RETRIES), timeout=max(settings.timeout, TIMEOUT_SECONDS),
        longest_wait=max(settings.longest_wait, LONGEST_WAIT_SECONDS),
    )


async def repair_blog(blog: Blog, run: CrawlRun) -> RepairReport:
    """Go after what is missing of a blog; what it brings is stored as it comes, so it may be stopped at any time."""
    if LearnedBlog.of(blog) is None:
        raise NothingToLearn(f"{blog.home} was not crawled yet", advice=f"everlog crawl {blog.home}")
    if blog.state != "finished":
        report = await archive_blog(blog.home, run)
        if report.ending in CUT_SHORT:
            return _report(blog, run, _Repair(blog=blog, run=run), report.ending, report.reason)
    archive = run.archive
    with archive.lock(blog.id, crawl_info(run.settings)), recorded_run(blog, "repair", archive) as run_id:
        repair = _Repair(blog=blog, run=run)
        ending, reason = await repair.try_all()
        report = _report(blog, run, repair, ending, reason)
        archive.blogs.end_run(run_id, reason=report.reason, counts={})
        return report


@dataclass(slots=True, kw_only=True)
class _Repair:
    """One repair, with what it has won so far."""

    blog: Blog
    run: CrawlRun
    won: dict[str, str] = field(default_factory=dict)
    media_before: int = 0

    def __post_init__(self) -> None:
        self.media_before = self.run.archive.blogs.figures(self.blog.id).media

    async def try_all(self) -> tuple[Ending, str]:
        stop = await self._try_web()
        if stop is not None and stop.ending in CUT_SHORT and stop.ending != "blocked":
            return stop.ending or "complete", stop.reason
        if self.run.web_archive is not None:
            left = {canonical(gap.url): gap for gap in missing_posts(self.blog, self.run.archive)}
            restored = await backfill_blog(self.blog, self.run, only={key: gap.url for key, gap in left.items()})
            # A capture may show less than what is held: then it was no answer.
            held = self._held(left[key] for key in restored.ways)
            self.won |= {
                left[key].url: f"in {restored.archive}, {how}" for key, how in restored.ways.items() if key in held
            }
            self.run.tally.remarks.append(restored.remark())
            if restored.ending != "complete":
                return restored.ending, restored.reason
        if stop is not None and stop.ending in CUT_SHORT:
            return stop.ending or "complete", stop.reason
        return "complete", ""

    async def _try_web(self) -> Stop | None:
        """The web of today: pages, pictures and comments; None where nothing is missing that it could have."""
        archive, blog = self.run.archive, self.blog
        gaps = missing_posts(blog, archive)
        lanes = file_lanes(self.run.settings)
        media = [
            canonical(each.url) for each in archive.urls.problems(blog.id) if each.lane in lanes and each.is_missing
        ]
        comments = archive.comments.lacking(blog.id, most_tries=ANY_TRIES) if self.run.settings.comments else ()
        if not (gaps or media or comments or archive.urls.count_failing(blog.id)):
            return None
        learned = LearnedBlog.of(blog)
        assert learned is not None  # noqa: S101 - as above
        scope = scope_of(blog, archive)
        own = replace(self.run, fetcher=aliased(self.run.fetcher, scope))
        with open_context(blog, compared_anew(learned, blog, archive), own) as context:
            crawl = begin(context)
            judge = CaptureJudge.of(blog, scope, own)
            for number, gap in enumerate(gaps, 1):
                if not crawl.goes_on():
                    break
                self.run.tally.doing = f"trying missing posts again: {number:,} of {len(gaps):,}, {len(self.won):,} won"
                await self._try_post(gap, crawl, judge)
            archive.urls.requeue(blog.id, [*media, *comments])
            # Other pages may lead to posts that nobody has named: however often they failed, they have another try.
            archive.urls.requeue_failed(blog.id, now=self.run.now())
            crawl.refetched = frozenset(comments)
            self.run.tally.doing = "trying missing pictures and comments again"
            return await run_to_end(crawl)

    async def _try_post(self, gap: Gap, crawl: Crawl, judge: CaptureJudge) -> None:
        """One post: at its own address, in the browser, then at its other addresses, until it is held."""
        context = crawl.context
        link = Link(url=gap.url, key=canonical(gap.url), lane="post")
        waiting = deque([gap.url])
        while waiting:
            address = waiting.popleft()
            if not crawl.goes_on():
                return
            answer = await crawl.unless_ended(context.fetcher.fetch(address))
            is_refused = isinstance(answer, Failure) and answer.trouble == "robots"
            # Nobody is asked for what robots.txt disallows.
            self.run.tally.requests += not is_refused
            if answer is None:
                return
            is_own = address == gap.url
            how = "with another try" if is_own else f"at {address}"
            if isinstance(answer, Failure):
                if is_own:
                    await crawl.take_failure(link, answer)
            elif is_own or (context.scope.is_own(answer.page.url) and judge.is_post(answer.answer)):
                how = await self._take(gap, link, answer, crawl) or how
            await context.drain()
            # Whoever asks not to be archived is not archived by way of other addresses.
            if is_refused:
                continue
            if self._held([gap]):
                self.won[gap.url] = how
                return
            if is_own:
                known = self._stated(gap.url, answer.exchanges, context)
                waiting.extend(other_addresses(gap.url, blog=self.blog, scope=context.scope, known=known))

    def _stated(self, url: str, answers: Sequence[Exchange], context: CrawlContext) -> list[str]:
        """The addresses of the blog that its page and sources give a post beside that one, such as its short link.

        What the page says now counts, or what it said before: it may be stored, and not be recognised as a post.
        """
        archive = self.run.archive
        stored = stored_page(url, self.blog, archive, rendered=False)
        said = (*answers[-1:], *(stored.exchanges if stored is not None else ()))
        names = archive.blogs.inventory.names_of(self.blog.id, canonical(url))
        found = (*(short for answer in said for short in short_links(answer)),
                 *(stated_address(source, name, self.blog) for source, name in names))
        return [address for address in found if address is not None and context.scope.is_own(address)]

    async def _take(self, gap: Gap, link: Link, answer: Fetched, crawl: Crawl) -> str | None:
        """Store a page; again as a browser shows it, where it shows no post without one. How, if not as ever."""
        context = crawl.context
        await crawl.take(link, answer)
        await context.drain()
        is_scripted = context.rendering.is_scripted
        if self._held([gap]) or is_scripted or not _may_render(context):
            return None
        context.rendering.is_scripted = True
        try:
            await crawl.take(link, answer)
        finally:
            context.rendering.is_scripted = is_scripted
        return "in the browser"

    def _held(self, gaps: Iterable[Gap]) -> set[str]:
        """The keys of those posts that are held by now; of those of which a part was, if they are whole."""
        archive, keys = self.run.archive, {canonical(gap.url): gap.is_in_part for gap in gaps}
        partly = {key for key, is_in_part in keys.items() if is_in_part}
        lacking = {each.key for each in archive.blogs.inventory.in_part(self.blog.id, partly)} if partly else set()
        return {key for key in keys if key not in lacking and archive.posts.find("http://" + key) is not None}


def _may_render(context: CrawlContext) -> bool:
    return context.run.browser is not None and context.settings.render != "never" and can_render(context.settings)


def _report(blog: Blog, run: CrawlRun, repair: _Repair, ending: Ending, reason: str) -> RepairReport:
    archive = run.archive
    blog = archive.blogs.find(blog.home) or blog
    known = renew(blog, archive, now=run.now())
    left = known.posts.missing
    take_last_figures(run.tally, blog, archive, is_finished=True)
    run.tally.doing = "done"
    if left and run.web_archive is None:
        run.tally.remarks.append("a web archive may have what is missing (--from-wayback)")
    if ending == "complete":
        ending, reason = "incomplete" if left else "complete", known.posts.sentence
    return RepairReport(
        blog=blog.home, ending=ending, reason=reason, tally=run.tally, held=run.tally.now.posts,
        won=tuple(repair.won.items()), left=left, verdict=known.posts.answer,
        media_won=max(0, run.tally.now.media - repair.media_before),
    )


