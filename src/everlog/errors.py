"""What can go wrong in a way the reader can do something about.

    EverlogError
    ├── UnreadableFeed     the bytes are not a feed, or an empty one
    ├── NothingToLearn     a feed and pages that teach nothing
    ├── UnreadablePage     bytes no document can be made of
    ├── UnreadableTemplate a stored template of another version, or not one at all
    └── UsageError         a wrong flag, folder or file

The text of each ends with what to do next; `exit_code` is the command line's.
"""

from __future__ import annotations


class EverlogError(Exception):
    """Base of all errors everlog raises on purpose."""

    exit_code = 2

    def __init__(self, message: str, *, advice: str | None = None) -> None:
        super().__init__(f"{message}\n  {advice}" if advice else message)
        self.message = message
        self.advice = advice


class UnreadableFeed(EverlogError):
    """The bytes are not a feed, or one without entries."""

    exit_code = 4


class NothingToLearn(EverlogError):
    """No entry of the feed could be matched with its page."""

    exit_code = 4


class UnreadablePage(EverlogError):
    """No document can be made of these bytes."""

    exit_code = 4


class UnreadableTemplate(EverlogError):
    """A stored template that this version cannot use."""


class UsageError(EverlogError):
    """A flag, folder or file that does not fit."""
