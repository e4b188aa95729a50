"""Cross-validation by blog of the constants that were chosen by looking at blogs.

    python benchmarks/crossvalidate.py                    # the whole corpus, about ten minutes
    python benchmarks/crossvalidate.py --blogs 10         # a first look
    python benchmarks/crossvalidate.py --json > cv.json   # every blog's score with every value

Each constant is varied, one at a time. A blog's score is the share of its posts outside the feed whose
article is strictly right, learned from its feed as it is and again with the feed cut to excerpts; what is
chosen by is the mean of the two. The blogs are dealt into folds by a hash of their names. For each fold
every constant gets the value that is best on the *other* folds (the shipped one, if it is as good as any),
and the fold is read with it: once for each constant alone, once with all constants chosen at the same
time. If the shipped values were fitted to these blogs, values chosen without a blog would do worse on it.

This shows nothing about rules without a constant: those were written by looking at the same blogs.
"""

from __future__ import annotations

import argparse
import inspect
import json
import multiprocessing
import re
import sys
import time
import zlib
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from statistics import stdev
from typing import TYPE_CHECKING, Any
from unittest import mock

import everlog
from blogs import add_corpus_arguments, chosen_blogs, say, spread, training, unseen_posts
from everlog.evaluate.cut import cut_feed
from everlog.evaluate.scoring import STRICT_F1, mean, word_f1
from everlog.extract import learn_blog as learning_blog
from everlog.extract.article.designs import learn_designs
from everlog.extract.template import Template
from tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

    from everlog.evaluate.corpus import Blog
    from everlog.extract.article.article_read import Design
    from everlog.extract.extractors.keypath import KeyPaths

FOLDS = 5
POSTS = 12
MODES = ("feeds as they are", "cut feeds")
# Scores closer than this are equal: the difference is rounding.
EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class Constant:
    """A tuned constant, the values tried, and what is computed from it: module, name, what is added."""

    module: str
    name: str
    tried: tuple[float, ...]
    also: tuple[tuple[str, str, int], ...] = ()

    @property
    def shipped(self) -> float:
        """The value in the source."""
        value: float = getattr(import_module(self.module), self.name)
        return value

    @property
    def values(self) -> list[float]:
        """All values, the shipped one among them."""
        return sorted({*self.tried, self.shipped})

    @property
    def label(self) -> str:
        """The constant's short name."""
        return f"{self.module.rsplit('.', 1)[-1]}.{self.name}"

    def places(self) -> Iterator[tuple[str, str, int]]:
        """Every module attribute that holds the value: modules may have imported it by name."""
        for name, module in list(sys.modules.items()):
            if name == self.module or (name.startswith("everlog.") and self._is_imported_by(module)):
                yield name, self.name, 0
        yield from self.also

    def _is_imported_by(self, module: ModuleType) -> bool:
        if self.name not in vars(module):
            return False
        return not re.search(rf"^{self.name}\b[^=]*=", _source(module), re.MULTILINE)


@cache
def _source(module: ModuleType) -> str:
    return inspect.getsource(module)


_CUTS, _DESIGNS = "everlog.extract.article.cuts_learn", "everlog.extract.article.designs"
_EXCERPT, _ARTICLE = "everlog.extract.article.excerpt", "everlog.extract.article.article_learn"
_ALIGN, _SIGNATURES, _CUTTING = "everlog.extract.article.align", "everlog.core.signatures", "everlog.markup.cutting"

CONSTANTS = (
    Constant(_CUTS, "CUT_SHARE", (0.6, 0.8, 0.95)),
    Constant(_CUTS, "FOREIGN", (0.1, 0.2, 0.3)),
    Constant(_CUTS, "NAMED_SHARE", (0.1, 0.2, 0.4)),
    Constant(_CUTS, "NAMELESS_SHARE", (0.3, 0.5, 0.7)),
    Constant(_CUTS, "KEEP_SHARE", (0.3, 0.5, 0.7)),
    Constant(_DESIGNS, "FULL", (0.65, 0.75, 0.85)),
    Constant(_DESIGNS, "FULL_DESPITE_ELLIPSIS", (0.9, 0.97, 0.99)),
    Constant(_DESIGNS, "NEARLY", (0.01, 0.02, 0.05)),
    Constant(_DESIGNS, "DOUBTFUL_GUESS", (0.5, 0.7, 0.85)),
    Constant(_DESIGNS, "UNREAD", (0.3, 0.5, 0.7)),
    Constant(_EXCERPT, "LINK_SHARE", (0.3, 0.5, 0.7)),
    Constant(_EXCERPT, "MOST_OF_PAGE", (0.4, 0.6, 0.8)),
    Constant(_EXCERPT, "DESIGN_SHARE", (0.3, 0.5, 0.7)),
    Constant(_EXCERPT, "SEQUENCE_SHARE", (0.3, 0.5, 0.7)),
    Constant(_ARTICLE, "NEAR_BEST", (0.1, 0.2, 0.3, 0.4)),
    Constant(_ARTICLE, "PRICE_OF_CUTS", (0, 0.01, 0.03)),
    Constant(_ARTICLE, "LEAST_GAIN", (0, 0.001, 0.005)),
    Constant(_ALIGN, "REACH", (2, 4, 8)),
    Constant(_ALIGN, "MIN_RUN", (2, 3, 4)),
    Constant(_SIGNATURES, "LABEL_WORDS", (6, 8, 10), ((_CUTTING, "_ENOUGH", 1),)),
    Constant(_SIGNATURES, "OPENING_WORDS", (1, 2, 3)),
    Constant(_SIGNATURES, "OWN_WORDS", (3, 4, 6)),
    Constant(_SIGNATURES, "OUTER_PLACES", (2, 3, 4)),
)
# Values of these also matter when a page is read, not only when a blog is learned.
READ_WITH = frozenset(constant.label for constant in CONSTANTS if constant.module == _SIGNATURES)

