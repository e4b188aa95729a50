"""An archive and its copy say the same, whatever they are kept in and whenever a copy was interrupted."""

from __future__ import annotations

import gc
import resource
import tracemalloc
from dataclasses import replace
from typing import TYPE_CHECKING

import a_full_archive as full
import kill_runs
import pytest
import some_visits as some
from places import KINDS, Place
from some_visits import HOME, LONG, START

import services
from everlog.archive import open_archive
from everlog.archive.copy import copied_rows
from everlog.archive.copy.copy_archive import copy_archive, open_target
from everlog.archive.db import schema
from everlog.archive.job_models import NewJob
from everlog.archive.verify import verify
from everlog.errors import DamagedArchive, DiskFull, ServiceDown, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BOTH_WAYS = [("sqlite", "postgresql"), ("postgresql", "sqlite")]
EVERY_WAY = [*BOTH_WAYS, ("sqlite", "sqlite"), ("postgresql", "postgresql")]


@pytest.fixture
def new(request, tmp_path) -> Callable[[str], Place]:
    """Makes places for archives, in which nothing is."""
    made = []

    def make(kind: str) -> Place:
        made.append(kind)
        folder = tmp_path / f"{kind}-{len(made)}"
        if kind == "sqlite":
            return Place(folder=folder)
        return Place(folder=folder, url=request.getfixturevalue("postgres_server").url())

    return make


@pytest.fixture
def filled(new) -> Callable[[str], Place]:
    """Makes archives with something in every table."""

    def make(kind: str) -> Place:
        place = new(kind)
        with place.open() as archive:
            full.fill(archive)
        return place

    return make


def assert_same(one: Place, other: Place) -> None:
    with one.open(create=False) as first, other.open(create=False) as second:
        assert full.rows_of(first) == full.rows_of(second)
        assert full.outside_of(first) == full.outside_of(second)
        assert list(verify(first)) == list(verify(second)) == []


def assert_empty(place: Place) -> None:
    """Nothing but its own tables: as users see it, and as the next copy does."""
    with place.open() as archive, archive.backend.database.reading() as connection:
        assert archive.blogs(forgotten=True) == ()
        assert not copied_rows.holds_anything(connection)


def left_half(place: Place) -> list[Path]:
    return [path for path in place.folder.rglob("*.part") if path.is_file()]


def test_every_table_is_copied_or_left_out_by_name():
    tables = {table.name for table in copied_rows.TABLES}
    assert tables | copied_rows.LEFT_OUT == set(schema.metadata.tables)
    assert not tables & copied_rows.LEFT_OUT


def test_the_archive_of_these_tests_has_something_in_every_table(filled):
    with filled("sqlite").open() as archive:
        assert [name for name, rows in full.rows_of(archive).items() if not rows] == []
        with archive.backend.database.reading() as connection:
            assert connection.exec_driver_sql("select count(original_id) from captures").scalar()


@pytest.mark.parametrize(("one", "other"), EVERY_WAY)
def test_a_copy_says_the_same_in_any_kind_of_database(filled, new, one, other):
    source, target = filled(one), new(other)
    copied = full.copy(source, target)
    assert_same(source, target)
    assert copied.rows == sum(copied.tables.values()) > 40
    assert (copied.tables["posts"], copied.posts_indexed) == (8, 8)
    assert (copied.files, copied.files_kept) == (3, 0)


@pytest.mark.parametrize(("one", "other"), BOTH_WAYS)
def test_there_and_back_again_nothing_is_changed(filled, new, one, other):
    source, between, back = filled(one), new(other), new(one)
    full.copy(source, between)
    full.copy(between, back)
    assert_same(source, back)


@pytest.mark.parametrize(("one", "other"), BOTH_WAYS)
def test_a_copy_is_crawled_on_with_numbers_and_files_of_its_own(filled, new, one, other):
    source, target = filled(one), new(other)
    full.copy(source, target)
    with target.open() as archive:
        blog = archive.blogs.find(HOME)
        assert archive.blogs.add("http://c.example/", scope="path").id > 2
        with archive.lock(blog.id):
            archive.commit([
                some.post_visit(blog.id, HOME + "0", f"0 {LONG} edited again", at=99),
                some.post_visit(blog.id, HOME + "new", f"new {LONG}", at=99),
            ])
        assert archive.posts.find(HOME + "0").version == 3
        assert {HOME + "0", HOME + "new"} <= {hit.url for hit in archive.search("again OR new")}
        assert list(verify(archive)) == []


