"""Archives of other versions: upgraded whole or not at all, or refused."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta

import a_full_archive as full
import pytest
import some_visits as some
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from places import KINDS, Place
from some_visits import HOME
from sqlalchemy.exc import IntegrityError

from archive.older import as_of_revision_4
from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.archive.blog_state import (
    BlogState,
    CommentFeedState,
    KnownFingerprint,
    LeftOut,
    ListWalk,
    LookedAt,
    Places,
)
from everlog.archive.db import schema
from everlog.archive.db.migrate import SCRIPTS, Schema, bring_up_to_date
from everlog.archive.db.postgres import PostgresDatabase
from everlog.archive.db.sqlite import SqliteDatabase
from everlog.archive.files.durable import WRITE_POINTS
from everlog.archive.verify import verify
from everlog.core.scope import Alias
from everlog.core.urls import LONGEST_KEY_BYTES, bounded, canonical
from everlog.errors import DamagedArchive, EverlogError, NewerArchive
from everlog.extract.extractors.diffpost import RepeatCounts
from everlog.frontier.priority_queue import Progress
from everlog.records.figures import Estimate
from everlog.schedule.liveness import Failing
from everlog.schedule.ownership import BlogFingerprint

MAY = datetime(2024, 5, 1, 12, tzinfo=UTC)
LATER = '''
from alembic import op
import sqlalchemy as sa
revision = "{number}"
down_revision = "{before}"
def upgrade():
    op.add_column("posts", sa.Column("extra_{number}", sa.Text))
    op.execute("update posts set extra_{number} = key")
'''


# The search index is SQLite's own kind of table, with tables of its own behind it.
INDEX = "select sql from sqlite_master where name = 'search'"
HASH = "select v from search_config where k = 'hashsize'"


def is_ours(name, kind, _parents):
    return kind != "table" or not name.startswith("search")


@pytest.fixture
def folder(tmp_path):
    """An archive of today, with something in it."""
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            archive.commit([some.post_visit(blog, HOME + "a")])
    return tmp_path / "archive"


@pytest.fixture
def tomorrow(tmp_path):
    """The schema of a version to come, two steps ahead."""
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    (scripts / "r9001.py").write_text(LATER.format(number="9001", before=schema.HEAD))
    (scripts / "r9002.py").write_text(LATER.format(number="9002", before="9001"))
    return Schema(head="9002", scripts=(SCRIPTS, scripts))


def revision(folder):
    with closing(sqlite3.connect(folder / "everlog.sqlite")) as database:
        columns = {row[1] for row in database.execute("pragma table_info(posts)")}
        return database.execute("select version_num from alembic_version").fetchone()[0], columns


@pytest.fixture(params=KINDS)
def unmade(request, tmp_path):
    """Where an archive is going to be; its database is there, and has no tables."""
    (tmp_path / "archive").mkdir()
    url = None if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    return Place(folder=tmp_path / "archive", url=url)


@pytest.fixture
def scripts(tmp_path):
    """All scripts, and one before the first: they lead from a database with nothing but a revision to today's."""
    folder = tmp_path / "from-nothing"
    folder.mkdir()
    (folder / "r0000.py").write_text('revision = "0000"\ndown_revision = None\ndef upgrade(): ...\n')
    for script in SCRIPTS.glob("r*.py"):
        text = script.read_text().replace("down_revision = None", 'down_revision = "0000"')
        (folder / script.name).write_text(text)
    return folder


@contextmanager
def upgraded(place, scripts, head):
    """The database, upgraded to a revision."""
    database = PostgresDatabase(place.url) if place.url else SqliteDatabase(place.folder / "everlog.sqlite")
    try:
        bring_up_to_date(database, schema=Schema(head=head, scripts=(scripts,)))
        yield database
    finally:
        database.close()


def at_revision_0(place):
    place.change(
        "create table alembic_version (version_num text not null primary key)",
        "insert into alembic_version values ('0000')",
    )


def differences(database):
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "include_name": is_ours})
        return compare_metadata(context, schema.metadata)


