"""What only a shared database can do wrong: many writers, lost connections, late writes, limits of its own."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256

import psycopg
import pytest
import some_visits as some
from places import Place
from some_visits import HOME, LONG
from sqlalchemy import select

import services
from everlog.archive.blog_state import BlogState
from everlog.archive.db import schema
from everlog.archive.db.database import check_fence
from everlog.archive.db.migrate import bring_up_to_date
from everlog.archive.db.postgres import PostgresDatabase
from everlog.archive.db.postgres_search import LAST_PLACE, LONGEST_BYTES, vector
from everlog.archive.db.sqlite import SqliteDatabase
from everlog.archive.post_codec import write_post
from everlog.archive.verify import verify
from everlog.archive.write.record_batch import known_posts
from everlog.core.fetcher import Waited
from everlog.errors import ArchiveBusy, DiskFull, EverlogError, LeaseLost, ServiceDown, UsageError
from everlog.records import Comment, Media
from everlog.search.document import Document
from everlog.search.query import ask

ODD = "a\0b \ud800 \u202eabc\u202c 🎉👩‍👩‍👧 e\u0301 \ufeff \x01 ' \" \\ %s {} $1"
KEPT = ODD.replace("\0", "\ufffd").replace("\ud800", "\ufffd")


@pytest.fixture
def database(place):
    """The database of a new archive."""
    place.open().close()
    opened = PostgresDatabase(place.url) if place.url else SqliteDatabase(place.folder / "everlog.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def served(shared):
    """The database of a new archive on a server."""
    opened = PostgresDatabase(shared.url)
    yield opened
    opened.close()


def grant(database):
    """A grant of nobody's job."""
    with database.writing() as connection:
        connection.execute(
            schema.grants.insert(), {"fence": 7, "worker": "w", "begun": 0.0, "beat": 0.0, "requests": 0},
        )
    database.fence = 7


def take_away(connection):
    connection.execute(schema.grants.delete().where(schema.grants.c.fence == 7))


def add_blog(connection, key):
    values = {"key": key, "home": HOME, "scope": "path", "state": "new", "added_at": "2024"}
    connection.execute(schema.blogs.insert(), values)


def blog_keys(database):
    with database.reading() as connection:
        return list(connection.execute(select(schema.blogs.c.key)).scalars())


# The fence


def test_a_write_under_a_grant_is_stored_while_it_is_there_and_refused_when_it_is_gone(database):
    grant(database)
    with database.writing() as connection:
        add_blog(connection, "before")
    database.fence = None
    with database.writing() as connection:
        take_away(connection)
    database.fence = 7
    with pytest.raises(LeaseLost, match="another worker") as refused, database.writing() as connection:
        add_blog(connection, "after")
    assert refused.value.exit_code == 3
    assert blog_keys(database) == ["before"]


def test_a_worker_that_lost_its_grant_reads_on_but_writes_nothing(place):
    with place.open() as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            archive.commit([some.post_visit(blog, HOME + "a")])
            archive.backend.database.fence = 7
            with pytest.raises(LeaseLost):
                archive.commit([some.post_visit(blog, HOME + "b")])
            with pytest.raises(LeaseLost):
                archive.hosts.cache({"x": "1"})
            assert [post.url for post in archive.posts()] == [HOME + "a"]
            archive.backend.database.fence = None


def test_a_beat_does_not_wait_for_an_open_write_and_who_takes_the_grant_does(served, shared):
    grant(served)
    with served.writing() as connection, psycopg.connect(shared.url) as other:
        add_blog(connection, "open")
        other.execute("set lock_timeout = '100ms'")
        assert other.execute("update grants set beat = 5 where fence = 7").rowcount == 1
        other.commit()
        assert other.execute("select fence from grants for update skip locked").fetchall() == []
        with pytest.raises(psycopg.errors.LockNotAvailable):
            other.execute("delete from grants where fence = 7")


