"""Results side by side: by engine, language or kind of feed."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.evaluate.corpus import Blog
    from everlog.evaluate.run import Result

Grouping = Literal["engine", "language", "feed"]


def group(results: Sequence[Result], by: Grouping) -> dict[str, list[Result]]:
    """The results by engine, language or kind of feed, the largest group first."""
    groups: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        groups[group_name(result.blog, by) or "unknown"].append(result)
    return dict(sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])))


def group_name(blog: Blog, by: Grouping) -> str:
    """The engine, language or kind of feed of a blog without its variants; empty if nothing says."""
    if by == "engine":
        return blog.engine.partition("(")[0].strip().casefold()
    if by == "language":
        return blog.language.partition("-")[0].casefold()
    return blog.feed_is
