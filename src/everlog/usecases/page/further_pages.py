"""Further pages of a post: those its text is split over, and those of its comments.

    stored_part     a further page as the archive holds it; `joined_pages` asks the web for one
    TextPages       what pages of a text add to the post, in their order
    CommentPages    what pages of comments add to it

They belong to their post: what is on them is kept in its record, their bytes beside its own, their addresses as other
addresses of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from everlog.core.urls import canonical
from everlog.core.words import words
from everlog.extract.classify.post_paging import Paging, Trail
from everlog.records import Blog, Comment, Exchange, Failure, Page, Post, Provenance, Visit
from everlog.usecases.page.page_reading import PageReading, read_part
from everlog.usecases.page.stored_pages import stored_exchange

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.usecases.learn.template_history import TemplateHistory

# The share of three-word sequences of the shorter of two pages that stand on both. Another post of the same blog shows
# at most 0.40 of them, the same post at least 0.86 (`post_identity.STILL_THERE`).
REPEATED = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A further page of a post: what it told, or why it could not be had. Neither: it leads somewhere else."""

    url: str
    reading: PageReading | None = None
    failure: Failure | None = None
    exchanges: tuple[Exchange, ...] = ()

    def is_since(self, moment: datetime | None) -> bool:
        """Whether it was fetched at this time or later."""
        at = self.reading.found.fetched if self.reading is not None and isinstance(self.reading.found, Post) else None
        return at is not None and (moment is None or at >= moment)

    def visit(self, blog_id: int, reason: str) -> Visit:
        """The visit that stores it; whose page it is, is said when that one is stored."""
        return Visit(
            blog_id=blog_id, url=self.url, key=canonical(self.url), outcome="page", reason=reason,
            exchanges=self.exchanges,
        )


def stored_part(url: str, blog: Blog, archive: Archive, templates: TemplateHistory) -> Part | None:
    """A further page as it is stored, read again; None if it is not, or cannot be read."""
    capture = archive.captures.find(blog.id, url)
    answer = stored_exchange(capture, archive) if capture is not None else None
    if answer is None:
        return None
    shown = answer
    if templates.at(answer.fetched_at).is_scripted:
        rendering_capture = archive.captures.rendering(blog.id, url)
        shown = (stored_exchange(rendering_capture, archive) if rendering_capture is not None else None) or answer
    page = Page(
        url=answer.url, body=shown.body, content_type=shown.header("content-type"), fetched_at=answer.fetched_at,
    )
    return part_of_reading(url, read_part(page, templates))


def part_of_reading(url: str, reading: PageReading, exchanges: tuple[Exchange, ...] = ()) -> Part:
    if not reading.may_be_kept or not isinstance(reading.found, Post):
        return Part(url=url)
    return Part(url=url, reading=reading, exchanges=exchanges)


@dataclass(slots=True)
class TextPages:
    """The pages that the text of a post is split over, gathered one by one.

    `sure` are the keys of pages that are known to be the post's, though they show no link to it.
    """

    keys: Collection[str]
    parts: list[Post]
    sure: set[str] = field(default_factory=set)
    missing: list[int] = field(default_factory=list)
    trail: Trail = field(default_factory=Trail)

    @classmethod
    def of(cls, post: Post, paging: Paging, keys: Collection[str]) -> TextPages:
        """The pages of a post that is known by these keys, the first of which was read."""
        pages = cls(keys, [post])
        pages.trail.name(paging.text)
        return pages

    def expect(self, number: int, url: str) -> None:
        """Look for a page that no page names."""
        self.sure.add(canonical(url))
        self.trail.name(((number, url),))

    def take(self, number: int, part: Part | None) -> bool:
        """Add a page; False if it is none of this post's, which only its page can tell, or says nothing new."""
        if part is None:
            self.missing.append(number)
            return False
        reading = part.reading
        if reading is None or not isinstance(reading.found, Post):
            return False
        if canonical(reading.part_of or "") not in self.keys and canonical(part.url) not in self.sure:
            return False
        if any(_says_again(each.text, reading.found.text) for each in self.parts):
            return False
        self.parts.append(reading.found)
        self.trail.name(reading.paging.text)
        return True

    def joined(self) -> Post:
        """The post with the text of all its pages."""
        first, *others = self.parts
        if not others:
            return first
        return replace(
            first, text="\n\n".join(part.text for part in self.parts if part.text),
            html="\n".join(part.html for part in self.parts if part.html), provenance=_together(self.parts),
        )