def test_what_a_fleet_is_doing_stays_where_it_is_done(filled, new):
    source, target = filled("postgresql"), new("sqlite")
    with source.open() as archive:
        archive.jobs.add([NewJob(kind="crawl", url="http://c.example/", host="c.example")])
        archive.workers.sign_in("a worker", processes=1, has_browser=False)
        archive.polls.claim("a watch", now=START.replace(year=2030), until=START.replace(year=2031), limit=5)
        archive.hosts.reserve("a.example", 1.0)
    assert source.rows("select count(*) from polls where lease is not null") == [(1,)]
    assert full.copy(source, target).jobs_left == 1
    for table in ("jobs", "grants", "leases", "turns", "workers"):
        assert target.rows(f"select count(*) from {table}") == [(0,)]  # noqa: S608 - our own name
    assert target.rows("select lease, lease_until, job_id from polls") == [(None, None, None)]


def test_a_place_keeps_what_it_remembers_of_itself(filled, new):
    source, target = filled("postgresql"), new("postgresql")
    full.copy(source, target)
    own = "select name, value from archive_state where name in ('files', 'files_id', 'search')"
    assert dict(target.rows(own))["files"] == str(target.folder)
    assert set(dict(target.rows(own)).items()) & set(dict(source.rows(own)).items()) == {
        ("search", dict(source.rows(own))["search"]),
    }
    assert target.rows("select count(*) from archive_state where name = 'copying'") == [(0,)]


# Places that are not empty


def refusal(source: Place, target: Place) -> str:
    with pytest.raises(UsageError) as caught:
        full.copy(source, target)
    return str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_that_holds_anything_is_not_touched(filled, new, kind):
    source, target = filled("sqlite"), new(kind)
    with target.open() as archive:
        archive.blogs.add("http://other.example/", scope="path")
    assert "is not empty" in refusal(source, target)
    with target.open() as archive:
        assert [blog.home for blog in archive.blogs()] == ["http://other.example/"]
        assert archive.backend.state.copied_from is None


@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_of_an_older_version_is_refused_and_not_upgraded(filled, new, kind):
    source, target = filled("sqlite"), new(kind)
    target.open().close()
    target.change("update alembic_version set version_num = '0005'")
    assert "is not empty" in refusal(source, target)
    assert target.rows("select version_num from alembic_version") == [("0005",)]


@pytest.mark.slow
def test_a_worker_that_starts_while_a_copy_is_made_leaves_its_files_alone(filled, new):
    source, target = filled("sqlite"), new("postgresql")

    def start_a_worker(what, done, _total):
        if (what, done) == ("rows", 0):
            with target.open() as archive:
                archive.writers.recover()

    full.copy(source, target, start_a_worker)
    assert_same(source, target)


def test_a_folder_of_something_else_is_not_touched(filled, new):
    source, target = filled("sqlite"), new("sqlite")
    target.folder.mkdir()
    (target.folder / "letters.txt").write_text("Dear Ann")
    assert "a new folder or an empty database" in refusal(source, target)
    assert [path.name for path in target.folder.iterdir()] == ["letters.txt"]


def test_files_of_something_else_are_not_touched(filled, new):
    source, target = filled("sqlite"), new("postgresql")
    assert "is not empty" in refusal(source, Place(folder=source.folder, url=target.url))
    assert not (source.folder / "everlog.txt").exists()
    # The database is as it was: it can be given another place for files.
    full.copy(source, target)
    assert_same(source, target)


def test_a_database_wants_to_know_where_its_files_go(filled, new):
    target = new("postgresql")
    with filled("sqlite").open(), pytest.raises(UsageError, match="--to-files"):
        open_target(target.url)
    assert target.rows("select count(*) from information_schema.tables where table_schema = 'public'") == [(0,)]


def test_an_archive_is_not_copied_into_itself(new):
    place = new("sqlite")
    place.open().close()
    assert "into itself" in refusal(place, place)


@pytest.mark.slow
def test_the_beginning_of_another_archives_copy_is_not_gone_on_with(filled, new):
    first, second, target = filled("sqlite"), filled("sqlite"), new("sqlite")
    assert killed(first, target, "bytes", 1.0)
    said = refusal(second, target)
    assert "an unfinished copy of" in said
    assert str(first.folder) in said
    full.copy(first, target)
    assert_same(first, target)


# Interrupted, and gone on with


def killed(source: Place, target: Place, what: str, share: float) -> bool:
    child = kill_runs.processes.Process(target=full.die_copying, args=(source, target, what, share))
    child.start()
    child.join()
    return child.exitcode == -9