def test_who_takes_a_grant_away_gets_it_when_the_write_has_ended_and_the_next_is_refused(served, shared):
    grant(served)
    with ThreadPoolExecutor() as threads, psycopg.connect(shared.url) as other:
        with served.writing() as connection:
            taken = threads.submit(other.execute, "delete from grants where fence = 7")
            add_blog(connection, "in time")
        assert taken.result(300).rowcount == 1
        other.commit()
    with pytest.raises(LeaseLost), served.writing() as connection:
        add_blog(connection, "late")
    assert blog_keys(served) == ["in time"]


def test_a_write_that_begins_while_the_grant_is_taken_away_is_refused(served, shared):
    grant(served)
    begun = threading.Event()

    def write():
        begun.set()
        with served.writing() as connection:
            add_blog(connection, "late")

    with ThreadPoolExecutor() as threads:
        with psycopg.connect(shared.url) as other:
            other.execute("delete from grants where fence = 7")
            late = threads.submit(write)
            assert begun.wait(300)
        with pytest.raises(LeaseLost):
            late.result(300)
    assert blog_keys(served) == []


def test_the_check_itself_says_nothing_of_a_grant_that_is_there(served):
    grant(served)
    with served.writing() as connection:
        check_fence(connection, 7)


# Many writers


@pytest.mark.slow
def test_writers_that_bring_the_same_pictures_in_other_orders_never_stop_each_other(shared):
    batches, pictures = 100, [b"P%d" % number for number in range(12)]

    def run(name, order):
        home = f"http://{name}.example/"
        with shared.open() as archive:
            blog = archive.blogs.add(home, scope="path").id
            with archive.lock(blog):
                for number in range(batches):
                    # New ones all the time, as only those are waited for.
                    wanted = [pictures[place] + b" of %d" % (number // 2) for place in order]
                    archive.commit([
                        some.media_visit(blog, f"{home}{number}/{place}.png", body) for place, body in enumerate(wanted)
                    ])
            return archive.blogs.counts(blog).media

    orders = (range(12), range(11, -1, -1))
    with ThreadPoolExecutor() as threads:
        runs = [threads.submit(run, name, list(order)) for name, order in zip("ab", orders, strict=True)]
        assert [each.result(300) for each in runs] == [batches * 12] * 2
    assert shared.rows("select count(*) from media_files") == [(50 * 12,)]
    with shared.open() as archive:
        assert list(verify(archive)) == []


def test_ids_that_are_reserved_at_once_are_nobody_elses(database):
    def reserve():
        with database.writing() as connection:
            return list(database.reserve(connection, schema.posts, 50)) if isinstance(
                database, PostgresDatabase,
            ) else []

    with ThreadPoolExecutor(4) as threads:
        taken = [each.result(300) for each in [threads.submit(reserve) for _ in range(8)]]
    assert all(each == sorted(each) for each in taken)
    numbers = [number for each in taken for number in each]
    assert len(numbers) == len(set(numbers))


def test_an_index_is_filled_while_posts_are_stored(shared):
    with shared.open() as archive, shared.open() as other:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog), ThreadPoolExecutor() as threads:
            archive.commit([some.post_visit(blog, f"{HOME}{number}", f"{number} {LONG}") for number in range(60)])
            for at in range(1, 5):
                other.search.forget()
                filled = threads.submit(other.search.index)
                archive.commit([
                    some.post_visit(blog, f"{HOME}{number}", f"{number} {LONG} herring{at}", at=at)
                    for number in range(59, -1, -1)
                ])
                filled.result(300)
                other.search.index()
                assert archive.search.count_not_indexed() == 0
                assert archive.search.count(f"herring{at}") == 60
                assert archive.search.count(f"herring{at - 1}") == 0


def test_a_reading_sees_one_state_throughout(served):
    with served.reading() as connection:
        assert list(connection.execute(select(schema.blogs.c.key))) == []
        with served.writing() as other:
            add_blog(other, "new")
        assert list(connection.execute(select(schema.blogs.c.key))) == []
    assert blog_keys(served) == ["new"]


# Words of the server's, in ours


def test_a_server_that_is_not_there_is_a_service_that_is_down_and_no_password_is_said():
    with services.held_port() as port:
        database = PostgresDatabase(f"postgresql://ada:very-secret@127.0.0.1:{port}/blogs")
        with pytest.raises(ServiceDown, match="run the same command again") as told, database.reading():
            pass
    assert told.value.exit_code == 7
    assert "very-secret" not in str(told.value)
    assert "very-secret" not in database.where
    assert "ada@127.0.0.1" in database.where
    database.close()


def test_a_database_or_user_that_is_not_there_is_a_wrong_address(postgres_server):
    server = postgres_server.server_url
    for url in (f"{server}/nowhere", f"{server.replace('everlog@', 'nobody:secret@')}/postgres"):
        database = PostgresDatabase(url)
        with pytest.raises(UsageError, match="does not exist"), database.reading():
            pass
        database.close()


@pytest.mark.parametrize(
    "url", ["postgresql://", "postgresql://h:port/d", "mysql://h/d", "postgresql://u:secret@h", "x"],
)
def test_an_address_that_is_none_is_said_so_without_repeating_it(url):
    with pytest.raises(UsageError, match="postgresql://USER@HOST") as told:
        PostgresDatabase(url)
    assert "secret" not in str(told.value)


def test_both_spellings_of_the_address_are_understood(postgres_url):
    database = PostgresDatabase(postgres_url.replace("postgresql://", "postgres://"))
    with database.reading() as connection:
        assert connection.exec_driver_sql("show timezone").scalar() == "UTC"
        assert connection.exec_driver_sql("show idle_in_transaction_session_timeout").scalar() == "30s"
        assert connection.exec_driver_sql("show synchronous_commit").scalar() == "on"
        assert connection.exec_driver_sql("show transaction_isolation").scalar() == "repeatable read"
    database.close()


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("53100", DiskFull), ("40P01", ArchiveBusy), ("55P03", ArchiveBusy), ("57P01", ServiceDown),
        ("53300", ServiceDown), ("25P03", ServiceDown), ("42501", UsageError),
        ("54000", EverlogError), ("22021", EverlogError), ("P0001", EverlogError),
    ],
)
def test_what_the_server_says_becomes_an_error_that_helps(served, code, error):
    with pytest.raises(error) as told, served.writing() as connection:
        connection.exec_driver_sql(f"do $$ begin raise exception 'said' using errcode = '{code}'; end $$")
    assert told.value.advice


