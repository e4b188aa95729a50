"""Searching an archive: what is found, what is shown of it, and that the index keeps up with the posts."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import shutil
import signal
import sqlite3
import unicodedata
from contextlib import closing
from datetime import UTC, datetime

import pytest
import some_visits as some
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st
from some_visits import HOME, LONG
from sqlalchemy import create_engine

import kills
from everlog.archive import open_archive, searching
from everlog.archive.fts5 import Fts5Index
from everlog.archive.verify import verify
from everlog.errors import DamagedArchive, EverlogError, UsageError
from everlog.records import Comment
from everlog.search.asking import ask
from everlog.search.cards import card_of
from everlog.search.cutting import CUT

TRAIN, CAT, RAIN = HOME + "train", HOME + "cat", "http://b.example/notes/rain"


def visit(blog, url, text, *, at=0, **fields):
    answer = some.exchange(url, text.encode(), at=at)
    return some.page(blog, url, outcome="post", exchanges=(answer,), post=some.post(url, text, **fields))


def day(year, month=1, number=1):
    return datetime(year, month, number, tzinfo=UTC)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Three posts in two blogs; not to be changed."""
    folder = tmp_path_factory.mktemp("searched") / "archive"
    with open_archive(folder) as archive:
        first = archive.add_blog(HOME, scope="path").id
        second = archive.add_blog("http://b.example/notes/", scope="path").id
        archive.update_blog(second, title="Weather diary")
        with archive.lock(first), archive.lock(second):
            archive.commit([
                visit(
                    first, TRAIN, "We took the slow line to Łódź, all through the hills.\n\nIt was late.",
                    title="Night train", authors=("Ada Vale", "Bo Reed"), tags=("rail", "slow travel"),
                    published=day(2022, 5), comments=(
                        Comment(id="c1", author="Cleo", text="Was it cold?"),
                        Comment(id="c2", author="Dev", text="The heating failed, like every winter."),
                    ),
                ),
                visit(
                    first, CAT,
                    "今日は東京都で猫を見た。とてもかわいい猫でした。新しいiPhone手机です。 고양이는 예뻤다.",
                    title="東京の猫", authors=("山田花子",), tags=("猫",), published=day(2023, 6),
                ),
                visit(
                    second, RAIN, "Rain again. The train was late because of the rain, and the night was long.",
                    title="Rain", authors=("Vale Reed",), tags=("rain",), published=day(2024, 7, 1),
                ),
            ])
    return folder


@pytest.fixture
def searched(stored):
    with open_archive(stored) as archive:
        yield archive


@pytest.fixture
def archive(tmp_path):
    with open_archive(tmp_path / "archive") as opened:
        yield opened


@pytest.fixture
def blog(archive):
    number = archive.add_blog(HOME, scope="path").id
    with archive.lock(number):
        yield number


def found(archive, query):
    return [hit.url for hit in archive.search(query)]


@pytest.mark.parametrize(
    ("query", "urls"),
    [
        ("hills", [TRAIN]), ("HILLS slow", [TRAIN]), ("lodz", [TRAIN]), ("hills rain", []),
        ('"slow line"', [TRAIN]), ('"line slow"', []), ('"late because"', [RAIN]), ("hil*", [TRAIN]), ("hil", []),
        ("hills OR again", [TRAIN, RAIN]), ("late -rain", [TRAIN]), ("late NOT hills", [RAIN]),
        ("-late", [CAT]), ("-late -猫", []),
        ("title:rain", [RAIN]), ("title:late", []), ('title:"night train"', [TRAIN]),
        ("author:ada", [TRAIN]), ('author:"ada vale"', [TRAIN]), ("author:vale", [RAIN, TRAIN]),
        ('author:"vale bo"', []), ("author:山田", [CAT]), ("late author:ada", [TRAIN]), ("late -author:ada", [RAIN]),
        ("tag:rail", [TRAIN]), ("tag:slow", [TRAIN]), ('tag:"rail slow"', []), ("tag:猫", [CAT]),
        ("blog:b.example late", [RAIN]), ("blog:http://a.example/ late", [TRAIN]), ("blog:weather", [RAIN]),
        ("blog:example", [RAIN, CAT, TRAIN]), ("blog:nowhere late", []), ("-blog:b.example", [CAT, TRAIN]),
        ("blog:notes OR author:ada", [RAIN, TRAIN]), ("late -blog:b.example", [TRAIN]),
        ("late before:2023", [TRAIN]), ("late after:2023", [RAIN]), ("after:2022-06 before:2024", [CAT]),
        ("after:2024-07-01", [RAIN]), ("before:2024-07-01", [CAT, TRAIN]), ("after:2025", []),
        ("after:2023 -猫", [RAIN]), ("winter", [TRAIN]), ("cleo", [TRAIN]), ('"cold dev"', []),
    ],
)
def test_what_a_query_finds(searched, query, urls):
    assert sorted(found(searched, query)) == sorted(urls)
    assert searched.count_found(query) == len(urls)


