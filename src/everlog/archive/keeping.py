"""What becomes of the posts of a batch: new, changed, the same, or another address of one that is held.

Decisions only: what is known comes in, rows to write come out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from everlog.archive.store import Acknowledged
from everlog.archive.texts import stamp_now, storable
from everlog.urls import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from everlog.archive.post_record import Written
    from everlog.archive.store import Kept
    from everlog.records import Visit

    Key = tuple[int, str]

# A page that is not there is not gone for good when the server merely failed.
GONE = frozenset({404, 410})


@dataclass(slots=True, kw_only=True)
class KnownPost:
    """A post's row, as it will be when the batch is stored. `id` is None until its row has one."""

    id: int | None
    blog_id: int
    key: str
    version: int
    digest: str
    content: str | None
    published: str | None
    comments: int
    gone: str | None
    found_at: str
    comments_state: str | None = None
    comment_tries: int | None = None
    touched: bool = False

    def take(self, written: Written) -> None:
        """Become this version."""
        self.digest, self.content = written.digest, written.content
        self.published, self.comments = written.published, written.comments
        self.touched = True

    def note_comments(self, state: str, *, tried: bool) -> None:
        """Comments that could not be had are counted, so that updates do not ask for them for ever."""
        tries = (self.comment_tries or 0) + tried if state == "failed" else 0
        if (state, tries) != (self.comments_state, self.comment_tries or 0):
            self.comments_state, self.comment_tries, self.touched = state, tries, True


@dataclass(slots=True)
class Keeping:
    """The posts a batch is about, those known before and those it brings."""

    by_key: dict[Key, KnownPost]
    by_content: dict[Key, KnownPost]
    made: list[KnownPost] = field(default_factory=list)
    versions: list[tuple[KnownPost, int, str, int | None]] = field(default_factory=list)
    aliases: dict[Key, tuple[str, KnownPost]] = field(default_factory=dict)
    no_aliases: list[Key] = field(default_factory=list)

    def keep(self, visit: Visit, written: Written | None, capture_id: int | None) -> tuple[KnownPost, Kept] | None:
        """What a visit means for the posts; None if it is about none."""
        identity = (visit.blog_id, identity_of(visit))
        known = self.by_key.get(identity)
        if written is None:
            self._notice_gone(visit)
            return self._copied(visit, known) if known is not None and visit.post_key is not None else None
        kept: Kept
        if known is not None:
            kept = self._again(known, written, capture_id, seen=bool(visit.exchanges))
        else:
            same = self.by_content.get((visit.blog_id, written.content)) if written.content else None
            known, kept = (same, "alias") if same else (self._make(identity, written, capture_id), "new")
        if visit.post is not None and kept != "alias":
            known.note_comments(visit.post.comments_state, tried=visit.comments_tried and bool(visit.exchanges))
        for key, url in addresses(visit):
            if (visit.blog_id, key) not in self.by_key:
                self.aliases[visit.blog_id, key] = (url, known)
        return known, kept

    def _copied(self, visit: Visit, known: KnownPost) -> tuple[KnownPost, Kept]:
        """A visit that names a post and brings none: a copy of it under another address."""
        for key, url in addresses(visit):
            if (visit.blog_id, key) not in self.by_key:
                self.aliases[visit.blog_id, key] = (url, known)
        return known, "alias"

    def touched(self) -> Iterator[KnownPost]:
        """Rows that were there before and are to be written again."""
        new = {id(post) for post in self.made}
        return (post for post in self.by_key.values() if post.touched and id(post) not in new)

    def _again(self, known: KnownPost, written: Written, capture_id: int | None, *, seen: bool) -> Kept:
        # A page that is read again from the archive is not back on the web.
        if known.gone is not None and seen:
            known.gone, known.touched = None, True
        if known.digest == written.digest:
            return "same"
        before = (known.blog_id, known.content or "")
        if self.by_content.get(before) is known:
            del self.by_content[before]
        known.version += 1
        known.take(written)
        self._remember(known, written, capture_id)
        return "changed"

    def _make(self, identity: Key, written: Written, capture_id: int | None) -> KnownPost:
        post = KnownPost(
            id=None, blog_id=identity[0], key=identity[1], version=1, digest="", content=None, published=None,
            comments=0, gone=None, found_at=stamp_now(),
        )
        post.take(written)
        self.by_key[identity] = post
        self.made.append(post)
        self.aliases.pop(identity, None)
        self.no_aliases.append(identity)
        self._remember(post, written, capture_id)
        return post

    def _remember(self, post: KnownPost, written: Written, capture_id: int | None) -> None:
        self.versions.append((post, post.version, written.record, capture_id))
        if written.content:
            self.by_content.setdefault((post.blog_id, written.content), post)

    def _notice_gone(self, visit: Visit) -> None:
        known = self.by_key.get((visit.blog_id, storable(visit.key)))
        if known is None or visit.outcome != "failed" or not visit.exchanges:
            return
        status = visit.exchanges[-1].status
        if status in GONE and known.gone is None:
            known.gone, known.touched = storable(visit.reason or f"HTTP {status}"), True


def identity_of(visit: Visit) -> str:
    """By what a visit's post is told apart from others of its blog."""
    return storable(visit.post_key or visit.key)


def addresses(visit: Visit) -> Iterator[tuple[str, str]]:
    """All addresses under which a visit's post was met: asked for, on the way, stated; with their keys."""
    yield storable(visit.key), storable(visit.url)
    met = [exchange.url for exchange in visit.exchanges if exchange.purpose == "page"]
    if visit.post is not None:
        met.append(visit.post.url)
    for url in dict.fromkeys(met):
        if url != visit.url:
            yield storable(canonical(url)), storable(url)
    if visit.post_key is not None and visit.post is not None:
        yield storable(visit.post_key), storable(visit.post.url)


def acknowledged(visit: Visit, outcome: tuple[KnownPost, Kept, int] | None) -> Acknowledged:
    """The word for one visit, once all rows have their ids."""
    if outcome is None:
        return Acknowledged(visit=visit)
    post, kept, version = outcome
    return Acknowledged(visit=visit, post_id=post.id, kept=kept, version=version)


def rows_of(posts: Iterable[KnownPost]) -> list[dict[str, Any]]:
    """The rows of posts, all columns."""
    return [
        {
            "id": post.id, "blog_id": post.blog_id, "key": post.key, "version": post.version, "digest": post.digest,
            "content": post.content, "published": post.published, "comments": post.comments, "gone": post.gone,
            "found_at": post.found_at, "comments_state": post.comments_state, "comment_tries": post.comment_tries,
        }
        for post in posts
    ]