def test_a_connection_that_the_server_closed_is_replaced(served, shared):
    with served.reading() as connection:
        mine = connection.exec_driver_sql("select pg_backend_pid()").scalar()
    with psycopg.connect(shared.url) as other:
        other.execute("select pg_terminate_backend(%s, 5000)", (mine,))
    assert blog_keys(served) == []


def test_who_vanishes_in_a_transaction_holds_nobody_up_for_long(served, shared):
    def vanish(other):
        with served.writing() as connection:
            add_blog(connection, "wanted")
            connection.exec_driver_sql("set local idle_in_transaction_session_timeout = '50ms'")
            # Waits until it is known what becomes of the first.
            other.execute("insert into blogs (key, home, scope, state, added_at) values ('wanted', '', '', '', '')")
            add_blog(connection, "more")

    with psycopg.connect(shared.url) as other:
        with pytest.raises(ServiceDown):
            vanish(other)
        other.commit()
    assert blog_keys(served) == ["wanted"]


def test_a_server_that_crashes_keeps_what_was_acknowledged(tmp_path):
    with services.postgres() as server:
        place = Place(folder=tmp_path / "archive", url=server.url())
        with place.open() as archive:
            blog = archive.blogs.add(HOME, scope="path").id
            with archive.lock(blog):
                archive.commit([some.post_visit(blog, HOME + "a")])
                server.restart("immediate")
        with place.open() as archive:
            assert [post.url for post in archive.posts()] == [HOME + "a"]
            assert archive.search.count("word7") == 1


