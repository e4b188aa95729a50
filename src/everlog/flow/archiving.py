"""The story of a crawl, top to bottom: read this first.

    archive_blog    NewCrawl: find the feed, learn the blog, visit all of it
    refresh_blog    UpdateCrawl: ask the feed what is new or changed, visit that

All state is in the archive: each of them can be killed at any moment and called again.
"""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from everlog.archive.writer import GroupWriter
from everlog.errors import EverlogError, UnreadableFeed
from everlog.feeds import parse_feed
from everlog.flow.copies import Copies
from everlog.flow.crawl import Crawl
from everlog.flow.crew import Crew
from everlog.flow.discover import discover, fetchable, why_unreachable
from everlog.flow.known import Known, entry_marks, entry_urls, fetch_entries, learn_blog
from everlog.flow.looking import estimates_of_page
from everlog.flow.report import Report, Tally
from everlog.links import Scope
from everlog.records import Failure, Link, Visit
from everlog.tree import parse
from everlog.urls import absolute, canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from everlog.archive import Archive
    from everlog.archive.store import Acknowledged
    from everlog.flow.crawl import Stop
    from everlog.flow.discover import Found
    from everlog.flow.report import Ending
    from everlog.records import Blog, Entry, Feed, Fetched
    from everlog.settings import Settings
    from everlog.web import Ledger, Web

NOT_MODIFIED = 304
# How often updates ask for what failed in passing: a picture on a host that is gone for good would else
# be asked for at every update.
MOST_TRIES = 3


@dataclass(slots=True, kw_only=True)
class Work:
    """What a crawl is given: the web as this blog may ask it, the archive, the settings, its listeners."""

    web: Web
    archive: Archive
    settings: Settings
    tally: Tally
    on_safe: Callable[[Acknowledged], None] = lambda _: None
    # The crawl under way, so that it can be interrupted from outside.
    crawl: Crawl | None = None
    interrupted: bool = False

    def interrupt(self) -> None:
        """End as soon as what was fetched is stored."""
        self.interrupted = True
        if self.crawl is not None:
            self.crawl.interrupt()


async def archive_blog(url: str, work: Work) -> Report:
    """The whole blog at `url` into the archive; goes on if it was interrupted, updates if it was finished."""
    url = fetchable(url)
    blog = home_known_as(url, work.archive)
    if blog is not None:
        blog = _as_wanted(blog, work)
    if blog is not None and blog.state == "finished":
        return await refresh_blog(blog, work)
    known = Known.of(blog) if blog is not None else None
    if blog is None or known is None:
        found = await discover(url, work.web, work.settings.feed)
        blog = work.archive.add_blog(found.home, scope=work.settings.scope)
        work.archive.remember(None, f"home:{canonical(url)}", blog.home)
        with work.archive.lock(blog.id):
            return await _new_crawl(blog, found, work)
    with work.archive.lock(blog.id):
        return await _go_on(blog, known, work)


async def refresh_blog(blog: Blog, work: Work, since: datetime | None = None) -> Report:
    """What is new or changed in a finished blog, as its feed tells; `since` leaves older entries alone."""
    with work.archive.lock(blog.id), _recorded_run(blog, "update", work.archive) as run:
        known = Known.of(blog)
        if known is None or blog.feed_url is None:
            raise AssertionError("a finished blog was learned from a feed")
        work.tally.doing = "asking the feed"
        news = await _ask_feed(blog, work, since)
        # The queue comes before the feed: killed in between, the next update is told the same news again.
        work.archive.enqueue(blog.id, news.links)
        again = [link.key for link in news.links]
        if news.gap:
            again += [canonical(blog.home), *work.archive.fruitful_pages(blog.id)]
        work.archive.requeue(blog.id, again)
        work.archive.requeue_failed(blog.id, most_tries=MOST_TRIES)
        with _crew(blog, known, work) as crew:
            crawl = _begin(crew, work, is_update=True)
            await _store_feed(crew, news.answer.answer.url, news.answer)
            stop = await _run(crawl)
            work.archive.remember(blog.id, "entries", json.dumps(_settled_marks(news, blog, work.archive)))
            work.archive.remember(blog.id, "left alone", "some" if news.left_alone else None)
            is_quiet = stop.ending == "complete" and not news.links and not news.gap
            reason = "nothing new: the feed is unchanged" if is_quiet else stop.reason
            return _finish(crew, run, stop.ending or "complete", reason)


