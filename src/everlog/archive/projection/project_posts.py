"""Projection of posts as they are written: their rows for lists, and what these add to the counts of their blogs.

It happens in the transaction that stores versions. A post that was not there costs no look-up; of one that was, the
row before tells what to take off the counts. Two writers never write to one blog, but somebody may hide a post of it:
rows are held before they are changed, and in one order, so that nobody waits in a circle.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import BindParameter, Connection, bindparam, func, select

from everlog.archive.db import schema
from everlog.archive.db.database import Database, Greatest, RowStatement, in_parts
from everlog.archive.projection.post_content import PostContent, content_of_post, content_of_record, terms_of
from everlog.records.confidence import LOW

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from everlog.archive.write.version_decider import KnownPost, VersionDecider

    Row = dict[str, Any]

_posts, _versions, _hidden = schema.posts, schema.versions, schema.hidden_posts
_summaries, _terms, _links = schema.post_summaries, schema.post_terms, schema.post_links
_blog_terms, _blog_months, _figures = schema.blog_terms, schema.blog_months, schema.blog_figures

# What a blog's figures are sums of.
SUMS = (
    "posts", "pages", "comments", "versions", "deleted", "comments_failed", "hidden", "rated", "confidence", "unsure",
)
_LOW = round(LOW * 1000)
_CONTENT = ("url", "title", "language", "published", "precision", "words", "characters", "confidence", "picture",
            "excerpt")

_WANTED: BindParameter[int] = bindparam("wanted", expanding=True)
_BEFORE = select(_summaries).where(_summaries.c.post_id.in_(_WANTED)).order_by(_summaries.c.post_id).with_for_update()
_CURRENT = (_versions.c.post_id == _posts.c.id) & (_versions.c.version == _posts.c.version)
_count_versions = (
    select(func.count()).where(_versions.c.post_id == _posts.c.id).correlate(_posts).scalar_subquery().label("versions")
)
# All that a post's row for lists is made of.
SOURCES = (
    select(
        _posts.c.id, _posts.c.blog_id, _posts.c.kind, _posts.c.published, _posts.c.comments, _posts.c.comments_state,
        _posts.c.gone, _posts.c.key, _versions.c.record, _versions.c.read_at, _count_versions,
        _hidden.c.post_id.label("hidden"),
    )
    .join_from(_posts, _versions, _CURRENT).outerjoin(_hidden, _hidden.c.post_id == _posts.c.id)
)


def _added(table: Any, key: Sequence[str], sums: Iterable[str]) -> RowStatement:
    """An INSERT of counts that are added to those which are there."""

    def make(database: Database) -> Any:
        statement = database.insert(table)
        return statement.on_conflict_do_update(
            index_elements=key, set_={name: table.c[name] + statement.excluded[name] for name in sums},
        )

    return RowStatement(table.c.keys() if table is not _figures else (*key, *sums), make)


def _deleted(table: Any, *names: str) -> RowStatement:
    def make(_: Database) -> Any:
        return table.delete().where(*(table.c[name] == bindparam(f"the_{name}") for name in names))

    return RowStatement([f"the_{name}" for name in names], make)


_COLUMNS = tuple(_summaries.c.keys())
_NEW = RowStatement(_summaries.c.keys(), lambda _: _summaries.insert())
_CHANGED = RowStatement((*_summaries.c.keys(), "the_post"), lambda _: (
    _summaries.update().where(_summaries.c.post_id == bindparam("the_post"))
    .values({name: bindparam(name) for name in _COLUMNS if name != "post_id"})
))
_NEW_TERMS = RowStatement(_terms.c.keys(), lambda _: _terms.insert())
_NO_TERMS = _deleted(_terms, *_terms.c.keys())
_NEW_LINKS = RowStatement(_links.c.keys(), lambda _: _links.insert())
_NO_LINKS = _deleted(_links, "post_id")
_ADD_TERMS = _added(_blog_terms, ("blog_id", "kind", "term"), ("posts", "hidden"))
_ADD_MONTHS = _added(_blog_months, ("blog_id", "month"), ("posts", "hidden"))
_ADD_FIGURES = _added(_figures, ("blog_id",), SUMS)
_NO_MONTH = RowStatement(("the_blog", "the_month"), lambda _: _blog_months.delete().where(
    _blog_months.c.blog_id == bindparam("the_blog"), _blog_months.c.month == bindparam("the_month"),
    _blog_months.c.posts == 0,
))
_NO_TERM = RowStatement(("the_blog", "the_kind", "the_term"), lambda _: _blog_terms.delete().where(
    _blog_terms.c.blog_id == bindparam("the_blog"), _blog_terms.c.kind == bindparam("the_kind"),
    _blog_terms.c.term == bindparam("the_term"), _blog_terms.c.posts == 0,
))


def _edge(function: Any) -> Any:
    """The first or last moment at which a post of a blog was published, by the index."""
    return select(function(_summaries.c.published_at)).where(
        _summaries.c.blog_id == bindparam("the_blog"), _summaries.c.kind == "post", _summaries.c.published_at > "",
        ~_summaries.c.hidden,
    ).scalar_subquery()


_DATES = RowStatement(("the_blog", "the_change"), lambda _: _figures.update().where(
    _figures.c.blog_id == bindparam("the_blog"),
).values(
    first_published_at=_edge(func.min), last_published_at=_edge(func.max),
    changed_at=Greatest(func.coalesce(_figures.c.changed_at, ""), bindparam("the_change")),
))


class Projected(NamedTuple):
    """A post's row for lists, and what it was made of; None: its names and links are as they were."""

    row: Row
    content: PostContent | None


