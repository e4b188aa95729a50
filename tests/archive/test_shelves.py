"""Files of a shared archive: in a folder that all see, or in an object store, whole and never twice."""

from __future__ import annotations

import io
import logging
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import kill_runs
import pytest
import some_visits as some
import stores
from some_visits import HOME, LONG
from stores import Bucket

from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.archive.files import durable as disk
from everlog.archive.files.durable import SEAL_POINTS
from everlog.archive.files.local_store import FolderStore
from everlog.archive.files.remote_files import RemoteFiles
from everlog.archive.open_shared import place_of
from everlog.archive.verify import verify
from everlog.errors import LeaseLost, NotUploaded, ServiceDown, UsageError
from everlog.records import Media

URL = HOME + "1"
OTHER = "http://b.example/"


@pytest.fixture(scope="module")
def s3():
    with pytest.MonkeyPatch.context() as patched, stores.s3(patched) as server:
        yield server


@pytest.fixture
def bucket(s3, shared, tmp_path):
    return Bucket(folder=tmp_path / "spool", url=shared.url, prefix=tmp_path.name)


@pytest.fixture
def archive(bucket):
    with bucket.open() as opened:
        yield opened


def spooled(bucket):
    return sorted(path.name for path in bucket.folder.rglob("*.warc.gz"))


def warcs(s3, bucket):
    return s3.keys(f"{bucket.prefix}/warc/")


def expire(archive):
    """Take the grants of the dead away, as a fleet does when they were silent for long."""
    archive.leases.expire(timeout_seconds=-1.0, most_tries=9, progress=1)


def store(archive, *visits, home=HOME):
    """A slice of a crawl."""
    blog = archive.blogs.add(home, scope="path").id
    with archive.lock(blog):
        archive.commit([visit(blog) for visit in visits])
    return blog


def a_post(url=URL, text=LONG, **rest):
    return lambda blog: some.post_visit(blog, url, text, **rest)


def a_picture(url=HOME + "p.png", body=b"\x89PNG picture"):
    return lambda blog: some.media_visit(blog, url, body)


# An object store


def test_a_slice_is_in_the_spool_until_it_ends_and_then_in_the_store(s3, bucket, archive):
    blog = archive.blogs.add(HOME, scope="path").id
    with archive.lock(blog):
        archive.commit([some.post_visit(blog, URL)])
        assert (len(spooled(bucket)), warcs(s3, bucket)) == (1, [])
        assert archive.files.exchange(archive.captures.find(blog, URL)).body == LONG.encode()
    assert (spooled(bucket), len(warcs(s3, bucket))) == ([], 1)
    assert [file.closed for file in archive.captures.files.of_blog(blog)] == [True]
    assert archive.files.exchange(archive.captures.find(blog, URL)).body == LONG.encode()
    assert list(verify(archive)) == []


def test_the_real_warc_checker_accepts_what_is_in_the_store(s3, bucket, archive, tmp_path):
    store(archive, a_post(), a_picture(), a_post(HOME + "2", LONG + " more"))
    [key] = warcs(s3, bucket)
    file = tmp_path / Path(key).name
    file.write_bytes(s3.get(key))
    checked = subprocess.run([sys.executable, "-m", "warcio.cli", "check", file], capture_output=True, check=False)
    assert (checked.returncode, checked.stdout) == (0, b"")


def test_a_capture_is_read_by_its_range_and_not_with_its_whole_file(s3, bucket, archive, caplog):
    noise = os.urandom(900_000)
    blog = store(archive, a_post(), *(a_picture(f"{HOME}{number}.png", noise + b"%d" % number) for number in range(3)))
    caplog.set_level(logging.INFO, "werkzeug")
    assert archive.files.exchange(archive.captures.find(blog, URL)).body == LONG.encode()
    got = [record.getMessage() for record in caplog.records if "GET" in record.getMessage()]
    assert len(got) == 1
    assert " 206 " in got[0]


