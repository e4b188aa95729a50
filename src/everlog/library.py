"""The crawls as functions of the library: URL -> {record}, URL x DATE -> {record}.

Each runs in a process of its own, because Scrapy's reactor can be started once in a process: so a
program may crawl twice, and inside a running event loop.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any, cast

from everlog.archive import Archive, open_archive
from everlog.core.moments import Moment, as_moment_or_none
from everlog.errors import EverlogError
from everlog.settings import Settings, make_settings
from everlog.usecases.crawl.report import EXIT_CODES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from everlog.records import Post

__all__ = ["crawl", "new_crawl", "open_archive", "update", "update_crawl"]


def crawl(
    url: str, archive: str | Path | Archive | None = None, settings: Settings | Mapping[str, Any] | None = None,
) -> Iterator[Post]:
    """Archive the whole blog at `url`; gives each new or changed post once it is safe.

    Goes on where an earlier crawl of the same archive stopped. Without an archive its state is kept in
    a temporary folder, which is gone when the iteration ends.
    """
    return _crawl({"url": url, "kind": "crawl"}, archive, settings)


def update(
    url: str, since: Moment | None, archive: str | Path | Archive | None = None,
    settings: Settings | Mapping[str, Any] | None = None,
) -> Iterator[Post]:
    """What is new or changed at a blog since a date; a blog the archive does not know is crawled whole.

    `since` is a date (midnight in UTC), a datetime, or an ISO 8601 text. Gives only posts published or updated then or
    later, and those that do not say when.
    """
    moment = as_moment_or_none(since)
    job = {"url": url, "kind": "update", "since": moment.isoformat() if moment else None}
    posts = _crawl(job, archive, settings)
    return (post for post in posts if moment is None or _is_since(post, moment))


# The names of the two crawls before there were plain ones.
new_crawl, update_crawl = crawl, update


def _is_since(post: Post, moment: datetime) -> bool:
    changed = post.updated or post.published
    return changed is None or changed >= moment


def _crawl(
    job: dict[str, str | None], archive: str | Path | Archive | None, settings: Settings | Mapping[str, Any] | None,
) -> Iterator[Post]:
    chosen = settings if isinstance(settings, Settings) else make_settings(settings or {})
    with ExitStack() as stack:
        where, place = _place(archive, chosen)
        where = where or stack.enter_context(TemporaryDirectory(prefix="everlog-"))
        opened = stack.enter_context(
            open_archive(where, create=True, files=place.get("files"), spool=place.get("spool")),
        )
        errand = {"job": job, "archive": where, "place": place, "settings": chosen.chosen()}
        child = stack.enter_context(subprocess.Popen(
            [sys.executable, "-m", "everlog.usecases.child"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        ))
        stack.callback(child.kill)  # a no-op once it has ended; what it stored is safe in any case
        to_child, from_child = cast("IO[bytes]", child.stdin), cast("IO[bytes]", child.stdout)
        to_child.write(json.dumps(errand).encode())
        to_child.close()
        ended = None
        for line in from_child:
            told = json.loads(line)
            if "post" in told:
                yield from opened.posts(ids=[told["post"]])
            else:
                ended = told
        _raise_unless_well(ended, child.wait())


def _place(
    archive: str | Path | Archive | None, settings: Settings,
) -> tuple[str | None, dict[str, str | None]]:
    """What an archive is opened with, here and in the process that crawls."""
    if isinstance(archive, Archive):
        return archive.backend.where, {"files": archive.backend.files, "spool": archive.backend.spool}
    place = {"files": settings.files, "spool": settings.spool}
    if archive is not None:
        return str(archive) if "://" in str(archive) else str(Path(archive).absolute()), place
    return (settings.archive, place) if "archive" in settings.given else (None, {})


def _raise_unless_well(ended: dict[str, Any] | None, exit_code: int) -> None:
    """A crawl that could not begin, or was told to stay away, is an error here too."""
    if ended is None:
        raise EverlogError(f"the crawl process exited with code {exit_code}", advice="call it again: it continues")
    if "error" in ended:
        error = EverlogError(ended["error"], advice=ended["advice"])
        error.exit_code = ended["exit_code"]
        raise error
    if ended["ending"] in {"blocked", "nothing"}:
        error = EverlogError(f"{ended['blog']}: {ended['reason']}", advice="call it again later: it continues")
        error.exit_code = EXIT_CODES[ended["ending"]]
        raise error
