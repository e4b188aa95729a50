"""A blog learned again from what its archive holds; no request is made."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.comments.feeds import comment_feed_url, read_comment_feed
from everlog.errors import NothingToLearn, UnreadableFeed, UnreadablePage
from everlog.feeds import parse_feed
from everlog.flow.discover import Found
from everlog.flow.known import Known, entry_urls, learn_blog
from everlog.learning.comments import MOST_TAUGHT, learn_comments
from everlog.links import Scope
from everlog.records import Fetched
from everlog.tree import parse
from everlog.urls import absolute

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.comments.markup import Thread
    from everlog.comments.rules import CommentRules
    from everlog.records import Blog, Comment
    from everlog.tree import Element


def learn_again(blog: Blog, archive: Archive) -> Known:
    """Learn a blog anew from its stored feed and pages, or, if it has no feed, from its pages alone."""
    before = Known.of(blog)
    is_scripted = before is not None and before.is_scripted
    lessons = _lessons_of_pages if before is not None and before.without_feed else _lessons_of_feed
    found, pages = lessons(blog, archive, drawn=is_scripted)
    known = learn_blog(found, pages, Scope(blog.home, blog.scope), is_scripted=is_scripted)
    rules = _stored_comment_rules(blog, archive) or (before.template.comments if before is not None else None)
    return replace(known, template=known.template.with_comments(rules))


def stored_feed(url: str, blog: Blog, archive: Archive) -> Thread | None:
    """The comments of a stored comment feed."""
    capture = archive.capture_of(blog.id, url)
    if capture is None or capture.purpose != "feed":
        return None
    try:
        return read_comment_feed(archive.exchange(capture).body, capture.url)
    except UnreadableFeed:
        return None


def stored_page(url: str, blog: Blog, archive: Archive, *, drawn: bool) -> Fetched | None:
    """A page as it is stored, as a browser showed it if it was drawn."""
    capture = (archive.rendering_of(blog.id, url) if drawn else None) or archive.capture_of(blog.id, url)
    return Fetched(url=url, exchanges=(archive.exchange(capture),)) if capture is not None else None


def _lessons_of_feed(blog: Blog, archive: Archive, *, drawn: bool) -> tuple[Found, dict[str, Fetched]]:
    capture = archive.capture_of(blog.id, blog.feed_url or "")
    if capture is None:
        raise NothingToLearn(f"no feed of {blog.home} is stored", advice=f"everlog crawl {blog.home}")
    feed_page = archive.exchange(capture)
    feed = parse_feed(feed_page.body, feed_page.url)
    scope = Scope(blog.home, blog.scope)
    pages: dict[str, Fetched] = {}
    for entry in feed.entries:
        whole = absolute(feed_page.url, entry.link)
        for url in entry_urls(whole, blog.home, scope) if whole else ():
            stored = stored_page(url, blog, archive, drawn=drawn)
            if stored is not None:
                pages[entry.link or url] = stored
                break
    return Found(
        home=blog.home, home_page=stored_page(blog.home, blog, archive, drawn=drawn), feed_url=feed_page.url,
        feed=feed, feed_page=Fetched(url=feed_page.url, exchanges=(feed_page,)),
    ), pages


def _lessons_of_pages(blog: Blog, archive: Archive, *, drawn: bool) -> tuple[Found, dict[str, Fetched]]:
    """What the first pages of the blog teach: they are those that taught it when it was new."""
    # Only blogs without a feed need these, and they are slow to load.
    from everlog.feedless import Explorer, made_up_feed  # noqa: PLC0415
    from everlog.feedless.explorer import MOST_PAGES  # noqa: PLC0415

    explorer = Explorer(blog.home, blog.scope)
    scope = Scope(blog.home, blog.scope)
    stored: dict[str, Fetched] = {}
    for capture in archive.captures(blog.id):
        if len(explorer.pages) >= MOST_PAGES:
            break
        made = archive.rendering_of(blog.id, capture.url) if drawn else None
        answer = Fetched(url=capture.url, exchanges=(archive.exchange(made or capture),))
        if scope.holds(answer.page.url):
            page = answer.page
            stored.setdefault(page.url, answer)
            explorer.take(page.url, page.body, page.content_type)
    feed = made_up_feed(explorer.pages, blog.home)
    if not feed.entries:
        raise NothingToLearn(
            f"no posts could be told among the {len(stored)} first pages that are stored of {blog.home}",
            advice=f"if you know its feed:  everlog crawl {blog.home} --feed FEED_URL",
        )
    pages = {entry.link: stored[entry.link] for entry in feed.entries if entry.link in stored}
    home_page = stored_page(blog.home, blog, archive, drawn=drawn)
    return Found(home=blog.home, home_page=home_page, feed_url=None, feed=feed, feed_page=None), pages


def _stored_comment_rules(blog: Blog, archive: Archive) -> CommentRules | None:
    """How the blog writes its comments, from the comment feeds that are stored; None if there are none."""
    pairs: list[tuple[Element, str, tuple[Comment, ...]]] = []
    for capture in archive.captures(blog.id):
        if len(pairs) >= MOST_TAUGHT:
            break
        page = archive.exchange(capture)
        try:
            root = parse(page.body, page.header("content-type"))
        except UnreadablePage:
            continue
        url = comment_feed_url(root, page.url)
        thread = stored_feed(url, blog, archive) if url is not None else None
        if thread is not None and thread.comments:
            pairs.append((root, page.url, thread.comments))
    return learn_comments(pairs) if pairs else None