@pytest.mark.parametrize(
    "query",
    ["猫", "京都", "東京", "東京都", "今日は東京都で猫を見た", "手机", "手", "iphone手", "iPhone 手机",
     "고양이", "양이", "고", '"見た。とても"', "かわいい -犬"],
)
def test_chinese_japanese_and_korean_are_found_by_any_part(searched, query):
    assert found(searched, query) == [CAT]


@pytest.mark.parametrize("query", ["京東", "犬", "東京で", "猫猫", "고이"])
def test_characters_in_another_order_are_not_found(searched, query):
    assert found(searched, query) == []


def test_without_words_the_newest_come_first(searched):
    assert found(searched, "blog:example") == found(searched, "-nothing") == [RAIN, CAT, TRAIN]


def test_the_title_weighs_more_than_the_text_and_the_text_more_than_comments(archive, blog):
    filler = " ".join(f"filler{number}" for number in range(50))
    archive.commit([
        visit(blog, f"{HOME}{number}", f"{filler} {number} {word}", title=title, comments=(Comment(text=comment),))
        for number, (title, word, comment) in enumerate([
            ("Other", "else", "the harbour"), ("Other", "harbour", "the sea"), ("Harbour", "else", "the sea"),
            *[("Other", "else", "the sea")] * 20,
        ])
    ])
    assert found(archive, "harbour") == [HOME + "2", HOME + "1", HOME + "0"]
    scores = [hit.score for hit in archive.search("harbour")]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0


def test_a_hit_says_all_that_is_needed_to_show_it(searched):
    [hit] = searched.search("lodz")
    assert (hit.url, hit.blog, hit.title) == (TRAIN, HOME, "Night train")
    assert (hit.authors, hit.published, hit.where) == (("Ada Vale", "Bo Reed"), day(2022, 5), "text")
    assert ("Łódź", True) in hit.snippet
    assert hit.marked_title == (("Night train", False),)
    assert hit.comment_id is hit.comment_author is None


def test_a_word_of_a_title_is_marked_there(searched):
    [hit] = searched.search("title:night")
    assert hit.where == "title"
    assert hit.marked_title == (("Night", True), (" train", False))


def test_a_found_comment_is_shown_with_its_author(searched):
    [hit] = searched.search("winter")
    assert (hit.where, hit.comment_id, hit.comment_author) == ("comment", "c2", "Dev")
    assert ("winter", True) in hit.snippet
    [by] = searched.search("cleo")
    assert (by.where, by.comment_id) == ("comment", "c1")


def test_hits_come_in_pages(searched):
    everything = found(searched, "late OR 猫")
    assert [hit.url for hit in searched.search("late OR 猫", limit=2)] == everything[:2]
    assert [hit.url for hit in searched.search("late OR 猫", limit=2, offset=2)] == everything[2:]
    assert searched.count_found("late OR 猫") == 3


@pytest.mark.parametrize("huge", [2**63 - 1, 2**63, 10**20])
def test_limits_and_offsets_may_be_of_any_size(searched, huge):
    assert len(searched.search("late OR 猫", limit=huge)) == len(searched.search("after:2000", limit=huge)) == 3
    assert len(searched.search("late OR 猫", limit=huge, offset=1)) == 2
    assert searched.search("late OR 猫", offset=huge) == searched.search("after:2000", limit=huge, offset=huge) == ()
    assert searched.search("late", limit=-huge) == ()


