"""Trains the line classifier (`everlog.extract.extractors.line_classifier`), and compares it as the DGWC paper does.

    python benchmarks/train_lines.py                  # figures of the shipped kind: held out, and trained on all
    python benchmarks/train_lines.py --compare        # Naive Bayes, decision tree, linear SVM, logistic regression
    python benchmarks/train_lines.py --write          # writes weights.json of the line classifier, trained on all

A line of a page is topical if most of its words stand in the post's true text, in the same order. Figures are
held out: 10 folds by blog, every blog judged by a classifier that saw none of its posts. Lines: precision,
recall and F of the lines that have a word, pages weighing the same. Articles: word F1 of the text that is
kept, and the share of posts with at least 0.95, means over blogs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from blogs import add_corpus_arguments, chosen_blogs, say
from everlog.core.tree import drop, visible_text
from everlog.evaluate.scoring import STRICT_F1, word_f1
from everlog.extract.article.picks import pick_of
from everlog.extract.extractors.line_classifier import extract
from everlog.extract.extractors.line_classifier.page_lines import lines_of
from lines_models import (
    OURS,
    PAPER,
    READINGS,
    alone_judge,
    judge_of,
    logistic,
    machine,
    our_lines,
    paper_judge,
    paper_lines,
    train,
)
from lines_samples import FOLDS, fold_of, posts_of, samples_of, written
from tables import markdown_table, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from everlog.core.outline import Outline
    from everlog.evaluate.corpus import Blog
    from everlog.extract.extractors.line_classifier.linear_model import Classifier
    from everlog.extract.extractors.line_classifier.page_lines import Bools, Floats
    from lines_samples import Sample

    Verdict = Callable[[Sample], tuple[Floats, Mapping[str, Bools]]]
    """Odds of the lines, and the lines that are kept, by the name of the way of keeping."""

WEIGHTS = Path(__file__).parent.parent / "src" / "everlog" / "lines" / "weights.json"
POSTS = 8
Row = list[str | int | float | None]


# Comparison on the sampled posts ----------------------------------------------------------------


def compare(samples: Sequence[Sample]) -> list[Row]:
    """A row for each classifier and way of keeping lines, held out."""
    rows: list[Row] = []
    for name, make in PAPER.items():
        say(f"five features, {name}")
        rows += _compared(f"paper: {name}", samples, lambda train_on, make=make: _paper(train_on, make))
    for name, make in OURS.items():
        say(f"all features, {name}")
        rows += _compared(f"more features: {name}", samples, lambda train_on, make=make: _alone(train_on, make))
    for name, make in {"linear SVM": machine, "logistic regression": logistic}.items():
        say(f"and neighbours, {name}")
        rows += _compared(f"and neighbours: {name}", samples, lambda train_on, make=make: _among(train_on, make))
    return rows


def _paper(train_on: Sequence[Sample], make: Callable[[], Any]) -> Verdict:
    levels, judge = paper_judge(train_on, make)

    def verdict(sample: Sample) -> tuple[Floats, Mapping[str, Bools]]:
        odds = judge(sample)
        blocks = {reading.name: paper_lines(odds > 0, levels, sample, reading) for reading in READINGS}
        return odds, {"lines as classified": odds > 0, **blocks}
    return verdict


def _alone(train_on: Sequence[Sample], make: Callable[[], Any]) -> Verdict:
    judge = alone_judge(train_on, make)

    def verdict(sample: Sample) -> tuple[Floats, Mapping[str, Bools]]:
        odds = judge(sample)
        return odds, {"lines as classified": odds > 0, "blocks": our_lines(odds)}
    return verdict


def _among(train_on: Sequence[Sample], make: Callable[[], Any]) -> Verdict:
    judge = judge_of(train(train_on, make))

    def verdict(sample: Sample) -> tuple[Floats, Mapping[str, Bools]]:
        odds = judge(sample)
        return odds, {"lines as classified": odds > 0, "blocks": our_lines(odds)}
    return verdict


def _compared(name: str, samples: Sequence[Sample], learn: Callable[[Sequence[Sample]], Verdict]) -> list[Row]:
    counts = np.zeros(3)
    scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for fold in range(FOLDS):
        held_out = [sample for sample in samples if fold_of(sample.blog) == fold]
        if not held_out:
            continue
        verdict = learn([sample for sample in samples if fold_of(sample.blog) != fold])
        for sample in held_out:
            odds, ways = verdict(sample)
            counts += _line_counts(sample, odds > 0)
            for way, kept in ways.items():
                scores[way][sample.blog].append(word_f1(sample.text, sample.written(kept)))
    hits, found, wanted = counts.tolist()
    lines = [percent(hits / max(found, 1e-9)), percent(hits / wanted), percent(2 * hits / (found + wanted))]
    return [[name, way, *lines, *_article(by_blog)] for way, by_blog in scores.items()]


def _line_counts(sample: Sample, topical: Bools) -> Floats:
    """Lines found and right, found, and to be found; each page weighs one."""
    known = sample.words > 0
    total = max(int(known.sum()), 1)
    right = topical & sample.topical & known
    return np.array([right.sum(), (topical & known).sum(), (sample.topical & known).sum()]) / total


# The shipped kind on all posts ------------------------------------------------------------------


def measure_all(blogs: Sequence[Blog], classifiers: Callable[[str], Classifier]) -> list[Row]:
    """Every post outside the feeds, by the text of the kept lines and by the text of the element around them."""
    scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for blog in blogs:
        classifier = classifiers(blog.id)
        for text, outline in posts_of(blog):
            found = extract(outline, classifier)
            kept = found.kept if found else np.zeros(len(outline.segments), np.bool_)
            scores["lines"][blog.id].append(word_f1(text, _by_lines(outline, kept)))
            scores["element"][blog.id].append(word_f1(text, _by_element(outline, kept)))
    posts = sum(map(len, scores["lines"].values()))
    return [[way, len(by_blog), posts, *_article(by_blog)] for way, by_blog in scores.items()]


def _by_lines(outline: Outline, kept: Bools) -> str:
    lines = lines_of(outline)
    mask = np.zeros(len(lines), np.bool_)
    mask[lines.of_segment[kept & (lines.of_segment >= 0)]] = True
    return written(outline, lines, mask)


def _by_element(outline: Outline, kept: Bools) -> str:
    """The tree is not whole afterwards."""
    pick = pick_of(outline, kept)
    if pick is None:
        return ""
    drop(pick.drops)
    return visible_text(pick.element)


def _article(by_blog: Mapping[str, Iterable[float]]) -> list[str | None]:
    """F1 and strict, means over blogs."""
    per_blog = [list(values) for values in by_blog.values()]
    strict = fmean(fmean(value >= STRICT_F1 for value in values) for values in per_blog)
    return [percent(fmean(map(fmean, per_blog))), percent(strict)]


# Weights ----------------------------------------------------------------------------------------


def weights_file(classifier: Classifier, samples: Sequence[Sample]) -> str:
    """The JSON that is shipped. The fingerprint is of the weights alone: a test notices a file edited by hand."""
    data = classifier.to_dict()
    about = {
        "made_by": "benchmarks/train_lines.py --write",
        "blogs": len({sample.blog for sample in samples}),
        "posts": len(samples),
        "lines": int(sum((sample.words > 0).sum() for sample in samples)),
        "fingerprint": hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16],
    }
    return json.dumps({"about": about, **data}, indent=1) + "\n"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_corpus_arguments(parser)
    parser.add_argument("--posts", type=int, default=POSTS, help=f"posts of a blog to train on (default: {POSTS})")
    parser.add_argument("--compare", action="store_true", help="compare classifiers on those posts")
    parser.add_argument("--write", action="store_true", help=f"write {WEIGHTS.name}, trained on all blogs")
    arguments = parser.parse_args()
    blogs = chosen_blogs(arguments)
    say("labelling lines")
    samples = [sample for blog in blogs for sample in samples_of(blog, arguments.posts) if len(sample.lines)]
    if not samples:
        sys.exit("none of these blogs has a post outside its feed whose text is known: nothing to learn from")
    whole = train(samples)
    if arguments.write:
        WEIGHTS.write_text(weights_file(whole, samples), "utf-8")
        say(f"wrote {WEIGHTS}")
        return
    figures: dict[str, Any] = {"posts": len(samples), "blogs": len({sample.blog for sample in samples})}
    if arguments.compare:
        figures["compare"] = compare(samples)
    else:
        by_fold = {
            fold: train([sample for sample in samples if fold_of(sample.blog) != fold]) for fold in range(FOLDS)
        }
        say("reading all posts, held out")
        figures["held_out"] = measure_all(blogs, lambda blog: by_fold[fold_of(blog)])
        say("reading all posts, trained on all")
        figures["on_all"] = measure_all(blogs, lambda _: whole)
    print(json.dumps(figures, indent=1) if arguments.json else _markdown(figures))


def _markdown(figures: Mapping[str, Any]) -> str:
    parts = [f"Trained on {figures['posts']} posts of {figures['blogs']} blogs, {FOLDS} folds by blog."]
    if "compare" in figures:
        heads = ["classifier", "kept", "line P", "line R", "line F", "article F1", "strict"]
        parts.append(markdown_table(heads, figures["compare"]))
    for key, name in (("held_out", "held out"), ("on_all", "trained on all")):
        if key in figures:
            parts.append(markdown_table([name, "blogs", "posts", "article F1", "strict"], figures[key]))
    return "\n\n".join(parts)


if __name__ == "__main__":
    main()
