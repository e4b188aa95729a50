"""An update asks the feed of a blog's comments, and looks at just the posts with comments that are not held."""

from __future__ import annotations

import asyncio

import pytest

import a_blog
from everlog.archive import open_archive
from everlog.core.urls import canonical
from everlog.records import Failure
from everlog.usecases.crawl.crawl_blog import archive_blog
from everlog.usecases.update.comment_feed import known_feed
from everlog.usecases.update.update_blog import refresh_blog
from everlog.usecases.watch.poll import poll_blog
from everlog.usecases.watch.poll_source import first_poll
from usecases.a_conversation import said
from usecases.a_paged_site import COMMENTS_FEED, PagedSite
from usecases.a_site import work

OLD = 2


@pytest.fixture
def archive(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as opened:
        yield opened


def crawl(site, archive, **settings):
    return asyncio.run(archive_blog(a_blog.HOME, work(site.fetcher, archive, **settings)))


def update(site, archive, **settings):
    (blog,) = archive.blogs()
    site.fetcher.asked.clear()
    return asyncio.run(refresh_blog(blog, work(site.fetcher, archive, **settings)))


def put_talk(site, *, old=3, other=4, newest_first=False):
    """Comments on an old post and on another one, and the feed that names the newest of them."""
    site.put_comments(OLD, said(OLD, old), per_page=30, newest_first=newest_first)
    site.put_comments(5, said(5, other), per_page=30)
    site.put_comments_feed([*((5, each) for each in said(5, other)), *((OLD, each) for each in said(OLD, old))])


def pages_asked(site):
    """Pages of posts that were asked for; no feeds."""
    return {
        canonical(url) for url in site.fetcher.asked if "feed" not in url and canonical(url) != canonical(a_blog.HOME)
    }


@pytest.mark.parametrize("plain", [False, True], ids=["pretty addresses", "plain"])
def test_a_new_comment_on_an_old_post_is_found_by_one_request(archive, plain):
    site = PagedSite(plain=plain)
    put_talk(site)
    crawl(site, archive)
    assert len(archive.posts.find(site.url(OLD)).comments) == 3
    put_talk(site, old=6)
    report = update(site, archive)
    assert len(archive.posts.find(site.url(OLD)).comments) == 6
    assert pages_asked(site) == {canonical(site.url(OLD))}
    assert site.fetcher.count(COMMENTS_FEED) == 1
    assert (report.tally.changed_posts, report.exit_code) == (1, 0)
    assert report.reason == "the feed and 1 page were checked: 1 changed"
    assert archive.captures.find(1, COMMENTS_FEED) is not None


def test_a_comment_feed_that_did_not_change_leads_nowhere(archive):
    site = PagedSite()
    put_talk(site)
    crawl(site, archive)
    update(site, archive)
    assert pages_asked(site) == set()
    report = update(site, archive)
    assert site.fetcher.count(COMMENTS_FEED) == 1
    assert pages_asked(site) == set()
    assert report.reason == "up to date: the feed has not changed"


def test_comments_whose_addresses_name_pages_of_comments_belong_to_their_posts(archive):
    site = PagedSite(plain=True)
    put_talk(site, old=33, newest_first=True)
    crawl(site, archive)
    put_talk(site, old=36, newest_first=True)
    feed = site.fetcher.answers[canonical(COMMENTS_FEED)]
    feed.body = feed.body.replace(b"?p=2#comment", b"?p=2&amp;cpage=2#comment")
    update(site, archive)
    assert len(archive.posts.find(site.url(OLD)).comments) == 36
    assert pages_asked(site) >= {canonical(site.url(OLD))}


def test_a_comment_that_a_page_counts_and_does_not_show_is_kept_as_the_feed_tells_it(archive):
    site = PagedSite()
    put_talk(site)
    crawl(site, archive)
    comments = said(OLD, 6)
    put_talk(site, old=6)
    site.put_comments(OLD, comments[:5], per_page=30)
    page = site.fetcher.answers[canonical(site.url(OLD))]
    page.body = page.body.replace(b"5 Comments", b"6 Comments")
    update(site, archive)
    post = archive.posts.find(site.url(OLD))
    assert [comment.text for comment in post.comments] == [comment.text for comment in comments]
    assert post.comments_state == "complete"


def test_a_post_whose_page_does_not_bring_a_comment_is_not_looked_at_again_and_again(archive):
    site = PagedSite()
    put_talk(site)
    crawl(site, archive)
    site.put_comments_feed([(OLD, said(OLD, 6)[5])])
    update(site, archive)
    assert pages_asked(site) == {canonical(site.url(OLD))}
    site.put_comments_feed([(OLD, said(OLD, 6)[5]), (99, said(99, 1)[0])])
    update(site, archive)
    assert pages_asked(site) == set()


def test_a_feed_that_names_new_comments_only_may_have_lost_some_and_that_is_said(archive):
    site = PagedSite()
    put_talk(site)
    crawl(site, archive)
    assert not update(site, archive).tally.remarks
    put_talk(site, old=33)
    (remark,) = update(site, archive).tally.remarks
    assert remark.startswith(f"all 10 comments in {COMMENTS_FEED} are new")


def test_a_blog_that_names_no_comment_feed_is_asked_for_none(archive):
    site = PagedSite()
    home = site.fetcher.answers[canonical(a_blog.HOME)]
    home.body = home.body.replace(COMMENTS_FEED.encode(), b"")
    crawl(site, archive)
    update(site, archive)
    assert site.fetcher.count(COMMENTS_FEED) == 0


def test_a_comment_feed_that_is_not_there_is_asked_for_once_and_one_that_fails_again(archive):
    site = PagedSite()
    put_talk(site)
    crawl(site, archive)
    good = site.fetcher.answers.pop(canonical(COMMENTS_FEED))
    site.fetcher.answers[canonical(COMMENTS_FEED)] = Failure(url=COMMENTS_FEED, trouble="timeout", reason="no answer")
    for _ in range(2):
        assert update(site, archive).exit_code == 0
        assert site.fetcher.count(COMMENTS_FEED) == 1
    site.fetcher.answers[canonical(COMMENTS_FEED)] = good
    update(site, archive)
    assert site.fetcher.count(COMMENTS_FEED) == 1
    del site.fetcher.answers[canonical(COMMENTS_FEED)]
    update(site, archive)
    update(site, archive)
    assert site.fetcher.count(COMMENTS_FEED) == 0


def test_comments_that_are_not_wanted_are_not_asked_for(archive):
    site = PagedSite()
    put_talk(site)
    crawl(site, archive, comments=False)
    update(site, archive, comments=False)
    assert site.fetcher.count(COMMENTS_FEED) == 0


def test_a_blog_without_a_feed_of_posts_is_asked_for_its_comments_too(archive):
    site = PagedSite()
    put_talk(site)
    crawl(site, archive, no_feed=True)
    put_talk(site, old=6)
    update(site, archive, no_feed=True)
    assert len(archive.posts.find(site.url(OLD)).comments) == 6


def test_a_poll_of_a_watched_blog_finds_new_comments_on_old_posts(archive):
    site = PagedSite()
    put_talk(site)
    crawl(site, archive)
    (blog,) = archive.blogs()

    def poll():
        site.fetcher.asked.clear()
        now = archive.polls.of(blog.id) or first_poll(blog, archive, site.fetcher.now)
        polled = asyncio.run(poll_blog(now, archive.blogs.find(blog.home), work(site.fetcher, archive)))
        return polled.report

    assert poll() is None
    assert site.fetcher.count(COMMENTS_FEED) == 1
    put_talk(site, old=6)
    assert poll().tally.changed_posts == 1
    assert len(archive.posts.find(site.url(OLD)).comments) == 6
    assert pages_asked(site) == {canonical(site.url(OLD))}
    assert site.fetcher.count(COMMENTS_FEED) == 1
    assert poll() is None


def test_the_comment_feed_of_a_blog_of_blogger_is_beside_that_of_its_posts(archive):
    blog = archive.blogs.add(a_blog.HOME, scope="path")
    blog = archive.blogs.update(blog.id, feed_url=a_blog.HOME + "feeds/posts/default?alt=rss")
    assert known_feed(blog, archive).url == a_blog.HOME + "feeds/comments/default?alt=rss"