@pytest.mark.parametrize(("one", "other"), BOTH_WAYS)
def test_a_copy_that_is_killed_leaves_an_empty_archive_and_goes_on(filled, new, one, other):
    source, target = filled(one), new(other)
    for what, share in (("bytes", 0.0), ("bytes", 0.3), ("bytes", 1.0), ("rows", 0.0), ("rows", 0.5), ("rows", 1.0)):
        assert killed(source, target, what, share)
        assert_empty(target)
    copied = full.copy(source, target)
    assert copied.files_kept == copied.files == 3
    assert left_half(target) == []
    assert_same(source, target)


@pytest.mark.parametrize(("one", "other"), BOTH_WAYS)
def test_a_copy_that_is_killed_while_its_index_is_made_is_whole(filled, new, one, other):
    source, target = filled(one), new(other)
    assert killed(source, target, "posts", 0.5)
    assert_same(source, target)


def test_an_archive_that_has_grown_since_is_copied_as_it_is_now(filled, new):
    source, target = filled("sqlite"), new("postgresql")
    assert killed(source, target, "rows", 0.0)
    with source.open() as archive:
        blog = archive.blogs.find(HOME)
        with archive.lock(blog.id):
            archive.commit([some.post_visit(blog.id, HOME + "new", f"new {LONG}", at=99)])
    copied = full.copy(source, target)
    assert (copied.files, copied.files_kept) == (3, 2)
    assert_same(source, target)


@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_can_be_crawled_while_it_is_copied(filled, new, kind):
    source, target, before = filled(kind), new("sqlite"), None
    with source.open() as archive:
        blog = archive.blogs.find(HOME)
        before = full.rows_of(archive)
        with archive.lock(blog.id):

            def crawl_on(what: str, done: int, total: int) -> None:
                if (what, done) in {("bytes", 0), ("bytes", total), ("rows", 0)}:
                    archive.commit([
                        some.post_visit(blog.id, f"{HOME}{what}{done}", f"{what} {done} {LONG}", at=99),
                        some.media_visit(blog.id, f"{HOME}{what}{done}.png", f"{what} {done}".encode(), at=99),
                    ])

            full.copy(source, target, crawl_on)
        assert archive.blogs.counts(blog.id).posts == 10
    with target.open() as copy:
        assert full.rows_of(copy) == before
        assert list(verify(copy)) == []


@pytest.mark.slow
def test_a_database_that_goes_away_is_said_to_be_away_and_the_copy_goes_on_later(filled, new, tmp_path):
    source = filled("sqlite")
    with services.postgres(fsync=False) as server:
        target = Place(folder=tmp_path / "files", url=server.url())

        def stop(what: str, done: int, total: int) -> None:
            if what == "rows" and done > total / 2 and server.is_running:
                server.stop()

        with pytest.raises(ServiceDown):
            full.copy(source, target, stop)
        server.start()
        full.copy(source, target)
        assert_same(source, target)


@pytest.mark.slow
# SQLAlchemy leaves the cursor of a lost connection to the collector, which tells of it: here, not in another test.
@pytest.mark.filterwarnings("ignore:.*deleted while still open:ResourceWarning")
def test_of_two_databases_the_one_that_went_away_is_named(tmp_path, new):
    with services.postgres(fsync=False) as server:
        source = Place(folder=tmp_path / "files", url=server.url("going"))
        with source.open() as archive:
            full.fill(archive)

        def stop(what: str, _done: int, _total: int) -> None:
            if what == "rows" and server.is_running:
                server.stop()

        with pytest.raises(ServiceDown, match="going"):
            full.copy(source, new("postgresql"), stop)
        gc.collect()


@pytest.mark.slow
def test_a_server_that_ends_silent_transactions_waits_for_a_copy(filled, new):
    source, target = filled("postgresql"), new("postgresql")
    options = "?options=-c%20idle_in_transaction_session_timeout%3D4s"
    impatient = [replace(place, url=f"{place.url}{options}") for place in (source, target)]

    def wait(what: str, done: int, _total: int) -> None:
        if what != "posts" and done == 0:
            # Another connection's time, and so long that the server would have ended ours.
            assert source.rows("select pg_sleep(5)")

    full.copy(*impatient, wait)
    assert_same(source, target)


def test_a_full_disk_is_said_to_be_full_and_leaves_nothing_half(filled, new):
    source, target = filled("sqlite"), new("sqlite")
    picture = b"\x89PNG" + bytes(6_000_000)
    with source.open() as archive:
        blog = archive.blogs.find(HOME)
        with archive.lock(blog.id):
            archive.commit([some.media_visit(blog.id, HOME + "large.png", picture, at=99)])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, hard))
    try:
        with pytest.raises(DiskFull, match="free some space"):
            full.copy(source, target)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert left_half(target) == []
    assert_empty(target)
    full.copy(source, target)
    assert_same(source, target)


