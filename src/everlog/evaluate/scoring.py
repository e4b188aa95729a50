"""How close a post that was read is to the truth, field by field, each in [0, 1].

    found     the post was read at all
    strict    article: F1 of words (characters for CJK) of at least 0.95
    f1        article: that F1
    paper     article: Dice of character bigrams above 0.5, the measure of the BlogForever paper
    title     equal after Unicode form, case, punctuation and white space
    author    one of the truth's authors is among the authors
    date      the same day or the one next to it: pages show local time, feeds often UTC
    day       exactly the same day
    tags      F1 of the sets
    com_r     recall of comments, where the truth has all of them; com_p their precision
    com_author, com_date   right among the comments that were matched
    seen_r, seen_p   the same recall and precision where only those comments count that stand in the page:
              feeds also hold pingbacks, and comments that a page leaves out

A field the truth does not know is not scored; a post or field that was not read is a miss.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from everlog.core.similarity import similarity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date, datetime

    from everlog.evaluate.commenting import Shown
    from everlog.evaluate.corpus import KnownComment, Truth
    from everlog.records import Comment, Post

FIELDS = (
    "found", "strict", "f1", "paper", "title", "author", "date", "day", "tags",
    "com_r", "com_p", "com_author", "com_date", "seen_r", "seen_p",
)

STRICT_F1 = 0.95
PAPER_DICE = 0.5
SAME_COMMENT_DICE = 0.8
# Prose in these scripts has well over half of its letters in them; code blogs with a Chinese
# sentence between listings still pass a third.
CJK_SHARE = 0.3

_WORD = re.compile(r"\w+")
# Scripts written without spaces between words, Thai and Korean syllables included.
_CJK = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")


class WordScores(NamedTuple):
    """How many of the words that were read are right, how many of the right ones were read, and both in one."""

    precision: float
    recall: float
    f1: float


def score_post(truth: Truth, post: Post | None) -> dict[str, float]:
    """Field -> score of one post; fields without truth are left out."""
    scores = {"found": float(post is not None)}
    if truth.text and truth.text_is_whole:
        scores |= _article(truth.text, post.text if post else "")
    if truth.title:
        scores["title"] = float(plain(truth.title) == plain(post.title if post else None))
    if truth.authors:
        wanted = plain_set(truth.authors)
        scores["author"] = float(bool(wanted & plain_set(post.authors if post else ())))
    if truth.published:
        day = day_of(post.published) if post else None
        scores["date"] = float(near(truth.published, day))
        scores["day"] = float(truth.published == day)
    tags = plain_set(truth.tags)
    if tags:
        scores["tags"] = set_f1(tags, plain_set(post.tags if post else ()))
    if truth.comments and truth.comments_complete:
        scores |= score_comments(truth.comments, _with_texts(post.comments if post else ()))
    return scores


def score_shown(shown: Shown, post: Post | None) -> dict[str, float]:
    """Recall of those comments that stand in the page, and precision wherever there are some or some were read."""
    got = _with_texts(post.comments if post else ())
    pairs = _matched(shown.comments, got)
    scores = {}
    if shown.standing:
        read = {id(known) for known, _ in pairs}
        scores["seen_r"] = sum(id(known) in read for known in shown.standing) / len(shown.standing)
    if shown.standing or got:
        scores["seen_p"] = len(pairs) / len(got) if got else 0.0
    return scores


def score_comments(truth: Sequence[KnownComment], got: Sequence[Comment]) -> dict[str, float]:
    """Recall and precision of comments by their text; author and day among the matched ones."""
    pairs = _matched(truth, got)
    scores = {"com_r": len(pairs) / len(truth), "com_p": len(pairs) / len(got) if got else 0.0}
    if pairs:
        named = [plain(known.author) == plain(comment.author) for known, comment in pairs]
        dated = [near(known.published, day_of(comment.published)) for known, comment in pairs]
        scores["com_author"] = sum(named) / len(pairs)
        scores["com_date"] = sum(dated) / len(pairs)
    return scores


def _with_texts(comments: Sequence[Comment]) -> list[Comment]:
    """Without the links from elsewhere of which a page shows the name alone: there is no text to compare."""
    return [comment for comment in comments if comment.text]


def _matched(truth: Sequence[KnownComment], got: Sequence[Comment]) -> list[tuple[KnownComment, Comment]]:
    left = list(got)
    pairs: list[tuple[KnownComment, Comment]] = []
    for known in truth:
        best = max(left, key=lambda comment: similarity(known.text, comment.text), default=None)
        if best is not None and _same_comment(known.text, best.text):
            left.remove(best)
            pairs.append((known, best))
    return pairs


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of what is known, or None.

    >>> mean([1.0, None, 0.0])
    0.5
    """
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def plain(text: str | None) -> str:
    """Words only, in one Unicode form and case: what must be equal for two titles to be the same.

    >>> plain("  What's  NEW?! ")
    'what s new'
    """
    folded = unicodedata.normalize("NFKC", text or "").casefold().replace("_", " ")
    return " ".join(_WORD.findall(folded))


def plain_set(names: Iterable[str]) -> set[str]:
    """The names without regard to case, punctuation and order; empty ones dropped."""
    return {plain(name) for name in names} - {""}


def is_cjk(text: str) -> bool:
    """Whether a good part of the letters is of a script without spaces between words.

    >>> is_cjk("今日は海へ行った。"), is_cjk("We went to the sea (海).")
    (True, False)
    """
    letters = sum(map(str.isalpha, text))
    return letters > 0 and len(_CJK.findall(text)) / letters > CJK_SHARE


def word_f1(truth: str, got: str) -> float:
    """F1 of the bags of words, or of characters where the truth is CJK.

    >>> round(word_f1("the sea was calm", "The sea was calm. Share!"), 3)
    0.889
    """
    return word_scores(truth, got).f1


def word_scores(truth: str, got: str) -> WordScores:
    """Precision, recall and F1 of the bags of words, or of characters where the truth is CJK.

    >>> word_scores("the sea was calm", "The sea was calm. Share!").precision
    0.8
    """
    if not got:
        return WordScores(0.0, 0.0, 0.0)
    by_character = is_cjk(truth)
    wanted, found = _bag(truth, by_character=by_character), _bag(got, by_character=by_character)
    both, total = (wanted & found).total(), wanted.total() + found.total()
    return WordScores(
        both / found.total() if found else float(not wanted),
        both / wanted.total() if wanted else float(not found),
        2 * both / total if total else 1.0,
    )


def set_f1(truth: set[str], got: set[str]) -> float:
    """F1 of two sets, the first not empty."""
    return 2 * len(truth & got) / (len(truth) + len(got))


def near(one: date | None, other: date | None) -> bool:
    """Whether two days are known and at most a day apart."""
    return one is not None and other is not None and abs((one - other).days) <= 1


def day_of(moment: datetime | None) -> date | None:
    """The day as its source wrote it, in its own offset."""
    return moment.date() if moment else None


def _article(truth: str, got: str) -> dict[str, float]:
    f1 = word_f1(truth, got)
    # The full stop gives one-letter and empty articles a bigram to be compared by.
    paper = similarity(truth + ".", got + ".") > PAPER_DICE
    return {"f1": f1, "strict": float(f1 >= STRICT_F1), "paper": float(paper)}


def _same_comment(one: str, other: str) -> bool:
    return similarity(one, other) >= SAME_COMMENT_DICE or plain(one) == plain(other)


def _bag(text: str, *, by_character: bool) -> Counter[str]:
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return Counter("".join(words)) if by_character else Counter(words)
