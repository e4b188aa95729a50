"""One edition of a collection of posts as a search engine sees it: SQLite's FTS5 in memory, ranked by BM25.

All editions go through the same words as everything else that everlog compares, so that an edition can
differ from another only in its text.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from everlog.core.words import words

if TYPE_CHECKING:
    from types import TracebackType

Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A document matches if it has every phrase; the words of a phrase stand side by side, in this order."""

    kind: str
    phrases: tuple[Phrase, ...]

    def __str__(self) -> str:
        return " + ".join(map(" ".join, self.phrases))


class Index:
    """Documents by number, found by their words.

    >>> with Index() as index:
    ...     index.add(1, "The sea, and the sea again")
    ...     index.add(2, "A long road along the sea")
    ...     index.search(Query(kind="word", phrases=(("sea",),)))
    ...     index.search(Query(kind="name", phrases=(("the", "sea"), ("long", "road"))))
    [1, 2]
    [2]
    """

    def __init__(self) -> None:
        self._database = sqlite3.connect(":memory:")
        # The text itself is never asked for. Accents part words in many languages, so they stay.
        self._database.execute(
            "CREATE VIRTUAL TABLE documents USING"
            " fts5(text, content='', tokenize='unicode61 remove_diacritics 0')",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Frees the memory."""
        self._database.close()

    def add(self, number: int, text: str) -> None:
        """Adds a document; numbers are given once."""
        self._database.execute("INSERT INTO documents(rowid, text) VALUES (?, ?)", (number, " ".join(words(text))))

    def search(self, query: Query) -> list[int]:
        """The numbers of all documents that match, the best by BM25 (k1 = 1.2, b = 0.75) first."""
        return self._numbers("SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY rank, rowid", query)

    def matching(self, query: Query) -> frozenset[int]:
        """The same without an order."""
        return frozenset(self._numbers("SELECT rowid FROM documents WHERE documents MATCH ?", query))

    def _numbers(self, statement: str, query: Query) -> list[int]:
        matched = " AND ".join(f'"{" ".join(phrase)}"' for phrase in query.phrases)
        with closing(self._database.execute(statement, (matched,))) as rows:
            return [number for (number,) in rows]