def test_media_are_there_at_once_and_each_content_once(s3, bucket, archive):
    blog = archive.blogs.add(HOME, scope="path").id
    with archive.lock(blog):
        archive.commit([some.media_visit(blog, HOME + "p.png")])
        assert len(s3.keys(f"{bucket.prefix}/media/")) == 1
    store(archive, a_picture(OTHER + "q.png"), home=OTHER)
    assert len(s3.keys(f"{bucket.prefix}/media/")) == 1
    assert list(verify(archive)) == []


def test_a_picture_that_is_on_the_disk_goes_to_the_store_from_there(s3, bucket, archive):
    body = bytes(range(256)) * 10_000
    blog = archive.blogs.add(HOME, scope="path").id
    assert archive.backend.file_store.scratch is not None
    with archive.lock(blog):
        archive.commit([some.spooled_visit(blog, HOME + "large.png", body)])
        assert len(s3.keys(f"{bucket.prefix}/media/")) == 1
    assert list(verify(archive)) == []
    assert archive.files.exchange(archive.captures.find(blog, HOME + "large.png")).body == body


def test_two_machines_write_side_by_side(s3, bucket, tmp_path):
    with bucket.at(tmp_path / "one") as one, bucket.at(tmp_path / "two") as two:
        first, second = one.blogs.add(HOME, scope="path").id, two.blogs.add(OTHER, scope="path").id
        with one.lock(first), two.lock(second):
            for number in range(4):
                one.commit([some.page(first, f"{HOME}{number}")])
                two.commit([some.page(second, f"{OTHER}{number}")])
        assert len(warcs(s3, bucket)) == 2
        assert list(verify(one)) == []


def test_a_full_file_is_uploaded_while_the_crawl_goes_on(s3, bucket):
    with bucket.open(options=ArchiveOptions(rotate_bytes=1500, min_free_bytes=0)) as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            for number in range(6):
                archive.commit([some.page(blog, f"{HOME}{number}")])
            assert len(spooled(bucket)) == 1
            assert warcs(s3, bucket)
        assert spooled(bucket) == []
        assert len(warcs(s3, bucket)) == len(archive.captures.files.of_blog(blog)) > 1
        assert list(verify(archive)) == []


def test_a_file_in_the_spool_of_another_machine_is_said_to_be_there(bucket, archive, tmp_path):
    blog = archive.blogs.add(HOME, scope="path").id
    with archive.lock(blog):
        archive.commit([some.post_visit(blog, URL)])
        with bucket.at(tmp_path / "elsewhere") as other:
            with pytest.raises(NotUploaded, match="spool folder of the worker"):
                other.files.exchange(other.captures.find(blog, URL))
            # Its worker lives: nothing is wrong.
            assert list(verify(other)) == []
            expire(other)
            assert {finding.text for finding in verify(other)} == {"not uploaded yet by its worker"}


def test_a_store_that_is_down_loses_nothing(s3, bucket, archive):
    blog = archive.blogs.add(HOME, scope="path").id
    with ExitStack() as crawl:
        crawl.enter_context(archive.lock(blog))
        archive.commit([some.post_visit(blog, URL)])
        s3.stop()
        with pytest.raises(ServiceDown, match="is not reachable"):
            crawl.close()
    assert len(spooled(bucket)) == 1
    assert archive.files.exchange(archive.captures.find(blog, URL)).body == LONG.encode()
    s3.start()
    store(archive, a_post(HOME + "2"))
    assert spooled(bucket) == []
    assert len(warcs(s3, bucket)) == 2
    assert list(verify(archive)) == []


def test_a_worker_that_lost_its_grant_brings_what_was_acknowledged(s3, bucket, archive):
    blog = archive.blogs.add(HOME, scope="path").id
    with archive.lock(blog):
        archive.commit([some.post_visit(blog, URL)])
        expire(archive)
        with pytest.raises(LeaseLost):
            archive.commit([some.post_visit(blog, HOME + "late")])
    with bucket.open() as again:
        again.writers.recover()
        assert spooled(bucket) == []
        assert list(again.urls.known_keys(blog)) == ["a.example/1"]
        assert again.exchange(again.captures.find(blog, URL)).body == LONG.encode()
        assert list(verify(again)) == []


