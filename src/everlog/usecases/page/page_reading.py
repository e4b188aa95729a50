"""PageReading: what one page tells. All of reading that needs a processor, and nothing of a crawl's memory.

    read_page       a page, by the templates of its blog, to a `PageReading`; `apply_reading` decides what becomes of it
    read_part       the same for a further page of a post, which is not judged
    post_on_page    the post of a parsed page

The same page and templates give the same reading, so a page may be read again at any time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from everlog.comments.comment_feeds import comment_feed_url
from everlog.comments.mastodon_replies import Toot, may_name_toot, toot_of
from everlog.comments.services import Service, embedded, read_service
from everlog.comments.services.service import FRAME, RENDERED
from everlog.core.links import links_left_out, page_links
from everlog.core.selectors import marked_among
from everlog.core.tree import Element, drop, parse
from everlog.core.words import words
from everlog.errors import UnreadablePage
from everlog.extract.classify import noarchive
from everlog.extract.classify.post_paging import (
    NO_PAGES,
    Paging,
    drop_page_links,
    first_page,
    paging_of,
    post_of_comment_page,
)
from everlog.markup.password_form import MOST_WORDS_OF_A_FORM, has_password_form
from everlog.records import Entry, Page, Post, Skip
from everlog.replay.requisites import NONE_NEEDED, Requisites, requisites_of

if TYPE_CHECKING:
    from everlog.comments.comment_markup import Thread
    from everlog.core.scope import Scope
    from everlog.core.selectors import Marked
    from everlog.usecases.learn.learned_blog import LearnedBlog
    from everlog.usecases.learn.template_history import TemplateHistory


class Evidence(NamedTuple):
    """What a page says about its comments before it is taken apart."""

    services: tuple[Service, ...] = ()
    feed: str | None = None
    threads: tuple[Thread, ...] = ()
    # The toot that the page names for answers.
    toot: Toot | None = None


NOTHING_SAID = Evidence()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReading:
    """What reading a page told.

    `links` are the addresses of the blog on it, each with its key, `outside` those that may be but lie beyond its
    scope, `elsewhere` all that lead out of it. `kind` is None where the page is unreadable or is not to be kept.
    `is_present` says that it was read by what is learned of the blog now, not before a redesign; `claim` is the key of
    the post that it says it is, `neighbours` are those of its previous and next post. `paging` are the further pages of
    the post; `part_of` is the address of the post that the page itself continues, which is no post of its own then.
    """

    unreadable: str | None = None
    links: tuple[tuple[str, str], ...] = ()
    outside: tuple[tuple[str, str], ...] = ()
    elsewhere: tuple[tuple[str, str], ...] = ()
    may_be_kept: bool = True
    kind: Literal["post", "listing", "page"] | None = None
    note: str | None = None
    by_url: bool = True
    is_present: bool = True
    claim: str | None = None
    neighbours: frozenset[str] = frozenset()
    evidence: Evidence = NOTHING_SAID
    found: Post | Skip | None = None
    paging: Paging = NO_PAGES
    # What the page needs to be shown; nothing, where nobody keeps that.
    requisites: Requisites = NONE_NEEDED
    part_of: str | None = None
    # Whether the page shows a form for the password of its post in place of the article.
    asks_for_password: bool = False


def read_page(
    page: Page, templates: TemplateHistory, scope: Scope, *, comments_feed: str | None = None,
    says_noarchive: bool = False, obeys_noarchive: bool = True, with_requisites: bool = False,
) -> PageReading:
    """All that a page tells.

    `comments_feed` is the one that the blog's feed names for its post. Where a header says noarchive
    (`says_noarchive`), or the page itself does, only its links are read, unless the user wants it all the same.
    Who keeps what pages need to be shown asks for it (`with_requisites`).
    """
    try:
        root = parse(page.body, page.content_type)
    except UnreadablePage as error:
        return PageReading(unreadable=error.message)
    # lxml makes an object of an element whenever it is met, unless one is there: held here, each is made once.
    held = list(root.iter("*"))
    stated = cast("list[list[str]]", [element.keys() for element in held])
    marked = marked_among(held, stated)
    attributes = set[str]().union(*stated)
    # Reading takes the tree apart, so what needs the whole page comes first.
    beyond: list[tuple[str, str]] = []
    named = page_links(root, page.url, within=scope, elsewhere=beyond)
    links = tuple((link.url, link.key) for link in named)
    outside, elsewhere = tuple(links_left_out(root, page.url, beyond=scope)), tuple(beyond)
    if obeys_noarchive and (says_noarchive or noarchive(root)):
        return PageReading(links=links, outside=outside, elsewhere=elsewhere, may_be_kept=False)
    requisites = NONE_NEEDED
    if with_requisites:
        requisites = requisites_of(root, page.url, page.body, attributes, page.content_type)
    learned = templates.for_page(root, page.fetched_at)
    is_present = learned is templates.present
    verdict = learned.classifier.verdict(page.url, root, marked)
    first = first_page(root, page.url) if verdict.kind == "post" else None
    if verdict.kind != "post" or first is not None:
        return PageReading(
            links=links, outside=outside, elsewhere=elsewhere, kind=verdict.kind if first is None else "page",
            note=verdict.note, by_url=verdict.by_url, is_present=is_present,
            part_of=first[0] if first is not None else None, requisites=requisites,
        )
    claim = learned.classifier.identity(page.url, root)
    if scope.has_names:
        _, claim = scope.localized(f"http://{claim}", claim)
    frames = [frame for frame in root.iter("template") if frame.get(FRAME) is not None]
    evidence = _evidence_of(root, page, comments_feed)
    drop(frames)
    if may_name_toot(root, attributes.union(element.tag for element in held), marked):
        evidence = evidence._replace(toot=toot_of(root, page.url))
    paging = paging_of(root, page.url)
    has_form = has_password_form(root)
    found = post_on_page(root, page, learned, is_split=bool(paging.text), marked=None if frames else marked)
    held.clear()
    return PageReading(
        links=links, outside=outside, elsewhere=elsewhere, kind="post", note=verdict.note, by_url=verdict.by_url,
        is_present=is_present, claim=claim, evidence=evidence, paging=paging, found=found,
        requisites=requisites,
        asks_for_password=has_form and isinstance(found, Post) and len(words(found.text)) <= MOST_WORDS_OF_A_FORM,
        neighbours=frozenset(link.key for link in named if link.rel in {"next", "prev"}),
    )


def read_part(page: Page, templates: TemplateHistory, *, with_requisites: bool = False) -> PageReading:
    """What a further page of a post tells: it is read as the post's first page is, and not judged."""
    try:
        root = parse(page.body, page.content_type)
    except UnreadablePage as error:
        return PageReading(unreadable=error.message)
    if noarchive(root):
        return PageReading(may_be_kept=False)
    requisites = NONE_NEEDED
    if with_requisites:
        requisites = requisites_of(root, page.url, page.body, content_type=page.content_type)
    learned = templates.for_page(root, page.fetched_at)
    first, number = first_page(root, page.url) or (None, 1)
    commented = post_of_comment_page(page.url)
    post = first or (commented[0] if commented is not None else page.url)
    paging = paging_of(root, post, of=number)
    found = post_on_page(root, page, learned, is_split=first is not None or bool(paging.text))
    return PageReading(kind="post", paging=paging, part_of=first, found=found, requisites=requisites)


def post_on_page(
    root: Element, page: Page, learned: LearnedBlog, *, is_split: bool, marked: list[Marked] | None = None,
) -> Post | Skip:
    """The post of a page; without the links to its pages, if it is split over several."""
    if is_split:
        drop_page_links(root, page.url)
        marked = None
    return learned.template.reader.read_parsed(root, page.url, page.fetched_at, is_post=True, marked=marked)


def _evidence_of(root: Element, page: Page, comments_feed: str | None) -> Evidence:
    """Where the comments of a page's post may be."""
    services = embedded(root)
    entry = Entry(link=page.url, comments_feed=comments_feed) if comments_feed else None
    feed = comment_feed_url(root, page.url, entry=entry)
    threads: list[Thread | None] = []
    if root.get(RENDERED) is not None:
        threads = [read_service(root, page.url, service, fetched_at=page.fetched_at) for service in services]
    return Evidence(
        services=services, feed=feed, threads=tuple(thread for thread in threads if thread is not None),
    )