def whole_as_held(post: Post, held: Post | None) -> Post:
    """A post of which a page is missing, with the text that is held of it where that says more."""
    if held is None or len(words(held.text)) <= len(words(post.text)):
        return post
    source = {"text": held.provenance["text"]} if "text" in held.provenance else {}
    return replace(post, text=held.text, html=held.html, provenance=MappingProxyType({**post.provenance, **source}))


def _says_again(text: str, other: str) -> bool:
    """Whether a page repeats another one, as pages of comments repeat the whole text."""
    one, another = _triples(text), _triples(other)
    return len(one & another) >= REPEATED * min(len(one), len(another))


def _triples(text: str) -> set[tuple[str, ...]]:
    spoken = words(text)
    return set(zip(spoken, spoken[1:], spoken[2:], strict=False)) or {tuple(spoken)}


def _together(parts: Sequence[Post]) -> MappingProxyType[str, Provenance]:
    """Where a text of several pages came from: all rules that read one, and as sure as the least sure of them."""
    sources = [part.provenance["text"] for part in parts if "text" in part.provenance]
    provenance = dict(parts[0].provenance)
    if sources:
        sure = [source.confidence for source in sources if source.confidence is not None]
        provenance["text"] = Provenance(
            method=" + ".join(dict.fromkeys(source.method for source in sources)),
            rule=" + ".join(dict.fromkeys(source.rule for source in sources if source.rule)) or None,
            confidence=min(sure) if len(sure) == len(sources) else None,
        )
    return MappingProxyType(provenance)


@dataclass(slots=True)
class CommentPages:
    """The pages of a post's comments, gathered one by one; `shown` is the number of the one that the post is on."""

    own: tuple[Comment, ...]
    shown: int | None
    pages: dict[int, tuple[Comment, ...]] = field(default_factory=dict)
    trail: Trail = field(default_factory=Trail)
    _known: set[Hashable] = field(default_factory=set)

    @classmethod
    def of(cls, post: Post, paging: Paging) -> CommentPages:
        pages = cls(post.comments, paging.shown, _known=set(map(_mark, post.comments)))
        pages.trail.name(paging.comments)
        return pages

    def take(self, number: int, part: Part) -> bool:
        """Add a page; False if it brings no comment that is not known, so that there is no need to go on."""
        found = part.reading.found if part.reading is not None else None
        marks = {_mark(comment) for comment in found.comments} if isinstance(found, Post) else set()
        if part.reading is None or not isinstance(found, Post) or marks <= self._known:
            return False
        self._known |= marks
        self.pages[number] = found.comments
        self.trail.name(tuple(pair for pair in part.reading.paging.comments if pair[0] != self.shown))
        return True

    def comments(self) -> tuple[Comment, ...]:
        """The comments of all pages in their order."""
        # Pages that link to each other do not link to the one that stands at the post's own address.
        missing = next(number for number in range(1, len(self.pages) + 2) if number not in self.pages)
        pages = {**self.pages, self.shown or missing: self.own}
        newest_first = all(map(_is_newest_first, pages.values()))
        ordered = sorted(pages, reverse=newest_first)
        return tuple(comment for number in ordered for comment in pages[number])


def _mark(comment: Comment) -> Hashable:
    return comment.id or (comment.author, comment.text, comment.published)


def _is_newest_first(comments: Sequence[Comment]) -> bool:
    dates = [comment.published for comment in comments if comment.parent is None and comment.published is not None]
    return len(dates) > 1 and dates[0].timestamp() > dates[-1].timestamp()