Setting = dict[str, float]
"""Label of a constant -> value; constants not named are as shipped."""
Scores = tuple[float, ...]
"""A blog's strict score in each of the modes."""


@dataclass(slots=True, kw_only=True)
class Outcome:
    """A blog's scores, one for each setting that was asked for; none if no post can be scored.

    `learned` are the rules that were learned with each setting, only to be compared.
    """

    blog: str
    posts: int = 0
    scores: list[Scores] = field(default_factory=list)
    learned: list[int] = field(default_factory=list)


class Pupil:
    """A blog made ready to be learned and read again and again."""

    def __init__(self, blog: Blog) -> None:
        self.texts: dict[str, str] = {}
        self.pages: dict[str, bytes] = {}
        for row in spread([row for row in unseen_posts(blog) if row.text and row.text_is_whole], POSTS):
            page = blog.truth_page(row)
            if page and row.text:
                self.texts[row.url], self.pages[row.url] = row.text, page
        self.lessons: list[tuple[Any, ...] | None] = []
        if self.pages:
            feed, linked = training(blog)
            for body in (feed, cut_feed(feed, blog.feed_url)):
                self.lessons.append(_lesson(body, linked, blog.feed_url))
        self.learned: list[str] = []
        self._known: dict[str, float] = {}

    def scores(self, setting: Setting) -> Scores:
        """Strict in each mode, with the constants of the setting in place; notes what was learned."""
        self.learned = []
        with changed(setting):
            read_with = {label: value for label, value in setting.items() if label in READ_WITH}
            return tuple(self._score(lesson, read_with) for lesson in self.lessons)

    def _score(self, lesson: tuple[Any, ...] | None, read_with: Setting) -> float:
        if lesson is None:
            return 0.0
        for sample in lesson[0]:
            sample.article = sample.view.article = None
        try:
            designs = learn_designs(*lesson)
        except Exception as error:  # noqa: BLE001 - a value that makes learning fail has the score it deserves
            say(f"  not learned: {error!r}")
            return 0.0
        # Most values change nothing on most blogs: what is read with the same rules is read once.
        rules = json.dumps(_rules(designs), sort_keys=True)
        self.learned.append(rules)
        key = rules + json.dumps(read_with, sort_keys=True)
        if key not in self._known:
            self._known[key] = self._read(designs, lesson[3])
        return self._known[key]

    def _read(self, designs: tuple[Design, ...], key_paths: KeyPaths) -> float:
        if not designs:
            return 0.0
        reader = Template(designs=designs, key_paths=key_paths).reader
        right = 0
        for url, page in self.pages.items():
            try:
                post = reader.read(page, url, None, None, html=False)
            except Exception as error:  # noqa: BLE001 - a crash on one page is a miss
                say(f"  {url} not read: {error!r}")
                continue
            right += isinstance(post, everlog.Post) and word_f1(self.texts[url], post.text) >= STRICT_F1
        return right / len(self.pages)


def _lesson(feed: bytes, pages: Mapping[str, bytes], url: str) -> tuple[Any, ...] | None:
    """What `everlog.learn` hands to `learn_designs`: all the work before it depends on no constant."""
    lessons: list[tuple[Any, ...]] = []

    def note(*arguments: Any) -> tuple[()]:
        lessons.append(arguments)
        return ()

    # A blog without designs cannot be learned, says `learn`: it always does here.
    with mock.patch.object(learning_blog, "learn_designs", note), suppress(everlog.EverlogError):
        everlog.learn(feed, pages, feed_url=url)
    return lessons[0] if lessons else None


