"""PageContext: one page on its way through the pipeline, from what came in to what the archive is to store."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from everlog.records import Blog, Exchange, Fetched, Link, Outcome, Page, Post, Visit
from everlog.usecases.page.page_reading import PageReading


@dataclass(slots=True, kw_only=True)
class PageContext:
    """One page of a crawl: what came in, what was read, and what comes out. Each step of the pipeline adds to it."""

    # What came in; `rendered` is what a browser made of it, read in place of the answer and stored beside it (`made`).
    link: Link
    fetched: Fetched
    rendered: Page | None = None
    made: tuple[Exchange, ...] = ()
    # What was read.
    reading: PageReading = field(default_factory=PageReading)
    # What comes out: the visit in the making.
    outcome: Outcome = "page"
    reason: str | None = None
    note: str | None = None
    post: Post | None = None
    post_key: str | None = None
    links: list[Link] = field(default_factory=list)
    new_posts: int = 0
    kept: bool = True
    # Further pages of the post, to be stored behind it; and whether one of them could not be had for now.
    parts: list[Visit] = field(default_factory=list)
    is_unfinished: bool = False
    comments_tried: bool = True
    sight: Literal["led-away", "no-post"] | None = None
    other_template: bool = False
    # Whether the page belongs to the version that is held, which an interface told.
    completes: bool = False
    is_unlisted: bool = False

    @property
    def shown(self) -> Page:
        """The page to read: as a browser rendered it, else as it was fetched."""
        return self.rendered or self.fetched.page

    @property
    def held_key(self) -> str:
        """The key that the post of this page is held under, or will be."""
        return self.post_key or self.link.key

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """What is stored, the answer last."""
        if not self.kept:
            return ()
        return (*self.fetched.exchanges[:-1], *self.made, self.fetched.exchanges[-1])

    def to_visit(self, blog: Blog) -> Visit:
        """The record of this visit to a page of a blog, as the archive stores it."""
        return Visit(
            blog_id=blog.id, url=self.link.url, key=self.link.key, outcome=self.outcome, reason=self.reason,
            note=self.note, exchanges=self.exchanges, post=self.post,
            post_key=self.post_key, links=tuple(self.links), new_posts=self.new_posts,
            comments_tried=self.comments_tried, sight=self.sight, other_template=self.other_template,
            is_unfinished=self.is_unfinished, completes=self.completes,
            in_first_crawl=blog.crawled_at is None, is_unlisted=self.is_unlisted,
            lane=self.link.lane if self.outcome == "skip" else None,
        )