def test_a_date_that_is_none_is_an_error(searched):
    with pytest.raises(UsageError, match="is not a date"):
        searched.search("before:soon")


@given(st.text() | st.text('abc"-:*(){}^+ ORANDNEARtileuhg2024猫京', max_size=60))
def test_no_query_breaks_the_search(stored, query):
    with open_archive(stored) as archive:
        try:
            hits = archive.search(query)
        except EverlogError:
            return
        assert len(hits) == archive.count_found(query)


def index_of(text):
    """An index in memory that holds one post of this text."""
    engine = create_engine("sqlite://")
    connection = engine.connect()
    index = Fts5Index()
    index.make(connection)
    record = '{{"title": "", "text": {}, "comments": [], "authors": [], "tags": []}}'
    card = card_of(1, 1, record.format(json.dumps(text)))
    index.write(connection, [card])
    return engine, connection, index, card


def finds(connection, index, query):
    return index.count(connection, ask(query), {}) == 1


@given(st.lists(st.text(st.characters(categories=["Lu", "Ll", "Lo", "Nd"], exclude_characters="\u0345"), min_size=1),
                min_size=1, max_size=20))
@effort(max_examples=60)
def test_every_word_of_a_post_finds_it(words):
    engine, connection, index, _ = index_of(" ".join(words))
    missing = [word for word in words if not finds(connection, index, f'"{word}"')]
    connection.close()
    engine.dispose()
    assert missing == []


@given(st.text("あいうアイウ日本語東京都猫犬的我한국어사람กขคงจ。、 ab", min_size=1, max_size=40))
@effort(max_examples=60)
def test_every_part_of_a_text_without_blanks_finds_it(text):
    engine, connection, index, _ = index_of(text)
    runs = re.split("[。、 ab]+", text)
    parts = {run[start:end] for run in runs for start in range(len(run)) for end in range(start + 1, len(run) + 1)}
    missing = [part for part in parts if not finds(connection, index, part)]
    connection.close()
    engine.dispose()
    assert missing == []


@given(st.text(max_size=200))
@effort(max_examples=60)
def test_a_card_that_is_taken_out_leaves_nothing(text):
    engine, connection, index, card = index_of(text)
    index.remove(connection, [card])
    left = connection.exec_driver_sql("select count(*) from search_docsize").scalar()
    connection.exec_driver_sql("create virtual table words using fts5vocab(search, row)")
    left += connection.exec_driver_sql("select count(*) from words").scalar()
    connection.close()
    engine.dispose()
    assert left == 0


def test_a_new_version_takes_the_place_of_the_old_one(archive, blog):
    comment = (Comment(text="the tide"),)
    archive.commit([visit(blog, TRAIN, f"{LONG} herring", title="First", comments=comment)])
    later = (Comment(text="the shore"),)
    archive.commit([visit(blog, TRAIN, f"{LONG} mackerel", title="Second", at=1, comments=later)])
    assert found(archive, "mackerel second") == [TRAIN]
    for word in ("herring", "first", "tide"):
        assert found(archive, word) == []
    assert archive.search("word7")[0].title == "Second"
    assert list(verify(archive)) == []


def test_two_versions_in_one_batch_leave_the_last(archive, blog):
    archive.commit([
        visit(blog, TRAIN, f"{LONG} herring"), visit(blog, TRAIN, f"{LONG} mackerel", at=1),
        visit(blog, TRAIN, f"{LONG} salmon", at=2),
    ])
    archive.commit([visit(blog, TRAIN, f"{LONG} sprat", at=3), visit(blog, TRAIN, f"{LONG} eel", at=4)])
    assert found(archive, "eel") == [TRAIN]
    assert archive.count_found("herring OR mackerel OR salmon OR sprat") == 0


def test_the_same_text_again_and_another_address_of_it_are_found_once(archive, blog):
    for number, url in enumerate((TRAIN, TRAIN, HOME + "copy")):
        archive.commit([visit(blog, url, LONG, at=number)])
    assert found(archive, "word7") == [TRAIN]


def test_comments_that_come_later_are_found(archive, blog):
    archive.commit([visit(blog, TRAIN, LONG)])
    archive.commit([visit(blog, TRAIN, LONG, at=1, comments=(Comment(author="Eve", text="herring"),))])
    assert archive.search("herring")[0].comment_author == "Eve"


