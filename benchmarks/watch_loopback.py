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
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from blogs import say
from everlog.archive import open_archive
from everlog.fetch import with_http_client
from everlog.fetch.request import FetchError
from everlog.fetch.throttle import Timekeeper
from everlog.settings import make_settings
from everlog.usecases.crawl.crawl_blog import archive_blog
from everlog.usecases.crawl.crawl_context import CrawlRun
from everlog.usecases.crawl.report import Tally
from everlog.usecases.sessions import HostCache, fetch_policy
from everlog.usecases.watch.watch_loop import Watcher
from watch_comparing import Asked, compare
from watch_making import make_world
from watch_pages import answer
from watch_sources import corpus_sources, synthetic_sources

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from everlog.archive import Archive
    from everlog.fetch import HttpClient
    from watch_world import World, WorldBlog

CRAWLED_AT_ONCE = 8
LEAST_POSTS = 3
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
                error = FetchError("dns", f"no address is known for {parts.netloc}")
                error.again = False  # one request a poll is counted
                raise error
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
    with tempfile.TemporaryDirectory() as folder, open_archive(folder, create=True) as archive:
        run(world, server, clock, archive, world.end_at + timedelta(days=arguments.quiet_days))
        figures = compare(world, server.asked, archive) | {
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
    host_cache = HostCache(archive)

    async def everything(fetcher: HttpClient) -> None:
        serving = await asyncio.start_server(server.serve, sock=listener)
        fetcher.download = server.known_hosts_only(fetcher.download)
        turn = asyncio.Semaphore(CRAWLED_AT_ONCE)

        def work_at(home: str) -> CrawlRun:
            policy = fetch_policy(home, settings)
            session = fetcher.session(policy, recall=host_cache.recall, remember=host_cache.remember)
            return CrawlRun(fetcher=session, archive=archive, settings=settings, tally=Tally(blog=home), now=clock.now)

        async def crawl(blog: WorldBlog) -> None:
            async with turn:
                report = await archive_blog(blog.home_at(clock.now()), work_at(blog.home_at(clock.now())))
                if report.ending not in {"complete", "incomplete"}:
                    raise SystemExit(f"{blog.name}: {report.ending}, {report.reason}")

        say(f"crawling {len(world.blogs)} blogs")
        await asyncio.gather(*map(crawl, world.blogs))
        host_cache.write()
        server.asked.clear()
        clock.watcher = Watcher(
            archive, now=clock.now, sleep=clock.rest, run_for=lambda blog: work_at(blog.home), host_cache=host_cache,
            on_polled=lambda _blog, _polled: None,
        )
        say("watching")
        await clock.watcher.run(max_seconds=(until - clock.now()).total_seconds())
        serving.close()

    with_http_client(everything, timekeeper=Timekeeper(now=clock.now, sleep=clock.pause))


if __name__ == "__main__":
    main()
