"""A long crawl writes its ledger as it goes, and no request twice."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.core.fetcher import HostStats
from everlog.errors import EverlogError
from everlog.usecases.crawl.crawl_blog import archive_blog
from everlog.usecases.crawl.crawl_context import HOST_STATS_SECONDS
from usecases.a_site import a_site, work
from usecases.a_web import NOW, MemoryWeb

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from everlog.archive import Archive


@dataclass
class CountingWeb(MemoryWeb):
    """A web in memory that keeps a ledger: as many requests as were asked since it was taken."""

    taken: list[int] = field(default_factory=list)

    def take_host_stats(self) -> tuple[HostStats, ...]:
        self.taken.append(len(self.asked) - sum(self.taken))
        return (HostStats(
            host="a.example", requests=self.taken[-1], bytes=0, waited_seconds=0.0, slowed=0, delay_seconds=0.0,
        ),)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True, options=ArchiveOptions(min_free_bytes=0)) as opened:
        yield opened


def crawled(archive: Archive, *, step_seconds: float) -> CountingWeb:
    """A crawl on whose clock so many seconds pass with each look at it."""
    fetcher = CountingWeb(answers=a_site().answers)
    moment = NOW

    def now() -> datetime:
        nonlocal moment
        moment += timedelta(seconds=step_seconds)
        return moment

    asyncio.run(archive_blog(a_blog.HOME, replace(work(fetcher, archive), now=now)))
    return fetcher


def test_the_ledger_is_written_while_the_crawl_goes_on(archive):
    fetcher = crawled(archive, step_seconds=HOST_STATS_SECONDS)
    assert len(fetcher.taken) > 3
    [row] = archive.hosts.stats()
    assert row.requests == sum(fetcher.taken)


def test_a_short_crawl_leaves_it_to_who_started_it(archive):
    fetcher = crawled(archive, step_seconds=0.0)
    assert fetcher.taken == []
    assert list(archive.hosts.stats()) == []


def test_an_archive_that_takes_no_more_does_not_end_a_crawl(archive, tmp_path):
    tools = work(CountingWeb(asked=[a_blog.HOME]), archive)
    archive.close()
    database = tmp_path / "archive" / "everlog.sqlite"
    database.rename(tmp_path / "elsewhere")
    database.mkdir()
    with pytest.raises(EverlogError):
        archive.hosts.add(tools.fetcher.take_host_stats(), at=NOW)
    tools.keep_host_stats()
