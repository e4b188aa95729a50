"""Lifecycle of a crawl, new or update: how its context is opened, how it begins, and how it ends."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from everlog.archive.files.warc_names import CrawlInfo
from everlog.archive.write.batch_writer import BatchWriter
from everlog.core.retry_policy import NOT_THERE, PAGE_TRIES
from everlog.core.urls import absolute, canonical, host_of
from everlog.errors import EverlogError
from everlog.records import Blog, Entry, Exchange, Fetched, Link, Visit
from everlog.usecases.completeness import keep_neighbours, renew
from everlog.usecases.crawl.crawl_context import CrawlContext, CrawlRun, Stop
from everlog.usecases.crawl.crawl_loop import Crawl
from everlog.usecases.crawl.left_out import (
    NOARCHIVE,
    count_not_kept,
    keep_left_out,
    noarchive_remark,
    recall_left_out,
    what_was_left_out,
)
from everlog.usecases.crawl.report import Ending, Report, Tally, take_last_figures, with_verdict
from everlog.usecases.discover.blog_scope import scope_of
from everlog.usecases.learn.stored_entries import Entries
from everlog.usecases.learn.template_history import TemplateHistory
from everlog.usecases.page.copies import Copies
from everlog.usecases.page.post_comments import CommentGatherer
from everlog.usecases.page.rendering import Rendering, can_render
from everlog.usecases.page.requisite_links import keep_beyond, keeps_requisites, note_requisites
from everlog.usecases.page.stored_pages import stored_feed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from everlog.archive import Archive
    from everlog.core.scope import Scope
    from everlog.settings import Settings
    from everlog.usecases.foreign.admission import Admission
    from everlog.usecases.learn.learned_blog import LearnedBlog

@contextmanager
def recorded_run(blog: Blog, kind: str, archive: Archive) -> Iterator[int]:
    """A run of the archive's list; one that ends in an error says so there too."""
    run_id = archive.blogs.begin_run(blog.id, kind)
    try:
        yield run_id
    except EverlogError as error:
        with suppress(EverlogError):  # a full disk takes no last words either
            archive.blogs.end_run(run_id, reason=error.message, counts={})
        raise


@contextmanager
def open_context(
    blog: Blog, learned: LearnedBlog, run: CrawlRun, *, entries: Iterable[Entry] = (),
    commenting: CommentGatherer | None = None, foreign: Admission | None = None,
) -> Iterator[CrawlContext]:
    """The context of one crawl; whatever was handed to the writer is safe when it is left."""
    scope = scope_of(blog, run.archive)
    said = () if learned.without_feed else tuple(entries)
    if not said and not learned.without_feed and (stored := stored_feed(blog, run.archive)) is not None:
        # A feed that did not change still names its posts' comment feeds.
        said = stored.entries
    if commenting is None:
        rendering = Rendering(
            browser=run.browser, fetcher=run.fetcher, settings=run.settings, is_scripted=learned.is_scripted,
        )
        commenting = CommentGatherer(
            blog_id=blog.id, fetcher=run.fetcher, rendering=rendering, tally=run.tally, rules=learned.template.comments,
            entries={
                _key_of(entry, blog.feed_url, scope): entry
                for entry in said if entry.link
            },
        )
    if run.archive.backend.file_store.lost:
        own = {file.name for file in run.archive.captures.files.of_blog(blog.id)}
        run.tally.remarks += [
            f"{name} is missing or truncated: restore it from a backup, if there is one"
            for name in sorted(own & run.archive.backend.file_store.lost)
        ]
    writer = BatchWriter(run.archive)
    host = host_of(blog.home)
    state = run.archive.blogs.state(blog.id)
    context = CrawlContext(
        run=run, blog=blog, templates=TemplateHistory.of(blog.id, run.archive, learned), scope=scope, writer=writer,
        copies=Copies(blog.id), rendering=commenting.rendering, commenting=commenting,
        entries=Entries.of(said, blog, scope), left_out=recall_left_out(blog, run.archive),
        named=dict(state.named), has_sources=bool(state.history),
        unheld_host=None if run.archive.posts.has_any_on(host) else host, pages=run.archive.posts.pages(blog.id),
        foreign=foreign,
    )
    for key in run.archive.urls.known_keys(blog.id):
        context.is_new(key)
    if keeps_requisites(run.settings):
        context.requisites.known.update(run.archive.urls.requisites(blog.id))
        context.requisites.count = len(context.requisites.known)
        context.requisites.beyond.update(state.requisites_beyond)
    try:
        yield context
    finally:
        writer.close()


def _key_of(entry: Entry, feed_url: str | None, scope: Scope) -> str:
    """The key that the page of a feed's entry has in the blog."""
    whole = absolute(feed_url, entry.link) or ""
    return scope.localized(whole, canonical(whole))[1]


