"""What comments are learned from: pages beside the comments that their own feeds hold."""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from everlog.comments.css import Selection
from everlog.core.outline import Outline
from everlog.core.similarity import NodeBigrams, bigram_set
from everlog.core.tree import Element, visible_pieces
from everlog.core.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from everlog.records import Comment

# Shorter texts stand in any page by chance.
_LETTERS_TO_TELL = 6
# Places where the same words stand that are looked at.
_MOST_PLACES = 1000
# Feeds that hold all comments ever written exist; these are enough to learn from.
MOST_COMMENTS = 40
# WordPress feeds hold ten entries unless their owner says otherwise.
_USUAL_LIMIT = 10


class CommentSample:
    """A page, and the comments of its feed that stand in it.

    `targets` are those comments. Feeds also hold what pages leave out: pingbacks, comments that were
    deleted later. `is_cut` says that the feed may hold only the newest of the page's comments.
    """

    def __init__(self, root: Element, url: str, comments: Sequence[Comment], *, is_cut: bool = False) -> None:
        self.root = root
        self.url = url
        self.page = Selection(root)
        self.comments = tuple(comments)
        self.is_cut = is_cut
        shown = ShownWords(root)
        runs = [run_of([comment.text]) for comment in comments]
        self.targets = tuple(
            comment
            for comment, run in zip(comments, runs, strict=True)
            if len(run) >= _LETTERS_TO_TELL and shown.holds(run)
        )[-MOST_COMMENTS:]
        # The words of each target, a blank around every one.
        self.spoken = tuple(f" {' '.join(words(comment.text))} " for comment in self.targets)
        # Too short to be told from other words: nothing is expected of them.
        self.untold = sum(len(run) < _LETTERS_TO_TELL for run in runs)

    @cached_property
    def bigrams(self) -> list[frozenset[tuple[str, str]]]:
        """The bigrams of each target's text."""
        return [bigram_set(comment.text) for comment in self.targets]

    @cached_property
    def outline(self) -> Outline:
        return Outline(self.root)

    @cached_property
    def likeness(self) -> NDArray[np.float64]:
        """How alike each target (row) is to each element (column), in document order."""
        return NodeBigrams(self.outline).score([comment.text for comment in self.targets])


class ShownWords:
    """The words a page shows, without anything between them, and where its pieces of text begin and end."""

    def __init__(self, root: Element) -> None:
        pieces = [run_of([piece]) for piece in visible_pieces(root)]
        self._run = "".join(pieces)
        self._bounds = {0, *accumulate(map(len, pieces))}

    def holds(self, run: str) -> bool:
        """Whether these words stand there for themselves, from a piece's beginning to a piece's end.

        What another blog quoted stands in the middle of the article's sentences.
        """
        at = self._run.find(run)
        for _ in range(_MOST_PLACES):
            if at < 0:
                break
            if at in self._bounds and at + len(run) in self._bounds:
                return True
            at = self._run.find(run, at + 1)
        return False


def samples_of(pairs: Iterable[tuple[Element, str, Sequence[Comment]]]) -> list[CommentSample]:
    """The pairs with what a look at all feeds together tells: at which length feeds are cut."""
    known = list(pairs)
    lengths = [len(comments) for _, _, comments in known]
    longest = max(lengths, default=0)
    limit = longest if longest >= _USUAL_LIMIT or (longest > 2 and lengths.count(longest) > 2) else longest + 1
    return [
        CommentSample(root, url, comments, is_cut=len(comments) >= limit) for root, url, comments in known
    ]


def run_of(texts: Iterable[str]) -> str:
    """The words of some text without anything between them: designs break lines and set quotes as they like.

    >>> run_of(["Don't ", "panic!"])
    'dontpanic'
    """
    return "".join(word for text in texts for word in words(text))
