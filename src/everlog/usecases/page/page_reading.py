"""What one look at a page tells, whoever looks: all of reading that needs a processor, and nothing of a crawl's memory.

    Sheet      a page, and what is known of it before it is opened
    Lens       what pages of the blog are read by: its rules, those of its former designs, what belongs to it
    Glimpse    what was seen; `steps` decides what becomes of it

The same sheet through the same lens gives the same glimpse, so it may be read elsewhere, twice, or again.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from everlog.comments.comment_feeds import comment_feed_url
from everlog.comments.comment_markup import Thread
from everlog.comments.services import SERVICES, Service, embedded, read_service
from everlog.core.links import links_left_out, page_links
from everlog.core.tree import drop, parse
from everlog.errors import UnreadablePage
from everlog.extract.classify import noarchive
from everlog.extract.classify.post_paging import NO_PAGES, Paging, drop_page_links, first_page, paging_of
from everlog.records import Comment, Entry, Media, Page, Post, Provenance, Skip

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from everlog.core.links import Scope
    from everlog.core.tree import Element
    from everlog.usecases.learn.learned_blog import LearnedBlog
    from everlog.usecases.learn.template_history import TemplateHistory

_SERVICES = {service.name: service for service in SERVICES}
_KINDS = frozenset({"post", "listing", "page", None})


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

    def to_json(self) -> str:
        """The glimpse as JSON text; `from_json` is the way back."""
        plain = {name: getattr(self, name) for name in _PLAIN}
        return json.dumps(plain | {"evidence": _plain_evidence(self.evidence), "found": _plain_found(self.found)})

    @classmethod
    def from_json(cls, text: str | bytes) -> PageReading:
        """The glimpse that `to_json` wrote; `ValueError` for anything else, as it may come from anywhere."""
        try:
            said = json.loads(text)
            kind, found = said["kind"], _found(said["found"])
            if kind not in _KINDS or (kind == "post") != (found is not None):
                raise ValueError(f"no kind of page: {kind!r:.50}")
            return cls(
                unreadable=_text(said["unreadable"]), links=_pairs(said["links"]), outside=_pairs(said["outside"]),
                may_be_kept=_flag(said["may_be_kept"]), kind=kind, note=_text(said["note"]),
                by_url=_flag(said["by_url"]), is_present=_flag(said["is_present"]), claim=_text(said["claim"]),
                evidence=_evidence(said["evidence"]), found=found, paging=_paging(said["paging"]),
                part_of=_text(said["part_of"]),
            )
        except (KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise ValueError(f"this is no glimpse: {type(error).__name__}: {error}") from None


_PLAIN = tuple(field.name for field in fields(PageReading) if field.name not in {"evidence", "found"})


class PageReader(Protocol):
    """Somebody else who may look at pages."""

    async def look(self, sheet: PageInput, read_context: ReadContext) -> PageReading | None:
        """What the sheet shows through the lens; None: look yourself."""


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


def _plain_evidence(evidence: Evidence) -> dict[str, Any]:
    threads = [
        {"source": each.source, "claimed": each.claimed, "comments": list(map(_plain, each.comments))}
        for each in evidence.threads
    ]
    return {"services": [service.name for service in evidence.services], "feed": evidence.feed, "threads": threads}


def _evidence(said: Mapping[str, Any]) -> Evidence:
    threads = tuple(
        Thread(source=str(each["source"]), claimed=_number(each["claimed"]), comments=_comments(each["comments"]))
        for each in said["threads"]
    )
    services = tuple(_SERVICES[name] for name in said["services"])
    return Evidence(services=services, feed=_text(said["feed"]), threads=threads)


def _paging(said: Any) -> Paging:
    text, comments, shown, told_by = said
    return Paging(text=_numbered(text), comments=_numbered(comments), shown=_number(shown), told_by=_text(told_by))


def _numbered(said: Any) -> tuple[tuple[int, str], ...]:
    return tuple((int(number), str(url)) for number, url in said)


def _plain_found(found: Post | Skip | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {"post" if isinstance(found, Post) else "skip": _plain(found)}


def _found(said: Mapping[str, Any] | None) -> Post | Skip | None:
    if said is None:
        return None
    if "skip" in said:
        return Skip(url=str(said["skip"]["url"]), reason=str(said["skip"]["reason"]))
    return Post(**_values(said["post"], _POST))


def _plain(record: Post | Comment | Skip) -> dict[str, Any]:
    """A record's fields as JSON knows them, but for those that say nothing."""
    values = ((field.name, getattr(record, field.name)) for field in fields(record))
    return {name: _as_plain(value) for name, value in values if value is not None and value != ()}


def _as_plain(value: object) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Comment):
        return _plain(value)
    if isinstance(value, (Provenance, Media)):
        return asdict(value)
    if isinstance(value, tuple):
        return [_as_plain(each) for each in value]
    if isinstance(value, (dict, MappingProxyType)):
        return {name: _as_plain(each) for name, each in value.items()}
    return value


def _text(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"a text is expected, not {value!r:.50}")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"yes or no is expected, not {value!r:.50}")
    return value


def _number(value: Any) -> int | None:
    return None if value is None else int(value)


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    return tuple((str(url), str(key)) for url, key in value)


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(each) for each in value)


def _comments(said: Any) -> tuple[Comment, ...]:
    return tuple(Comment(**_values(each, _COMMENT)) for each in said)


def _values(said: Mapping[str, Any], ways: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
    return {name: ways[name](value) if name in ways else _text(value) for name, value in said.items()}


def _media(said: Any) -> tuple[Media, ...]:
    return tuple(Media(**each) for each in said)


def _provenance(said: Any) -> Mapping[str, Provenance]:
    return MappingProxyType({str(name): Provenance(**each) for name, each in said.items()})


def _place(said: Any) -> tuple[str, int]:
    name, offset = said
    return str(name), int(offset)


# How the fields come back that are no texts.
_COMMENT: Mapping[str, Callable[[Any], Any]] = {"published": datetime.fromisoformat}
_POST: Mapping[str, Callable[[Any], Any]] = {
    "published": datetime.fromisoformat, "updated": datetime.fromisoformat, "fetched": datetime.fromisoformat,
    "aliases": _texts, "authors": _texts, "tags": _texts, "comments": _comments,
    "comment_count_claimed": _number, "version": _number,
    "media": _media, "provenance": _provenance, "warc": _place,
}
