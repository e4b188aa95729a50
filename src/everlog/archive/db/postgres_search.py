"""The search index of an archive in PostgreSQL: a table of vectors beside the posts, with the very pieces FTS5 has.

The server's own parser and dictionaries never see a text: what they take for a word depends on the locale of the
server, and they know no script without blanks. Vectors and queries are written here, piece by piece.

Vectors have limits that FTS5 has not. Of a very long post these are lost, all else is found:
- phrases behind its 16,000th word, and with words of which it has more than 255 (each word by itself is found)
- new words behind its first megabyte of different ones
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, text

from everlog.archive.db.column_values import stamp
from everlog.archive.db.postgres_ranking import WEIGHED, Sought, weighed
from everlog.search.tokenize import CUT, looked_up

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from everlog.search.document import Document
    from everlog.search.query import Query, Term

    Blogs = Mapping[Term, Sequence[int]]

MAKE = (
    "create table search (post_id bigint primary key, blog_id bigint not null, words tsvector not null)",
    "create index search_words on search using gin (words)",
    "create index search_of_blog on search (blog_id)",
)
# Limits of the server (textsearch-limitations): places up to 16,383, fewer than 256 of one word, words below 2 KB,
# 1 MB for all; a word takes its bytes, up to one more to lie evenly, two for the count and two for each place.
LAST_PLACE = 16_383
MOST_PLACES = 255
LONGEST_BYTES = 2_046
MOST_BYTES = 1_000_000
# What of these the text of a post leaves to its comments.
FOR_COMMENTS = 250_000
# The weights of FTS5's columns (`fts5.WEIGHTS`) in steps of the largest, from D to A: comments, text, names and tags,
# title. Divided by the logarithm of the length (1): a long post has every word more often. Over 294 queries to 400
# made posts FTS5's first was the first of this in 44 % (36 to 39 % with the norms 0, 2 and 8), and in 97 % once the
# best of this are weighed by `pg_ranking.py`.
WEIGHTS = "{0.1, 0.2, 0.4, 1.0}"
LENGTH = 1
# A vector is unpacked to rank it. Of the 60,000 that a common word finds in 100,000 posts, so many took 315 ms by the
# clock of a busy machine, and all of them 4,556 ms.
MOST_RANKED = 2_000

# FTS5 splits pieces so (`tokenize='ascii'`): at all of ASCII that is no letter and no digit.
_PIECE = re.compile(r"[^\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+")
# Stands between two texts of a document (`document.BETWEEN`): it has a place, and is no word.
_BETWEEN = "\ue000"
# Databases count in 64 bits.
_LARGEST = 2**63 - 1
# Pieces of a field are there a second time behind a sign that begins no word.
_FIELDS = {None: "", "title": "\ue001", "author": "\ue002", "tag": "\ue003"}

_WRITE = text(
    "insert into search (post_id, blog_id, words) values (:post_id, :blog_id, cast(:words as tsvector)) "
    "on conflict (post_id) do update set blog_id = excluded.blog_id, words = excluded.words",
)
_REMOVE = text("delete from search where post_id = :post_id")


class PostgresIndex:
    """What `database.SearchIndex` promises, by vectors and a GIN index."""

    # Rows are taken out by their number, so pieces of another Unicode do no harm: a fleet of several Pythons shares
    # one index, and none of them makes it anew because of another.
    kind = str(CUT)
    needs_former = False
    most_ranked = MOST_RANKED

    def make(self, connection: Connection) -> None:
        for statement in MAKE:
            connection.exec_driver_sql(statement)

    def drop(self, connection: Connection) -> None:
        connection.exec_driver_sql("drop table if exists search")

    def write(self, connection: Connection, documents: Sequence[Document]) -> None:
        # In one order, so that two writers never wait for each other in a circle.
        rows = [
            {"post_id": document.post_id, "blog_id": document.blog_id, "words": vector(document)}
            for document in sorted(documents, key=lambda document: document.post_id)
        ]
        if rows:
            connection.execute(_WRITE, rows)

    def remove(self, connection: Connection, documents: Sequence[Document]) -> None:
        if documents:
            connection.execute(_REMOVE, [{"post_id": document.post_id} for document in documents])

    def find(
        self, connection: Connection, query: Query, blogs: Blogs, *, limit: int, offset: int,
        within: int | None = None, hurried: bool = False,
    ) -> list[tuple[int, float]]:
        """The posts that fit best, with their scores; the newest first where there is no better or worse."""
        where, values = _condition(query, blogs, within)
        ranked = " & ".join(filter(None, (_choice(choice) for choice in query.wanted)))
        if ranked:
            score = f"ts_rank('{WEIGHTS}', words, cast(:ranked as tsquery), {LENGTH})"
            source = f"search where {where}"
            if hurried:
                # A common word is found by going through the posts from the last one on, without a look at the index.
                newest = f"select post_id, words from {source} order by post_id desc limit :most_ranked"  # noqa: S608 - our own texts
                source, values["most_ranked"] = f"({newest}) as newest", self.most_ranked
            statement = f"select post_id, {score} as score from {source} order by score desc, post_id"  # noqa: S608 - our own texts
            values["ranked"] = ranked
            return _best(connection, statement, values, _sought(query), slice(offset, offset + limit))
        source = "search join posts on posts.id = search.post_id" if query.wanted else "posts"
        statement = (
            f"select posts.id, 0.0 from {source} where {where} "  # noqa: S608 - our own texts
            "order by posts.published desc nulls last, posts.id desc"
        )
        return _part(connection, statement, values, limit, offset)

    def count(self, connection: Connection, query: Query, blogs: Blogs) -> int:
        """How many posts fit."""
        where, values = _condition(query, blogs)
        source = "search" if query.wanted else "posts"
        return int(connection.execute(text(f"select count(*) from {source} where {where}"), values).scalar_one())  # noqa: S608 - our own texts

    def lost(self, connection: Connection) -> list[int]:
        """Posts that were written and are not there."""
        rows = connection.execute(text(
            "select post_id from indexed where not exists "
            "(select 1 from search where search.post_id = indexed.post_id) order by post_id",
        ))
        return list(rows.scalars())


def _best(
    connection: Connection, statement: str, values: Mapping[str, Any], sought: Sequence[Sought], wanted: slice,
) -> list[tuple[int, float]]:
    """A part of what was found: the first some hundred weighed, those behind them as the server ranks them."""
    if wanted.start >= WEIGHED:
        behind = _part(connection, statement, values, wanted.stop - wanted.start, wanted.start)
        return [(number, min(score, 1.0)) for number, score in behind]
    # In one go with those behind them: the server ranks all that it found, however few are wanted.
    ranked = _part(connection, statement, values, min(max(WEIGHED, wanted.stop), _LARGEST), 0)
    found = weighed(connection, ranked[:WEIGHED], sought)[wanted]
    # Nothing behind them has a better score.
    lowest = found[-1][1] if found else 1.0
    return found + [(number, min(score, lowest)) for number, score in ranked[WEIGHED:]]


def _part(
    connection: Connection, statement: str, values: Mapping[str, Any], limit: int, offset: int,
) -> list[tuple[int, float]]:
    rows = connection.execute(
        text(f"{statement} limit :limit offset :offset"), {**values, "limit": limit, "offset": min(offset, _LARGEST)},
    )
    return [(post_id, float(score)) for post_id, score in rows]


def _sought(query: Query) -> list[Sought]:
    """The words that are looked for, each phrase once."""
    terms = dict.fromkeys(term for choice in query.wanted for term in choice if term.field != "blog")
    return [(_phrase(term), *_words(term)) for term in terms]


def vector(document: Document) -> str:
    """A document as a literal of the server's.

    >>> from everlog.search.document import Document
    >>> vector(Document(post_id=1, blog_id=1, text="tide and tide", title="", comments="sea", authors="", tags=""))
    "'tide':4C,6C 'and':5C 'sea':8D"
    """
    found = _Vector()
    found.add(document.title, weight="A", sign=_FIELDS["title"])
    found.add(document.authors, weight="B", sign=_FIELDS["author"])
    found.add(document.tags, weight="B", sign=_FIELDS["tag"])
    found.add(document.text, weight="C", most=MOST_BYTES - FOR_COMMENTS)
    found.add(document.comments, weight="D")
    return found.literal()


class _Vector:
    """Words with their places, as many as a vector can hold."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}
        self._place = 0
        self._bytes = 0

    def add(self, pieces: str, *, weight: str, sign: str = "", most: int = MOST_BYTES) -> None:
        """The pieces of one part of a post, in their order, until the vector has so many bytes."""
        for piece in _PIECE.findall(pieces):
            self._place += 1
            if piece != _BETWEEN:
                word = _cut(piece)
                self._note(word, weight, most)
                if sign:
                    self._note(_cut(sign + piece), weight, most)
        # No phrase reaches from one part into the next.
        self._place += 1

    def _note(self, word: str, weight: str, most: int) -> None:
        places = self._places.get(word)
        if places is None:
            needed = len(word.encode()) + 3
            if self._bytes + needed > most:
                return
            self._bytes += needed
            places = self._places[word] = []
        if self._place < LAST_PLACE and len(places) < MOST_PLACES and self._bytes + 2 <= most:
            self._bytes += 2
            places.append(f"{self._place}{weight}")

    def literal(self) -> str:
        return " ".join(
            f"{_quoted(word)}:{','.join(places)}" if places else _quoted(word) for word, places in self._places.items()
        )


