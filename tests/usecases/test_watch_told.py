"""The watch of blogs whose own interface tells their posts: what a poll notices, and how few requests it takes."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from everlog.archive import open_archive
from everlog.archive.archive import ArchiveOptions
from everlog.usecases.completeness import completeness_of
from everlog.usecases.crawl.crawl_blog import archive_blog
from everlog.usecases.watch.poll import NO_INTERFACE, poll_blog
from everlog.usecases.watch.poll_source import enlist
from history.served import written
from history.sites.archives import FeedArchives
from history.sites.blogger import Blogger
from history.sites.ghost import GhostSite
from history.sites.squarespace import SquarespaceSite
from history.sites.substack import SubstackSite
from history.sites.wordpress_com import WordPressComBlog
from history.sites.wordpress_feeds import WordPressFeeds
from usecases.a_site import work
from usecases.a_told_site import LONG, Broken, SiteWeb, ToldBlog

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from everlog.archive import Archive
    from everlog.usecases.crawl.crawl_context import CrawlRun
    from everlog.usecases.watch.poll import PollResult
    from history.sites.blog import Blog

OLD = 2


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive", create=True, options=ArchiveOptions(min_free_bytes=0)) as opened:
        yield opened


class Watched:
    """A site that was crawled, and its polls, one behind the other."""

    def __init__(self, site: Blog, archive: Archive, **settings: object) -> None:
        self.site, self.archive, self.settings = site, archive, settings
        self.web = SiteWeb(site)
        asyncio.run(archive_blog(site.home, self._run()))

    def poll(self) -> PollResult:
        """The next poll of the blog; `web.asked` is what it asked for."""
        self.web.asked.clear()
        [blog] = self.archive.blogs()
        enlist(self.archive, self.web.now)
        polled = asyncio.run(poll_blog(self.archive.polls.of(blog.id), blog, self._run()))
        self.archive.polls.set(polled.poll)
        return polled

    def _run(self) -> CrawlRun:
        return work(self.web, self.archive, **self.settings)

    @property
    def posts(self) -> dict[str, object]:
        return {post.url: post for post in self.archive.posts()}

    def beyond(self, *pages: str) -> int:
        """How many requests were made beside those of these pages."""
        return len([url for url in self.web.asked if url not in pages])


TOLD = {
    "WordPress": lambda: ToldBlog.of(40, comments=15),
    "WordPress with a feed of comments": lambda: ToldBlog.of(40, comments=15, traps={"talk"}),
    "WordPress without REST": lambda: written(WordPressFeeds.of(25)),
    "WordPress.com": lambda: written(WordPressComBlog.of(25, comments=5, pages=0)),
    "Blogger": lambda: written(Blogger.of(25, comments=5)),
    "Ghost": lambda: written(GhostSite.of(25)),
    "Substack": lambda: written(SubstackSite.of(25, comments=5)),
    "Squarespace": lambda: written(SquarespaceSite.of(25)),
    "complete feed": lambda: written(FeedArchives.of(25, way="complete")),
}
EVERY_DAY = {"WordPress", "Blogger"}


def some_every_day(platforms: Iterable[str]) -> list[object]:
    return [name if name in EVERY_DAY else pytest.param(name, marks=pytest.mark.slow) for name in platforms]


@pytest.mark.parametrize("platform", some_every_day(TOLD))
def test_a_poll_of_what_did_not_change_takes_two_requests_at_most(platform, archive):
    watched = Watched(TOLD[platform](), archive)
    for _ in range(2):
        polled = watched.poll()
        assert len(watched.web.asked) <= 2, watched.web.asked
        assert (polled.seen.kind, polled.trouble, polled.report) == ("unchanged", None, None)


@pytest.mark.parametrize("platform", some_every_day([
    "WordPress", "WordPress with a feed of comments", "WordPress.com", "Blogger", "Ghost",
]))
def test_an_edit_and_a_deletion_of_old_posts_are_noticed(platform, archive):
    watched = Watched(TOLD[platform](), archive)
    site = watched.site
    old, gone = site.link(site.posts[OLD]), site.link(site.posts[OLD + 1])
    site.edit(OLD, f"<p>{LONG} Written anew.</p>")
    site.delete(OLD + 1)
    polled = watched.poll()
    assert polled.seen.kind == "changed"
    assert "Written anew." in watched.posts[old].text
    assert watched.posts[old].version == 2
    assert watched.posts[gone].gone is not None
    assert watched.beyond(old, gone) <= 6, watched.web.asked
    assert len(watched.web.asked) - watched.beyond(old, gone) == 2
    assert {event.kind for event in archive.events()} == {"edited", "deleted"}
    watched.poll()
    assert len(watched.web.asked) <= 2


@pytest.mark.parametrize("platform", some_every_day([
    "WordPress", "WordPress with a feed of comments", "WordPress.com", "Blogger",
]))
def test_comments_on_old_posts_are_noticed(platform, archive):
    watched = Watched(TOLD[platform](), archive)
    site = watched.site
    pages = [site.link(site.posts[number]) for number in (OLD, OLD + 3)]
    before = {url: len(watched.posts[url].comments) for url in pages}
    for number in (OLD, OLD + 3, OLD + 3):
        site.comment(number)
    watched.poll()
    assert [len(watched.posts[url].comments) - before[url] for url in pages] == [1, 2]
    # The feed of all comments, the interface, and where a page counts more than it shows the feed of its own comments.
    assert watched.beyond(*pages) <= 4, watched.web.asked
    # Where comments are missing, how many changes with them.
    assert {event.kind for event in archive.events()} - {"completeness"} == {"comments"}
    watched.poll()
    assert len(watched.web.asked) <= 2


@pytest.mark.parametrize("platform", some_every_day(TOLD))
def test_new_posts_are_noticed_and_set_the_rhythm(platform, archive):
    watched = Watched(TOLD[platform](), archive)
    new = watched.site.publish()
    polled = watched.poll()
    assert watched.site.link(new) in watched.posts
    assert polled.seen.kind == "changed"
    assert len(polled.seen.published) == 1
    # Pages of other posts may be looked at to tell what is the new one's own.
    assert watched.beyond(*watched.site.links) <= 4, watched.web.asked


def test_an_interface_that_stops_answering_leaves_the_blog_to_its_feed(archive):
    watched = Watched(ToldBlog.of(40), archive)
    watched.site.traps |= {"off-404"}
    new = watched.site.publish()
    polled = watched.poll()
    assert watched.site.link(new) in watched.posts
    assert (polled.seen.kind, polled.trouble) == ("changed", None)
    assert f"{watched.site.home}feed/" in watched.web.asked
    watched.poll()
    assert watched.beyond() <= 3, watched.web.asked
    # Once it answers again it tells what was edited meanwhile.
    watched.site.traps -= {"off-404"}
    watched.site.edit(OLD, f"<p>{LONG} Written anew.</p>")
    watched.poll()
    assert "Written anew." in watched.posts[watched.site.link(watched.site.posts[OLD])].text


def test_an_interface_that_wants_to_be_left_alone_leaves_the_blog_to_its_feed(archive):
    watched = Watched(ToldBlog.of(40), archive)
    watched.web.busy.add("wp-json")
    new = watched.site.publish()
    watched.poll()
    assert watched.site.link(new) in watched.posts


def test_posts_that_are_no_part_of_the_blog_are_not_looked_for_at_every_poll(archive):
    site = ToldBlog.of(30)
    link = site.link
    site.link = lambda post: f"https://elsewhere.example/{post.number}/" if post.number in {3, 4} else link(post)
    watched = Watched(site, archive)
    watched.poll()
    watched.poll()
    assert len(watched.web.asked) <= 2
    site.delete(7)
    watched.poll()
    assert sum(post.gone is not None for post in watched.posts.values()) == 1


def test_posts_that_only_a_feed_lists_are_still_looked_at_now_and_then(archive):
    watched = Watched(TOLD["WordPress without REST"](), archive)
    gone = watched.site.link(watched.site.posts[OLD])
    watched.site.delete(OLD)
    for _ in range(4):
        watched.web.now += timedelta(days=60)
        watched.poll()
    assert watched.posts[gone].gone is not None


def test_records_alone_are_watched_through_the_interface_and_no_page_is_fetched(archive):
    watched = Watched(ToldBlog.of(40, comments=15), archive, pages=False)
    site = watched.site
    gone = site.link(site.posts[OLD + 1])
    watched.poll()
    assert len(watched.web.asked) <= 2
    site.edit(OLD, f"<p>{LONG} Written anew.</p>")
    site.delete(OLD + 1)
    site.comment(OLD + 3)
    new = site.link(site.publish())
    watched.poll()
    posts = watched.posts
    assert "Written anew." in posts[site.link(site.posts[OLD])].text
    assert posts[gone].gone is not None
    assert new in posts
    assert set(watched.web.asked) & {*site.links, gone} == {gone}
    site.traps |= {"off-404"}
    assert watched.poll().trouble == NO_INTERFACE


def test_a_poll_renews_the_verdict_and_an_event_says_that_it_changed(archive):
    watched = Watched(ToldBlog.of(40), archive)
    assert answers(archive) == ("yes", [])
    new = watched.site.link(watched.site.publish())
    watched.web = Broken(watched.site, [new], 500)
    watched.poll()
    assert answers(archive) == ("no", [new])
    assert changes(archive) == [("yes", "no")]
    # The next update asks again.
    watched.web = SiteWeb(watched.site, now=watched.web.now + timedelta(days=1))
    watched.site.publish()
    watched.poll()
    assert answers(archive) == ("yes", [])
    assert changes(archive) == [("yes", "no"), ("no", "yes")]
    # Where nothing changes nothing is noted.
    watched.poll()
    assert len(changes(archive)) == 2


def answers(archive: Archive) -> tuple[str, list[str]]:
    """The verdict on the posts of the one blog as it was kept last, and what is missing."""
    [blog] = archive.blogs()
    verdict = completeness_of(blog, archive).posts
    assert archive.blogs.inventory.last_verdict(blog.id)["posts"] == verdict.answer
    return verdict.answer, [gap.url for gap in verdict.missing]


def changes(archive: Archive) -> list[tuple[str, str]]:
    told = [event.detail for event in archive.events() if event.kind == "completeness"]
    return [(each["before"], each["answer"]) for each in told if each["of"] == "posts"]