def _rules(designs: Sequence[Design]) -> list[Any]:
    """The designs without their confidence, which nothing that is read depends on."""
    rules = []
    for design in designs:
        plain = design.to_dict() | {"confidence": None}
        plain["places"] = [place | {"confidence": None} for place in plain["places"]]
        rules.append(plain)
    return rules


def changed(setting: Setting, constants: Sequence[Constant] = CONSTANTS) -> ExitStack:
    """The constants of the setting put in place, until the end of the `with`."""
    stack = ExitStack()
    for constant in constants:
        if constant.label in setting:
            for module, name, more in constant.places():
                stack.enter_context(mock.patch.object(import_module(module), name, setting[constant.label] + more))
    return stack


def measure(blog: Blog, settings: Sequence[Setting]) -> Outcome:
    """One blog with every setting."""
    pupil = Pupil(blog)
    outcome = Outcome(blog=blog.id, posts=len(pupil.pages))
    for setting in settings if pupil.pages else ():
        outcome.scores.append(pupil.scores(setting))
        outcome.learned.append(zlib.crc32("\n".join(pupil.learned).encode()))
    return outcome


def measure_all(
    pool: ProcessPoolExecutor, blogs: Mapping[str, Blog], settings: Mapping[str, Sequence[Setting]],
) -> dict[str, Outcome]:
    """The settings of every blog; blogs without a post to score are left out."""
    start = time.perf_counter()
    outcomes: dict[str, Outcome] = {}
    tasks = [pool.submit(measure, blogs[name], wanted) for name, wanted in settings.items()]
    for done, task in enumerate(as_completed(tasks), 1):
        outcome = task.result()
        if outcome.scores:
            outcomes[outcome.blog] = outcome
        shown = ", ".join(f"{100 * score:.0f}" for score in outcome.scores[0]) if outcome.scores else "no posts"
        say(f"{done}/{len(tasks)} {outcome.blog}: {shown} ({time.perf_counter() - start:.0f} s)")
    return dict(sorted(outcomes.items()))


@dataclass(slots=True, kw_only=True)
class Result:
    """What was found: blog -> scores as shipped, with every value, and with what the folds chose.

    `moved` are the blogs whose rules change with some value of a constant: proof that it was varied.
    """

    shipped: dict[str, Scores]
    tried: dict[str, dict[float, dict[str, Scores]]]
    chosen: dict[str, list[float]]
    moved: dict[str, set[str]]
    together: dict[str, Scores] = field(default_factory=dict)
    posts: int = 0

    def held_out(self, label: str) -> dict[str, Scores]:
        """Each blog's scores with the value that the other folds chose for one constant."""
        return {blog: self.tried[label][self.chosen[label][fold_of(blog)]][blog] for blog in self.shipped}

    def setting_of(self, blog: str) -> Setting:
        """What the other folds choose for all constants."""
        return {label: values[fold_of(blog)] for label, values in self.chosen.items()}


def crossvalidate(blogs: Sequence[Blog], jobs: int) -> Result:
    """Measures everything."""
    settings: list[Setting] = [{}]
    settings += [{constant.label: value} for constant in CONSTANTS
                 for value in constant.values if value != constant.shipped]
    by_name = {blog.id: blog for blog in blogs}
    # "spawn": lxml and numpy start threads of their own, which forked children lose.
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        outcomes = measure_all(pool, by_name, dict.fromkeys(by_name, settings))
        shipped = {name: outcome.scores[0] for name, outcome in outcomes.items()}
        tried: dict[str, dict[float, dict[str, Scores]]] = {
            constant.label: {constant.shipped: shipped} for constant in CONSTANTS
        }
        moved: dict[str, set[str]] = {constant.label: set() for constant in CONSTANTS}
        for at, setting in enumerate(settings[1:], 1):
            (label, value), = setting.items()
            moved[label] |= {name for name, outcome in outcomes.items() if outcome.learned[at] != outcome.learned[0]}
            tried[label][value] = {name: outcome.scores[at] for name, outcome in outcomes.items()}
        chosen = {
            constant.label: [best_value(tried[constant.label], constant.shipped, fold) for fold in range(FOLDS)]
            for constant in CONSTANTS
        }
        result = Result(shipped=shipped, tried=tried, chosen=chosen, moved=moved,
                        posts=sum(outcome.posts for outcome in outcomes.values()))
        say("all constants at once")
        again = measure_all(pool, by_name, {name: [result.setting_of(name)] for name in shipped})
        result.together = {name: outcome.scores[0] for name, outcome in again.items()}
    return result


