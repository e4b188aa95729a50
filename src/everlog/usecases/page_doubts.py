"""Doubts about the pages of a blog: posts that look unlike the others, and pages that may be posts.

What was noted of a page when it was read means one thing where its post is held, and another where it is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from everlog.archive import Archive

# What a note begins with that says which further page of a post is not held.
INCOMPLETE = "incomplete"
Kind = Literal["unlike", "incomplete", "in doubt"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDoubts:
    """Pages of a blog with a doubt of one kind: each with its address, and what was noted."""

    kind: Kind
    pages: tuple[tuple[str, str], ...]

    @property
    def are_held(self) -> bool:
        """Whether each of them is a post that the archive has."""
        return self.kind != "in doubt"

    @property
    def sentence(self) -> str:
        """How many there are, and what of them.

        >>> PageDoubts(kind="in doubt", pages=(("http://a.org/x", "..."),)).sentence
        '1 page may be a post and was not recognised as one'
        """
        one, many = _SENTENCES[self.kind]
        return one if len(self.pages) == 1 else many.format(len(self.pages))


_SENTENCES: dict[Kind, tuple[str, str]] = {
    "unlike": (
        "1 post that is held looks unlike the others, by its page or its address",
        "{:,} posts that are held look unlike the others, by their pages or addresses",
    ),
    "incomplete": (
        "1 post is held without a further page, which could not be fetched",
        "{:,} posts are held without a further page, which could not be fetched",
    ),
    "in doubt": (
        "1 page may be a post and was not recognised as one",
        "{:,} pages may be posts and were not recognised as such",
    ),
}


def page_doubts(blog_id: int, archive: Archive) -> tuple[PageDoubts, ...]:
    """The doubts about a blog's pages, kind by kind; only those that there are."""
    found: dict[Kind, list[tuple[str, str]]] = {kind: [] for kind in _SENTENCES}
    for url, note in archive.urls.notes(blog_id, of="held posts"):
        found["incomplete" if note.startswith(INCOMPLETE) else "unlike"].append((url, note))
    found["in doubt"].extend(archive.urls.notes(blog_id, of="not held"))
    return tuple(PageDoubts(kind=kind, pages=tuple(pages)) for kind, pages in found.items() if pages)
