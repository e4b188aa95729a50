"""Captures that others made, taken into the archive of a blog: stored, read, labelled. No request is made.

    take_captures     the captures of a blog, from wherever they come
    ForeignCapture    one of them
    Won               what they brought

A capture never stands in place of a live copy. Of a post that is held live it is an earlier version, if it differs; of
one that is not held, the post itself, until a visit of our own brings it (`archive.write.foreign_versions`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING

from everlog.archive.files.warc_writer import MADE
from everlog.core.urls import canonical
from everlog.errors import NothingToLearn
from everlog.importing.no_web import NoWeb
from everlog.records import Event, Fetched, Link, Media, Page, Visit
from everlog.usecases.crawl.lifecycle import open_context
from everlog.usecases.foreign.admission import Admission
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.learn.page_comparison import compared_anew
from everlog.usecases.page.copies import Copies
from everlog.usecases.page.page_context import PageContext
from everlog.usecases.page.pipeline import collect_comments, read_content, store
from everlog.usecases.page.post_media import entry_of, media_urls
from everlog.usecases.page.requisite_visits import needed_by, without_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import date, datetime

    from everlog.archive.write.record_batch import Acknowledged
    from everlog.core.fetcher import Fetcher
    from everlog.records import Blog, ForeignRow, Lane
    from everlog.replay.requisites import Requisites
    from everlog.usecases.crawl.crawl_context import CrawlContext, CrawlRun


# Requisites and days that are looked for in one run, for the memory's sake.
MOST_LOOKED_FOR = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignCapture:
    """A capture that others made, read when its turn comes: `open` gives its exchanges, or None if they are lost.

    The last exchange is the answer, with its `origin`, `captured_at` and `source_uri`; before it stand redirects that
    led to it and what a browser made of it (purpose `rendered`), if anybody has these.
    """

    url: str
    captured_at: datetime
    open: Callable[[], Fetched | None]

    @classmethod
    def of(cls, fetched: Fetched) -> ForeignCapture:
        """A capture that is at hand."""
        return cls(url=fetched.answer.url, captured_at=fetched.answer.seen_at, open=lambda: fetched)


@dataclass(slots=True, kw_only=True)
class Won:
    """What captures of others brought to a blog: each count is of things that were not there before, but for `known`.

    `earlier` are versions beside those of our own visits, `changed` newer versions of posts that are not held live.
    """

    captures: int = 0
    posts: int = 0
    changed: int = 0
    earlier: int = 0
    media: int = 0
    requisites: int = 0
    # Posts that captures said nothing new of.
    same: int = 0
    # Captures that were held already, and those that could not be read.
    known: int = 0
    lost: int = 0
    # The keys of posts that are held now and were not before.
    keys: list[str] = field(default_factory=list)
    # Why pages that were stored are no posts, counted.
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def is_empty(self) -> bool:
        return not (self.posts or self.changed or self.earlier or self.media or self.requisites)

    def note(self, safe: Acknowledged) -> None:
        """Count what is stored."""
        visit = safe.visit
        self.captures += bool(visit.exchanges)
        self.media += visit.outcome == "media"
        self.requisites += visit.outcome == "requisite"
        self.posts += safe.kept == "new"
        self.changed += safe.kept == "changed"
        self.earlier += safe.kept == "earlier"
        self.same += safe.kept in {"same", "alias"}
        if safe.kept == "new":
            self.keys.append(visit.post_key or visit.key)

    def add(self, more: Won) -> None:
        """What another call brought, for sums."""
        for name in ("captures", "posts", "changed", "earlier", "media", "requisites", "known", "lost"):
            setattr(self, name, getattr(self, name) + getattr(more, name))
        self.keys += more.keys
        self.reasons += more.reasons

    def summary(self) -> str:
        """What was won, in a few words.

        >>> Won(posts=2, earlier=1).summary(), Won().summary()
        ('2 posts, 1 earlier version', 'nothing new')
        """
        named = (
            ("post", self.posts), ("newer version", self.changed), ("earlier version", self.earlier),
            ("picture or file", self.media), ("requisite", self.requisites),
        )
        plural = {"picture or file": "pictures and files"}
        told = [f"{count:,} {what if count == 1 else plural.get(what, what + 's')}" for what, count in named if count]
        return ", ".join(told) or "nothing new"


async def take_captures(
    blog: Blog, captures: Iterable[ForeignCapture], run: CrawlRun, *, source: str, others: Fetcher | None = None,
) -> Won:
    """Take the captures of a blog into its archive, whose lock the caller holds; those of one address in a row.

    They are read as pages of a crawl are, by the template of their time. What a page needs beside itself (its comment
    feed, its further pages, its pictures) is asked of `others`; `source` names where all this comes from, in the event
    log. What was taken before adds nothing, so a run that was killed is repeated.
    """
    learned = LearnedBlog.of(blog)
    if learned is None:
        raise NothingToLearn(f"{blog.home} has no learned rules yet", advice=f"everlog crawl {blog.home}")
    won = Won()

    def on_safe(safe: Acknowledged) -> None:
        won.note(safe)
        run.on_safe(safe)

    # A blog that was never visited to its end is, from here on, with the addresses that the captures name.
    row: ForeignRow = "done" if blog.state == "finished" else "queued"
    admission = Admission(archive=run.archive, blog_id=blog.id, row=row)
    # A browser would ask the web of today.
    settings = replace(run.settings, render="never")
    own = replace(run, fetcher=others or NoWeb(), browser=None, settings=settings, on_safe=on_safe)
    with open_context(blog, compared_anew(learned, blog, run.archive), own, foreign=admission) as context:
        await _Taking(context, admission, won).take_all(captures)
    _tell(blog, won, source, run)
    return won


@dataclass(slots=True)
class _Taking:
    """One run over captures."""

    context: CrawlContext
    admission: Admission
    won: Won
    # Those that call themselves copies of others, which may come later.
    waiting: list[ForeignCapture] = field(default_factory=list)
    # Requisites that were looked for, with the days of the pages that name them: their captures are of that time.
    _looked_for: set[tuple[str, date]] = field(default_factory=set)

    async def take_all(self, captures: Iterable[ForeignCapture]) -> None:
        for capture in self._in_order(captures):
            await self._take(capture)
        await self.context.drain()
        # Whose original has not come is a post of its own.
        self.context.copies = _NobodyWaits(self.context.blog.id)
        for capture in self.waiting:
            await self._take(capture)
        await self.context.drain()

    def _in_order(self, captures: Iterable[ForeignCapture]) -> Iterator[ForeignCapture]:
        """The captures of each address so that numbers follow time: backwards from a live copy, else forwards."""
        for key, group in groupby(captures, key=lambda each: canonical(each.url)):
            held = self.context.archive.posts.find("http://" + key)
            is_live = held is not None and held.origin == "live"
            yield from sorted(group, key=lambda each: each.captured_at, reverse=is_live)

    async def _take(self, capture: ForeignCapture) -> None:
        fetched = capture.open()
        if fetched is None:
            self.won.lost += 1
            return
        if not self.admission.is_new(fetched.answer):
            self.won.known += 1
            return
        context, key = self.context, canonical(fetched.answer.url)
        lane: Lane = "post" if context.learned.classifier.likely_post(fetched.answer.url) else "page"
        page = _page_of(fetched, Link(url=fetched.answer.url, key=key, lane=lane), context)
        context.is_new(key)
        read = read_content(page, context)
        if read is not None:
            await read
        if page.outcome == "retry":
            self.waiting.append(capture)
            return
        await collect_comments(page, context)
        await self._take_media(page)
        if page.kept:
            await self._take_requisites(page.reading.requisites, capture.captured_at.date())
        if self.admission.row == "done":
            # What is new on pages of another time is not what updates look for; pictures that nobody has are.
            page.links = [link for link in page.links if link.lane == "media"]
        if page.reason is not None:
            self.won.reasons[page.reason] += 1
        await store(page, context)

    async def _take_media(self, page: PageContext) -> None:
        """The pictures and files of a post: those that the others have, and links to the rest."""
        context = self.context
        if page.post is None or not context.settings.media:
            return
        keys = (page.link.key, canonical(page.post.url))
        urls = media_urls(page.post, entry_of(keys, context))
        page.post = replace(page.post, media=tuple(Media(url=url) for url in urls))
        for url in urls:
            link = Link(url=url, key=canonical(url), lane="media", found_on=page.link.url)
            answer = without_page(await context.fetcher.fetch(url, purpose="media"))
            if isinstance(answer, Fetched):
                context.is_new(link.key)
                await context.submit(Visit(
                    blog_id=context.blog.id, url=url, key=link.key, outcome="media", exchanges=answer.exchanges,
                ))
            elif context.is_new(link.key):
                page.links.append(link)


    async def _take_requisites(self, named: Requisites, day: date, depth: int = 0) -> None:
        """What a page needs to be shown, as far as the others have it: today's web has the design of today."""
        context = self.context
        for each in named:
            key = canonical(each.url)
            if (key, day) in self._looked_for or len(self._looked_for) >= MOST_LOOKED_FOR:
                continue
            self._looked_for.add((key, day))
            answer = await context.fetcher.fetch(each.url, purpose="requisite")
            if not isinstance(answer, Fetched):
                continue
            context.is_new(key)
            await context.submit(Visit(
                blog_id=context.blog.id, url=each.url, key=key, lane="requisite", outcome="requisite",
                exchanges=answer.exchanges,
            ))
            needed = needed_by(answer.answer, home=context.blog.home, depth=depth, is_document=each.is_document)
            await self._take_requisites(needed, day, depth + 1)


class _NobodyWaits(Copies):
    """Copies at the end of a run: what they wait for is there by now, or never comes."""

    def has_room(self) -> bool:
        return False


def _page_of(fetched: Fetched, link: Link, context: CrawlContext) -> PageContext:
    made = tuple(each for each in fetched.exchanges if each.purpose in MADE)
    plain = replace(fetched, exchanges=tuple(each for each in fetched.exchanges if each.purpose not in MADE))
    page = PageContext(link=link, fetched=plain, made=made)
    drawn = next((each for each in made if each.purpose == "rendered"), None)
    if drawn is not None and context.learned.is_scripted:
        page.rendered = Page(
            url=plain.answer.url, body=drawn.body, content_type=drawn.header("content-type"), fetched_at=drawn.seen_at,
        )
    return page


def _tell(blog: Blog, won: Won, source: str, run: CrawlRun) -> None:
    """A line in the event log, if anything was won."""
    if not won.is_empty:
        detail = {"posts": won.posts, "changed": won.changed, "earlier": won.earlier, "media": won.media,
                  "requisites": won.requisites}
        run.archive.events.add([Event(
            blog_id=blog.id, kind="captures", at=run.now(), reason=f"taken from {source}: {won.summary()}",
            detail=detail,
        )])
