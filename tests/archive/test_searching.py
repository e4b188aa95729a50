"""Searching an archive: what is found, what is shown of it, and that the index keeps up with the posts."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import re
import signal
import unicodedata
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

import kill_runs
import pytest
import some_visits as some
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st
from places import KINDS, Place
from some_visits import HOME, LONG
from sqlalchemy import create_engine, event

from archive.older import UNDO_REVISION_7
from everlog.archive.db.postgres import PostgresDatabase
from everlog.archive.db.sqlite_search import Fts5Index
from everlog.archive.repos import search_index as searching
from everlog.archive.verify import verify
from everlog.errors import DamagedArchive, EverlogError, UsageError
from everlog.records import Comment
from everlog.search.document import document_of
from everlog.search.query import ask
from everlog.search.tokenize import CUT

TRAIN, CAT, RAIN = HOME + "train", HOME + "cat", "http://b.example/notes/rain"


def visit(blog, url, text, *, at=0, **fields):
    answer = some.exchange(url, text.encode(), at=at)
    return some.page(blog, url, outcome="post", exchanges=(answer,), post=some.post(url, text, **fields))


def day(year, month=1, number=1):
    return datetime(year, month, number, tzinfo=UTC)


@pytest.fixture(scope="module", params=KINDS)
def stored(request, tmp_path_factory):
    """Three posts in two blogs; not to be changed."""
    url = None if request.param == "sqlite" else request.getfixturevalue("postgres_server").url()
    place = Place(folder=tmp_path_factory.mktemp("searched") / "archive", url=url)
    with place.open() as archive:
        store_three(archive)
    return place


def store_three(archive):
    first = archive.blogs.add(HOME, scope="path").id
    second = archive.blogs.add("http://b.example/notes/", scope="path").id
    archive.blogs.update(second, title="Weather diary")
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


@pytest.fixture
def searched(stored):
    with stored.open() as archive:
        yield archive


@pytest.fixture
def archive(place):
    with place.open() as opened:
        yield opened


@pytest.fixture
def blog(archive):
    number = archive.blogs.add(HOME, scope="path").id
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
    assert searched.search.count(query) == len(urls)


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
    assert searched.search.count("late OR 猫") == 3


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
    with stored.open() as archive:
        try:
            hits = archive.search(query)
        except EverlogError:
            return
        assert len(hits) == archive.search.count(query)


@pytest.fixture(scope="module", params=KINDS)
def index(request):
    """An index with no archive around it, and the connection it is on."""
    if request.param == "sqlite":
        engine, made = create_engine("sqlite://"), Fts5Index()
    else:
        database = PostgresDatabase(request.getfixturevalue("postgres_server").url())
        engine, made = database.engine, database.search_index
    with engine.connect() as connection:
        made.make(connection)
        connection.commit()
        yield made, connection
    engine.dispose()


def card(text, *, number=1, **fields):
    record = {"title": "", "text": text, "comments": [], "authors": [], "tags": [], **fields}
    return document_of(number, 1, json.dumps(record))


@contextmanager
def index_of(index, text):
    """Asks an index that holds one post of this text whether it finds it."""
    made, connection = index
    made.write(connection, [card(text)])
    yield lambda query: made.count(connection, ask(query), {}) == 1
    made.remove(connection, [card(text)])
    connection.commit()


@given(st.lists(st.text(st.characters(categories=["Lu", "Ll", "Lo", "Nd"], exclude_characters="\u0345"), min_size=1),
                min_size=1, max_size=20))
@effort(max_examples=60)
def test_every_word_of_a_post_finds_it(index, words):
    with index_of(index, " ".join(words)) as finds:
        missing = [word for word in words if not finds(f'"{word}"')]
    assert missing == []


@given(st.text("あいうアイウ日本語東京都猫犬的我한국어사람กขคงจ。、 ab", min_size=1, max_size=40))
@effort(max_examples=60)
def test_every_part_of_a_text_without_blanks_finds_it(index, text):
    runs = re.split("[。、 ab]+", text)
    parts = {run[start:end] for run in runs for start in range(len(run)) for end in range(start + 1, len(run) + 1)}
    with index_of(index, text) as finds:
        missing = [part for part in parts if not finds(part)]
    assert missing == []


@given(st.text(max_size=200))
@effort(max_examples=60)
def test_a_card_that_is_taken_out_leaves_nothing(text):
    engine = create_engine("sqlite://")
    connection, made = engine.connect(), Fts5Index()
    made.make(connection)
    made.write(connection, [card(text)])
    made.remove(connection, [card(text)])
    left = connection.exec_driver_sql("select count(*) from search_docsize").scalar()
    connection.exec_driver_sql("create virtual table words using fts5vocab(search, row)")
    left += connection.exec_driver_sql("select count(*) from words").scalar()
    connection.close()
    engine.dispose()
    assert left == 0


def made_cards(chance):
    """Posts of many lengths, each about some words more than others."""
    words = [f"w{number}" for number in range(600)]
    often = [1 / (number + 1) for number in range(600)]
    for number in range(1, 201):
        about = chance.sample(words[50:300], 3)
        body = chance.choices(words, often, k=int(chance.lognormvariate(5, 0.7))) + about * chance.randrange(1, 6)
        chance.shuffle(body)
        said = " ".join(chance.choices(words, often, k=20))
        yield card(
            " ".join(body), number=number, title=" ".join([*chance.choices(words, often, k=3), about[0]]),
            comments=[{"author": None, "text": said}], tags=[about[1]],
        )


def test_what_fits_best_is_the_same_on_every_database(postgres_server):
    chance = random.Random(5)  # noqa: S311 - not a secret
    cards = list(made_cards(chance))
    words = [f"w{number}" for number in range(30, 300)]
    asked = [chance.choice([" ", " OR "]).join(chance.sample(words, chance.choice([1, 2]))) for _ in range(80)]
    engine, database = create_engine("sqlite://"), PostgresDatabase(postgres_server.url())
    with engine.connect() as one, database.writing() as other:
        both = ((Fts5Index(), one), (database.search_index, other))
        for made, connection in both:
            made.make(connection)
            made.write(connection, cards)
        agreed = ranked = 0
        for query in asked:
            first, second = ([number for number, _ in made.find(connection, ask(query), {}, limit=200, offset=0)]
                             for made, connection in both)
            assert set(first) == set(second)
            if len(first) > 1:
                ranked += 1
                agreed += first[0] == second[0]
                assert first[0] in second[:5]
    engine.dispose()
    database.close()
    assert ranked > 50
    assert agreed / ranked > 0.9


def test_parts_of_a_long_list_of_hits_fit_together(served_index):
    made, connection = served_index
    made.write(connection, [
        card("tide " * (number % 9 + 1) + "sea " * (number % 5), number=number) for number in range(1, 301)
    ])
    whole = made.find(connection, ask("tide"), {}, limit=1_000, offset=0)
    assert len({number for number, _ in whole}) == 300
    assert [score for _, score in whole] == sorted((score for _, score in whole), reverse=True)
    parts = [made.find(connection, ask("tide"), {}, limit=70, offset=offset) for offset in range(0, 350, 70)]
    assert [number for part in parts for number, _ in part] == [number for number, _ in whole]


@pytest.fixture
def served_index(postgres_url):
    database = PostgresDatabase(postgres_url)
    with database.writing() as connection:
        database.search_index.make(connection)
        yield database.search_index, connection
    database.close()


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
    assert archive.search.count("herring OR mackerel OR salmon OR sprat") == 0


def test_the_same_text_again_and_another_address_of_it_are_found_once(archive, blog):
    for number, url in enumerate((TRAIN, TRAIN, HOME + "copy")):
        archive.commit([visit(blog, url, LONG, at=number)])
    assert found(archive, "word7") == [TRAIN]


def test_comments_that_come_later_are_found(archive, blog):
    archive.commit([visit(blog, TRAIN, LONG)])
    archive.commit([visit(blog, TRAIN, LONG, at=1, comments=(Comment(author="Eve", text="herring"),))])
    assert archive.search("herring")[0].comment_author == "Eve"


def as_of_revision_2(place):
    """The archive as everlog left it before there was an index, a watch, and a fleet."""
    tables = ("leases", "grants", "jobs", "turns", "workers", "polls", "rechecks", "templates", "events", "hosts",
              "waits", "search", "indexed")
    later = {"blogs": ("gone", "gone_at", "former_homes"), "posts": ("gone_at", "missing_since", "missing_tries")}
    place.change(
        *UNDO_REVISION_7, *(f"drop table {table}" for table in tables),
        *(f"drop index {name}" for name in ("urls_of_blog", "aliases_of_blog", "media_of_blog")),
        *(f"alter table {table} drop column {column}" for table, columns in later.items() for column in columns),
        "delete from remembered where name = 'search'", "update alembic_version set version_num = '0002'",
    )


def test_an_older_archive_is_indexed_by_its_first_search(stored, copied):
    old = copied(stored)
    as_of_revision_2(old)
    with old.open() as archive:
        assert list(verify(archive)) == []
        assert archive.search.count_not_indexed() == 3
        assert found(archive, "hills") == [TRAIN]
        assert archive.search.count_not_indexed() == 0
    with old.open() as archive:
        told = []
        assert archive.search.index(told.append) == 0
        assert told == []
        assert archive.search.count("blog:example") == 3


def test_an_older_archive_that_is_crawled_before_it_is_searched_lacks_nothing(stored, copied):
    old = copied(stored)
    as_of_revision_2(old)
    with old.open() as archive:
        blog = archive.blogs.find(HOME).id
        with archive.lock(blog):
            archive.commit([visit(blog, TRAIN, f"{LONG} herring", at=9), visit(blog, HOME + "new", "sprat", at=9)])
        told = []
        archive.search.index(told.append)
        assert told == ["a.example/cat", "b.example/notes/rain"]
        assert found(archive, "herring") == [TRAIN]
        assert found(archive, "hills") == []
        assert archive.search.count("猫 OR sprat OR again") == 3


def test_an_index_of_other_pieces_is_made_anew(stored, copied):
    other = copied(stored)
    without_hills = (
        "update search set words = ts_delete(words, 'hills')" if other.is_shared
        else "insert into search(search, rowid, text) values ('delete', 1, 'hills')"
    )
    for first_it_is_written in (False, True):
        other.change("update archive_state set value = '0' where name = 'search'", without_hills)
        with other.open() as archive:
            if first_it_is_written:
                blog = archive.blogs.find(HOME).id
                with archive.lock(blog):
                    archive.commit([visit(blog, CAT, f"{LONG} herring", at=9)])
            assert archive.search.count_not_indexed() == (2 if first_it_is_written else 3)
            assert found(archive, "hills") == [TRAIN]
            assert list(verify(archive)) == []


def state(place):
    return place.rows("select value from archive_state where name = 'search'")[0][0]


@pytest.mark.parametrize("other", [str(CUT), f"{CUT}/1.1.0", f"{CUT}/1.1.0 filling"])
@pytest.mark.parametrize("is_written_first", [False, True])
@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_an_index_made_with_another_unicode_is_made_anew(place, other, is_written_first):
    """Rows of PostgreSQL are taken out whole, whoever cut them: the next test."""
    with place.open() as archive:
        store_three(archive)
    assert state(place) == f"{CUT}/{unicodedata.unidata_version}"
    # As the other one has cut a text: to take out what this one cuts would leave it behind.
    place.change(
        f"update archive_state set value = '{other}' where name = 'search'",  # noqa: S608 - our own text
        "insert into search(rowid, text) values (1, 'leftover')",
    )
    with place.open() as archive:
        if is_written_first:
            blog = archive.blogs.find(HOME).id
            with archive.lock(blog):
                archive.commit([visit(blog, TRAIN, f"{LONG} herring", at=9)])
        assert archive.search.count_not_indexed() == (2 if is_written_first else 3)
        assert found(archive, "herring" if is_written_first else "hills") == [TRAIN]
        assert found(archive, "leftover") == []
        assert archive.search.count("blog:example") == 3
        assert list(verify(archive)) == []
    assert state(place) == f"{CUT}/{unicodedata.unidata_version}"


def test_a_fleet_of_several_pythons_shares_one_index(shared):
    with shared.open() as archive:
        store_three(archive)
        assert state(shared) == str(CUT)
        blog = archive.blogs.find(HOME).id
        with archive.lock(blog):
            archive.commit([visit(blog, TRAIN, f"{LONG} herring", at=9)])
        assert (found(archive, "herring"), found(archive, "hills")) == ([TRAIN], [])
        assert archive.search.count_not_indexed() == 0


def test_an_index_that_is_emptied_while_it_is_filled_lacks_nothing(stored, copied, monkeypatch):
    place = copied(stored)
    monkeypatch.setattr(searching, "GROUP", 1)
    monkeypatch.setattr(searching, "AT_ONCE", 1)
    with place.open() as archive, place.open() as other:
        archive.search.forget()
        told = []

        def step(key):
            told.append(key)
            if len(told) == 2:
                other.search.forget()

        archive.search.index(step)
        assert list(verify(archive)) == []
        assert archive.search.count("late OR 猫") == 3


def fill_and_die(place, deaths):
    searching.GROUP, searching.AT_ONCE = 5, 2
    left = deaths

    def step(_key):
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    with place.open() as archive:
        archive.search.index(step)


def test_filling_that_is_killed_goes_on_where_it_was(place):
    with place.open() as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            archive.commit([visit(blog, f"{HOME}{number}", f"{LONG} {number}") for number in range(23)])
        archive.search.forget()
    for left in (17, 11, 5):
        child = multiprocessing.get_context("forkserver").Process(target=fill_and_die, args=(place, 3))
        child.start()
        child.join()
        assert child.exitcode == -signal.SIGKILL
        with place.open() as archive:
            assert archive.search.count_not_indexed() == left
            assert list(verify(archive)) == []
    with place.open() as archive:
        assert archive.search.count("word7") == 23
        assert archive.search.count_not_indexed() == 0


@pytest.mark.parametrize("point", ["transaction-open", "transaction-half", "transaction-full", "committed"])
def test_after_a_kill_exactly_what_is_stored_is_found(point, place, tmp_path):
    acknowledged = tmp_path / "acknowledged"
    for passage in (4, 5):
        assert kill_runs.killed_at(place, acknowledged, point=point, passage=passage, group=3)
        with place.open() as archive:
            posts = {post.url: post for post in archive.posts()}
            assert posts
            assert {hit.url for hit in archive.search("word7", limit=100)} == set(posts)
            for word in ("edited", "moved"):
                holding = {url for url, post in posts.items() if word in post.text}
                assert {hit.url for hit in archive.search(word, limit=100)} == holding
            assert archive.search.count_not_indexed() == 0


def test_verify_sees_posts_that_searching_cannot_find(stored, copied):
    lacking = copied(stored)
    lacking.change(
        "delete from indexed where post_id = 2", "update indexed set version = 7 where post_id = 3",
        "delete from search where post_id = 1" if lacking.is_shared else "delete from search_docsize where id = 1",
    )
    with lacking.open() as archive:
        wrong = list(verify(archive))
        assert [(each.kind, each.where) for each in wrong] == [
            ("search", "a.example/cat"), ("search", "b.example/notes/rain"), ("search", "a.example/train"),
        ]
        assert "everlog search --rebuild" in wrong[0].text
        archive.search.forget()
        archive.search.index()
        assert list(verify(archive)) == []
        assert archive.search.count("blog:example") == 3


def test_a_damaged_index_is_said_to_be_one_and_can_be_made_anew(tmp_path):
    place = Place(folder=tmp_path)
    with place.open() as archive:
        store_three(archive)
    place.change("update search_data set block = x'00ff00ff' where id > 10")
    with place.open() as archive:
        with pytest.raises(DamagedArchive, match="everlog search --rebuild"):
            archive.search("hills")
        archive.search.forget()
        assert found(archive, "hills") == [TRAIN]


# Long posts, and programs of another day


@contextmanager
def statements_of(archive):
    """The statements of an archive as they run: their beginnings, and how many rows each has."""
    told = []

    def tell(_connection, _cursor, statement, parameters, _context, is_many):
        told.append((statement, len(parameters) if is_many else 1))

    event.listen(archive.backend.database.engine, "before_cursor_execute", tell)
    try:
        yield told
    finally:
        event.remove(archive.backend.database.engine, "before_cursor_execute", tell)


def written_to(told, table):
    return [count for statement, count in told if statement.startswith(f"insert into {table}")]


def test_cards_of_long_posts_are_written_few_at_a_time(place, archive, blog, monkeypatch):
    monkeypatch.setattr(searching, "PORTION_CHARACTERS", 5_000)
    texts = [f"herring {number} {LONG} " * 3 for number in range(12)]
    with statements_of(archive) as told:
        archive.commit([visit(blog, f"{HOME}{number}", text) for number, text in enumerate(texts)])
    assert len(written_to(told, "search")) >= 6
    assert sum(written_to(told, "search")) == archive.search.count("herring") == 12
    assert not any("idle_in_transaction" in statement for statement, _ in told)
    archive.search.forget()
    monkeypatch.setattr(searching, "GROUP_CHARACTERS", 1)
    monkeypatch.setattr(searching, "AT_ONCE", 4)
    monkeypatch.setattr(searching, "PORTION_CHARACTERS", 1_000)
    with statements_of(archive) as told:
        assert archive.search.index() == 12
    assert written_to(told, "search") == [1] * 12
    # Each of these posts is longer than what is done in no time.
    assert any("idle_in_transaction" in statement for statement, _ in told) == place.is_shared
    assert archive.search.count("herring") == 12


@pytest.mark.slow
def test_a_server_that_ends_silent_transactions_waits_for_the_card_of_a_very_long_post(shared, monkeypatch):
    impatient = replace(shared, url=f"{shared.url}?options=-c%20idle_in_transaction_session_timeout%3D3s")
    monkeypatch.setattr(searching, "PORTION_CHARACTERS", 1_000)

    def slow_card(*about):
        # Another connection's time, and so long that the server would have ended ours.
        assert shared.rows("select pg_sleep(4)")
        return document_of(*about)

    monkeypatch.setattr(searching, "document_of", slow_card)
    with impatient.open() as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            archive.commit([visit(blog, HOME + "a", "海の見える町" * 200)])
        archive.search.forget()
        assert archive.search.index() == 1
        assert archive.search.count("見える") == 1


def test_an_older_program_leaves_a_newer_index_to_newer_programs(stored, copied):
    place = copied(stored)
    newer = state(place).replace(str(CUT), str(CUT + 1), 1)
    place.change(f"update archive_state set value = '{newer}' where name = 'search'")  # noqa: S608 - our own text
    with place.open() as archive:
        assert archive.search.count_not_indexed() == archive.search.index() == 0
        assert found(archive, "hills") == [TRAIN]
        assert state(place) == newer
        blog = archive.blogs.find(HOME).id
        for at in (9, 10):
            with archive.lock(blog):
                archive.commit([visit(blog, TRAIN, f"{LONG} herring {at}", at=at)])
            assert state(place) == f"{newer} filling"
        assert archive.search.index() == 0
        assert list(verify(archive)) == []
    assert place.rows("select version from indexed order by post_id")[0] == (1,)
    # The newer program, as which this one is taken now, finds what lacks.
    place.change(f"update archive_state set value = '{newer.replace(str(CUT + 1), str(CUT), 1)} filling' "  # noqa: S608
                 "where name = 'search'")
    with place.open() as archive:
        assert archive.search.index() == 1
        assert found(archive, "herring") == [TRAIN]
        assert found(archive, "hills") == []
        assert list(verify(archive)) == []
