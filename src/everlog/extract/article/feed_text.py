"""The text of a feed's entry as a target: its words, and whether it is all of the article."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from everlog.core.layout import Layout
from everlog.core.tree import INVISIBLE, drop, parse_fragment, take_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.core.layout import Ints, Vocabulary
    from everlog.records import Entry

# Where an excerpt breaks off: an ellipsis near its end, bracketed or before a link to the rest.
_ELLIPSIS = re.compile(r"…|\.\.\.|&hellip;|&#8230;|&#x2026;")
# "[...]", "... Continue reading", "... read the rest of it".
WORDS_AFTER_ELLIPSIS = 5
# More than any article of a feed: what is longer is cut, so that a hostile feed costs no more.
MAX_CHARACTERS = 2_000_000
_MARKUP = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class Target:
    """The words of an entry's text; `is_broken_off` when it says itself that there is more."""

    text: str
    words: Ints
    is_broken_off: bool


def says_more_in_summaries(entries: Iterable[Entry]) -> bool:
    """Whether a feed's summaries hold more than its contents: the names of the two tell nothing.

    All entries decide together: a short post has less text than the description that stands beside it.

    >>> from everlog.records import Entry
    >>> long = Entry(link=None, content="<p>All of it.</p><p>And more.</p>", summary="In short")
    >>> says_more_in_summaries([long, Entry(link=None, content="<p>Few words</p>", summary="A long description")])
    False
    """
    pairs = [(len(entry.content or ""), len(entry.summary or "")) for entry in entries]
    return sum(summary for _, summary in pairs) > sum(content for content, _ in pairs)


def target_of(entry: Entry, vocabulary: Vocabulary, *, by_summary: bool | None = None) -> Target:
    """An entry's content or summary as text and as words; the longer, unless it is known which of them counts."""
    content, summary = entry.content or "", entry.summary or ""
    if by_summary is None:
        by_summary = len(summary) > len(content)
    markup = ((summary or content) if by_summary else (content or summary))[:MAX_CHARACTERS]
    if not markup.strip():
        return Target("", np.zeros(0, np.int32), is_broken_off=False)
    root = parse_fragment(markup)
    words = Layout(root, vocabulary).words
    drop(list(root.iter(*INVISIBLE)))
    return Target(take_text(root), words, is_broken_off=breaks_off(markup))


def breaks_off(markup: str) -> bool:
    """Whether a text says that it is only the beginning.

    >>> breaks_off("<p>And then we [&#8230;]</p>"), breaks_off("<p>The end.</p>")
    (True, False)
    """
    *_, rest = _ELLIPSIS.split(text) if (text := _MARKUP.sub(" ", markup[-600:])[-120:]) else ("",)
    return rest != text and len(rest.split()) <= WORDS_AFTER_ELLIPSIS
