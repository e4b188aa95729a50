"""Relearning: a blog learned again from what its archive holds; no request is made."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.comments.comment_feeds import comment_feed_url
from everlog.comments.learn.comment_rules_learn import MOST_TAUGHT, learn_comments
from everlog.core.links import with_links_here
from everlog.core.tree import Element, parse
from everlog.core.urls import absolute
from everlog.errors import NothingToLearn, UnreadablePage
from everlog.records import Blog, Comment, Fetched
from everlog.usecases.discover.blog_scope import scope_of
from everlog.usecases.discover.discover_blog import Found
from everlog.usecases.learn.blog_fingerprint import start_page
from everlog.usecases.learn.learned_blog import LearnedBlog, learn_blog
from everlog.usecases.page.stored_pages import feed_as_stored, stored_comment_feed, stored_page

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.comments.comment_rules import CommentRules


def learn_again(blog: Blog, archive: Archive) -> LearnedBlog:
    """Learn a blog anew from its stored feed and pages, or, if it has no feed, from its pages alone.

    Of a blog that was redesigned, only pages of its present design teach.
    """
    before = LearnedBlog.of(blog)
    is_scripted = before is not None and before.is_scripted
    lessons = _lessons_of_pages if before is not None and before.without_feed else _lessons_of_feed
    found, pages = lessons(blog, archive, rendered=is_scripted)
    since = before.learned_at if before is not None else None
    learned = learn_blog(found, _fetched_since(since, pages) or pages, scope_of(blog, archive), is_scripted=is_scripted)
    rules = _stored_comment_rules(blog, archive, since) or (before.template.comments if before is not None else None)
    # What is learned better is in force as long as what it replaces.
    learned = replace(learned, learned_at=learned.learned_at if before is None else since)
    return replace(learned, template=learned.template.with_comments(rules)).with_manual_of(before)


def _fetched_since(since: datetime | None, pages: dict[str, Fetched]) -> dict[str, Fetched]:
    return {link: page for link, page in pages.items() if since is None or page.answer.fetched_at >= since}


def _stored_start(blog: Blog, archive: Archive, *, rendered: bool) -> Fetched | None:
    return stored_page(start_page(blog, archive), blog, archive, rendered=rendered)


def _lessons_of_feed(blog: Blog, archive: Archive, *, rendered: bool) -> tuple[Found, dict[str, Fetched]]:
    answer, feed = feed_as_stored(blog, archive)
    feed_page = answer.answer
    scope = scope_of(blog, archive)
    pages: dict[str, Fetched] = {}
    for entry in feed.entries:
        whole = absolute(feed_page.url, entry.link)
        for url in scope.page_urls(whole) if whole else ():
            stored = stored_page(url, blog, archive, rendered=rendered)
            if stored is not None:
                pages[entry.link or url] = stored
                break
    return Found(
        home=blog.home, home_page=_stored_start(blog, archive, rendered=rendered), feed_url=feed_page.url,
        feed=feed, feed_page=answer,
    ), pages


def _lessons_of_pages(blog: Blog, archive: Archive, *, rendered: bool) -> tuple[Found, dict[str, Fetched]]:
    """What the first pages of the blog teach: they are those that taught it when it was new."""
    # Only blogs without a feed need these, and they are slow to load.
    from everlog.extract.feedless import Explorer, made_up_feed  # noqa: PLC0415
    from everlog.extract.feedless.explorer import MOST_PAGES  # noqa: PLC0415

    explorer = Explorer(blog.home, blog.scope)
    scope = scope_of(blog, archive)
    stored: dict[str, Fetched] = {}
    for capture in archive.captures(blog.id):
        if len(explorer.pages) >= MOST_PAGES:
            break
        made = archive.captures.rendering(blog.id, capture.url) if rendered else None
        answer = Fetched(url=capture.url, exchanges=(archive.files.exchange(made or capture),))
        if scope.is_own(answer.page.url):
            page = answer.page
            stored.setdefault(page.url, answer)
            explorer.take(page.url, with_links_here(page.body, scope.aliases, blog.home), page.content_type)
    feed = made_up_feed(explorer.pages, blog.home)
    if not feed.entries:
        raise NothingToLearn(
            f"no posts recognised among the first {len(stored)} archived pages of {blog.home}",
            advice=f"if you know its feed:  everlog crawl {blog.home} --feed FEED_URL",
        )
    pages = {entry.link: stored[entry.link] for entry in feed.entries if entry.link in stored}
    home_page = _stored_start(blog, archive, rendered=rendered)
    return Found(home=blog.home, home_page=home_page, feed_url=None, feed=feed, feed_page=None), pages


def _stored_comment_rules(blog: Blog, archive: Archive, since: datetime | None) -> CommentRules | None:
    """How the blog writes its comments, from the comment feeds that are stored; None if there are none."""
    pairs: list[tuple[Element, str, tuple[Comment, ...]]] = []
    for capture in archive.captures(blog.id):
        if len(pairs) >= MOST_TAUGHT:
            break
        page = archive.files.exchange(capture)
        if since is not None and page.fetched_at < since:
            continue
        try:
            root = parse(page.body, page.header("content-type"))
        except UnreadablePage:
            continue
        url = comment_feed_url(root, page.url)
        thread = stored_comment_feed(url, blog, archive) if url is not None else None
        if thread is not None and thread.comments:
            pairs.append((root, page.url, thread.comments))
    return learn_comments(pairs) if pairs else None
