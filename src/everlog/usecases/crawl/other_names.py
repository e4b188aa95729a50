"""Other names of a blog that its own pages tell of, looked at when a crawl has visited all it could find.

Links of old posts name the address that the blog had then, ids of feeds the one it began at. A few requests tell
whether it is the same blog (`schedule.blog_names`). If so the address is kept as an alias, and what only links to it
tell of is looked for here. Updates ask nothing for this.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from everlog.core.scope import Alias
from everlog.core.urls import canonical, host_of
from everlog.records import Link, Visit
from everlog.schedule.blog_names import LEAST_LINKS, same_blog
from everlog.schedule.name_candidates import NameCandidate, name_candidates
from everlog.usecases.crawl.lifecycle import begin, run_to_end
from everlog.usecases.discover.aliased_fetcher import aliased
from everlog.usecases.discover.blog_scope import keep_places, may_widen
from everlog.usecases.discover.held_blog import is_home_of_another
from everlog.usecases.discover.name_evidence import NameFound, ask_evidence
from everlog.usecases.page.copies import FIRST
from everlog.usecases.page.stored_pages import stored_feed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from everlog.usecases.crawl.crawl_context import CrawlContext, Stop

# What is remembered of them between two parts of a crawl.
MOST_KEPT = 2_000
# Addresses that are looked at more closely, each with three requests at most.
MOST_CANDIDATES = 3
# The oldest of so many posts are asked for at another address.
MOST_COMPARED = 5_000
# Posts that only links to another name tell of, asked for here in one crawl.
MOST_UNMET = 500


def keep_named(context: CrawlContext) -> None:
    """For the parts of a crawl that follow: links to addresses that have some pages in common with the blog."""
    kept = {
        key: url for each in _candidates(context)
        for key, url in context.named.items() if host_of(each.home) == host_of(url)
    }
    short = dict(list(kept.items())[:MOST_KEPT])
    context.archive.blogs.change_state(context.blog.id, lambda state: replace(state, named=short))


async def with_other_names(context: CrawlContext, stop: Stop) -> Stop:
    """At the end of a crawl of all pages: other names of the blog, and the pages that these lead to."""
    if stop.ending != "complete":
        keep_named(context)
        return stop
    if context.archive.blogs.state(context.blog.id).named:
        context.archive.blogs.change_state(context.blog.id, lambda state: replace(state, named={}))
    looked_at: list[_LookedAt] = []
    for candidate in _candidates(context)[:MOST_CANDIDATES] if may_widen(context.settings) else ():
        if context.run.stop.interrupted:
            break
        context.tally.doing = f"looking at {candidate.home}, which the blog's pages name"
        looked_at.append(await _look_at(candidate, context))
    context.named.clear()
    unmet = {url: each.is_named for each in looked_at for url in each.unmet}
    ended = await _visit(dict(list(unmet.items())[:MOST_UNMET]), context) if unmet else stop
    for each in looked_at:
        for visit in _addresses(each, context):
            await context.submit(visit)
    await context.drain()
    return stop if ended.ending == "complete" else ended


async def _visit(urls: Mapping[str, bool], context: CrawlContext) -> Stop:
    """Pages of the blog that nothing led to before; those that nobody names, but for guesses, are missed by nobody."""
    links = [
        Link(url=url, key=canonical(url), lane="post", found_on=context.blog.home, rank=0.0 if is_named else FIRST)
        for url, is_named in urls.items()
    ]
    for link in links:
        context.is_new(link.key)
    context.archive.urls.enqueue(context.blog.id, links)
    return await run_to_end(begin(context))


def _addresses(looked_at: _LookedAt, context: CrawlContext) -> Iterator[Visit]:
    """The addresses of posts at another name, to be stored as theirs; nothing was asked for at most of them."""
    blog, archive = context.blog, context.archive
    for own, there in looked_at.addresses.items():
        held = archive.posts.key(blog.id, own)
        if held is not None and archive.posts.key(blog.id, canonical(there)) is None:
            yield Visit(
                blog_id=blog.id, url=there, key=canonical(there), outcome="post", post_key=held, settles=True,
                reason=f"another address of {held}",
            )


def _candidates(context: CrawlContext) -> list[NameCandidate]:
    feed = stored_feed(context.blog, context.archive) if not context.learned.without_feed else None
    return name_candidates(context.named, feed.entries if feed is not None else (), context.scope, context.has_seen)


@dataclass(frozen=True, slots=True, kw_only=True)
class _LookedAt:
    """What came of a candidate: pages to ask for here, and of a name of the blog the addresses there by keys here.

    `is_named` says that it is a name of the blog: its pages are those that links name, not guesses.
    """

    unmet: tuple[str, ...] = ()
    is_named: bool = False
    addresses: Mapping[str, str] = field(default_factory=dict)


async def _look_at(candidate: NameCandidate, context: CrawlContext) -> _LookedAt:
    """Ask a candidate for evidence; a name of the blog is kept as such."""
    blog, archive = context.blog, context.archive
    if is_home_of_another(candidate.home, blog, archive):
        return _LookedAt()
    posts = {key: url for key, url in candidate.posts.items() if archive.posts.key(blog.id, key) is not None}
    candidate = replace(candidate, posts=posts)
    oldest = archive.posts.newest(blog.id, limit=MOST_COMPARED)[::-1]
    found = await ask_evidence(candidate, blog.home, context.held, oldest, context.fetcher)
    context.tally.requests += found.requests
    sameness = same_blog(found.evidence)
    likely = context.learned.classifier.likely_post
    unmet = {url: there for url, there in candidate.unmet.items() if likely(url)}
    if sameness.is_same:
        _keep_name(candidate, found, sameness.signs, context)
        addresses = posts | {canonical(url): at for url, at in unmet.items()}
        return _LookedAt(unmet=tuple(unmet), addresses=addresses, is_named=True)
    # Pages of a host that is silent, or has forgotten all, can still be here.
    is_worth = len(posts) >= max(LEAST_LINKS, len(unmet)) and not found.evidence.other_posts
    return _LookedAt(unmet=tuple(unmet) if is_worth else ())


def _keep_name(candidate: NameCandidate, found: NameFound, signs: tuple[str, ...], context: CrawlContext) -> None:
    is_there = found.evidence.equal_posts > 0 and host_of(candidate.home) != host_of(context.blog.home)
    alias = Alias(home=candidate.home, here=True, followed=is_there, answers=not found.problem, evidence=signs)
    others = [each for each in context.scope.aliases if canonical(each.home) != canonical(alias.home)]
    context.scope = replace(context.scope, aliases=(*others, alias))
    context.fetcher = aliased(context.fetcher, context.scope)
    keep_places(context.blog, context.scope, context.archive)
