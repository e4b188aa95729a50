"""What pages of a shape bring: a distance-weighted mean over the nearest pages that were visited.

The k nearest neighbours of an address are pages of its own shape first (the latest ones: what a shape
brings changes as posts become known), then those of the nearest shapes. Keeping the neighbours by
shape makes an estimate independent of how many pages were visited.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from everlog.frontier.url_shape import Shape, distance

# Blogs have few kinds of lists (home, month, tag, author) and each gives a page or two as neighbours;
# with more, the kind that was visited most drowns the others.
NEIGHBOURS = 5
# Shapes remembered as near: more cannot be among the neighbours of anything.
NEAREST = 8
# Shapes that are farther apart have nothing in common but a number or a slug somewhere.
HORIZON = 0.75
# One neighbour is no rule: so much of a neighbour that brought nothing is always assumed.
DOUBT = 0.25
# A shape that was tried so often is known by itself.
TRIES = 3


@dataclass(slots=True)
class Group:
    """The visited pages of one shape: how many, and what the latest of them brought."""

    shape: Shape
    latest: deque[int] = field(default_factory=lambda: deque(maxlen=NEIGHBOURS))
    visited: int = 0
    brought: int = 0
    # Visits since one of them brought a post.
    quiet: int = 0
    hits: int = 0
    misses: int = 0
    near: list[tuple[float, Group]] = field(default_factory=list)

    def visit(self, new_posts: int) -> None:
        """One more page of this shape was visited."""
        self.latest.append(new_posts)
        self.visited += 1
        self.brought += new_posts
        self.quiet = 0 if new_posts else self.quiet + 1


class Neighbourhood:
    """All shapes that were met, and which are near to which."""

    def __init__(self) -> None:
        self.groups: dict[Shape, Group] = {}
        self.visited = 0
        self.brought = 0

    def group(self, shape: Shape) -> Group:
        """The group of a shape, made if it is new."""
        group = self.groups.get(shape)
        if group is None:
            group = self.groups[shape] = Group(shape)
            self._introduce(group)
        return group

    def visit(self, group: Group, new_posts: int) -> None:
        """A page of a group was visited."""
        group.visit(new_posts)
        self.visited += 1
        self.brought += new_posts

    def expected(self, group: Group) -> float:
        """How many new posts a page of this group will bring, as its neighbours did."""
        samples = [(0.0, new_posts) for new_posts in group.latest]
        for far, other in group.near:
            if len(samples) >= NEIGHBOURS:
                break
            samples += [(far, new_posts) for new_posts in other.latest][: NEIGHBOURS - len(samples)]
        return _weighted(samples)

    def promise(self, group: Group) -> float:
        """The expected posts, and what may be behind a shape that is not known yet.

        The less a shape is like one that was tried, the more it may bring: about as much as pages did
        on average. Without it, a list that looks like a forum would never be tried.
        """
        average = (self.brought + 1) / (self.visited + 1)
        nearest = next((far for far, other in group.near if other.visited), 1.0)
        unknown = max(0, TRIES - group.visited) / TRIES * nearest
        return self.expected(group) + unknown * average

    def _introduce(self, group: Group) -> None:
        for other in self.groups.values():
            if other is not group:
                far = distance(group.shape, other.shape)
                _keep_near(group.near, far, other)
                _keep_near(other.near, far, group)


def _keep_near(near: list[tuple[float, Group]], far: float, group: Group) -> None:
    if len(near) >= NEAREST and far >= near[-1][0]:
        return
    near.append((far, group))
    near.sort(key=lambda pair: pair[0])
    del near[NEAREST:]


def _weighted(samples: Iterable[tuple[float, int]]) -> float:
    """The mean of samples, each weighted by its nearness; where all are far away, hardly anything.

    >>> _weighted([(0.0, 10), (0.0, 8)]) > 7, _weighted([(0.7, 10)]) < 0.2
    (True, True)
    """
    weights = [(max(0.0, 1 - far / HORIZON) ** 2, new_posts) for far, new_posts in samples]
    return sum(weight * new_posts for weight, new_posts in weights) / (DOUBT + sum(weight for weight, _ in weights))
