"""Page of a post: the article, its comments in threads, its versions, where each field came from, and what is near."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from everlog.core.rules import MANUAL
from everlog.errors import EverlogError
from everlog.export.markdown import post_to_markdown
from everlog.records.confidence import LOW
from everlog.replay import View
from everlog.usecases.learn.rule_words import how_found
from everlog.web.mementos.capture_times import timestamp
from everlog.web.posts.comment_parts import part_with, parts_of
from everlog.web.posts.embeds import embeds_of
from everlog.web.posts.reading_view import shown_article, shown_comments
from everlog.web.posts.version_diff import changed_fields, text_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.archive import Archive
    from everlog.archive.models import Memento, Version
    from everlog.archive.projection.summaries import PostSummary
    from everlog.records import Post, Provenance
    from everlog.versions import Changes
    from everlog.web.posts.comment_parts import Part
    from everlog.web.posts.embeds import Embed

# From here on a rule was right on nearly all pages of the feed.
SURE = 0.9
# Posts that link to one.
LINKING = 20
NAMES = {
    "title": "Title", "authors": "Authors", "published": "Date", "updated": "Last changed", "tags": "Tags",
    "language": "Language", "text": "Text", "html": "Text", "summary": "Summary", "comments": "Comments",
    "links": "Links", "pictures": "Pictures",
}
# A page that is searched for embeds: real ones have 40 kB, and a few 1 MB.
MOST_PAGE_BYTES = 2_000_000
# Captures whose embeds are remembered.
MOST_KNOWN = 5_000
# What the precision of a date means.
_EXACT = {"minute": "to the minute", "day": "to the day", "month": "to the month"}


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownField:
    """A field of a post with where it came from and how sure that is, for people."""

    name: str
    found: str
    sure: str
    source: Provenance
    is_low: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPost:
    """A post that may be shown, with the capture that it was read from or one near to that."""

    summary: PostSummary
    post: Post
    memento: Memento | None

    @property
    def at(self) -> datetime:
        return self.memento.at if self.memento else self.post.fetched or datetime.now(UTC)


class PostPages:
    """What the pages about one post say. With `public`, hidden posts are not there."""

    def __init__(self, archive: Archive, *, public: bool) -> None:
        self._archive, self._public = archive, public
        # A capture never changes, and few pages have any.
        self._known_embeds: dict[tuple[int, str], tuple[Embed, ...]] = {}

    def find(self, url: str) -> FoundPost | None:
        """The post at an address; None if there is none, or none that may be shown."""
        summary = self._archive.listing.find(url, public=self._public)
        post = self._archive.posts.find(url, as_read=True) if summary is not None else None
        if post is None or summary is None:
            return None
        memento = self._archive.mementos.nearest(post.url, post.fetched or datetime.now(UTC))
        return FoundPost(summary=summary, post=post, memento=memento)

    def page(self, found: FoundPost, *, replay: str, interface: str) -> dict[str, Any]:
        """What the page of a post says, with the first part of its comments."""
        archive, post, summary = self._archive, found.post, found.summary
        view = _view(found, replay, interface)
        before, after = archive.listing.neighbours(summary, public=self._public)
        return {
            **self._comments(found, parts_of(post.comments)[0], view), "at": found.at,
            "article": shown_article(archive, post, found.at, view, self._embeds(found)),
            "original": view.link(post.url) if found.memento is not None else None,
            "before": before, "after": after,
            "versions": archive.posts.version_times(summary.id) if summary.versions > 1 else (),
            "linking": archive.listing.backlinks(summary.id, public=self._public, limit=LINKING),
            "known": list(_known_fields(post)),
        }

    def comments(self, found: FoundPost, number: int, *, replay: str, interface: str) -> dict[str, Any] | None:
        """What a page with a further part of the comments says; None if there is no such part."""
        parts = parts_of(found.post.comments)
        if not 1 <= number <= len(parts):
            return None
        return self._comments(found, parts[number - 1], _view(found, replay, interface))

    def part_of(self, found: FoundPost, anchor: str) -> int | None:
        """The part that a comment is in; None: there is no such comment."""
        part = part_with(parts_of(found.post.comments), anchor)
        return None if part is None else part.number

    def changes(self, url: str, first: int, last: int) -> dict[str, Any] | None:
        """What changed between two versions; None if there is no such post, no `older` if one of them is not there."""
        summary = self._archive.listing.find(url, public=self._public)
        history = self._archive.posts.history(url, as_read=True) if summary is not None else ()
        found = {version.post.version: version for version in history}
        if summary is None or not found:
            return None
        blog = self._blog(summary.blog_id)
        times = [(number, version.read_at) for number, version in sorted(found.items())]
        known = {"post": found[max(found)].post, "times": times, "names": NAMES}
        known |= {"blog": blog, "is_hidden": summary.hidden or (blog is not None and blog.is_hidden)}
        if first not in found or last not in found:
            return known | {"older": None, "first": first, "last": last}
        older, newer = found[first], found[last]
        from everlog.versions import compare  # noqa: PLC0415 - with numpy; few look at changes

        changes = compare(older.post, newer.post)
        return known | {
            "older": older, "newer": newer, "first": first, "last": last, "changes": changes,
            "summary": _in_short(changes, older, newer), "fields": changed_fields(changes, newer.post),
            "blocks": () if changes.text.is_empty else text_blocks(changes.text),
            "edited": [(each, text_blocks(each.text)) for each in changes.comments.edited],
        }

    def as_json(self, url: str) -> str | None:
        """A post as `export` writes it."""
        post = self._exported(url)
        return None if post is None else json.dumps(post.to_dict(), ensure_ascii=False, indent=1) + "\n"

    def as_markdown(self, url: str) -> str | None:
        """A post as Markdown, with its pictures on the web."""
        post = self._exported(url)
        return None if post is None else post_to_markdown(post)

    def _embeds(self, found: FoundPost) -> tuple[Embed, ...]:
        """What was embedded in the article, by the page that it was read from."""
        memento, source = found.memento, found.post.provenance.get("text")
        if memento is None or source is None or not source.rule or memento.size > MOST_PAGE_BYTES:
            return ()
        key = memento.id, source.rule
        if key not in self._known_embeds:
            try:
                with self._archive.files.open_body(memento.place) as record:
                    body = record.whole()
            except EverlogError:
                # The post can be read without its page, which may be lost or out of reach.
                return ()
            if len(self._known_embeds) >= MOST_KNOWN:
                self._known_embeds.clear()
            self._known_embeds[key] = embeds_of(body, memento.content_type, found.post.url, source.rule)
        return self._known_embeds[key]

    def _comments(self, found: FoundPost, part: Part, view: View) -> dict[str, Any]:
        said = [each.comment for each in part.comments]
        return {
            "post": found.post, "summary": found.summary, "blog": self._blog(found.summary.blog_id), "part": part,
            "threads": part.threads(shown_comments(self._archive, said, found.post.url, found.at, view)),
        }

    def _blog(self, blog_id: int) -> Any:
        return next(iter(self._archive.overview.blogs(ids=[blog_id])), None)

    def _exported(self, url: str) -> Post | None:
        if self._archive.listing.find(url, public=self._public) is None:
            return None
        post = self._archive.posts.find(url, as_read=True)
        if post is None or not self._public:
            return post
        # Where things lie in the archive is nobody's business.
        return replace(post, warc=None, media=tuple(replace(each, path=None) for each in post.media))


def sure_in_words(confidence: float | None) -> str:
    """How sure a field is, for people.

    >>> [sure_in_words(each) for each in (1.0, 0.7, 0.2, None)]
    ['sure', 'fairly sure', 'not sure', 'not measured']
    """
    if confidence is None:
        return "not measured"
    return "sure" if confidence >= SURE else "fairly sure" if confidence >= LOW else "not sure"


def _view(found: FoundPost, replay: str, interface: str) -> View:
    return View(prefix=replay, timestamp=timestamp(found.at), modifier="mp_", interface=interface)


def _known_fields(post: Post) -> Iterator[KnownField]:
    """Each field with where it came from and how sure that is."""
    for name, source in post.provenance.items():
        exact = f", {_EXACT[source.precision]}" if source.precision in _EXACT else ""
        yield KnownField(
            name=NAMES.get(name, name), found=how_found(source.method) + exact, source=source,
            sure="said by a person" if source.method == MANUAL else sure_in_words(source.confidence),
            is_low=source.confidence is not None and source.confidence < LOW,
        )


def _in_short(changes: Changes, older: Version, newer: Version) -> str:
    is_same_page = older.post.warc is not None and older.post.warc == newer.post.warc
    by_rules = is_same_page and (changes.fields or not changes.text.is_empty)
    return changes.summary() + (" (the same page, read by other rules)" if by_rules else "")
