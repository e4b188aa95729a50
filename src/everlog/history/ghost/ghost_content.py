"""Ghost's content interface as a history source: all posts and pages with their texts, 100 a request.

Every page of a Ghost site has a public key of the interface, for its search and its sign-up form. What was seen of
it (Ghost 5.130, and the code of that):

    total     `meta.pagination.total` counts what the filter lets through
    limit     any number up to Ghost 5, at most 100 from Ghost 6 on
    filter    compares moments as the database writes them: `2024-05-03 10:00:00`, in UTC, without parts of a second
    locked    texts for members are cut: `access` is false, `visibility` says for whom
    paths     `/ghost/api/content/` since Ghost 5, with a version in it before
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, urljoin, urlsplit

from everlog.core.urls import absolute
from everlog.history.ghost.ghost_walk import GhostChanges, GhostListing, GhostWalk
from everlog.history.source import BlogClues, Entrance, Grade, HistoryWalk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from everlog.core.tree import Element
    from everlog.records import PostKind

# Keys are 26 hexadecimal digits; what is longer than any is none.
_LONGEST_KEY = 100
_API = "/ghost/api/content/"
# Who has one of these beside a key is a script of Ghost: the sign-up form, the search, the comments.
_OF_SITE = ("data-ghost", "data-sodo-search", "data-ghost-comments")
# Posts and pages of a site of 50,000 posts.
MOST_REQUESTS = 600


@dataclass(frozen=True, slots=True)
class GhostContent:
    """The interface that every Ghost since 2.0 has, with the key that its pages show since 4.48."""

    name: str = "Ghost content API"
    grade: Grade = "A"
    most_requests: int = MOST_REQUESTS

    def entrance(self, clues: BlogClues) -> Entrance | None:
        """The interface with its key, as a script of the front page has them.

        >>> from everlog.core.tree import parse
        >>> from everlog.history.source import BlogClues
        >>> page = parse(b'<script src="portal.js" data-ghost="https://a.org/" data-key="22444f"></script>')
        >>> GhostContent().entrance(BlogClues(home="https://a.org/", root=page)).url
        'https://a.org/ghost/api/content/?key=22444f'
        """
        for script in clues.root.iter("script") if clues.root is not None else ():
            key = (script.get("data-key") or "").strip()
            if not key.isalnum() or len(key) > _LONGEST_KEY:
                continue
            root = _interface(script, clues.home)
            if root is not None:
                evidence = f"a script of the page has a key of {urlsplit(root).path}"
                return Entrance(url=f"{root}?key={quote(key)}", evidence=evidence)
        return None

    def walk(
        self, entrance: str, *, cursor: Mapping[str, Any] | None = None, wants_comments: bool = True,
    ) -> HistoryWalk:
        """All posts, then pages, then what changed meanwhile. Comments are not told by the interface."""
        del wants_comments
        return GhostWalk.of(*_parts(entrance), cursor, most_requests=self.most_requests)

    def changes(
        self, entrance: str, mark: Mapping[str, Any], *, wants_comments: bool = True,
    ) -> HistoryWalk | None:
        """The posts and pages that were published or edited since; None where the interface takes no filters."""
        del wants_comments
        root, key = _parts(entrance)
        return GhostChanges.of(root, key, mark) if mark.get("updated") is not None else None

    def listing(
        self, entrance: str, *, kind: PostKind = "post", mark: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> HistoryWalk:
        """The numbers and addresses of all posts, or pages, without their texts."""
        return GhostListing.of(*_parts(entrance), kind="posts" if kind == "post" else "pages")


def _interface(script: Element, home: str) -> str | None:
    """Where the interface is, by the settings of a script; None for a script of something else."""
    named = next((script.get(name) for name in _OF_SITE if script.get(name)), None)
    stated = absolute(home, script.get("data-api"))
    if stated is not None and "/ghost/api/" in stated and "/content" in stated:
        return urljoin(stated, urlsplit(stated).path.rstrip("/") + "/")
    site = absolute(home, named)
    return site.partition("?")[0].rstrip("/") + _API if site is not None else None


def _parts(entrance: str) -> tuple[str, str]:
    """The root of the interface, and the key."""
    return entrance.partition("?")[0], next(iter(parse_qs(urlsplit(entrance).query).get("key", [])), "")


SOURCE = GhostContent()
