"""One crawls, others read: the archive is the same when the readers, or what stands between them, die."""

from __future__ import annotations

import asyncio
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

import a_blog
import services
from everlog.records import Page
from everlog.usecases.page.page_reading import PageInput, ReadContext, look
from fleet.a_reader import kill, readers
from fleet.conftest import archive
from fleet.test_readers import POSTS, SHORT_WAIT_SECONDS, WAIT_SECONDS, crawl_with, expected, read_context, reading

if TYPE_CHECKING:
    from pathlib import Path

    from everlog.archive import Archive
    from everlog.fleet.asking import SharedReader

__all__ = ["archive", "expected", "read_context"]


def test_readers_that_are_killed_leave_the_pages_to_the_crawl(
    archive: Archive, postgres_url: str, redis_url: str, tmp_path: Path, expected: dict[str, Any],
):
    with (
        readers(postgres_url, tmp_path / "files", redis_url) as process,
        closing(reading(redis_url, SHORT_WAIT_SECONDS)) as reader,
    ):
        reader.wait_seconds = WAIT_SECONDS
        crawled = crawl_with(reader, archive, once=lambda: _kill_and_be_short(process, reader))
        assert crawled == expected
        assert 0 < reader.answered < POSTS


def _kill_and_be_short(process: Any, reader: SharedReader) -> None:
    kill(process)
    reader.wait_seconds = SHORT_WAIT_SECONDS


@pytest.mark.parametrize("fate", ["empty", "kill"])
def test_a_broker_that_is_emptied_or_killed_leaves_the_pages_to_the_crawl(
    fate: str, archive: Archive, postgres_url: str, tmp_path: Path, expected: dict[str, Any],
):
    with (
        services.redis() as broker, readers(postgres_url, tmp_path / "files", broker.url),
        closing(reading(broker.url)) as reader,
    ):
        def strike() -> None:
            getattr(broker, fate)()
            reader.wait_seconds = SHORT_WAIT_SECONDS

        assert crawl_with(reader, archive, once=strike) == expected
        assert reader.answered > 0


def test_readers_come_back_with_their_broker(postgres_url: str, tmp_path: Path, read_context: ReadContext):
    sheet = PageInput(page=Page(url=a_blog.url(6), body=a_blog.page(6), content_type="text/html"))
    with services.redis() as broker, readers(postgres_url, tmp_path / "files", broker.url):
        for _ in range(2):
            with closing(reading(broker.url)) as reader:
                assert asyncio.run(reader.look(sheet, read_context)) == look(sheet, read_context)
            broker.kill()
            broker.start()
