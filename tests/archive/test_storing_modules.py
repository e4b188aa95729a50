"""How many modules a page passes on its way into an archive: who reads one after the other sees all that happens."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Self

import some_visits as some
from some_visits import HOME

from everlog.archive.write.batch_writer import BatchWriter

if TYPE_CHECKING:
    from types import FrameType

ARCHIVE, DATABASES = "everlog.archive.", "everlog.archive.db."
# From the thread that gathers visits to the last row: batch_writer, record_batch, version_decider; warc_writer and
# durable; captures, urls, post_codec and search_index; project_posts and post_content, for lists.
MOST = 11


class Passed:
    """The modules of the archive whose functions a thread calls that is started meanwhile."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def __enter__(self) -> Self:
        self._before = threading.getprofile()
        threading.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        threading.setprofile(self._before)

    def _note(self, frame: FrameType, event: str, _argument: Any) -> None:
        name = frame.f_globals.get("__name__", "")
        if event == "call" and name.startswith(ARCHIVE) and not name.startswith(DATABASES):
            self.names.add(name.removeprefix(ARCHIVE))


def test_a_new_post_passes_few_modules_between_its_visit_and_the_acknowledgement(place):
    with place.open() as archive:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            with Passed() as passed:
                writer = BatchWriter(archive)
            with writer:
                stored(writer, some.post_visit(blog, f"{HOME}first", "A first text."))
                passed.names.clear()
                links, media = (some.link(f"{HOME}another"),), (some.picture(f"{HOME}a.png"),)
                kept = stored(writer, some.post_visit(blog, f"{HOME}second", links=links, media=media)).kept
    assert kept == "new"
    assert {"write.batch_writer", "write.record_batch", "files.warc_writer"} <= passed.names
    assert len(passed.names) <= MOST, sorted(passed.names)


def stored(writer, visit):
    future = writer.submit(visit)
    writer.hurry()
    return future.result(300)