def of_search(place):
    """What the database says of the search index."""
    if place.is_shared:
        columns = "select column_name, udt_name from information_schema.columns where table_name = 'search'"
        return place.rows(columns), sorted(place.rows("select indexdef from pg_indexes where tablename = 'search'"))
    return place.rows(INDEX), place.rows(HASH)


def test_the_scripts_lead_to_the_tables_of_the_code(unmade, scripts, request, tmp_path):
    at_revision_0(unmade)
    with upgraded(unmade, scripts, schema.HEAD) as database:
        assert differences(database) == []
    url = request.getfixturevalue("postgres_server").url() if unmade.is_shared else None
    made = Place(folder=tmp_path / "made", url=url)
    made.open().close()
    assert of_search(unmade) == of_search(made)
    with unmade.open() as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            archive.commit([some.post_visit(blog, HOME + "a")])
        assert archive.search.count("word7") == 1
        assert list(verify(archive)) == []


def test_an_archive_of_before_there_was_a_fleet_is_upgraded_with_all_it_has(unmade, scripts):
    at_revision_0(unmade)
    with upgraded(unmade, scripts, "0004"):
        unmade.change(
            "insert into blogs (key, home, scope, state, added_at) values ('k', 'h', 'path', 'new', '2024')",
            "insert into warc_files (blog_id, name, length, closed) values (1, 'warc/1', 10, true)",
            "insert into urls (blog_id, key, url, lane, rank, state, tries, new_posts, queued_at) "
            "values (1, 'k', 'u', 'page', 0, 'done', 0, 0, '2024')",
            "insert into captures (blog_id, url_id, url, purpose, answer, status, digest, bytes, fetched_at, "
            "warc_id, \"offset\", length) values (1, 1, 'u', 'page', true, 200, 'd', 1, '2024', 1, 0, 10)",
            "insert into polls (blog_id, state) values (1, '{}')",
        )
    with upgraded(unmade, scripts, schema.HEAD) as database:
        assert differences(database) == []
        assert list(database.complaints()) == []
        with database.writing() as connection:
            connection.execute(schema.warc_files.insert(), {"name": "shared", "length": 0, "closed": False})
        with pytest.raises((IntegrityError, EverlogError)), database.writing() as connection:
            connection.execute(schema.warc_files.update().values(blog_id=77))
    assert unmade.rows("select warc_id, url_id from captures") == [(1, 1)]
    assert unmade.rows("select blog_id, name from warc_files order by name") == [(None, "shared"), (1, "warc/1")]


# Under each name what revision 6 kept of a blog.
REMEMBERED = {
    "entries": {"b": "1", "a": "2"}, "maps": [HOME + "map"], "fronts": [HOME], "walk": {
        "newest": ["n"], "waiting": [HOME], "asked": ["a"],
    }, "looked": {"fronts": True, "maps": [HOME], "until": "2024-05-01T12:00:00+00:00"},
    "comments feed": {"url": HOME, "etag": "e", "last_modified": None, "seen": ["c"]},
    "failing": {"what": "feed", "since": "2024-05-01T12:00:00+00:00", "last": "2024-05-02T12:00:00+00:00", "looks": 2,
                "answers": ["not-found"]},
    "places": {"also": [HOME + "x"], "aliases": [{"home": "http://b.example/", "here": True}]},
    "estimate": {"posts": 9, "why": "a map"}, "allow": ["10.0.0.1"], "progress": [[0, 1], 5, 3],
    "left out": {"links": {"k": HOME}, "said": "so"}, "comments missing": 4,
    "traits": {"capture": 3, "feed": True, "traits": json.dumps({"names": ["Ann"], "kept": False})},
    "repeats": RepeatCounts(pages=(5,)).to_dict(), "split posts": ["s"], "redesign tried": ["t"],
}


