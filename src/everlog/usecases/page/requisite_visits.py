"""Visit of a requisite: asked for once, kept with what it needs in turn, or not there for a reason."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.core.retry_policy import NOT_THERE
from everlog.core.tree import parse
from everlog.errors import UnreadablePage
from everlog.records import Exchange, Failure, Fetched, Visit
from everlog.replay.css_references import css_text
from everlog.replay.requisites import Requisite, requisites_of, requisites_of_css, requisites_of_manifest
from everlog.usecases.page.failures import visit_of_missed_file
from everlog.usecases.page.requisite_links import MOST_DEPTH
from everlog.usecases.page.stored_pages import stored_exchange

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.records import Link
    from everlog.usecases.crawl.crawl_context import CrawlContext

NOT_MODIFIED = 304
HTML = ("text/html", "application/xhtml+xml")


async def visit_of_requisite(link: Link, context: CrawlContext, now: datetime) -> Visit:
    """Ask for a requisite; if it was held before, with the condition that it changed.

    What a browser was answered while it rendered a page is not asked for again.
    """
    is_known = link.key in context.requisites.known
    stored = context.archive.captures.find(context.blog.id, link.url) if is_known else None
    drawn = context.rendering.answered(link.url) if stored is None else None
    answer: Fetched | Failure
    if drawn is not None:
        answer = Fetched(url=link.url, exchanges=(drawn,))
    else:
        answer = await context.fetcher.fetch(
            link.url, purpose="requisite", etag=stored.etag if stored else None,
            last_modified=stored.last_modified if stored else None,
        )
    visit = Visit(blog_id=context.blog.id, url=link.url, key=link.key, lane="requisite", outcome="requisite")
    if isinstance(answer, Fetched):
        needed = needed_by(answer.answer, depth=link.rank)
        links = context.requisites.new(needed, found_on=link.url, depth=int(max(link.rank, 0)) + 1)
        return replace(visit, exchanges=answer.exchanges, links=tuple(links))
    if stored is not None:
        # What is held stays; it is looked at again as if it had not changed.
        return replace(visit, reason=answer.reason)
    if link.rank < 0 and answer.status in NOT_THERE:
        # No page named it: that there is nothing is an answer.
        return replace(visit, exchanges=answer.exchanges)
    return visit_of_missed_file(link, answer, context, now)


def medium_held_as_requisite(link: Link, context: CrawlContext) -> Visit | None:
    """A picture of an article that was fetched as a requisite before: as it is stored, without a request."""
    if link.key not in context.promoted:
        return None
    capture = context.archive.captures.find(context.blog.id, link.url)
    held = stored_exchange(capture, context.archive) if capture is not None and capture.purpose == "requisite" else None
    if held is None or not held.size:
        return None
    return Visit(
        blog_id=context.blog.id, url=link.url, key=link.key, outcome="media",
        exchanges=(replace(held, purpose="media"),),
    )


def needed_by(answer: Exchange, *, depth: float = 0.0) -> tuple[Requisite, ...]:
    """What a requisite needs in turn: a style sheet, a manifest, or a frame that a page shows.

    Frames inside of frames are left out, and so is what is nested deeper than any design nests.
    """
    if answer.status == NOT_MODIFIED or depth >= MOST_DEPTH:
        return ()
    kind = (answer.header("content-type") or "").partition(";")[0].strip().lower()
    path = answer.url.partition("?")[0].lower()
    if kind == "text/css" or (kind in {"", "text/plain", "application/octet-stream"} and path.endswith(".css")):
        return requisites_of_css(css_text(answer.body, answer.header("content-type")), answer.url)
    if kind == "application/manifest+json" or path.endswith((".webmanifest", "manifest.json")):
        return requisites_of_manifest(answer.body, answer.url)
    if kind in HTML and depth <= 0:
        try:
            root = parse(answer.body, answer.header("content-type"))
        except UnreadablePage:
            return ()
        return tuple(each for each in requisites_of(root, answer.url) if each.kind != "frame")
    return ()
