"""What several rooms' tests share. (Its being here puts `a_blog` and `services` on the path of all of them.)"""

from __future__ import annotations

import gc
import os
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

# Minutes each, most of them waiting. Those that come late are waited for alone, when all others are done.
LONGEST = (
    "tests/slow/test_watch_loopback.py", "tests/slow/test_players.py", "tests/slow/test_interface_payloads.py",
    "tests/slow/test_fleet_disturbed.py", "tests/slow/test_wordpress_history.py", "tests/replay/test_payloads.py",
    "tests/slow/test_packaging_steps.py", "tests/slow/test_pages_in_chromium.py",
    "tests/slow/test_completeness_wordpress.py", "tests/slow/test_real_pages.py", "tests/slow/test_fleet_workers.py",
    "tests/slow/test_completeness_ghost.py",
)

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


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest tests begin first, shared out among those who run tests: each is given as many, in one piece."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    modules = sorted({_module(item) for item in items} & set(LONGEST), key=LONGEST.index)
    if workers == 1 or not modules:
        return
    early = [[item for module in modules[place::workers] for item in items if _module(item) == module]
             for place in range(workers)]
    others = [item for item in items if _module(item) not in modules]
    ordered: list[pytest.Item] = []
    for place, mine in enumerate(early):
        share = (len(items) - len(ordered)) // (workers - place)
        ordered += mine
        ordered += others[:max(0, share - len(mine))]
        del others[:max(0, share - len(mine))]
    items[:] = ordered + others


def _module(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


@pytest.fixture(scope="session")
def template() -> everlog.Template:
    """What a good feed with good pages teaches."""
    return everlog.learn(a_blog.feed(), a_blog.pages())
