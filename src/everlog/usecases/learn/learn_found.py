"""Learning a blog that was found: its feed's pages, what belongs to it, and how its posts are read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everlog.extract.learn_blog import PAGES_USED
from everlog.usecases.discover.aliased_fetcher import aliased
from everlog.usecases.discover.blog_aliases import alias_of_entries, find_aliases, stated_alias
from everlog.usecases.discover.blog_scope import may_widen, new_scope, widened
from everlog.usecases.learn.learned_blog import fetch_entries, learn_blog, nothing_fetched, rendered_where_needed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from everlog.core.fetcher import Fetcher
    from everlog.core.scope import Scope
    from everlog.records import Fetched
    from everlog.usecases.discover.discover_blog import Found
    from everlog.usecases.learn.learned_blog import LearnedBlog
    from everlog.usecases.page.rendering import Rendering


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnResult:
    """What a blog taught: `pages` are those of its feed's entries as they were sent, `shown` as they were read."""

    found: Found
    scope: Scope
    learned: LearnedBlog
    pages: Mapping[str, Fetched]
    shown: Mapping[str, Fetched]


async def learn_found(found: Found, rendering: Rendering) -> LearnResult:
    """Learn a blog from its feed's pages; from here on its aliases are part of the web that it is fetched from."""
    settings = rendering.settings
    scope = new_scope(found.home, settings)
    fetcher = aliased(rendering.fetcher, scope)
    answers = await _entries(found, fetcher, scope)
    if may_widen(settings):
        scope = widened(scope, found.feed, found.feed_url, {link: each.page.url for link, each in answers.items()})
    pages = {link: answer for link, answer in answers.items() if scope.is_own(answer.page.url)}
    if not pages and answers:
        alias = alias_of_entries(found, answers, scope)
        if alias is None:
            raise nothing_fetched(found, answers.values())
        scope = replace(scope, aliases=(*scope.aliases, alias))
        pages = {link: answer for link, answer in answers.items() if scope.is_own(answer.page.url)}
    shown, shown_pages = await rendered_where_needed(found, pages, rendering)
    learned = learn_blog(shown, shown_pages, scope, is_scripted=rendering.is_scripted)
    scope = replace(scope, aliases=await find_aliases(shown, shown_pages, learned, scope, fetcher))
    rendering.fetcher = aliased(fetcher, scope)
    return LearnResult(found=shown, scope=scope, learned=learned, pages=pages, shown=shown_pages)


def learning_step(found: Found) -> str:
    """What is being done while a blog is learned, for progress displays."""
    posts = min(PAGES_USED, len(found.feed.entries))
    return f"learning from {posts} posts of the feed" if found.feed_url else f"learning from {posts} posts"


async def _entries(found: Found, fetcher: Fetcher, scope: Scope) -> Mapping[str, Fetched]:
    """The pages of the feed's entries: where the blog says that its home is elsewhere, at the same path here first."""
    stated = stated_alias(found, scope)
    if stated is not None:
        here = await fetch_entries(found, fetcher, replace(scope, aliases=(*scope.aliases, stated)))
        if any(scope.is_own(answer.page.url) for answer in here.values()):
            return here
    return await fetch_entries(found, fetcher, scope)
