"""What the web remembers of hosts from one run to the next, written in groups: polls meet many hosts a second."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.fetch.allowlist import FIRST_NETWORK
from everlog.usecases.discover.stored_allowlist import TYPED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from everlog.archive import Archive

ROBOTS = "robots "
GATHERED = (ROBOTS, FIRST_NETWORK, TYPED)


class HostCache:
    """robots.txt and hosts' waits. Kept and taken in one thread; what was taken may be written in another."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._kept: dict[str, str | None] = {}
        self._on_the_way: Mapping[str, str | None] = {}

    def recall(self, name: str) -> str | None:
        for gathered in (self._kept, self._on_the_way):
            if name in gathered:
                return gathered[name]
        return self._archive.blogs.recall(None, name)

    def remember(self, name: str, value: str | None) -> None:
        if name.startswith(GATHERED):
            self._kept[name] = value
        else:
            # Who asked to be left alone is left alone, whatever ends this process; robots.txt can be asked for again,
            # and the networks of blogs that are held are taken as public until they are written.
            self._archive.blogs.remember(None, name, value)

    def take(self) -> Mapping[str, str | None]:
        """What was kept since the last time, to be written; it is known here until more is taken."""
        self._on_the_way, self._kept = self._kept, {}
        return self._on_the_way

    def write(self, taken: Mapping[str, str | None] | None = None) -> None:
        """Bring into the archive what was taken, or else what is kept."""
        taken = self.take() if taken is None else taken
        if taken:
            self._archive.blogs.remember_all(None, taken)
