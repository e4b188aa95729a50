"""Pages and services in trouble while a browser draws them: what is kept, what is marked, what is asked again."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import replace

import a_blog
from everlog.records import Failure
from usecases.a_conversation import said
from usecases.a_drawn_blog import HABITS, POSTS, archive, crawl, post, site
from usecases.a_service_web import DISQUS_PAGE, put_disqus

__all__ = ["archive"]


def test_a_service_that_answers_500_leaves_posts_marked_and_is_asked_again_at_the_update(archive):
    fetcher = site(DISQUS_PAGE, put_disqus)
    good = dict(fetcher.answers)
    for key in [key for key in fetcher.answers if key.startswith("disqus.com/api")]:
        fetcher.put("https://" + key, "trouble", status=500)
    report = crawl(fetcher, archive)
    assert {each.comments_state for each in archive.posts()} == {"failed"}
    assert all(each.text == a_blog.text(number) for number in (1, 3) if (each := post(archive, number)))
    assert report.exit_code == 3
    assert f"the comments of {POSTS} posts could not be fetched" in report.reason
    fetcher.answers = good
    report = crawl(fetcher, archive)
    assert report.exit_code == 0
    assert len(post(archive, 3).comments) == 10
    assert post(archive, 3).comments_state == "complete"


def test_a_service_that_is_down_is_not_asked_for_every_post(archive):
    fetcher = site(DISQUS_PAGE, put_disqus)
    fetcher.answers["disqus.com/embed/comments?f=a-blog&t_u=3"] = Failure(
        url="", trouble="connection", reason="refused",
    )
    for key in [key for key in fetcher.answers if key.startswith("disqus.com")]:
        fetcher.answers[key] = Failure(url="https://" + key, trouble="connection", reason="refused")
    report = crawl(fetcher, archive, concurrency=1)
    assert report.tally.rendered == 5
    assert {each.comments_state for each in archive.posts()} == {"failed"}


def test_an_endless_show_more_ends_at_the_limit_with_what_it_brought(archive):
    fetcher = site(DISQUS_PAGE, put_disqus)
    frame = fetcher.answers["disqus.com/embed/comments?f=a-blog&t_u=3"]
    # Every click brings the first batch again as comments never seen before, and promises a thousand.
    frame.body = (
        frame.body.replace(b"next++", b"(next++) * 0").replace(b"!found.more", b"false")
        .replace(b"found.total", b"1000")
        .replace(b"found.comments.forEach(draw)", b"found.comments.forEach((said) => draw({...said, "
                 b"id: said.id + 100 * next, parent: null, text: said.text + ' ' + next}))")
    )
    crawl(fetcher, archive, replace(HABITS, max_clicks=5))
    kept = post(archive, 3)
    assert kept.text == a_blog.text(3)
    assert len(kept.comments) == 6 * 4
    assert kept.comments_state == "failed"
    assert fetcher.count("https://disqus.com/api/3/0.json") <= 6


def test_a_page_that_never_settles_is_kept_with_what_it_shows(archive):
    restless = "<script>setInterval(() => document.body.append(document.createElement('i')), 20)</script>"
    fetcher = site(DISQUS_PAGE, put_disqus)
    fetcher.put(a_blog.url(3), a_blog.page(3, after=DISQUS_PAGE + restless))
    put_disqus(fetcher, 3, said(3, 10), steps=9)
    crawl(fetcher, archive, replace(HABITS, page_seconds=4.0))
    kept = post(archive, 3)
    assert kept.text == a_blog.text(3)
    assert kept.comments_state == ("complete" if len(kept.comments) == 10 else "failed")
    # With more time, or on a page that comes to rest, the next update gets the rest.
    fetcher.put(a_blog.url(3), a_blog.page(3, after=DISQUS_PAGE))
    crawl(fetcher, archive)
    assert len(post(archive, 3).comments) == 10


def test_a_script_that_hangs_the_page_costs_the_comments_and_not_the_post(archive):
    fetcher = site(DISQUS_PAGE, put_disqus)
    fetcher.put(a_blog.url(3), a_blog.page(3, after=DISQUS_PAGE + "<script>while (true) {}</script>"))
    report = crawl(fetcher, archive, replace(HABITS, page_seconds=3.0))
    assert post(archive, 3).text == a_blog.text(3)
    assert post(archive, 3).comments_state == "failed"
    assert report.held == POSTS


def chromium_children():
    """The main processes of the browsers that this process has started."""
    found = subprocess.run(["ps", "-ww", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in found.splitlines()[1:]]
    children = {}
    for pid, parent, args in rows:
        children.setdefault(int(parent), []).append((int(pid), args))
    below, waiting = [], [os.getpid()]
    while waiting:
        for pid, args in children.get(waiting.pop(), []):
            below.append((pid, args))
            waiting.append(pid)
    return [pid for pid, args in below if "chrom" in args and "--type=" not in args and "--headless" in args]


def test_a_browser_that_is_killed_in_the_middle_costs_no_post_and_no_comment(archive):
    fetcher = site(DISQUS_PAGE, put_disqus)
    killed = []
    ask = fetcher.request

    async def ask_and_kill(asked):
        if "/api/3/1.json" in asked.url and not killed:
            killed.extend(chromium_children())
            for pid in killed:
                os.kill(pid, signal.SIGKILL)
        return await ask(asked)

    fetcher.request = ask_and_kill
    report = crawl(fetcher, archive)
    assert killed
    assert report.exit_code == 0
    assert len(post(archive, 3).comments) == 10
    assert chromium_children() == []
