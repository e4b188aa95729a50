"""The order in which a blog's addresses are asked for."""

from __future__ import annotations

import heapq
import re
from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlog.core.urls import canonical
from everlog.frontier.neighbours import TRIES, Group, Neighbourhood
from everlog.frontier.url_shape import Shapes

if TYPE_CHECKING:
    from everlog.records import Lane

# Addresses of a shape that look like a post's and are none, one after the other, before the rest of the
# shape waits among the pages.
MISTAKES = 8
# Shapes that are told apart; the rest are one.
MOST_SHAPES = 400
# Posts whose visit may still be reported.
MOST_ASKED = 1_000
# The rule to stop. In crawls of 84 blogs to their end, the longest row of pages without a new post before one
# that had some was 181 (the next 102); with 200, no post of these blogs is lost, with 100 two of 272 of one.
QUIET_PAGES = 250
# Less than this share of new posts among all found is nothing new.
NEWS = 0.01
# A kind of page that once led to posts has run dry when so many in a row led to none (30 lost nothing either).
QUIET_GROUP = 50

_OTHER = ("other",)
_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a crawl came: what its latest pages brought, and how much all of them did."""

    latest: tuple[int, ...]
    visited: int
    brought: int


class Frontier:
    """Addresses that wait to be asked for, and what was learned about where posts are found.

    Posts come first, in the order they were found or the newest first (by the dates and numbers in their
    addresses). Pages are kept by shape; the next one is the oldest of the most promising shape. All of it
    is a function of the calls so far: no chance, no clock.

    >>> frontier = Frontier()
    >>> for url in ("https://a.org/forum/1", "https://a.org/page/2", "https://a.org/2020/a-post"):
    ...     frontier.add(url, canonical(url), "post" if "post" in url else "page")
    >>> frontier.learn("https://a.org/page/1", 10)
    >>> frontier.next(), frontier.next()
    (('a.org/2020/a-post', 'https://a.org/2020/a-post'), ('a.org/page/2', 'https://a.org/page/2'))
    """

    def __init__(self, *, order: str = "knn") -> None:
        self._newest_first = order == "newest-first"
        self._shapes = Shapes()
        self._known = Neighbourhood()
        self._posts: deque[tuple[str, str]] = deque()
        self._first: deque[tuple[str, str]] = deque()
        self._ranked: list[tuple[tuple[int, ...], int, str, str]] = []
        self._pages: dict[tuple[str, ...], deque[tuple[str, str]]] = {}
        self._waiting: dict[str, int] = {"post": 0, "page": 0}
        self._added = 0
        # Posts that were handed out: that one of them links to no other says nothing about lists.
        self._asked: OrderedDict[str, None] = OrderedDict()
        # What the latest pages brought, for the rule to stop.
        self._latest: deque[int] = deque(maxlen=QUIET_PAGES)

    def __len__(self) -> int:
        return self._waiting["post"] + self._waiting["page"]

    def waiting(self, lane: Lane) -> int:
        """How many addresses of a lane wait."""
        return self._waiting.get(lane, 0)

    def add(self, url: str, key: str, lane: Lane, *, first: bool = False) -> None:
        """Take an address in, before all others if it is `first`. The caller knows which ones were added before."""
        self._waiting[lane] += 1
        if lane == "page":
            self._pages.setdefault(self._group(key).shape, deque()).append((key, url))
        elif first:
            self._first.append((key, url))
        elif self._newest_first:
            self._added += 1
            heapq.heappush(self._ranked, (_oldness(key), self._added, key, url))
        else:
            self._posts.append((key, url))

    def next(self) -> tuple[str, str] | None:
        """Key and URL of what should be asked for now; it waits no longer. None if nothing waits."""
        while self._waiting["post"]:
            key, url = self._next_post()
            self._waiting["post"] -= 1
            group = self._group(key)
            if group.hits or group.misses < MISTAKES:
                self._asked[key] = None
                if len(self._asked) > MOST_ASKED:
                    self._asked.popitem(last=False)
                return key, url
            self.add(url, key, "page")
        if not self._pages:
            return None
        shape = max(self._pages, key=lambda shape: self._known.promise(self._known.groups[shape]))
        waiting = self._pages[shape]
        key, url = waiting.popleft()
        if not waiting:
            del self._pages[shape]
        self._waiting["page"] -= 1
        return key, url

    def learn(self, url: str, new_posts: int, *, post: bool | None = None, failed: bool = False) -> None:
        """A page was visited and brought links to so many posts nobody knew.

        `post` says whether it is one itself, `failed` that there was no page: its kind is asked for later
        then, but a broken link does not bring the end nearer.
        """
        key = canonical(url)
        group = self._group(key)
        if post is not None:
            group.hits += post
            group.misses += not post
        if key in self._asked:
            del self._asked[key]
            if not new_posts:
                return
        self._known.visit(group, new_posts)
        if not failed:
            self._latest.append(new_posts)

    def expected(self, url: str) -> float:
        """How many new posts a page is expected to bring."""
        return self._known.expected(self._group(canonical(url)))

    def exhausted(self) -> str | None:
        """Why nothing new can be expected; None while something can."""
        if self._waiting["post"] or len(self._latest) < QUIET_PAGES:
            return None
        if sum(self._latest) >= max(1, NEWS * self._known.brought):
            return None
        for shape in self._pages:
            group = self._known.groups[shape]
            if group.visited < TRIES or (group.brought and group.quiet < QUIET_GROUP):
                return None
        found, waiting = sum(self._latest), self._waiting["page"]
        led = f"the last {QUIET_PAGES} pages led to {found or 'no'} new {'post' if found == 1 else 'posts'}"
        left = f"; {waiting:,} lists and other pages like them were not visited" if waiting else ""
        return f"no more posts are expected: {led}{left}"

    def progress(self) -> Progress:
        """What the rule to stop has counted so far, for a crawl that pauses."""
        return Progress(latest=tuple(self._latest), visited=self._known.visited, brought=self._known.brought)

    def resume(self, progress: Progress) -> None:
        """Go on counting where a crawl paused; what its pages taught must be known by now."""
        self._latest.extend(progress.latest)
        self._known.visited = max(self._known.visited, progress.visited)
        self._known.brought = max(self._known.brought, progress.brought)

    def _next_post(self) -> tuple[str, str]:
        if self._first:
            return self._first.popleft()
        if self._ranked:
            return heapq.heappop(self._ranked)[2:]
        return self._posts.popleft()

    def _group(self, key: str) -> Group:
        shape = self._shapes.of(key)
        if shape not in self._known.groups and len(self._known.groups) >= MOST_SHAPES:
            shape = _OTHER
        return self._known.group(shape)


def _oldness(key: str) -> tuple[int, ...]:
    """Small for new posts: by the first numbers in the address, a date or the number of a post."""
    numbers = [int(number[:18]) for number in _NUMBERS.findall(key.partition("/")[2])[:3]]
    return tuple(-number for number in numbers) or (0,)
