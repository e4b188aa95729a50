"""Does a blog still look as its rules know it? They are tried on pages of which the feed says what they show."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everlog.core.layout import Layout, Vocabulary
from everlog.core.similarity import similarity
from everlog.core.tree import parse
from everlog.core.words import comparable, words
from everlog.errors import UnreadablePage
from everlog.extract.article.align import align
from everlog.extract.article.cuts_learn import Marked
from everlog.extract.article.feed_text import Target, target_of
from everlog.extract.article.marking import FULL
from everlog.extract.article.training import FULL_TEXTS, PAGES
from everlog.extract.extractors.extractor import is_placed
from everlog.extract.fields.title_learn import entry_title
from everlog.records import Entry, Page, Post

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.extract.classify import PostClassifier
    from everlog.extract.template import Template

# Fewer words of an entry on its page say too little about where the article is.
FEWEST_WORDS = 8
# The evidence: rules learned from the older half of each of 84 feeds, tried on the 415 pages of the newer half. These
# call 12 of them lost (3 by the article, 2 by the title, 7 by the judge of posts), and of no blog more than 2 of 5.
#
# An article is lost when it is so much less like the feed's text than those were that the rules were learned from:
# whole articles of the newer half are at most 0.09 below.
ARTICLE_FELL = 0.3
# Of an excerpt, so much must be in what is read. Some feeds write excerpts of their own: one blog has 0.4 to 0.7 of
# them in its articles.
BEGINNING_LOST = 0.33
# Titles are read word for word on all pages but 6: four differ by a sign (0.94), two are of another kind of post (0.0).
TITLE_LOST, TITLE_SURE = 0.9, 0.8
# So many of the newest posts in a row need no older ones beside them to tell of a redesign: some blogs show only new
# posts in a new design. Of the 84 blogs none has more than 2 lost pages in a row.
ENOUGH_NEW = 3
# One lost page is one odd post, whatever else is not there to be looked at.
FEWEST_LOST = 2
# Reasoned: a change of rules for less would be a change for chance's sake. Redesigned pages go from below 0.5 to 0.9
# and more.
BETTER = 0.05
# Reasoned: below, most of what the feed says is not what was read. Walls and pages of repairs reach 0.
EVIDENT = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How well a page is read whose entry in the feed is known.

    `article` and `title` are how like the feed's they are, in [0, 1]; None where the feed does not say.
    `is_told` says that the page passes for a post, `is_placed` that its article is where the blog's articles are.
    `lost` says in words what is read clearly worse than when the rules were learned; None if nothing is.
    """

    article: float | None = None
    title: float | None = None
    is_told: bool = False
    is_placed: bool = False
    lost: str | None = None

    @property
    def said(self) -> float | None:
        """How like the feed all is that the feed says, in [0, 1]; None if it says nothing."""
        known = [value for value in (self.article, self.title) if value is not None]
        return sum(known) / len(known) if known else None

    @property
    def score(self) -> float:
        """All of it as one figure, in [0, 1]: a page that is told and placed but read wrong has half of it."""
        told = (self.is_told + self.is_placed) / 2
        return told if self.said is None else (told + self.said) / 2


def fit_of(entry: Entry, page: Page, template: Template, classifier: PostClassifier) -> Fit:
    """How well a template, and the classifier that was learned with it, read the page of an entry."""
    # Whoever set a rule by hand may want something else than the feed says: that is no redesign.
    template = template.as_learned
    title = comparable(entry_title(entry.title))
    try:
        root = parse(page.body, page.content_type)
    except UnreadablePage as error:
        return Fit(title=0.0 if title else None, lost=error.message)
    vocabulary = Vocabulary()
    layout, target = Layout(root, vocabulary), target_of(entry, vocabulary)
    marks = align(layout.words, target.words)
    # A feed of descriptions says nothing of the article.
    is_enough = int(marks.sum()) >= FEWEST_WORDS and not _is_taught_by_pages(template)
    is_told = classifier.verdict(page.url, root).kind == "post"
    # Reading takes the tree apart.
    read = template.reader.read_parsed(root, page.url, page.fetched_at, html=False, may_have_comments=False)
    if not isinstance(read, Post):
        nothing = Fit(article=0.0 if is_enough else None, title=0.0 if title else None, is_told=is_told)
        return replace(nothing, lost=read.reason)
    is_whole = _has_whole_texts(template) and _is_whole(target, Marked.make(layout, marks, len(target.words)))
    said = (target.words if is_whole else layout.words[marks]).tolist()
    found = Counter(vocabulary[word] for word in words(read.text))
    fit = Fit(
        article=_likeness(found, said, is_whole=is_whole) if is_enough else None,
        title=_likeness_of_titles(comparable(read.title or ""), title) if title else None,
        is_told=is_told, is_placed=read.provenance["text"].rule in _places(template),
    )
    return replace(fit, lost=_what_is_lost(fit, template, is_whole=is_whole))