def test_what_was_remembered_of_blogs_and_hosts_becomes_what_it_is(unmade, scripts):
    at_revision_0(unmade)
    texts = {name: json.dumps(value) for name, value in REMEMBERED.items()} | {"left alone": "some", "start": HOME}
    of_archive = {
        "home:a.example/old": HOME, "robots http://a.example": "x", "wait a.example": "w", "typed a.example:80": "yes",
        "first network a.example": "public", "contact told": "yes", "demo": HOME,
    }
    rows = [(1, texts), (2, {"split posts": "null", "walk": "{damaged"}), (3, {"walk": "{}"}), (0, of_archive)]
    with upgraded(unmade, scripts, "0006"):
        unmade.change(
            *("insert into blogs (key, home, scope, state, added_at) "  # noqa: S608 - our own texts
              f"values ('{key}', 'h', 'path', 'new', '2024-05-01')"
              for key in "ab"),
            *(f"insert into remembered values ({blog}, '{name}', '{value}')"  # noqa: S608 - our own texts
              for blog, named in rows for name, value in named.items()),
        )
    with upgraded(unmade, scripts, schema.HEAD) as database:
        assert differences(database) == []
    with unmade.open() as archive:
        state = archive.blogs.state(1)
        assert list(state.entries.items()) == [("b", "1"), ("a", "2")]
        assert state == BlogState(
            entries=state.entries, left_alone=True, sitemaps=(HOME + "map",), front_pages=(HOME,), start_page=HOME,
            walk=ListWalk(newest=("n",), waiting=(HOME,), asked=("a",)),
            update=LookedAt(fronts=True, maps=(HOME,), until=MAY), comment_feed=CommentFeedState(
                url=HOME, etag="e", seen=("c",),
            ),
            failing=Failing(what="feed", since=MAY, last=MAY + timedelta(days=1), looks=2, answers=("not-found",)),
            places=Places(also=(HOME + "x",), aliases=(Alias(home="http://b.example/", here=True),)),
            estimate=Estimate(posts=9, why="a map", evidence="front page"), allow=("10.0.0.1",),
            progress=Progress(latest=(0, 1), visited=5, brought=3), left_out=LeftOut(links={"k": HOME}, said="so"),
            comments_missing=4, fingerprint=KnownFingerprint(
                fingerprint=BlogFingerprint(names=("Ann",)), capture=3, has_feed=True,
            ),
            split_posts=("s",), relearned_for=("t",),
        )
        assert archive.blogs.repeats(1) == RepeatCounts(pages=(5,))
        assert archive.blogs.state(2) == BlogState(split_posts=(), tells_split_posts=False)
        assert archive.blogs.home_at("http://a.example/old/") == HOME
        known = ("robots http://a.example", "wait a.example", "typed a.example:80", "first network a.example")
        assert [archive.hosts.cached(name) for name in known] == ["x", "w", "yes", "public"]
        assert archive.backend.state.tell_contact()
        assert archive.backend.state.demo_home == HOME
        assert list(verify(archive)) == []


def test_a_newer_database_is_refused_on_a_server_too(shared):
    shared.change("update alembic_version set version_num = '9999'")
    try:
        with pytest.raises(NewerArchive, match="upgrade everlog"):
            shared.open()
    finally:
        shared.change(f"update alembic_version set version_num = '{schema.HEAD}'")  # noqa: S608 - our own text


def test_a_database_of_somebody_else_on_a_server_is_refused(postgres_url, tmp_path):
    place = Place(folder=tmp_path, url=postgres_url)
    place.change("create table other (x int)")
    with pytest.raises(DamagedArchive, match="not an everlog archive"):
        place.open()


def test_an_older_archive_is_upgraded_and_a_copy_is_kept(folder, tomorrow):
    open_archive(folder, options=ArchiveOptions(schema=tomorrow)).close()
    number, columns = revision(folder)
    assert number == "9002"
    assert {"extra_9001", "extra_9002"} <= columns
    with closing(sqlite3.connect(folder / f"everlog.sqlite.before-upgrade-from-{schema.HEAD}")) as copy:
        assert copy.execute("select version_num from alembic_version").fetchone() == (schema.HEAD,)
        assert copy.execute("select count(*) from posts").fetchone() == (1,)


