"""UpdateCrawl through a blog's own interface: edits, deletions and comments on old posts, in a few requests.

    told_changes    what the interface says is new; None where it does not answer, and the feed is asked as ever
    visit_changes   the pages of what is new or changed, and of what is not listed any more

One request tells the newest change and the number of posts. Only where that number is not what is known is the list of
all posts asked for: one that is held and not on it is gone, which its page confirms.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from everlog.core.retry_policy import PAGE_TRIES
from everlog.core.urls import canonical
from everlog.feeds.sitemaps import parse_sitemap
from everlog.history import SOURCES, HistorySource, HistoryWalk
from everlog.history.source import ListingSource
from everlog.records import Blog, Failure, Link, PostKind
from everlog.usecases.crawl.lifecycle import begin, finish, open_context, run_to_end, store_feed, uncommented_posts
from everlog.usecases.crawl.report import Report, said_of_update
from everlog.usecases.discover.blog_scope import scope_of
from everlog.usecases.discover.walk_history import ask, history_answer
from everlog.usecases.history.store_told import ToldStore
from everlog.usecases.history.told_pages import set_told
from everlog.usecases.history.walk_sources import end_walks, keep_state
from everlog.usecases.learn.page_comparison import compared_anew, with_comparison_posts
from everlog.usecases.update.blog_liveness import all_is_well, due_rechecks, plan_rechecks
from everlog.usecases.update.comment_feed import SiteCommentFeed, fetch_comment_feed, known_feed, store_comment_feed
from everlog.usecases.update.feed_diff import FeedResponse, diff_feed, keep_diff

if TYPE_CHECKING:
    from collections.abc import Mapping

    from everlog.archive.blog_state import SourceState
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
    # A walk that waits until the pages of new posts are fetched: what it tells next are their comments.
    walk: HistoryWalk | None = None
    store: ToldStore | None = None

    @property
    def is_quiet(self) -> bool:
        """Whether there is nothing to ask the blog for."""
        return not (self.news or self.commented or self.gone or self.comment_feed.posts or self.walk)


async def told_changes(
    blog: Blog, run: CrawlRun, comment_feed: SiteCommentFeed | None = None,
) -> ToldChanges | None:
    """Ask the interface that told the blog's history what is new; None where there is none, or it fails.

    `comment_feed` is what the feed of all comments says, if it was asked already.
    """
    # What an earlier run left of a walk comes first: changes are told from its end.
    await end_walks(blog, scope_of(blog, run.archive), run)
    for state in run.archive.blogs.state(blog.id).history:
        source = next((each for each in SOURCES if each.name == state.source), None)
        if source is None or state.mark is None or not state.is_exhaustive:
            continue
        run.tally.doing = f"asking {source.name} for changes"
        if comment_feed is None:
            comment_feed = await fetch_comment_feed(blog, run)
        # The feed of all comments says whether there are new ones; where there is none, the interface does.
        has_feed = known_feed(blog, run.archive).url is not None
        wants_comments = run.settings.comments and (bool(comment_feed.new) or not has_feed)
        walk = source.changes(state.entrance, json.loads(state.mark), wants_comments=wants_comments)
        if walk is None:
            continue
        store = ToldStore(source=source.name, blog=blog, scope=scope_of(blog, run.archive), run=run, is_update=True)
        total, has_lost_pages = await take_all(walk, store, run, has_pages=False)
        waits = walk.next_request() is not None and not run.stop.interrupted
        if not waits and (not walk.is_exhaustive or walk.mark is None):
            return None
        # Posts that are new are in the inventory by now.
        inventory = run.archive.blogs.inventory
        known = sum(inventory.count(blog.id, source.name, kind=kind) for kind in ("post", "outside"))
        gone = await unlisted_posts(source, state, store, run) if total is not None and total != known else {}
        gone |= await unlisted_posts(source, state, store, run, kind="page") if has_lost_pages else {}
        return ToldChanges(
            source=source.name, news=store.news, commented=store.commented, gone=gone, comment_feed=comment_feed,
            state=_asked_again(state, walk, total, run),
            walk=walk if waits else None, store=store if waits else None,
        )
    return None


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


async def unlisted_posts(
    source: HistorySource, state: SourceState, store: ToldStore, run: CrawlRun, kind: PostKind = "post",
) -> dict[str, str]:
    """The posts that were listed before and are not any more, by the list that takes fewest requests."""
    inventory, blog = run.archive.blogs.inventory, store.blog
    before = inventory.of(blog.id, source.name, kind=kind)
    listed = await _on_sitemaps(state, store, run) if state.listing and kind == "post" else None
    if listed is None and isinstance(source, ListingSource):
        walk = source.listing(state.entrance, kind=kind, mark=json.loads(state.mark or "{}"))
        listing = _for_addresses(store)
        if walk is not None:
            await take_all(walk, listing, run)
            listed = listing.listed if walk.lists_all else None
    if listed is None:
        return {}
    lost = [post for post in before if post.key not in listed]
    inventory.remove(blog.id, source.name, [post.native_id for post in lost])
    return {post.key: post.url for post in lost}


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
    return replace(changes.state, mark=_mark_of(changes.walk) or changes.state.mark)


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


async def visit_changes(
    blog: Blog, learned: LearnedBlog, changes: ToldChanges, run: CrawlRun, run_id: int,
    response: FeedResponse | None = None,
) -> Report:
    """Fetch the pages of what an interface says is new, and see whether what it lists no more is gone.

    `response` is what the feed said that led here: it is kept, and names no news a second time.
    """
    archive = run.archive
    uncommented = uncommented_posts(blog, run)
    wanted = {**changes.news, **changes.commented} if run.settings.pages else {}
    links = [Link(url=url, key=key, lane="post", found_on=blog.home) for key, url in {**wanted, **changes.gone}.items()]
    archive.urls.enqueue(blog.id, links)
    # What is listed need not be looked at to be known to be there.
    listed = {post.key for post in archive.blogs.inventory.of(blog.id, changes.source)}
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
        if response is not None:
            await store_feed(context, response.answer.answer.url, response.answer)
            await context.drain()
            keep_diff(diff_feed(blog, response, archive), blog, archive)
        if stop.ending in {"complete", "incomplete"}:
            keep_state(state, blog, run)
        stop = await with_comparison_posts(context, stop)
        all_is_well(blog, run)
        plan_rechecks(blog, run)
        said = said_of_update(changes.source, f"{changes.source} names nothing new", run.tally)
        return finish(context, run_id, stop.ending or "complete", said if stop.ending == "complete" else stop.reason)
