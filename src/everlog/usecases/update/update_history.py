"""UpdateCrawl through a blog's own interface: edits, deletions and comments on old posts, in a few requests.

    told_changes    what the interface says is new; None where it does not answer, and the feed is asked as ever
    visit_changes   the pages of what is new or changed, and of what is not listed any more
    keep_changes    the end of it: from here on changes are told. Whoever is killed before is told the same again

One request tells the newest change and the number of posts. Only where that number is not what is known is the list of
all posts asked for: one that is held and not on it is gone, which its page confirms.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from everlog.core.retry_policy import NOT_THERE, PAGE_TRIES
from everlog.core.urls import canonical
from everlog.feeds.sitemaps import parse_sitemap
from everlog.history import SOURCES, HistorySource, HistoryWalk
from everlog.history.source import ListingSource
from everlog.records import Blog, Failure, Link, PostKind, Visit
from everlog.usecases.crawl.lifecycle import begin, finish, open_context, run_to_end, uncommented_posts
from everlog.usecases.crawl.report import Report, said_of_update
from everlog.usecases.discover.blog_scope import scope_of
from everlog.usecases.discover.walk_history import ask, history_answer
from everlog.usecases.history.store_told import ToldStore
from everlog.usecases.history.told_pages import set_told
from everlog.usecases.history.walk_sources import end_walks, keep_state
from everlog.usecases.learn.page_comparison import compared_anew, with_comparison_posts
from everlog.usecases.update.blog_liveness import all_is_well, due_rechecks, plan_rechecks
from everlog.usecases.update.comment_feed import SiteCommentFeed, fetch_comment_feed, known_feed, store_comment_feed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from everlog.archive.blog_state import SourceState
    from everlog.archive.repos.inventory import InventoryPost
    from everlog.usecases.crawl.crawl_context import CrawlRun, Stop
    from everlog.usecases.learn.learned_blog import LearnedBlog

# Changes of more posts than this are a move or an import: the walk begins anew at the next crawl.
MOST_REQUESTS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldChanges:
    """What an interface says is new since it was last asked: posts by their keys, with their addresses."""

    source: str
    news: Mapping[str, str] = field(default_factory=dict)
    commented: Mapping[str, str] = field(default_factory=dict)
    gone: Mapping[str, str] = field(default_factory=dict)
    state: SourceState
    comment_feed: SiteCommentFeed
    # What the source calls the posts that it lists no more, and whether all that are gone are among them.
    lost: tuple[str, ...] = ()
    is_counted: bool = False
    # A walk that waits until the pages of new posts are fetched: what it tells next are their comments.
    walk: HistoryWalk | None = None
    store: ToldStore | None = None
    # How many comments the source listed before it was asked.
    comments_listed: int = 0

    @property
    def is_quiet(self) -> bool:
        """Whether there is nothing to ask the blog for."""
        return not (self.news or self.commented or self.gone or self.comment_feed.posts or self.walk)


def has_interface(blog: Blog, run: CrawlRun) -> bool:
    """Whether a source that told the blog's history can be asked what is new."""
    return any(
        source.changes(state.entrance, mark, wants_comments=False) is not None
        for source, state, mark in _telling(blog, run)
    )


def _telling(blog: Blog, run: CrawlRun) -> Iterator[tuple[HistorySource, SourceState, Mapping[str, Any]]]:
    """The sources that told all of the blog's history, with the marks of their walks."""
    for state in run.archive.blogs.state(blog.id).history:
        source = next((each for each in SOURCES if each.name == state.source), None)
        if source is not None and state.mark is not None and state.is_exhaustive:
            yield source, state, json.loads(state.mark)


async def told_changes(
    blog: Blog, run: CrawlRun, comment_feed: SiteCommentFeed | None = None,
) -> ToldChanges | None:
    """Ask the interface that told the blog's history what is new; None where there is none, or it fails.

    `comment_feed` is what the feed of all comments says, if it was asked already.
    """
    # What an earlier run left of a walk comes first: changes are told from its end.
    await end_walks(blog, scope_of(blog, run.archive), run)
    for source, state, mark in _telling(blog, run):
        run.tally.doing = f"asking {source.name} for changes"
        if comment_feed is None:
            comment_feed = await fetch_comment_feed(blog, run)
        # The feed of all comments says whether there are new ones; where there is none, the interface does.
        has_feed = known_feed(blog, run.archive).url is not None
        wants_comments = run.settings.comments and (bool(comment_feed.new) or not has_feed)
        walk = source.changes(state.entrance, mark, wants_comments=wants_comments)
        if walk is not None:
            store = ToldStore(source=source.name, blog=blog, scope=scope_of(blog, run.archive), run=run, is_update=True)
            return await _told_by(source, state, walk, store, comment_feed)
    return None


