"""What a crawl and an update have in common: their tools, how they begin, and how they end."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from everlog.archive.files.warc_names import CrawlInfo
from everlog.archive.write.batch_writer import BatchWriter
from everlog.core.urls import absolute, canonical
from everlog.errors import EverlogError, UnreadableFeed
from everlog.feeds import parse_feed
from everlog.records import Link, Visit
from everlog.usecases.crawl.crawl_context import CrawlContext
from everlog.usecases.crawl.crawl_loop import Crawl
from everlog.usecases.crawl.left_out import (
    NOARCHIVE,
    count_not_kept,
    keep_left_out,
    noarchive_remark,
    recall_left_out,
    what_was_left_out,
)
from everlog.usecases.crawl.progress import take_last_figures
from everlog.usecases.crawl.report import Report, reason_kind
from everlog.usecases.discover.blog_scope import scope_of
from everlog.usecases.learn.learned_blog import entry_urls
from everlog.usecases.learn.stored_entries import Entries
from everlog.usecases.page.copies import Copies
from everlog.usecases.page.failures import MOST_TRIES
from everlog.usecases.page.post_comments import CommentGatherer
from everlog.usecases.page.rendering import Rendering, can_draw
from everlog.usecases.page.stored_pages import stored_exchange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from contextlib import AbstractAsyncContextManager

    from everlog.archive import Archive
    from everlog.archive.models import Acknowledged
    from everlog.core.fetcher import Fetcher
    from everlog.core.links import Scope
    from everlog.records import Blog, Entry, Exchange, Fetched
    from everlog.render import Browser
    from everlog.settings import Settings
    from everlog.usecases.crawl.report import Ending, Tally
    from everlog.usecases.crawl.stop_reasons import Stop
    from everlog.usecases.learn.learned_blog import LearnedBlog

# A crawl that is killed loses this much of its ledger of requests and waits.
LEDGER_SECONDS = 30.0
# Posts that are remembered to be compared with each other; more do not tell more.
VISITED_KEPT = 20
# What comes of visits to posts and pages, but for those that are to be made again.
PAGES = frozenset({"post", "listing", "page", "unchanged", "skip", "failed"})


@dataclass(slots=True, kw_only=True)
class CrawlRun:
    """What a crawl is given: the web as this blog may ask it, the archive, the settings, its listeners."""

    fetcher: Fetcher
    archive: Archive
    settings: Settings
    tally: Tally
    on_safe: Callable[[Acknowledged], None] = lambda _: None
    # What time it is.
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    # Draws the pages that need it; None: nobody can.
    browser: Browser | None = None
    # What `--allow` named, to be kept with a blog that is new.
    allow: tuple[str, ...] | None = None
    # Who visits pages takes a turn; polls that bring nothing need none.
    turn: AbstractAsyncContextManager[object] = field(default_factory=nullcontext)
    # The crawl under way, so that it can be interrupted from outside.
    crawl: Crawl | None = None
    interrupted: bool = False
    # Whether what is under way is the last that is asked for in this run.
    is_over: bool = False
    # Whether this run only goes on with what another began: what failed a moment ago is not asked for again.
    goes_on: bool = False
    # Posts whose pages were fetched and stored in this run, the first of them.
    visited_posts: list[str] = field(default_factory=list)

    def interrupt(self) -> None:
        """End as soon as what was fetched is stored."""
        self.interrupted = True
        if self.crawl is not None:
            self.crawl.interrupt()

    def wind_down(self) -> None:
        """Ask for nothing more; what was asked for is waited for and stored, the rest stays in the queue."""
        self.is_over = True
        if self.crawl is not None:
            self.crawl.wind_down()


@contextmanager
def recorded_run(blog: Blog, kind: str, archive: Archive) -> Iterator[int]:
    """A run of the archive's list; one that ends in an error says so there too."""
    run = archive.blogs.begin_run(blog.id, kind)
    try:
        yield run
    except EverlogError as error:
        with suppress(EverlogError):  # a full disk takes no last words either
            archive.blogs.end_run(run, reason=error.message, counts={})
        raise


