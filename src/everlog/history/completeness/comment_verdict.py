"""Verdict on a blog's comments, of the posts that are held.

    yes       an interface listed all comments to its end, no post is missing, and no post lacks a comment it speaks of
    no        the comments of some post could not be had, or its page counts more than were found
    unknown   else: pages show what they show
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from everlog.history.completeness.sentence import NOT_FETCHED, comments_sentence
from everlog.history.completeness.verdict import Answer, Gap, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentGap:
    """A post that is held and lacks comments: they failed, its page counts more than are held, or nobody asked."""

    url: str
    state: Literal["failed", "partial", "off"]
    held: int = 0
    claimed: int | None = None


def judge_comments(
    gaps: Iterable[CommentGap], *, held: int, told_by: str | None, posts: Verdict,
) -> Verdict:
    """The verdict on comments: `told_by` is the source that listed all of them to its end, `posts` that on posts.

    >>> posts = Verdict(answer="yes", sentence="", held=2)
    >>> judge_comments([], held=5, told_by="WordPress REST", posts=posts).answer
    'yes'
    >>> gap = CommentGap(url="https://a.org/x", state="partial", held=2, claimed=5)
    >>> judge_comments([gap], held=5, told_by=None, posts=posts).missing[0].reason
    'the site counts 5 comments, 2 were found'
    """
    known = list(gaps)
    missing = tuple(
        Gap(url=gap.url, reason=_reason(gap), named_by=("its page",), comments=_lacking(gap))
        for gap in sorted(known, key=lambda gap: gap.url) if gap.state != "off"
    )
    # Whoever may not read a post sees no comment on it either.
    excused = tuple(
        Gap(url=gap.url, reason=gap.reason, named_by=gap.named_by)
        for gap in posts.excused if not gap.reason.startswith("gone")
    )
    is_off = any(gap.state == "off" for gap in known)
    doubt, settled_by = _doubt(told_by, posts, is_off=is_off)
    answer: Answer = "no" if missing else "yes" if doubt is None else "unknown"
    sentence = comments_sentence(
        answer, held=held, missing=[gap.reason for gap in missing], told_by=told_by, why_unknown=doubt or "",
    )
    return Verdict(
        answer=answer, sentence=sentence, held=held, missing=missing, excused=excused,
        settled_by=settled_by if answer == "unknown" else None,
    )


def _doubt(told_by: str | None, posts: Verdict, *, is_off: bool) -> tuple[str | None, str | None]:
    """Why the comments that are held may not be all, and what would settle it."""
    if is_off:
        return "they were not asked for", "an update without --no-comments"
    if posts.missing:
        return "posts are missing, and their comments with them", "an update or repair that brings these posts"
    if told_by is None:
        return "no list of all comments was found", "an interface that lists all comments"
    return None, None


def _lacking(gap: CommentGap) -> int | None:
    return gap.claimed - gap.held if gap.claimed is not None and gap.claimed > gap.held else None


def _reason(gap: CommentGap) -> str:
    if gap.claimed is not None and gap.claimed > gap.held:
        return f"the site counts {gap.claimed:,} comments, {gap.held:,} were found"
    return NOT_FETCHED if gap.state == "failed" else "not all of its comments could be fetched"
