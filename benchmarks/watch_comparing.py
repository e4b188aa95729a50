"""An archive that was watched over, beside the world of `watch_world.py`: what was missed, and what was made up."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from watch_pages import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.archive import Archive
    from everlog.records import Blog, Event
    from watch_world import World, WorldBlog, WorldDeletion, WorldEdit, WorldPost

# A post that was in its feed for so long must not be missed.
LONG_ENOUGH = timedelta(hours=2)
MOST_SHOWN = 20
# A post that leaves the feed with fewer entries behind it looks like one that has grown old.
LEAST_BEHIND = 2


@dataclass(slots=True, kw_only=True)
class Asked:
    """One request, as the server saw it; `is_early` if it came before the server allowed it."""

    at: datetime
    blog: WorldBlog
    path: str
    status: int | None
    is_early: bool


def compare(world: World, requests: Sequence[Asked], archive: Archive) -> dict[str, Any]:
    """The archive beside the world; `examples` are what must not be, `untold` what is not in the ledger."""
    blogs = {
        urlsplit(blog.home).netloc.split(".")[0].removesuffix("-moved"): blog for blog in archive.blogs(forgotten=True)
    }
    books = Books(world, archive, {blog.id: name for name, blog in blogs.items()})
    books.compare_posts()
    books.compare_histories()
    polls = _polls(world, requests, blogs, books.wrong)
    return books.figures | dict(sorted(books.counts.items())) | polls | {
        "untold": books.untold[:MOST_SHOWN], "must not be": len(books.wrong), "examples": books.wrong[:MOST_SHOWN],
    }


@dataclass(slots=True)
class Books:
    """What is found while an archive is compared with its world."""

    world: World
    archive: Archive
    names: dict[int, str]
    figures: dict[str, Any] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    untold: list[str] = field(default_factory=list)

    def compare_posts(self) -> None:
        """Which posts were to be found, how long that took, and whether they were read rightly."""
        delays, frequent = [], []
        wanted = 0
        for blog in self.world.blogs:
            for post in blog.posts:
                if post.published_at <= self.world.start_at or not _was_long_in_feed(blog, post, self.world.end_at):
                    continue
                wanted += 1
                versions = self._versions(blog, post)
                if not versions:
                    self.wrong.append(f"missed: {blog.name}{post.path}")
                    continue
                delays.append(versions[0].fetched - post.published_at)
                if blog.posts_weekly(self.world.start_at):
                    frequent.append(delays[-1].total_seconds() / 60)
                is_new = blog.redesigned_at is not None and blog.redesigned_at <= post.published_at
                era = "after a redesign" if is_new else "new posts"
                self.counts[f"texts of {era}"] += 1
                self.counts[f"texts of {era}, right"] += _is_right(blog, post, versions[-1].text)
        self.figures |= {
            "new posts that had to be found": wanted,
            "median delay, weekly or more (min)": median(frequent) if frequent else 0.0,
            "longest delay (h)": max(delays).total_seconds() / 3600 if delays else 0.0,
        }

    def compare_histories(self) -> None:
        """Edits, deletions, moves, deaths and redesigns: what is in the ledger, beside what happened."""
        of_post: dict[str, list[Event]] = defaultdict(list)
        of_blog: dict[str, set[str]] = defaultdict(set)
        for event in self.archive.events():
            name = self.names[event.blog_id]
            if event.url is None:
                of_blog[name].add(event.kind)
            else:
                of_post[f"{name}{_path(event.url)}"].append(event)
        for blog in self.world.blogs:
            for post in blog.posts:
                events = of_post[f"{blog.name}{_path(post.path)}"]
                told = Counter(event.kind for event in events)
                self._compare_edits(blog, post, events)
                self._compare_deletion(blog, post, told)
            self._compare_blog(blog, of_blog[blog.name])

    def _compare_blog(self, blog: WorldBlog, told: set[str]) -> None:
        death, move = blog.death, blog.move
        has_moved = move is not None and _is_alive(blog, move.at)
        happened = {
            "dead": death is not None and death.how in {"gone", "not-found", "dns"},
            "other-owner": death is not None and death.how == "new-owner",
            "moved": has_moved and move is not None and move.kind == "domain",
            "feed-moved": has_moved,
            "redesigned": blog.redesigned_at is not None and _is_alive(blog, blog.redesigned_at),
        }
        for kind, is_so in happened.items():
            self.counts[f"{kind}: happened"] += is_so
            self.counts[f"{kind}: told"] += is_so and kind in told
            if is_so and kind not in told:
                self.untold.append(f"{blog.name}: {kind}")
            if kind in told and not is_so:
                self.wrong.append(f"invented: {blog.name} {kind}")

    def _compare_edits(self, blog: WorldBlog, post: WorldPost, events: Sequence[Event]) -> None:
        edits = [edit for edit in post.edits if self._is_now(edit) and _is_alive(blog, edit.at)]
        told = [event for event in events if event.kind == "edited"]
        if len(told) > len(edits):
            reasons = "; ".join(f"{event.at:%d %H:%M:%S} {event.reason}" for event in told)
            happened = ", ".join(f"{edit.at:%d %H:%M:%S}" for edit in edits)
            self.wrong.append(f"invented: {blog.name}{post.path} edited {len(told)} times ({reasons}), really "
                              f"{len(edits)} ({happened})")
        versions = self._versions(blog, post) if edits else ()
        # What was edited before anybody saw it was found as it is.
        edits = [edit for edit in edits if versions and versions[0].fetched < edit.at]
        if not edits:
            return
        is_shown = any(edit.shown and post in blog.listed_at(edit.at) for edit in edits)
        name = "posts edited, as the feed shows" if is_shown else "posts edited silently"
        self._note(name, f"{blog.name}{post.path}", is_told=bool(told))

    def _compare_deletion(self, blog: WorldBlog, post: WorldPost, told: Counter[str]) -> None:
        deletion = post.deletion if post.deletion and self._is_now(post.deletion) else None
        is_there = deletion is None or deletion.how == "unlisted"
        if blog.death is None and ((is_there and told["deleted"]) or (deletion is None and told["dropped"])):
            self.wrong.append(f"invented: {blog.name}{post.path} {dict(told)}")
        if deletion is None or not _is_alive(blog, deletion.at) or post.published_at > deletion.at - LONG_ENOUGH:
            return
        before = blog.listed_at(deletion.at - timedelta(seconds=1))
        behind = len(before) - 1 - before.index(post) if post in before else None
        if deletion.how == "unlisted" and (behind is None or behind < LEAST_BEHIND):
            return
        name = f"posts deleted ({deletion.how}), {'older' if behind is None else 'in the feed'}"
        kind = "dropped" if deletion.how == "unlisted" else "deleted"
        self._note(name, f"{blog.name}{post.path}", is_told=told[kind] > 0)

    def _note(self, name: str, what: str, *, is_told: bool) -> None:
        self.counts[name] += 1
        self.counts[f"{name}: told"] += is_told
        if not is_told:
            self.untold.append(f"{what}: {name}")

    def _is_now(self, change: WorldEdit | WorldDeletion) -> bool:
        return self.world.start_at < change.at <= self.world.end_at

    def _versions(self, blog: WorldBlog, post: WorldPost) -> tuple[Any, ...]:
        homes = (f"http://{blog.name}.example", f"http://{blog.name}-moved.example")
        return next((found for home in homes if (found := self.archive.posts.versions(f"{home}{post.path}"))), ())


def _is_right(blog: WorldBlog, post: WorldPost, text: str) -> bool:
    """Whether an article is one that its page showed."""
    return any(text == text_of(blog, post, at) for at in (post.published_at, *(edit.at for edit in post.edits)))


def _was_long_in_feed(blog: WorldBlog, post: WorldPost, end_at: datetime) -> bool:
    """Whether a post was in a feed that answered for long enough."""
    if post.published_at > end_at or (blog.death is not None and blog.death.at < post.published_at + LONG_ENOUGH):
        return False
    later = post.published_at + LONG_ENOUGH
    return post in blog.listed_at(post.published_at) and post in blog.listed_at(later)


def _is_alive(blog: WorldBlog, moment: datetime) -> bool:
    return blog.death is None or moment < blog.death.at


def _polls(world: World, requests: Sequence[Asked], blogs: dict[str, Blog], wrong: list[str]) -> dict[str, Any]:
    """How often feeds were asked, and whether anybody was asked who must not be."""
    feeds = [each for each in requests if each.path in {"/feed.xml", "/feed/"} and each.at <= world.end_at]
    days = (world.end_at - world.start_at) / timedelta(days=1)
    early = [each for each in requests if each.is_early]
    wrong += [f"early: {each.blog.name}{each.path} at {each.at}" for each in early]
    after_death = [
        each for each in requests
        if (gone_at := blogs[each.blog.name].gone_at) is not None and each.at > gone_at
    ]
    wrong += [f"after death: {each.blog.name}{each.path} at {each.at}" for each in after_death]
    statuses = Counter(each.status for each in feeds)
    everything = sum(each.at <= world.end_at for each in requests)
    return {
        "polls per blog and day": len(feeds) / len(world.blogs) / days,
        "all requests per blog and day": everything / len(world.blogs) / days,
        "polls answered 304": statuses[304], "polls answered 200": statuses[200],
        "requests too early": len(early), "requests to the dead": len(after_death),
    }


def _path(url: str) -> str:
    return urlsplit(url).path.rstrip("/")