@pytest.mark.parametrize("point", ["warc-half-record", "committed", *SEAL_POINTS])
def test_what_a_killed_worker_acknowledged_is_brought_by_the_next(point, s3, bucket, tmp_path):
    acknowledged = tmp_path / "acknowledged"
    with bucket.open() as archive:
        assert kill_runs.killed_at(bucket, acknowledged, point=point, passage=2, group=10, is_long_ago=False)
        left = spooled(bucket)
        # As long as its grant stands, what it wrote last may yet turn out to be stored.
        archive.writers.recover()
        assert spooled(bucket) == left
        expire(archive)
        archive.writers.recover()
        assert spooled(bucket) == []
        assert list(verify(archive)) == []
        assert not kill_runs.killed_at(bucket, acknowledged, point="none", passage=1, group=10)
        blog = archive.blogs.find(HOME).id
        assert kill_runs.stored_steps(archive, blog) == kill_runs.STEPS
        assert kill_runs.damage(bucket, acknowledged) == []
        assert len(warcs(s3, bucket)) == len(archive.captures.files.of_blog(blog))
        assert all(file.closed for file in archive.captures.files.of_blog(blog))


def test_a_file_in_the_store_that_differs_is_never_replaced(s3, bucket, archive, caplog):
    blog = archive.blogs.add(HOME, scope="path").id
    with ExitStack() as crawl:
        crawl.enter_context(archive.lock(blog))
        archive.commit([some.post_visit(blog, URL)])
        s3.stop()
        with pytest.raises(ServiceDown):
            crawl.close()
    s3.start()
    [name] = spooled(bucket)
    s3._client().put_object(Bucket=stores.BUCKET, Key=f"{bucket.prefix}/warc/{name}", Body=b"of somebody else")
    archive.writers.recover()
    assert "with other content" in caplog.text
    assert spooled(bucket) == [name]


UPLOADS = """
import resource, sys
from pathlib import Path
from everlog.archive.files.remote_files import RemoteFiles
files = RemoteFiles(sys.argv[2])
files.size("warm-up")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
files.upload(Path(sys.argv[1]), "large")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, files.size("large"))
"""


@pytest.mark.slow
def test_memory_stays_flat_when_a_large_file_is_uploaded(s3, bucket, tmp_path):
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(200_000_000)
    said = subprocess.run(
        [sys.executable, "-c", UPLOADS, large, bucket.files], capture_output=True, text=True, check=True,
    )
    grown, size = map(int, said.stdout.split())
    assert size == 200_000_000
    assert grown < 130_000


def test_media_are_copied_beside_notes_that_are_exported(bucket, archive, tmp_path):
    store(archive, a_post(media=(Media(url=HOME + "p.png"),)), a_picture())
    assert archive.export("markdown", tmp_path / "notes") == 1
    [picture] = (tmp_path / "notes").glob("media/*/*.png")
    assert picture.read_bytes() == b"\x89PNG picture"
    [note] = (tmp_path / "notes").glob("*.md")
    assert f"media/{picture.parent.name}/{picture.name}" in note.read_text("utf-8")
    assert sorted(path.suffix for path in (tmp_path / "notes").rglob("*") if path.is_file()) == [".md", ".png"]


# Opening


def test_an_archive_remembers_where_its_files_are(bucket, archive, tmp_path):
    blog = store(archive, a_post())
    with open_archive(bucket.url) as other:
        assert other.backend.file_store.where == bucket.files
        assert other.files.exchange(other.captures.find(blog, URL)).body == LONG.encode()
        with pytest.raises(UsageError, match="--spool"), other.lock(blog):
            pass
    with pytest.raises(UsageError, match=f"are in {bucket.files}, not in {tmp_path}"):
        open_archive(bucket.url, files=tmp_path)


def test_files_of_one_archive_are_not_taken_for_those_of_another(bucket, archive, postgres_url):
    with pytest.raises(UsageError, match="files of another archive"):
        open_archive(postgres_url, create=True, files=bucket.files)


def test_a_bucket_that_is_not_there_is_said_so(s3, shared):
    with pytest.raises(UsageError, match="create the bucket first"):
        open_archive(shared.url, files="s3://nowhere/a")
    # Nothing was remembered.
    open_archive(shared.url, files=f"s3://{stores.BUCKET}/remembered-{os.getpid()}").close()


