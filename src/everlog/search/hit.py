"""What searching gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from everlog.records.one_line import on_a_line

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.search.snippets import Marked

Where = Literal["title", "text", "comment"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A post that was found. The higher its score, the better it fits; scores of one search compare.

    `marked_title` and `snippet` are pieces of text, each with whether it is what was looked for. `where`
    is the part of the post that has most of it; if that is a comment, the snippet is the comment's, and
    `comment_id` and `comment_author` say which.
    """

    url: str
    blog: str
    title: str | None
    authors: tuple[str, ...]
    published: datetime | None
    score: float
    where: Where
    marked_title: Marked
    snippet: Marked
    comment_id: str | None = None
    comment_author: str | None = None

    def __repr__(self) -> str:
        place = "in a comment" if self.where == "comment" else f"in the {self.where}"
        about = (f"score {self.score:.2f}", place)
        return on_a_line("Hit", title=self.title, address=self.url, moment=self.published, about=about)