# What is wrong with the archive that is copied


def media_file(place: Place) -> Path:
    return next(path for path in place.folder.glob("media/*/*") if path.is_file() and path.name[0] != ".")


def broken(source: Place, target: Place) -> str:
    with pytest.raises(DamagedArchive) as caught:
        full.copy(source, target)
    assert_empty(target)
    assert left_half(target) == []
    return str(caught.value)


def test_a_file_that_is_lost_or_cut_is_named(filled, new):
    source, target = filled("sqlite"), new("sqlite")
    warc = min(source.folder.glob("warc/*"))
    content = warc.read_bytes()
    warc.write_bytes(content[:-9])
    assert warc.name in broken(source, target)
    warc.unlink()
    assert warc.name in broken(source, target)
    warc.write_bytes(content)
    full.copy(source, target)
    assert_same(source, target)


@pytest.mark.parametrize("change", [lambda body: body[:-1] + b"?", lambda body: body[:-1], lambda body: body + b"?"])
def test_a_picture_that_is_not_what_was_stored_is_not_copied(filled, new, change):
    source, target = filled("sqlite"), new("sqlite")
    picture = media_file(source)
    picture.write_bytes(change(picture.read_bytes()))
    assert picture.name in broken(source, target)
    assert not (target.folder / picture.relative_to(source.folder)).exists()


def test_a_picture_that_is_wrong_at_the_other_place_is_brought_again(filled, new):
    source, target = filled("sqlite"), new("sqlite")
    assert killed(source, target, "rows", 0.0)
    picture = media_file(target)
    picture.write_bytes(picture.read_bytes()[:-1] + b"?")
    assert full.copy(source, target).files_kept == 2
    assert_same(source, target)


@pytest.mark.parametrize("name", ["warc/../../out.warc.gz", "/etc/passwd", "media/ab/x.png"])
def test_a_row_cannot_name_a_file_outside_of_the_archive(filled, new, name):
    source, target = filled("sqlite"), new("sqlite")
    source.change(f"update warc_files set name = '{name}' where id = 1")  # noqa: S608 - our own texts
    assert "is not the name of a file in an archive" in broken(source, target)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_do_not_fit_together_are_not_copied(filled, new, kind):
    source, target = filled("sqlite"), new(kind)
    source.change("update versions set capture_id = 777 where post_id = 2")
    assert "are inconsistent" in broken(source, target)


# Many rows


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), BOTH_WAYS)
def test_memory_stays_flat(filled, new, one, other):
    source, target = filled(one), new(other)
    with source.open() as archive:
        blog = archive.blogs.find(HOME)
        archive.urls.enqueue(blog.id, (some.link(f"{HOME}{'far/' * 20}{number}") for number in range(12_000)))
        with archive.lock(blog.id):
            archive.commit([
                some.post_visit(blog.id, f"{HOME}many/{number}", f"{number} {LONG}", exchanges=())
                for number in range(150)
            ])
    full.copy(filled("sqlite"), new(other))  # what is loaded and cached once is not counted
    tracemalloc.start()
    try:
        copied = full.copy(source, target)
        # The rows, all at once, would take twice as much.
        assert tracemalloc.get_traced_memory()[1] < 6_000_000
    finally:
        tracemalloc.stop()
    assert copied.rows > 12_000


def test_an_empty_archive_can_be_copied(new):
    source, target = new("sqlite"), new("postgresql")
    source.open().close()
    assert full.copy(source, target).tables["blogs"] == 0
    with target.open() as archive:
        assert archive.blogs.add(HOME, scope="path").id == 1


def test_an_archive_that_is_not_there_is_not_made(tmp_path):
    with pytest.raises(UsageError, match="no archive"):
        open_archive(tmp_path / "nowhere", create=False)


@pytest.mark.slow
def test_two_copies_at_once_do_not_mix(filled, new):
    source, target = filled("sqlite"), new("postgresql")

    def copy_too(what: str, done: int, total: int) -> None:
        if (what, done) == ("bytes", total):
            with source.open() as opened, open_target(target.url, files=target.files) as empty:
                copy_archive(opened, empty)

    assert "is not empty" in refusal_while(source, target, copy_too)
    assert_same(source, target)


def refusal_while(source: Place, target: Place, progress) -> str:
    with pytest.raises(UsageError) as caught:
        full.copy(source, target, progress)
    return str(caught.value)
