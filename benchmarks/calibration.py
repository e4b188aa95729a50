"""Confidence: fits what experience with other blogs is worth, and measures how far it can be believed.

    python benchmarks/calibration.py                 # the whole corpus, some 10 minutes with two processes
    python benchmarks/calibration.py --blogs 20      # a sample

Every blog is learned from its feed, from its feed cut to excerpts, and without its feed; posts that were not learned
from are read by the design that reads first, and by each method alone. The chance that a post is right is
(right + good) / (judged + good + bad), where `right` of `judged` pages of the blog itself were read right, and `good`
and `bad` are the method's prior. The priors are fitted (log loss, blogs weigh alike) in ten folds by blog: what is
printed as "held out" was predicted by priors that had not seen the blog. "shipped" are the priors of
`everlog.extract.calibration`; "all" those that fit best on all blogs, to be copied there.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import everlog
from blogs import add_corpus_arguments, chosen_blogs, say, training, unseen_posts
from everlog.errors import EverlogError
from everlog.evaluate.calibration import calibration_bins, calibration_error
from everlog.evaluate.cut import cut_feed
from everlog.evaluate.scoring import score_post
from everlog.evaluate.without_feed import learn_walking
from everlog.extract.calibration import PRIORS, confidence
from everlog.extract.extractors.keypath import KeyPaths
from everlog.records import Post
from tables import markdown_table, percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from everlog import Template
    from everlog.evaluate.corpus import Blog

MODES = ("feed", "cut feed", "no feed")
POSTS = 20
FOLDS = 10
# Experience may weigh as much as 30 pages: more fits these blogs as well (held out 0.008 to 0.019), but would drown
# what the pages of a blog say on which something goes wrong.
GOOD = (1, 2, 5, 8, 12, 20, 30)
BAD = (0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2, 2.0, 3.0)


class Read(NamedTuple):
    """One post read by one design: what was measured of the design before, and whether the post is right."""

    blog: str
    mode: str
    method: str
    right: int
    judged: int
    is_right: bool
    is_first: bool


def readings_of(blog: Blog) -> list[Read]:
    """All readings of one blog."""
    return [reading for mode in MODES for reading in _of_mode(blog, mode)]


def _of_mode(blog: Blog, mode: str) -> Iterator[Read]:
    try:
        template = _learned(blog, mode)
    except EverlogError as error:
        say(f"  {blog.id}, {mode}: {error}")
        return
    rows = [row for row in unseen_posts(blog) if row.text and row.text_is_whole][:POSTS]
    # Of designs learned by one method the first is the best.
    alone = {design.method: design for design in template.designs[::-1]}
    readers = [replace(template, designs=(design,), key_paths=KeyPaths()) for design in alone.values()]
    for number, reader in enumerate((template, *readers)):
        for row in rows:
            page = blog.truth_page(row)
            post = reader.read(page, row.url) if page else None
            if isinstance(post, Post):
                used = next(d for d in reader.designs if d.method == post.provenance["text"].method)
                is_right = score_post(row, post).get("strict") == 1.0
                yield Read(blog.id, mode, used.method, used.right, used.judged, is_right, number == 0)


def _learned(blog: Blog, mode: str) -> Template:
    if mode == "no feed":
        return learn_walking(blog).template
    feed, pages = training(blog)
    return everlog.learn(cut_feed(feed, blog.feed_url) if mode == "cut feed" else feed, pages, feed_url=blog.feed_url)


def fitted(readings: Sequence[Read]) -> tuple[float, float]:
    """The prior under which the readings are likeliest; every blog weighs the same."""
    groups: dict[tuple[str, int, int], list[bool]] = defaultdict(list)
    for reading in readings:
        groups[reading.blog, reading.right, reading.judged].append(reading.is_right)
    sizes: dict[str, int] = defaultdict(int)
    for (blog, _, _), outcomes in groups.items():
        sizes[blog] += len(outcomes)

    def loss(prior: tuple[float, float]) -> float:
        total = 0.0
        for (blog, right, judged), outcomes in groups.items():
            chance = (right + prior[0]) / (judged + sum(prior))
            hits = sum(outcomes)
            total -= (hits * math.log(chance) + (len(outcomes) - hits) * math.log(1 - chance)) / sizes[blog]
        return total

    return min(((good, bad) for good in GOOD for bad in BAD), key=loss)


def held_out(readings: Sequence[Read]) -> list[tuple[Read, float]]:
    """Each reading with the chance that priors of the other folds give it."""
    blogs = sorted({reading.blog for reading in readings})
    fold_of = {blog: number % FOLDS for number, blog in enumerate(blogs)}
    predicted = []
    for fold in range(FOLDS):
        taught = [reading for reading in readings if fold_of[reading.blog] != fold]
        priors = {method: fitted(some) for method, some in by_method(taught).items()}
        for reading in readings:
            if fold_of[reading.blog] == fold and reading.method in priors:
                good, bad = priors[reading.method]
                predicted.append((reading, (reading.right + good) / (reading.judged + good + bad)))
    return predicted


def by_method(readings: Sequence[Read]) -> dict[str, list[Read]]:
    """The readings of each method."""
    found: dict[str, list[Read]] = defaultdict(list)
    for reading in readings:
        found[reading.method].append(reading)
    return found


def report(readings: Sequence[Read]) -> str:
    """The priors, the calibration errors, and the bins of the readings that users see."""
    priors = [
        [method, len({r.blog for r in some}), len(some), percent(sum(r.is_right for r in some) / len(some)),
         str(PRIORS.get(method)), str(fitted(some))]
        for method, some in sorted(by_method(readings).items())
    ]
    predicted = held_out(readings)
    errors, tables = [], []
    for mode in MODES:
        seen = [reading for reading in readings if reading.is_first and reading.mode == mode]
        ours = [(confidence(r.method, r.right, r.judged), r.is_right) for r in seen]
        others = [(chance, r.is_right) for r, chance in predicted if r.is_first and r.mode == mode]
        errors.append([mode, len(ours), *(f"{error:.3f}" if (error := calibration_error(pairs)) is not None else None
                                          for pairs in (others, ours))])
        rows = [[one.posts, f"{one.confidence:.3f}", f"{one.right:.3f}"] for one in calibration_bins(others)]
        tables.append(f"\n{mode}, held out:\n\n" + markdown_table(["posts", "confidence", "right"], rows))
    return "\n".join([
        markdown_table(["method", "blogs", "posts", "right %", "shipped", "all"], priors), "",
        markdown_table(["learned from", "posts", "error, held out", "error, shipped"], errors), *tables,
    ])


def main() -> None:
    """Reads the corpus and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_corpus_arguments(parser)
    arguments = parser.parse_args()
    blogs = chosen_blogs(arguments)
    readings: list[Read] = []
    with ProcessPoolExecutor(2) as pool:
        for number, found in enumerate(pool.map(readings_of, blogs), 1):
            readings += found
            say(f"{number} of {len(blogs)} blogs")
    if arguments.json:
        print(json.dumps([reading._asdict() for reading in readings]))
    else:
        print(report(readings))


if __name__ == "__main__":
    main()
