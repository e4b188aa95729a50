"""The evaluation itself: each blog is learned from its feed and read post by post.

A blog that cannot be learned, a page that is skipped and a crash while reading are misses with
a reason. Only one blog is in memory per process.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Protocol

from everlog.errors import EverlogError
from everlog.evaluate.scoring import FIELDS, mean, score_post, score_shown
from everlog.export.jsonl import post_to_line
from everlog.records import Post, Skip

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence
    from datetime import datetime

    from everlog.evaluate.commenting import Shown
    from everlog.evaluate.corpus import Blog, Truth


class Reader(Protocol):
    """What learning gives: it reads a page of the blog."""

    def read(
        self, page: bytes, url: str, content_type: str | None = None, fetched: datetime | None = None,
    ) -> Post | Skip: ...


class Learner(Protocol):
    """Feed and the pages its entries link to -> Reader."""

    def __call__(
        self, feed: bytes, pages: Mapping[str, bytes], /, *, feed_url: str | None = None,
    ) -> Reader: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """A post whose article was not read strictly right."""

    blog: str
    url: str
    scores: Mapping[str, float]
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The scores of one blog: the mean of each field over its posts, None without truth."""

    blog: Blog
    truth_rows: int
    posts: int
    scores: Mapping[str, float | None]
    misses: tuple[Miss, ...] = ()
    lines: tuple[str, ...] = ()
    problem: str | None = None
    learn_seconds: float = 0.0
    read_seconds: float = 0.0
    # Of every article that was read: how sure that was, and whether it was strictly right.
    sure: tuple[tuple[float, bool], ...] = ()


@dataclass(slots=True)
class _Reading:
    """What was read of one blog."""

    posts: dict[tuple[str, str], Post] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    # What each page shows of the comments that are known.
    shown: dict[str, Shown] = field(default_factory=dict)
    problem: str | None = None
    learn_seconds: float = 0.0
    read_seconds: float = 0.0


def learn_with_everlog(
    feed: bytes, pages: Mapping[str, bytes], /, *, feed_url: str | None = None,
) -> Reader:
    """The production code, imported where it is used: evaluation starts before it is loaded."""
    import everlog  # noqa: PLC0415

    return everlog.learn(feed, pages, feed_url=feed_url)


def evaluate(
    blogs: Sequence[Blog],
    learner: Learner = learn_with_everlog,
    *,
    cut_feeds: bool = False,
    no_feed: bool = False,
    keep_posts: bool = False,
    jobs: int = 1,
) -> Generator[Result, None, None]:
    """The blogs' results as they are done, in no particular order.

    With `no_feed` nothing but the blogs' pages teaches, and `learner` is not asked.
    """
    measure = partial(evaluate_blog, learner=learner, cut_feeds=cut_feeds, no_feed=no_feed, keep_posts=keep_posts)
    # The longest first, so that no process is left alone with them at the end.
    ordered = sorted(blogs, key=_size, reverse=True)
    if jobs <= 1 or len(ordered) <= 1:
        yield from map(measure, ordered)
        return
    unfinished = yield from _in_processes(measure, ordered, jobs)
    # Something killed a process (memory, a crash in C), and with it the whole pool. One process
    # per blog shows which blog it was.
    for blog in unfinished:
        if (yield from _in_processes(measure, [blog], 1)):
            reading = _Reading(problem="the process that read it was killed")
            yield _score(blog, list(blog.truth()), reading, keep_posts=False)


def evaluate_blog(
    blog: Blog, learner: Learner, *, cut_feeds: bool = False, no_feed: bool = False, keep_posts: bool = False,
) -> Result:
    """Learn one blog from its feed, whole or cut, or from its pages alone; read and score its posts that count."""
    truth = list(blog.truth())
    learn = partial(_learn_walking, blog) if no_feed else partial(learn_blog, blog, learner, cut_feeds=cut_feeds)
    reading = _read(blog, truth, learn) if any(row.counts for row in truth) else _Reading()
    return _score(blog, truth, reading, keep_posts=keep_posts)


def learn_blog(blog: Blog, learner: Learner = learn_with_everlog, *, cut_feeds: bool = False) -> Reader:
    """What a blog's feed teaches, as it is or cut to excerpts, with the pages that it links to."""
    from everlog.feeds import parse_feed  # noqa: PLC0415 - loads lxml

    feed = blog.feed()
    links = [entry.link for entry in parse_feed(feed, blog.feed_url).entries]
    if cut_feeds:
        from everlog.evaluate.cut import cut_feed  # noqa: PLC0415

        feed = cut_feed(feed, blog.feed_url)
    return learner(feed, blog.linked_pages(links), feed_url=blog.feed_url)


