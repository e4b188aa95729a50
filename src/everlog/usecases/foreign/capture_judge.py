"""Judge of captures: whether one shows a post of the blog, or what stood at its address later.

After a blog has died, its addresses answer with errors that call themselves pages, and with the advertisements of
whoever has the domain. These are not to be taken for posts, however willing the blog's rules are to read them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Self

from everlog.core.words import words
from everlog.extract.classify import noarchive
from everlog.records import Page, Post
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.learn.page_comparison import compared_anew
from everlog.usecases.learn.template_history import TemplateHistory
from everlog.usecases.page.page_reading import read_page

if TYPE_CHECKING:
    from everlog.core.scope import Scope
    from everlog.records import Blog, Exchange
    from everlog.usecases.crawl.crawl_context import CrawlRun
    from everlog.usecases.page.page_reading import PageReading

# Posts whose places of the article are those of the blog: a design shows itself in a few of them.
POSTS_ASKED = 200
# A place that any page has says nothing about whose page it is.
ANYWHERE = frozenset({"html", "body"})
# Where another design is read: a text that is longer than what errors and advertisements say, on a page that has a
# date, or leads to others of the blog as its menus do.
LEAST_WORDS = 50
LEAST_LINKS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureJudge:
    """What is known of the posts of a blog: how they are read, and where their articles stand."""

    templates: TemplateHistory
    scope: Scope
    places: Collection[str]
    obeys_noarchive: bool = True

    @classmethod
    def of(cls, blog: Blog, scope: Scope, run: CrawlRun) -> Self:
        """The judge of a blog that is learned."""
        archive = run.archive
        learned = LearnedBlog.of(blog)
        assert learned is not None  # noqa: S101 - whoever asks has learned the blog
        held = islice(archive.posts(blog_id=blog.id), POSTS_ASKED)
        places = {source.rule for post in held if (source := post.provenance.get("text")) and post.origin == "live"}
        return cls(
            templates=TemplateHistory.of(blog.id, archive, compared_anew(learned, blog, archive)), scope=scope,
            places=frozenset(filter(None, places)), obeys_noarchive=run.settings.robots,
        )

    def is_post(self, exchange: Exchange) -> bool:
        """Whether a capture shows a post of the blog, which may be kept."""
        page = Page(
            url=exchange.url, body=exchange.body, content_type=exchange.header("content-type"),
            fetched_at=exchange.seen_at,
        )
        reading = read_page(
            page, self.templates, self.scope, obeys_noarchive=self.obeys_noarchive,
            says_noarchive=any(noarchive(None, value) for value in exchange.values("x-robots-tag")),
        )
        return isinstance(reading.found, Post) and self._is_of_blog(reading.found, reading)

    def _is_of_blog(self, post: Post, reading: PageReading) -> bool:
        source = post.provenance.get("text")
        place = source.rule if source is not None else None
        if place is not None and place not in ANYWHERE and (place in self.places or not self.places):
            return bool(post.text)
        is_linked = post.published is not None or len(reading.links) >= LEAST_LINKS
        return is_linked and len(words(post.text)) >= LEAST_WORDS
