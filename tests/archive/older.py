"""Archives as earlier versions of everlog left them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from archive.places import Place

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# Columns of revision 9.
OF_ORIGINS = (("blogs", "completeness"), ("captures", "origin"), ("captures", "captured_at"), ("posts", "kind"))
PROJECTION = ("post_links", "post_terms", "blog_terms", "blog_months", "blog_figures", "post_summaries", "hidden_posts")
UNDO_REVISION_11 = (*(f"drop table {name}" for name in PROJECTION), "alter table blogs drop column hidden_at")
UNDO_REVISION_10 = (
    *UNDO_REVISION_11, "drop index captures_by_key", "alter table captures drop column key")
# What stood under names in one table stands in four from revision 7 on; inventories came with revision 8.
UNDO_REVISION_7 = (
    *UNDO_REVISION_10,
    *(f"alter table {table} drop column {column}" for table, column in OF_ORIGINS),
    "drop table listed_posts",
    "create table remembered (blog_id bigint, name text, value text not null, primary key (blog_id, name))",
    *(f"insert into remembered select 0, name, value from {table}"  # noqa: S608 - our own texts
      for table in ("host_cache", "archive_state")),
    *(f"drop table {table}" for table in ("blog_states", "blog_addresses", "host_cache", "archive_state")),
)
# Indexes of revision 6.
OF_BLOGS = ("urls_of_blog", "aliases_of_blog", "media_of_blog")


def as_of_revision_4(folder: Path, keys: Mapping[str, str]) -> Place:
    """The archive as it was before there was a fleet, with these keys in the place of others."""
    place = Place(folder=folder)
    tables = ("leases", "grants", "jobs", "turns", "workers")
    renamed = [
        f"update {table} set key = '{new}' where key = '{old}'"  # noqa: S608 - our own texts
        for old, new in keys.items() for table in ("blogs", "urls", "posts", "aliases", "media")
    ]
    place.change(
        *UNDO_REVISION_7, *renamed, *(f"update versions set record = replace(record, '\"{old}\"', '\"{new}\"')"  # noqa: S608 - our own
                    for old, new in keys.items()),
        *(f"drop table {table}" for table in tables),
        *(f"drop index {name}" for name in ("polls_of_job", "polls_free", *OF_BLOGS)),
        "alter table polls drop column job_id", "update alembic_version set version_num = '0004'",
    )
    return place


def as_of_revision_9(place: Place) -> None:
    """The archive as it was before captures were found by their own URLs."""
    place.change(*UNDO_REVISION_10, "update alembic_version set version_num = '0009'")
