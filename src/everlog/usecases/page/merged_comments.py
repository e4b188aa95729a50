"""Merging of a post's comments from all that was found of them: one list, whether it is all, what is held besides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from everlog.comments.comment_markup import Thread
from everlog.comments.merging import merge
from everlog.records import Comment, CommentsState, Exchange, Post, Provenance, Visit


@dataclass(slots=True, kw_only=True)
class Gathered:
    """All that was found of one post's comments, and what could not be had."""

    threads: list[Thread]
    failures: list[str] = field(default_factory=list)
    # Whether what failed was asked for at all.
    tried: bool = False
    exchanges: tuple[Exchange, ...] = ()
    visits: list[Visit] = field(default_factory=list)
    # Further pages of comments, to be stored behind the post they belong to.
    parts: list[Visit] = field(default_factory=list)

    @property
    def on_pages(self) -> tuple[Comment, ...]:
        """The comments that stand on the post's own pages."""
        return self.threads[0].comments


def with_comments(
    post: Post, gathered: Gathered, claimed: int | None, held: Post | None, *, dates_stand: bool = True,
) -> Post:
    """The post with all its comments, and whether these are all; what was held is kept where some are missing."""
    merged = merge(gathered.threads, claimed=claimed)
    state: CommentsState = "failed" if gathered.failures and merged.state != "complete" else merged.state
    if held is not None and held.comments and (state in {"failed", "partial"} or _may_be_less(gathered, claimed)):
        merged = merge([*gathered.threads, Thread(source="held", comments=held.comments)], claimed=claimed)
        merged = replace(merged, comments=_in_held_order(merged.comments, held.comments))
        state = state if state == "failed" else merged.state
    if held is not None:
        merged = replace(merged, comments=_with_held_excerpts(merged.comments, held))
    if held is not None and dates_stand:
        merged = replace(merged, comments=_with_first_dates(merged.comments, gathered, held))
    provenance = dict(post.provenance)
    sources = sorted({comment.source for comment in merged.comments if comment.source})
    if sources:
        before = provenance.get("comments")
        provenance["comments"] = Provenance(
            method=" + ".join(sources), rule=before.rule if before else None,
            confidence=before.confidence if before else None,
        )
    return replace(
        post, comments=merged.comments, comments_state=state, comment_count_claimed=claimed, provenance=provenance,
    )


def uncommented(post: Post, held: Post | None) -> Post:
    """The post where comments are not wanted: with those that are held already, else with none."""
    provenance = {name: found for name, found in post.provenance.items() if name != "comments"}
    if held is None or not held.comments:
        return replace(post, comments=(), comments_state="off", comment_count_claimed=None, provenance=provenance)
    if "comments" in held.provenance:
        provenance["comments"] = held.provenance["comments"]
    return replace(
        post, comments=held.comments, comments_state=held.comments_state,
        comment_count_claimed=held.comment_count_claimed, provenance=provenance,
    )


def _may_be_less(gathered: Gathered, claimed: int | None) -> bool:
    """Whether what was found may be less than was held: nothing of what is counted, or a feed's newest only."""
    found = {thread.source for thread in gathered.threads if thread.comments}
    return (not found and bool(claimed)) or (found == {"feed"} and claimed is None)


def _with_first_dates(comments: tuple[Comment, ...], gathered: Gathered, held: Post) -> tuple[Comment, ...]:
    """When a comment was written does not change: the date that was read first stands, unless a feed says it.

    Pages say "3 days ago", which is another date at every visit.
    """
    exact = {comment.id for thread in gathered.threads if thread.source == "feed" for comment in thread.comments}
    before = {comment.id: comment for comment in held.comments if comment.id is not None}
    dated = []
    for comment in comments:
        old = before.get(comment.id or "")
        if old is not None and old.published is not None and old.text == comment.text and comment.id not in exact:
            comment = replace(comment, published=old.published)  # noqa: PLW2901 - the same comment, dated
        dated.append(comment)
    return tuple(dated)


def _with_held_excerpts(comments: Sequence[Comment], held: Post) -> tuple[Comment, ...]:
    """Links from elsewhere, whose excerpt and date the comment feed told when they were new, and pages never do."""
    before = {comment.id: comment for comment in held.comments if comment.id is not None}
    completed = []
    for comment in comments:
        old = before.get(comment.id or "")
        if old is not None and not comment.text and old.text and old.author_url == comment.author_url:
            comment = replace(  # noqa: PLW2901 - the same comment, with its text
                comment, text=old.text, html=old.html, published=comment.published or old.published,
            )
        completed.append(comment)
    return tuple(completed)


def _in_held_order(comments: Sequence[Comment], held: Sequence[Comment]) -> tuple[Comment, ...]:
    """Comments in the order they are held in, each new one behind the one that it follows on its page.

    A page shows a part of them, the newest perhaps; what is held knows where that part belongs.
    """
    order = {comment.id: place for place, comment in enumerate(held) if comment.id is not None}
    places: list[tuple[int, int]] = []
    place = len(held)
    for number, comment in enumerate(comments):
        place = order.get(comment.id or "", place)
        places.append((place, number))
    return tuple(comments[number] for _, number in sorted(places))