@contextmanager
def crew_of(
    blog: Blog, known: LearnedBlog, work: CrawlRun, *, entries: Iterable[Entry] = (),
    commenting: CommentGatherer | None = None,
) -> Iterator[CrawlContext]:
    """The tools of one crawl; whatever was handed to the writer is safe when it is left."""
    scope = scope_of(blog, work.archive)
    said = () if known.without_feed else tuple(entries) or _stored_entries(blog, work.archive)
    if commenting is None:
        rendering = Rendering(
            browser=work.browser, fetcher=work.fetcher, settings=work.settings, is_scripted=known.is_scripted,
        )
        commenting = CommentGatherer(
            blog_id=blog.id, fetcher=work.fetcher, rendering=rendering, tally=work.tally, rules=known.template.comments,
            entries={
                _key_of(entry, blog.feed_url, scope): entry
                for entry in said if entry.link
            },
        )
    if work.archive.backend.file_store.lost:
        own = {file.name for file in work.archive.captures.files.of_blog(blog.id)}
        work.tally.remarks += [
            f"{name} is missing or truncated: restore it from a backup, if there is one"
            for name in sorted(own & work.archive.backend.file_store.lost)
        ]
    writer = BatchWriter(work.archive)
    context = CrawlContext(
        blog=blog, known=known, scope=scope, settings=work.settings, fetcher=work.fetcher,
        archive=work.archive, writer=writer, tally=work.tally, this_year=work.now().year,
        on_safe=_counting(work), copies=Copies(blog.id), rendering=commenting.rendering, commenting=commenting,
        entries=Entries.of(said, blog, scope), left_out=recall_left_out(blog, work.archive),
    )
    for key in work.archive.urls.known_keys(blog.id):
        context.is_new(key)
    try:
        yield context
    finally:
        writer.close()


def _key_of(entry: Entry, feed_url: str | None, scope: Scope) -> str:
    """The key that the page of a feed's entry has in the blog."""
    whole = absolute(feed_url, entry.link) or ""
    return scope.own(whole, canonical(whole))[1]


def _stored_entries(blog: Blog, archive: Archive) -> tuple[Entry, ...]:
    """What the feed said last: a feed that did not change still names its posts' comment feeds."""
    capture = archive.captures.find(blog.id, blog.feed_url) if blog.feed_url is not None else None
    answer = stored_exchange(capture, archive) if capture is not None else None
    if answer is None:
        return ()
    try:
        return parse_feed(answer.body, answer.url).entries
    except UnreadableFeed:
        return ()


def begin(context: CrawlContext, work: CrawlRun, *, is_update: bool = False) -> Crawl:
    crawl = Crawl(context, is_update=is_update, now=work.now)
    work.tally.doing = "fetching pages"
    work.crawl = crawl
    if work.interrupted:
        crawl.interrupt()
    elif work.is_over:
        crawl.wind_down()
    if work.goes_on:
        crawl.queue.resume()
    else:
        crawl.queue.forget_progress()
    return crawl


async def run_to_end(crawl: Crawl) -> Stop:
    """The crawl to its end, and every robots.txt that allowed or forbade something on the way."""
    stop = await crawl.run()
    context = crawl.context
    for visit in robots_visits(context.blog, context.fetcher.robots_exchanges()):
        await context.submit(visit)
    await context.drain()
    if stop.ending == "complete":
        context.archive.urls.set_aside(context.blog.id, reason="not fetched: no new posts expected there")
    return stop


def finish_crawl(context: CrawlContext, run: int, stop: Stop) -> Report:
    """The end of a crawl of a whole blog: complete only if nothing was left out that may belong to it."""
    said = what_was_left_out(context, context.archive.posts.count(context.blog.id))
    keep_left_out(context, said)
    return finish(context, run, stop.ending or "complete", stop.reason, left_out=said)


def finish(context: CrawlContext, run: int, ending: Ending, reason: str, *, left_out: str | None = None) -> Report:
    """Write down how it ended; a blog that was visited to its end is updated from now on."""
    archive, tally = context.archive, context.tally
    held = archive.posts.count(context.blog.id)
    if ending == "complete" and left_out is not None:
        ending, reason = "incomplete" if held else ending, left_out
    failed = max(tally.failed, archive.urls.count_failing(context.blog.id))
    if ending == "complete" and failed:
        what = "address" if failed == 1 else "addresses"
        ending, reason = "incomplete", f"{reason}; {failed} {what} could not be fetched"
    uncommented = archive.comments.count_failed(context.blog.id, most_tries=MOST_TRIES)
    if ending in {"complete", "incomplete"} and uncommented and context.settings.comments:
        ending, reason = "incomplete", f"{reason}; the comments of {uncommented} posts could not be fetched"
    if tally.reasons[NOARCHIVE]:
        tally.remarks.append(noarchive_remark(tally.reasons[NOARCHIVE], context.blog.home))
    if ending == "complete" and held == 0:
        why = f"; {left_out}" if left_out is not None else ""
        refused = count_not_kept(context.blog, archive)
        said = f"{refused} of its pages say noarchive; no other page" if refused else "no page of this blog"
        ending, reason = "nothing", f"{said} could be read as a post{why}"
    if ending in {"complete", "incomplete"}:
        archive.blogs.update(context.blog.id, state="finished", crawled_at=datetime.now(UTC))
    is_finished = ending in {"complete", "incomplete"} or context.blog.state == "finished"
    take_last_figures(tally, context.blog, archive, is_finished=is_finished)
    tally.doing = "done"
    archive.blogs.end_run(run, reason=reason, counts=_figures(tally))
    return Report(blog=context.blog.home, ending=ending, reason=reason, tally=tally, held=held)


