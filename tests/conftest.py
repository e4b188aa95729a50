"""What several rooms' tests share. (Its being here puts `a_blog` and `services` on the path of all of them.)"""

from __future__ import annotations

import signal

import pytest
from hypothesis import settings

import a_blog
import everlog
from services import postgres_server, postgres_url, redis_server, redis_url

__all__ = ["postgres_server", "postgres_url", "redis_server", "redis_url", "template"]

# The same examples every time, and no clock: a test that fails, fails on every machine.
settings.register_profile("everlog", deadline=None, derandomize=True)
settings.load_profile("everlog")

# A shell that starts the tests in the background lets them, and all programs they start, ignore Ctrl+C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def template() -> everlog.Template:
    """What a good feed with good pages teaches."""
    return everlog.learn(a_blog.feed(), a_blog.pages())