# Texts and limits


def test_any_text_comes_back_the_same_from_every_database(place):
    with place.open() as archive:
        blog = archive.blogs.add(HOME + "é\u202e", scope="path").id
        archive.blogs.update(blog, title=ODD)
        with archive.lock(blog):
            media = (Media(url=HOME + "p.png", type=ODD),)
            archive.commit([some.page(
                blog, HOME + "a", outcome="post", note=ODD, reason=ODD,
                post=some.post(
                    HOME + "a", f"{LONG} {ODD}", title=ODD, authors=(ODD,), tags=(ODD,), summary=ODD, language=None,
                    media=media, comments=(Comment(id=ODD, author=ODD, text=ODD),),
                ),
            )])
            archive.hosts.cache({ODD: ODD})
            archive.blogs.change_state(blog, lambda state: replace(state, entries={ODD: ODD}, start_page=ODD))
            archive.blogs.end_run(archive.blogs.begin_run(blog, "crawl"), reason=ODD, counts={})
        [post] = archive.posts()
        said = {post.title, post.summary, *post.authors, *post.tags, post.comments[0].text, post.comments[0].author}
        assert said == {KEPT}
        assert post.text == f"{LONG} {KEPT}"
        assert archive.hosts.cached(ODD) == KEPT
        assert archive.blogs.state(blog) == BlogState(entries={ODD: ODD}, start_page=ODD)
        assert archive.blogs()[0].title == archive.blogs.runs(blog)[0].reason == KEPT
        assert next(archive.urls.notes(blog)) == (HOME + "a", KEPT)
        assert archive.search.count("title:abc") == archive.search.count("tag:🎉") == 1
        assert list(verify(archive)) == []


def test_a_very_long_post_is_stored_and_found(place):
    words = [f"w{number * 7_919 % 40_000:05}x" for number in range(380_000)]
    text = " ".join(["first", "words", *words, "last"])
    assert len(text) > 3_000_000
    with place.open() as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            archive.commit([some.page(blog, HOME + "a", outcome="post", post=some.post(
                HOME + "a", text, title="Long", comments=(Comment(author="Eve", text="herring"),),
            ))])
        for query in ('"first words"', "title:long", "herring", "w39999x", f"{words[200_000]} {words[10]}"):
            assert archive.search.count(query) == 1, query
        assert [post.text for post in archive.posts()] == [text]


def test_a_vector_stays_within_the_limits_of_the_server(served):
    every = " ".join(f"{number:06}" for number in range(200_000))
    long = "x" * 5_000 + " " + "あ" * 3_000
    card = Document(post_id=1, blog_id=1, text=every, title=long, comments="tide " * 1_000, authors="", tags="")
    with served.writing() as connection:
        served.search_index.write(connection, [card])
        for query, hits in (("x" * 5_000, 1), ("x" * (LONGEST_BYTES - 4) + "*", 1), ("000001", 1), ("199999", 0)):
            assert served.search_index.count(connection, ask(query), {}) == hits, query[:20]


def test_phrases_that_cannot_be_told_are_not_found_by_mistake(served):
    words = " ".join(f"w{number}" for number in range(LAST_PLACE + 10))
    card = Document(post_id=1, blog_id=1, text=words, title="", comments="", authors="", tags="")
    assert f":{LAST_PLACE}" not in vector(card)
    with served.writing() as connection:
        served.search_index.write(connection, [card])
        count = served.search_index.count
        assert count(connection, ask('"w16000 w16001"'), {}) == 1
        assert count(connection, ask(f"w{LAST_PLACE + 5}"), {}) == 1
        for query in (f'"w{LAST_PLACE + 4} w{LAST_PLACE + 5}"', f'"w{LAST_PLACE - 4} w{LAST_PLACE + 3}"'):
            assert count(connection, ask(query), {}) == 0


