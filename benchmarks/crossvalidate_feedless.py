"""Cross-validation by blog of the thresholds that tell posts and titles without a feed.

    python benchmarks/crossvalidate_feedless.py                    # the whole corpus, five minutes of two cores
    python benchmarks/crossvalidate_feedless.py --blogs 12         # a first look
    python benchmarks/crossvalidate_feedless.py --json > cv.json   # every blog's scores with every setting

Every blog is walked once, without its feed. Then its posts are recognised again with every setting of a grid: the
shipped one, each constant changed alone, and settings in which all are drawn at random. Scored is what is recognised
among the walked pages whose kind is known, and then what it teaches: the judge on all labelled pages (post or not), the
template on posts outside the served feed (article strict, title).

Titles have a grid of their own: they are guessed for the pages of the blog's feed, which says what they are, and for
the recognised posts whose titles are known.

The blogs are dealt into ten folds. Each fold gets the setting that is best on the other nine, by the mean of the
columns it is chosen by; the shipped one, if it is as good as any. *Held out* is what the folds score with these,
*best of all* the setting that is best on all blogs at once. The folds are dealt in five ways.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
import zlib
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from statistics import stdev
from typing import TYPE_CHECKING, Any
from unittest import mock

from blogs import add_corpus_arguments, chosen_blogs, say, spread, training
from crossvalidate import EQUAL, Constant, changed
from everlog.core.tree import parse
from everlog.core.urls import canonical
from everlog.errors import EverlogError
from everlog.evaluate.scoring import mean, plain, score_post
from everlog.evaluate.without_feed import walk
from everlog.extract.feedless import feedless_titles as titles
from everlog.extract.feedless import made_feed as making
from everlog.extract.feedless import recognise
from everlog.feeds import parse_feed
from everlog.markup.view import View
from everlog.records import Post
from papers.post_classifier import labelled_pages
from papers.readers import collected
from processes import over_blogs
from tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from crossvalidate import Setting
    from everlog.core.tree import Element
    from everlog.evaluate.corpus import Blog
    from everlog.extract.feedless import Explored, Explorer, Learned

FOLDS, DEALS = 10, 5
POSTS = 10
DRAWN, SEED = 24, 20
_RECOGNISE, _TITLES = "everlog.extract.feedless.recognise", "everlog.extract.feedless.feedless_titles"
recognising = sys.modules[_RECOGNISE]

RECOGNISER = (
    Constant(_RECOGNISE, "DESIGN", (0.3, 0.4, 0.7)),
    Constant(_RECOGNISE, "MORE_HEADINGS", (2, 5)),
    Constant(_RECOGNISE, "FEWEST_WORDS", (5, 20, 30)),
    Constant(_RECOGNISE, "DATED", (0.3, 0.7)),
    Constant(_RECOGNISE, "LISTED", (0.3, 0.7)),
    Constant(_RECOGNISE, "SHARED", (0.6, 0.95)),
    Constant(_RECOGNISE, "FEWEST_LISTED", (2, 6)),
    Constant(_RECOGNISE, "FEWEST_SIGNS", (2, 10)),
    Constant(_RECOGNISE, "LACKING", (0.15, 0.5)),
)
GUESSER = (
    Constant(_TITLES, "AFFIX_SHARE", (0.5, 0.65, 0.8, 0.95)),
    Constant(_TITLES, "MOST_AFFIXES", (1, 3)),
    Constant(_TITLES, "VOTE_FOR_MORE", (0.0, 0.25, 0.75)),
    Constant(_TITLES, "MOST_WORDS", (20, 30, 80)),
)
# Multiplies what places made for titles are given beforehand.
PRIOR = "titles prior ×"
PRIORS = (0.0, 1.0, 2.0)

COLUMNS = {
    "recogniser": ("recognised", "post or not", "article strict", "title read"),
    "titles": ("of the feed's pages", "of recognised posts"),
}
# The title read is shown beside the others, and nothing is chosen by it.
CHOSEN_BY = {"recogniser": 3, "titles": 2}
Scores = tuple[float | None, ...]


@dataclass(slots=True, kw_only=True)
class Outcome:
    """Part -> a blog's scores with each of its settings; None where the blog has nothing to score."""

    scores: dict[str, list[Scores]] = field(default_factory=lambda: {part: [] for part in COLUMNS})
    pages: int = 0
    posts: int = 0
    lessons: int = 0
    """How many different sets of posts were recognised."""


