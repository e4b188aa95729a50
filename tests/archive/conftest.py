"""One suite for every kind of archive: what a store promises, it promises on each database.

Every day all of it runs on SQLite, and on PostgreSQL the contract: the tests of `CONTRACT`. The others on PostgreSQL
and on object storage are marked `slow`.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from places import KINDS, Place

if TYPE_CHECKING:
    from collections.abc import Callable

    from services import Postgres

FOLDER = Path(__file__).parent
CONTRACT = frozenset({"test_archive.py", "test_postgres.py"})
SERVERS = frozenset({"postgres_server", "s3"})


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == FOLDER and item.path.name not in CONTRACT and _needs_server(item):
            item.add_marker(pytest.mark.slow)


def _needs_server(item: pytest.Item) -> bool:
    if not isinstance(item, pytest.Function):
        return False
    chosen = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return "postgresql" in chosen or not SERVERS.isdisjoint(item.fixturenames)


@pytest.fixture(scope="session")
def emptied(postgres_server: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Place]:
    """An archive on the shared server, the same one each time, without anything in it."""
    url = postgres_server.url("emptied")
    Place(folder=tmp_path_factory.mktemp("made"), url=url).open().close()

    def again(folder: Path) -> Place:
        place = Place(folder=folder, url=url)
        place.empty()
        return place

    return again


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Where a new archive is, of each kind in turn."""
    folder = tmp_path / "archive"
    if request.param == "sqlite":
        return Place(folder=folder)
    made: Place = request.getfixturevalue("emptied")(folder)
    return made


@pytest.fixture
def copied(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Place], Place]:
    """Makes copies of archives, with which a test may do what it likes."""

    def copy(place: Place) -> Place:
        folder = shutil.copytree(place.folder, tmp_path / "copied")
        if place.url is None:
            return Place(folder=folder)
        server: Postgres = request.getfixturevalue("postgres_server")
        copied = Place(folder=folder, url=server.url(template=place.url.rpartition("/")[2]))
        # An archive knows where its files are.
        copied.change(f"update archive_state set value = '{folder}' where value = '{place.folder}'")  # noqa: S608 - our own
        return copied

    return copy


@pytest.fixture
def shared(emptied: Callable[[Path], Place], tmp_path: Path) -> Place:
    """Where a new archive on a server is."""
    return emptied(tmp_path / "archive")
