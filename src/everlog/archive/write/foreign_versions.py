"""Versions of posts that others captured: beside the history of our own, never in place of a live copy.

    the post is not held                     its first version, labelled
    it is held from others, and older        its next version
    it is held live, or from others later    a version with a number below 1, if it differs from all that are held
    its text was told, and it has no page    a version with a number below 1, also if it says what was told

Numbers never change: what our own visits bring goes on upwards from 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.archive.post_codec import read_record
from everlog.archive.write.version_decider import PostEvent, change_of, identity_of, read_at

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.archive.post_codec import Written
    from everlog.archive.write.version_decider import Kept, KnownPost, VersionDecider
    from everlog.records import Post, Visit


def keep_foreign(
    decider: VersionDecider, visit: Visit, written: Written | None, capture_id: int | None,
) -> tuple[KnownPost, Kept] | None:
    """What a capture that others made means for the posts; None if it is about none."""
    identity = (visit.blog_id, identity_of(visit))
    known = decider.by_key.get(identity)
    if written is None or visit.post is None:
        return decider.copied(visit, known) if known is not None and visit.post_key is not None else None
    same = decider.by_content.get((visit.blog_id, written.content)) if written.content and known is None else None
    if same is not None:
        return decider.copied(visit, same)
    if known is not None:
        kept = _beside(decider, known, written, capture_id, visit)
    else:
        known, kept = decider.make(identity, written, capture_id, visit), "new"
        if visit.foreign == "done":
            # Of a blog that is known from others alone, one line tells of all posts.
            _tell(decider, known, visit, "restored", f"taken from {_whence(visit.post)}")
    if kept in {"new", "changed"}:
        known.note_comments(visit.post.comments_state, tried=False)
    if kept != "truncated":
        decider.copied(visit, known)
    return known, kept


def _beside(
    decider: VersionDecider, known: KnownPost, written: Written, capture_id: int | None, visit: Visit,
) -> Kept:
    from everlog.versions.earlier import adds_version  # noqa: PLC0415 - parses; only captures of others need it

    held = {number: read_record(record)[0] for number, record in known.records.items()}
    current, read = held[known.version], read_record(written.record)[0]
    verdict = adds_version(held.values(), current, read, other_template=visit.other_template)
    if verdict == "same" and not known.has_page:
        # What an interface told is held without any page: this is one.
        verdict = "changed"
    is_live, is_later = current.origin == "live", _moment(read) > _moment(current)
    if capture_id is not None and (is_live or not is_later or verdict == "truncated"):
        # What the post is read from again is the copy that counts.
        decider.refused.append(capture_id)
    if verdict != "changed":
        return verdict
    if is_later and not is_live:
        kind, what = change_of(known.record or known.records[known.version], written.record)
        known.version += 1
        known.take(written)
        decider.remember(known, known.version, written, capture_id, read_at(visit))
        _tell(decider, known, visit, kind, what)
        return "changed"
    number = min(held) - 1
    decider.remember(known, number, written, capture_id, read_at(visit))
    _tell(decider, known, visit, "earlier", f"version {number} was taken from {_whence(read)}", number)
    return "earlier"


def _tell(
    decider: VersionDecider, known: KnownPost, visit: Visit, kind: str, reason: str, number: int | None = None,
) -> None:
    if visit.exchanges:
        detail = {"version": known.version if number is None else number}
        decider.events.append(
            PostEvent(post=known, kind=kind, at=visit.exchanges[-1].fetched_at, reason=reason, detail=detail),
        )


def _whence(post: Post) -> str:
    what = "a web archive" if post.origin == "memento" else "an imported file"
    return f"{what}, captured {post.captured:%Y-%m-%d}" if post.captured is not None else what


def _moment(post: Post) -> datetime:
    """When a post looked like this."""
    moment = post.captured or post.fetched
    if moment is None:
        raise AssertionError("what was read was captured or fetched at some time")
    return moment