def grid(part: str) -> list[Setting]:
    """The shipped setting, each constant changed alone, and some drawn ones; the same every time."""
    constants = RECOGNISER if part == "recogniser" else GUESSER
    choices: dict[str, Sequence[float]] = {constant.label: constant.values for constant in constants}
    shipped = {constant.label: constant.shipped for constant in constants}
    if part == "titles":
        choices[PRIOR], shipped[PRIOR] = PRIORS, 1.0
    alone = [{label: value} for label, values in choices.items() for value in values if value != shipped[label]]
    chance = random.Random(SEED)  # noqa: S311 - draws must be the same every time
    drawn = [{label: chance.choice(values) for label, values in choices.items()} for _ in range(DRAWN)]
    return [{}, *alone, *drawn]


def measure(blog: Blog) -> Outcome:
    """One blog with every setting."""
    outcome = Outcome()
    pupil = Pupil(blog)
    outcome.pages, outcome.posts = len(pupil.labelled), len(pupil.known)
    with pupil.remembered():
        outcome.scores["recogniser"] = [pupil.taught(setting) for setting in grid("recogniser")]
    outcome.lessons = len(pupil.lessons)
    outcome.scores["titles"] = [pupil.guessed(setting) for setting in grid("titles")]
    return outcome


class Pupil:
    """A blog that was walked once, to be learned again and again."""

    def __init__(self, blog: Blog) -> None:
        self.blog = blog
        self.explorer: Explorer | None = None
        try:
            self.explorer = walk(blog)
        except EverlogError as error:
            say(f"  {blog.id} not walked: {error}")
        self.labelled: list[tuple[str, Element | bytes, bool]] = []
        if (blog.folder / "pages.jsonl").is_file():
            self.labelled = [(url, _parsed(page), is_post) for url, page, is_post in labelled_pages(blog)]
        kinds = {canonical(url): is_post for url, _, is_post in self.labelled}
        self._walked = {
            page.url: kinds[page.key] for page in (self.explorer.pages if self.explorer else ()) if page.key in kinds
        }
        self.known = [(row, page) for row in spread(collected(blog), POSTS) if (page := blog.truth_page(row))]
        self.lessons: dict[tuple[str, ...], Scores] = {}
        self._asked = list(self._titles()) if self.explorer else []

    def taught(self, setting: Setting) -> Scores:
        """What is recognised; then post or not, article and title, once learned from it."""
        if self.explorer is None:
            return None, *self._scored(None)
        with changed(setting, RECOGNISER):
            posts = recognise(self.explorer.pages, self.explorer.home)
        key = tuple(post.url for post in posts)
        if key not in self.lessons:
            told = mean(float((url in key) == is_post) for url, is_post in self._walked.items())
            self.lessons[key] = (told, *self._scored(self._learned(posts)))
        return self.lessons[key]

    def guessed(self, setting: Setting) -> Scores:
        """The share of titles guessed rightly, of the feed's pages and of recognised posts."""
        factor = setting.get(PRIOR, 1.0)
        shipped = titles._prior
        with changed(setting, GUESSER), mock.patch.object(titles, "_prior", lambda *at: factor * shipped(*at)):
            return tuple(_share_right(*asked) for asked in self._asked)

    def _learned(self, posts: list[Explored]) -> Learned | None:
        assert self.explorer is not None
        with mock.patch.object(making, "recognise", return_value=posts):
            try:
                return making.learn_explored(self.explorer)
            except EverlogError:
                return None

    def _scored(self, learned: Learned | None) -> Scores:
        told = mean(self._is_right(learned, *row) for row in self.labelled)
        reader = learned.template.reader if learned else None
        rows = []
        for row, page in self.known:
            try:
                post = reader.read(page, row.url, None, None, html=False) if reader else None
            except EverlogError:
                post = None
            rows.append(score_post(row, post if isinstance(post, Post) else None))
        return told, mean(row.get("strict") for row in rows), mean(row.get("title") for row in rows)

    @staticmethod
    def _is_right(learned: Learned | None, url: str, page: Element | bytes, is_post: bool) -> bool:  # noqa: FBT001
        return is_post == (learned is not None and learned.classifier.verdict(url, page).kind == "post")

    def _titles(self) -> Iterator[tuple[list[View], Mapping[str, frozenset[str]], dict[str, str]]]:
        """Pages, links to them and their titles: once the feed's, once those that are recognised."""
        assert self.explorer is not None
        feed, pages = training(self.blog)
        entries = {entry.link: entry.title for entry in parse_feed(feed, self.blog.feed_url).entries if entry.title}
        views = [View(root, url) for url, page in pages.items() if not isinstance(root := _parsed(page), bytes)]
        yield views, {}, {url: title for url, title in entries.items() if url}
        posts = recognise(self.explorer.pages, self.explorer.home)
        known = {canonical(row.url): row.title for row in self.blog.truth() if row.title}
        links = making._anchors(posts, self.explorer.pages)
        yield [post.view for post in posts], links, {post.url: known[post.key] for post in posts if post.key in known}

    def remembered(self) -> Any:
        """Recognising without reading pages again: what depends on no constant is kept, for this blog."""
        keys: dict[str, Callable[..., object]] = {
            "headed_keys": lambda _, url: url,
            "page_links": lambda _, url, within: (url, within.home),
            "features_of": id,
            "identity": lambda url, _, home, repeated=(): (url, home, frozenset(repeated)),
            "common_sequences": lambda layouts, _, least: (len(layouts), least),
            "stated_targets": lambda samples, languages: (tuple(sample.url for sample in samples), languages),
        }
        kept: dict[str, Any] = {name: _kept(getattr(recognising, name), key) for name, key in keys.items()}
        return mock.patch.multiple(recognising, **kept)


