"""The real watch against a loopback web, in a time of its own: the world of `watch_month.py`, a few days of it.

    python benchmarks/watch_loopback.py [--blogs 100] [--days 3] [--quiet-days 10] [--seed 1]

Every blog is first crawled as it is at the beginning. Then a `Watcher` keeps all of them current: the same program that
`everlog watch` runs, with its archive on the disk and its requests over TCP, but a clock that jumps over the waits.
After the days nothing more is published for some quiet days, in which what needs proof by repetition (pages that
answer 404, hosts without a name) can be proved. A server in the same process plays all hosts, as a proxy, and writes
down every request. Then the archive is compared with the world. Ends with 1 if anything must not be.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import socket
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from blogs import say
from everlog.archive import open_archive
from everlog.crawl import with_web
from everlog.crawl.asking import Hitch
from everlog.crawl.hosts import Timekeeper
from everlog.flow.archiving import archive_blog
from everlog.flow.memory import HostMemory
from everlog.flow.report import Tally
from everlog.flow.running import manners_of
from everlog.flow.watch import Watcher
from everlog.flow.working import Work
from everlog.settings import make_settings
from watch_making import make_world
from watch_pages import answer, text_of
from watch_sources import corpus_sources, synthetic_sources

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from everlog.archive import Archive
    from everlog.crawl import OpenWeb
    from everlog.records import Blog
    from watch_world import World, WorldBlog, WorldPost

CRAWLED_AT_ONCE = 8
# A post that was in its feed for so long must not be missed.
LONG_ENOUGH = timedelta(hours=2)
LEAST_POSTS = 3
MOST_SHOWN = 20
# The same for everybody: the world's servers answer at once, and the watch is to be tried, not the crawl.
SETTINGS = {"delay": 0.0, "longest_wait": 0.0, "retries": 0, "media": False, "render": "never", "min_free_bytes": 0}


@dataclass(slots=True)
class Clock:
    """A time that jumps over the waits of whoever has nothing to do."""

    moment: datetime
    watcher: Watcher | None = None

    def now(self) -> datetime:
        return self.moment

    async def pause(self, seconds: float) -> None:
        """The wait of somebody in the middle of his work: it is over at once."""
        self.moment += timedelta(seconds=seconds)
        await asyncio.sleep(0)

    async def rest(self, seconds: float) -> None:
        """The wait of the watch itself: it is over when nobody is being asked."""
        wanted = self.moment + timedelta(seconds=seconds)
        while self.watcher is not None and self.watcher.is_busy:
            await asyncio.sleep(0.001)
        self.moment = max(self.moment, wanted)


@dataclass(slots=True, kw_only=True)
class Asked:
    """One request, as the server saw it; `is_early` if it came before the server allowed it."""

    at: datetime
    blog: WorldBlog
    path: str
    status: int | None
    is_early: bool


@dataclass(slots=True)
class Server:
    """Plays all hosts of a world, and remembers what it was asked."""

    world: World
    clock: Clock
    asked: list[Asked] = field(default_factory=list)
    _allowed: dict[tuple[str, str], datetime] = field(default_factory=dict)
    _by_host: dict[str, WorldBlog] = field(init=False)

    def __post_init__(self) -> None:
        self._by_host = {f"{blog.name}{tail}.example": blog for blog in self.world.blogs for tail in ("", "-moved")}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                first, *lines = head.split("\r\n")
                sent = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
                reply = self._reply(first.split(" ", 2)[1], sent)
                if reply is None:
                    break
                writer.write(reply)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def known_hosts_only(self, download: Callable[[Any], Awaitable[Any]]) -> Callable[[Any], Awaitable[Any]]:
        """The way to the web, where the names of some hosts are not known any more."""

        async def ask(asked: Any) -> Any:
            parts, now = urlsplit(asked.url), self.clock.now()
            blog = self._by_host[parts.netloc]
            if blog.death is not None and blog.death.how == "dns" and now >= blog.death.at:
                self.asked.append(Asked(at=now, blog=blog, path=parts.path, status=None, is_early=False))
                raise Hitch("dns", f"no address is known for {parts.netloc}", again=False)
            return await download(asked)

        return ask

    def _reply(self, url: str, sent: dict[str, str]) -> bytes | None:
        parts, now = urlsplit(url), self.clock.now()
        blog = self._by_host[parts.netloc]
        place = (parts.netloc, parts.path)
        everywhere = (parts.netloc, "")
        is_early = now < max(self._allowed.get(place, now), self._allowed.get(everywhere, now))
        made = answer(blog, url, now, sent)
        self.asked.append(Asked(
            at=now, blog=blog, path=parts.path, status=made.status if made else None, is_early=is_early,
        ))
        if made is None:
            return None
        if made.allowed_at is not None:
            # A feed may be kept for so long; who refuses wants to be left alone with everything.
            self._allowed[place if made.is_feed else everywhere] = made.allowed_at
        lines = [f"HTTP/1.1 {made.status} Words", *(f"{name}: {value}" for name, value in made.headers)]
        if made.status != 304:
            lines.append(f"Content-Length: {len(made.body)}")
        return "\r\n".join((*lines, "", "")).encode() + made.body


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="?", help="a folder of blogs whose dates make the rhythms")
    parser.add_argument("--blogs", type=int, default=100)
    parser.add_argument("--days", type=float, default=3.0)
    parser.add_argument("--quiet-days", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="the names of some of these blogs, parted by commas")
    parser.add_argument("--json", action="store_true", help="print JSON, not Markdown")
    arguments = parser.parse_args()
    sources = corpus_sources(Path(arguments.corpus)) if arguments.corpus else synthetic_sources()
    made = make_world(sources, blogs=2 * arguments.blogs, days=arguments.days, seed=arguments.seed)
    # Those that can be crawled at the beginning: a blog is learned from its posts.
    begun = [blog for blog in made.blogs if len(blog.listed_at(made.start_at)) >= LEAST_POSTS]
    chosen = set(arguments.only.split(",")) if arguments.only else {blog.name for blog in begun}
    world = replace(made, blogs=tuple(blog for blog in begun[: arguments.blogs] if blog.name in chosen))
    clock = Clock(world.start_at)
    server = Server(world, clock)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, open_archive(folder) as archive:
        run(world, server, clock, archive, world.end_at + timedelta(days=arguments.quiet_days))
        figures = compare(world, server, archive) | {
            "seconds": time.monotonic() - began,
            "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
    if arguments.json:
        print(json.dumps(figures, indent=1, default=str))
    else:
        print("| | |\n|---|---|")
        for name, value in figures.items():
            print(f"| {name} | {value:.2f} |" if isinstance(value, float) else f"| {name} | {value} |")
    sys.exit(1 if figures["must not be"] else 0)


def run(world: World, server: Server, clock: Clock, archive: Archive, until: datetime) -> None:
    """Crawl all blogs, then watch them until a moment."""
    listener = socket.create_server(("127.0.0.1", 0))
    os.environ["http_proxy"] = f"http://127.0.0.1:{listener.getsockname()[1]}"
    settings = make_settings(SETTINGS)
    memory = HostMemory(archive)

    async def everything(web: OpenWeb) -> None:
        serving = await asyncio.start_server(server.serve, sock=listener)
        web.download = server.known_hosts_only(web.download)
        turn = asyncio.Semaphore(CRAWLED_AT_ONCE)

        def work_at(home: str) -> Work:
            session = web.session(manners_of(home, settings), recall=memory.recall, remember=memory.remember)
            return Work(web=session, archive=archive, settings=settings, tally=Tally(blog=home), now=clock.now)

        async def crawl(blog: WorldBlog) -> None:
            async with turn:
                report = await archive_blog(blog.home_at(clock.now()), work_at(blog.home_at(clock.now())))
                if report.ending not in {"complete", "incomplete"}:
                    raise SystemExit(f"{blog.name}: {report.ending}, {report.reason}")

        say(f"crawling {len(world.blogs)} blogs")
        await asyncio.gather(*map(crawl, world.blogs))
        memory.write()
        server.asked.clear()
        clock.watcher = Watcher(
            archive, now=clock.now, sleep=clock.rest, work_for=lambda blog: work_at(blog.home), memory=memory,
            on_polled=lambda _blog, _polled: None,
        )
        say("watching")
        await clock.watcher.run(max_seconds=(until - clock.now()).total_seconds())
        serving.close()

    with_web(everything, timekeeper=Timekeeper(now=clock.now, sleep=clock.pause))


def compare(world: World, server: Server, archive: Archive) -> dict[str, Any]:
    """The archive beside the world."""
    blogs = {urlsplit(home).netloc.split(".")[0].removesuffix("-moved"): blog for blog in archive.blogs(forgotten=True)
             for home in (blog.home,)}
    wrong: list[str] = []
    posts = _posts(world, archive, wrong)
    histories = _histories(world, blogs, archive, wrong)
    polls = _polls(world, server, blogs, wrong)
    return posts | histories | polls | {"must not be": len(wrong), "examples": wrong[:MOST_SHOWN]}


def _posts(world: World, archive: Archive, wrong: list[str]) -> dict[str, Any]:
    """Which posts were to be found, and how long that took."""
    wanted, delays, frequent = 0, [], []
    texts: Counter[str] = Counter()
    for blog in world.blogs:
        for post in blog.posts:
            if post.published_at <= world.start_at or not _was_long_in_feed(blog, post, world.end_at):
                continue
            wanted += 1
            versions = _versions(archive, blog, post)
            if not versions:
                wrong.append(f"missed: {blog.name}{post.path}")
                continue
            delays.append(versions[0].fetched - post.published_at)
            era = "after a redesign" if blog.redesigned_at and blog.redesigned_at <= post.published_at else "new posts"
            texts[era] += 1
            texts[f"{era}, right"] += _is_right(blog, post, versions[-1].text)
            if blog.posts_weekly(world.start_at):
                frequent.append(delays[-1])
    minutes = [delay.total_seconds() / 60 for delay in frequent]
    return {
        "new posts that had to be found": wanted,
        "median delay, weekly or more (min)": median(minutes) if minutes else 0.0,
        "longest delay (h)": max(delays).total_seconds() / 3600 if delays else 0.0,
        **{f"texts of {name}": count for name, count in sorted(texts.items())},
    }


def _versions(archive: Archive, blog: WorldBlog, post: WorldPost) -> tuple[Any, ...]:
    homes = (f"http://{blog.name}.example", f"http://{blog.name}-moved.example")
    return next((found for home in homes if (found := archive.versions(f"{home}{post.path}"))), ())


def _is_right(blog: WorldBlog, post: WorldPost, text: str) -> bool:
    """Whether an article is one that its page showed."""
    return any(text == text_of(blog, post, at) for at in (post.published_at, *(edit.at for edit in post.edits)))


def _was_long_in_feed(blog: WorldBlog, post: WorldPost, end_at: datetime) -> bool:
    """Whether a post was in a feed that answered for long enough."""
    if post.published_at > end_at or (blog.death is not None and blog.death.at < post.published_at + LONG_ENOUGH):
        return False
    later = post.published_at + LONG_ENOUGH
    return post in blog.listed_at(post.published_at) and post in blog.listed_at(later)


def _histories(world: World, blogs: dict[str, Blog], archive: Archive, wrong: list[str]) -> dict[str, Any]:
    """Edits, deletions, moves, deaths and redesigns: what is in the ledger, beside what happened."""
    counts: Counter[str] = Counter()
    untold: list[str] = []
    ledger: dict[str, list[Any]] = defaultdict(list)
    of_blog: dict[str, set[str]] = defaultdict(set)
    names = {blog.id: name for name, blog in blogs.items()}
    for event in archive.events():
        if event.url is not None:
            ledger[f"{names[event.blog_id]} {post_key(event.url)}"].append(event)
        else:
            of_blog[names[event.blog_id]].add(event.kind)
    for blog in world.blogs:
        for post in blog.posts:
            _one_history(blog, post, ledger.get(f"{blog.name} {post_key(post.path)}", []), world, counts, wrong, untold)
        happened = {
            "dead": blog.death is not None and blog.death.how in {"gone", "not-found", "dns"},
            "other-owner": blog.death is not None and blog.death.how == "new-owner",
            "moved": blog.move is not None and blog.move.kind == "domain" and _is_alive(blog, blog.move.at),
            "feed-moved": blog.move is not None and _is_alive(blog, blog.move.at),
            "redesigned": blog.redesigned_at is not None and _is_alive(blog, blog.redesigned_at),
        }
        for kind, is_so in happened.items():
            is_told = kind in of_blog[blog.name]
            counts[f"{kind}: happened"] += is_so
            counts[f"{kind}: told"] += is_told and is_so
            if is_so and not is_told:
                untold.append(f"{blog.name}: {kind}")
            if is_told and not is_so:
                wrong.append(f"invented: {blog.name} {kind}")
    return dict(sorted(counts.items())) | {"untold": untold[:MOST_SHOWN]}


def _one_history(
    blog: WorldBlog, post: WorldPost, events: list[Any], world: World, counts: Counter[str], wrong: list[str],
    untold: list[str],
) -> None:
    told = Counter(event.kind for event in events)
    edits = [edit for edit in post.edits if world.start_at < edit.at <= world.end_at and _is_alive(blog, edit.at)]
    shown = [edit for edit in edits if edit.shown and post in blog.listed_at(edit.at)]
    counts["edits shown in the feed"] += bool(shown)
    counts["edits shown in the feed: told"] += bool(shown) and told["edited"] > 0
    if shown and not told["edited"]:
        untold.append(f"{blog.name}{post.path}: edited at {shown[0].at}, told {dict(told)}")
    silent = bool(edits) and not shown
    counts["silent edits"] += silent
    counts["silent edits: told"] += silent and told["edited"] > 0
    if told["edited"] > len(edits):
        wrong.append(f"invented: {blog.name}{post.path} edited {told['edited']} times, really {len(edits)}")
    deletion = post.deletion if post.deletion and world.start_at < post.deletion.at <= world.end_at else None
    if deletion is not None and _is_alive(blog, deletion.at) and post.published_at <= deletion.at - LONG_ENOUGH:
        was_listed = post in blog.listed_at(deletion.at - timedelta(seconds=1))
        name = f"deleted ({deletion.how}), {'in the feed' if was_listed else 'older'}"
        counts[name] += 1
        is_told = bool(told["dropped"] if deletion.how == "unlisted" else told["deleted"])
        counts[f"{name}: told"] += is_told
        if not is_told:
            untold.append(f"{blog.name}{post.path}: {name} at {deletion.at}, told {dict(told)}")
    is_there = deletion is None or deletion.how == "unlisted"
    if blog.death is None and ((is_there and told["deleted"]) or (deletion is None and told["dropped"])):
        wrong.append(f"invented: {blog.name}{post.path} {dict(told)}")


def _is_alive(blog: WorldBlog, moment: datetime) -> bool:
    return blog.death is None or moment < blog.death.at


def _polls(world: World, server: Server, blogs: dict[str, Blog], wrong: list[str]) -> dict[str, Any]:
    """How often feeds were asked, and whether anybody was asked who must not be."""
    feeds = [each for each in server.asked if each.path in {"/feed.xml", "/feed/"} and each.at <= world.end_at]
    days = (world.end_at - world.start_at) / timedelta(days=1)
    early = [each for each in server.asked if each.is_early]
    wrong += [f"early: {each.blog.name}{each.path} at {each.at}" for each in early]
    after_death = [
        each for each in server.asked
        if (gone_at := blogs[each.blog.name].gone_at) is not None and each.at > gone_at
    ]
    wrong += [f"after death: {each.blog.name}{each.path} at {each.at}" for each in after_death]
    statuses = Counter(each.status for each in feeds)
    everything = sum(each.at <= world.end_at for each in server.asked)
    return {
        "polls per blog and day": len(feeds) / len(world.blogs) / days,
        "all requests per blog and day": everything / len(world.blogs) / days,
        "polls answered 304": statuses[304], "polls answered 200": statuses[200],
        "requests too early": len(early), "requests to the dead": len(after_death),
    }


def post_key(url: str) -> str:
    return urlsplit(url).path.rstrip("/")


if __name__ == "__main__":
    main()