def begin(context: CrawlContext, *, is_update: bool = False) -> Crawl:
    """The crawl of a context, ready to run; from here on it can be stopped from outside."""
    run = context.run
    note_requisites(context)
    crawl = Crawl(context, is_update=is_update)
    run.tally.doing = "fetching pages"
    run.stop.begin(crawl)
    if run.goes_on:
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


def finish_crawl(context: CrawlContext, run_id: int, stop: Stop) -> Report:
    """The end of a crawl of a whole blog: complete only if nothing was left out that may belong to it."""
    said = what_was_left_out(context, context.archive.posts.count(context.blog.id))
    keep_left_out(context, said)
    report = finish(context, run_id, stop.ending or "complete", stop.reason, left_out=said)
    return replace(report, is_update=False)


def finish(context: CrawlContext, run_id: int, ending: Ending, reason: str, *, left_out: str | None = None) -> Report:
    """Write down how it ended; a blog that was visited to its end is updated from now on."""
    archive, tally = context.archive, context.tally
    held = archive.posts.count(context.blog.id)
    if ending == "complete" and left_out is not None:
        ending, reason = "incomplete" if held else ending, left_out
    failed = max(tally.failed, archive.urls.count_failing(context.blog.id))
    if ending == "complete" and failed:
        what = "address" if failed == 1 else "addresses"
        # What its server does not have ends no crawl, and stands with the others among what was not kept.
        away = sum(tally.reasons[f"HTTP {status}"] for status in NOT_THERE)
        beside = f" ({away:,} more {'is' if away == 1 else 'are'} not there)" if away else ""
        ending, reason = "incomplete", f"{reason}; {failed:,} {what} could not be fetched{beside}"
    uncommented = archive.comments.count_failed(context.blog.id, most_tries=PAGE_TRIES)
    if ending in {"complete", "incomplete"} and uncommented and context.settings.comments:
        ending, reason = "incomplete", f"{reason}; the comments of {uncommented} posts could not be fetched"
    if tally.reasons[NOARCHIVE]:
        tally.remarks.append(noarchive_remark(tally.reasons[NOARCHIVE], context.blog.home))
    if ending == "complete" and held == 0:
        why = f"; {left_out}" if left_out is not None else ""
        refused = count_not_kept(context.blog, archive)
        said = f"{refused} of its pages say noarchive; no other page" if refused else "no page of this blog"
        ending, reason = "nothing", f"{said} could be read as a post{why}"
    if keeps_requisites(context.settings):
        keep_beyond(context)
    blog = context.blog
    if ending in {"complete", "incomplete"}:
        blog = archive.blogs.update(blog.id, state="finished", crawled_at=datetime.now(UTC))
    keep_neighbours(context, is_over=ending in {"complete", "incomplete"})
    known = renew(blog, archive, is_over=ending in {"complete", "incomplete", "nothing"})
    ending, reason = with_verdict(ending, reason, known)
    is_finished = ending in {"complete", "incomplete"} or context.blog.state == "finished"
    take_last_figures(tally, context.blog, archive, is_finished=is_finished, missing=len(known.posts.missing))
    tally.doing = "done"
    archive.blogs.end_run(run_id, reason=reason, counts=_figures(tally))
    return Report(
        blog=context.blog.home, ending=ending, reason=reason, tally=tally, held=held, completeness=known,
        is_update=True,
    )


def entry_links(
    entries: Iterable[Entry], feed_url: str | None, scope: Scope, answered: Mapping[str, str] | None = None,
) -> list[Link]:
    """Where the pages of entries are: the address that answered, else all that may."""
    links: dict[str, Link] = {}
    for entry in entries:
        whole = absolute(feed_url, entry.link)
        known = (answered or {}).get(entry.link or "")
        for url in (known,) if known else scope.page_urls(whole) if whole else ():
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


def uncommented_posts(blog: Blog, run: CrawlRun) -> tuple[str, ...]:
    """Posts that are asked for again because of their comments; those that need a browser only if there is one."""
    if not run.settings.comments:
        return ()
    least = 0 if can_render(run.settings) else 1
    return run.archive.comments.lacking(blog.id, least_tries=least, most_tries=PAGE_TRIES)


def _figures(tally: Tally) -> dict[str, float]:
    of_run = (
        "new_posts", "changed_posts", "comments_missing", "rendered", "requests", "file_requests", "skipped", "noted",
        "seconds",
    )
    of_archive = ("posts", "aliases", "pages", "media", "requisites", "comments", "comments_failed")
    return {
        **{name: getattr(tally.now, name) for name in of_archive}, "failed": tally.now.missing,
        "media_failed": tally.now.media_missing, "requisites_failed": tally.now.requisites_missing,
        **{name: getattr(tally, name) for name in of_run},
    }