def entry_links(
    entries: Iterable[Entry], home: str, feed_url: str | None, scope: Scope, answered: Mapping[str, str] | None = None,
) -> list[Link]:
    """Where the pages of entries are: the address that answered, else all that may."""
    links: dict[str, Link] = {}
    for entry in entries:
        whole = absolute(feed_url, entry.link)
        known = (answered or {}).get(entry.link or "")
        for url in (known,) if known else entry_urls(whole, home, scope) if whole else ():
            links.setdefault(canonical(url), Link(url=url, key=canonical(url), lane="post", found_on=feed_url))
    return list(links.values())


async def store_feed(context: CrawlContext, feed_url: str, answer: Fetched) -> None:
    context.is_new(canonical(feed_url))
    await context.submit(feed_visit(context.blog, feed_url, answer))
    for visit in robots_visits(context.blog, context.fetcher.robots_exchanges()):
        await context.submit(visit)


def feed_visit(blog: Blog, feed_url: str, answer: Fetched) -> Visit:
    """The feed as it was answered, to be stored."""
    return Visit(
        blog_id=blog.id, url=feed_url, key=canonical(feed_url), outcome="feed", exchanges=answer.exchanges,
    )


def crawl_info(settings: Settings) -> CrawlInfo:
    """What the WARC files of a crawl with these settings say of it; nobody is named who has not named themselves."""
    operator = settings.contact if "contact" in settings.given else None
    return CrawlInfo(operator=operator or None, robots="obey" if settings.robots else "ignore")


def robots_visits(blog: Blog, answers: Iterable[Exchange]) -> list[Visit]:
    """Every robots.txt that was asked for, to be stored."""
    return [
        Visit(blog_id=blog.id, url=each.url, key=canonical(each.url), outcome="robots", exchanges=(each,))
        for each in answers
    ]


def _counting(work: CrawlRun) -> Callable[[Acknowledged], None]:
    """Figures count what is safe, not what was seen."""
    kept_at = work.now()

    def count(safe: Acknowledged) -> None:
        nonlocal kept_at
        if (work.now() - kept_at).total_seconds() >= LEDGER_SECONDS:
            kept_at = work.now()
            keep_ledger(work)
        tally = work.tally
        tally.visited += is_page(safe.visit)
        tally.new_posts += safe.kept == "new"
        tally.changed_posts += safe.kept == "changed"
        if (post := safe.visit.post) is not None and safe.kept in {"new", "changed", "same"}:
            source = post.provenance.get("text")
            if source is not None and source.disagrees is not None:
                tally.unsure[reason_kind(source.disagrees)] += 1
        if safe.kept in {"new", "changed", "same"} and len(work.visited_posts) < VISITED_KEPT:
            work.visited_posts.append(safe.visit.url)
        work.on_safe(safe)

    return count


def is_page(visit: Visit) -> bool:
    """Whether a visit asked for a post or another page of the blog; what was put off for others was counted then."""
    return visit.lane != "media" and visit.outcome in PAGES and not visit.settles


def uncommented_posts(blog: Blog, work: CrawlRun) -> tuple[str, ...]:
    """Posts that are asked for again because of their comments; those that need a browser only if there is one."""
    if not work.settings.comments:
        return ()
    least = 0 if can_draw(work.settings) else 1
    return work.archive.comments.lacking(blog.id, least_tries=least, most_tries=MOST_TRIES)


def keep_ledger(work: CrawlRun) -> None:
    """Add what was asked of hosts since this was last called to what the archive knows of them."""
    with suppress(EverlogError):  # a disk that takes no figures takes no posts either, and these are told of
        work.archive.hosts.add(work.fetcher.take_ledger(), at=work.now())


def _figures(tally: Tally) -> dict[str, float]:
    names = ("new_posts", "changed_posts", "aliases", "pages", "media", "comments", "comments_missing",
             "comments_failed", "rendered", "requests", "skipped", "noted", "seconds")
    now = {"posts": tally.held, "failed": tally.missing, "media_failed": tally.media_missing}
    return now | {name: getattr(tally, name) for name in names}