@dataclass(slots=True)
class _Change:
    """What a batch brought of a post: versions, and the record that is in force now, if it is another."""

    post: KnownPost
    is_new: bool = False
    versions: int = 0
    content: PostContent | None = None
    changed_at: str | None = None


def project_batch(connection: Connection, database: Database, decider: VersionDecider) -> None:
    """Project the posts of a batch, whose rows are written, as they are now."""
    changes = _changes(decider)
    known = {number: change for number, change in changes.items() if not change.is_new}
    before = rows_before(connection, known)
    after = [
        _projected(change, before.get(number)) for number, change in changes.items()
        if change.is_new or number in before
    ]
    # Posts that are not listed yet: somebody is making all lists anew, or a program stored them that knows none.
    if lacking := sorted(known.keys() - before.keys()):
        later = _listed_meanwhile(connection, lacking)
        before |= later
        after += projected_now(connection, lacking)
    write_projected(connection, database, before, after)


def _changes(decider: VersionDecider) -> dict[int, _Change]:
    changes: dict[int, _Change] = {}

    def of(post: KnownPost) -> _Change:
        if post.id is None:
            raise AssertionError("posts have their rows before they are listed")
        return changes.get(post.id) or changes.setdefault(post.id, _Change(post))

    for post in decider.made:
        of(post).is_new = True
    for post, version, written, _, at in decider.versions:
        change = of(post)
        change.versions += 1
        if version == post.version:
            change.changed_at = at
            change.content = content_of_post(written.post) if written.post else content_of_record(written.record)
    for post, _, written, _ in decider.completed.values():
        of(post).content = content_of_record(written.record)
    for post, _, record in decider.corrected.values():
        of(post).content = content_of_record(record)
    for post in decider.touched():
        of(post)
    return changes


def rows_before(connection: Connection, posts: Iterable[int]) -> dict[int, Row]:
    """The rows of these posts as they are, held until the transaction ends."""
    found: dict[int, Row] = {}
    for part in in_parts(sorted(posts)):
        found |= {row.post_id: dict(row._mapping) for row in connection.execute(_BEFORE, {"wanted": part})}
    return found


def _listed_meanwhile(connection: Connection, posts: Sequence[int]) -> dict[int, Row]:
    """The rows of posts that had none a moment ago, once nobody else is at it."""
    for part in in_parts(posts):
        connection.execute(select(_posts.c.id).where(_posts.c.id.in_(part)).order_by(_posts.c.id).with_for_update())
    return rows_before(connection, posts)


def projected_now(connection: Connection, posts: Sequence[int]) -> list[Projected]:
    """These posts as their versions and rows say they are."""
    sources = (
        row for part in in_parts(posts)
        for row in connection.execute(SOURCES.where(_posts.c.id.in_(part)).order_by(_posts.c.id))
    )
    return [each for each in map(projected_from, sources) if each is not None]


def projected_from(source: Any) -> Projected | None:
    """A post as a row of `SOURCES` tells it; None if its record is damaged, which `verify` says."""
    try:
        content = content_of_record(source.record)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    row = {
        "post_id": source.id, "blog_id": source.blog_id, "versions": source.versions,
        "hidden": source.hidden is not None, "changed_at": source.read_at, **_of_post(source), **_of_content(content),
    }
    return Projected(row, content)


def _projected(change: _Change, before: Mapping[str, Any] | None) -> Projected:
    post, content = change.post, change.content
    row: Row = {"post_id": post.id, "blog_id": post.blog_id, "versions": 0, "hidden": False, **(before or {})}
    row |= _of_post(post)
    row["versions"] += change.versions
    if change.changed_at is not None:
        row["changed_at"] = change.changed_at
    return Projected(row if content is None else row | _of_content(content), content)


def _of_post(post: Any) -> Row:
    """What the row of a post says."""
    return {
        "kind": post.kind, "published_at": post.published or "", "comments": post.comments,
        "comments_state": post.comments_state, "gone": post.gone is not None,
    }


def _of_content(content: PostContent) -> Row:
    row: Row = {name: getattr(content, name) for name in _CONTENT}
    for name in ("authors", "tags", "sites"):
        row[name] = json.dumps(getattr(content, name), ensure_ascii=False)
    return row