def is_suspicious(new: Sequence[Fit]) -> bool:
    """Whether most of the new posts' pages are read worse than they should be.

    >>> is_suspicious([Fit(lost="its article"), Fit()]), is_suspicious([Fit(lost="its article")])
    (False, True)
    """
    return _count_lost(new) * 2 > len(new)


def has_changed(new: Sequence[Fit], others: Sequence[Fit]) -> bool:
    """Whether the blog was redesigned, and not only some new posts are odd: other pages of it are lost too.

    `others` are the newest of the posts that were known before.

    >>> odd, usual = Fit(lost="its article"), Fit()
    >>> has_changed([odd], [usual] * 4), has_changed([odd], [odd] * 3 + [usual]), has_changed([odd] * 3, [usual] * 4)
    (False, True, True)
    """
    if not is_suspicious(new) or _count_lost(new) + _count_lost(others) < FEWEST_LOST:
        return False
    newest = [*new, *others][:ENOUGH_NEW]
    in_a_row = len(newest) == ENOUGH_NEW == _count_lost(newest)
    return shows_everywhere(others) or not others or in_a_row or _count_lost(new) >= ENOUGH_NEW


def shows_everywhere(others: Sequence[Fit]) -> bool:
    """Whether older posts wear the new design too."""
    return bool(others) and _count_lost(others) * 2 > len(others)


def reads_better(after: Sequence[Fit], before: Sequence[Fit]) -> bool:
    """Whether new rules read the same pages clearly better than the old ones did, and the feed bears them out.

    >>> good, bad = Fit(article=1.0, is_told=True, is_placed=True), Fit(article=0.0)
    >>> reads_better([good], [bad]), reads_better([good], [good]), reads_better([Fit(is_placed=True)], [bad])
    (True, False, False)
    """
    said = [fit.said for fit in after if fit.said is not None]
    if not said or sum(said) / len(said) < EVIDENT:
        return False
    return mean_score(after) >= mean_score(before) + BETTER


def mean_score(fits: Sequence[Fit]) -> float:
    """How well pages are read on the whole, in [0, 1]."""
    return sum(fit.score for fit in fits) / len(fits) if fits else 0.0


def _count_lost(fits: Sequence[Fit]) -> int:
    return sum(fit.lost is not None for fit in fits)


def _is_taught_by_pages(template: Template) -> bool:
    return bool(template.designs) and template.designs[0].method == PAGES


def _has_whole_texts(template: Template) -> bool:
    return bool(template.designs) and template.designs[0].method == FULL_TEXTS


def _is_whole(target: Target, page: Marked) -> bool:
    """Whether an entry has all of the article: feeds of whole articles have single excerpts too."""
    return not target.is_broken_off and bool(page.dice()[page.containers].max(initial=0.0) >= FULL)


def _likeness(found: Counter[int], said: list[int], *, is_whole: bool) -> float:
    """F1 of the words where the feed has whole articles; of an excerpt, how much of what the page shows was read."""
    wanted = Counter(said)
    shared = (found & wanted).total()
    return 2 * shared / (found.total() + wanted.total()) if is_whole else shared / wanted.total()


def _likeness_of_titles(one: str, other: str) -> float:
    return 1.0 if one == other else similarity(one, other)


def _places(template: Template) -> set[str | None]:
    return {rule.where for design in template.designs for rule in design.places if is_placed(rule)}


def _what_is_lost(fit: Fit, template: Template, *, is_whole: bool) -> str | None:
    if not fit.is_told:
        return "it no longer looks like a post of the blog"
    if not fit.is_placed and _places(template):
        return "its article is not where the blog's articles were"
    least = template.designs[0].score - ARTICLE_FELL if is_whole else BEGINNING_LOST
    if fit.article is not None and fit.article < least:
        return f"its article matches only {fit.article:.0%} of what the feed says"
    sure = template.confidence().get("title") or 0.0
    if fit.title is not None and fit.title < TITLE_LOST and sure >= TITLE_SURE:
        return f"its title matches only {fit.title:.0%} of what the feed says"
    return None
