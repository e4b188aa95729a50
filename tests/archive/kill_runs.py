"""Crashes on purpose: a process that stores visits is killed, and what it leaves is looked at.

`run_to_the_end` stores a fixed list of visits into an archive, from where an earlier run stopped, and
writes down what was acknowledged. `killed_at` lets that happen in a child that dies at a write point,
`killed_around` in one that is killed from outside; `damage` says what is wrong with what is left.
The children come from a server that has all imports done, so that a hundred of them take seconds.
"""

from __future__ import annotations

import multiprocessing
import os
import pkgutil
import signal
from multiprocessing.connection import wait
from typing import TYPE_CHECKING

import some_visits as some
from warcio.archiveiterator import ArchiveIterator

import everlog.archive
from everlog.archive.archive import ArchiveOptions
from everlog.archive.verify import verify
from everlog.archive.write.batch_writer import BatchWriter
from everlog.records import Link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from pathlib import Path

    from places import Place

    from everlog.archive.archive import Archive
    from everlog.records import Visit

STEPS = 40
# Small enough that a run fills several files.
ROTATE_BYTES = 3_000

processes = multiprocessing.get_context("forkserver")
# This module itself cannot be named: the server knows installed modules only (and runs its parent's main one). All of
# the archive can, and what it imports when it is first needed: a child takes 0.1 s of CPU instead of 0.2.
processes.set_forkserver_preload([
    "pytest", "sqlalchemy.dialects.sqlite", "psycopg", "everlog.markup.media", "everlog.versions",
    "warcio.archiveiterator", "encodings.idna",
    *(found.name for found in pkgutil.walk_packages(everlog.archive.__path__, "everlog.archive.")),
])


def steps(blog_id: int) -> Iterator[Visit]:
    """What a crawl brings: posts, new versions, the same again, redirects, media, failures. Each has its number."""
    for number in range(STEPS):
        yield _step(blog_id, number)


