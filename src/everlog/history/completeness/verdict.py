"""Verdict on a blog's posts: is it all there? Yes, no or unknown, with the reasons.

    yes       a source that lists all posts was walked to its end, did not change meanwhile, counts what it lists, and
              leaves out nothing that is held; each post that anybody names is held, or excused
    no        somebody names a post that is neither held nor excused
    unknown   nobody names one, and nobody's list is known to be whole; with what would settle it
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from everlog.history.completeness.inventory import Inventory, lists_all, settled_by, why_not_all
from everlog.history.completeness.named_post import NamedPost, Whereabouts, excuse, is_no_post
from everlog.history.completeness.sentence import TEXT_ALONE, posts_sentence

Answer = Literal["yes", "no", "unknown"]

# What is said of a post that is missing, where its address says no more.
_IN_WORDS: dict[Whereabouts, str] = {
    "no post": "its page was not recognised as a post", "outside": "on another host", "waiting": "not visited yet",
    "unvisited": "never visited", "refused": "robots.txt disallows it", "same": "its address leads to another post",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A post that is not held (or whose comments are not), why, and who names it.

    `comments` is how many comments of it are not held, where that is known; `is_in_part` says that some of the post
    is: its text without its page, or some of its pages.
    """

    url: str
    reason: str
    named_by: tuple[str, ...] = ()
    year: int | None = None
    comments: int | None = None
    is_in_part: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The gap for JSON."""
        counted = {"comments": self.comments} if self.comments is not None else {}
        return {
            "url": self.url, "reason": self.reason, "named_by": list(self.named_by), "year": self.year,
            "is_in_part": self.is_in_part, **counted,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The answer for posts, or for comments: with a sentence for people, and what would settle it if it is unknown.

    `held` are those that are held whole: none of them is among the others.
    """

    answer: Answer
    sentence: str
    held: int
    excused: tuple[Gap, ...] = ()
    missing: tuple[Gap, ...] = ()
    settled_by: str | None = None

    @property
    def in_part(self) -> int:
        """How many of the others are held in part."""
        return sum(gap.is_in_part for gap in (*self.missing, *self.excused))

    def to_dict(self) -> dict[str, Any]:
        """The verdict for JSON."""
        return {
            "answer": self.answer, "sentence": self.sentence, "held": self.held,
            "excused": [gap.to_dict() for gap in self.excused], "missing": [gap.to_dict() for gap in self.missing],
            "settled_by": self.settled_by,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Completeness:
    """What is known of the completeness of a blog at one time."""

    posts: Verdict
    comments: Verdict
    inventories: tuple[Inventory, ...]
    checked_at: datetime
    # Who lists its comments.
    comment_inventories: tuple[Inventory, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {
            "posts": self.posts.to_dict(), "comments": self.comments.to_dict(),
            "inventories": [each.to_dict() for each in self.inventories],
            "comment_inventories": [each.to_dict() for each in self.comment_inventories],
            "checked_at": self.checked_at.isoformat(),
        }

    def short(self) -> dict[str, Any]:
        """The answers, how many posts are missing, excused and held in part, and the sentences, for lists of blogs."""
        return {
            "posts": self.posts.answer, "comments": self.comments.answer, "missing": len(self.posts.missing),
            "excused": len(self.posts.excused), "in_part": self.posts.in_part,
            "checked_at": self.checked_at.isoformat(),
            "sentences": [self.posts.sentence, self.comments.sentence],
        }


def judge_posts(inventories: Sequence[Inventory], named: Iterable[NamedPost], *, held: int) -> Verdict:
    """The verdict on a blog's posts, from what its sources list and what became of the posts that are not held.

    `held` are all that the archive has something of, those in part among them.

    >>> rest = Inventory(source="WordPress REST", grade="A", members=2, claimed_before=2, claimed_after=2,
    ...                  is_exhaustive=True, is_stable=True)
    >>> judge_posts([rest], [], held=2).answer
    'yes'
    >>> lost = NamedPost(url="https://a.org/x", named_by=("WordPress REST",), whereabouts="failed", detail="timed out")
    >>> judge_posts([rest], [lost], held=1).answer
    'no'
    """
    whole = [each for each in inventories if lists_all(each)]
    counted = [each.source for each in whole if each.grade == "A"]
    missing: list[Gap] = []
    excused: list[Gap] = []
    for post in named:
        if is_no_post(post):
            continue
        # What only has the address of a post, and is on no list that is whole, needs no count to be gone.
        lists = counted if post.is_certain else [each.source for each in whole]
        why = excuse(post, lists)
        into, reason = (missing, _reason(post)) if why is None else (excused, why)
        into.append(Gap(
            url=post.url, reason=reason, named_by=post.named_by, year=post.year, is_in_part=post.is_in_part,
        ))
    missing.sort(key=lambda gap: gap.url)
    excused.sort(key=lambda gap: gap.url)
    held -= sum(gap.is_in_part for gap in (*missing, *excused))
    answer: Answer = "no" if missing else "yes" if whole else "unknown"
    sentence = posts_sentence(
        answer, held=held, missing=[gap.reason for gap in missing], excused=[gap.reason for gap in excused],
        told_by=whole[0].source if whole else None, why_unknown=_why_unknown(inventories),
    )
    return Verdict(
        answer=answer, sentence=sentence, held=held, missing=tuple(missing), excused=tuple(excused),
        settled_by=_settled_by(inventories) if answer == "unknown" else None,
    )


def _reason(post: NamedPost) -> str:
    if post.whereabouts == "told only":
        return post.detail + TEXT_ALONE
    return post.detail or _IN_WORDS.get(post.whereabouts, "not held")


def _why_unknown(inventories: Sequence[Inventory]) -> str:
    """Why no source is known to list all posts, as the end of a sentence."""
    doubtful = _doubtful(inventories)
    why = why_not_all(doubtful) if doubtful is not None else None
    if doubtful is not None and why:
        return f"{doubtful.source} {why}"
    lists = [each.source for each in inventories if each.grade == "C" and each.members]
    if not lists:
        return "no list of all its posts was found"
    named = f"{', '.join(lists[:-1])} and {lists[-1]}" if len(lists) > 1 else lists[0]
    name = "name" if len(lists) > 1 or named.endswith("s") else "names"
    unread = "; ".join(f"{each.source}: {each.problem}" for each in inventories if each.grade == "C" and each.problem)
    # Another post that one of them names is missing, and then the answer is no.
    return f"its {named} {name} no other posts, but may leave some out" + (f" ({unread})" if unread else "")


def _doubtful(inventories: Sequence[Inventory]) -> Inventory | None:
    """The source that should list all posts and is not known to: the first that lists any, if one does."""
    should = [each for each in inventories if each.grade in {"A", "B"}]
    return next((each for each in should if each.members), should[0] if should else None)


def _settled_by(inventories: Sequence[Inventory]) -> str:
    """What would turn an unknown into a yes or a no."""
    doubtful = _doubtful(inventories)
    if doubtful is None:
        return "a list by the blog itself that has all posts: an interface, or a feed that goes back to the first post"
    return settled_by(doubtful)
