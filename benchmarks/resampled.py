"""Accuracy when the feed holds random posts of a blog, not its ten newest.

    python benchmarks/resampled.py --entries 1,3,8 --seeds 2      # the whole corpus
    python benchmarks/resampled.py --cut                          # feeds cut to 55 words
    python benchmarks/resampled.py --blogs 8 --json               # a first look, for programs

For every seed the posts of a blog whose HTML and whole text are known are shuffled. The first K become
a feed (title, link, author, date, tags, HTML), everlog learns from it, and the other posts are read and
scored as `everlog evaluate` does it. For a smaller K the feed is the beginning of the larger one and the
posts that are read are the same, so that rows can be compared. The blog's own feed stands beside them,
scored on the posts outside it. Scores are means over the posts of a blog, then over blogs, then over seeds.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import sys
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from html import escape
from typing import TYPE_CHECKING

import everlog
from blogs import add_corpus_arguments, chosen_blogs, say, training
from everlog.evaluate.cut import EXCERPT_WORDS, cut_feed
from everlog.evaluate.scoring import mean, score_post
from everlog.records import Entry
from rss import write_feed
from tables import markdown_table, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from everlog import Post, Template
    from everlog.evaluate.corpus import Blog, Truth

FIELDS = ("strict", "f1", "title", "author", "date", "tags")
OWN_FEED = 0
# With fewer posts left to read, a blog would say more about chance than about everlog.
LEAST_READ = 3

Run = tuple[int, int]
"""Entries of the feed (OWN_FEED for the blog's own) and seed."""
Scores = dict[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is asked for every blog."""

    entries: tuple[int, ...]
    seeds: int
    cut: bool


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What was measured on one blog: run -> field -> mean over posts. Empty for blogs with too few posts.

    `posts` are read with made feeds, `outside` with the blog's own feed.
    """

    blog: str
    posts: int = 0
    outside: int = 0
    scores: dict[Run, Scores] = field(default_factory=dict)
    problems: list[tuple[Run, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Known:
    """A post of the truth that a feed can be made of."""

    truth: Truth
    entry: Entry
    page: bytes


def measure(blog: Blog, plan: Plan) -> Outcome:
    """All runs of one blog."""
    outcome = Outcome(blog=blog.id)
    known = _known_posts(blog)
    most = max(plan.entries)
    outcome.posts = len(known) - most
    if outcome.posts < LEAST_READ:
        return outcome
    for seed in range(plan.seeds):
        shuffled = known.copy()
        random.Random(seed).shuffle(shuffled)  # noqa: S311 - the same posts every time
        for count in plan.entries:
            drawn = shuffled[:count]
            pages = {post.truth.url: post.page for post in drawn}
            learn = partial(_learn, blog, write_feed(post.entry for post in drawn), pages, cut=plan.cut)
            _score(outcome, (count, seed), learn, shuffled[most:])
    learn = partial(_learn, blog, *training(blog), cut=plan.cut)
    outside = [post for post in known if post.truth.counts]
    outcome.outside = len(outside)
    _score(outcome, (OWN_FEED, 0), learn, outside)
    return outcome


def _known_posts(blog: Blog) -> list[_Known]:
    with (blog.folder / "truth.jsonl").open(encoding="utf-8", newline="\n") as lines:
        rows = {row["url"]: row for row in map(json.loads, filter(str.strip, lines))}
    known = []
    for truth in blog.truth():
        html = rows[truth.url].get("html")
        page = blog.truth_page(truth)
        if truth.reachable and truth.text and truth.text_is_whole and html and page:
            known.append(_Known(truth, _entry(truth, html, rows[truth.url].get("date")), page))
    return known


def _entry(truth: Truth, html: str, when: str | None) -> Entry:
    return Entry(
        link=truth.url,
        # Titles of RSS are HTML.
        title=truth.title and escape(truth.title, quote=False),
        content=html,
        authors=truth.authors,
        published=datetime.fromisoformat(when) if when and truth.published else None,
        tags=truth.tags,
    )


def _learn(blog: Blog, feed: bytes, pages: dict[str, bytes], *, cut: bool) -> Template:
    return everlog.learn(cut_feed(feed, blog.feed_url) if cut else feed, pages, feed_url=blog.feed_url)


def _score(outcome: Outcome, run: Run, learn: Callable[[], Template], posts: Sequence[_Known]) -> None:
    template = None
    try:
        template = learn()
    except Exception as error:  # noqa: BLE001 - a feed that teaches nothing is a miss, not the end
        outcome.problems.append((run, f"not learned: {error}"))
    by_field: dict[str, list[float]] = defaultdict(list)
    for post in posts:
        for name, value in score_post(post.truth, _read(template, post)).items():
            by_field[name].append(value)
    outcome.scores[run] = {name: mean(by_field[name]) for name in FIELDS}


def _read(template: Template | None, post: _Known) -> Post | None:
    if template is None:
        return None
    try:
        got = template.read(post.page, post.truth.url)
    except Exception:  # noqa: BLE001 - a crash on one page is a miss
        return None
    return got if isinstance(got, everlog.Post) else None


def measure_all(blogs: Sequence[Blog], plan: Plan, jobs: int) -> list[Outcome]:
    """All blogs, a process per blog at a time; those with too few posts are left out."""
    outcomes: list[Outcome] = []
    # "spawn": lxml and numpy start threads of their own, which forked children lose.
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        tasks = [pool.submit(measure, blog, plan) for blog in blogs]
        for done, task in enumerate(as_completed(tasks), 1):
            outcome = task.result()
            outcomes.append(outcome)
            strict = mean(scores["strict"] for (count, _), scores in outcome.scores.items() if count)
            say(f"{done}/{len(blogs)} {outcome.blog}: " + (
                f"{outcome.posts} posts, strict {percent(strict)}" if outcome.scores else "too few posts"
            ))
            for (count, seed), problem in outcome.problems:
                say(f"  {count or 'own'} entries, seed {seed}: {problem}")
    return sorted((outcome for outcome in outcomes if outcome.scores), key=lambda outcome: outcome.blog)


def macro(outcomes: Iterable[Outcome], run: Run) -> Scores:
    """Field -> mean over the blogs."""
    scores = [outcome.scores[run] for outcome in outcomes]
    return {name: mean(row[name] for row in scores) for name in FIELDS}


def table(outcomes: Sequence[Outcome], plan: Plan) -> str:
    """A row for each number of entries, and one for the blogs' own feeds."""
    ending = f", cut to {EXCERPT_WORDS} words" if plan.cut else ""
    rows = []
    for count in (*plan.entries, OWN_FEED):
        runs = [(count, seed) for seed in range(plan.seeds if count else 1)]
        by_seed = [macro(outcomes, run) for run in runs]
        missed = sum(1 for outcome in outcomes for run, _ in outcome.problems if run in runs)
        strict = [scores["strict"] or 0.0 for scores in by_seed]
        named = f"{count} random post{'s' * (count > 1)}" if count else "the blog's own feed"
        rows.append([
            named + ending,
            sum(outcome.posts if count else outcome.outside for outcome in outcomes),
            *(percent(mean(scores[name] for scores in by_seed)) for name in FIELDS),
            f"{percent(min(strict))} to {percent(max(strict))}" if len(strict) > 1 else None,
            f"{missed / len(runs):g}",
        ])
    heads = ["learned from", "posts", *FIELDS, "by seed", "not learned"]
    about = (f"{len(outcomes)} blogs, {plan.seeds} seeds. Per cent, means over blogs; \"by seed\" is the range of "
             "strict, \"not learned\" the number of blogs, \"posts\" those read for each seed.")
    return markdown_table(heads, rows) + "\n\n" + about


def as_json(outcomes: Sequence[Outcome], plan: Plan) -> str:
    """Per blog and run, shares in [0, 1]; a run of 0 entries is the blog's own feed."""
    return json.dumps({
        "entries": plan.entries, "seeds": plan.seeds, "cut": plan.cut,
        "blogs": {
            outcome.blog: {
                "posts": outcome.posts,
                "outside": outcome.outside,
                "runs": [{"entries": count, "seed": seed, **scores}
                         for (count, seed), scores in outcome.scores.items()],
                "problems": [problem for _, problem in outcome.problems],
            }
            for outcome in outcomes
        },
    }, ensure_ascii=False, indent=1)


def _counts(text: str) -> tuple[int, ...]:
    counts = tuple(sorted({int(part) for part in text.split(",")}))
    if counts[0] < 1:
        raise argparse.ArgumentTypeError("a feed needs at least one entry")
    return counts


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_corpus_arguments(parser)
    parser.add_argument("--entries", type=_counts, default=(8,), metavar="K,...",
                        help="entries of the feeds (default: 8)")
    parser.add_argument("--seeds", type=int, default=2, metavar="N", help="draws for each blog (default: 2)")
    parser.add_argument("--cut", action="store_true", help=f"cut the feeds to {EXCERPT_WORDS} words an entry")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    arguments = parser.parse_args()
    plan = Plan(entries=arguments.entries, seeds=max(1, arguments.seeds), cut=arguments.cut)
    outcomes = measure_all(chosen_blogs(arguments), plan, arguments.jobs)
    if not outcomes:
        sys.exit(f"none of these blogs has {max(plan.entries) + LEAST_READ} posts with HTML and whole text")
    print(as_json(outcomes, plan) if arguments.json else table(outcomes, plan))


if __name__ == "__main__":
    main()
