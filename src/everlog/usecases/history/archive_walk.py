"""Archive pages of a blog whose interface does not tell its posts: what those list that the crawl fetches is kept.

    ArchiveWalk           notes what each page of a month or year lists, from the links that were read with it
    ask_between           at the end of a crawl: the months in between that nobody links to
    keep_walked           after that: when the pages were read, and whether to the last one

The pages that are linked to are fetched by the crawl in its own order, and no page is fetched twice. A month that
nobody links to mostly has no posts, so that a few answers of "not found" end the search.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from everlog.archive.blog_state import SourceState
from everlog.archive.repos.inventory import InventoryPost
from everlog.core.retry_policy import NOT_THERE
from everlog.core.urls import canonical
from everlog.extract.classify.page_statements import without_copy
from everlog.history.archive_pages import SOURCE, ArchivePlan
from everlog.records import Failure, Link
from everlog.usecases.crawl.crawl_context import ENDED
from everlog.usecases.crawl.lifecycle import begin, run_to_end
from everlog.usecases.history.walk_sources import keep_state

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.archive import Archive
    from everlog.archive.models import FileRow
    from everlog.history import BlogClues
    from everlog.records import Blog
    from everlog.usecases.crawl.crawl_context import CrawlContext, CrawlRun, Stop

# Months in a row that brought nothing: so many requests more than it would make otherwise does a crawl make at most.
MOST_MISSES = 3


@dataclass(slots=True, kw_only=True)
class ArchiveWalk:
    """The archive pages of one blog, as its crawl comes to them; `brought` counts the new posts that they led to."""

    blog_id: int
    archive: Archive
    plan: ArchivePlan
    brought: int = 0
    _noted: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, blog: Blog, archive: Archive) -> ArchiveWalk | None:
        """The walk of a blog; None where its front page links to no archive pages."""
        state = next((each for each in archive.blogs.state(blog.id).history if each.source == SOURCE.name), None)
        return cls(blog_id=blog.id, archive=archive, plan=ArchivePlan.of(state.entrance)) if state is not None else None

    def take(self, url: str, links: Iterable[tuple[str, str]], new_posts: int) -> None:
        """Note what a page lists, if it is an archive page; the links on it wait in the queue as those of any page."""
        posts = self.plan.posts_on(url, links)
        if posts is None:
            return
        self.brought += new_posts
        fresh = {canonical(post): post for post in posts if post not in self._noted}
        self._noted.update(fresh.values())
        # A page of a post's comments is no post of its own.
        fresh = {key: post for key, post in fresh.items() if without_copy(key) == key}
        self.archive.blogs.inventory.add(self.blog_id, SOURCE.name, (
            InventoryPost(native_id=key, key=key, url=post) for key, post in fresh.items()
        ))


def keep_archive_pages(blog: Blog, clues: BlogClues, run: CrawlRun) -> None:
    """Keep which archive pages the front page links to, for this crawl and those that go on with it."""
    entrance = SOURCE.entrance(clues)
    if entrance is not None:
        keep_state(SourceState(source=SOURCE.name, entrance=entrance.url, evidence=entrance.evidence), blog, run)


def keep_walked(context: CrawlContext, stop: Stop) -> None:
    """Keep that the archive pages were read, and whether all of them that are linked to."""
    walk, archive, blog = context.archive_walk, context.archive, context.blog
    state = next((each for each in archive.blogs.state(blog.id).history if each.source == SOURCE.name), None)
    if walk is None or state is None or stop.ending not in ENDED:
        return
    keys = {canonical(url) for url in walk.plan.linked}
    rows = archive.urls.rows_of(blog.id, keys)
    missed = [key for key in keys if key not in rows or not _is_answered(rows[key])]
    keep_state(replace(
        state, is_exhaustive=stop.ending == "complete" and not missed, walked_at=context.run.now(),
        problem=f"{len(missed):,} of its pages were not read" if missed else None,
    ), blog, context.run)


def _is_answered(row: FileRow) -> bool:
    """Whether a month was read, or has no posts: its page is not there."""
    return row.status in NOT_THERE or (row.state == "done" and row.outcome != "skip")


async def ask_between(context: CrawlContext, stop: Stop) -> Stop:
    """At the end of a crawl: ask for months that nobody links to, and visit what they lead to."""
    walk = context.archive_walk
    months = [page for page in walk.plan.unlinked if not context.has_seen(canonical(page.url))] if walk else []
    if walk is None or not months or stop.ending != "complete":
        return stop
    context.tally.doing = "looking for months that nobody links to"
    crawl = begin(context)
    before, misses = walk.brought, 0
    for page in months:
        if misses >= MOST_MISSES or not crawl.goes_on():
            break
        answer = await context.fetcher.fetch(page.url)
        context.tally.requests += 1
        brought = walk.brought
        if not isinstance(answer, Failure) and canonical(answer.page.url) == canonical(page.url):
            await crawl.take_any(Link(url=page.url, key=canonical(page.url), lane="page"), answer)
        misses = misses + 1 if walk.brought == brought else 0
    await context.drain()
    if walk.brought == before and crawl.stop.ending is None:
        return stop
    return await run_to_end(crawl)
