"""UpdateCrawl of a blog without a feed: its front page says what is new, its lists what came before that."""

from __future__ import annotations

import json
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING

from everlog.errors import UnreadablePage
from everlog.feeds.sitemaps import parse_sitemap
from everlog.flow.comparing import with_company
from everlog.flow.crawl import NOT_MODIFIED
from everlog.flow.discover import why_unreachable
from everlog.flow.known import drawn_page
from everlog.flow.relearning import stored_page
from everlog.flow.working import MOST_TRIES, begin, crew_of, finish, run_to_end, uncommented_posts
from everlog.links import page_links, trap
from everlog.records import Failure, Fetched, Link, Visit
from everlog.tree import parse
from everlog.urls import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.flow.crew import Crew
    from everlog.flow.known import Known
    from everlog.flow.report import Report
    from everlog.flow.working import Work
    from everlog.links import PageLink
    from everlog.records import Blog, Outcome

# A list that still shows one of the newest posts that are held leaves no gap. Of several, because the newest may
# have been taken back.
NEWEST = 5
# Lists that are searched for the newest posts, where the front page does not show them: those found first.
LISTS_SEARCHED = 100
FRONTS = "fronts"
MAPS = "maps"


async def revisit_blog(blog: Blog, known: Known, work: Work, run: int) -> Report:
    """What is new in a finished blog without a feed: on its front page, and on its lists if that leaves a gap."""
    archive = work.archive
    uncommented = uncommented_posts(blog, work)
    archive.requeue(blog.id, uncommented)
    archive.requeue_failed(blog.id, most_tries=MOST_TRIES)
    with crew_of(blog, known, work) as crew:
        work.tally.doing = "looking at the front page"
        answers = await _walk_back(crew)
        maps = await _ask_maps(crew)
        crawl = begin(crew, work, is_update=True)
        crawl.asks_anew = frozenset(uncommented)
        for link, answer in answers:
            await crawl.take_any(link, answer)
        for visit in maps:
            crawl.queue.add(visit.links)
            await crew.submit(visit)
        await crew.drain()
        stop = await run_to_end(crawl)
        is_quiet = stop.ending == "complete" and not (uncommented or work.tally.new_posts or work.tally.changed_posts)
        reason = "nothing new: the front page leads to no post that is not held" if is_quiet else stop.reason
        stop = await with_company(crew, work, stop)
        return finish(crew, run, stop.ending or "complete", reason if stop.ending == "complete" else stop.reason)


async def _walk_back(crew: Crew) -> list[tuple[Link, Fetched | Failure]]:
    """The front page and, while new posts are met and no held one of the newest, the lists it leads to."""
    fruitful = set(crew.archive.fruitful_pages(crew.blog.id))
    waiting = deque(_fronts(crew))
    answers: dict[str, tuple[Link, Fetched | Failure]] = {}
    met: set[str] = set()
    newest: set[str] | None = None
    while waiting:
        url = waiting.popleft()
        key = canonical(url)
        if key in answers:
            continue
        answer = await _ask(url, crew)
        answers[key] = Link(url=url, key=key, lane="page"), answer
        if isinstance(answer, Failure):
            crew.archive.remember(crew.blog.id, FRONTS, None)
            if key == canonical(crew.blog.home):
                raise why_unreachable(answer)
            continue
        links = await _links_of(answer, crew)
        fresh = {link.key for link in links if _is_news(link, crew)} - met
        if not fresh:
            continue
        met |= fresh
        newest = _newest(crew) if newest is None else newest
        if newest.isdisjoint(link.key for link in links):
            waiting += [link.url for link in links if link.key in fruitful]
    return list(answers.values())


async def _ask(url: str, crew: Crew, *, is_map: bool = False) -> Fetched | Failure:
    # What scripts write into a page may be new while the page itself is the same.
    is_conditional = is_map or not crew.rendering.draws_all
    known = crew.archive.capture_of(crew.blog.id, url) if is_conditional else None
    crew.tally.requests += 1
    return await crew.web.fetch(
        url, purpose="sitemap" if is_map else "page", etag=known.etag if known else None,
        last_modified=known.last_modified if known else None,
    )


async def _links_of(answer: Fetched, crew: Crew) -> list[PageLink]:
    if answer.answer.status == NOT_MODIFIED:
        return []
    if crew.rendering.draws_all:
        answer = await drawn_page(answer, crew.rendering)
    return _page_links(answer, crew)


def _page_links(answer: Fetched, crew: Crew) -> list[PageLink]:
    page = answer.page
    try:
        return page_links(parse(page.body, page.content_type), page.url, within=crew.scope)
    except UnreadablePage:
        return []


def _is_news(link: PageLink, crew: Crew) -> bool:
    return not crew.has_seen(link.key) and crew.known.judge.likely_post(link.url) and trap(link.url) is None


def _newest(crew: Crew) -> set[str]:
    """The keys of the newest posts that are held and say when they were published."""
    return set(crew.archive.newest_posts(crew.blog.id, limit=NEWEST, dated=True))


def _fronts(crew: Crew) -> list[str]:
    """The pages that show the newest posts first: the home page and, where that does not, the list that does."""
    archive, blog = crew.archive, crew.blog
    kept = archive.recall(blog.id, FRONTS)
    if kept is not None:
        return list(json.loads(kept))
    newest = _newest(crew)
    shown = {blog.home: _shown(blog.home, newest, crew)}
    if newest and not shown[blog.home]:
        lists = (f"http://{key}" for key in islice(archive.fruitful_pages(blog.id), LISTS_SEARCHED))
        shown |= {url: _shown(url, newest, crew) for url in _as_stored(lists, crew)}
    best = max(shown, key=lambda url: shown[url])
    fronts = list(dict.fromkeys((blog.home, best)))
    archive.remember(blog.id, FRONTS, json.dumps(fronts))
    return fronts


def _as_stored(urls: Iterable[str], crew: Crew) -> list[str]:
    captures = (crew.archive.capture_of(crew.blog.id, url) for url in urls)
    return [capture.url for capture in captures if capture is not None]


def _shown(url: str, newest: set[str], crew: Crew) -> int:
    """How many of the newest posts a stored page leads to."""
    stored = stored_page(url, crew.blog, crew.archive, drawn=crew.known.is_scripted)
    return len(newest & {link.key for link in _page_links(stored, crew)}) if stored is not None else 0


async def _ask_maps(crew: Crew) -> list[Visit]:
    """The maps of a site whose links did not lead everywhere, with the addresses that are new on them."""
    visits = []
    for url in json.loads(crew.archive.recall(crew.blog.id, MAPS) or "[]"):
        answer = await _ask(url, crew, is_map=True)
        if isinstance(answer, Failure):
            continue
        links = [
            Link(url=address, key=canonical(address), lane="post" if crew.known.judge.likely_post(address) else "page")
            for address, _ in parse_sitemap(answer.answer.body, answer.answer.url).urls
            if crew.scope.holds(address) and trap(address) is None and crew.is_new(canonical(address))
        ]
        outcome: Outcome = "unchanged" if answer.answer.status == NOT_MODIFIED else "feed"
        visits.append(Visit(
            blog_id=crew.blog.id, url=url, key=canonical(url), outcome=outcome, exchanges=answer.exchanges,
            links=tuple(links), new_posts=len(links),
        ))
    return visits
