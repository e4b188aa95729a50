"""Visits stored in groups by a thread of their own."""

from __future__ import annotations

import gc
import threading

import pytest
import some_visits as some
from some_visits import HOME

from everlog.archive.archive import ArchiveOptions
from everlog.archive.write.batch_writer import BatchWriter
from everlog.archive.write.version_decider import KnownPost, VersionDecider
from everlog.errors import DiskFull


class Gate:
    """A write point at which the writer waits until it is let through."""

    def __init__(self):
        self.reached = threading.Event()
        self.opened = threading.Event()
        self.batches = 0

    def __call__(self, point):
        if point == "batch-begin":
            self.batches += 1
            self.reached.set()
            assert self.opened.wait(300)


@pytest.fixture
def gate():
    return Gate()


@pytest.fixture
def archive(place, gate):
    with place.open(options=ArchiveOptions(at=gate)) as opened:
        yield opened


@pytest.fixture
def blog(archive):
    added = archive.blogs.add(HOME, scope="path")
    with archive.lock(added.id):
        yield added.id


def test_what_gathers_while_a_batch_is_written_is_the_next_batch(archive, blog, gate):
    with BatchWriter(archive) as writer:
        first = writer.submit(some.page(blog, HOME))
        assert gate.reached.wait(300)
        rest = [writer.submit(some.page(blog, f"{HOME}{number}")) for number in range(20)]
        assert not first.done()
        gate.opened.set()
        assert [future.result(300).visit.url for future in rest] == [f"{HOME}{number}" for number in range(20)]
    assert gate.batches == 2


def test_closing_stores_all_that_waits(archive, blog, gate):
    gate.opened.set()
    with BatchWriter(archive) as writer:
        futures = [writer.submit(some.page(blog, f"{HOME}{number}")) for number in range(200)]
    assert all(future.done() for future in futures)
    assert archive.blogs.counts(blog).pages == 200
    with pytest.raises(ValueError, match="closed"):
        writer.submit(some.page(blog, HOME))


def test_who_brings_more_than_can_wait_is_made_to_wait(archive, blog, gate):
    with BatchWriter(archive, queue_bytes=10_000) as writer:
        writer.submit(some.page(blog, HOME))
        assert gate.reached.wait(300)
        writer.submit(some.page(blog, HOME + "big", exchanges=(some.exchange(HOME + "big", b"x" * 20_000),)))
        assert writer.full
        late = threading.Thread(target=lambda: writer.submit(some.page(blog, HOME + "late")))
        late.start()
        gate.opened.set()
        late.join(30)
        assert not late.is_alive()
    assert archive.blogs.counts(blog).pages == 3


def test_an_error_reaches_everybody_who_waits(place):
    with place.open(options=ArchiveOptions(min_free_bytes=1 << 60)) as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog), BatchWriter(archive) as writer:
            future = writer.submit(some.page(blog, HOME))
            with pytest.raises(DiskFull):
                future.result(300)
            with pytest.raises(DiskFull):
                writer.submit(some.page(blog, HOME))


def test_nobody_can_call_back_a_visit(archive, blog, gate):
    with BatchWriter(archive) as writer:
        future = writer.submit(some.page(blog, HOME))
        assert not future.cancel()
        gate.opened.set()
        assert future.result(300).visit.url == HOME


def test_a_batch_that_is_stored_leaves_nothing_to_the_garbage_collector(archive, blog, gate):
    gate.opened.set()
    archive.commit([some.post_visit(blog, f"{HOME}/first")])
    gc.collect()
    gc.disable()
    try:
        archive.commit([some.post_visit(blog, f"{HOME}/{number}", f"{some.LONG} {number}") for number in range(5)])
        left = [each for each in gc.get_objects() if isinstance(each, (VersionDecider, KnownPost))]
    finally:
        gc.enable()
    assert left == []
