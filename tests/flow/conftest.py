"""The site after its first crawl, for all tests that begin there: crawled once, and a copy for each."""

from __future__ import annotations

import shutil
from copy import deepcopy
from typing import TYPE_CHECKING

import pytest

from everlog.archive import open_archive
from everlog.archive.archive import Habits
from flow.a_site import a_site, crawl

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from flow.a_web import MemoryWeb

HABITS = Habits(min_free_bytes=0)


@pytest.fixture(scope="session")
def first_crawl(tmp_path_factory: pytest.TempPathFactory) -> tuple[MemoryWeb, Path]:
    """The site, and the archive of one crawl of it, closed; not to be changed."""
    web, folder = a_site(), tmp_path_factory.mktemp("crawled") / "archive"
    with open_archive(folder, create=True, habits=HABITS) as archive:
        crawl(web, archive)
    return web, folder


@pytest.fixture
def crawled(first_crawl: tuple[MemoryWeb, Path], tmp_path: Path) -> Iterator[tuple[MemoryWeb, Archive]]:
    """The site and its archive after one crawl, both the test's own."""
    web, folder = first_crawl
    with open_archive(shutil.copytree(folder, tmp_path / "archive"), create=False, habits=HABITS) as archive:
        yield deepcopy(web), archive
