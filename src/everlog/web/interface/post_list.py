"""List of a blog's posts: what is asked for, the page of the list, and what it can be filtered by."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from everlog.archive.projection.filters import PostFilter
from everlog.archive.projection.listing import MOST_COUNTED
from everlog.archive.projection.overview import BlogFigures
from everlog.archive.projection.summaries import Cursor, PostSummary
from everlog.errors import UsageError
from everlog.records.confidence import LOW
from everlog.web.interface.event_list import EventList
from everlog.web.interface.month_charts import month_in_words, year_charts
from everlog.web.mementos.capture_times import short_day

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.archive.projection.post_content import TermKind
    from everlog.records import Blog

PER_PAGE, RECENT = 40, 8
# Tags and names offered before somebody asks for more of them, and then.
FEW, MANY = 16, 500
# Years whose bars stand open; the ones before them are folded away.
OPEN_YEARS = 12
UNDATED = "none"
LONGEST = 200
FILTERS: Mapping[TermKind, str] = {"tag": "Tags", "author": "Authors", "language": "Languages", "site": "Linked sites"}
_MONTH = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Asked:
    """The query of a link, and those of links that change one thing of it."""

    values: Mapping[str, str]

    def get(self, name: str) -> str:
        """What was asked for by a name; empty if nothing."""
        return self.values.get(name, "")[:LONGEST]

    def link(self, **changes: str | None) -> str:
        """The same with other values, of the first page; None takes one out.

        >>> Asked({"tag": "a b", "after": "x"}).link(author="Ann"), Asked({"tag": "a"}).link(tag=None)
        ('?tag=a+b&author=Ann', '?')
        """
        merged: dict[str, str | None] = {**self.values, "after": None, "page": None, **changes}
        return "?" + urlencode({name: value for name, value in merged.items() if value})

    def begin(self, name: str) -> str:
        """What links that change this one thing begin with; its value, letters and digits, is all that is left to add.

        >>> Asked({"tag": "a b", "month": "2024"}).begin("month"), Asked({}).begin("month")
        ('?tag=a+b&month=', '?month=')
        """
        others = self.link(**{name: None})
        return f"{others}{'&' if len(others) > 1 else ''}{name}="


class PostList:
    """The posts of blogs in lists. With `public`, what is hidden is not there."""

    def __init__(self, archive: Archive, *, public: bool) -> None:
        self._archive, self._public = archive, public
        self._events = EventList(archive, public=public)

    def page(self, blog: Blog, asked: Asked) -> dict[str, Any]:
        """What the page of a blog says."""
        archive, public = self._archive, self._public
        chosen = self._chosen(blog.id, asked)
        is_oldest = asked.get("order") == "oldest"
        after = Cursor.parse(asked.get("after"))
        found = archive.listing(chosen, after=after, oldest_first=is_oldest, limit=PER_PAGE)
        months = archive.overview.months([blog.id], public=public)[blog.id]
        charts = year_charts(months)
        verdict = archive.blogs.inventory.last_verdict(blog.id)
        figures = archive.overview.figures([blog.id]).get(blog.id, BlogFigures())
        return {
            "blog": blog, "asked": asked, "posts": found.posts, "after": after, "is_oldest": is_oldest,
            "further": asked.link(after=str(found.following)) if found.following else None,
            "count": self.counted(chosen, sum(months.values())), "most": MOST_COUNTED, "figures": figures,
            "charts": charts[-OPEN_YEARS:], "earlier": charts[:-OPEN_YEARS], "undated": months.get("", 0),
            # The year whose months stand open: the one that is asked for, or the last.
            "opened": next(
                (chart for chart in charts if chart.year == asked.get("month")[:4]), charts[-1] if charts else None,
            ),
            "active": _active(asked), "offered": self._offered(blog, asked),
            "events": self._events.page(blog_id=blog.id, limit=RECENT).happenings,
            # One that came by an interface of its server, or from somebody's file, may have none.
            "has_front_page": blog.home in archive.mementos.nearest_many([blog.home], datetime.now(UTC)),
            "verdict": verdict, "judged_at": datetime.fromisoformat(verdict["checked_at"]) if verdict else None,
            # They count what is held, hidden posts too. Verdicts of earlier versions were kept without them.
            "sentences": () if public and figures.hidden else (verdict or {}).get("sentences", ()),
        }

    def counted(self, chosen: PostFilter, all_posts: int) -> int:
        """How many posts a list has; all of a blog's are counted already."""
        is_all = not chosen.terms and chosen.month is None
        return all_posts if is_all else self._archive.listing.count(chosen)

    def _chosen(self, blog_id: int, asked: Asked) -> PostFilter:
        month = asked.get("month")
        if month and month != UNDATED and not _MONTH.fullmatch(month):
            raise UsageError(f"{month} is not a month", advice="write 2024, 2024-05, or 2024-05-31")
        return PostFilter(
            blog_id=blog_id, month="" if month == UNDATED else month or None, public=self._public,
            **{kind: asked.get(kind) or None for kind in FILTERS},  # type: ignore[arg-type]
        )

    def _offered(self, blog: Blog, asked: Asked) -> list[tuple[TermKind, str, Any, bool]]:
        """What the list can be filtered by: tags, authors and languages, where there is more than one to choose."""
        offered: list[tuple[TermKind, str, Any, bool]] = []
        for kind, name in FILTERS.items():
            most = MANY if asked.get("more") == kind else FEW
            terms = self._archive.overview.terms(blog.id, kind, public=self._public, limit=most + 1)
            if terms and (len(terms) > 1 or kind == "tag"):
                offered.append((kind, name, terms[:most], len(terms) > most))
        return offered


def published_day(post: PostSummary) -> str:
    """The day of a post as lists have it, no more exact than the blog tells it."""
    if post.published is None:
        return "No date"
    day = short_day(post.published)
    return day.partition(" ")[2] if post.precision == "month" else day


def is_unsure(post: PostSummary) -> bool:
    """Whether a reader should compare a post with its page."""
    return post.confidence is not None and post.confidence < LOW


def _active(asked: Asked) -> list[tuple[str, str, str]]:
    """The filters that hold: name, value in words, and the link without it."""
    names = {"tag": "Tag", "author": "Author", "language": "Language", "site": "Links to"}
    active = [(label, asked.get(kind), asked.link(**{kind: None})) for kind, label in names.items() if asked.get(kind)]
    month = asked.get("month")
    if month:
        said = "none" if month == UNDATED else month_in_words(month) if _is_calendar(month) else month
        active.insert(0, ("Date" if month == UNDATED else "Published", said, asked.link(month=None)))
    return active


def _is_calendar(month: str) -> bool:
    return len(month) == 4 or "01" <= month[5:7] <= "12"