def best_value(tried: Mapping[float, Mapping[str, Scores]], shipped: float, fold: int) -> float:
    """The value that does best on the blogs outside a fold; the shipped one if none is better."""
    def score(value: float) -> float:
        return overall({blog: scores for blog, scores in tried[value].items() if fold_of(blog) != fold})

    best = max(tried, key=score)
    return best if score(best) > score(shipped) + EQUAL else shipped


def overall(scores: Mapping[str, Scores]) -> float:
    """The mean over blogs and modes."""
    return mean(map(mean, scores.values())) or 0.0


def in_mode(scores: Mapping[str, Scores], mode: int) -> float:
    """The mean over blogs in one mode."""
    return mean(row[mode] for row in scores.values()) or 0.0


def fold_of(blog: str) -> int:
    """The fold of a blog, the same on every machine."""
    return zlib.crc32(blog.encode()) % FOLDS


def error_of_difference(one: Mapping[str, Scores], other: Mapping[str, Scores]) -> float:
    """The standard error of the difference of two overall scores, blog by blog."""
    gaps = [(mean(other[blog]) or 0.0) - (mean(one[blog]) or 0.0) for blog in one]
    return stdev(gaps) / len(gaps) ** 0.5 if len(gaps) > 1 else 0.0


def render(result: Result) -> str:
    """Two tables: the verdict, and the constants one by one."""
    sizes = Counter(map(fold_of, result.shipped))
    about = (f"{len(result.shipped)} blogs in {FOLDS} folds ({', '.join(str(sizes[n]) for n in range(FOLDS))} blogs), "
             f"up to {POSTS} posts of each, {result.posts:,} in all; {len(CONSTANTS)} constants, "
             f"{sum(len(constant.values) for constant in CONSTANTS)} values. "
             "Strict in per cent, means over blogs; \"rules change on\" so many blogs with one of the values; "
             "± is the standard error of the difference over blogs.")
    return "\n\n".join((_verdict(result), _constants(result), about))


def _verdict(result: Result) -> str:
    rows = [_row("shipped values", result.shipped, result.shipped)]
    rows.append(_row("values chosen on the other folds", result.together, result.shipped))
    return markdown_table(["held-out blogs read with", *MODES, "both", "difference"], rows)


def _row(name: str, scores: Mapping[str, Scores], shipped: Mapping[str, Scores]) -> list[str | None]:
    modes = [_percent(in_mode(scores, mode)) for mode in range(len(MODES))]
    gap = overall(scores) - overall(shipped)
    error = error_of_difference(shipped, scores)
    return [name, *modes, _percent(overall(scores)),
            None if scores is shipped else f"{100 * gap:+.2f} ± {100 * error:.2f}"]


def _constants(result: Result) -> str:
    rows = []
    for constant in CONSTANTS:
        tried = result.tried[constant.label]
        counts = Counter(result.chosen[constant.label])
        gap = overall(result.held_out(constant.label)) - overall(result.shipped)
        rows.append([
            f"`{constant.label}`",
            " ".join(f"**{value:g}**" if value == constant.shipped else f"{value:g}" for value in constant.values),
            len(result.moved[constant.label]),
            *(_range([in_mode(scores, mode) for scores in tried.values()]) for mode in range(len(MODES))),
            ", ".join(f"{value:g}" + (f" ({times}×)" if times < FOLDS else "")
                      for value, times in sorted(counts.items())),
            f"{100 * gap:+.2f}",
        ])
    heads = ["constant", "tried (**shipped**)", "rules change on", *(f"range, {mode}" for mode in MODES),
             "folds choose", "held out − shipped"]
    return markdown_table(heads, rows)


def _range(scores: Sequence[float]) -> str:
    low, high = _percent(min(scores)), _percent(max(scores))
    return low if low == high else f"{low} to {high}"


def _percent(share: float) -> str:
    return f"{100 * share:.2f}"


def as_json(result: Result) -> str:
    """Blog by blog, shares in [0, 1]: pairs of normal and cut feeds."""
    return json.dumps({
        "folds": {blog: fold_of(blog) for blog in result.shipped},
        "shipped": result.shipped,
        "tried": {label: {f"{value:g}": scores for value, scores in tried.items()}
                  for label, tried in result.tried.items()},
        "chosen": result.chosen,
        "moved": {label: sorted(blogs) for label, blogs in result.moved.items()},
        "held_out_together": result.together,
    }, ensure_ascii=False, indent=1)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_corpus_arguments(parser)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    arguments = parser.parse_args()
    result = crossvalidate(chosen_blogs(arguments), arguments.jobs)
    if not result.shipped:
        sys.exit("none of these blogs has a post outside its feed: nothing to measure")
    print(as_json(result) if arguments.json else render(result))


if __name__ == "__main__":
    main()