def _step(blog_id: int, number: int) -> Visit:
    url = f"{some.HOME}post-{number // 5}"
    note = f"step {number}"
    match number % 5:
        case 0:
            links = (some.link(f"{some.HOME}found-{number}"), Link(url=url, key="x", lane="post"))
            pictures = (some.picture(f"{url}/picture.png"),)
            return some.post_visit(
                blog_id, url, f"{number} {some.LONG}", at=number, note=note, links=links, media=pictures,
            )
        case 1:
            # Every other picture has the content of one before.
            return some.media_visit(blog_id, f"{url}/picture.png", b"P%d" % (number // 10), at=number, note=note)
        case 2:
            return some.post_visit(blog_id, url, f"{number} {some.LONG} edited", at=number, note=note)
        case 3:
            old = f"{some.HOME}old-{number}"
            text = f"{number} {some.LONG} moved"
            exchanges = (some.exchange(old, b"", status=301, at=number), some.exchange(url, text.encode(), at=number))
            return some.post_visit(
                blog_id, old, text, exchanges=exchanges, post_key=f"a.example/post-{number // 5}", note=note,
            )
        case _:
            again = f"{number - 1} {some.LONG} moved".encode()
            return some.page(blog_id, url, exchanges=(some.exchange(url, again, at=number),), note=note)


def run_to_the_end(place: Place, acknowledged: Path, at: Callable[[str], None], group: int) -> None:
    """Store what is not stored yet; in groups of this size, or by the writer's thread if it is 0."""
    options = ArchiveOptions(rotate_bytes=ROTATE_BYTES, min_free_bytes=0, at=at)
    log = os.open(acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    with place.open(options=options) as archive:
        blog = archive.blogs.add(some.HOME, scope="path")
        with archive.lock(blog.id):
            left = list(steps(blog.id))[stored_steps(archive, blog.id) :]
            if group:
                for start in range(0, len(left), group):
                    for word in archive.commit(left[start : start + group]):
                        os.write(log, f"{word.visit.note}\n".encode())
            else:
                with BatchWriter(archive) as writer:
                    futures = [writer.submit(visit) for visit in left]
                    for future in futures:
                        os.write(log, f"{future.result().visit.note}\n".encode())
    os.close(log)


def stored_steps(archive: Archive, blog_id: int) -> int:
    """How many steps the archive has; they are stored in order, so the latest one tells."""
    return max((int(note.split()[1]) + 1 for _, note in archive.urls.notes(blog_id)), default=0)


def _die_at(place: Place, acknowledged: Path, point: str, passage: int, group: int, around: dict[str, str]) -> None:
    # The server that forks has the environment of the test it was started in.
    os.environ.update(around)
    left = passage

    def at(reached: str) -> None:
        nonlocal left
        left -= reached == point
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    run_to_the_end(place, acknowledged, at, group)


def _run(place: Place, acknowledged: Path, group: int, passages: int, told: Connection) -> None:
    left = passages

    def at(_reached: str) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            told.send(None)

    run_to_the_end(place, acknowledged, at, group)


def killed_at(
    place: Place, acknowledged: Path, *, point: str, passage: int, group: int, is_long_ago: bool = True,
) -> bool:
    """Whether the run reached this passage of the point, and was killed there: so long ago that its grant is gone."""
    child = processes.Process(target=_die_at, args=(place, acknowledged, point, passage, group, dict(os.environ)))
    child.start()
    return _ended(child, place, is_long_ago=is_long_ago)


def killed_around(place: Place, acknowledged: Path, *, passages: int, group: int) -> bool:
    """Whether the run was still under way when it was killed, some moments after so many write points."""
    hears, told = processes.Pipe(duplex=False)
    child = processes.Process(target=_run, args=(place, acknowledged, group, passages, told))
    child.start()
    wait([hears, child.sentinel])
    child.kill()
    hears.close()
    told.close()
    return _ended(child, place)


def _ended(child: BaseProcess, place: Place, *, is_long_ago: bool = True) -> bool:
    child.join()
    if is_long_ago:
        place.let_go()
    code = child.exitcode
    child.close()
    assert code in {0, -signal.SIGKILL}, f"the run failed with {code}"
    return code != 0


def damage(place: Place, acknowledged: Path) -> list[str]:
    """All that is wrong after a crash, once the archive has cleared up; empty when every promise was kept."""
    with place.open(options=ArchiveOptions(rotate_bytes=ROTATE_BYTES, min_free_bytes=0)) as archive:
        blog = archive.blogs.add(some.HOME, scope="path")
        with archive.lock(blog.id):
            wrong = [f"{found.kind} {found.where}: {found.text}" for found in verify(archive)]
            stored = stored_steps(archive, blog.id)
            wrong += _lost(archive, blog.id, acknowledged, stored)
    wrong += _doubled(place, stored)
    return wrong + [problem for file in sorted(place.folder.glob("warc/*")) for problem in warc_problems(file)]


def _lost(archive: Archive, blog_id: int, acknowledged: Path, stored: int) -> Iterator[str]:
    lines = acknowledged.read_text().splitlines() if acknowledged.exists() else []
    promised = [int(line.split()[1]) for line in lines]
    if promised and max(promised) >= stored:
        yield f"step {max(promised)} was acknowledged, but only {stored} are there"
    if len(promised) != len(set(promised)):
        yield "a step was acknowledged twice"
    for post in archive.posts(blog_id=blog_id):
        capture = archive.captures.find(blog_id, post.url)
        if capture is None or not archive.files.exchange(capture).body.startswith(post.text[:3].strip().encode()[:1]):
            yield f"{post.url} cannot be read from its WARC record"
        if len(archive.posts.versions(post.url)) != post.version:
            yield f"{post.url} lacks versions"
        told = [event.detail["version"] for event in archive.events(post_url=post.url, kinds=["edited"])]
        if told != list(range(2, post.version + 1)):
            yield f"{post.url} has {post.version} versions, and the ledger tells of {told}"


def _doubled(place: Place, stored: int) -> Iterator[str]:
    rows = place.rows("select url, fetched_at, count(*) from captures group by 1, 2 having count(*) > 1")
    yield from (f"captured twice: {url} at {fetched_at}" for url, fetched_at, _ in rows)
    captures = place.rows("select count(*) from captures")[0][0]
    awaited = sum(len(visit.exchanges) for visit in list(steps(1))[:stored])
    if captures != awaited:
        yield f"{captures} captures of {stored} steps, where {awaited} belong"


def warc_problems(file: Path) -> Iterator[str]:
    """What `warcio check` would say."""
    with file.open("rb") as raw:
        for record in ArchiveIterator(raw, check_digests=True):
            while record.raw_stream.read(1 << 16):
                pass
            if record.digest_checker.passed is False:
                yield f"{file.name}: {record.digest_checker.problems}"