async def _told_by(
    source: HistorySource, before: SourceState, walk: HistoryWalk, store: ToldStore, comment_feed: SiteCommentFeed,
) -> ToldChanges | None:
    """What a walk over changes tells, and which posts are not listed any more, where their number says so."""
    run = store.run
    comments_listed = run.archive.blogs.inventory.count_comments(store.blog.id, source.name)
    total, has_lost_pages = await take_all(walk, store, run, has_pages=False)
    waits = walk.next_request() is not None and not run.stop.interrupted
    if not waits and (not walk.is_exhaustive or walk.mark is None):
        return None
    state = _asked_again(before, walk, total, run)
    if not waits:
        state = _with_comment_count(state, walk, store, listed=comments_listed)
    lost: list[InventoryPost] | None = []
    # Posts that are new are in the inventory by now.
    if total is not None and total - _listed(source, store) != before.surplus:
        lost = await _lost(source, before, store, run)
        if lost is not None:
            # The list may have named posts that no change told of.
            state = replace(state, surplus=total - _listed(source, store) + len(lost))
    lost_pages = await _lost(source, before, store, run, kind="page") if has_lost_pages else None
    gone = (*(lost or ()), *(lost_pages or ()))
    return ToldChanges(
        source=source.name, news=store.news, commented=store.commented, comment_feed=comment_feed, state=state,
        gone={post.key: post.url for post in gone}, lost=tuple(post.native_id for post in gone),
        is_counted=source.grade == "A" and lost is not None,
        walk=walk if waits else None, store=store if waits else None, comments_listed=comments_listed,
    )


async def take_all(
    walk: HistoryWalk, store: ToldStore, run: CrawlRun, *, has_pages: bool = True,
) -> tuple[int | None, bool]:
    """Make the requests of a walk and store what it tells.

    The number of posts that there are, as far as it says; and whether pages beside them are gone. Without `has_pages`
    it ends before comments of posts that are not held until their pages are.
    """
    total, has_lost_pages = None, False
    for _ in range(MOST_REQUESTS):
        request = walk.next_request()
        if request is None or run.stop.interrupted:
            break
        if request.tells == "comments" and not has_pages:
            if store.awaits_pages():
                break
            has_pages = True
        answer = await ask(request, run.fetcher)
        run.tally.requests += 1
        told = walk.take(history_answer(answer))
        total = told.total if told.total is not None else total
        has_lost_pages = has_lost_pages or told.has_lost_pages
        if not isinstance(answer, Failure):
            store.answer(request.url, answer, told)
    return total, has_lost_pages


async def _lost(
    source: HistorySource, state: SourceState, store: ToldStore, run: CrawlRun, kind: PostKind = "post",
) -> list[InventoryPost] | None:
    """The posts that were listed before and are not any more, by the list that takes fewest requests; None: no list."""
    before = run.archive.blogs.inventory.of(store.blog.id, source.name, kind=kind)
    listed = await _on_sitemaps(state, store, run) if state.listing and kind == "post" else None
    if listed is None and isinstance(source, ListingSource):
        walk = source.listing(state.entrance, kind=kind, mark=json.loads(state.mark or "{}"))
        listing = _for_addresses(store)
        if walk is not None:
            await take_all(walk, listing, run)
            listed = listing.listed if walk.lists_all else None
    return [post for post in before if post.key not in listed] if listed is not None else None


def _listed(source: HistorySource, store: ToldStore) -> int:
    """How many posts a source is known to list, also those that are no part of the blog."""
    inventory = store.run.archive.blogs.inventory
    return sum(inventory.count(store.blog.id, source.name, kind=kind) for kind in ("post", "outside"))


def _asked_again(state: SourceState, walk: HistoryWalk, total: int | None, run: CrawlRun) -> SourceState:
    """What is known of a source after its changes were told: what it counts now is what its list is held against."""
    total = state.total if total is None else total
    mark = _mark_of(walk) or state.mark
    return replace(state, mark=mark, claimed_before=total, total=total, walked_at=run.now())


def _mark_of(walk: HistoryWalk) -> str | None:
    return json.dumps(walk.mark) if walk.is_exhaustive and walk.mark is not None else None


async def _with_comments(changes: ToldChanges, stop: Stop, run: CrawlRun) -> SourceState:
    """The comments of posts whose pages are held by now; what is known of the source after them."""
    if changes.walk is None or changes.store is None or stop.ending != "complete":
        return changes.state
    await take_all(changes.walk, changes.store, run)
    state = _with_comment_count(changes.state, changes.walk, changes.store, listed=changes.comments_listed)
    return replace(state, mark=_mark_of(changes.walk) or state.mark)


