"""What people said below a post: the same words for every service, and what a reader of them should hear."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.comments.comment_markup import Thread

NAMES = (
    "Ada Bela Chidi Dora Emil Fumiko Goran Hana Ines Jonas Katya Leila Malik Nuno Olga Pavel Qiong Rosa Sven Tamar"
).split()
# Who answers whom: more of them below one comment than services show at once.
ANSWERS = {2: 1, 3: 2, 4: 1, 5: 1, 6: 3, 7: 1, 8: 7}
# Noon, so that no time zone makes another day of it.
START = datetime(2021, 3, 1, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One comment: who, when, in which paragraphs, and the number of the one it answers."""

    number: int
    answers: int | None = None
    author: str
    at: datetime
    paragraphs: tuple[str, ...]

    @property
    def site(self) -> str:
        """The home page the author gave."""
        return f"https://{self.author.lower()}.example/"

    @property
    def text(self) -> str:
        """As the reader should give it, and as Markdown."""
        return "\n\n".join(self.paragraphs)

    @property
    def html(self) -> str:
        """As a server makes it of the Markdown."""
        return "".join(f"<p>{paragraph}</p>\n" for paragraph in self.paragraphs)


def talk(start: datetime = START) -> tuple[Said, ...]:
    """Twenty comments, a day between them; seven are answers, to the first and to each other."""
    return tuple(
        Said(
            number=number, answers=ANSWERS.get(number), author=author,
            at=start + timedelta(days=number), paragraphs=_paragraphs(number),
        )
        for number, author in enumerate(NAMES, 1)
    )


def _paragraphs(number: int) -> tuple[str, ...]:
    first = f"Thought number {number} about the post, für alle: 語."
    return (first, "And a second paragraph.") if number % 2 else (first,)


def beginning(comment: Said, comments: Sequence[Said]) -> Said:
    """The comment that began what this one is an answer to; itself where it answers nothing."""
    by_number = {each.number: each for each in comments}
    while comment.answers is not None:
        comment = by_number[comment.answers]
    return comment


def said(comments: Sequence[Said], *, threads: str = "all", days: bool = True) -> set[tuple[object, ...]]:
    """What a reader should hear. `threads`: "all", "one" (answers are kept below the first comment) or "none"."""
    by_number = {comment.number: comment for comment in comments}

    def answered(comment: Said) -> str | None:
        if threads == "none" or comment.answers is None:
            return None
        return (beginning(comment, comments) if threads == "one" else by_number[comment.answers]).author

    return {(each.author, days and each.at.date(), each.text, answered(each)) for each in comments}


def heard(thread: Thread | None, *, days: bool = True) -> set[tuple[object, ...]]:
    """What a reader heard, in the same form."""
    assert thread is not None, "the service gave no answer"
    authors = {comment.id: comment.author for comment in thread.comments}
    found = {
        (each.author, days and each.published and each.published.date(), each.text,
         each.parent and authors[each.parent])
        for each in thread.comments
    }
    assert len(found) == len(thread.comments), "a comment was heard twice"
    return found
