"""Verdict on a blog's comments, of the posts that are held.

    yes       an interface listed all comments to its end, leaves out none that is held, no post is missing, and no post
              lacks a comment that its page or a feed speaks of
    no        the comments of some post could not be had, its page counts more than were found, or the feed of all
              comments names one that is not held
    unknown   else: pages show what they show
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from everlog.history.completeness.inventory import Inventory, lists_all, settled_by, why_not_all
from everlog.history.completeness.sentence import NOT_FETCHED, comments_sentence
from everlog.history.completeness.verdict import Answer, Gap, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentGap:
    """A post that is held and lacks comments: they failed, its page counts more than are held, or nobody asked.

    Of those that were `announced` by the feed of all comments so many are `lacking`.
    """

    url: str
    state: Literal["failed", "partial", "off", "announced"]
    held: int = 0
    claimed: int | None = None
    lacking: int = 0


def judge_comments(
    gaps: Iterable[CommentGap], *, held: int, lists: Sequence[Inventory], posts: Verdict,
) -> Verdict:
    """The verdict on comments: `lists` are the inventories of comments, `posts` is the verdict on posts.

    >>> posts = Verdict(answer="yes", sentence="", held=2)
    >>> rest = Inventory(source="WordPress REST", grade="A", members=5, claimed_after=5, is_exhaustive=True)
    >>> judge_comments([], held=5, lists=[rest], posts=posts).answer
    'yes'
    >>> gap = CommentGap(url="https://a.org/x", state="partial", held=2, claimed=5)
    >>> judge_comments([gap], held=5, lists=[], posts=posts).missing[0].reason
    'the site counts 5 comments, 2 were found'
    """
    known = list(gaps)
    # What a page says of a post comes before what a feed says of it: nothing is missing twice.
    lacking = {gap.url: gap for gap in sorted(known, key=lambda gap: gap.state != "announced") if gap.state != "off"}
    missing = tuple(
        Gap(url=gap.url, reason=_reason(gap), named_by=(_who_names(gap),), comments=_lacking(gap))
        for _, gap in sorted(lacking.items())
    )
    # Whoever may not read a post sees no comment on it either.
    excused = tuple(
        Gap(url=gap.url, reason=gap.reason, named_by=gap.named_by)
        for gap in posts.excused if not gap.reason.startswith("gone")
    )
    is_off = any(gap.state == "off" for gap in known)
    doubt, remedy = _doubt(lists, posts, is_off=is_off)
    told_by = next((each.source for each in lists if lists_all(each, of="comment")), None)
    answer: Answer = "no" if missing else "yes" if doubt is None else "unknown"
    sentence = comments_sentence(
        answer, held=held, missing=[gap.reason for gap in missing], told_by=told_by, why_unknown=doubt or "",
    )
    return Verdict(
        answer=answer, sentence=sentence, held=held, missing=missing, excused=excused,
        settled_by=remedy if answer == "unknown" else None,
    )


def _doubt(lists: Sequence[Inventory], posts: Verdict, *, is_off: bool) -> tuple[str | None, str | None]:
    """Why the comments that are held may not be all, and what would settle it."""
    if is_off:
        return "they were not asked for", "an update without --no-comments"
    if posts.missing:
        return "posts are missing, and their comments with them", "an update or repair that brings these posts"
    if any(lists_all(each, of="comment") for each in lists):
        return None, None
    doubtful = next((each for each in lists if each.grade in {"A", "B"}), None)
    if doubtful is None:
        return "no list of all comments was found", "an interface that lists all comments"
    return f"{doubtful.source} {why_not_all(doubtful, of='comment')}", settled_by(doubtful, of="comment")


def _lacking(gap: CommentGap) -> int | None:
    if gap.state == "announced":
        return gap.lacking
    return gap.claimed - gap.held if gap.claimed is not None and gap.claimed > gap.held else None


def _who_names(gap: CommentGap) -> str:
    return "comment feed" if gap.state == "announced" else "its page"


def _reason(gap: CommentGap) -> str:
    if gap.state == "announced":
        comments = "a comment that is" if gap.lacking == 1 else f"{gap.lacking:,} comments that are"
        return f"the feed of all comments named {comments} not held"
    if gap.claimed is not None and gap.claimed > gap.held:
        return f"the site counts {gap.claimed:,} comments, {gap.held:,} were found"
    return NOT_FETCHED if gap.state == "failed" else "not all of its comments could be fetched"