def home_known_as(url: str, archive: Archive) -> Blog | None:
    """The blog of an archive that this address means: its home, in any spelling, or what led to it."""
    home = archive.recall(None, f"home:{canonical(url)}") or url
    wanted = canonical(home)
    return next((blog for blog in archive.blogs(forgotten=True) if canonical(blog.home) == wanted), None)


def _as_wanted(blog: Blog, work: Work) -> Blog:
    """A known blog, taken up again if it was forgotten, with another scope or feed if these are given now."""
    archive, settings = work.archive, work.settings
    if blog.forgotten_at is not None:
        blog = archive.update_blog(blog.id, forgotten_at=None)
    if "feed" in settings.model_fields_set and settings.feed and blog.feed_url not in {None, settings.feed}:
        blog = archive.update_blog(blog.id, feed_url=settings.feed)
    if "scope" in settings.model_fields_set and settings.scope != blog.scope:
        # What was left out before may belong to the blog now: its lists are looked at again.
        archive.requeue(blog.id, [canonical(blog.home), *archive.fruitful_pages(blog.id)])
        state = "crawling" if blog.state == "finished" else blog.state
        blog = archive.update_blog(blog.id, scope=settings.scope, state=state)
    return blog


@contextmanager
def _recorded_run(blog: Blog, kind: str, archive: Archive) -> Iterator[int]:
    """A run of the archive's list; one that ends in an error says so there too."""
    run = archive.begin_run(blog.id, kind)
    try:
        yield run
    except EverlogError as error:
        with suppress(EverlogError):  # a full disk takes no last words either
            archive.end_run(run, reason=error.message, counts={})
        raise


async def _new_crawl(blog: Blog, found: Found, work: Work) -> Report:
    with _recorded_run(blog, "crawl", work.archive) as run:
        return await _learn_and_crawl(blog, found, work, run)


async def _learn_and_crawl(blog: Blog, found: Found, work: Work, run: int) -> Report:
    scope = Scope(found.home, work.settings.scope)
    work.tally.doing = "learning from the feed's posts"
    pages = await fetch_entries(found, work.web, scope)
    known = learn_blog(found, pages)
    # An entry whose page was fetched is known by the address that answered.
    answered = {link: answer.page.url for link, answer in pages.items()}
    links = [
        *_entry_links(found.feed.entries, found.home, found.feed_url, scope, answered),
        Link(url=found.home, key=canonical(found.home), lane="page"),
    ]
    # The feed and the queue come before the state: killed in between, the blog is learned again.
    work.archive.commit(_feed_visits(blog, found.feed_url, found.feed_page, work.web))
    work.archive.enqueue(blog.id, links)
    work.archive.remember(blog.id, "entries", json.dumps(entry_marks(found.feed)))
    _remember_estimate(found, known, scope, blog, work.archive)
    blog = work.archive.update_blog(
        blog.id, title=found.feed.title, feed_url=found.feed_url, template=known.template.to_json(),
        knowledge=known.knowledge(), state="crawling", forgotten_at=None, scope=work.settings.scope,
    )
    with _crew(blog, known, work) as crew:
        crawl = _begin(crew, work)
        fetched = {canonical(answer.page.url): answer for answer in pages.values()}
        if found.home_page is not None:
            fetched[canonical(found.home)] = found.home_page
        for link in links:
            answer = fetched.pop(link.key, None)
            if answer is not None:
                work.tally.requests += 1
                await crawl.take(link, answer)
        await crew.drain()
        stop = await _run(crawl)
        return _finish(crew, run, stop.ending or "complete", stop.reason)