def test_missing_credentials_are_said_so(s3, shared, monkeypatch, tmp_path):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(UsageError, match="AWS_ACCESS_KEY_ID"):
        open_archive(shared.url, files="s3://blogs/a", options=ArchiveOptions(patience=stores.NO_PATIENCE))


def test_a_package_that_is_missing_is_named(shared, monkeypatch):
    with pytest.raises(UsageError, match="gcsfs"):
        open_archive(shared.url, files="gs://blogs/a")
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(UsageError, match=r"for S3:  .* install .*'fsspec>="):
        open_archive(shared.url, files="s3://blogs/a")


@pytest.mark.parametrize("where", ["mysql://ann:secret@a.example/blogs", "https://a.example/"])
def test_other_databases_are_refused_without_a_word_of_their_passwords(where):
    with pytest.raises(UsageError, match="postgresql://USER@HOST") as refused:
        open_archive(where, create=True)
    assert "secret" not in str(refused.value)


def test_an_address_nobody_knows_is_refused_without_its_password(shared):
    with pytest.raises(UsageError, match="s3://BUCKET/PATH") as refused:
        open_archive(shared.url, files="nowhere://ann:secret@a.example/")
    assert "secret" not in str(refused.value)


def test_a_folder_needs_no_other_place_for_its_files(tmp_path):
    with pytest.raises(UsageError, match="leave out --files"):
        open_archive(tmp_path / "archive", create=True, files=tmp_path / "files")


def test_a_database_without_files_can_be_read_but_not_written(shared, tmp_path):
    with open_archive(shared.url) as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        assert list(archive.posts()) == []
        with pytest.raises(UsageError, match="pass --files"), archive.lock(blog):
            pass
        with pytest.raises(UsageError, match="--files"):
            archive.backend.file_store.open("warc/1-20240501120000-1.warc.gz")


def test_an_archive_that_is_not_in_the_database_is_not_made_by_looking(postgres_url):
    with pytest.raises(UsageError, match="there is no archive"):
        open_archive(postgres_url, create=False)


# A folder that all see


def folder_files(place):
    return sorted(path.name for path in place.folder.glob("warc/*"))


def test_each_slice_has_a_file_of_its_own_that_is_closed_when_it_ends(shared):
    with shared.open() as archive:
        blog = store(archive, a_post(), a_picture())
        store(archive, a_post(HOME + "2"))
        assert len(folder_files(shared)) == 2
        assert [file.closed for file in archive.captures.files.of_blog(blog)] == [True, True]
        assert list(verify(archive)) == []


def test_blogs_that_are_written_together_share_a_file(shared):
    with shared.open() as archive:
        with archive.writers.together():
            store(archive, a_post())
            store(archive, a_post(OTHER + "1"), home=OTHER)
        assert len(folder_files(shared)) == 1
        assert folder_files(shared)[0].startswith("everlog-several-blogs-")
        assert shared.rows("select blog_id, closed from warc_files") == [(None, True)]
        assert list(verify(archive)) == []


def test_what_others_write_is_left_alone_and_what_the_dead_left_is_cleared_up(shared, tmp_path):
    with shared.open() as archive:
        acknowledged = tmp_path / "acknowledged"
        point = "warc-half-record"
        assert kill_runs.killed_at(shared, acknowledged, point=point, passage=8, group=3, is_long_ago=False)
        before = {path: path.stat().st_size for path in shared.folder.glob("warc/*")}
        archive.writers.recover()
        assert {path: path.stat().st_size for path in shared.folder.glob("warc/*")} == before
        assert list(verify(archive)) == []
        expire(archive)
        archive.writers.recover()
        assert sum(path.stat().st_size for path in shared.folder.glob("warc/*")) < sum(before.values())
        assert shared.rows("select name from warc_files where not closed") == []
        assert kill_runs.damage(shared, tmp_path / "acknowledged") == []


def test_a_folder_that_is_not_mounted_is_said_so(shared):
    shared.open().close()
    shared.folder.rename(shared.folder.with_name("unmounted"))
    with pytest.raises(UsageError, match="mounted"):
        open_archive(shared.url)
    assert not shared.folder.exists()


