"""Visits of files: of a requisite, kept with what it needs in turn, and of media; or not there for a reason."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.core.retry_policy import NOT_THERE
from everlog.core.tree import parse
from everlog.core.urls import host_of
from everlog.errors import UnreadablePage
from everlog.markup.media import FILES, START_BYTES, is_page_instead
from everlog.markup.revealing import suffix_of
from everlog.records import Exchange, Failure, Fetched, Visit
from everlog.replay.css_references import css_text
from everlog.replay.html_decode import html_text
from everlog.replay.requisites import (
    NONE_NEEDED,
    Requisites,
    requisites_of,
    requisites_of_css,
    requisites_of_manifest,
    requisites_of_svg,
)
from everlog.usecases.page.failures import visit_of_missed_file
from everlog.usecases.page.requisite_links import MOST_DEPTH, MOST_FRAME_DEPTH, keeps_requisites
from everlog.usecases.page.stored_pages import stored_exchange

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.records import Link
    from everlog.usecases.crawl.crawl_context import CrawlContext

NOT_MODIFIED = 304
HTML = ("text/html", "application/xhtml+xml")
SVG = "image/svg+xml"
PAGE_INSTEAD = "a page was sent in place of the file"
_DESIGN_FILES = frozenset(("css", "js", "mjs", "webmanifest", "eot"))


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
    is_guess = link.rank < 0
    if not is_guess and (_is_file(link.url) or (stored is not None and not _is_page(stored.content_type))):
        answer = without_page(answer)
    visit = Visit(blog_id=context.blog.id, url=link.url, key=link.key, lane="requisite", outcome="requisite")
    if isinstance(answer, Fetched):
        links = _links_of(answer.answer, link, context)
        return replace(visit, exchanges=answer.exchanges, links=links)
    if stored is not None:
        # What is held stays; it is looked at again as if it had not changed.
        return replace(visit, reason=answer.reason)
    if is_guess and answer.status in NOT_THERE:
        # No page named it: that there is nothing is an answer.
        return replace(visit, exchanges=answer.exchanges)
    missed = visit_of_missed_file(link, answer, context, now)
    if answer.exchanges and not _is_file(link.url):
        # A frame shows the error page, which has a design, too.
        return replace(missed, links=_links_of(answer.exchanges[-1], link, context))
    return missed


def without_page(answer: Fetched | Failure) -> Fetched | Failure:
    """The answer about a file; a failure, if it is a page that stands for one which is not there.

    Nothing of it is kept: as a capture of the file it would be shown in the place of an earlier one.
    """
    if isinstance(answer, Failure) or not stands_for_file(answer.answer):
        return answer
    answer.answer.let_go()
    return Failure(url=answer.url, trouble="http", reason=PAGE_INSTEAD, status=answer.answer.status)


def stands_for_file(answer: Exchange) -> bool:
    """Whether an answer about a file is a page."""
    if not 200 <= answer.status < 300:
        return False
    return is_page_instead(answer.header("content-type"), next(answer.chunks(), b"")[:START_BYTES])


def _links_of(answer: Exchange, link: Link, context: CrawlContext) -> tuple[Link, ...]:
    """What a requisite needs in turn and is not in the queue yet; what did not change was read when it came."""
    if answer.status == NOT_MODIFIED:
        return ()
    is_document = context.requisites.may_be_document(link.key)
    needed = needed_by(answer, depth=link.rank, home=context.blog.home, is_document=is_document)
    return tuple(context.requisites.new(needed, found_on=link.url, depth=int(max(link.rank, 0)) + 1))


def links_of_medium(answer: Exchange, link: Link, context: CrawlContext) -> tuple[Link, ...]:
    """What a picture of an article needs in turn: a drawing that the article shows as a document."""
    shown_at = context.requisites.shown_at(link.key)
    if shown_at is None or answer.status == NOT_MODIFIED or not keeps_requisites(context.settings):
        return ()
    needed = needed_by(answer, home=context.blog.home, depth=shown_at)
    return tuple(context.requisites.new(needed, found_on=link.url, depth=shown_at + 1))


def _is_file(url: str) -> bool:
    """Whether an address is one of a file by its name; frames, and what scripts send, are not."""
    return suffix_of(url) in FILES | _DESIGN_FILES


def _is_page(content_type: str | None) -> bool:
    return (content_type or HTML[0]).partition(";")[0].strip().lower() in HTML


def medium_held_as_requisite(link: Link, context: CrawlContext) -> Visit | None:
    """A picture of an article that was fetched as a requisite before: as it is stored, without a request."""
    if link.key not in context.promoted:
        return None
    capture = context.archive.captures.find(context.blog.id, link.url)
    held = stored_exchange(capture, context.archive) if capture is not None and capture.purpose == "requisite" else None
    if held is None or not held.size or stands_for_file(held):
        return None
    return Visit(
        blog_id=context.blog.id, url=link.url, key=link.key, outcome="media",
        exchanges=(replace(held, purpose="media"),),
    )


def needed_by(answer: Exchange, *, home: str, depth: float = 0.0, is_document: bool = True) -> Requisites:
    """What a requisite needs in turn: a style sheet, a manifest, or a frame or drawing that a page shows.

    `is_document` tells that it is shown as a document: in the place of a picture browsers ask for nothing that it
    names. Frames in frames are kept if they are on the host of the blog, as deep as anybody nests them; what is nested
    deeper than any design nests is left out.
    """
    if answer.status == NOT_MODIFIED or depth >= MOST_DEPTH:
        return NONE_NEEDED
    kind = (answer.header("content-type") or "").partition(";")[0].strip().lower()
    path = answer.url.partition("?")[0].lower()
    needed = NONE_NEEDED
    if kind == "text/css" or (kind in {"", "text/plain", "application/octet-stream"} and path.endswith(".css")):
        needed = requisites_of_css(css_text(answer.body, answer.header("content-type")), answer.url)
    elif kind == "application/manifest+json" or path.endswith((".webmanifest", "manifest.json")):
        needed = requisites_of_manifest(answer.body, answer.url)
    elif is_document and kind == SVG:
        needed = requisites_of_svg(html_text(answer.body, answer.header("content-type")), answer.url)
    elif is_document and kind in HTML and depth <= MOST_FRAME_DEPTH:
        needed = _needed_by_frame(answer)
    own = host_of(home) if depth < MOST_FRAME_DEPTH else None
    return replace(needed, kept=tuple(each for each in needed if each.kind != "frame" or host_of(each.url) == own))


def _needed_by_frame(answer: Exchange) -> Requisites:
    try:
        root = parse(answer.body, answer.header("content-type"))
    except UnreadablePage:
        return NONE_NEEDED
    return requisites_of(root, answer.url, answer.body, content_type=answer.header("content-type"))
