"""Crashes of the whole crawler on purpose: Scrapy, flow and archive in one process, which is killed.

`Crawler` is a server of crawls: a process with all imports done, which starts a child per crawl and kills
it where a `Death` says. `damage` looks at what such a child left, `shortfall` at what is there when the
crawl came to its end. The blog is whatever the caller serves on the loopback address.
"""

from __future__ import annotations

import itertools
import json
import os
import select
import signal
import sqlite3
import subprocess
import sys
import traceback
from collections import Counter
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from warcio.archiveiterator import ArchiveIterator

from everlog.archive.archive import DATABASE, ArchiveOptions, open_archive
from everlog.archive.db.migrate import SCRIPTS, Schema
from everlog.archive.verify import verify
from everlog.core.urls import canonical
from everlog.errors import EverlogError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Self

    from everlog.archive.write.record_batch import Acknowledged

TESTS = Path(__file__).parent.parent
# Small enough that a crawl fills several files.
ROTATE_BYTES = 15_000
# Answers that belong to a run, not to a page: every run may bring one.
OF_A_RUN = frozenset({"feed", "robots"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Death:
    """When a crawl dies: at a passage of a write point, some moments after so many points, after so many seconds."""

    point: str | None = None
    passage: int = 1
    points: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a crawl writes: its archive, and the log of what was acknowledged. `later` makes it upgrade first."""

    folder: Path
    log: Path
    later: tuple[str, Path] | None = None

    def options(self, at: Callable[[str], None] = lambda _: None) -> ArchiveOptions:
        schema = Schema(head=self.later[0], scripts=(SCRIPTS, self.later[1])) if self.later else None
        return ArchiveOptions(rotate_bytes=ROTATE_BYTES, min_free_bytes=0, schema=schema, at=at)

    def acknowledged(self) -> list[list[str]]:
        """Key, outcome, what became of the post, its id: a line per visit that was called safe."""
        lines = self.log.read_text("utf-8").splitlines() if self.log.exists() else []
        return [line.split("\t") for line in lines if not line.startswith("end\t")]


class Crawler:
    """Crawls on demand, each in a child of a process that has all imports done."""

    def __enter__(self) -> Self:
        self._server = subprocess.Popen(
            [sys.executable, "-m", "usecases.kill_harness"], cwd=TESTS, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        with self._server as server:
            assert server.stdin is not None
            server.stdin.close()

    def killed(self, home: str, place: Place, death: Death | None = None) -> bool:
        """Crawl, and say whether that was killed; False means it came to its end."""
        order = {"home": home, "death": asdict(death or Death()), "folder": str(place.folder), "log": str(place.log),
                 "later": place.later and (place.later[0], str(place.later[1]))}
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(order) + "\n")
        self._server.stdin.flush()
        code = int(self._server.stdout.readline())
        assert code in {0, -signal.SIGKILL}, f"the crawl failed with {code}; the archive is {place.folder}"
        return code != 0


def damage(place: Place) -> list[str]:
    """All that is wrong after a crash: lost, doubled or dangling; empty when every promise was kept."""
    if not (place.folder / DATABASE).exists():
        return [f"acknowledged, but there is no archive: {line}" for line in place.acknowledged()]
    with open_archive(place.folder, create=True, options=place.options()) as archive:
        wrong = [f"dangling: {found}" for found in verify(archive)]
    with closing(sqlite3.connect(place.folder / DATABASE)) as database:
        return [*wrong, *_lost(database, place.acknowledged()), *_doubled(database, place.acknowledged())]


def shortfall(
    place: Place, posts: Iterable[str], media: Iterable[str], requisites: Iterable[str] = (),
) -> list[str]:
    """What a finished archive lacks or has too much of, given the addresses of the blog's posts and files."""
    wrong = []
    with closing(sqlite3.connect(place.folder / DATABASE)) as database:
        for table, wanted in (("posts", posts), ("media", media)):
            keys = {canonical(url) for url in wanted}
            held = {key for (key,) in database.execute(f"select key from {table}")}  # noqa: S608 - one of two names
            wrong += [f"{table}: {key} is missing" for key in sorted(keys - held)]
            wrong += [f"{table}: {key} should not be there" for key in sorted(held - keys)]
        needed = {key for (key,) in database.execute(
            "select key from urls where lane = 'requisite' and outcome = 'requisite' and status = 200",
        )}
        wrong += [f"requisites: {key}" for key in sorted(needed ^ {canonical(url) for url in requisites})]
        queued = database.execute("select key from urls where state != 'done'")
        wrong += [f"not done: {key}" for (key,) in queued]
        feeds = "select 1 from captures where purpose = 'feed' and status = 200"
        has_feed = database.execute("select feed_url from blogs").fetchone() != (None,)
        if has_feed and not database.execute(feeds).fetchone():
            wrong.append("the feed was never stored")
        known = dict(database.execute("select name, length from warc_files"))
        known |= dict(database.execute("select path, bytes from media_files"))
    files = {str(path.relative_to(place.folder)): path for path in place.folder.glob("warc/*")}
    files |= {str(path.relative_to(place.folder)): path for path in place.folder.glob("media/*/*")}
    wrong += [f"nobody knows {name}" for name in sorted(files.keys() - known.keys())]
    wrong += [f"{name} has another length" for name in known if files[name].stat().st_size != known[name]]
    return wrong + [problem for path in sorted(place.folder.glob("warc/*")) for problem in warc_problems(path)]


def warc_problems(path: Path) -> Iterator[str]:
    """What `warcio check` would say of a file."""
    with path.open("rb") as raw:
        for record in ArchiveIterator(raw, check_digests=True):
            while record.raw_stream.read(1 << 16):
                pass
            if record.digest_checker.passed is False:
                yield f"{path.name}: {record.digest_checker.problems}"


def _lost(database: sqlite3.Connection, acknowledged: Iterable[list[str]]) -> Iterator[str]:
    states = dict(database.execute("select key, state from urls"))
    posts = {str(number) for (number,) in database.execute("select id from posts")}
    media = {key for (key,) in database.execute("select key from media")}
    for key, outcome, _, post_id in acknowledged:
        if outcome not in {"failed", "retry"} and states.get(key) != "done":
            yield f"lost: {key} was acknowledged, its address is {states.get(key)}"
        if post_id and post_id not in posts:
            yield f"lost: {key} was acknowledged as post {post_id}, which is not there"
        if outcome == "media" and key not in media:
            yield f"lost: {key} was acknowledged as media, which is not there"


def _doubled(database: sqlite3.Connection, acknowledged: list[list[str]]) -> Iterator[str]:
    visits = Counter(key for key, outcome, *_ in acknowledged if outcome not in OF_A_RUN)
    yield from (f"doubled: {key} was acknowledged {count} times" for key, count in visits.items() if count > 1)
    made = Counter(post_id for _, _, kept, post_id in acknowledged if kept == "new")
    yield from (f"doubled: post {post_id} was new {count} times" for post_id, count in made.items() if count > 1)
    for what, statement in DOUBLES.items():
        yield from (f"doubled: {what} {row}" for row in database.execute(statement))


DOUBLES = {
    "post": "select content, group_concat(key) from posts group by content having count(*) > 1",
    "version": "select post_id, count(*) from versions group by post_id having count(*) > 1",
    "body": "select url, count(*) from captures where original_id is null group by url, digest having count(*) > 1",
    "answer": "select url, count(*) from captures where purpose in ('page', 'media') group by url having count(*) > 1",
}


def main() -> None:
    """The server: one order a line, answered by the exit code of the child that carried it out."""
    _warm_up()
    for line in sys.stdin:
        order = json.loads(line)
        death = Death(**order["death"])
        hears, tells = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(hears)
            _carry_out(order, death, tells)
        os.close(tells)
        # Readable when the child says that its time has come, and when it has ended by itself.
        heard, _, _ = select.select([hears], [], [], death.seconds)
        if not heard or os.read(hears, 1):
            os.kill(child, signal.SIGKILL)
        os.close(hears)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        sys.stdout.flush()


def _warm_up() -> None:
    """Load all that a crawl loads on its way, but no reactor: that is the child's own."""
    import a_blog
    import everlog
    import everlog.fetch.scrapy_downloader
    import everlog.usecases.runner
    from everlog.languages.detect import guess

    template = everlog.learn(a_blog.feed(), a_blog.pages())
    template.read(a_blog.page(1), a_blog.url(1))
    # The model that tells languages apart: some blogs need it, and it is the slowest of all to load.
    guess(a_blog.text(1))
    assert "twisted.internet.reactor" not in sys.modules


def _carry_out(order: dict[str, Any], death: Death, tells: int) -> NoReturn:
    code = 1
    try:
        _crawl(order, death, tells)
        code = 0
    except BaseException:  # noqa: BLE001 - the child must end here, whatever happens, and not in the server's loop
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _crawl(order: dict[str, Any], death: Death, tells: int) -> None:
    from everlog.settings import make_settings
    from everlog.usecases.runner import Job, run_jobs

    later = order["later"] and (order["later"][0], Path(order["later"][1]))
    place = Place(folder=Path(order["folder"]), log=Path(order["log"]), later=later)
    log = os.open(place.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def write_down(safe: Acknowledged) -> None:
        line = (safe.visit.key, safe.visit.outcome, safe.kept or "", str(safe.post_id or ""))
        os.write(log, ("\t".join(line) + "\n").encode())

    settings = make_settings({"delay": 0, "min_free_bytes": 0})
    with open_archive(place.folder, create=True, options=place.options(_reaper(death, tells))) as archive:
        if any(blog.state == "finished" for blog in archive.blogs()):
            # On a busy machine a kill may come when all is done: the next crawl would be an update, and ask again.
            return
        [report] = run_jobs([Job(url=order["home"], typed=True)], archive, settings, on_safe=write_down)
    if isinstance(report, EverlogError):
        raise report
    assert report.ending == "complete", report.reason


def _reaper(death: Death, tells: int) -> Callable[[str], None]:
    """What happens at the write points: nothing, until it is time."""
    passages, points = itertools.count(1), itertools.count(1)

    def at(reached: str) -> None:
        if reached == death.point and next(passages) >= death.passage:
            os.kill(os.getpid(), signal.SIGKILL)
        if death.points is not None and next(points) == death.points:
            os.write(tells, b"!")

    return at


if __name__ == "__main__":
    main()
