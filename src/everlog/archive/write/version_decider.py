"""Version decider: what becomes of the posts of a batch, and what has happened to them.

A post is new, changed, the same, truncated, or another address of one that is held; edited, vanished, or back again.
Decisions only: what is known comes in, rows to write come out. Most visits bring what was read before to the
letter, which the digest tells; the others are compared with the version that is held.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from everlog.archive.db.column_values import moment_or_none, stamp, stamp_now, stamp_or_none, storable
from everlog.archive.post_codec import Written, brought_up_to_date, completed, read_record, reads_the_same
from everlog.core.urls import canonical
from everlog.schedule.liveness import UNSEEN, Look, Missing, Sight, after_look, is_crowd, sight_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from everlog.records import Visit
    from everlog.versions import More, Verdict

    Key = tuple[int, str]
    # How many other posts vanished at about the time a post did, and how many were seen well since.
    Company = Callable[["KnownPost", datetime], tuple[int, int]]

# What became of a visit's post: not seen before, edited since the last version, the same one again, a second
# address of a post that is already there, or so much less than what is held that it does not replace it; of a capture
# that others made, a version from beside our own.
Kept = Literal["new", "changed", "same", "alias", "truncated", "earlier"]
# How the record of a version says that others captured it. Inside a text every quotation mark is escaped.
_OF_OTHERS = '"origin": "'
# In place of the capture of a version that an interface told: it has none before its page is fetched.
TOLD = 0
# Visits that bring no page, and so none that is a copy of another.
NO_COPIES = frozenset({"failed", "unchanged"})


@dataclass(slots=True, kw_only=True)
class KnownPost:
    """A post's row, as it will be when the batch is stored. `id` is None until its row has one.

    `digest` is that of the last reading which was this version. `record` is the version itself, where it is needed.
    """

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
    gone_at: str | None = None
    missing_since: str | None = None
    missing_tries: int | None = None
    kind: str = "post"
    record: str | None = None
    touched: bool = False
    # The records of all versions, by their numbers, where a capture that others made is to be compared with them; and
    # whether any of them has a page.
    records: dict[int, str] = field(default_factory=dict)
    has_page: bool = False

    def take(self, written: Written) -> None:
        """Become this version."""
        self.digest, self.content, self.record = written.digest, written.content, written.record
        self.published, self.comments, self.kind = written.published, written.comments, written.kind
        self.touched = True

    def note_comments(self, state: str, *, tried: bool) -> None:
        """Comments that could not be had are counted, so that updates do not ask for them for ever."""
        tries = (self.comment_tries or 0) + tried if state == "failed" else 0
        if (state, tries) != (self.comments_state, self.comment_tries or 0):
            self.comments_state, self.comment_tries, self.touched = state, tries, True


@dataclass(frozen=True, slots=True, kw_only=True)
class PostEvent:
    """Event of a post that may have no row yet.

    `after_emptied`: it is worth telling only if the last that was told of the text is that the page lost it (True),
    or is not (False).
    """

    post: KnownPost
    kind: str
    at: datetime
    reason: str
    detail: dict[str, Any] = field(default_factory=dict)
    after_emptied: bool | None = None


@dataclass(slots=True)
class VersionDecider:
    """The posts a batch is about, those known before and those it brings."""

    by_key: dict[Key, KnownPost]
    by_content: dict[Key, KnownPost]
    made: list[KnownPost] = field(default_factory=list)
    # With their numbers, captures and the times they were read.
    versions: list[tuple[KnownPost, int, Written, int | None, str]] = field(default_factory=list)
    aliases: dict[Key, tuple[str, KnownPost]] = field(default_factory=dict)
    no_aliases: list[Key] = field(default_factory=list)
    # Versions that stay, with what changed around them: by the post and the number, their new records.
    corrected: dict[tuple[int, int], tuple[KnownPost, int, str]] = field(default_factory=dict)
    # The same with what belongs to them, and the capture of their page where that came later.
    completed: dict[tuple[int, int], tuple[KnownPost, int, Written, int | None]] = field(default_factory=dict)
    # Captures that nothing is read from again: what they show is less than what is held.
    refused: list[int] = field(default_factory=list)
    # What happened to posts, for the event log.
    events: list[PostEvent] = field(default_factory=list)
    company: Company = lambda *_: (0, 0)

    def keep(self, visit: Visit, written: Written | None, capture_id: int | None) -> tuple[KnownPost, Kept] | None:
        """What a visit means for the posts; None if it is about none."""
        if visit.foreign is not None:
            from everlog.archive.write.foreign_versions import keep_foreign  # noqa: PLC0415 - stands on this module

            return keep_foreign(self, visit, written, capture_id)
        identity = (visit.blog_id, identity_of(visit))
        known = self.by_key.get(identity)
        if written is None:
            self._notice(known, visit)
            self._tell(_whole_again(known, visit) if known is not None else None)
            if known is not None and visit.sight is not None and capture_id is not None:
                # Where the post stood is something else: "unchanged" must go on to mean the post.
                self.refused.append(capture_id)
            names_one = visit.post_key is not None and visit.sight is None
            is_copy = known is not None and names_one and visit.outcome not in NO_COPIES
            return self.copied(visit, known) if is_copy and known is not None else None
        kept: Kept
        if known is not None:
            kept = self._again(known, written, capture_id, visit)
        else:
            same = self.by_content.get((visit.blog_id, written.content)) if written.content else None
            known, kept = (same, "alias") if same else (self.make(identity, written, capture_id, visit), "new")
        if kept == "truncated":
            # A page that lost its article says nothing about its comments, nor about other addresses of the post.
            return known, kept
        if visit.post is not None and kept != "alias":
            known.note_comments(visit.post.comments_state, tried=visit.comments_tried and bool(visit.exchanges))
        for key, url in addresses(visit):
            if (visit.blog_id, key) not in self.by_key:
                self.aliases[visit.blog_id, key] = (url, known)
        return known, kept

    def copied(self, visit: Visit, known: KnownPost) -> tuple[KnownPost, Kept]:
        """A visit whose addresses are those of a post that is held: a copy of it, perhaps under another address."""
        for key, url in addresses(visit):
            if (visit.blog_id, key) not in self.by_key:
                self.aliases[visit.blog_id, key] = (url, known)
        return known, "alias"

    def touched(self) -> Iterator[KnownPost]:
        """Rows that were there before and are to be written again."""
        new = {id(post) for post in self.made}
        return (post for post in self.by_key.values() if post.touched and id(post) not in new)

    def _again(self, known: KnownPost, written: Written, capture_id: int | None, visit: Visit) -> Kept:
        verdict = _verdict(known, written, visit)
        if verdict == "truncated":
            self.refused += [capture_id] if capture_id is not None else []
            self._tell(_emptied(known, visit))
            return "truncated"
        self._notice(known, visit)
        if visit.completes:
            return self._complete(known, written, capture_id)
        if verdict == "changed" and visit.in_first_crawl and known.record is not None:
            more = _more_of(known.record, written.record)
            if more is not None:
                written = completed(written, known.record)
                return self._complete(known, written, capture_id if more == "page" else None)
        if verdict == "same" and not _is_first_live(known, visit):
            self._tell(_whole_again(known, visit))
            self._note_reading(known, written)
            return "same"
        before = (known.blog_id, known.content or "")
        if self.by_content.get(before) is known:
            del self.by_content[before]
        if known.record is not None and not _is_reread(visit):
            written = completed(written, known.record)
        known.version += 1
        if verdict == "changed":
            self._tell(_edited(known, known.record, written.record, visit))
        known.take(written)
        capture_id = TOLD if visit.told_at is not None else capture_id
        self.remember(known, known.version, written, capture_id, read_at(visit))
        return verdict

    def _complete(self, known: KnownPost, written: Written, capture_id: int | None) -> Kept:
        """Put what belongs to the version that is held into it; without a capture it stays that of the one it has."""
        known.take(written)
        place = (id(known), known.version)
        if capture_id is None and place in self.completed:
            capture_id = self.completed[place][-1]
        self.completed[place] = (known, known.version, written, capture_id)
        return "same"

    def _note_reading(self, known: KnownPost, written: Written) -> None:
        """Another reading of the version that is held: the next one like it need not be compared again."""
        if known.digest == written.digest:
            return
        known.digest, known.touched = written.digest, True
        record = brought_up_to_date(known.record, written.record) if known.record is not None else None
        if record is not None:
            known.record = record
            self.corrected[id(known), known.version] = (known, known.version, record)

    def make(self, identity: Key, written: Written, capture_id: int | None, visit: Visit) -> KnownPost:
        post = KnownPost(
            id=None, blog_id=identity[0], key=identity[1], version=1, digest="", content=None, published=None,
            comments=0, gone=None, found_at=read_at(visit),
        )
        post.take(written)
        self.by_key[identity] = post
        self.made.append(post)
        self.aliases.pop(identity, None)
        self.no_aliases.append(identity)
        self.remember(post, post.version, written, capture_id, post.found_at)
        return post

    def remember(self, post: KnownPost, version: int, written: Written, capture_id: int | None, at: str) -> None:
        """Keep a version under its number."""
        self.versions.append((post, version, written, capture_id, at))
        post.records[version] = written.record
        post.has_page = post.has_page or bool(capture_id)
        if written.content:
            self.by_content.setdefault((post.blog_id, written.content), post)

    def _notice(self, known: KnownPost | None, visit: Visit) -> None:
        """Whether a post that is held is still on the web."""
        if known is not None:
            self._tell(_noticed(known, visit, self.company))

    def _tell(self, event: PostEvent | None) -> None:
        if event is not None:
            self.events.append(event)


def _verdict(known: KnownPost, written: Written, visit: Visit) -> Verdict:
    """What a reading means for a post that is held."""
    if known.digest == written.digest:
        return "same"
    if known.record is None:
        return "changed"
    if _is_reread(visit):
        # Who reads a stored page again has other rules, and wants to see what they give.
        return "same" if reads_the_same(known.record, written.record) else "changed"
    from everlog.versions import replaces  # noqa: PLC0415 - parses; most visits bring nothing to compare

    # As it would be stored: what cannot be is no edit.
    held, read = read_record(known.record)[0], read_record(written.record)[0]
    verdict = replaces(held, read, other_template=visit.other_template)
    # A page may break off; who asks the site's database is told what its author did.
    return "changed" if verdict == "truncated" and visit.told_at is not None and read.text else verdict


def _more_of(held: str, read: str) -> More | None:
    """What a reading adds to a version in the crawl that brought it."""
    from everlog.versions import more_of  # noqa: PLC0415 - parses; most visits bring nothing to compare

    return more_of(read_record(held)[0], read_record(read)[0])


def _is_first_live(known: KnownPost, visit: Visit) -> bool:
    """Whether a post is met on the web that was known from captures of others alone: now it is held live."""
    return known.record is not None and _OF_OTHERS in known.record and not _is_reread(visit)


def read_at(visit: Visit) -> str:
    """When a visit's post was read, as a stamp."""
    at = _seen_at(visit)
    return stamp_now() if at is None else stamp(at)