def write_projected(
    connection: Connection, database: Database, before: Mapping[int, Row], after: Sequence[Projected],
) -> None:
    """Write rows for lists in the place of those before, and bring the counts of their blogs up to date."""
    changed = [each for each in after if before.get(each.row["post_id"]) != each.row]
    counts = _Counts()
    for each in changed:
        if (former := before.get(each.row["post_id"])) is not None:
            counts.add(former, -1)
        counts.add(each.row, 1, each.content)
    _NEW.run(connection, database, (each.row for each in changed if each.row["post_id"] not in before))
    _CHANGED.run(connection, database, (
        each.row | {"the_post": each.row["post_id"]} for each in changed if each.row["post_id"] in before
    ))
    _NO_TERMS.run(connection, database, (
        {f"the_{name}": value for name, value in row.items()} for row in _term_rows(counts.terms, -1)
    ))
    _NEW_TERMS.run(connection, database, _term_rows(counts.terms, 1))
    linked = [(each.row["post_id"], each.content.links) for each in after if each.content is not None]
    _NO_LINKS.run(connection, database, ({"the_post_id": post_id} for post_id, _ in linked if post_id in before))
    _NEW_LINKS.run(connection, database, (
        {"target": target, "post_id": post_id} for post_id, targets in linked for target in targets
    ))
    counts.write(connection, database)


def _term_rows(terms: Counter[tuple[str, str, int, str, int]], change: int) -> Iterator[Row]:
    names = tuple(_terms.c.keys())
    return (dict(zip(names, key, strict=True)) for key, count in sorted(terms.items()) if count == change)


class _Counts:
    """What rows for lists change in the counts of their blogs."""

    def __init__(self) -> None:
        self.terms: Counter[tuple[str, str, int, str, int]] = Counter()
        self._of_terms: dict[tuple[int, str, str], list[int]] = defaultdict(lambda: [0, 0])
        self._months: dict[tuple[int, str], list[int]] = defaultdict(lambda: [0, 0])
        self._figures: dict[int, Counter[str]] = defaultdict(Counter)
        self._labels: dict[tuple[int, str, str], str] = {}
        self._changed_at: dict[int, str] = {}

    def add(self, row: Mapping[str, Any], sign: int, content: PostContent | None = None) -> None:
        """Count a row, or (`sign` is -1) take it off; with what it was made of, who has that at hand."""
        blog, hidden = row["blog_id"], sign * row["hidden"]
        figures = self._figures[blog]
        for name, value in summands(row):
            figures[name] += sign * value
        self._changed_at[blog] = max(self._changed_at.get(blog, ""), row["changed_at"])
        if row["kind"] != "post":
            return
        month = self._months[blog, (row["published"] or "")[:7]]
        month[0] += sign
        month[1] += hidden
        if content is not None:
            names = (content.authors, content.tags, content.sites)
        else:
            names = tuple(json.loads(row[name]) for name in ("authors", "tags", "sites"))
        for kind, term, label in terms_of(*names, row["language"]):
            self.terms[kind, term, blog, row["published_at"], row["post_id"]] += sign
            of_term = self._of_terms[blog, kind, term]
            of_term[0] += sign
            of_term[1] += hidden
            self._labels.setdefault((blog, kind, term), label)

    def write(self, connection: Connection, database: Database) -> None:
        """Add it to what is counted."""
        terms = sorted((key, change) for key, change in self._of_terms.items() if any(change))
        months = sorted((key, change) for key, change in self._months.items() if any(change))
        _ADD_TERMS.run(connection, database, (
            {"blog_id": blog, "kind": kind, "term": term, "label": self._labels[blog, kind, term], "posts": posts,
             "hidden": hidden}
            for (blog, kind, term), (posts, hidden) in terms
        ))
        _NO_TERM.run(connection, database, (
            {"the_blog": blog, "the_kind": kind, "the_term": term} for (blog, kind, term), (posts, _) in terms
            if posts < 0
        ))
        _ADD_MONTHS.run(connection, database, (
            {"blog_id": blog, "month": month, "posts": posts, "hidden": hidden}
            for (blog, month), (posts, hidden) in months
        ))
        _NO_MONTH.run(connection, database, (
            {"the_blog": blog, "the_month": month} for (blog, month), (posts, _) in months if posts < 0
        ))
        _ADD_FIGURES.run(connection, database, (
            {"blog_id": blog} | {name: figures[name] for name in SUMS}
            for blog, figures in sorted(self._figures.items(), key=itemgetter(0))
        ))
        _DATES.run(connection, database, (
            {"the_blog": blog, "the_change": change} for blog, change in sorted(self._changed_at.items())
        ))


def summands(row: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """What a row adds to the figures of its blog."""
    is_post, confidence = row["kind"] == "post", row["confidence"]
    yield ("posts" if is_post else "pages"), 1
    yield "comments", row["comments"]
    yield "versions", row["versions"]
    if row["comments_state"] == "failed":
        yield "comments_failed", 1
    if not is_post:
        return
    yield "deleted", int(row["gone"])
    yield "hidden", int(row["hidden"])
    if confidence is not None:
        yield "rated", 1
        yield "confidence", confidence
        yield "unsure", int(confidence < _LOW)


