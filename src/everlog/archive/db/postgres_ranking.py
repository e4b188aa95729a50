"""Which of the posts that PostgreSQL found fit best, weighed as FTS5 does it (BM25).

The server's own rank knows neither how rare a word is nor when a word more says nothing new. It is good enough to
choose some hundred from all that were found; those are weighed here by what their vectors say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import Any

from sqlalchemy import Connection, text

# So many of the best by the server's rank are weighed. Their vectors are unpacked, which takes longer than to rank.
WEIGHED = 200
# What FTS5 has for them: how soon more of a word says nothing new, and how much a long text is held against it.
SATURATION, LENGTH = 1.2, 0.75
# The weights of FTS5's columns (`fts5.WEIGHTS`), by the letter that a part of a post has in its vector.
PARTS = {"A": 5.0, "B": 2.0, "C": 1.0, "D": 0.5}
# A word that so many posts have is common, however many more there are; to count on would take longer.
COMMON = 10_000

_VECTORS = text(
    "select post_id, sum(coalesce(cardinality(positions), 1)) as size, json_agg(json_build_array("
    "lexeme, positions, weights)) filter (where lexeme = any(cast(:exact as text[])) "
    "or lexeme ^@ any(cast(:beginnings as text[]))) as found "
    "from search, unnest(words) where post_id = any(cast(:ids as bigint[])) group by post_id",
)
# The server's estimate; in an index that is young, and not estimated yet, as many as are soon counted.
_POSTS = text(
    "select greatest(reltuples, (select count(*) from (select 1 from search limit :most) as counted)) "
    "from pg_class where oid = cast('search' as regclass)",
)
_HAVING = text(
    "select count(*) from (select 1 from search where words @@ cast(:words as tsquery) limit :most) as found",
)

# What is looked for: a query of the server's, its words in their order, and whether the last is only a beginning.
Sought = tuple[str, "Sequence[str]", bool]


def weighed(
    connection: Connection, found: Sequence[tuple[int, float]], sought: Sequence[Sought],
) -> list[tuple[int, float]]:
    """The posts that were found, the best first, with how well each fits."""
    exact = [word for _, words, beginning in sought for word in (words[:-1] if beginning else words)]
    beginnings = [words[-1] for _, words, beginning in sought if beginning]
    rows = connection.execute(
        _VECTORS, {"exact": exact, "beginnings": beginnings, "ids": [number for number, _ in found]},
    ).all()
    average = sum(row.size for row in rows) / len(rows) if rows else 1
    rare = _rarities(connection, sought)
    scores = {row.post_id: _score(row, float(row.size / average), sought, rare) for row in rows}
    return sorted(((number, scores[number]) for number, _ in found), key=lambda pair: (-pair[1], pair[0]))


def _rarities(connection: Connection, sought: Sequence[Sought]) -> list[float]:
    """How much it says that a post has each of what is looked for."""
    if len(sought) < 2:
        return [1.0] * len(sought)
    having = [connection.execute(_HAVING, {"words": query, "most": COMMON}).scalar_one() for query, _, _ in sought]
    posts = max(connection.execute(_POSTS, {"most": COMMON}).scalar_one(), *having)
    return [max(log((posts - count + 0.5) / (count + 0.5)), 1e-6) for count in having]


def _score(row: Any, length: float, sought: Sequence[Sought], rare: Sequence[float]) -> float:
    places = {
        word: {place: PARTS[part] for place, part in zip(at or (), parts or (), strict=True)}
        for word, at, parts in row.found or ()
    }
    score = 0.0
    for (_, words, beginning), rarity in zip(sought, rare, strict=True):
        often = _often(places, words, beginning=beginning)
        score += rarity * often * (SATURATION + 1) / (often + SATURATION * (1 - LENGTH + LENGTH * length))
    return score


def _often(places: Mapping[str, Mapping[int, float]], words: Sequence[str], *, beginning: bool) -> float:
    """How often words stand one behind the other, weighed by where.

    >>> _often({"night": {1: 5.0, 7: 1.0}, "train": {2: 5.0}}, ["night", "train"], beginning=False)
    5.0
    >>> _often({"trail": {9: 1.0}, "train": {2: 5.0}}, ["trai"], beginning=True)
    6.0
    """
    last = [at for word, at in places.items() if (word.startswith(words[-1]) if beginning else word == words[-1])]
    before = [places.get(word, {}) for word in words[:-1]]
    return sum(
        weight for at in last for place, weight in at.items()
        if all(place - distance in each for distance, each in enumerate(reversed(before), start=1))
    )
