"""Packages that only measuring needs; they come with the `benchmark` extra."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from everlog.errors import UsageError
from everlog.extras import line_for_extra

if TYPE_CHECKING:
    from types import ModuleType


def needed(name: str) -> ModuleType:
    """The module, loaded where it is used.

    >>> needed("statistics").fmean([1, 2])
    1.5
    """
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise UsageError(
            f"{package} is required and cannot be imported: {error}",
            advice=f"install it:  {line_for_extra('benchmark')}",
        ) from error
