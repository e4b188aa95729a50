"""Commands whose names are taken but which this version does not have yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    import typer

LATER = {
    "move": "hand a blog over to other software",
}


def add_later(app: typer.Typer) -> None:
    """Register the commands, out of sight: each says that it is not there and exits 2, whatever its arguments."""
    settings = {"allow_extra_args": True, "ignore_unknown_options": True}
    for name, task in LATER.items():
        text = f"Not in this version yet: {task}."
        app.command(name, help=text, hidden=True, context_settings=settings)(_refuse(name))


def _refuse(name: str) -> Callable[[], None]:
    def refuse() -> None:
        raise UsageError(f"everlog {name} is not in this version yet; `everlog --help` lists what is")

    return refuse
