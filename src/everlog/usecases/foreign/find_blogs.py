"""Blogs in imported files: those that the archive holds, by what belongs to them, and those that are new.

A file that holds a feed teaches as a crawl would; without one, posts are recognised by their pages. No request is made.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everlog.core.urls import canonical, host_of
from everlog.errors import EverlogError, NothingToLearn, Unreachable
from everlog.usecases.crawl.crawl_blog import study_comments
from everlog.usecases.crawl.crawl_context import CrawlRun
from everlog.usecases.crawl.lifecycle import feed_visit
from everlog.usecases.crawl.report import Tally
from everlog.usecases.discover.blog_scope import keep_places, scope_of
from everlog.usecases.discover.held_blog import home_known_as
from everlog.usecases.learn.explore import find_blog
from everlog.usecases.learn.learn_found import learn_found
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.page.rendering import Rendering

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.archive import Archive
    from everlog.core.fetcher import Fetcher
    from everlog.core.scope import Scope
    from everlog.importing.file_fetcher import FileFetcher
    from everlog.importing.import_index import ImportIndex
    from everlog.records import Blog
    from everlog.settings import Settings

# Two posts are the least that tell how a blog is made.
FEWEST_PAGES = 2
# Addresses of one host at which a blog is looked for: its front page, its feeds, its shortest addresses.
MOST_TRIED = 5
FEEDS_TRIED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundBlog:
    """A blog that files hold pages of; `fetcher` has what belongs to it, `is_new` says that it was not held."""

    blog: Blog
    scope: Scope
    fetcher: Fetcher
    is_new: bool


@dataclass(slots=True, kw_only=True)
class BlogFinder:
    """Who looks for blogs in the captures of some files."""

    index: ImportIndex
    fetcher: FileFetcher
    archive: Archive
    settings: Settings

    async def named(self, url: str) -> FoundBlog:
        """The blog that the user named, held or not."""
        held = home_known_as(url, self.archive)
        if held is not None and LearnedBlog.of(held) is not None:
            return self._held(held)
        try:
            return await self._learned(url)
        except Unreachable as error:
            raise NothingToLearn(
                f"the files hold no page of {url}", advice="leave out --blog to see which blogs are in them",
            ) from error

    async def all(self, on_remark: list[str]) -> list[FoundBlog]:
        """The blogs that are held and have pages here, then those that are new; why there is none on other hosts."""
        hosts = {host for host, _ in self.index.hosts()}
        found = [each for each in self._all_held() if _homes(each.scope) & hosts]
        pages = self._unclaimed(found)
        found = [each for each in found if any(each.scope.is_own_key(key) for key in self._keys())]
        for host, count in pages.most_common():
            if count >= FEWEST_PAGES:
                found += await self._on_host(host, found, on_remark)
        return found

    def _all_held(self) -> Iterator[FoundBlog]:
        for blog in self.archive.blogs():
            if LearnedBlog.of(blog) is not None:
                yield self._held(blog)

    def _held(self, blog: Blog) -> FoundBlog:
        return FoundBlog(blog=blog, scope=scope_of(blog, self.archive), fetcher=self.fetcher, is_new=False)

    def _keys(self) -> Iterator[str]:
        last = None
        for page in self.index.pages():
            key = canonical(page.url)
            if key != last:
                yield key
            last = key

    def _unclaimed(self, found: list[FoundBlog]) -> Counter[str]:
        """How many pages of each host belong to none of these blogs."""
        scopes = [each.scope for each in found]
        return Counter(
            host_of(f"http://{key}") for key in self._keys() if not any(scope.is_own_key(key) for scope in scopes)
        )

    async def _on_host(self, host: str, before: list[FoundBlog], on_remark: list[str]) -> list[FoundBlog]:
        """New blogs on a host; several may stand in folders of it."""
        new: list[FoundBlog] = []
        why = ""
        for url in list(self._candidates(host)):
            if any(each.scope.is_own(url) for each in (*before, *new)):
                continue
            try:
                each = await self._learned(url)
            except EverlogError as error:
                why = why or error.message.partition("\n")[0]
                continue
            if all(each.blog.id != other.blog.id for other in (*before, *new)):
                new.append(each)
            if self._unclaimed([*before, *new])[host] < FEWEST_PAGES:
                break
        if not new and why:
            on_remark.append(f"{host}: no blog recognised ({why})")
        return new

    def _candidates(self, host: str) -> Iterator[str]:
        pages = self.index.shortest(host, MOST_TRIED)
        front = [page.url for page in pages if canonical(page.url) == host]
        feeds = [feed.url for feed in self.index.feeds() if host_of(feed.url) == host][:FEEDS_TRIED]
        chosen = [*front, *feeds, *(page.url for page in pages)]
        yield from list(dict.fromkeys(chosen))[:MOST_TRIED]

    async def _learned(self, url: str) -> FoundBlog:
        """The blog at an address, learned from the files alone."""
        settings = replace(self.settings.for_blog(url), render="never")
        tally = Tally(blog=url)
        self.fetcher.moment, self.fetcher.shows_made, self.fetcher.shown_made = None, True, 0
        rendering = Rendering(browser=None, fetcher=self.fetcher, settings=settings)
        try:
            found = await find_blog(url, rendering, tally)
            held = home_known_as(found.home, self.archive)
            if held is not None and LearnedBlog.of(held) is not None:
                return self._held(held)
            lesson = await learn_found(found, rendering)
            is_scripted = self.fetcher.shown_made > len(lesson.pages) // 2
        finally:
            self.fetcher.shows_made = False
        archive = self.archive
        run = CrawlRun(fetcher=rendering.fetcher, archive=archive, settings=settings, tally=tally)
        blog = archive.blogs.add(found.home, scope=settings.scope)
        archive.blogs.keep_address(url, blog.home)
        commenting, comment_feeds = await study_comments(blog, found, lesson.shown, rendering, run)
        learned = replace(
            lesson.learned, template=lesson.learned.template.with_comments(commenting.rules), is_scripted=is_scripted,
        )
        feeds = [feed_visit(blog, found.feed_url, found.feed_page)] if found.feed_url and found.feed_page else []
        with archive.lock(blog.id):
            # The feed comes before what was learned from it: killed in between, the blog is learned again.
            archive.commit([
                replace(each, foreign="queued") for each in (*feeds, *comment_feeds)
                if not archive.captures.is_held(blog.id, each.exchanges[-1])
            ])
            keep_places(blog, lesson.scope, archive)
            blog = archive.blogs.update(
                blog.id, title=found.feed.title, feed_url=found.feed_url, template=learned.template.to_json(),
                knowledge=learned.knowledge(), forgotten_at=None, scope=settings.scope,
            )
        return FoundBlog(blog=blog, scope=lesson.scope, fetcher=rendering.fetcher, is_new=True)


def _homes(scope: Scope) -> set[str]:
    """The hosts that a blog may have pages on."""
    return {host_of(home) for home in (scope.home, *scope.former, *scope.also, *(each.home for each in scope.aliases))}
