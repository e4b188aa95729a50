"""Rebuild of the projection from the versions, in groups; and what in it does not agree with them.

    an upgrade    fills the tables in its own transaction, when all its steps are done
    a person      `everlog search --rebuild`: emptied, then filled group by group; a crawl may go on beside it
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Integer, Select, cast, func, literal, select

from everlog.archive.db import schema
from everlog.archive.projection.post_content import terms_of
from everlog.archive.projection.project_posts import SOURCES, SUMS, projected_from, write_projected
from everlog.archive.repos.archive_state import PROJECTION, put_texts
from everlog.records.confidence import LOW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from everlog.archive.db.database import Database
    from everlog.archive.projection.project_posts import Projected

# As many records are in memory at once; with all their comments some are large.
AT_ONCE = 100
# A group is safe by itself, and holds the writer's lock for half a second.
GROUP = 1_000
# In the state of the archive, put there by the step of an upgrade that makes the tables or changes what is in them.
STALE = "stale"
# How to mend what does not agree.
ADVICE = "rebuild it:  everlog search --rebuild"

_posts, _summaries, _terms, _links = schema.posts, schema.post_summaries, schema.post_terms, schema.post_links
_months, _blog_terms, _figures = schema.blog_months, schema.blog_terms, schema.blog_figures
_state = schema.archive_state
TABLES = (_links, _terms, _blog_terms, _months, _figures, _summaries)
_LACKING = SOURCES.outerjoin(_summaries, _summaries.c.post_id == _posts.c.id).where(_summaries.c.post_id.is_(None))


def fill_if_stale(connection: Connection, database: Database) -> None:
    """Fill the tables in the transaction of an upgrade that says they want it."""
    if connection.scalar(select(_state.c.value).where(_state.c.name == PROJECTION)) != STALE:
        return
    database.without_hurry(connection)
    empty(connection)
    after: int | None = 0
    while after is not None:
        after, _ = _fill_group(connection, database, after)
    put_texts(connection, database, _state, {PROJECTION: None})


def rebuild(database: Database, step: Callable[[str], None]) -> int:
    """Make all of it anew; `step` is told of each post. How many there were."""
    with database.writing() as connection:
        empty(connection)
    after: int | None = 0
    done = 0
    while after is not None:
        urls: list[str] = []
        with database.writing() as connection:
            while after is not None and len(urls) < GROUP:
                after, group = _fill_group(connection, database, after)
                urls += group
        done += len(urls)
        for url in urls:
            step(url)
    return done


def empty(connection: Connection) -> None:
    """Take out all rows of the projection."""
    for table in TABLES:
        connection.execute(table.delete())


def _fill_group(connection: Connection, database: Database, after: int) -> tuple[int | None, list[str]]:
    """List the next posts: the number of the last, None if there are no more, and their addresses."""
    # Whoever stores a newer version meanwhile waits until this one is listed.
    statement = _LACKING.where(_posts.c.id > after).order_by(_posts.c.id).limit(AT_ONCE)
    sources = connection.execute(statement.with_for_update(read=True, of=_posts)).all()
    group = [each for each in map(projected_from, sources) if each is not None]
    write_projected(connection, database, {}, group)
    return (sources[-1].id if len(sources) == AT_ONCE else None), [each.row["url"] for each in group]


def disagreements(database: Database) -> Iterator[tuple[str, str]]:
    """What in the projection is not as the versions say: where, and what is wrong."""
    after = links = 0
    terms = _Terms()
    while True:
        with database.reading() as connection:
            statement = SOURCES.where(_posts.c.id > after).order_by(_posts.c.id).limit(AT_ONCE)
            sources = connection.execute(statement).all()
            posts = [(row.key, each) for row in sources if (each := projected_from(row)) is not None]
            wrong = _wrong(connection, [each for _, each in posts])
        for key, each in posts:
            terms.add(_term_keys(each))
            links += len(each.content.links) if each.content is not None else 0
            if text := wrong.get(each.row["post_id"]):
                yield key, f"{text}; {ADVICE}"
        if not sources:
            break
        after = sources[-1].id
    with database.reading() as connection:
        yield from _wrong_in_all(connection, terms, links)


def _wrong(connection: Connection, posts: Sequence[Projected]) -> dict[int, str]:
    """The posts whose rows are not as their versions say, and how that is."""
    numbers = [each.row["post_id"] for each in posts]
    found = connection.execute(select(_summaries).where(_summaries.c.post_id.in_(numbers)))
    stored = {row.post_id: dict(row._mapping) for row in found}
    linked: dict[int, set[int]] = {}
    for target, post_id in connection.execute(select(_links).where(_links.c.post_id.in_(numbers))):
        linked.setdefault(post_id, set()).add(target)
    wrong = {}
    for each in posts:
        number, links = each.row["post_id"], each.content.links if each.content is not None else frozenset()
        if number not in stored:
            wrong[number] = "not listed"
        elif stored[number] != each.row or linked.get(number, set()) != links:
            wrong[number] = "not listed as its version says"
    return wrong


def _wrong_in_all(connection: Connection, terms: _Terms, links: int) -> Iterator[tuple[str, str]]:
    """What is wrong with tables as a whole: rows too many, terms that no post has, counts that do not add up."""
    found = connection.execute(select(func.count()).select_from(_links)).scalar_one()
    if found > links:
        yield _links.name, f"{found - links} links of no post; {ADVICE}"
    stored = _Terms()
    with connection.execute(select(_terms), execution_options={"yield_per": GROUP}) as rows:
        for part in rows.partitions():
            stored.add(tuple(row) for row in part)
    if stored != terms:
        held = f"{stored.count} tags, authors, languages and sites"
        yield _terms.name, f"{held}, expected {terms.count}, or others; {ADVICE}"
    for table, counted in _counted():
        kept: Select[Any] = select(*(table.c[column.name] for column in counted.selected_columns))
        wrong = {
            row[0] for first, second in ((kept, counted), (counted, kept))
            for row in connection.execute(first.except_(second).limit(AT_ONCE))
        }
        for blog in sorted(wrong):
            yield f"{table.name}, blog {blog}", f"not what its posts add up to; {ADVICE}"


@dataclass(slots=True)
class _Terms:
    """A set of rows that is too large for the memory, as far as it can be told from another: their number and a sum."""

    count: int = 0
    sum: int = 0

    def add(self, keys: Iterable[tuple[Any, ...]]) -> None:
        for key in keys:
            self.count += 1
            self.sum ^= hash(key)


def _term_keys(each: Projected) -> list[tuple[str, str, int, str, int]]:
    row, content = each.row, each.content
    if content is None or row["kind"] != "post":
        return []
    terms = terms_of(content.authors, content.tags, content.sites, content.language)
    return [(kind, term, row["blog_id"], row["published_at"], row["post_id"]) for kind, term, _ in terms]


def _counted() -> Iterator[tuple[Any, Select[Any]]]:
    """The tables of counts, and what should be in them."""
    hidden = func.sum(cast(_summaries.c.hidden, Integer)).label("hidden")
    is_post = _summaries.c.kind == "post"
    month = func.substr(func.coalesce(_summaries.c.published, ""), 1, 7).label("month")
    yield _months, (
        select(_summaries.c.blog_id, month, func.count().label("posts"), hidden).where(is_post)
        .group_by(_summaries.c.blog_id, month)
    )
    yield _blog_terms, (
        select(_terms.c.blog_id, _terms.c.kind, _terms.c.term, func.count().label("posts"), hidden)
        .join(_summaries, _summaries.c.post_id == _terms.c.post_id)
        .group_by(_terms.c.blog_id, _terms.c.kind, _terms.c.term)
    )
    rated = is_post & _summaries.c.confidence.is_not(None)
    summands = {
        "posts": (is_post, 1), "pages": (~is_post, 1), "comments": (None, _summaries.c.comments),
        "versions": (None, _summaries.c.versions), "deleted": (is_post & _summaries.c.gone, 1),
        "comments_failed": (_summaries.c.comments_state == "failed", 1), "hidden": (is_post & _summaries.c.hidden, 1),
        "rated": (rated, 1), "confidence": (rated, _summaries.c.confidence),
        "unsure": (rated & (_summaries.c.confidence < round(LOW * 1000)), 1),
    }
    sums = []
    for name in SUMS:
        where, value = summands[name]
        total = func.sum(literal(value) if isinstance(value, int) else value)
        sums.append(cast(func.coalesce(total if where is None else total.filter(where), 0), Integer).label(name))
    yield _figures, select(_summaries.c.blog_id, *sums).group_by(_summaries.c.blog_id)
