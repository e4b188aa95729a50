"""Blogs that need a browser, for their comments or for all they show: Chromium draws them, a web in memory answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

import a_blog
from everlog.archive.verify import verify
from everlog.comments.services import SERVICES
from everlog.errors import NoBrowser, NoFeed
from everlog.usecases.page.stored_requisites import check_requisites
from everlog.usecases.reread import reread_blog
from usecases.a_conversation import said
from usecases.a_drawn_blog import HABITS, POSTS, archive, crawl, post, site
from usecases.a_service_web import (
    DISQUS_PAGE,
    GISCUS_PAGE,
    LIVEFYRE_PAGE,
    put_disqus,
    put_giscus,
    put_livefyre,
    scripted_site,
)

__all__ = ["archive"]


def told(comments):
    """Comments as (author, text, number of the one they answer)."""
    numbers = {comment.id: place for place, comment in enumerate(comments)}
    return [(comment.author, comment.text, numbers.get(comment.parent)) for comment in comments]


@pytest.mark.parametrize(
    ("name", "embed", "put", "count"),
    [
        ("disqus", DISQUS_PAGE, put_disqus, 250),
        pytest.param("livefyre", LIVEFYRE_PAGE, put_livefyre, 40, marks=pytest.mark.slow),
        pytest.param("giscus", GISCUS_PAGE, put_giscus, 40, marks=pytest.mark.slow),
    ],
)
def test_all_comments_of_a_service_are_kept_with_their_threads(archive, name, embed, put, count):
    fetcher = site(embed, put, count=count)
    report = crawl(fetcher, archive)
    wanted = said(3, count)
    kept = post(archive, 3)
    assert sorted(told(kept.comments)) == sorted(told_of(wanted, kept))
    assert {comment.published.date().day for comment in kept.comments} == {comment.day for comment in wanted}
    assert {comment.source for comment in kept.comments} == {name}
    assert kept.comments_state == "complete"
    assert kept.text == a_blog.text(3)
    assert {post(archive, number).comments_state for number in (1, 2, 4, 5, 6, 7)} == {"none"}
    assert report.exit_code == 0
    assert report.tally.rendered == POSTS
    assert list(verify(archive)) == []


def told_of(wanted, kept):
    """What was said, with its answers numbered as in the kept list."""
    places = {comment.text: place for place, comment in enumerate(kept.comments)}
    texts = {comment.id: comment.text for comment in wanted}
    return [
        (comment.author, comment.text, places.get(texts.get(comment.parent)) if comment.parent else None)
        for comment in wanted
    ]


@pytest.mark.slow
def test_a_page_is_not_asked_for_again_to_be_drawn_and_scripts_are_asked_for_once(archive):
    fetcher = site(DISQUS_PAGE, put_disqus)
    crawl(fetcher, archive)
    assert fetcher.count(a_blog.url(3)) == 1
    assert fetcher.count("https://a-blog.disqus.com/embed.js") == 1


@pytest.mark.slow
def test_a_blog_that_is_written_by_its_script_is_archived_like_any_other(archive):
    fetcher = scripted_site(12)
    report = crawl(fetcher, archive)
    assert report.exit_code == 0
    for number in range(1, 13):
        assert post(archive, number).text == a_blog.text(number)
        assert post(archive, number).title == f"Post {number} of ours"
        assert post(archive, number).authors == ("Ann Lee",)
    assert report.held == 12
    assert list(verify(archive)) == []
    # What the browser was answered is kept as what the pages need, and not asked for again.
    (blog,) = archive.blogs()
    held = {capture.url for capture in archive.captures(blog.id, purpose="requisite")}
    assert a_blog.HOME + "app.js" in held
    assert fetcher.count(a_blog.HOME + "app.js") == 1
    assert list(check_requisites(archive, [])) == []
    # An update finds the new post of the feed, and draws it.
    newer = scripted_site(13)
    report = crawl(newer, archive)
    assert post(archive, 13).text == a_blog.text(13)


@pytest.mark.slow
def test_a_blog_that_is_written_by_its_script_is_archived_without_its_feed(archive):
    report = crawl(scripted_site(12), archive, no_feed=True)
    assert (report.exit_code, report.held) == (0, 12)
    for number in range(1, 13):
        assert post(archive, number).text == a_blog.text(number)
        assert post(archive, number).title == f"Post {number} of ours"
    assert list(verify(archive)) == []
    (blog,) = archive.blogs()
    assert reread_blog(blog, archive, relearn=True).changed == 0
    # The front page of an update is drawn as well: as it is sent, it never changes.
    assert crawl(scripted_site(13), archive).tally.new_posts == 1
    assert post(archive, 13).text == a_blog.text(13)


def test_a_scripted_blog_without_a_feed_says_that_a_browser_is_forbidden(archive):
    with pytest.raises(NoFeed, match=r"are empty until their scripts run in a browser \(leave out --render never"):
        crawl(scripted_site(6), archive, no_feed=True, render="never")


def test_without_a_browser_posts_are_kept_and_what_is_missing_is_said(archive):
    fetcher = site(DISQUS_PAGE, put_disqus)
    report = crawl(fetcher, archive, replace(HABITS, executable="/nowhere/chromium"))
    assert report.held == POSTS
    assert {each.comments_state for each in archive.posts()} == {"failed"}
    assert report.exit_code == 3
    assert any("need a browser" in reason for reason in report.tally.reasons)


def test_a_scripted_blog_without_a_browser_is_refused_with_advice(archive):
    with pytest.raises(NoBrowser, match="chromium"):
        crawl(scripted_site(6), archive, replace(HABITS, executable="/nowhere/chromium"))


def test_render_never_draws_nothing(archive):
    fetcher = site(DISQUS_PAGE, put_disqus)
    # Its script is kept for others' players otherwise, without being run.
    report = crawl(fetcher, archive, render="never", requisites=False)
    assert report.tally.rendered == 0
    assert fetcher.count("https://a-blog.disqus.com/embed.js") == 0
    assert {each.comments_state for each in archive.posts()} == {"failed"}


def test_every_service_of_the_table_can_be_drawn_for():
    assert len({service.name for service in SERVICES}) == len(SERVICES) >= 17
