"""Packages that only measuring needs; they come with the `benchmark` extra."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from everlog.errors import UsageError

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
            advice="install it:  pip install 'everlog[benchmark]'",
        ) from error
