"""Archives of other versions: upgraded whole or not at all, or refused."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
import some_visits as some
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from some_visits import HOME

from everlog.archive import fts5, open_archive, schema
from everlog.archive.archive import Habits
from everlog.archive.migrate import SCRIPTS, Schema
from everlog.archive.points import WRITE_POINTS
from everlog.archive.sqlite import SqliteDatabase
from everlog.archive.verify import verify
from everlog.errors import DamagedArchive, NewerArchive

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
    with open_archive(tmp_path / "archive") as archive:
        blog = archive.add_blog(HOME, scope="path").id
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


def test_the_scripts_lead_to_the_tables_of_the_code(tmp_path):
    with closing(sqlite3.connect(tmp_path / "everlog.sqlite")) as database:
        database.execute("create table alembic_version (version_num text not null primary key)")
        database.execute("insert into alembic_version values ('0000')")
        database.commit()
    (tmp_path / "scripts").mkdir()
    empty = 'revision = "0000"\ndown_revision = None\ndef upgrade(): ...\n'
    first = (SCRIPTS / "r0001_first.py").read_text().replace("down_revision = None", 'down_revision = "0000"')
    (tmp_path / "scripts" / "r0000.py").write_text(empty)
    (tmp_path / "scripts" / "r0001.py").write_text(first)
    for script in SCRIPTS.glob("r*.py"):
        if script.name != "r0001_first.py":
            (tmp_path / "scripts" / script.name).write_text(script.read_text())
    habits = Habits(schema=Schema(scripts=(tmp_path / "scripts",)))
    open_archive(tmp_path, habits=habits).close()
    database = SqliteDatabase(tmp_path / "everlog.sqlite")
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "include_name": is_ours})
        assert compare_metadata(context, schema.metadata) == []
        assert connection.exec_driver_sql(INDEX).scalar_one().lower() == fts5.MAKE
        assert connection.exec_driver_sql(HASH).scalar_one() == fts5.HASH_BYTES
    database.close()
    with open_archive(tmp_path) as archive:
        blog = archive.add_blog(HOME, scope="path").id
        with archive.lock(blog):
            archive.commit([some.post_visit(blog, HOME + "a")])
        assert list(verify(archive)) == []


def test_an_older_archive_is_upgraded_and_a_copy_is_kept(folder, tomorrow):
    open_archive(folder, habits=Habits(schema=tomorrow)).close()
    number, columns = revision(folder)
    assert number == "9002"
    assert {"extra_9001", "extra_9002"} <= columns
    with closing(sqlite3.connect(folder / f"everlog.sqlite.before-upgrade-from-{schema.HEAD}")) as copy:
        assert copy.execute("select version_num from alembic_version").fetchone() == (schema.HEAD,)
        assert copy.execute("select count(*) from posts").fetchone() == (1,)


def test_a_newer_archive_is_refused_and_left_alone(folder, tomorrow):
    open_archive(folder, habits=Habits(schema=tomorrow)).close()
    before = (folder / "everlog.sqlite").read_bytes()
    with pytest.raises(NewerArchive, match="upgrade everlog") as refused:
        open_archive(folder)
    assert refused.value.exit_code == 2
    assert (folder / "everlog.sqlite").read_bytes() == before


def upgrade_and_die(folder, later, point):
    def at(reached):
        if reached == point:
            os.kill(os.getpid(), signal.SIGKILL)

    open_archive(folder, habits=Habits(schema=later, at=at)).close()


@pytest.mark.parametrize("point", [point for point in WRITE_POINTS if point.startswith("migration")])
def test_an_upgrade_that_was_killed_is_done_by_the_next_one(folder, tomorrow, point):
    child = multiprocessing.get_context("forkserver").Process(target=upgrade_and_die, args=(folder, tomorrow, point))
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    number, columns = revision(folder)
    # All of it or nothing.
    assert (number == "9002") == ("extra_9001" in columns) == ("extra_9002" in columns)
    open_archive(folder, habits=Habits(schema=tomorrow)).close()
    assert revision(folder)[0] == "9002"
    assert not list(folder.glob("*.part"))


def test_a_database_of_somebody_else_is_refused(tmp_path):
    with closing(sqlite3.connect(tmp_path / "everlog.sqlite")) as database:
        database.execute("create table other (x)")
    with pytest.raises(DamagedArchive, match="not one of everlog's"):
        open_archive(tmp_path)


def test_an_archive_that_is_up_to_date_opens_without_alembic(folder):
    script = """
import sys
from everlog.archive import open_archive
open_archive(sys.argv[1]).close()
assert "alembic" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script, str(folder)], check=True)
