"""What one look at a page tells: all of reading that needs a processor, and nothing of a crawl's memory.

    PageInput     a page, and what is known of it before it is opened
    ReadContext   what pages of the blog are read by: its rules, those of its former designs, what belongs to it
    PageReading   what was read; `pipeline` decides what becomes of it

The same input in the same context gives the same reading, so a page may be read again at any time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from everlog.comments.comment_feeds import comment_feed_url
from everlog.comments.services import Service, embedded, read_service
from everlog.core.links import links_left_out, page_links
from everlog.core.tree import drop, parse
from everlog.errors import UnreadablePage
from everlog.extract.classify import noarchive
from everlog.extract.classify.post_paging import NO_PAGES, Paging, drop_page_links, first_page, paging_of
from everlog.records import Entry, Page, Post, Skip

if TYPE_CHECKING:
    from everlog.comments.comment_markup import Thread
    from everlog.core.links import Scope
    from everlog.core.tree import Element
    from everlog.usecases.learn.learned_blog import LearnedBlog
    from everlog.usecases.learn.template_history import TemplateHistory


class Evidence(NamedTuple):
    """What a page says about its comments before it is taken apart."""

    services: tuple[Service, ...] = ()
    feed: str | None = None
    threads: tuple[Thread, ...] = ()


NOTHING_SAID = Evidence()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageInput:
    """A page to look at; `comments_feed` is the one that the blog's feed names for its post.

    `may_be_kept` is False where a header asks that it is not: then only its links are looked at. `ignores_robots`
    says that the user wants pages whatever they ask.
    """

    page: Page
    comments_feed: str | None = None
    may_be_kept: bool = True
    ignores_robots: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadContext:
    """What a blog's pages are read by; pages of another time, or in another dress, by what was known then."""

    scope: Scope
    present: LearnedBlog
    template_history: TemplateHistory


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReading:
    """What a look at a page told.

    `links` are the addresses of the blog on it, each with its key, `outside` those that may be but lie beyond its
    scope. `kind` is None where the page is unreadable or is
    not to be kept. `is_present` says that it was read by what is known of the blog now, not before a redesign;
    `claim` is the key of the post that it says it is. `paging` are the further pages of the post; `part_of` is the
    address of the post that the page itself continues, which is no post of its own then.
    """

    unreadable: str | None = None
    links: tuple[tuple[str, str], ...] = ()
    outside: tuple[tuple[str, str], ...] = ()
    may_be_kept: bool = True
    kind: Literal["post", "listing", "page"] | None = None
    note: str | None = None
    by_url: bool = True
    is_present: bool = True
    claim: str | None = None
    evidence: Evidence = NOTHING_SAID
    found: Post | Skip | None = None
    paging: Paging = NO_PAGES
    part_of: str | None = None


def look(sheet: PageInput, read_context: ReadContext) -> PageReading:
    """All that a page tells."""
    page = sheet.page
    try:
        root = parse(page.body, page.content_type)
    except UnreadablePage as error:
        return PageReading(unreadable=error.message)
    # Reading takes the tree apart, so what needs the whole page comes first.
    links = tuple((link.url, link.key) for link in page_links(root, page.url, within=read_context.scope))
    outside = tuple(links_left_out(root, page.url, beyond=read_context.scope))
    if not sheet.ignores_robots and (not sheet.may_be_kept or noarchive(root)):
        return PageReading(links=links, outside=outside, may_be_kept=False)
    known = read_context.template_history.known_for(root, page.fetched_at, read_context.present)
    is_present = known is read_context.present
    verdict = known.classifier.verdict(page.url, root)
    first = first_page(root, page.url) if verdict.kind == "post" else None
    if verdict.kind != "post" or first is not None:
        return PageReading(
            links=links, outside=outside, kind=verdict.kind if first is None else "page", note=verdict.note,
            by_url=verdict.by_url, is_present=is_present, part_of=first[0] if first is not None else None,
        )
    claim = known.classifier.identity(page.url, root)
    evidence = _evidence_of(root, sheet)
    paging = paging_of(root, page.url)
    return PageReading(
        links=links, outside=outside, kind="post", note=verdict.note, by_url=verdict.by_url, is_present=is_present,
        claim=claim, evidence=evidence, paging=paging,
        found=read_page(root, page, known, is_split=bool(paging.text)),
    )


def read_page(root: Element, page: Page, known: LearnedBlog, *, is_split: bool) -> Post | Skip:
    """The post of a page by what is known of its blog; without the links to its pages, if it is split over several."""
    if is_split:
        drop_page_links(root, page.url)
    return known.template.reader.read_parsed(root, page.url, page.fetched_at, is_post=True)


def _evidence_of(root: Element, sheet: PageInput) -> Evidence:
    """Where the comments of a page's post may be; what a browser drew of them is taken out of the page."""
    page = sheet.page
    services = embedded(root)
    entry = Entry(link=page.url, comments_feed=sheet.comments_feed) if sheet.comments_feed else None
    feed = comment_feed_url(root, page.url, entry=entry)
    drawn = [frame for frame in root.iter("template") if frame.get("data-everlog-frame") is not None]
    threads: list[Thread | None] = []
    if root.get("data-everlog-rendered") is not None:
        threads = [read_service(root, page.url, service, fetched_at=page.fetched_at) for service in services]
    drop(drawn)
    return Evidence(services=services, feed=feed, threads=tuple(thread for thread in threads if thread is not None))
