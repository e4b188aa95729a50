"""Learning how a blog shows its comments, from pages and the comment feeds of the same posts.

The way of the BlogForever paper: the text first, which fixes how many comments there are, then what
stands around it. The markup of a known engine takes part, and the feeds decide.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.comments.comment_markup import Markup, explained, read_selected
from everlog.comments.comment_rules import CommentRule, CommentRules
from everlog.comments.engines import CUT, KNOWN
from everlog.comments.learn.comment_samples import CommentSample, samples_of
from everlog.comments.learn.content import Content, Judged, learn_content, matched
from everlog.comments.learn.parts_learn import Matched, learn_around
from everlog.core.similarity import similarity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from everlog.core.tree import Element
    from everlog.records import Comment

# Pages that teach: more only cost time.
MOST_TAUGHT = 15
# Comments read by learned rules say that they stand in the page.
NAME = "page"
# Blogs change their design, and pages of the old one may be left as they were.
_MOST_RULES = 3
# Rules for the text for which the rest is looked for.
_MOST_TRIED = 3
# Elements less alike to their comment do not show where its author and date stand.
_LIKE_ENOUGH = 0.6
# A rule that explains less of the feeds finds something else than comments.
_WORTH_KEEPING = 0.5
_SAME_TEXT = 0.8


def learn_comments(pairs: Sequence[tuple[Element, str, Sequence[Comment]]]) -> CommentRules | None:
    """The rules by which a blog's pages are read for comments; None where the feeds teach nothing.

    `pairs` are pages (the parsed `html` element and its address), each with the comments of its own
    comment feed. Pages without comments are welcome: they show what is no comment.
    """
    samples = samples_of(pairs[:MOST_TAUGHT])
    ranked: list[CommentRule] = []
    left = samples
    while len(ranked) < _MOST_RULES and any(sample.targets for sample in left):
        rule = _learn(left)
        if rule is None or (ranked and len(left) < 2):
            break
        ranked.append(rule)
        left = [sample for sample in left if sample.targets and not _reads(rule.markup, sample)]
    if not ranked:
        return None
    return CommentRules(ranked=tuple(ranked), learned_from=sum(bool(sample.targets) for sample in samples))


def _learn(samples: Sequence[CommentSample]) -> CommentRule | None:
    """The best rule for these pages: one that was learned, or a known one if that does better."""
    judged = learn_content(samples)
    rivals: list[Markup] = []
    learned = next(filter(None, (_markup(rule.content, samples) for rule in judged[:_MOST_TRIED])), None)
    if learned is not None:
        # Pages that taught nothing may hold what is no text either, such as a note of the moderator; what is
        # usually cut is cut here too, if that does no harm.
        rivals = [replace(learned, cut=(*learned.cut, *CUT)), learned]
    if (known := _known(samples)) is not None:
        rivals.append(known)
    scores = [measure(markup, samples) for markup in rivals]
    if not scores or max(scores) < _WORTH_KEEPING:
        return None
    # Of equal ones the first: what was learned knows this blog's other pages too.
    best = max(range(len(rivals)), key=lambda place: (round(scores[place], 2), -place))
    confidence = scores[best] if rivals[best] is known else _left_out(judged)
    return CommentRule(markup=rivals[best], confidence=round(confidence, 4))


def _markup(content: Content, samples: Iterable[CommentSample]) -> Markup | None:
    """The markup of comments whose text is found so; None without a name or date beside it."""
    pairs = [
        Matched(sample, element, comment)
        for sample in samples
        for element, comment, likeness in matched(content, sample)
        if likeness >= _LIKE_ENOUGH
    ]
    around = learn_around(content.selector, pairs) if pairs else None
    if around is None or not (around.author or around.date):
        return None
    return Markup(name=NAME, text=content.text, cut=content.cuts, **around._asdict())


def _known(samples: Sequence[CommentSample]) -> Markup | None:
    """The known markup that explains most of the pages."""
    worth = {markup: sum(explained(sample.page, markup) for sample in samples) for markup in KNOWN}
    best = max(worth, key=lambda markup: worth[markup], default=None)
    return best if best is not None and worth[best] else None


def measure(markup: Markup, samples: Iterable[CommentSample]) -> float:
    """How well a markup reads the feeds' comments, in [0, 1]: recall times precision, the mean over the comments.

    Precision counts only where the feed has all comments of its page.
    """
    total, wanted = 0.0, 0
    for sample in samples:
        comments = read_selected(sample.page, sample.url, markup).comments
        right = _pairs(sample, comments)
        spare = 0 if sample.is_cut else max(0, len(comments) - right - sample.untold)
        weight = len(sample.targets) or min(1, spare)
        total += weight * right / max(1, len(sample.targets)) * right / max(1, right + spare)
        wanted += weight
    return total / max(1, wanted)


def _pairs(sample: CommentSample, comments: Sequence[Comment]) -> int:
    """How many of the feed's comments were read; by id where both have one, else by the text."""
    by_id = {comment.id: comment for comment in comments if comment.id is not None}
    texts = [" ".join(comment.text.split()) for comment in comments]
    whole = set(texts)
    count = 0
    for target in sample.targets:
        same = by_id.get(target.id) if target.id is not None else None
        if same is not None:
            count += similarity(same.text, target.text) >= _SAME_TEXT
        elif " ".join(target.text.split()) in whole:
            count += 1
        else:
            count += any(similarity(text, target.text) >= _SAME_TEXT for text in texts)
    return count


def _left_out(judged: Sequence[Judged]) -> float:
    """How well the best rule of the other pages does on each page that did not help to choose it."""
    total = weighed = 0.0
    weights = judged[0].weights
    if sum(map(bool, weights)) < 3:
        return judged[0].score
    for left, weight in enumerate(weights):
        best = max(judged, key=lambda rule: round(rule.score_without(left), 2))
        total += weight * best.scores[left]
        weighed += weight
    return total / weighed if weighed else 0.0


def _reads(markup: Markup, sample: CommentSample) -> bool:
    """Whether a page needs no other rule."""
    comments = read_selected(sample.page, sample.url, markup).comments
    return 2 * _pairs(sample, comments) >= len(sample.targets)
