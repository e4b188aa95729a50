"""Whole crawls of a web that plays each platform: all public posts are records, though links reach half of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from cli.program import everlog
from everlog.archive import open_archive
from everlog.history.completeness.inventory import GRADES
from history.served import served_web, written
from history.sites.archive_site import ArchiveSite
from history.sites.archives import FeedArchives
from history.sites.blogger import Blogger
from history.sites.ghost import GhostSite
from history.sites.mapped import MappedBlog
from history.sites.squarespace import SquarespaceSite
from history.sites.substack import SubstackSite
from history.sites.tumblr import Tumblr
from history.sites.wordpress_com import WordPressComBlog
from history.sites.wordpress_feeds import WordPressFeeds
from history.sites.wordpress_rest import WordPressRest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.archive import Archive
    from history.sites.blog import Blog

POSTS = 30
COMMENTS = 12


class Row(NamedTuple):
    """A site of a platform, the source that tells all of its posts, and how many of its comments are to be had.

    Without a source the addresses are found by sitemaps and archive pages, and the posts on their pages.
    """

    site: Blog
    source: str | None
    comments: int = 0


def a(kind: type[Blog], name: str, *traps: str, comments: int = COMMENTS, **options: object) -> Blog:
    """A site whose own links reach half of its posts."""
    return written(kind.of(POSTS, comments=comments, home=f"http://{name}/", traps={"half", *traps}, **options))


def old_site(name: str, *traps: str) -> Blog:
    """A site of the old days that links to every second month."""
    months = {(2009 + at // 12, at % 12 + 1) for at in range(1, 11, 2)}
    return written(ArchiveSite.over(
        (2009, 1), 12, per_month=3, home=f"http://{name}/", unlinked=months, traps={*traps},
    ))


TABLE = {
    "WordPress.com": Row(a(WordPressComBlog, "sea.wordpress.com"), "WordPress.com", COMMENTS),
    "WordPress.com at its own name": Row(a(WordPressComBlog, "wpcom.example", "bare"), "WordPress.com", COMMENTS),
    "WordPress": Row(a(WordPressRest, "wp.example"), "WordPress REST", COMMENTS),
    "WordPress, plain addresses": Row(a(WordPressRest, "wp-plain.example", "plain"), "WordPress REST", COMMENTS),
    "WordPress with passwords": Row(a(WordPressRest, "wp-password.example", "password"), "WordPress REST"),
    "WordPress, little memory": Row(a(WordPressRest, "wp-small.example", "small-memory"), "WordPress REST", COMMENTS),
    "WordPress without REST": Row(a(WordPressFeeds, "wp-feeds.example"), "WordPress feed"),
    "WordPress without REST, excerpts": Row(a(WordPressFeeds, "wp-excerpts.example", "excerpts"), "WordPress feed"),
    "WordPress without REST, plain": Row(a(WordPressFeeds, "wp-plain-feeds.example", "plain"), "WordPress feed"),
    "WordPress without REST, no end": Row(a(WordPressFeeds, "wp-clamp.example", "clamp"), None),
    "Blogger": Row(a(Blogger, "sea.blogspot.com", cap=12), "Blogger", COMMENTS),
    "Blogger, short feeds": Row(a(Blogger, "short.blogspot.com", "short", cap=12), "Blogger", COMMENTS),
    "Blogger, totals that lie": Row(a(Blogger, "low.blogspot.com", "total-low", cap=12), "Blogger", COMMENTS),
    "Ghost": Row(a(GhostSite, "ghost.example", "cap"), "Ghost content API"),
    "Ghost without its key": Row(a(GhostSite, "ghost-keyless.example", "no-key"), None),
    "Substack": Row(a(SubstackSite, "rain.substack.com"), "Substack archive"),
    "Substack, short pages": Row(a(SubstackSite, "cap.substack.com", "cap"), "Substack archive"),
    "Squarespace": Row(a(SquarespaceSite, "square.example", per_page=12), "Squarespace JSON"),
    "Squarespace, repeated posts": Row(
        a(SquarespaceSite, "square-again.example", "inclusive", per_page=12), "Squarespace JSON",
    ),
    "Tumblr": Row(a(Tumblr, "sea.tumblr.com", cap=12), "Tumblr"),
    "Tumblr, no total": Row(a(Tumblr, "free.tumblr.com", "no-total", cap=12), "Tumblr"),
    "RFC 5005, archived": Row(a(FeedArchives, "archived.example", way="archive", size=8), "archived feed"),
    "RFC 5005, paged": Row(a(FeedArchives, "paged.example", way="page", size=8), "archived feed"),
    "RFC 5005, complete": Row(a(FeedArchives, "complete.example", way="complete"), "complete feed"),
    "JSON Feed, next_url": Row(a(FeedArchives, "json.example", way="json", size=8), "archived feed"),
    "sitemap": Row(a(MappedBlog, "map.example", "flat"), None),
    "sitemap index": Row(a(MappedBlog, "maps.example"), None),
    "sitemap index, packed": Row(a(MappedBlog, "packed.example", "gzip", "no-robots"), None),
    "sitemap index of Yoast": Row(a(MappedBlog, "yoast.example", "index-name", "no-robots", "no-dates"), None),
    "monthly pages": Row(old_site("months.example"), None),
    "yearly pages": Row(old_site("years.example", "years"), None),
}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """All of that web, crawled by one command."""
    folder = tmp_path_factory.mktemp("web")
    homes = [row.site.home for row in TABLE.values()]
    with served_web([row.site for row in TABLE.values()], folder) as (_, variables):
        done = everlog("crawl", *homes, "--delay", "0", "--archive", "kept", folder=folder, **variables)
        assert done.code in {0, 3}, done.err
    with open_archive(folder / "kept", create=False) as opened:
        yield opened


@pytest.mark.parametrize("platform", TABLE)
def test_all_public_posts_are_records_though_links_reach_only_half(platform, archive):
    site, source, comments = TABLE[platform]
    public = site.links - {site.link(post) for post in site.posts.values() if not is_public(site, post.number)}
    blog = archive.blogs.find(site.home)
    posts = {post.url: post for post in archive.posts(blog_id=blog.id) if post.kind == "post"}
    assert posts.keys() == public
    history = archive.blogs.state(blog.id).history
    # Pages of months end, too, and promise nothing.
    told_by = [state.source for state in history if state.is_exhaustive and GRADES[state.source] != "C"]
    assert told_by == ([source] if source else [])
    if comments:
        assert sum(len(post.comments) for post in posts.values()) == comments


def is_public(site: Blog, number: int) -> bool:
    return not ("password" in site.traps and number % 10 == 0)
