"""What several rooms' tests share. (Its being here puts `a_blog` and `services` on the path of all of them.)"""

from __future__ import annotations

import gc
import signal
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

import a_blog
import everlog
from services import archive_url, blank_archive, postgres_server, postgres_url, redis_server, redis_url

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["archive_url", "blank_archive", "postgres_server", "postgres_url", "redis_server", "redis_url", "template"]

# The same examples every time, and no clock: a test that fails, fails on every machine.
settings.register_profile("everlog", deadline=None, derandomize=True)
settings.load_profile("everlog")

# A shell that starts the tests in the background lets them, and all programs they start, ignore Ctrl+C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Modules and tests, found without looking for garbage meanwhile.

    They are a million objects that stay until the end. Of 6.8 seconds of CPU that each worker needs to find all tests
    this takes 2.1, and Scrapy 0.7 if it comes late: it looks for who imports it among all modules there are.
    """
    gc.disable()
    if session.config.args_source is session.config.ArgsSource.TESTPATHS:
        import scrapy.core.downloader.contextfactory  # noqa: F401
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.fixture(scope="session")
def template() -> everlog.Template:
    """What a good feed with good pages teaches."""
    return everlog.learn(a_blog.feed(), a_blog.pages())
