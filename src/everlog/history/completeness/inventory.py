"""Inventory: what one source says a blog has, and how far its word reaches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Literal

# A: the site counts its posts and lists all of them. B: it lists all, to a definite end. C: it may leave some out.
# D: what links led to.
Grade = Literal["A", "B", "C", "D"]
# What an inventory lists.
Member = Literal["post", "comment"]
# Of the history sources by their names, as they say themselves: judging needs none of their code.
GRADES: Mapping[str, Grade] = MappingProxyType({
    "WordPress.com": "A", "WordPress REST": "A", "Ghost content API": "A", "complete feed": "A", "Blogger": "A",
    "Tumblr": "A", "archived feed": "B", "WordPress feed": "B", "Squarespace JSON": "B", "Substack archive": "B",
    "sitemap": "C", "archive pages": "C",
})


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """The list that a source gave of a blog's posts, or of its comments.

    `claimed_before` and `claimed_after` are how many posts it said there are when the walk began and when it ended:
    claims, which are held against its `members` (posts that it lists, each address once). `is_exhaustive` says that it
    was walked to a definite end, `is_stable` that its counts did not change meanwhile; None: it gives none. `unlisted`
    are posts that are held, and still on the web, and that it does not list; `unlisted_example` is one of them.
    `shortfall` is how many comments it counted at some time that it did not list: others came since, or were deleted,
    so that its counts need not show it.
    """

    source: str
    grade: Grade
    claimed_before: int | None = None
    claimed_after: int | None = None
    members: int = 0
    is_exhaustive: bool = False
    is_stable: bool | None = None
    walked_at: datetime | None = None
    problem: str | None = None
    unlisted: int = 0
    unlisted_example: str | None = None
    shortfall: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The inventory for JSON."""
        return {
            "source": self.source, "grade": self.grade, "claimed_before": self.claimed_before,
            "claimed_after": self.claimed_after, "members": self.members, "is_exhaustive": self.is_exhaustive,
            "is_stable": self.is_stable, "walked_at": self.walked_at.isoformat() if self.walked_at else None,
            "problem": self.problem, "unlisted": self.unlisted, "unlisted_example": self.unlisted_example,
            "shortfall": self.shortfall,
        }


def lists_all(inventory: Inventory, *, of: Member = "post") -> bool:
    """Whether what it does not list is not there: of grade A or B, walked to its end, and nothing speaks against it.

    >>> good = Inventory(source="WordPress REST", grade="A", members=9, claimed_before=9, claimed_after=9,
    ...                  is_exhaustive=True, is_stable=True)
    >>> from dataclasses import replace
    >>> lists_all(good), lists_all(replace(good, claimed_after=12)), lists_all(replace(good, grade="C"))
    (True, False, False)
    """
    return inventory.grade in {"A", "B"} and why_not_all(inventory, of=of) is None


def why_not_all(inventory: Inventory, *, of: Member = "post") -> str | None:
    """What speaks against the word of an inventory that should list all of them, as the end of a sentence about it.

    Comments that were deleted since stay listed: fewer than are counted may be missing, more are not. So a count that
    is reached proves nothing where comments were counted before that it never listed.

    >>> why_not_all(Inventory(source="Ghost", grade="A", members=9, claimed_after=12, is_exhaustive=True,
    ...                       is_stable=True))
    'counts 12 posts and lists 9'
    """
    counted, members = inventory.claimed_after, inventory.members
    if not inventory.is_exhaustive:
        return f"could not be read to its end ({inventory.problem})" if inventory.problem else (
            "was not read to its end"
        )
    if inventory.is_stable is False:
        return "changed while it was read"
    # What it leaves out of what is held says more than its counts: comments of posts that nobody may see are counted.
    is_short = counted is not None and (counted > members or (counted != members and of == "post"))
    if is_short and not (of == "comment" and inventory.unlisted):
        return f"counts {counted:,} {of}{'' if counted == 1 else 's'} and lists {members:,}"
    if inventory.unlisted:
        posts = f"a {of} that is" if inventory.unlisted == 1 else f"{inventory.unlisted:,} {of}s that are"
        such = f" (such as {inventory.unlisted_example})" if inventory.unlisted_example else ""
        return f"leaves out {posts} held{such}"
    if inventory.shortfall:
        return f"counted {inventory.shortfall:,} {of}{'' if inventory.shortfall == 1 else 's'} more than it listed"
    return None


def settled_by(inventory: Inventory, *, of: Member = "post") -> str:
    """What would make an inventory one that lists all."""
    if not inventory.is_exhaustive:
        return f"another crawl, when {inventory.source} can be read to its end"
    if inventory.is_stable is False:
        return f"an update, which reads {inventory.source} again"
    if inventory.unlisted:
        return f"a list that has all {of}s; {inventory.source} leaves some out"
    return f"a list by {inventory.source} with as many {of}s as it counts"