def test_a_newer_archive_is_refused_and_left_alone(folder, tomorrow):
    open_archive(folder, options=ArchiveOptions(schema=tomorrow)).close()
    before = (folder / "everlog.sqlite").read_bytes()
    with pytest.raises(NewerArchive, match="upgrade everlog") as refused:
        open_archive(folder)
    assert refused.value.exit_code == 2
    assert (folder / "everlog.sqlite").read_bytes() == before


def upgrade_and_die(folder, later, point):
    def at(reached):
        if reached == point:
            os.kill(os.getpid(), signal.SIGKILL)

    open_archive(folder, options=ArchiveOptions(schema=later, at=at)).close()


@pytest.mark.parametrize("point", [point for point in WRITE_POINTS if point.startswith("migration")])
def test_an_upgrade_that_was_killed_is_done_by_the_next_one(folder, tomorrow, point):
    child = multiprocessing.get_context("forkserver").Process(target=upgrade_and_die, args=(folder, tomorrow, point))
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    number, columns = revision(folder)
    # All of it or nothing.
    assert (number == "9002") == ("extra_9001" in columns) == ("extra_9002" in columns)
    open_archive(folder, options=ArchiveOptions(schema=tomorrow)).close()
    assert revision(folder)[0] == "9002"
    assert not list(folder.glob("*.part"))


def test_a_database_of_somebody_else_is_refused(tmp_path):
    with closing(sqlite3.connect(tmp_path / "everlog.sqlite")) as database:
        database.execute("create table other (x)")
    with pytest.raises(DamagedArchive, match="not an everlog archive"):
        open_archive(tmp_path, create=True)


def test_an_archive_that_is_up_to_date_opens_without_alembic(folder):
    script = """
import sys
from everlog.archive import open_archive
open_archive(sys.argv[1]).close()
assert "alembic" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script, str(folder)], check=True)


def test_keys_that_no_index_takes_become_shorter_and_the_archive_can_be_copied(tmp_path, postgres_url):
    post, alias, picture = (f"{HOME}{name * 3_000}" for name in ("p", "a", "m"))
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            visit = some.post_visit(blog, post, media=(some.picture(picture),))
            archive.commit([visit, some.post_visit(blog, alias), some.media_visit(blog, picture)])
        before = list(archive.posts())
    long = {key: f"a.example/{key[10] * 3_000}" for key in map(canonical, (post, alias, picture))}
    place = as_of_revision_4(tmp_path / "archive", long)
    assert max(len(key) for (key,) in place.rows("select key from urls")) > LONGEST_KEY_BYTES
    with place.open() as archive:
        assert list(archive.posts()) == before
        assert archive.posts.find(alias).url == archive.posts.find(post).url == post
        assert list(verify(archive)) == []
    assert {key for (key,) in place.rows("select key from media")} == {bounded(long[canonical(picture)])}
    [(record,)] = place.rows("select record from versions")
    assert json.loads(record)["media"] == [[picture, canonical(picture)]]
    target = Place(folder=tmp_path / "files", url=postgres_url)
    full.copy(place, target)
    with target.open() as archive:
        assert list(archive.posts()) == before


def test_an_upgrade_that_would_leave_rows_hanging_is_refused_and_changes_nothing(folder, tmp_path):
    place = Place(folder=folder)
    # One that hung before is none of the upgrade's doing.
    place.change("update versions set capture_id = 777")
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    (scripts / "r9001.py").write_text(LATER.format(number="9001", before=schema.HEAD))
    open_archive(folder, options=ArchiveOptions(schema=Schema(head="9001", scripts=(SCRIPTS, scripts)))).close()
    (scripts / "r9002.py").write_text(
        LATER.format(number="9002", before="9001") + '    op.execute("delete from warc_files")\n',  # noqa: S608 - our own
    )
    with pytest.raises(DamagedArchive, match="nothing was changed"):
        open_archive(folder, options=ArchiveOptions(schema=Schema(head="9002", scripts=(SCRIPTS, scripts))))
    assert revision(folder)[0] == "9001"
    assert place.rows("select count(*) from warc_files") == [(1,)]
