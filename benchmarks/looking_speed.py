"""How fast the pages of `everlog serve` are: 20 readers of an archive of 100,000 posts and 1,000 blogs, both databases.

    python benchmarks/looking_speed.py [--seconds 60] [--readers 20] [--pause 0.25] [--keep FOLDER] [--gate]
    python benchmarks/looking_speed.py --only sqlite --archive FOLDER      # one of looking_archive.py, with --search
    python benchmarks/looking_speed.py --only postgresql --archive postgresql://... --files FOLDER
    python benchmarks/looking_speed.py --growth [--most 1.7] [--most-turns 2500]     # small archives, CPU alone

A real `everlog serve` is asked over loopback by readers in processes of their own, each over one connection from an
address of its own, as browsers behind different routers are. A reader pauses after each answer and takes another page
by chance: start (1 in 8), blogs (3 in 8: small, large, by month, by tag, further on), posts (2 in 8, a tenth of them
with hundreds of comments), searches (2 in 8: 4 of 10 for a rare word, 3 for a rare and a common one, 1 for a word that
most posts have, 2 for such a word with filters). Few pages are asked for twice but the first, and none is answered
from a reader's cache.

*p50* and *p99* are milliseconds until the first byte, by the clock, which means little on a machine that is busy with
other things. *CPU* is what one answer takes of the server's processor time, asked one after the other before the
readers come; that of the database server is told apart. With --gate it ends with 1 where a page is slower than is
asked for: start, blogs and posts 25 and 200 ms, searches 100 and 500 ms, 150 MB.

With --growth it looks at processor time alone, which hardly depends on the machine's other work: that of each kind of
page from 2,000 posts of 40 blogs, and from ten times as many, in turns; a page must not grow with its archive. *turns*
are thousands of turns of an empty loop of Python that take as long as one answer of the larger archive, so that no
page gets slower by itself unseen either.
"""

from __future__ import annotations

import argparse
import html
import http.client
import multiprocessing
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode, urlsplit

from everlog.archive import open_archive
from everlog.archive.projection.filters import PostFilter
from fleet_ground import servers
from looking_archive import make

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from everlog.archive import Archive

# What is asked for, in milliseconds and megabytes: half of the answers, and all but one in a hundred.
ASKED = {"start": (25, 200), "blog": (25, 200), "post": (25, 200), "search": (100, 500)}
MOST_MEMORY = 150
# How often each is chosen, in eighths; and of the posts and searches, in tenths: one post in 500 has hundreds of
# comments, and people search for what they remember.
WEIGHTS = {"start": 1, "blog": 3, "post": 2, "search": 2}
WEIGHTS_OF = {
    "post": {"few comments": 9, "hundreds": 1},
    "search": {"rare word": 4, "two words": 3, "common word": 1, "common, filtered": 2},
}
# Words that every second post has, or every seventh of those in German.
COMMON = ("the", "of", "and", "to", "in", "is", "that", "it", "der", "die", "und", "das")
TICKS = os.sysconf("SC_CLK_TCK")
PROCESSES = 2
# Of --growth: posts and blogs of the smaller archive, how often each is asked, and what must not grow. What very common
# words find grows up to a limit.
SMALL, ROUNDS = (2_000, 40), 3
GROWING = (
    ("start", "first"), ("blog", "small"), ("blog", "month"), ("blog", "tag"), ("post", "few comments"),
    ("search", "rare word"),
)
_NEXT = re.compile(r'<a [^>]*href="([^"]+)"[^>]*rel="next"')

# By kind of page and what is special about it: paths.
Paths = dict[str, dict[str, list[str]]]


@dataclass(slots=True)
class Times:
    """First bytes in milliseconds, by what was asked, and what went wrong."""

    first: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    wrong: list[str] = field(default_factory=list)


