"""Replay from other stores: the database on PostgreSQL, the files in a folder or in an object store.

What is answered does not depend on where an archive is. SQLite with a folder is what the other tests here have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from archive import stores
from archive.places import Place
from archive.some_visits import HOME
from web.conftest import FILM, FILM_BYTES, FONT, PICTURE, PNG, POST, STYLE, filled, stamp
from web.served_archive import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from web.served_archive import Served

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def s3() -> Iterator[stores.S3]:
    with pytest.MonkeyPatch.context() as patched, stores.s3(patched) as server:
        yield server


@pytest.fixture(scope="module", params=["postgresql with a folder", "postgresql with an object store"])
def served(
    request: pytest.FixtureRequest, postgres_server, tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("stores")
    if "object" in request.param:
        request.getfixturevalue("s3")
        place: Place = stores.Bucket(folder=folder / "spool", url=postgres_server.url(), prefix="replay")
    else:
        place = Place(folder=folder / "archive", url=postgres_server.url())
    with place.open() as archive:
        filled(archive)
    with place.open(create=False) as archive, serving(archive) as running:
        yield running


def test_a_memento_is_shown_with_what_it_needs(served: Served):
    page = served.ask(f"/web/{stamp(10)}/{POST}")
    assert (page.status, page.headers["Memento-Datetime"]) == (200, "Sat, 11 May 2024 12:00:00 GMT")
    assert "Day 10" in page.text
    # What the page names, and is held, leads to its capture; and each of these answers.
    sheet, picture = f"/web/{stamp(0)}/{STYLE}", f"/web/{stamp(0)}/{PICTURE}"
    assert f'href="{served.replay}{sheet}"' in page.text
    assert f'src="{served.replay}{picture}"' in page.text
    assert served.ask(picture).body == PNG
    assert f'url("{served.replay}/web/{stamp(0)}/{FONT}")' in served.ask(sheet).text


def test_the_timegate_and_the_timemap_know_all_captures(served: Served):
    gate = served.ask(f"/timegate/{POST}", Accept_Datetime="Fri, 10 May 2024 00:00:00 GMT")
    assert (gate.status, gate.headers["Location"]) == (302, f"{served.replay}/web/{stamp(10)}/{POST}")
    found = served.ask(f"/timemap/link/{POST}").text
    assert [f"{served.replay}/web/{stamp(number)}/{POST}" in found for number in (0, 10, 20)] == [True] * 3


@pytest.mark.parametrize(("part", "expected"), [
    ("bytes=0-9", FILM_BYTES[:10]), ("bytes=1000000-1000099", FILM_BYTES[1_000_000:1_000_100]),
    ("bytes=-5", FILM_BYTES[-5:]),
])
def test_a_part_of_a_film_is_sent(served: Served, part, expected):
    answer = served.ask(f"/web/{stamp(0)}/{FILM}", Range=part)
    assert (answer.status, answer.body) == (206, expected)
    assert answer.headers["Content-Range"].endswith(f"/{len(FILM_BYTES)}")


def test_redirects_error_pages_and_bytes_as_stored_are_found(served: Served):
    assert served.ask(f"/web/{HOME}left").headers["Location"].endswith(f"/{POST}")
    gone = served.ask(served.ask(f"/web/{HOME}gone").headers["Location"].removeprefix(served.replay))
    assert (gone.status, "Not here" in gone.text) == (404, True)
    assert served.ask(f"/web/{stamp(0)}id_/{PICTURE}").body == PNG
    assert served.ask(f"/web/{HOME}nothing").status == 404


def test_the_interface_lists_the_blog_and_its_post(served: Served):
    assert "A blog &amp; more" in served.page("/").text
    assert served.page(f"/read/{POST}").status == 200
