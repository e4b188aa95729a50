"""A blog whose comments only a browser shows, and a crawl of it with a real one."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.render import Browser, RenderOptions
from everlog.usecases.crawl.crawl_blog import archive_blog
from usecases.a_conversation import said
from usecases.a_site import a_site, work

POSTS = 7
HABITS = RenderOptions(tabs=2, page_seconds=60.0)


@pytest.fixture
def archive(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as opened:
        yield opened


def site(embed, put, *, commented=(3,), count=10):
    """A small blog whose posts all embed a service; some of them have comments there."""
    fetcher = a_site(POSTS, in_feed=4)
    for number in range(1, POSTS + 1):
        fetcher.put(a_blog.url(number), a_blog.page(number, after=embed))
        put(fetcher, number, said(number, count) if number in commented else [], steps=3 if number in commented else 0)
    return fetcher


def crawl(fetcher, archive, options=HABITS, **settings):
    """A crawl, or an update of a finished blog, with a real browser."""

    async def run():
        async with Browser(options) as browser:
            return await archive_blog(a_blog.HOME, replace_browser(work(fetcher, archive, **settings), browser))

    return asyncio.run(run())


def replace_browser(job, browser):
    return replace(job, browser=browser)


def post(archive, number):
    return archive.posts.find(a_blog.url(number))
