"""Completeness of an archived blog: whether all of it is held, with the reasons. Pure.

    inventory        a source's list of the posts that a blog has: what it claims, and how far it was read
    named_post       a post that some inventory names and that is not held, with what became of its address
    verdict          yes, no or unknown for posts; what is missing, what is excused, what would settle it
    comment_verdict  the same for comments
    sentence         the verdict in one sentence
    year_bars        posts per year, held, excused and missing, as text
    year_chart       the same as a picture (SVG)

The verdict argues from members, never from counts alone: totals lie. In doubt it never says yes. docs/completeness.md
has the rules for users. Who has an archive gathers what is judged here: `everlog.usecases.completeness`.
"""

from __future__ import annotations

from everlog.history.completeness.comment_verdict import CommentGap, judge_comments
from everlog.history.completeness.inventory import Inventory
from everlog.history.completeness.named_post import NamedPost, Whereabouts
from everlog.history.completeness.verdict import Answer, Completeness, Gap, Verdict, judge_posts

__all__ = [
    "Answer", "CommentGap", "Completeness", "Gap", "Inventory", "NamedPost", "Verdict", "Whereabouts",
    "judge_comments", "judge_posts",
]
