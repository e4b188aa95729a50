"""Blog repository: blogs, their runs, their former templates, and what is remembered of them."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, Select, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_of, moment_or_none, stamp, stamp_now, stamp_or_none, storable
from everlog.archive.models import BlogOutline, Counts, FormerTemplate, Run
from everlog.archive.repos.events import insert_events
from everlog.archive.repos.figures import counts_of, figures_of, figures_of_all
from everlog.core.urls import canonical
from everlog.records import Blog, Event
from everlog.records.figures import Figures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from everlog.archive.blog_state import BlogState
    from everlog.archive.db.database import Database
    from everlog.archive.repos.inventory import InventoryRepository
    from everlog.extract.extractors.diffpost import RepeatCounts

CHANGEABLE = frozenset(
    {
        "title", "feed_url", "scope", "state", "template", "knowledge", "crawled_at", "forgotten_at", "gone", "gone_at",
    },
)

_blogs, _polls, _runs, _templates = schema.blogs, schema.polls, schema.runs, schema.templates
_states, _addresses = schema.blog_states, schema.blog_addresses
_AS_STORED = ("id", "home", "title", "feed_url", "scope", "state", "template", "knowledge", "gone")


class BlogRepository:
    """The blogs of an archive, and all that is known of each as a whole."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @cached_property
    def inventory(self) -> InventoryRepository:
        """The posts that each source says a blog has, held or not."""
        from everlog.archive.repos.inventory import InventoryRepository  # noqa: PLC0415 - few commands ask for it

        return InventoryRepository(self.database)

    def add(self, home: str, *, scope: str) -> Blog:
        """The blog at this home, made if it is new (`home` is told apart by its canonical spelling)."""
        key = storable(canonical(home))
        with self.database.writing() as connection:
            connection.execute(
                self.database.insert(_blogs).on_conflict_do_nothing(index_elements=["key"]),
                {"key": key, "home": storable(home), "scope": scope, "state": "new", "added_at": stamp_now()},
            )
            return blog_of(connection.execute(select(_blogs).where(_blogs.c.key == key)).one())

    def __call__(self, *, forgotten: bool = False) -> tuple[Blog, ...]:
        """The blogs in the order they were added."""
        statement = select(_blogs).order_by(_blogs.c.id)
        if not forgotten:
            statement = statement.where(_blogs.c.forgotten_at.is_(None))
        with self.database.reading() as connection:
            return tuple(blog_of(row) for row in connection.execute(statement))

    def find(self, url: str) -> Blog | None:
        """The blog whose home this is, or one that knows it as a post, another address of one, or a page."""
        key = storable(canonical(url))
        with self.database.reading() as connection:
            row = connection.execute(select(_blogs).where(_blogs.c.key == key)).first()
            for table in (schema.posts, schema.aliases, schema.urls):
                if row is None:
                    row = connection.execute(
                        select(_blogs).join(table, table.c.blog_id == _blogs.c.id)
                        .where(table.c.key == key).order_by(_blogs.c.id).limit(1),
                    ).first()
        return None if row is None else blog_of(row)

    def update(self, blog_id: int, *, events: Sequence[Event] = (), **changes: str | datetime | None) -> Blog:
        """Change fields of a blog, and note events with it.

        The fields are title, feed_url, scope, state, template, knowledge, crawled_at, forgotten_at, gone, gone_at.
        """
        if unknown := changes.keys() - CHANGEABLE:
            raise ValueError(f"a blog has no changeable {', '.join(sorted(unknown))}")
        values = {name: _storable(value) for name, value in changes.items()}
        with self.database.writing() as connection:
            if values:
                connection.execute(_blogs.update().where(_blogs.c.id == blog_id).values(values))
            insert_events(connection, self.database, events)
            return blog_of(connection.execute(select(_blogs).where(_blogs.c.id == blog_id)).one())

    def move(self, blog_id: int, home: str, *, events: Sequence[Event] = ()) -> Blog:
        """A blog that has another home now; the one before is remembered. `ValueError` if another blog lives there."""
        with self.database.writing() as connection:
            # Held, so that of two moves at once none forgets the home the other has left.
            held = select(_blogs).where(_blogs.c.id == blog_id).with_for_update()
            row = connection.execute(held).one()
            key = storable(canonical(home))
            taken = connection.execute(select(_blogs.c.id).where(_blogs.c.key == key)).scalar()
            if taken not in {None, blog_id}:
                raise ValueError(f"{home} is another blog of this archive")
            former = [each for each in json.loads(row.former_homes or "[]") if canonical(each) != key]
            values = {"home": storable(home), "key": key, "former_homes": json.dumps([*former, row.home])}
            connection.execute(_blogs.update().where(_blogs.c.id == blog_id).values(values))
            insert_events(connection, self.database, events)
            return blog_of(connection.execute(select(_blogs).where(_blogs.c.id == blog_id)).one())

    def begin_run(self, blog_id: int, kind: str) -> int:
        """A run that is under way."""
        with self.database.writing() as connection:
            number = self.database.reserve(connection, _runs, 1)[0]
            connection.execute(
                _runs.insert(), {"id": number, "blog_id": blog_id, "kind": kind, "started_at": stamp_now()},
            )
            return number

    def end_run(self, run_id: int, *, reason: str, counts: Mapping[str, float]) -> None:
        """A run that has ended, and why."""
        with self.database.writing() as connection:
            connection.execute(
                _runs.update().where(_runs.c.id == run_id),
                {"ended_at": stamp_now(), "reason": storable(reason), "counts": json.dumps(dict(counts))},
            )

    def runs(self, blog_id: int, *, limit: int | None = None) -> tuple[Run, ...]:
        """The runs of a blog, the oldest first; `limit` keeps the latest."""
        statement = select(_runs).where(_runs.c.blog_id == blog_id).order_by(_runs.c.id.desc()).limit(limit)
        with self.database.reading() as connection:
            return tuple(_run(row) for row in reversed(connection.execute(statement).all()))

    def state(self, blog_id: int) -> BlogState:
        """What crawls of a blog have left for those after them."""
        from everlog.archive.blog_state import BlogState  # noqa: PLC0415 - who only reads posts does without it

        statement = select(_states.c.state).where(_states.c.blog_id == blog_id)
        with self.database.reading() as connection:
            return BlogState.from_json(connection.scalar(statement))

    def change_state(self, blog_id: int, change: Callable[[BlogState], BlogState]) -> BlogState:
        """Leave something for the crawls to come; nothing is written where nothing changes. As it is now."""
        before = self.state(blog_id)
        # By the documents: the order of the entries of a feed counts.
        if change(before).to_json() == before.to_json():
            return before
        statement = select(_states.c.state).where(_states.c.blog_id == blog_id).with_for_update()
        with self.database.writing() as connection:
            # Once more: another may have changed something else meanwhile.
            after = change(before.from_json(connection.scalar(statement)))
            self._put_state(connection, {"blog_id": blog_id, "state": after.to_json()})
        return after

    def repeats(self, blog_id: int) -> RepeatCounts | None:
        """What repeats on the pages of a blog, as the last crawl counted it; None: none did."""
        from everlog.extract.extractors.diffpost import RepeatCounts  # noqa: PLC0415 - most crawls do without it

        statement = select(_states.c.repeats).where(_states.c.blog_id == blog_id)
        with self.database.reading() as connection:
            said = connection.scalar(statement)
        return None if said is None else RepeatCounts.from_dict(json.loads(said))

    def keep_repeats(self, blog_id: int, repeats: RepeatCounts | None) -> None:
        """Keep what repeats on the pages of a blog; None: what was counted is no help any more."""
        said = None if repeats is None else json.dumps(repeats.to_dict())
        with self.database.writing() as connection:
            if said is None:
                connection.execute(_states.update().where(_states.c.blog_id == blog_id).values(repeats=None))
            else:
                self._put_state(connection, {"blog_id": blog_id, "state": "{}", "repeats": said}, only="repeats")

    def home_at(self, url: str) -> str | None:
        """The home of the blog that an address led to, when it was typed or before the blog moved."""
        statement = select(_addresses.c.home).where(_addresses.c.key == storable(canonical(url)))
        with self.database.reading() as connection:
            found: str | None = connection.scalar(statement)
        return found

    def keep_address(self, url: str, home: str) -> None:
        """Remember that an address leads to the blog at a home."""
        statement = self.database.insert(_addresses)
        with self.database.writing() as connection:
            connection.execute(
                statement.on_conflict_do_update(index_elements=["key"], set_={"home": statement.excluded.home}),
                {"key": storable(canonical(url)), "home": storable(home)},
            )

    def _put_state(self, connection: Connection, values: Mapping[str, Any], *, only: str = "state") -> None:
        statement = self.database.insert(_states)
        connection.execute(
            statement.on_conflict_do_update(index_elements=["blog_id"], set_={only: statement.excluded[only]}), values,
        )

    def change_template(
        self, blog_id: int, *, template: str, knowledge: str, at: datetime, reason: str, events: Sequence[Event] = (),
    ) -> Blog:
        """Another template for a redesigned blog, and the word of it; the one before stays that of older pages."""
        with self.database.writing() as connection:
            row = connection.execute(select(_blogs).where(_blogs.c.id == blog_id).with_for_update()).one()
            if row.template is not None and row.knowledge is not None:
                number = self.database.reserve(connection, _templates, 1)[0]
                connection.execute(_templates.insert(), {
                    "id": number, "blog_id": blog_id, "template": row.template, "knowledge": row.knowledge,
                    "learned_at": stamp_or_none(learned_at(row.knowledge)), "retired_at": stamp(at),
                    "reason": storable(reason),
                })
            values = {"template": storable(template), "knowledge": storable(knowledge)}
            connection.execute(_blogs.update().where(_blogs.c.id == blog_id).values(values))
            insert_events(connection, self.database, events)
            return blog_of(connection.execute(select(_blogs).where(_blogs.c.id == blog_id)).one())

    def templates(self, blog_id: int) -> tuple[FormerTemplate, ...]:
        """The templates of a blog that are no longer in force, the oldest first."""
        statement = (
            select(_templates).where(_templates.c.blog_id == blog_id).order_by(_templates.c.retired_at, _templates.c.id)
        )
        with self.database.reading() as connection:
            return tuple(_former(row) for row in connection.execute(statement))

    def outlines(self) -> Iterator[BlogOutline]:
        """All blogs in the order they were added, forgotten ones too."""
        # Not whole rows: what was learned about a blog takes tens of kilobytes.
        names = (
            "id", "home", "title", "state", "crawled_at", "forgotten_at", "gone", "gone_at", "completeness",
            "hidden_at",
        )
        statement: Select[Any] = (
            select(*(_blogs.c[name] for name in names), _polls.c.due_at, _polls.c.state.label("polling"))
            .join(_polls, _polls.c.blog_id == _blogs.c.id, isouter=True).order_by(_blogs.c.id)
        )
        with self.database.reading() as connection:
            figures = figures_of_all(connection)
            for row in connection.execute(statement):
                yield _outline(row, figures.get(row.id, Figures()))

    def figures(self, blog_id: int) -> Figures:
        """All figures of one blog."""
        with self.database.reading() as connection:
            return figures_of(connection, blog_id)

    def counts(self, blog_id: int) -> Counts:
        """What is held of a blog, and what still waits."""
        with self.database.reading() as connection:
            return counts_of(connection, blog_id)


