"""TemplateHistory: the designs a blog has had; every page is read by the rules of its own time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from everlog.core.tree import Element, parse
from everlog.errors import UnreadablePage
from everlog.records import Event, Page
from everlog.usecases.learn.learned_blog import LearnedBlog

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.extract.redesign_check import Fit

# What repeated on the pages of the last crawl, as `page_comparison` remembers it.
# So many ways in which pages were lost are named in the event log.
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class TemplateHistory:
    """What is learned of a blog now, and what was before each of its redesigns, until when; the oldest first."""

    present: LearnedBlog
    former: tuple[tuple[datetime, LearnedBlog], ...] = ()

    @classmethod
    def of(cls, blog_id: int, archive: Archive, present: LearnedBlog) -> Self:
        """With the former designs of a blog, as its archive keeps them."""
        return cls(present, tuple(
            (each.retired_at, LearnedBlog.from_texts(each.template, each.knowledge))
            for each in archive.blogs.templates(blog_id)
        ))

    def at(self, moment: datetime | None) -> LearnedBlog:
        """What was learned of the blog at a moment."""
        if moment is None:
            return self.present
        return next((learned for retired_at, learned in self.former if moment < retired_at), self.present)

    def for_page(self, root: Element, moment: datetime | None) -> LearnedBlog:
        """What reads a page that was fetched at a moment: what was learned then, unless it has another design.

        Some old pages are never made anew, and a redesign is noticed a while after it was made. The key-path tells:
        it is on nearly all pages of its own design, and on none of another.
        """
        learned = self.at(moment)
        if not self.former or not _is_foreign(learned, root):
            return learned
        others = (self.present, *(other for _, other in reversed(self.former)))
        return next((other for other in others if other.template.key_paths.matches(root)), learned)

    def for_unparsed(self, page: Page) -> LearnedBlog:
        """The same for a page that is not parsed yet; blogs that were never redesigned need not be."""
        if not self.former:
            return self.present
        try:
            return self.for_page(parse(page.body, page.content_type), page.fetched_at)
        except UnreadablePage:
            return self.present


def _is_foreign(learned: LearnedBlog, root: Element) -> bool:
    """Whether a page lacks the key-path of a design that has one."""
    return learned.template.key_paths.key is not None and not learned.template.key_paths.matches(root)


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
    archive.blogs.keep_repeats(blog_id, None)
    archive.blogs.change_template(
        blog_id, template=learned.template.to_json(), knowledge=learned.knowledge(), at=learned.learned_at,
        reason=reason,
        events=[Event(blog_id=blog_id, kind="redesigned", at=learned.learned_at, reason=reason, detail=detail)],
    )
    return reason
