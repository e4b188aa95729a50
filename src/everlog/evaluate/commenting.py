"""Comments under evaluation: rules are learned from the comment feeds of other posts than the one that is read.

A post that taught in one fold is read by the rules of the others, so its own feed never helps to read it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from everlog.comments.comment_feeds import comment_feed_url, read_comment_feed
from everlog.comments.learn.comment_rules_learn import MOST_TAUGHT, learn_comments
from everlog.comments.learn.comment_samples import ShownWords, run_of
from everlog.core.tree import Element, parse
from everlog.errors import EverlogError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from everlog.comments.comment_rules import CommentRules
    from everlog.evaluate.corpus import Blog, KnownComment, Truth
    from everlog.evaluate.run import Reader
    from everlog.records import Comment

    Lesson = tuple[Element, str, Sequence[Comment]]

FOLDS = 5
# Enough for every fold to be taught by as many as learning uses.
_MOST_LESSONS = MOST_TAUGHT * FOLDS // (FOLDS - 1) + 1


@runtime_checkable
class Teachable(Protocol):
    """A reader that takes rules for comments."""

    def with_comments(self, rules: CommentRules | None) -> Reader: ...


def taught(reader: Reader, blog: Blog, truth: Iterable[Truth]) -> Callable[[Truth], Reader]:
    """The reader for each post of a blog; blogs without comment feeds have one for all."""
    lessons = list(_lessons(blog, truth)) if isinstance(reader, Teachable) else []
    if not lessons or not isinstance(reader, Teachable):
        return lambda _: reader
    folds = {url: place % FOLDS for place, (_, url, _) in enumerate(lessons)}
    readers = {
        fold: reader.with_comments(learn_comments([lesson for lesson in lessons if folds[lesson[1]] != fold]))
        for fold in {*folds.values(), FOLDS}
    }
    return lambda row: readers[folds.get(row.url, FOLDS)]


class Shown(NamedTuple):
    """The comments of a post's truth as its page shows them, and those of them that stand in the page.

    WordPress feeds begin an answer with the line "In reply to NAME.", which no page does: where the rest
    stands in the page, the line is left out.
    """

    comments: tuple[KnownComment, ...]
    standing: tuple[KnownComment, ...]


def shown_comments(page: bytes, row: Truth) -> Shown:
    """What a page shows of the comments that are known: feeds also hold pingbacks, and what a page leaves out."""
    try:
        words_shown = ShownWords(parse(page))
    except EverlogError:
        return Shown(row.comments, ())
    # What another blog quoted stands in the article.
    article = run_of([row.text or "", row.title or ""])
    comments, standing = [], []
    for comment in row.comments:
        texts = (comment.text, comment.text.partition("\n")[2])
        text = next((text for text in texts if (run := run_of([text])) and words_shown.holds(run)), None)
        comments.append(comment if text is None else replace(comment, text=text))
        if text is not None and run_of([text]) not in article:
            standing.append(comments[-1])
    return Shown(tuple(comments), tuple(standing))


def _lessons(blog: Blog, truth: Iterable[Truth]) -> Iterator[Lesson]:
    """Pages with the comments of their own feeds, the newest first."""
    dated = sorted(truth, key=lambda row: row.published.toordinal() if row.published else 0, reverse=True)
    count = 0
    for row in dated:
        lesson = _lesson(blog, row)
        if lesson is not None:
            yield lesson
            count += 1
        if count == _MOST_LESSONS:
            return


def _lesson(blog: Blog, row: Truth) -> Lesson | None:
    page = blog.truth_page(row)
    try:
        root = parse(page) if page else None
        feed_url = comment_feed_url(root, row.url) if root is not None else None
        body = blog.page(feed_url) if feed_url else None
        thread = read_comment_feed(body, feed_url) if body and feed_url else None
    except EverlogError:
        return None
    if root is None or thread is None or not thread.comments:
        return None
    return root, row.url, thread.comments
