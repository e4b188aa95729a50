"""Rows for lists, all of them; and processes that are killed while they make them anew."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from kill_runs import processes
from sqlalchemy import Engine, event

from everlog.archive.projection import rebuild

if TYPE_CHECKING:
    from places import Place

# Spellings of a tag are equal, and which of them is shown depends on which came first.
COLUMNS = {"blog_terms": "blog_id, kind, term, posts, hidden"}
# So that some groups are made of few posts.
GROUP, AT_ONCE = 4, 2


def all_rows(place: Place) -> dict[str, list[tuple[object, ...]]]:
    """All that the projection holds, table by table."""
    return {
        table.name: sorted(map(tuple, place.rows(f"select {COLUMNS.get(table.name, '*')} from {table.name}")), key=repr)  # noqa: S608 - our own
        for table in rebuild.TABLES
    }


def killed_at_statement(place: Place, number: int, *, upgrade: bool) -> bool:
    """Whether a process was killed before this statement of its rebuild, or upgrade; False: it came to its end."""
    child = processes.Process(target=_run, args=(place, number, upgrade, dict(os.environ)))
    child.start()
    child.join()
    code = child.exitcode
    child.close()
    assert code in {0, -signal.SIGKILL}, f"the run failed with {code}"
    place.let_go()
    return code != 0


def _run(place: Place, number: int, upgrade: bool, around: dict[str, str]) -> None:  # noqa: FBT001 - handed over by its place
    os.environ.update(around)
    rebuild.GROUP, rebuild.AT_ONCE = GROUP, AT_ONCE
    left = number

    def count(*_: object) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    if upgrade:
        event.listen(Engine, "before_cursor_execute", count)
        place.open(create=False).close()
        return
    with place.open(create=False) as archive:
        event.listen(Engine, "before_cursor_execute", count)
        archive.listing.rebuild()