def _with_comment_count(state: SourceState, walk: HistoryWalk, store: ToldStore, *, listed: int) -> SourceState:
    """What a source counts of comments after it was asked for new ones; `listed` is how many it had listed before.

    An interface may not count them when asked for new ones: then there are those more that it told.
    """
    state = replace(state, comments_read_at=store.comments_read_at or state.comments_read_at)
    before, count = state.comments_total, store.comments_total
    members = store.run.archive.blogs.inventory.count_comments(store.blog.id, store.source)
    if count is None:
        more, known = members - listed, state.comments_before
        return state if before is None else replace(
            state, comments_before=known + more if known is not None else None, comments_total=before + more,
        )
    # What a walk did not note when it was over, an update cannot tell from its counts.
    is_noted = not before or state.comments_before is not None
    if is_noted and walk.is_exhaustive:
        state = replace(state, comments_shortfall=_shortfall(state, listed=listed, counts=count, members=members))
    return replace(state, comments_before=count if is_noted else None, comments_total=count)


def _shortfall(state: SourceState, *, listed: int, counts: int, members: int) -> int:
    """How many comments a source counted that it did not list, by now.

    Deleted ones stay listed. So its count, less what it lists, can grow by such alone; that it falls tells nothing.
    """
    known, before = state.comments_shortfall, state.comments_total
    lacking = counts - members
    if before is None:
        return max(known, lacking)
    lacked = before - listed
    # What was written while a list was walked may belong on pages that had been read by then: an update tells it.
    if state.comments_before == before:
        known = max(known, lacked)
    return max(known, known + lacking - lacked, lacking)


def _for_addresses(store: ToldStore) -> ToldStore:
    """A store for a list of addresses: what it names is no news."""
    return ToldStore(source=store.source, blog=store.blog, scope=store.scope, run=store.run, is_update=True)


async def _on_sitemaps(state: SourceState, store: ToldStore, run: CrawlRun) -> set[str] | None:
    """The keys of the posts that the maps of the site list; None where one of them cannot be had."""
    listed: set[str] = set()
    for url in state.listing:
        answer = await run.fetcher.fetch(url, purpose="sitemap")
        run.tally.requests += 1
        if isinstance(answer, Failure):
            return None
        named = parse_sitemap(answer.answer.body, answer.answer.url).urls
        listed.update(canonical(store.scope.page_urls(address)[0]) for address, _ in named)
    return listed or None


def keep_changes(changes: ToldChanges, blog: Blog, run: CrawlRun, state: SourceState | None = None) -> None:
    """Keep what changes were told of, when all of them are stored: the next time later ones are."""
    if changes.lost:
        run.archive.blogs.inventory.remove(blog.id, changes.source, changes.lost)
    keep_state(state or changes.state, blog, run)


async def confirm_gone(changes: ToldChanges, blog: Blog, run: CrawlRun) -> None:
    """See whether the posts that are not listed any more are gone, of a blog whose other pages are not fetched."""
    for key, url in changes.gone.items():
        answer = await run.fetcher.fetch(url)
        run.tally.requests += 1
        if isinstance(answer, Failure) and answer.status in NOT_THERE:
            run.archive.commit([Visit(
                blog_id=blog.id, url=url, key=key, outcome="failed", reason=answer.reason, exchanges=answer.exchanges,
                is_unlisted=True,
            )])


async def visit_changes(
    blog: Blog, learned: LearnedBlog, changes: ToldChanges, run: CrawlRun, run_id: int,
) -> Report:
    """Fetch the pages of what an interface says is new, and see whether what it lists no more is gone."""
    archive = run.archive
    uncommented = uncommented_posts(blog, run)
    wanted = {**changes.news, **changes.commented} if run.settings.pages else {}
    links = [Link(url=url, key=key, lane="post", found_on=blog.home) for key, url in {**wanted, **changes.gone}.items()]
    archive.urls.enqueue(blog.id, links)
    # What is listed need not be looked at to be known to be there, where it would be noticed that it is not listed.
    listed = {post.key for post in archive.blogs.inventory.of(blog.id, changes.source) if changes.is_counted}
    due = [key for key in due_rechecks(blog, run) if key not in listed]
    archive.urls.requeue(blog.id, [*wanted, *changes.gone, *changes.comment_feed.posts, *due])
    if not run.goes_on:
        archive.urls.requeue(blog.id, uncommented)
        archive.urls.requeue_failed(blog.id, now=run.now(), most_tries=PAGE_TRIES)
    with open_context(blog, compared_anew(learned, blog, archive), run) as context:
        set_told(context, is_told=True)
        context.unlisted = frozenset(changes.gone)
        crawl = begin(context, is_update=True)
        crawl.refetched = frozenset((*uncommented, *wanted, *changes.comment_feed.posts))
        context.commenting.announced = changes.comment_feed.new
        stop = await run_to_end(crawl)
        state = await _with_comments(changes, stop, run)
        await store_comment_feed(changes.comment_feed, context, stop)
        if stop.ending in {"complete", "incomplete"}:
            keep_changes(changes, blog, run, state)
        stop = await with_comparison_posts(context, stop)
        all_is_well(blog, run)
        plan_rechecks(blog, run)
        said = said_of_update(changes.source, f"{changes.source} names nothing new", run.tally)
        return finish(context, run_id, stop.ending or "complete", said if stop.ending == "complete" else stop.reason)
