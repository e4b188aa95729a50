"""Child process for each slice: Scrapy's reactor can be started once in a process, and what crashes ends alone.

Celery can end a process after each task by itself, but takes more than a second for it. Here a process that has
everything loaded, and has read a blog already, is forked: that takes some hundredths.
"""

from __future__ import annotations

import ctypes
import gc
import logging
import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module

log = logging.getLogger("everlog.fleet")

# What a slice needs, and would else load in each process anew.
PRELOADED = (
    "babel.dates", "everlog.archive.archive", "everlog.archive.db.postgres", "everlog.archive.open_shared",
    "everlog.archive.lease_holder", "everlog.fetch.scrapy_downloader", "everlog.fetch.guard", "everlog.usecases.runner",
    "everlog.extract.learn_blog", "everlog.markup.media", "everlog.render", "everlog.search.document",
    "everlog.schedule.poll_schedule", "fsspec", "protego", "psycopg", "py3langid",
    "scrapy.downloadermiddlewares.httpcompression", "scrapy.logformatter", "scrapy.statscollectors",
     "scrapy.utils.request", "sqlalchemy.dialects.postgresql.psycopg",
    "twisted.internet.asyncioreactor", "warcio.archiveiterator",
)
_PR_SET_PDEATHSIG = 1


def warm_up() -> None:
    """Warm-up: load all that a slice needs, and read a small blog, so that first-page costs are paid once for all."""
    for name in PRELOADED:
        import_module(name)
    from everlog.demo.site import FEED, ORIGIN, pages, truth  # noqa: PLC0415 - only workers need it
    from everlog.extract.learn_blog import learn  # noqa: PLC0415 - as above
    from everlog.languages.detect import guess  # noqa: PLC0415 - as above

    documents = pages(ORIGIN)
    posts = {f"{ORIGIN}{piece.path}": documents[piece.path].body for piece in truth()[:10]}
    template = learn(documents[FEED].body, posts, feed_url=f"{ORIGIN}{FEED}")
    for url, body in posts.items():
        template.read(body, url)
    # This blog says what language it is in; the next may not, and what guesses it takes a moment to load.
    guess("The words of a text whose language nobody tells. " * 8)
    # What is there now stays: a collector that went over it would copy every page of memory into each process.
    gc.collect()
    gc.freeze()


def in_own_process(work: Callable[[], int]) -> int:
    """Exit code of work done in a child process, which ends with this one; below 0 the signal it died of."""
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    number = os.fork()
    if number == 0:
        code = 1
        try:
            _die_with(parent)
            code = work()
        except BaseException:  # the last line of defence: it reports the bug, and nothing may go on from here
            log.exception("a bug in everlog")
        finally:
            sys.stderr.flush()
            os._exit(code)
    _, status = os.waitpid(number, 0)
    return os.waitstatus_to_exitcode(status)


def _die_with(parent: int) -> None:
    """End when the parent does: what a worker that was killed had begun is another's by then. Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
