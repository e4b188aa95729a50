"""A measurement of each of many blogs, in several processes."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, TypeVar

from everlog.errors import UsageError
from everlog.evaluate.run import leave_quietly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from everlog.evaluate.corpus import Blog

T = TypeVar("T")


def over_blogs(measure: Callable[[Blog], T], blogs: Sequence[Blog], *, jobs: int = 1) -> Iterator[tuple[Blog, T]]:
    """Each blog with what was measured, as they are done; `measure` must be importable where `jobs` is above 1."""
    # The longest first, so that no process is left alone with them at the end.
    ordered = sorted(blogs, key=lambda blog: (blog.folder / "truth.jsonl").stat().st_size, reverse=True)
    if jobs <= 1 or len(ordered) <= 1:
        for blog in ordered:
            yield blog, measure(blog)
        return
    # "spawn": lxml and the tools beside everlog start threads of their own, which forked children lose.
    pool = ProcessPoolExecutor(
        min(jobs, len(ordered)), multiprocessing.get_context("spawn"), initializer=leave_quietly,
    )
    try:
        tasks = {pool.submit(measure, blog): blog for blog in ordered}
        for task in as_completed(tasks):
            yield tasks[task], task.result()
    except BrokenProcessPool as error:
        raise UsageError(
            "a process was killed while evaluating a blog, perhaps out of memory",
            advice="try --jobs 1, or fewer blogs",
        ) from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
