"""Page of a post: the article, its comments in threads, its versions, where each field came from, and what is near."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from everlog.export.markdown import post_to_markdown
from everlog.records.confidence import LOW
from everlog.replay import View
from everlog.versions import compare
from everlog.web.mementos.capture_times import timestamp
from everlog.web.posts.reading_view import shown_article, shown_threads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.archive import Archive
    from everlog.archive.models import Version
    from everlog.records import Post
    from everlog.versions import Changes, TextChanges

# From here on a rule was right on nearly all pages of the feed.
SURE = 0.9
# Posts that link to one.
LINKING = 20
# Paragraphs that did not change, at both ends of those that stand between two changes.
AROUND = 1
NAMES = {
    "title": "Title", "authors": "Authors", "published": "Date", "updated": "Last changed", "tags": "Tags",
    "language": "Language", "text": "Text", "html": "Text", "summary": "Summary", "comments": "Comments",
    "links": "Links", "pictures": "Pictures",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffPiece:
    """A piece of a text in two versions: the same (with what of it may be folded away), or what went and what came."""

    before: str = ""
    folded: str = ""
    after: str = ""
    removed: str = ""
    added: str = ""


class PostPages:
    """What the pages about one post say. With `public`, hidden posts are not there."""

    def __init__(self, archive: Archive, *, public: bool) -> None:
        self._archive, self._public = archive, public

    def page(self, url: str, *, replay: str, interface: str) -> dict[str, Any] | None:
        """What the page of a post says; None if there is no such post."""
        archive = self._archive
        summary = archive.listing.find(url, public=self._public)
        post = archive.posts.find(url, as_read=True) if summary is not None else None
        if post is None or summary is None:
            return None
        memento = archive.mementos.nearest(post.url, post.fetched or datetime.now(UTC))
        at = memento.at if memento else post.fetched or datetime.now(UTC)
        view = View(prefix=replay, timestamp=timestamp(at), modifier="mp_", interface=interface)
        before, after = archive.listing.neighbours(summary, public=self._public)
        [blog] = archive.overview.blogs(ids=[summary.blog_id]) or [None]
        return {
            "post": post, "summary": summary, "article": shown_article(archive, post, at, view),
            "threads": shown_threads(post), "original": view.link(post.url) if memento is not None else None, "at": at,
            "blog": blog, "before": before, "after": after,
            "versions": archive.posts.version_times(summary.id) if summary.versions > 1 else (),
            "linking": archive.listing.backlinks(summary.id, public=self._public, limit=LINKING),
            "known": list(_provenance(post)),
        }

    def changes(self, url: str, first: int, last: int) -> dict[str, Any] | None:
        """What changed between two versions; None if one of them is not there."""
        summary = self._archive.listing.find(url, public=self._public)
        history = self._archive.posts.history(url, as_read=True) if summary is not None else ()
        found = {version.post.version: version for version in history}
        if first not in found or last not in found:
            return None
        older, newer = found[first], found[last]
        changes = compare(older.post, newer.post)
        return {
            "post": newer.post, "older": older, "newer": newer, "changes": changes, "numbers": sorted(found),
            "summary": _in_short(changes, older, newer), "pieces": list(shown_changes(changes.text)),
            "edited": [(each, list(shown_changes(each.text))) for each in changes.comments.edited],
            "names": NAMES, "value": _value,
        }

    def as_json(self, url: str) -> str | None:
        """A post as `export` writes it."""
        post = self._found(url)
        return None if post is None else json.dumps(post.to_dict(), ensure_ascii=False, indent=1) + "\n"

    def as_markdown(self, url: str) -> str | None:
        """A post as Markdown, with its pictures on the web."""
        post = self._found(url)
        return None if post is None else post_to_markdown(post)

    def _found(self, url: str) -> Post | None:
        if self._archive.listing.find(url, public=self._public) is None:
            return None
        post = self._archive.posts.find(url, as_read=True)
        if post is None or not self._public:
            return post
        # Where things lie in the archive is nobody's business.
        return replace(post, warc=None, media=tuple(replace(each, path=None) for each in post.media))


def shown_changes(changes: TextChanges) -> Iterator[DiffPiece]:
    """Two texts in pieces; of paragraphs that did not change, those beside a change stand open."""
    last = len(changes.pieces) - 1
    for number, piece in enumerate(changes.pieces):
        if not piece.same:
            yield DiffPiece(removed=piece.old, added=piece.new)
            continue
        parts = piece.new.split("\n\n")
        opened, closed = (AROUND if number > 0 else 0), (AROUND if number < last else 0)
        if len(parts) <= opened + closed + 1:
            yield DiffPiece(before=piece.new)
        else:
            yield DiffPiece(
                before="\n\n".join(parts[:opened]), folded="\n\n".join(parts[opened:len(parts) - closed]),
                after="\n\n".join(parts[len(parts) - closed:]),
            )


def sure_in_words(confidence: float | None) -> str:
    """How sure a field is, for people.

    >>> [sure_in_words(each) for each in (1.0, 0.7, 0.2, None)]
    ['sure', 'fairly sure', 'not sure', 'not measured']
    """
    if confidence is None:
        return "not measured"
    return "sure" if confidence >= SURE else "fairly sure" if confidence >= LOW else "not sure"


def _provenance(post: Post) -> Iterator[tuple[str, Any, str]]:
    """Each field with where it came from and how sure that is."""
    for name, known in post.provenance.items():
        yield NAMES.get(name, name), known, sure_in_words(known.confidence)


def _in_short(changes: Changes, older: Version, newer: Version) -> str:
    is_same_page = older.post.warc is not None and older.post.warc == newer.post.warc
    by_rules = is_same_page and (changes.fields or not changes.text.is_empty)
    return changes.summary() + (" (the same page, read by other rules)" if by_rules else "")


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