def main() -> int:
    """Make the archives, ask, print tables."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--posts", type=int, default=100_000)
    options.add_argument("--blogs", type=int, default=1_000)
    options.add_argument("--readers", type=int, default=20)
    options.add_argument("--pause", type=float, default=0.25)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--each", type=int, default=40, help="requests of each kind whose processor time is told")
    options.add_argument("--only", choices=("sqlite", "postgresql"))
    options.add_argument("--archive", help="one that is there, of looking_archive.py; with --only")
    options.add_argument("--files", help="of an archive on a server")
    options.add_argument("--keep", help="a folder in which the archive in SQLite is kept for the next time")
    options.add_argument("--gate", action="store_true", help="end with 1 where it is slower than asked for")
    options.add_argument("--growth", action="store_true", help="compare a small archive with a larger one")
    options.add_argument("--most", type=float, help="with --growth: end with 1 where a page takes more times as long")
    options.add_argument("--most-turns", type=float, help="with --growth: end with 1 above")
    given = options.parse_args()
    if given.growth:
        return growth(given.each, given.most, given.most_turns)
    slow = 0
    with ExitStack() as stack:
        place = Path(given.keep or stack.enter_context(tempfile.TemporaryDirectory(prefix="everlog-looking-")))
        for name in (given.only,) if given.only else ("sqlite", "postgresql"):
            where, files = given.archive, given.files
            if where is None and name == "sqlite":
                where = str(place / "looking")
            elif where is None:
                where, files = stack.enter_context(servers.postgres(fsync=False)).url(), str(place / "files")
            slow += look(name, where, files, given)
    return int(bool(slow) and given.gate)


def look(name: str, where: str, files: str | None, given: argparse.Namespace) -> int:
    """Measure one archive; how much is slower than asked for."""
    with open_archive(where, create=True, files=files) as archive:
        if not archive.overview.count_blogs():
            print(f"making {given.posts:,} posts in {name}", file=sys.stderr)
            make(archive, posts=given.posts, blogs=given.blogs)
            archive.listing.rebuild()
            archive.search.index()
        if name == "postgresql":
            with archive.backend.database.engine.connect() as connection:
                # The server does so by itself, a minute later: until then each search goes through a list of new words.
                connection.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql("vacuum analyze")
        paths = chosen_paths(archive)
    with served(where, files) as (server, address):
        _follow(address, paths)
        costs = {
            (kind, what): _cost(server.pid, where, address, some[: given.each])
            for kind, whats in paths.items() for what, some in whats.items()
        }
        began = time.perf_counter()
        times = _read(address, paths, given)
        seconds = time.perf_counter() - began
        peak = memory_of(server.pid)
    return _report(name, given, costs, times, seconds, peak)


def growth(each: int, most: float | None, most_turns: float | None) -> int:
    """How much more processor time pages take if there is ten times as much; whether that is too much."""
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="everlog-growth-")))
        ways = []
        for times in (1, 10):
            with open_archive(place / str(times), create=True) as archive:
                make(archive, posts=SMALL[0] * times, blogs=SMALL[1] * times)
                archive.listing.rebuild()
                archive.search.index()
                paths = chosen_paths(archive)
            server, address = stack.enter_context(served(str(place / str(times))))
            _follow(address, paths)
            ways.append((server.pid, address, paths))
        found: dict[tuple[str, str], list[list[float]]] = {}
        turns = []
        for _ in range(ROUNDS):
            for kind, what in GROWING:
                costs = [_cost(pid, "", address, paths[kind][what][:each])[0] for pid, address, paths in ways]
                found.setdefault((kind, what), []).append(costs)
            turns.append(_thousand_turns())
    print("| page | CPU ms of 2,000 posts | of 20,000 | times | turns |\n|---|---:|---:|---:|---:|")
    too_much = 0
    for (kind, what), rounds in found.items():
        small, large = (median(costs[place] for costs in rounds) for place in (0, 1))
        ratio, work = median(costs[1] / costs[0] for costs in rounds), large / median(turns)
        print(f"| {kind}: {what} | {small:.1f} | {large:.1f} | {ratio:.2f} | {work:.0f} |")
        too_much += (most is not None and ratio > most) or (most_turns is not None and work > most_turns)
    return int(too_much > 0)


def _thousand_turns() -> float:
    """Milliseconds that a thousand turns of an empty loop take."""
    began = time.process_time()
    for _ in range(5_000_000):
        pass
    return (time.process_time() - began) / 5


def chosen_paths(archive: Archive, seed: int = 7) -> Paths:
    """Pages of all kinds; the same ones of the same archive."""
    chance = random.Random(seed)  # noqa: S311 - not a secret
    blogs = archive.overview.blogs()
    large, small = blogs[: max(1, len(blogs) // 20)], blogs[len(blogs) // 2 :]
    some = chance.sample(blogs, min(len(blogs), 200))
    of_blogs: dict[str, list[str]] = defaultdict(list)
    for blog in some:
        months = [month for month in archive.overview.months([blog.id])[blog.id] if month]
        tags = archive.overview.terms(blog.id, "tag", limit=30)
        if months:
            of_blogs["month"].append(_blog(blog.home, month=chance.choice(months)))
        if tags:
            of_blogs["tag"].append(_blog(blog.home, tag=chance.choice(tags).term))
    posts = [
        post for blog in some
        for post in archive.listing(PostFilter(blog_id=blog.id), oldest_first=chance.random() < 0.5, limit=20).posts
    ]
    chance.shuffle(posts)
    titled = [post for post in posts if post.title]
    rare = [max(str(post.title).split(), key=len).strip(".").lower()[:40] for post in titled[:200]]
    found: Paths = {
        "start": {"first": ["/"] * 40, "further": []},
        "blog": {
            "large": [_blog(blog.home) for blog in large] * 4, "small": [_blog(blog.home) for blog in small],
            "month": of_blogs["month"], "tag": of_blogs["tag"], "further": [],
        },
        "post": {
            "few comments": ["/read/" + quote(post.url, safe=":/") for post in posts if post.comments < 100],
            "hundreds": ["/read/" + quote(post.url, safe=":/") for post in posts if post.comments >= 100]
            or _discussed(archive, large),
        },
        "search": {
            "rare word": [_search(q=word) for word in rare],
            "common word": [_search(q=word, page=str(page)) for word in COMMON for page in range(1, 11)],
            "common, filtered": [
                *(_search(q=chance.choice(COMMON), year=str(chance.randint(2007, 2025)), language="en")
                  for _ in range(100)),
                *(_search(q=chance.choice(COMMON), blog=urlsplit(blog.home).netloc) for blog in some[:100]),
            ],
            "two words": [_search(q=f"{chance.choice(COMMON)} {word}") for word in rare],
        },
    }
    for whats in found.values():
        for each in whats.values():
            chance.shuffle(each)
    return found


def _discussed(archive: Archive, blogs: Sequence[object]) -> list[str]:
    """Posts with hundreds of comments, of the largest blogs."""
    found = []
    for blog in blogs[:5]:
        page = archive.listing(PostFilter(blog_id=blog.id), limit=3_000)  # type: ignore[attr-defined]
        found += ["/read/" + quote(post.url, safe=":/") for post in page.posts if post.comments >= 100]
    return found


def _blog(home: str, **asked: str) -> str:
    return f"/blog/{home.partition('://')[2].removesuffix('/')}" + (f"?{urlencode(asked)}" if asked else "")


def _search(**asked: str) -> str:
    return f"/search?{urlencode(asked)}"


def _follow(address: str, paths: Paths) -> None:
    """Pages that others lead to, as they name them: further ones of lists."""
    connection = connected(address)
    for kind, begins in (("start", ["/"]), ("blog", paths["blog"]["large"][:20])):
        for begin in begins:
            path = begin
            for _ in range(10):
                found = _NEXT.search(ask(connection, path)[2])
                if found is None:
                    break
                link = html.unescape(found[1])
                path = begin.partition("?")[0] + link if link.startswith("?") else link
                paths[kind]["further"].append(path)
    for whats in paths.values():
        for what in [what for what, some in whats.items() if not some]:
            del whats[what]


def _cost(pid: int, where: str, address: str, paths: Sequence[str]) -> tuple[float, float]:
    """Processor time of one answer in milliseconds: the server's, and that of the database server."""
    connection = connected(address)
    # What is loaded or compiled when it is first needed is not counted.
    ask(connection, paths[-1])
    before = cpu_of(pid), _database_cpu(where)
    for path in paths:
        status, _, _ = ask(connection, path)
        if status != 200:
            raise AssertionError(f"{path}: {status}")
    after = cpu_of(pid), _database_cpu(where)
    connection.close()
    first, second = (1_000 * (late - early) / len(paths) for early, late in zip(before, after, strict=True))
    return first, second