def _kept(function: Callable[..., Any], key_of: Callable[..., object]) -> Callable[..., Any]:
    known: dict[object, Any] = {}

    def asked(*arguments: Any, **named: Any) -> Any:
        key = key_of(*arguments, **named)
        if key not in known:
            known[key] = function(*arguments, **named)
        return known[key]

    return asked


def _parsed(page: bytes) -> Element | bytes:
    try:
        return parse(page)
    except EverlogError:
        return page


def _share_right(
    views: list[View], links: Mapping[str, frozenset[str]], known: Mapping[str, str],
) -> float | None:
    guesses = titles.guess_titles(views, links)
    return mean(
        float(plain(guess) == plain(known[view.url]))
        for view, guess in zip(views, guesses, strict=True) if view.url in known
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Validated:
    """Setting by setting and blog by blog, and what ten folds choose of it."""

    part: str
    blogs: Mapping[str, list[Scores]]

    def columns(self, chosen: Callable[[str], int]) -> list[float | None]:
        """The mean over blogs of each column, each blog with the setting that is chosen for it."""
        rows = [scores[chosen(blog)] for blog, scores in self.blogs.items()]
        return [mean(column) for column in zip(*rows, strict=True)]

    def best(self, among: Sequence[str]) -> int:
        """The setting that does best on these blogs; the shipped one if it is as good as any."""
        by = CHOSEN_BY[self.part]
        rows = [[self.blogs[blog][at][:by] for blog in among] for at in range(len(grid(self.part)))]
        means = [mean(mean(column) for column in zip(*row, strict=True)) or 0.0 for row in rows]
        best = max(range(len(means)), key=means.__getitem__)
        return best if means[best] > means[0] + EQUAL else 0

    def choices(self, deal: int) -> list[tuple[list[str], int]]:
        """Folds, as even as can be, each with the setting that the other nine choose."""
        order = sorted(self.blogs, key=lambda blog: zlib.crc32(f"{deal} {blog}".encode()))
        folds = [order[place::FOLDS] for place in range(FOLDS)]
        return [(fold, self.best([blog for blog in order if blog not in fold])) for fold in folds]

    def error(self, chosen: Mapping[str, int], column: int) -> float:
        """The standard error over blogs of the difference to the shipped setting."""
        gaps = [
            ours - scores[0][column] for blog, scores in self.blogs.items()  # type: ignore[operator]
            if (ours := scores[chosen[blog]][column]) is not None
        ]
        return stdev(gaps) / len(gaps) ** 0.5 if len(gaps) > 1 else 0.0


def render(validated: Validated) -> str:
    """The figures of one part: in sample, held out, and constant by constant."""
    part, settings = validated.part, grid(validated.part)
    best = validated.best(list(validated.blogs))
    rows = [
        ["shipped, all blogs (in sample)", *map(_percent, validated.columns(lambda _: 0))],
        ["best of all on all blogs (in sample)", *map(_percent, validated.columns(partial(_always, best)))],
    ]
    chosen = Counter[int]()
    for deal in range(DEALS):
        choices = validated.choices(deal)
        chosen.update(setting for _, setting in choices)
        held = {blog: setting for fold, setting in choices for blog in fold}
        figures = enumerate(validated.columns(held.__getitem__))
        rows.append([
            f"held out, deal {deal + 1}",
            *(f"{_percent(value)} (± {100 * validated.error(held, at):.2f})" for at, value in figures),
        ])
    counted = [sum(value is not None for value in column) for column in _first(validated)]
    heads = [part, *(f"{name} ({count} blogs)" for name, count in zip(COLUMNS[part], counted, strict=True))]
    alone = [
        [f"`{label}` = {value:g}", *map(_percent, validated.columns(partial(_always, at)))]
        for at, setting in enumerate(settings) if len(setting) == 1 for label, value in setting.items()
    ]
    named = "; ".join(f"{times}× {_named(settings[at])}" for at, times in chosen.most_common())
    return "\n\n".join((
        f"{len(settings)} settings. The best of all: {_named(settings[best])}. The folds choose: {named}.",
        markdown_table(heads, rows), markdown_table(["alone", *COLUMNS[part]], alone),
    ))


def _first(validated: Validated) -> list[tuple[float | None, ...]]:
    """The columns of the shipped setting, blog by blog."""
    return list(zip(*(scores[0] for scores in validated.blogs.values()), strict=True))


def _always(setting: int, _: str) -> int:
    return setting


def _named(setting: Setting) -> str:
    return ", ".join(f"{label} {value:g}" for label, value in setting.items()) or "as shipped"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.2f}"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_corpus_arguments(parser)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    arguments = parser.parse_args()
    begun, outcomes = time.perf_counter(), {}
    for blog, outcome in over_blogs(measure, chosen_blogs(arguments), jobs=arguments.jobs):
        outcomes[blog.id] = outcome
        shown = " ".join(_percent(score) for part in COLUMNS for score in (outcome.scores[part] or [()])[0])
        say(f"{len(outcomes)} {blog.id}: {shown}; {outcome.lessons} lessons ({time.perf_counter() - begun:.0f} s)")
    parts = [
        Validated(part=part, blogs={name: one.scores[part] for name, one in sorted(outcomes.items())})
        for part in COLUMNS
    ]
    if arguments.json:
        print(json.dumps({part.part: {"settings": grid(part.part), "blogs": part.blogs} for part in parts}, indent=1))
        return
    print(f"{sum(one.pages for one in outcomes.values()):,} labelled pages, "
          f"{sum(one.posts for one in outcomes.values()):,} posts\n")
    print("\n\n".join(map(render, parts)))


if __name__ == "__main__":
    main()