def _cut(word: str) -> str:
    """A word as long as a vector takes it, the same in what is written and in what is looked for."""
    if len(word) * 4 <= LONGEST_BYTES:
        return word
    return word.encode()[:LONGEST_BYTES].decode(errors="ignore")


def _quoted(word: str) -> str:
    # Pieces have neither quotes nor backslashes in them; should that ever change, nothing becomes a command.
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"


def _condition(query: Query, blogs: Blogs, within: int | None = None) -> tuple[str, dict[str, Any]]:
    """What rows of the index (or of the posts, if no word is wanted) have to fulfil, and its values."""
    values: dict[str, Any] = {}
    conditions: list[str] = []
    if query.wanted:
        conditions += _wanted(query.wanted, blogs, values)
    if within is not None:
        conditions.append(f"{'search' if query.wanted else 'posts'}.blog_id = :within")
        values["within"] = within
    if query.unwanted:
        unwanted = _one_of(query.unwanted, blogs, values, "unwanted")
        # Said for the posts only if no word is wanted: then the index has nothing to begin with.
        conditions.append(
            f"not ({unwanted})" if query.wanted
            else f"not exists (select 1 from search where search.post_id = posts.id and ({unwanted}))",  # noqa: S608 - our own texts
        )
    dates = {"since": ("published >= :since", query.since), "until": ("published < :until", query.until)}
    dated = {name: (said, stamp(moment)) for name, (said, moment) in dates.items() if moment is not None}
    if dated:
        said = " and ".join(f"posts.{condition}" for condition, _ in dated.values())
        conditions.append(
            f"exists (select 1 from posts where posts.id = search.post_id and {said})" if query.wanted else said,  # noqa: S608 - our own texts
        )
        values |= {name: moment for name, (_, moment) in dated.items()}
    return " and ".join(conditions), values


