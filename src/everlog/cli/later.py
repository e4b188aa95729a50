"""Commands whose names are taken but which this version does not have yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    import typer

LATER = {
    "inspect": "look at a blog and say what a crawl would do",
    "crawl": "archive a whole blog",
    "update": "archive what is new or changed since the last crawl",
    "watch": "poll the feeds of all blogs as they fall due",
    "status": "list the blogs of the archive and what is missing",
    "diff": "show what changed between versions of a post",
    "copy": "copy one archive into another",
    "forget": "stop watching a blog",
    "search": "search the archive",
    "show": "print one post",
    "export": "write posts in a format of your choice",
    "rules": "show what was learned about a blog",
    "reread": "read all stored pages again with today's rules",
    "serve": "start the web interface",
    "verify": "check the archive",
    "worker": "take jobs from a fleet's queue",
    "enqueue": "give a fleet jobs",
    "fleet": "look after a fleet",
    "demo": "crawl and show a sample blog without internet",
}


def add_later(app: typer.Typer) -> None:
    """Register the commands: each says that it is not there and exits 2, whatever its arguments."""
    settings = {"allow_extra_args": True, "ignore_unknown_options": True}
    for name, task in LATER.items():
        text = f"Not in this version yet: {task}."
        app.command(name, help=text, short_help=f"(later) {task}", context_settings=settings)(_refuse(name))


def _refuse(name: str) -> Callable[[], None]:
    def refuse() -> None:
        raise UsageError(f"everlog {name} is not in this version yet; `everlog --help` lists what is")

    return refuse