def test_a_file_that_lost_bytes_is_said_so_and_keeps_nobody_from_going_on(shared, tmp_path, caplog):
    with shared.open() as archive:
        assert kill_runs.killed_at(shared, tmp_path / "acknowledged", point="committed", passage=1, group=3)
        [file] = shared.folder.glob("warc/*")
        os.truncate(file, 10)
        expire(archive)
        half = shared.folder / "warc" / "1-20990501120000-9999.warc.gz"
        half.write_bytes(b"never committed")
        archive.writers.recover()
        assert "restore it from a backup" in caplog.text
        assert not half.exists()
        texts = [found.text for found in verify(archive) if found.kind == "warc"]
        assert [text.partition(" than")[0] for text in texts] == ["truncated: shorter"]


def test_blogs_that_are_written_together_under_another_grant_begin_another_file(shared):
    with shared.open() as archive, shared.open() as another:
        other = archive.blogs.add(OTHER, scope="path").id
        with archive.writers.together():
            store(archive, a_post())
            expire(another)
            another.writers.recover()
            with archive.lock(other):
                archive.commit([some.post_visit(other, OTHER + "1")])
                assert len(folder_files(shared)) == 2
                another.writers.recover()
        assert {closed for (closed,) in shared.rows("select closed from warc_files")} == {True}
        assert list(verify(archive)) == []


# Other stores


@pytest.fixture
def elsewhere(tmp_path):
    """A store that is not S3: fsspec takes a folder for one."""
    (tmp_path / "store" / "warc").mkdir(parents=True)
    return RemoteFiles(f"local://{tmp_path}/store", patience=stores.NO_PATIENCE)


def test_an_upload_that_was_killed_leaves_nothing_under_the_final_name(elsewhere, tmp_path):
    file, name = tmp_path / "whole", "warc/1-20240501120000-1.warc.gz"
    file.write_bytes(b"all of it")
    half = tmp_path / "store" / "warc" / f".{Path(name).name}.part"
    half.write_bytes(b"all")
    assert (elsewhere.size(name), list(elsewhere.names("warc"))) == (None, [])
    elsewhere.upload(file, name, again=True)
    assert (elsewhere.size(name), list(elsewhere.names("warc"))) == (9, [name])
    assert not half.exists()
    elsewhere.upload(file, name, again=True)


def test_pictures_are_written_whole_to_other_stores_too(elsewhere, tmp_path):
    elsewhere.write({"media/aa/a.png": b"one", "media/bb/b.png": b"other"})
    elsewhere.write({"media/aa/a.png": b"one"})
    assert sorted(elsewhere.names("media")) == ["media/aa/a.png", "media/bb/b.png"]
    assert list(tmp_path.rglob("*.part")) == []


def test_nothing_behind_a_question_mark_is_said_or_remembered():
    url = "sftp://ann:secret@a.example/blogs?password=secret#secret"
    assert RemoteFiles(url).where == place_of(url) == "sftp://ann@a.example/blogs"


# Names that last


def test_a_file_that_is_put_leaves_those_of_others_alone(tmp_path):
    file_store = FolderStore(tmp_path)
    others = [tmp_path / "warc" / f".{owner}-a.warc.gz.part" for owner in (os.getpid(), "x")]
    for other in others:
        other.write_bytes(b"half")
    file_store.put("warc/a.warc.gz", io.BytesIO(b"whole"))
    assert sorted(path.read_bytes() for path in (tmp_path / "warc").iterdir()) == [b"half", b"half", b"whole"]


def test_folders_that_are_new_are_made_with_all_they_are_in(tmp_path):
    disk.make_folders(tmp_path / "a" / "b" / "c")
    disk.make_folders(tmp_path / "a" / "b" / "c")
    assert (tmp_path / "a" / "b" / "c").is_dir()
    (tmp_path / "file").touch()
    for make in (disk.make_folders, disk.real_folder):
        with pytest.raises(UsageError, match="check its owner and permissions"):
            make(tmp_path / "file")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with pytest.raises(UsageError, match="symbolic link"):
        disk.real_folder(tmp_path / "link")