def as_of_revision_2(folder):
    """The archive as everlog left it before there was an index, and a watch."""
    later = {"blogs": ("gone", "gone_at", "former_homes"), "posts": ("gone_at", "missing_since", "missing_tries")}
    with closing(sqlite3.connect(folder / "everlog.sqlite")) as database:
        for table in ("polls", "rechecks", "templates", "events", "hosts", "waits"):
            database.execute(f"drop table {table}")
        for table, columns in later.items():
            for column in columns:
                database.execute(f"alter table {table} drop column {column}")
        for statement in ("drop table search", "drop table indexed", "delete from remembered where name = 'search'",
                          "update alembic_version set version_num = '0002'"):
            database.execute(statement)
        database.commit()


def test_an_older_archive_is_indexed_by_its_first_search(stored, tmp_path):
    folder = shutil.copytree(stored, tmp_path / "old")
    as_of_revision_2(folder)
    with open_archive(folder) as archive:
        assert list(verify(archive)) == []
        assert archive.count_not_indexed() == 3
        assert found(archive, "hills") == [TRAIN]
        assert archive.count_not_indexed() == 0
    with open_archive(folder) as archive:
        told = []
        assert archive.index_posts(told.append) == 0
        assert told == []
        assert archive.count_found("blog:example") == 3


def test_an_older_archive_that_is_crawled_before_it_is_searched_lacks_nothing(stored, tmp_path):
    folder = shutil.copytree(stored, tmp_path / "old")
    as_of_revision_2(folder)
    with open_archive(folder) as archive:
        blog = archive.find_blog(HOME).id
        with archive.lock(blog):
            archive.commit([visit(blog, TRAIN, f"{LONG} herring", at=9), visit(blog, HOME + "new", "sprat", at=9)])
        told = []
        archive.index_posts(told.append)
        assert told == ["a.example/cat", "b.example/notes/rain"]
        assert found(archive, "herring") == [TRAIN]
        assert found(archive, "hills") == []
        assert archive.count_found("猫 OR sprat OR again") == 3


def test_an_index_of_other_pieces_is_made_anew(stored, tmp_path):
    folder = shutil.copytree(stored, tmp_path / "other")
    for first_it_is_written in (False, True):
        with closing(sqlite3.connect(folder / "everlog.sqlite")) as database:
            database.execute("update remembered set value = '0' where name = 'search'")
            database.execute("insert into search(search, rowid, text) values ('delete', 1, 'hills')")
            database.commit()
        with open_archive(folder) as archive:
            if first_it_is_written:
                blog = archive.find_blog(HOME).id
                with archive.lock(blog):
                    archive.commit([visit(blog, CAT, f"{LONG} herring", at=9)])
            assert archive.count_not_indexed() == (2 if first_it_is_written else 3)
            assert found(archive, "hills") == [TRAIN]
            assert list(verify(archive)) == []


def state(folder):
    with closing(sqlite3.connect(folder / "everlog.sqlite")) as database:
        return database.execute("select value from remembered where name = 'search'").fetchone()[0]


@pytest.mark.parametrize("other", [str(CUT), f"{CUT}/1.1.0", f"{CUT}/1.1.0 filling"])
@pytest.mark.parametrize("is_written_first", [False, True])
def test_an_index_made_with_another_unicode_is_made_anew(stored, tmp_path, other, is_written_first):
    folder = shutil.copytree(stored, tmp_path / "other")
    assert state(folder) == f"{CUT}/{unicodedata.unidata_version}"
    with closing(sqlite3.connect(folder / "everlog.sqlite")) as database:
        database.execute("update remembered set value = ? where name = 'search'", (other,))
        # As the other one has cut a text: to take out what this one cuts would leave it behind.
        database.execute("insert into search(rowid, text) values (1, 'leftover')")
        database.commit()
    with open_archive(folder) as archive:
        if is_written_first:
            blog = archive.find_blog(HOME).id
            with archive.lock(blog):
                archive.commit([visit(blog, TRAIN, f"{LONG} herring", at=9)])
        assert archive.count_not_indexed() == (2 if is_written_first else 3)
        assert found(archive, "herring" if is_written_first else "hills") == [TRAIN]
        assert found(archive, "leftover") == []
        assert archive.count_found("blog:example") == 3
        assert list(verify(archive)) == []
    assert state(folder) == f"{CUT}/{unicodedata.unidata_version}"