def _read(address: str, paths: Paths, given: argparse.Namespace) -> Times:
    """What the readers saw."""
    context = multiprocessing.get_context("spawn")
    pipes = [context.Pipe(duplex=False) for _ in range(PROCESSES)]
    groups = [list(range(given.readers))[place::PROCESSES] for place in range(PROCESSES)]
    processes = [
        context.Process(target=readers, args=(address, paths, group, given.pause, given.seconds, there))
        for (_, there), group in zip(pipes, groups, strict=True)
    ]
    for process in processes:
        process.start()
    times = Times()
    for here, _ in pipes:
        told = here.recv()
        for key, values in told.first.items():
            times.first[key] += values
        times.wrong += told.wrong
    for process in processes:
        process.join()
    return times


def readers(
    address: str, paths: Paths, numbers: Sequence[int], pause: float, seconds: float, told: object,
) -> None:
    """Some readers, each a thread, for so many seconds."""
    times = Times()
    end = time.perf_counter() + seconds
    threads = [
        threading.Thread(target=_reader, args=(address, paths, number, pause, end, times)) for number in numbers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    plain = Times(first=dict(times.first), wrong=times.wrong)
    told.send(plain)  # type: ignore[attr-defined]


def _reader(address: str, paths: Paths, number: int, pause: float, end: float, times: Times) -> None:
    chance = random.Random(number)  # noqa: S311 - not a secret
    connection = connected(address, number)
    # Not all at once.
    time.sleep(chance.random() * pause)
    while time.perf_counter() < end:
        kind = chance.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        weights = WEIGHTS_OF.get(kind, {})
        what = chance.choices(list(paths[kind]), [weights.get(each, 1) for each in paths[kind]])[0]
        path = chance.choice(paths[kind][what])
        try:
            status, first, _ = ask(connection, path)
        except (OSError, http.client.HTTPException) as error:
            times.wrong.append(f"{path}: {error!r}")
            connection = connected(address, number)
            continue
        if status == 200:
            times.first[kind, what].append(first)
        else:
            times.wrong.append(f"{path}: {status}")
        time.sleep(pause)


def connected(address: str, number: int = 0) -> http.client.HTTPConnection:
    """A connection from an address of its own: limits are for each client."""
    return http.client.HTTPConnection(
        urlsplit(address).netloc, timeout=60, source_address=(f"127.0.1.{number + 1}", 0),
    )


def ask(connection: http.client.HTTPConnection, path: str) -> tuple[int, float, str]:
    """The status, when the first byte came, and the page."""
    begin = time.perf_counter()
    connection.request("GET", path)
    answer = connection.getresponse()
    first = time.perf_counter()
    return answer.status, (first - begin) * 1_000, answer.read().decode()


@contextmanager
def served(where: str, files: str | None = None, *flags: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server of an archive, and its address."""
    command = [sys.executable, "-m", "everlog", "serve", "--port", "0", "--quiet", "--archive", where, *flags]
    command += ["--files", files] if files else []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server, server.stdout.readline().strip()
        finally:
            server.terminate()


def _report(
    name: str, given: argparse.Namespace, costs: Mapping[tuple[str, str], tuple[float, float]], times: Times,
    seconds: float, peak: float,
) -> int:
    count = sum(map(len, times.first.values()))
    print(f"\n{name}: {count:,} requests of {given.readers} readers, {count / seconds:.0f} a second, {seconds:.0f} s; "
          f"load {os.getloadavg()[0]:.1f}\n")
    print("| page | requests | p50 | p99 | CPU, server | CPU, database |\n|---|---:|---:|---:|---:|---:|")
    slow = 0
    for kind, (most_median, most_worst) in ASKED.items():
        of_kind = [value for (each, _), values in times.first.items() if each == kind for value in values]
        slow += at(of_kind, 0.5) > most_median or at(of_kind, 0.99) > most_worst
        mine = [cost for (each, _), cost in costs.items() if each == kind]
        weights = [WEIGHTS_OF.get(kind, {}).get(what, 1) for each, what in costs if each == kind]
        own, base = (
            sum(cost[place] * weight for cost, weight in zip(mine, weights, strict=True)) / sum(weights)
            for place in (0, 1)
        )
        print(f"| **{kind}** | {len(of_kind):,} | {at(of_kind, 0.5):.1f} | {at(of_kind, 0.99):.1f} "
              f"| {own:.1f} | {base:.1f} |")
        for (each, what), (own, base) in costs.items():
            values = times.first.get((each, what), [])
            if each == kind:
                print(f"| {kind}: {what} | {len(values):,} | {at(values, 0.5):.1f} | {at(values, 0.99):.1f} "
                      f"| {own:.1f} | {base:.1f} |")
    print(f"\nmemory of the server: {peak:.0f} MB at most; answers that were none: {len(times.wrong)}")
    for wrong in times.wrong[:5]:
        print(f"  {wrong}")
    return slow + (peak > MOST_MEMORY) + bool(times.wrong)


def at(values: Sequence[float], share: float) -> float:
    """The value below which this share of them lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0.0


def cpu_of(pid: int) -> float:
    """Seconds of processor time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _database_cpu(where: str) -> float:
    """Seconds of processor time of all processes that serve connections to a database of PostgreSQL."""
    name = urlsplit(where).path.strip("/") if where.startswith("postgres") else ""
    total = 0.0
    for folder in Path("/proc").iterdir() if name else ():
        if folder.name.isdigit():
            try:
                if f" {name} 127.0.0.1" in (folder / "cmdline").read_text("utf-8"):
                    total += cpu_of(int(folder.name))
            except OSError:
                continue
    return total


def memory_of(pid: int) -> float:
    """The most memory that a process had, in MB."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text("utf-8"))
    return int(found[1]) / 1_000 if found else 0.0


if __name__ == "__main__":
    sys.exit(main())