def _storable(value: str | datetime | None) -> str | None:
    if value is None:
        return None
    return storable(value) if isinstance(value, str) else stamp(value)


def blog_of(row: Row[Any], *, prefix: str = "") -> Blog:
    """The blog of a row, or of those columns of a wider row that begin with `prefix`."""
    found = {name.removeprefix(prefix): value for name, value in row._mapping.items() if name.startswith(prefix)}
    return Blog(
        **{name: found[name] for name in _AS_STORED}, added_at=moment_of(found["added_at"]),
        crawled_at=moment_or_none(found["crawled_at"]), forgotten_at=moment_or_none(found["forgotten_at"]),
        gone_at=moment_or_none(found["gone_at"]), former_homes=tuple(json.loads(found["former_homes"] or "[]")),
        is_hidden=found["hidden_at"] is not None,
    )


def _run(row: Row[Any]) -> Run:
    return Run(
        id=row.id, kind=row.kind, started_at=moment_of(row.started_at), ended_at=moment_or_none(row.ended_at),
        reason=row.reason, counts=json.loads(row.counts or "{}"),
    )


def learned_at(knowledge: str) -> datetime | None:
    """Since when what is known of a blog is in force; None in archives of before that was written down."""
    said = json.loads(knowledge).get("learned_at")
    return None if said is None else moment_of(said)


def _former(row: Row[Any]) -> FormerTemplate:
    return FormerTemplate(
        template=row.template, knowledge=row.knowledge, learned_at=moment_or_none(row.learned_at),
        retired_at=moment_of(row.retired_at), reason=row.reason,
    )


def _outline(row: Row[Any], figures: Figures) -> BlogOutline:
    is_watched = row.forgotten_at is None and row.gone is None
    polling = json.loads(row.polling) if row.polling and is_watched else {}
    completeness = json.loads(row.completeness) if row.completeness is not None else None
    if completeness is not None:
        figures = replace(figures, missing_posts=completeness["missing"])
    return BlogOutline(
        id=row.id, home=row.home, title=row.title, state=row.state, crawled_at=moment_or_none(row.crawled_at),
        forgotten_at=moment_or_none(row.forgotten_at), gone=row.gone, gone_at=moment_or_none(row.gone_at),
        figures=figures, due_at=moment_or_none(row.due_at) if is_watched else None, why=polling.get("why"),
        signal=polling.get("signal"), completeness=completeness, is_hidden=row.hidden_at is not None,
    )