def _is_reread(visit: Visit) -> bool:
    return not visit.exchanges and not visit.settles and visit.told_at is None


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


def _seen_at(visit: Visit) -> datetime | None:
    """When the web was asked; None for what was read again from the archive."""
    return visit.exchanges[-1].fetched_at if visit.exchanges else visit.told_at


def _noticed(known: KnownPost, visit: Visit, company: Company) -> PostEvent | None:
    """What a visit says about the presence of a post: it vanished, it is back, or nothing. The post is marked."""
    at, sight = _seen_at(visit), _sight(visit)
    missing = Missing(
        since=moment_or_none(known.missing_since), looks=known.missing_tries or 0, is_gone=known.gone is not None,
    )
    if at is None or sight == "unclear" or (sight == "there" and missing == Missing()):
        return None
    in_crowd = False
    if sight != "there" and not missing.is_gone:
        vanished, seen = company(known, missing.since or at)
        in_crowd = is_crowd(vanished + 1, seen)
    verdict = after_look(missing, Look(sight=sight, in_crowd=in_crowd), at)
    if verdict.known != missing:
        known.touched = True
        known.missing_since, known.missing_tries = stamp_or_none(verdict.known.since), verdict.known.looks or None
        if verdict.known.is_gone != missing.is_gone:
            known.gone = storable(verdict.reason) if verdict.known.is_gone else None
            known.gone_at = stamp(at) if verdict.known.is_gone else None
    if verdict.kind is None:
        return None
    detail: dict[str, Any] = {} if sight == "there" else {"sight": sight, "looks": verdict.known.looks}
    return PostEvent(post=known, kind=verdict.kind, at=at, reason=verdict.reason, detail=detail)