def total_scores(results: Sequence[Result]) -> dict[str, float | None]:
    """The mean over blogs of each field; blogs without truth for it do not count."""
    return {name: mean(result.scores[name] for result in results) for name in FIELDS}


def _in_processes(
    measure: Callable[[Blog], Result], blogs: Sequence[Blog], jobs: int,
) -> Generator[Result, None, list[Blog]]:
    """Yields results; returns the blogs that a broken pool left undone."""
    # "spawn" starts clean: the terminal's progress bar runs a thread, and forking with threads
    # may deadlock.
    pool = ProcessPoolExecutor(
        min(jobs, len(blogs)), multiprocessing.get_context("spawn"), initializer=leave_quietly,
    )
    undone: list[Blog] = []
    try:
        tasks = {pool.submit(measure, blog): blog for blog in blogs}
        for task in as_completed(tasks):
            try:
                yield task.result()
            except BrokenProcessPool:
                undone.append(tasks[task])
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            child.terminate()
        raise
    pool.shutdown()
    return undone


def leave_quietly() -> None:
    """Ctrl-C reaches all processes of a terminal; only the first has something to say about it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _size(blog: Blog) -> int:
    return (blog.folder / "truth.jsonl").stat().st_size


def _read(blog: Blog, truth: Sequence[Truth], learn: Callable[[], Reader]) -> _Reading:
    from everlog.evaluate.commenting import shown_comments, taught  # noqa: PLC0415 - loads lxml

    reading = _Reading()
    start = time.perf_counter()
    try:
        reader_for = taught(learn(), blog, truth)
    except Exception as error:  # noqa: BLE001 - a crash in one blog must not hide the other blogs
        reading.problem = f"not learned: {_said(error)}"
        return reading
    learned = time.perf_counter()
    for row in truth:
        if not row.counts:
            continue
        outcome = _read_page(blog, row, reader_for(row))
        if isinstance(outcome, Post):
            reading.posts.setdefault(blog.key(outcome.url), outcome)
        else:
            reading.reasons[row.url] = outcome.reason
    reading.learn_seconds = learned - start
    reading.read_seconds = time.perf_counter() - learned
    for row in truth:
        if row.counts and row.comments and row.comments_complete and (page := blog.truth_page(row)) is not None:
            reading.shown[row.url] = shown_comments(page, row)
    return reading


def _learn_walking(blog: Blog) -> Reader:
    from everlog.evaluate.without_feed import learn_walking  # noqa: PLC0415 - loads lxml

    return learn_walking(blog).template


def _read_page(blog: Blog, row: Truth, reader: Reader) -> Post | Skip:
    page = blog.truth_page(row)
    if page is None:
        return Skip(url=row.url, reason="the corpus has no page for it")
    try:
        return reader.read(page, row.url)
    except Exception as error:  # noqa: BLE001 - a crash on one page must not hide the others
        return Skip(url=row.url, reason=f"not read: {_said(error)}")


def _said(error: Exception) -> str:
    if isinstance(error, EverlogError):
        return error.message
    return f"{type(error).__name__}: {error}"


def _score(blog: Blog, truth: Sequence[Truth], reading: _Reading, *, keep_posts: bool) -> Result:
    by_field: dict[str, list[float]] = defaultdict(list)
    misses: list[Miss] = []
    sure: list[tuple[float, bool]] = []
    for row in truth:
        if not row.counts:
            continue
        post = next((reading.posts[key] for key in blog.keys(row) if key in reading.posts), None)
        scores = score_post(row, post)
        if row.url in reading.shown:
            scores |= score_shown(reading.shown[row.url], post)
        for name, value in scores.items():
            by_field[name].append(value)
        stated = post.provenance.get("text") if post is not None else None
        if stated is not None and stated.confidence is not None and "strict" in scores:
            sure.append((stated.confidence, scores["strict"] == 1.0))
        if scores.get("strict") == 0.0:
            reason = reading.problem or reading.reasons.get(row.url)
            misses.append(Miss(blog=blog.id, url=row.url, scores=scores, reason=reason))
    return Result(
        blog=blog,
        truth_rows=len(truth),
        posts=len(by_field["found"]),
        scores={name: mean(by_field[name]) for name in FIELDS},
        misses=tuple(misses),
        lines=tuple(map(post_to_line, reading.posts.values())) if keep_posts else (),
        problem=reading.problem,
        learn_seconds=reading.learn_seconds,
        read_seconds=reading.read_seconds,
        sure=tuple(sure),
    )