def test_a_search_in_one_blog_of_many_looks_at_few_rows(served):
    with served.writing() as connection:
        connection.exec_driver_sql(
            "insert into search select n, n %% 500 + 1, to_tsvector('simple', 'tide ' || n) from "
            "generate_series(1, 20000) n",
        )
        connection.exec_driver_sql("analyze search")
        [term] = ask("blog:x").wanted[0]
        found = served.search_index.find(connection, ask("blog:x tide"), {term: [5]}, limit=100, offset=0)
        assert len(found) == 40
        plan = connection.exec_driver_sql(
            "explain select 1 from search where words @@ 'tide'::tsquery and blog_id = any('{5}')",
        ).scalars()
        assert "search_of_blog" in " ".join(plan)


def test_an_address_of_any_length_is_queued_and_stored(place):
    addresses = [HOME + sha256(b"%d" % size).hexdigest() * (size // 64) for size in (1_400, 2_600, 9_000, 70_000)]
    with place.open() as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            archive.urls.enqueue(blog, [some.link(url, lane="post") for url in addresses])
            archive.commit([some.post_visit(blog, url, f"{len(url)} {LONG}") for url in addresses])
            archive.commit([some.media_visit(blog, f"{url}.png") for url in addresses])
        wait = Waited(
            reason="a" * 9_000, signal="é" * 9_000, seconds=1.0, first_at=some.START, last_at=some.START,
        )
        archive.hosts.note_waits({"a.example": [wait]})
        assert [post.url for post in archive.posts()] == addresses
        assert archive.posts.find(addresses[-1]).text == f"{len(addresses[-1])} {LONG}"
        assert list(verify(archive)) == []


# Other versions


def test_programs_that_make_the_tables_at_once_make_them_once(postgres_url):
    def make():
        database = PostgresDatabase(postgres_url)
        bring_up_to_date(database)
        database.close()

    with ThreadPoolExecutor(4) as threads:
        for made in [threads.submit(make) for _ in range(4)]:
            made.result(300)
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("select version_num from alembic_version").fetchall() == [(schema.HEAD,)]
        assert connection.execute("select count(*) from archive_state").fetchone() == (1,)


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_that_cannot_hold_every_script_is_refused(postgres_server, tmp_path, encoding):
    name = f"in_{encoding.lower()}"
    with psycopg.connect(f"{postgres_server.server_url}/postgres", autocommit=True) as connection:
        # Left there by this test, where it was run before on the same server.
        connection.execute(f"drop database if exists {name}")
        connection.execute(f"create database {name} encoding '{encoding}' locale 'C' template template0")
    place = Place(folder=tmp_path, url=f"{postgres_server.server_url}/{name}")
    with pytest.raises(UsageError, match="encoding 'UTF8' template template0"):
        place.open()


# Blogs that have the same


def test_the_same_page_in_other_blogs_is_not_looked_at(place):
    homes = [f"http://{name}.example/" for name in "abc"]
    with place.open() as archive:
        for home in homes:
            blog = archive.blogs.add(home, scope="path").id
            with archive.lock(blog):
                archive.commit([some.post_visit(blog, home + "1"), some.page(blog, home + "2")])
        blog = archive.blogs.find(homes[1]).id
        capture = archive.captures.find(blog, homes[1] + "1")
        wanted = [(blog, capture.url, capture.digest), (blog, "elsewhere", capture.digest)]
        assert {blog_id for blog_id, *_ in archive.captures.held_bodies(wanted)} == {blog}
        again = some.post_visit(blog, homes[1] + "other")
        with archive.backend.database.reading() as connection:
            known = known_posts(connection, [again], {0: write_post(again.post, {})})
        assert {post.blog_id for post in known.by_key.values()} == {blog}
        assert [key for key, *_ in known.by_content] == [blog]
    columns = {index.name: [column.name for column in index.columns] for index in schema.posts.indexes}
    assert columns["posts_by_content"] == ["content", "blog_id"]