def _edited(known: KnownPost, before: str | None, after: str, visit: Visit) -> PostEvent | None:
    """The line for a new version of a post; None if the version did not come from the web."""
    at = _seen_at(visit)
    if at is None:
        return None
    kind, what = change_of(before, after)
    return PostEvent(post=known, kind=kind, at=at, reason=what, detail={"version": known.version})


def _emptied(known: KnownPost, visit: Visit) -> PostEvent | None:
    """The line for a page that lost its article, told once, however often it is looked at; what is held stays."""
    fetched = visit.post.fetched if visit.settles and visit.post is not None else None
    at = _seen_at(visit) or fetched
    if at is None:
        return None
    return PostEvent(
        post=known, kind="emptied", at=at, reason="its page lost most of its text; the archived version is kept",
        detail={"version": known.version}, after_emptied=False,
    )


def _whole_again(known: KnownPost, visit: Visit) -> PostEvent | None:
    """The line for a page that shows what is held, after it had lost its article."""
    at = _seen_at(visit)
    if at is None or _sight(visit) != "there":
        return None
    return PostEvent(
        post=known, kind="back", at=at, reason="its page shows the whole text again", detail={"version": known.version},
        after_emptied=True,
    )


def _sight(visit: Visit) -> Sight:
    if visit.outcome in {"post", "unchanged"}:
        return "there"
    sight: Sight = visit.sight or "unclear"
    if visit.outcome == "failed" and visit.exchanges:
        sight = sight_of(visit.exchanges[-1].status)
    return "unlisted" if visit.is_unlisted and sight in UNSEEN else sight


def change_of(before: str | None, after: str) -> tuple[str, str]:
    """Whether only the comments of a post changed, and what changed in a few words."""
    if before is None:
        return "edited", "edited"
    from everlog.versions import compare  # noqa: PLC0415 - parses; most visits bring nothing new

    changes = compare(read_record(before)[0], read_record(after)[0])
    only_comments = not changes.comments.is_empty and not changes.fields and changes.text.is_empty
    return ("comments" if only_comments else "edited"), changes.summary()
