"""Hidden repository: blogs and posts that are kept, and neither exported nor shown in public unless asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import stamp_now
from everlog.archive.projection.project_posts import projected_now, rows_before, write_projected

if TYPE_CHECKING:
    from everlog.archive.db.database import Database

_blogs, _hidden, _posts, _summaries = schema.blogs, schema.hidden_posts, schema.posts, schema.post_summaries


class HiddenRepository:
    """What is hidden: whole blogs, and single posts."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def blogs(self) -> frozenset[int]:
        """The blogs that are hidden as a whole."""
        with self.database.reading() as connection:
            return frozenset(connection.scalars(select(_blogs.c.id).where(_blogs.c.hidden_at.is_not(None))))

    def posts(self, blog_id: int | None = None) -> tuple[str, ...]:
        """The addresses of posts that are hidden by themselves, in the order they were found."""
        statement = select(_summaries.c.url).join(_hidden, _hidden.c.post_id == _summaries.c.post_id)
        if blog_id is not None:
            statement = statement.where(_hidden.c.blog_id == blog_id)
        with self.database.reading() as connection:
            return tuple(connection.scalars(statement.order_by(_hidden.c.post_id)))

    def held(self, blog_id: int) -> tuple[int, int]:
        """How many posts of a blog are hidden by themselves, and how many comments these have."""
        statement = (
            select(func.count(), func.coalesce(func.sum(_posts.c.comments), 0))
            .join_from(_hidden, _posts, _posts.c.id == _hidden.c.post_id)
            .where(_hidden.c.blog_id == blog_id, _posts.c.kind == "post")
        )
        with self.database.reading() as connection:
            posts, comments = connection.execute(statement).one()
        return posts, int(comments)

    def set_blog(self, blog_id: int, *, hidden: bool) -> bool:
        """Hide a blog, or show it again; whether that changed anything."""
        where = _blogs.c.hidden_at.is_(None) if hidden else _blogs.c.hidden_at.is_not(None)
        statement = _blogs.update().where(_blogs.c.id == blog_id, where)
        with self.database.writing() as connection:
            return bool(connection.execute(statement.values(hidden_at=stamp_now() if hidden else None)).rowcount)

    def set_post(self, post_id: int, *, hidden: bool) -> bool:
        """Hide a post, or show it again; whether that changed anything."""
        with self.database.writing() as connection:
            # Held first: a crawl that stores a newer version meanwhile waits for us, or we for it.
            before = rows_before(connection, [post_id])
            found = connection.execute(select(_hidden.c.post_id).where(_hidden.c.post_id == post_id)).first()
            if hidden == (found is not None):
                return False
            if hidden:
                blog = connection.execute(select(_posts.c.blog_id).where(_posts.c.id == post_id)).scalar_one()
                row = {"post_id": post_id, "blog_id": blog, "hidden_at": stamp_now()}
                connection.execute(_hidden.insert(), row)
            else:
                connection.execute(_hidden.delete().where(_hidden.c.post_id == post_id))
            write_projected(connection, self.database, before, projected_now(connection, [post_id]))
        return True
