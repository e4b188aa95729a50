"""Copies of archives to an object store, and from one."""

from __future__ import annotations

from contextlib import ExitStack

import a_full_archive as full
import pytest
import some_visits as some
import stores
from places import Place
from some_visits import HOME, LONG
from stores import Bucket

from everlog.archive import open_archive
from everlog.archive.copy import copied_files
from everlog.archive.copy.copy_archive import copy_archive, open_target
from everlog.archive.verify import verify
from everlog.errors import NotUploaded, UsageError


class Stopped(Exception):
    """Somebody has had enough."""


@pytest.fixture(scope="module")
def s3():
    with pytest.MonkeyPatch.context() as patched, stores.s3(patched) as server:
        yield server


@pytest.fixture
def bucket(s3, postgres_url, tmp_path):
    """Where an archive with its files in a bucket is going to be."""
    return Bucket(folder=tmp_path / "spool", url=postgres_url, prefix=tmp_path.name)


@pytest.fixture
def source(tmp_path):
    place = Place(folder=tmp_path / "source")
    with place.open() as archive:
        full.fill(archive)
    return place


def stop_before_rows(what, _done, _total):
    if what == "rows":
        raise Stopped


def test_an_archive_comes_back_from_an_object_store_as_it_was(source, bucket, s3, tmp_path):
    copied = full.copy(source, bucket)
    assert len(s3.keys(f"{bucket.prefix}/")) == copied.files + 1
    back = Place(folder=tmp_path / "back")
    assert full.copy(bucket, back).bytes == copied.bytes
    with source.open() as first, bucket.open() as second, back.open() as third:
        assert full.rows_of(first) == full.rows_of(second) == full.rows_of(third)
        assert full.outside_of(first) == full.outside_of(second) == full.outside_of(third)
        assert list(verify(second)) == list(verify(third)) == []


def test_files_that_are_there_are_kept_and_one_that_has_grown_is_brought_again(source, bucket):
    with pytest.raises(Stopped):
        full.copy(source, bucket, stop_before_rows)
    with source.open() as archive:
        blog = archive.blogs.find(HOME)
        with archive.lock(blog.id):
            archive.commit([some.post_visit(blog.id, HOME + "new", f"new {LONG}", at=99)])
    copied = full.copy(source, bucket)
    assert (copied.files, copied.files_kept) == (3, 2)
    with bucket.open() as archive:
        assert list(verify(archive)) == []


def test_a_place_with_files_of_something_else_is_not_touched(source, bucket, s3):
    s3._client().put_object(Bucket=stores.BUCKET, Key=f"{bucket.prefix}/letters.txt", Body=b"Dear Ann")
    with pytest.raises(UsageError, match="is not empty"):
        full.copy(source, bucket)
    assert s3.keys(f"{bucket.prefix}/") == [f"{bucket.prefix}/letters.txt"]


def test_a_file_that_a_worker_has_not_brought_for_long_is_said_so(bucket, tmp_path, monkeypatch):
    monkeypatch.setattr(copied_files, "LATE_TRIES", 1)
    target = Place(folder=tmp_path / "copy")
    elsewhere = Bucket(folder=tmp_path / "other spool", url=bucket.url, prefix=bucket.prefix)
    with bucket.open() as archive:
        blog = archive.blogs.add(HOME, scope="path")
        with archive.lock(blog.id):
            archive.commit([some.post_visit(blog.id, HOME + "1")])
            with pytest.raises(NotUploaded, match="the same command again"):
                full.copy(elsewhere, target)
    assert full.copy(elsewhere, target).files == 1


def test_a_file_that_a_worker_has_not_brought_yet_is_waited_for(bucket, tmp_path):
    elsewhere = Bucket(folder=tmp_path / "other spool", url=bucket.url, prefix=bucket.prefix)
    with bucket.open() as archive, ExitStack() as crawl:
        blog = archive.blogs.add(HOME, scope="path")
        crawl.enter_context(archive.lock(blog.id))
        archive.commit([some.post_visit(blog.id, HOME + "1"), some.media_visit(blog.id, HOME + "p.png")])
        pauses = []

        def pause(seconds):
            pauses.append(seconds)
            if len(pauses) == 2:
                crawl.close()

        with elsewhere.open(create=False) as source, open_target(str(tmp_path / "copy")) as target:
            assert copy_archive(source, target, pause=pause).files == 2
            assert len(pauses) == 2
            assert list(verify(target)) == []


def test_what_a_lost_machine_never_brought_is_left_out_if_that_is_wanted(bucket, tmp_path, monkeypatch):
    monkeypatch.setattr(copied_files, "LATE_TRIES", 1)
    elsewhere = Bucket(folder=tmp_path / "other spool", url=bucket.url, prefix=bucket.prefix)
    with bucket.open() as archive:
        blog = archive.blogs.add(HOME, scope="path")
        with archive.lock(blog.id):
            archive.commit([some.post_visit(blog.id, HOME + "1")])
            with elsewhere.open(create=False) as source, open_target(str(tmp_path / "copy")) as target:
                copied = copy_archive(source, target, without_missing=True)
    assert (copied.files, len(copied.missing)) == (0, 1)
    with open_archive(tmp_path / "copy") as archive:
        assert [post.url for post in archive.posts()] == [HOME + "1"]
        assert any(copied.missing[0] in complaint for complaint in map(str, verify(archive)))