def test_an_index_that_is_emptied_while_it_is_filled_lacks_nothing(stored, tmp_path, monkeypatch):
    folder = shutil.copytree(stored, tmp_path / "emptied")
    monkeypatch.setattr(searching, "GROUP", 1)
    monkeypatch.setattr(searching, "AT_ONCE", 1)
    with open_archive(folder) as archive, open_archive(folder) as other:
        archive.forget_index()
        told = []

        def step(key):
            told.append(key)
            if len(told) == 2:
                other.forget_index()

        archive.index_posts(step)
        assert list(verify(archive)) == []
        assert archive.count_found("late OR 猫") == 3


def fill_and_die(folder, deaths):
    searching.GROUP, searching.AT_ONCE = 5, 2
    left = deaths

    def step(_key):
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    with open_archive(folder) as archive:
        archive.index_posts(step)


def test_filling_that_is_killed_goes_on_where_it_was(tmp_path):
    with open_archive(tmp_path) as archive:
        blog = archive.add_blog(HOME, scope="path").id
        with archive.lock(blog):
            archive.commit([visit(blog, f"{HOME}{number}", f"{LONG} {number}") for number in range(23)])
        archive.forget_index()
    for left in (17, 11, 5):
        child = multiprocessing.get_context("forkserver").Process(target=fill_and_die, args=(tmp_path, 3))
        child.start()
        child.join()
        assert child.exitcode == -signal.SIGKILL
        with open_archive(tmp_path) as archive:
            assert archive.count_not_indexed() == left
            assert list(verify(archive)) == []
    with open_archive(tmp_path) as archive:
        assert archive.count_found("word7") == 23
        assert archive.count_not_indexed() == 0


@pytest.mark.parametrize("point", ["transaction-open", "transaction-half", "transaction-full", "committed"])
def test_after_a_kill_exactly_what_is_stored_is_found(point, tmp_path):
    folder, acknowledged = tmp_path / "archive", tmp_path / "acknowledged"
    for passage in (4, 5):
        assert kills.killed_at(folder, acknowledged, point=point, passage=passage, group=3)
        with open_archive(folder) as archive:
            posts = {post.url: post for post in archive.posts()}
            assert posts
            assert {hit.url for hit in archive.search("word7", limit=100)} == set(posts)
            for word in ("edited", "moved"):
                holding = {url for url, post in posts.items() if word in post.text}
                assert {hit.url for hit in archive.search(word, limit=100)} == holding
            assert archive.count_not_indexed() == 0


def test_verify_sees_posts_that_searching_cannot_find(stored, tmp_path):
    folder = shutil.copytree(stored, tmp_path / "lacking")
    with closing(sqlite3.connect(folder / "everlog.sqlite")) as database:
        database.execute("delete from indexed where post_id = 2")
        database.execute("update indexed set version = 7 where post_id = 3")
        database.execute("delete from search_docsize where id = 1")
        database.commit()
    with open_archive(folder) as archive:
        wrong = list(verify(archive))
        assert [(each.kind, each.where) for each in wrong] == [
            ("search", "a.example/cat"), ("search", "b.example/notes/rain"), ("search", "a.example/train"),
        ]
        assert "everlog search --rebuild" in wrong[0].text
        archive.forget_index()
        archive.index_posts()
        assert list(verify(archive)) == []
        assert archive.count_found("blog:example") == 3


def test_a_damaged_index_is_said_to_be_one_and_can_be_made_anew(stored, tmp_path):
    folder = shutil.copytree(stored, tmp_path / "damaged")
    with closing(sqlite3.connect(folder / "everlog.sqlite")) as database:
        database.execute("update search_data set block = x'00ff00ff' where id > 10")
        database.commit()
    with open_archive(folder) as archive:
        with pytest.raises(DamagedArchive, match="everlog search --rebuild"):
            archive.search("hills")
        archive.forget_index()
        assert found(archive, "hills") == [TRAIN]
