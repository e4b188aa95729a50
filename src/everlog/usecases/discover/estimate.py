"""Estimate of how many posts a blog has: what sitemaps, front page and feed tell, and which of them to believe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.core.urls import canonical
from everlog.records.figures import Estimate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from everlog.archive.blog_state import SourceState
    from everlog.usecases.learn.learned_blog import LearnedBlog


def best_of(estimates: Sequence[Estimate]) -> Estimate:
    """The estimate to believe: an interface's count; else that of sitemaps with all of the feed; else the furthest.

    >>> feed = Estimate(posts=10, why="entries of the feed", evidence="feed")
    >>> front = Estimate(posts=330, why="33 list pages of about 10 posts", evidence="front page")
    >>> listed = Estimate(posts=299, why="addresses like a post's in the sitemap", evidence="sitemap")
    >>> best_of([feed, front, listed]).posts, best_of([feed, front]).posts
    (299, 330)
    """
    counted = next((each for each in estimates if each.evidence == "interface"), None)
    if counted is not None:
        return counted
    furthest = max(estimates, key=lambda each: each.posts)
    in_feed = max((each.posts for each in estimates if each.evidence == "feed"), default=0)
    listed = [each for each in estimates if each.evidence == "sitemap" and each.posts >= in_feed]
    return max(listed, key=lambda each: each.posts) if listed else furthest


def from_sitemaps(addresses: Iterable[str], maps: int, learned: LearnedBlog) -> list[Estimate]:
    """What the sitemaps of a site tell: how many addresses like a post's they list."""
    posts = {key for key in map(canonical, addresses) if learned.classifier.pattern.matches_key(key)}
    where = "the sitemap" if maps == 1 else f"{maps} sitemaps"
    return [Estimate(posts=len(posts), why=f"addresses like a post's in {where}", evidence="sitemap")] if posts else []


def from_interfaces(sources: Iterable[SourceState]) -> list[Estimate]:
    """What a blog's interfaces tell: how many posts they count."""
    return [
        Estimate(posts=each.total, why=f"posts counted by {each.source}", evidence="interface")
        for each in sources if each.total
    ]


def expected_posts(estimate: Estimate | None, *, held: int, waiting: int, is_finished: bool) -> int | None:
    """How many posts to expect: never fewer than are held and wait; None if nothing tells.

    What the front page let one guess is not worth more than the crawl that followed its lists to their end.

    >>> front = Estimate(posts=330, why="33 list pages of about 10 posts", evidence="front page")
    >>> expected_posts(front, held=20, waiting=5, is_finished=False)
    330
    >>> expected_posts(front, held=262, waiting=0, is_finished=True)
    262
    >>> expected_posts(None, held=0, waiting=0, is_finished=False) is None
    True
    """
    known = held + waiting
    counts = estimate is not None and (estimate.evidence in {"interface", "sitemap"} or not is_finished)
    if estimate is not None and counts:
        return max(estimate.posts, known)
    return known or None