async def _go_on(blog: Blog, known: Known, work: Work) -> Report:
    work.archive.requeue_failed(blog.id)
    with _recorded_run(blog, "crawl", work.archive) as run, _crew(blog, known, work) as crew:
        crawl = _begin(crew, work)
        stop = await _run(crawl)
        return _finish(crew, run, stop.ending or "complete", stop.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What a feed says that the archive does not know.

    `links` lead to what is new or changed, `marks` tell the entries apart next time; `gap` says that posts
    may have fallen off the feed's end unseen, `left_alone` that entries were too old for this update.
    """

    answer: Fetched
    links: tuple[Link, ...] = ()
    marks: dict[str, str]
    entry_keys: tuple[tuple[str, tuple[str, ...]], ...] = ()
    gap: bool = False
    left_alone: bool = False


async def _ask_feed(blog: Blog, work: Work, since: datetime | None) -> News:
    answer, feed = await _feed_now(blog, work)
    before: dict[str, str] = json.loads(work.archive.recall(blog.id, "entries") or "{}")
    if feed is None:
        return News(answer=answer, marks=before, left_alone=work.archive.recall(blog.id, "left alone") is not None)
    scope = Scope(blog.home, blog.scope)
    marks = entry_marks(feed)
    changed = {canonical(entry.link): entry for entry in feed.entries if entry.link}
    changed = {key: entry for key, entry in changed.items() if before.get(key) != marks[key]}
    old = {key for key, entry in changed.items() if not _is_recent(entry, since)}
    news = {key: entry for key, entry in changed.items() if key not in old}
    per_entry = {key: _entry_links([entry], blog.home, answer.answer.url, scope) for key, entry in news.items()}
    # When the oldest entry is new as well, posts may have come and gone between two looks at the feed.
    oldest = next((entry.link for entry in reversed(feed.entries) if entry.link), None)
    return News(
        answer=answer,
        links=tuple({link.key: link for links in per_entry.values() for link in links}.values()),
        marks=before | {key: mark for key, mark in marks.items() if key not in old},
        entry_keys=tuple((key, tuple(link.key for link in links)) for key, links in per_entry.items()),
        gap=bool(before) and oldest is not None and canonical(oldest) not in before and canonical(oldest) not in old,
        left_alone=bool(old),
    )


async def _feed_now(blog: Blog, work: Work) -> tuple[Fetched, Feed | None]:
    """The feed's answer, and the feed if it changed; a feed that has moved is looked for again."""
    feed_url = blog.feed_url or ""
    last = work.archive.capture_of(blog.id, feed_url)
    # Entries that were left alone are news of an unchanged feed.
    known = last if work.archive.recall(blog.id, "left alone") is None else None
    answer = await work.web.fetch(
        feed_url, purpose="feed", etag=known.etag if known else None,
        last_modified=known.last_modified if known else None,
    )
    work.tally.requests += 1
    is_gone = isinstance(answer, Failure) and answer.status in {404, 410}
    if isinstance(answer, Failure) and not is_gone:
        raise why_unreachable(answer)
    if not isinstance(answer, Failure):
        if answer.answer.status == NOT_MODIFIED:
            return answer, None
        with suppress(UnreadableFeed):
            return answer, parse_feed(answer.answer.body, answer.answer.url)
    found = await discover(blog.home, work.web)
    work.archive.update_blog(blog.id, feed_url=found.feed_url)
    return found.feed_page, found.feed


def _settled_marks(news: News, blog: Blog, archive: Archive) -> dict[str, str]:
    """The marks to compare with next time; entries whose pages failed are news again, a few times."""
    marks = dict(news.marks)
    for entry, keys in news.entry_keys:
        rows = [row for key in keys if (row := archive.row_state(blog.id, key)) is not None]
        if rows and all(state == "failed" and tries < MOST_TRIES for state, tries in rows):
            marks.pop(entry, None)
    return marks


def _is_recent(entry: Entry, since: datetime | None) -> bool:
    moment = entry.updated or entry.published
    return since is None or moment is None or moment >= since


def _entry_links(
    entries: Iterable[Entry], home: str, feed_url: str, scope: Scope, answered: Mapping[str, str] | None = None,
) -> list[Link]:
    """Where the pages of entries are: the address that answered, else all that may."""
    links: dict[str, Link] = {}
    for entry in entries:
        whole = absolute(feed_url, entry.link)
        known = (answered or {}).get(entry.link or "")
        for url in (known,) if known else entry_urls(whole, home, scope) if whole else ():
            links.setdefault(canonical(url), Link(url=url, key=canonical(url), lane="post", found_on=feed_url))
    return list(links.values())


@contextmanager
def _crew(blog: Blog, known: Known, work: Work) -> Iterator[Crew]:
    """The tools of one crawl; whatever was handed to the writer is safe when it is left."""
    writer = GroupWriter(work.archive)
    crew = Crew(
        blog=blog, known=known, scope=Scope(blog.home, blog.scope), settings=work.settings, web=work.web,
        archive=work.archive, writer=writer, tally=work.tally, this_year=datetime.now(UTC).year,
        on_safe=_counting(work), copies=Copies(blog.id),
    )
    for key in work.archive.known_keys(blog.id):
        crew.is_new(key)
    try:
        yield crew
    finally:
        writer.close()


def _counting(work: Work) -> Callable[[Acknowledged], None]:
    """Figures count what is safe, not what was seen."""

    def count(safe: Acknowledged) -> None:
        tally = work.tally
        tally.posts += safe.visit.outcome == "post"
        tally.new_posts += safe.kept == "new"
        tally.changed_posts += safe.kept == "changed"
        tally.aliases += safe.kept == "alias"
        tally.media += safe.visit.outcome == "media"
        work.on_safe(safe)

    return count


def _begin(crew: Crew, work: Work, *, is_update: bool = False) -> Crawl:
    crawl = Crawl(crew, is_update=is_update)
    work.tally.doing = "visiting pages"
    work.crawl = crawl
    if work.interrupted:
        crawl.interrupt()
    return crawl


async def _run(crawl: Crawl) -> Stop:
    """The crawl to its end, and every robots.txt that allowed or forbade something on the way."""
    stop = await crawl.run()
    crew = crawl.crew
    for visit in _robots_visits(crew.blog, crew.web):
        await crew.submit(visit)
    await crew.drain()
    if stop.ending == "complete":
        crew.archive.set_aside(crew.blog.id, reason="not visited: nothing new was expected behind it")
    return stop


async def _store_feed(crew: Crew, feed_url: str, answer: Fetched) -> None:
    crew.is_new(canonical(feed_url))
    for visit in _feed_visits(crew.blog, feed_url, answer, crew.web):
        await crew.submit(visit)


def _feed_visits(blog: Blog, feed_url: str, answer: Fetched, web: Web) -> list[Visit]:
    """The feed as it was answered, and the robots.txt that allowed asking for it."""
    key = canonical(feed_url)
    feed = Visit(blog_id=blog.id, url=feed_url, key=key, outcome="feed", exchanges=answer.exchanges)
    return [feed, *_robots_visits(blog, web)]


def _robots_visits(blog: Blog, web: Web) -> list[Visit]:
    return [
        Visit(blog_id=blog.id, url=each.url, key=canonical(each.url), outcome="robots", exchanges=(each,))
        for each in web.robots_exchanges()
    ]


def _finish(crew: Crew, run: int, ending: Ending, reason: str) -> Report:
    """Write down how it ended; a blog that was visited to its end is updated from now on."""
    archive, tally = crew.archive, crew.tally
    held = archive.counts(crew.blog.id).posts
    failed = max(tally.failed, archive.count_failing(crew.blog.id))
    if ending == "complete" and failed:
        ending, reason = "incomplete", f"{reason}; {failed} addresses could not be fetched"
    if ending == "complete" and held == 0:
        ending, reason = "nothing", "no page of this blog could be read as a post"
    if ending in {"complete", "incomplete"}:
        archive.update_blog(crew.blog.id, state="finished", crawled_at=datetime.now(UTC))
    tally.doing = "done"
    archive.end_run(run, reason=reason, counts=_figures(tally))
    _add_to_ledger(archive, crew.web.ledger())
    return Report(blog=crew.blog.home, ending=ending, reason=reason, tally=tally, held=held)


def _add_to_ledger(archive: Archive, ledger: Iterable[Ledger]) -> None:
    """What was asked of each host, over all runs: `everlog status --politeness` shows it."""
    kept: dict[str, dict[str, float]] = json.loads(archive.recall(None, "ledger") or "{}")
    for entry in ledger:
        old = kept.get(entry.host, {})
        kept[entry.host] = {
            "requests": old.get("requests", 0) + entry.requests,
            "bytes": old.get("bytes", 0) + entry.bytes,
            "waited_seconds": round(old.get("waited_seconds", 0) + entry.waited_seconds, 1),
            "slowed": old.get("slowed", 0) + entry.slowed,
            "delay_seconds": round(entry.delay_seconds, 2),
        }
    archive.remember(None, "ledger", json.dumps(kept))


def _remember_estimate(found: Found, known: Known, scope: Scope, blog: Blog, archive: Archive) -> None:
    """How many posts the front page promises, for `everlog status`."""
    if found.home_page is None:
        return
    page = found.home_page.page
    estimates = estimates_of_page(parse(page.body, page.content_type), found.home, scope, known)
    if estimates:
        best = max(estimates, key=lambda each: each.posts)
        archive.remember(blog.id, "estimate", json.dumps({"posts": best.posts, "why": best.why}))


def _figures(tally: Tally) -> dict[str, float]:
    names = ("posts", "new_posts", "changed_posts", "aliases", "pages", "media", "requests", "failed", "media_failed",
             "skipped", "noted", "seconds")
    return {name: getattr(tally, name) for name in names}
