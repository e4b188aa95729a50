"""Drawn pages are kept: read again, drawn again where they changed; what they ask for is asked by the crawl."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import a_blog
from everlog.archive.verify import verify
from everlog.records import Failure
from everlog.render import Browser
from everlog.usecases.reread import reread_blog
from everlog.usecases.update.update_blog import refresh_blog
from everlog.usecases.watch.poll import poll_blog
from everlog.usecases.watch.poll_source import first_poll
from usecases.a_conversation import said
from usecases.a_drawn_blog import HABITS, POSTS, archive, crawl, post, replace_browser, site
from usecases.a_service_web import (
    DISQUS_PAGE,
    put_disqus,
    scripted_site,
)
from usecases.a_site import a_site, work

__all__ = ["archive"]


def test_a_scripted_blog_is_read_again_from_what_was_drawn(archive):
    crawl(scripted_site(6), archive)
    (blog,) = archive.blogs()
    result = reread_blog(blog, archive, relearn=True)
    assert (result.pages, result.changed, result.no_longer) == (8, 0, 0)
    assert post(archive, 2).text == a_blog.text(2)


def test_drawn_comments_are_read_again_from_the_archive(archive):
    crawl(site(DISQUS_PAGE, put_disqus), archive)
    before = post(archive, 3).comments
    (blog,) = archive.blogs()
    assert reread_blog(blog, archive).changed == 0
    assert post(archive, 3).comments == before != ()


def test_pictures_of_drawn_pages_are_kept_if_wanted(archive):
    crawl(site(DISQUS_PAGE, put_disqus), archive, screenshots=True)
    with archive.backend.database.reading() as connection:
        urls = connection.exec_driver_sql("select url from captures where purpose = 'screenshot'").scalars().all()
    assert f"urn:fullPage:{a_blog.url(3)}" in urls
    assert post(archive, 3).aliases == ()
    assert list(verify(archive)) == []


def test_render_always_draws_every_page(archive):
    fetcher = a_site(POSTS, in_feed=4)
    report = crawl(fetcher, archive, render="always")
    assert report.tally.rendered >= POSTS
    assert all(post(archive, number).text == a_blog.text(number) for number in range(1, POSTS + 1))


def test_what_pages_ask_for_passes_the_guard_of_the_crawl(archive):
    fetcher = site(DISQUS_PAGE, put_disqus)
    asked = []

    async def refuse(wish):
        asked.append(wish.url)
        return Failure(url=wish.url, trouble="address", reason="blocked address")

    fetcher.request = refuse
    fetcher.put(a_blog.url(3), a_blog.page(3, after=DISQUS_PAGE + "<img src=http://169.254.169.254/x.png>"))
    crawl(fetcher, archive)
    assert post(archive, 3).comments_state == "failed"
    assert "https://a-blog.disqus.com/embed.js" in asked


def test_updates_draw_a_post_again_when_its_page_changed(archive):
    fetcher = site(DISQUS_PAGE, put_disqus)
    crawl(fetcher, archive)
    put_disqus(fetcher, 7, said(7, 4), steps=0)
    (blog,) = archive.blogs()
    fetcher.put(a_blog.url(7), a_blog.page(7, after=DISQUS_PAGE + "<p>edited</p>"))
    archive.urls.requeue(blog.id, ["a.blog/7"])

    async def run():
        async with Browser(HABITS) as browser:
            return await refresh_blog(blog, replace_browser(work(fetcher, archive), browser))

    asyncio.run(run())
    assert len(post(archive, 7).comments) == 4


def test_what_a_machine_without_a_browser_kept_is_completed_by_one_that_has_one(archive):
    fetcher = site(DISQUS_PAGE, put_disqus)
    assert crawl(fetcher, archive, replace(HABITS, executable="/nowhere/chromium")).held == POSTS
    assert post(archive, 3).comments_state == "failed"
    crawl(fetcher, archive)
    assert len(post(archive, 3).comments) == 10


def polled_blindly(blog, archive, fetcher):
    """What becomes of a poll on a machine without a browser; and the poll as it was before."""
    news = work(fetcher, archive)
    poll = first_poll(blog, archive, news.now())

    async def run():
        async with Browser(replace(HABITS, executable="/nowhere/chromium")) as browser:
            return await poll_blog(poll, blog, replace_browser(news, browser))

    return asyncio.run(run()), poll


def test_news_of_a_scripted_blog_that_a_machine_without_a_browser_hears_of_are_told_as_such(archive):
    crawl(scripted_site(6), archive)
    (blog,) = archive.blogs()
    polled, before = polled_blindly(blog, archive, scripted_site(7))
    assert polled.needs_browser
    assert polled.report is None
    # The feed answered: it is asked again in its rhythm, as if it had not been, and the news are told again.
    assert polled.poll.polling.failures == 0
    assert polled.poll.polling.checked_at == before.polling.checked_at
    assert "does not start" in polled.poll.polling.why or "no such program" in polled.poll.polling.why
    assert (polled.poll.etag, polled.poll.digest) == (before.etag, before.digest)


def test_new_posts_of_a_blog_that_became_scripted_wait_for_a_browser(archive):
    crawl(a_site(6, in_feed=4), archive)
    (blog,) = archive.blogs()
    redesigned = scripted_site(8, in_feed=6)
    polled, _ = polled_blindly(blog, archive, redesigned)
    assert polled.needs_browser
    # To find that out took more than a look at the feed.
    assert polled.poll.polling.due_at >= work(redesigned, archive).now() + timedelta(days=1)
    assert [post(archive, number) for number in (7, 8)] == [None, None]
    crawl(redesigned, archive)
    assert [post(archive, number).text for number in (7, 8)] == [a_blog.text(7), a_blog.text(8)]