def _wanted(wanted: Sequence[Sequence[Term]], blogs: Blogs, values: dict[str, Any]) -> list[str]:
    """What of the choices the index can say in one look goes into one query of its own."""
    words = [_choice(choice) for choice in wanted if all(term.field != "blog" for term in choice)]
    conditions = []
    if words:
        values["words"] = " & ".join(words)
        conditions.append("words @@ cast(:words as tsquery)")
    mixed = [choice for choice in wanted if any(term.field == "blog" for term in choice)]
    conditions += [f"({_one_of(choice, blogs, values, f'choice_{place}')})" for place, choice in enumerate(mixed)]
    return conditions


def _one_of(choice: Sequence[Term], blogs: Blogs, values: dict[str, Any], name: str) -> str:
    """A condition that one of these terms fulfils: words by the index, blogs by their numbers."""
    conditions = []
    if words := _choice(choice):
        values[f"{name}_words"] = words
        conditions.append(f"words @@ cast(:{name}_words as tsquery)")
    meant = [term for term in choice if term.field == "blog"]
    if meant:
        values[f"{name}_blogs"] = sorted({number for term in meant for number in blogs[term]})
        conditions.append(f"search.blog_id = any(cast(:{name}_blogs as bigint[]))")
    return " or ".join(conditions)


def _choice(choice: Iterable[Term]) -> str:
    """The words among these terms in the language of the server."""
    said = " | ".join(_phrase(term) for term in choice if term.field != "blog")
    return f"({said})" if said else ""


def _phrase(term: Term) -> str:
    """Pieces that stand one behind the other. The last may be a beginning.

    >>> from everlog.search.query import ask
    >>> [_phrase(term) for [term] in ask('"night train" trai*').wanted]
    ["('night' <-> 'train')", "('trai':*)"]
    """
    words, beginning = _words(term)
    return f"({' <-> '.join(map(_quoted, words))}{':*' if beginning else ''})"


def _words(term: Term) -> tuple[list[str], bool]:
    asked, beginning = looked_up(term.units)
    return [_cut(_FIELDS[term.field] + piece) for piece in asked], beginning or term.beginning
