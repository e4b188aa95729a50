"""What a visit shows to have happened to a post that is held: the lines of the ledger that are stored with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from everlog.archive.db.column_values import moment_or_none, stamp, stamp_or_none, storable
from everlog.archive.repos.events import OF_TEXT
from everlog.archive.repos.post_codec import read_record
from everlog.schedule.liveness import Look, Missing, after_look, is_crowd, sight_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime

    from everlog.archive.write.version_decider import KnownPost
    from everlog.records import Visit
    from everlog.schedule.liveness import Sight

    # How many other posts vanished at about the time a post did, and how many were seen well since.
    Company = Callable[[KnownPost, datetime], tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PostEvent:
    """A line of the ledger whose post may have no row yet.

    `after_emptied`: it is worth telling only if the last that was told of the text is that the page lost it (True),
    or is not (False).
    """

    post: KnownPost
    kind: str
    at: datetime
    reason: str
    detail: dict[str, Any] = field(default_factory=dict)
    after_emptied: bool | None = None


def seen_at(visit: Visit) -> datetime | None:
    """When the web was asked; None for what was read again from the archive."""
    return visit.exchanges[-1].fetched_at if visit.exchanges else None


def noticed(known: KnownPost, visit: Visit, company: Company) -> PostEvent | None:
    """What a visit says about the presence of a post: it vanished, it is back, or nothing. The post is marked."""
    at, sight = seen_at(visit), _sight(visit)
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


def edited(known: KnownPost, before: str | None, after: str, visit: Visit) -> PostEvent | None:
    """The line for a new version of a post; None if the version did not come from the web."""
    at = seen_at(visit)
    if at is None:
        return None
    kind, what = _change(before, after)
    return PostEvent(post=known, kind=kind, at=at, reason=what, detail={"version": known.version})


def emptied(known: KnownPost, visit: Visit) -> PostEvent | None:
    """The line for a page that lost its article, told once, however often it is looked at; what is held stays."""
    fetched = visit.post.fetched if visit.settles and visit.post is not None else None
    at = seen_at(visit) or fetched
    if at is None:
        return None
    return PostEvent(
        post=known, kind="emptied", at=at, reason="its page lost most of its text; the archived version is kept",
        detail={"version": known.version}, after_emptied=False,
    )


def whole_again(known: KnownPost, visit: Visit) -> PostEvent | None:
    """The line for a page that shows what is held, after it had lost its article."""
    at = seen_at(visit)
    if at is None or _sight(visit) != "there":
        return None
    return PostEvent(
        post=known, kind="back", at=at, reason="its page shows the whole text again", detail={"version": known.version},
        after_emptied=True,
    )


def worth_telling(happenings: Iterable[PostEvent], last: Mapping[int | None, str]) -> Iterator[PostEvent]:
    """Those that say something new; `last` is what was last told of the texts of their posts."""
    latest = dict(last)
    for each in happenings:
        if each.after_emptied in {None, latest.get(each.post.id) == "emptied"}:
            if each.kind in OF_TEXT:
                latest[each.post.id] = each.kind
            yield each


def _sight(visit: Visit) -> Sight:
    if visit.outcome in {"post", "unchanged"}:
        return "there"
    if visit.outcome == "failed":
        return sight_of(visit.exchanges[-1].status) if visit.exchanges else "unclear"
    return visit.sight or "unclear"


def _change(before: str | None, after: str) -> tuple[str, str]:
    """Whether only the comments of a post changed, and what changed in a few words."""
    if before is None:
        return "edited", "edited"
    from everlog.versions import compare  # noqa: PLC0415 - parses; most visits bring nothing new

    changes = compare(read_record(before)[0], read_record(after)[0])
    only_comments = not changes.comments.is_empty and not changes.fields and changes.text.is_empty
    return ("comments" if only_comments else "edited"), changes.summary()
