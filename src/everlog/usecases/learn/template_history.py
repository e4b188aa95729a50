"""The designs a blog has worn: every page is read by the rules of its own time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from everlog.core.tree import parse
from everlog.errors import UnreadablePage
from everlog.records import Event
from everlog.usecases.learn.learned_blog import LearnedBlog

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.core.tree import Element
    from everlog.extract.redesign_check import Fit
    from everlog.records import Page

# What repeated on the pages of the last crawl, as `comparing` remembers it.
REPEATS = "repeats"
# So many ways in which pages were lost are named in the ledger.
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class TemplateHistory:
    """What was known of a blog before each of its redesigns, and until when that held; the oldest first."""

    former: tuple[tuple[datetime, LearnedBlog], ...] = ()

    @classmethod
    def of(cls, blog_id: int, archive: Archive) -> Self:
        """The former designs of a blog, as its archive keeps them."""
        return cls(tuple(
            (
                each.retired_at, LearnedBlog.from_texts(each.template, each.knowledge),
            ) for each in archive.blogs.templates(blog_id)
        ))

    def at(self, moment: datetime | None, present: LearnedBlog) -> LearnedBlog:
        """What was known of the blog at a moment."""
        if moment is None:
            return present
        return next((known for retired_at, known in self.former if moment < retired_at), present)

    def known_for(self, root: Element, moment: datetime | None, present: LearnedBlog) -> LearnedBlog:
        """What reads a page that was fetched at a moment: what was known then, unless it wears another design.

        Some old pages are never made anew, and a redesign is noticed a while after it was made. The key-path tells:
        it is on nearly all pages of its own design, and on none of another.
        """
        known = self.at(moment, present)
        if not self.former or not _is_foreign(known, root):
            return known
        others = (present, *(other for _, other in reversed(self.former)))
        return next((other for other in others if other.template.key_paths.matches(root)), known)

    def known_of(self, page: Page, present: LearnedBlog) -> LearnedBlog:
        """The same for a page that is not parsed yet; blogs that were never redesigned need not be."""
        if not self.former:
            return present
        try:
            return self.known_for(parse(page.body, page.content_type), page.fetched_at, present)
        except UnreadablePage:
            return present


def _is_foreign(known: LearnedBlog, root: Element) -> bool:
    """Whether a page lacks the key-path of a design that has one."""
    return known.template.key_paths.key is not None and not known.template.key_paths.matches(root)


def begin_era(blog_id: int, learned: LearnedBlog, before: Sequence[Fit], after: Sequence[Fit], archive: Archive) -> str:
    """Keep new rules for a blog from `learned.learned_at` on, and the old ones for all of before. Why, in words.

    `before` and `after` are how well the old and the new rules read the same pages.
    """
    from everlog.extract.redesign_check import mean_score  # noqa: PLC0415 - most crawls do without it

    if learned.learned_at is None:
        raise AssertionError("what was just learned has a date")
    was, now = mean_score(before), mean_score(after)
    reason = (
        f"the blog was redesigned: on {len(after)} of its pages the old rules scored {was:.0%}, "
        f"the new ones {now:.0%}"
    )
    lost = sorted({fit.lost for fit in before if fit.lost is not None})[:MOST_NAMED]
    detail: dict[str, object] = {"pages": len(after), "before": round(was, 4), "after": round(now, 4), "lost": lost}
    # This is no help with the new pages; the template knows what repeats on these.
    archive.blogs.remember(blog_id, REPEATS, None)
    archive.blogs.change_template(
        blog_id, template=learned.template.to_json(), knowledge=learned.knowledge(), at=learned.learned_at,
        reason=reason,
        events=[Event(blog_id=blog_id, kind="redesigned", at=learned.learned_at, reason=reason, detail=detail)],
    )
    return reason
