"""Walk over a blog's history sources, the cheapest and surest first, until one has listed all of it.

Where a walk stands is kept with the blog after every answer, so that one that is killed goes on there. One that comes
to comments of posts whose pages are not fetched yet waits, and goes on when they are (`end_walks`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everlog.archive.blog_state import SourceState
from everlog.core.urls import canonical
from everlog.history import SOURCES, BlogClues, HistorySource, Told
from everlog.records import Blog, Failure
from everlog.usecases.crawl.crawl_context import INTERRUPTED, SLICE_OVER, CrawlRun, Stop
from everlog.usecases.discover.walk_history import ask, history_answer
from everlog.usecases.history.store_told import ToldStore

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.core.scope import Scope
    from everlog.usecases.discover.walk_history import ReadMap

# What interfaces list in one request.
LISTED_AT_ONCE = 100
# What is no answer of the interface: the walk goes on at the next run, where it was.
NO_ANSWER = frozenset({"rate-limited", "robots", "address", "dns", "connection", "proxy", "tls"})


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkEnd:
    """How a walk over a source ended. `is_over` is False for one that was stopped, and goes on at its cursor."""

    is_over: bool = True
    is_exhaustive: bool = False
    told: int = 0
    problem: str | None = None


async def walk_sources(blog: Blog, clues: BlogClues, scope: Scope, run: CrawlRun) -> bool:
    """Ask a blog's sources for its history; whether one of them has told all posts, or is about to.

    Sitemaps are read by whoever estimates the size of a blog, and are not asked here.
    """
    for source in SOURCES:
        entrance = source.entrance(clues) if source.grade != "C" else None
        if entrance is None or run.stop.interrupted:
            continue
        before = state_of(source, blog, run)
        if before is not None and before.cursor is None and before.is_exhaustive:
            return True
        state = before or SourceState(source=source.name, entrance=entrance.url, evidence=entrance.evidence)
        end = await walk_source(source, state, blog, scope, run)
        if end.problem is not None and (entrance.is_sure or end.told):
            run.tally.remarks.append(f"{source.name}: {end.problem}")
        if end.is_exhaustive or not end.is_over:
            return True
    return False


async def go_on_walking(blog: Blog, scope: Scope, run: CrawlRun) -> bool:
    """Go on with a walk that was stopped; whether a source has told all posts."""
    for state in run.archive.blogs.state(blog.id).history:
        source = next((each for each in SOURCES if each.name == state.source), None)
        # Pages of months end too, and may leave posts out.
        if source is None or source.grade == "C" or (state.cursor is None and not state.is_exhaustive):
            continue
        if state.cursor is None:
            return True
        end = await walk_source(source, state, blog, scope, run)
        return end.is_exhaustive or not end.is_over
    return False


async def end_walks(blog: Blog, scope: Scope, run: CrawlRun) -> Stop | None:
    """Go on with walks that waited for pages, or that a server put off; why the run is over, if it is.

    What a server puts off again is asked for at the next update.
    """
    for state in run.archive.blogs.state(blog.id).history:
        source = next((each for each in SOURCES if each.name == state.source), None)
        if source is None or state.cursor is None:
            continue
        await walk_source(source, state, blog, scope, run, has_pages=True)
        if run.stop.interrupted:
            return Stop("interrupted", INTERRUPTED)
        if run.stop.is_over and getattr(state_of(source, blog, run), "cursor", None) is not None:
            return Stop("limit", SLICE_OVER)
    return None


async def walk_source(
    source: HistorySource, state: SourceState, blog: Blog, scope: Scope, run: CrawlRun, *, has_pages: bool = False,
) -> WalkEnd:
    """One source, from its cursor to its end. `has_pages` says that all pages were fetched that could be."""
    cursor = json.loads(state.cursor) if state.cursor is not None else None
    if cursor is None:
        # What an earlier walk listed, and this one does not, is not there any more.
        run.archive.blogs.inventory.clear(blog.id, source.name)
        state = replace(state, claimed_before=None, total=None, comments_before=None, comments_total=None)
        state = replace(state, comments_shortfall=0, comments_read_at=None)
    walk = source.walk(state.entrance, cursor=cursor, wants_comments=run.settings.comments)
    store = ToldStore(source=source.name, blog=blog, scope=scope, run=run)
    told, problem, is_over = 0, None, False
    for _ in range(source.most_requests):
        request = walk.next_request()
        if request is None:
            # A server that wants to be left alone is asked again at the next run, from here on.
            is_over = not getattr(walk, "is_put_off", False)
            break
        if run.stop.interrupted or run.stop.is_over:
            break
        if request.tells == "comments" and not has_pages:
            if store.awaits_pages():
                break
            has_pages = True
        answer = await ask(request, run.fetcher)
        run.tally.requests += 1
        if isinstance(answer, Failure) and answer.trouble in NO_ANSWER:
            problem = why_unused(answer)
            keep_state(replace(state, problem=problem), blog, run)
            break
        said = walk.take(history_answer(answer))
        problem = said.problem or problem
        if not isinstance(answer, Failure):
            store.answer(request.url, answer, said)
        told += len(said.posts)
        state = replace(
            _with_totals(state, said), cursor=json.dumps(walk.cursor), problem=problem,
            comments_read_at=store.comments_read_at or state.comments_read_at,
        )
        keep_state(state, blog, run)
        run.tally.doing = _doing(source, state, store)
        # The ledger has what a walk asked for, however it ends.
        run.keep_host_stats()
    if is_over:
        state = replace(
            state, cursor=None, mark=json.dumps(walk.mark) if walk.mark is not None else None,
            is_exhaustive=walk.is_exhaustive, walked_at=run.now(), problem=problem,
            comments_shortfall=_comments_shortfall(state, blog, run),
        )
        keep_state(state, blog, run)
    if store.outside:
        run.tally.remarks.append(
            f"{source.name} lists {store.outside:,} posts that are not part of {blog.home}"
            f"; to archive them too:  everlog crawl {blog.home} --scope host",
        )
    return WalkEnd(is_over=is_over, is_exhaustive=walk.is_exhaustive, told=told, problem=problem)


def _with_totals(state: SourceState, told: Told) -> SourceState:
    """What a source counts: when it was first asked, and now."""
    total = state.total if told.total is None else told.total
    comments = state.comments_total if told.comments_total is None else told.comments_total
    before = total if state.claimed_before is None else state.claimed_before
    commented = comments if state.comments_before is None else state.comments_before
    return replace(state, claimed_before=before, total=total, comments_before=commented, comments_total=comments)


def _comments_shortfall(state: SourceState, blog: Blog, run: CrawlRun) -> int:
    """How many of the comments that a source counted before its walk it did not list."""
    if not state.comments_before:
        return 0
    return max(0, state.comments_before - run.archive.blogs.inventory.count_comments(blog.id, state.source))


def keep_listing(blog: Blog, maps: Iterable[ReadMap], scope: Scope, run: CrawlRun) -> None:
    """Keep which sitemaps list all posts that an interface told, where they are fewer requests than its own list."""
    for state in run.archive.blogs.state(blog.id).history:
        wanted = {post.key for post in run.archive.blogs.inventory.of(blog.id, state.source)}
        listing: list[str] = []
        missing = set(wanted)
        for each in maps if wanted else ():
            keys = {canonical(scope.page_urls(address)[0]) for address, _ in each.sitemap.urls}
            if keys & missing:
                listing.append(each.answer.url)
                missing -= keys
        is_cheaper = bool(listing) and not missing and len(listing) * LISTED_AT_ONCE < len(wanted)
        keep_state(replace(state, listing=tuple(listing) if is_cheaper else ()), blog, run)


def why_unused(failure: Failure) -> str:
    """Why a source gives no answer, for people: which of its addresses was asked for is nothing to them."""
    return "robots.txt disallows it" if failure.trouble == "robots" else failure.reason


def _doing(source: HistorySource, state: SourceState, store: ToldStore) -> str:
    total = f" of {state.total:,}" if state.total else ""
    return f"reading the history ({source.name}): {len(store.listed):,}{total} posts"


def state_of(source: HistorySource, blog: Blog, run: CrawlRun) -> SourceState | None:
    """What is known of a source of a blog."""
    return next((each for each in run.archive.blogs.state(blog.id).history if each.source == source.name), None)


def keep_state(state: SourceState, blog: Blog, run: CrawlRun) -> None:
    """Keep what is known of a source with the blog."""
    run.archive.blogs.change_state(blog.id, lambda before: replace(
        before, history=(*(each for each in before.history if each.source != state.source), state),
    ))
