"""URL queue of one crawl: a bounded part of it in memory, ordered by the frontier; all of it in the archive."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.core.urls import host_of
from everlog.frontier import Frontier
from everlog.frontier.url_shape import Shape, Shapes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.records import Blog, Lane, Link

# How many URLs of a lane are held in memory; the rest wait in the archive. The frontier chooses among
# pages, so it sees more of them; a link takes about 400 bytes.
HELD: dict[Lane, int] = {"post": 2_000, "page": 10_000, "media": 2_000, "requisite": 2_000}
# One page with thousands of links of one kind must not shut the others out.
HELD_OF_SHAPE = 500
# Below this many new posts a page, a kind of pages that waits in the archive does not hold up the end.
NOTHING_EXPECTED = 0.05
# The frontier learns from the latest pages of an earlier run.
TAUGHT_BY = 500
PUT_OFF_IN: tuple[Lane, ...] = ("post", "page")


class Queue:
    """Which URL is asked for next."""

    def __init__(self, archive: Archive, blog: Blog, *, newest_first: bool = False) -> None:
        self._archive = archive
        self._blog = blog
        self._host = host_of(blog.home)
        self.frontier = Frontier(order="newest-first" if newest_first else "knn")
        self._links: dict[str, Link] = {}
        self._own_media: deque[Link] = deque()
        self._other_media: deque[Link] = deque()
        self._own_requisites: dict[str, Link] = {}
        self._other_requisites: dict[str, Link] = {}
        self._held: dict[Lane, int] = {"post": 0, "page": 0, "media": 0, "requisite": 0}
        self._under_way: set[str] = set()
        self._postponed: set[str] = set()
        # What waited for others until nothing else was left.
        self.taken_up: set[str] = set()
        self._overflowed: set[Lane] = set()
        # Shapes of addresses (see `everlog.frontier.url_shape`) with more pages than memory holds of one shape.
        self._shapes = Shapes()
        self._of_shape: Counter[Shape] = Counter()
        self._shape_held: dict[str, Shape] = {}
        self._overflowed_shapes: dict[Shape, str] = {}
        for url, new_posts in archive.urls.seen_pages(blog.id, limit=TAUGHT_BY):
            # What an earlier run saw does not bring the end of this one nearer; see `resume` for parts of one crawl.
            self.frontier.learn(url, new_posts, failed=True)

    def add(self, links: Iterable[Link]) -> None:
        """Take links in; beyond what memory holds they wait in the archive, where they are stored anyway."""
        for link in links:
            if link.lane == "page":
                shape = self._shapes.of(link.key)
                if shape in self._overflowed_shapes or self._of_shape[shape] >= HELD_OF_SHAPE:
                    self._overflowed_shapes[shape] = link.url
                    self._overflowed.add("page")
                    continue
            if self._held[link.lane] >= HELD[link.lane] or (link.lane != "page" and link.lane in self._overflowed):
                self._overflowed.add(link.lane)
                continue
            self._hold(link)

    def next_page(self) -> Link | None:
        """The post or page to ask for next."""
        following = self.frontier.next()
        if following is None:
            return None
        return self._start(self._links.pop(following[0]))

    def next_file(self, *, own_host: bool) -> Link | None:
        """The next requisite, else picture or file; those on other hosts take no turn from the blog's pages."""
        needed = self._own_requisites if own_host else self._other_requisites
        if needed:
            return self._start(needed.pop(next(iter(needed))))
        lane = self._own_media if own_host else self._other_media
        return self._start(lane.popleft()) if lane else None

    def done(self, link: Link) -> None:
        """The visit of a link has ended."""
        self._under_way.discard(link.key)

    def postpone(self, key: str) -> None:
        """This URL's row stays in the archive's queue, but it is not asked for again."""
        self._postponed.add(key)

    def take_up_put_off(self, now: datetime) -> bool:
        """Bring in what earlier runs put off until another page was seen; whether there was anything.

        They are for the end, when there is nothing else to ask for, in whichever lane: a run that began with them
        might spend its time on them and leave again what they wait for, and so might the next.
        """
        room = HELD["post"] + len(self._postponed | self.taken_up)
        found = [
            link for lane in PUT_OFF_IN
            for _, link in self._archive.urls.queued(self._blog.id, lane, limit=room, now=now, put_off=True)
            if link.key not in self._postponed and link.key not in self.taken_up
        ][: HELD["post"]]
        for link in found:
            self.taken_up.add(link.key)
            # Each was read as a post, whatever its address looks like.
            self._hold(replace(link, lane="post"))
        return bool(found)

    def resume(self) -> None:
        """Count quiet pages on from where the crawl paused that this one goes on with."""
        progress = self._archive.blogs.state(self._blog.id).progress
        if progress is not None:
            self.frontier.resume(progress)

    def keep_progress(self, *, is_over: bool) -> None:
        """Write down how far this crawl came, for one that goes on with it; nothing if it came to its end."""
        progress = None if is_over else self.frontier.progress()
        self._archive.blogs.change_state(self._blog.id, lambda state: replace(state, progress=progress))

    def forget_progress(self) -> None:
        """What an earlier crawl saw does not bring the end of this one nearer."""
        self.keep_progress(is_over=True)

    def refill(self, lanes: Iterable[Lane], now: datetime) -> bool:
        """Bring in what waits in the archive. All visits must be stored by now. Whether there was anything."""
        found = False
        for lane in lanes:
            if self._held[lane]:
                continue
            self._overflowed.discard(lane)
            if lane == "page":
                self._overflowed_shapes.clear()
            room = HELD[lane] + len(self._under_way)
            for _, link in self._archive.urls.queued(self._blog.id, lane, limit=room, now=now):
                if link.key in self._under_way or link.key in self._links or link.key in self._postponed:
                    continue
                if self._held[lane] >= HELD[lane]:
                    self._overflowed.add(lane)
                    break
                self._hold(link)
                found = True
        return found

    def waiting(self, lane: Lane) -> int:
        """How many URLs of a lane wait in memory."""
        return self._held[lane]

    @property
    def posts_overflowed(self) -> bool:
        """Whether all posts that wait do so in the archive."""
        return "post" in self._overflowed and not self._held["post"]

    @property
    def holds_back_promising(self) -> bool:
        """Whether posts, or pages that may lead to new ones, wait in the archive alone."""
        if "post" in self._overflowed or ("page" in self._overflowed and not self._overflowed_shapes):
            return True
        return any(self.frontier.expected(url) > NOTHING_EXPECTED for url in self._overflowed_shapes.values())

    def _hold(self, link: Link) -> None:
        self._held[link.lane] += 1
        if link.lane == "requisite":
            (self._own_requisites if host_of(link.url) == self._host else self._other_requisites)[link.key] = link
            return
        if any(waiting.pop(link.key, None) is not None for waiting in (self._own_requisites, self._other_requisites)):
            # What waited as a requisite, and is more than that.
            self._held["requisite"] -= 1
        if link.lane == "media":
            (self._own_media if host_of(link.url) == self._host else self._other_media).append(link)
        else:
            self._links[link.key] = link
            # A page that is wanted for itself does not compete with those that may lead to posts.
            lane: Lane = "post" if link.rank < 0 else link.lane
            self.frontier.add(link.url, link.key, lane, first=link.rank < 0 and link.lane == "post")
            if link.lane == "page":
                shape = self._shape_held[link.key] = self._shapes.of(link.key)
                self._of_shape[shape] += 1

    def _start(self, link: Link) -> Link:
        self._held[link.lane] -= 1
        if link.lane == "page":
            self._of_shape[self._shape_held.pop(link.key)] -= 1
        self._under_way.add(link.key)
        return link
