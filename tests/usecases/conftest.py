"""Sites after their first crawl, for all tests that begin there: crawled once, and a copy for each."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from copy import deepcopy
from typing import TYPE_CHECKING

import pytest

from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from usecases.a_site import a_site, crawl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from usecases.a_web import MemoryWeb

OPTIONS = ArchiveOptions(min_free_bytes=0)


Crawled = tuple["MemoryWeb", "Archive"]


class FirstCrawls:
    """Sites, and the archive of one crawl of each: made when first asked for, and handed out as copies."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: dict[str, MemoryWeb] = {}

    @contextmanager
    def copy(self, name: str, make: Callable[[Archive], MemoryWeb], folder: Path) -> Iterator[Crawled]:
        """A site and its archive, both the caller's own; `make` crawls the first and gives the site."""
        kept = self._folder / name
        if name not in self._made:
            with open_archive(kept, create=True, options=OPTIONS) as archive:
                self._made[name] = make(archive)
        with open_archive(shutil.copytree(kept, folder), create=False, options=OPTIONS) as archive:
            yield deepcopy(self._made[name]), archive


@pytest.fixture(scope="session")
def first_crawls(tmp_path_factory: pytest.TempPathFactory) -> FirstCrawls:
    return FirstCrawls(tmp_path_factory.mktemp("crawled"))


@pytest.fixture
def crawled(first_crawls: FirstCrawls, tmp_path: Path) -> Iterator[Crawled]:
    """The site and its archive after one crawl."""

    def make(archive: Archive) -> MemoryWeb:
        web = a_site()
        crawl(web, archive)
        return web

    with first_crawls.copy("site", make, tmp_path / "archive") as found:
        yield found
