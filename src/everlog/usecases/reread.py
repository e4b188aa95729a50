"""Rereading: every stored page of a blog read again with the rules of its design; no request is made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from everlog.comments.comment_feeds import comment_feed_url
from everlog.comments.comment_markup import Thread
from everlog.comments.services import Service, embedded, read_service
from everlog.core.tree import parse
from everlog.core.urls import canonical
from everlog.errors import UnreadablePage, UsageError
from everlog.extract.classify.post_paging import Paging, first_page, page_of_post, paging_of, post_of_comment_page
from everlog.extract.feed_entry import filled
from everlog.history.told_post import checked_by_page
from everlog.history.told_text import is_told
from everlog.records import Blog, Exchange, Media, Page, Post, Skip, Visit
from everlog.usecases.completeness import renew_offline
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.learn.page_comparison import compared_anew
from everlog.usecases.learn.relearn import learn_again
from everlog.usecases.learn.stored_entries import Entries
from everlog.usecases.learn.template_history import TemplateHistory
from everlog.usecases.page.copies import say_the_same
from everlog.usecases.page.further_pages import CommentPages, Part, TextPages, stored_part, whole_as_held
from everlog.usecases.page.merged_comments import Gathered, with_comments
from everlog.usecases.page.page_reading import post_on_page
from everlog.usecases.page.post_media import media_urls
from everlog.usecases.page.stored_pages import stored_comment_feed

if TYPE_CHECKING:
    from collections.abc import Callable

    from everlog.archive import Archive

# Posts of one transaction. Nothing is fetched, so nothing is lost if a batch is done again.
BATCH = 100


@dataclass(slots=True, kw_only=True)
class Reread:
    """What reading a blog's pages again brought."""

    blog: str
    pages: int = 0
    new: int = 0
    changed: int = 0
    same: int = 0
    no_longer: int = 0


def reread_blog(
    blog: Blog, archive: Archive, *, relearn: bool = False, step: Callable[[str], None] = lambda _: None,
) -> Reread:
    """Read the blog's pages again, learned anew if `relearn`; a post that is no longer one is kept.

    Pages of before a redesign are read with the rules of their time, which stay as they are.
    """
    with archive.lock(blog.id):
        if relearn:
            learned = learn_again(blog, archive)
            archive.blogs.update(blog.id, template=learned.template.to_json(), knowledge=learned.knowledge())
        else:
            learned = _learned(blog)
        # As updates read.
        templates = TemplateHistory.of(blog.id, archive, compared_anew(learned, blog, archive))
        entries = Entries() if learned.without_feed else Entries.ever_stored(blog, archive)
        result = Reread(blog=blog.home)
        batch: list[Visit] = []
        for capture in archive.captures(blog.id):
            result.pages += 1
            post = read_again(archive.files.exchange(capture), templates, blog, archive, entries)
            if post is not None:
                batch.append(post)
            else:
                result.no_longer += _is_lost_there(capture.url, archive)
            if len(batch) >= BATCH:
                _keep(batch, archive, result)
            step(capture.url)
        _keep(batch, archive, result)
        archive.blogs.change_state(blog.id, lambda state: replace(state, comments_missing=None))
        renew_offline(blog, archive)
        return result


def read_again(
    exchange: Exchange, templates: TemplateHistory, blog: Blog, archive: Archive, entries: Entries,
) -> Visit | None:
    """A visit of a stored page that brings its post and no bytes; None if the page is no post."""
    rendered = _stored_rendering(exchange, blog, archive)
    is_scripted = templates.at(exchange.seen_at).is_scripted
    shown = rendered if is_scripted and rendered is not None else exchange
    try:
        root = parse(shown.body, shown.header("content-type"))
    except UnreadablePage:
        return None
    learned = templates.for_page(root, exchange.seen_at)
    # What asks not to be kept is stored only where the user wanted it all the same.
    if learned.classifier.verdict(exchange.url, root).kind != "post":
        return None
    held = archive.posts.find(exchange.url, as_read=True)
    is_kept_with_post = held is not None and page_of_post(exchange.url, held.url) is not None
    if is_kept_with_post or first_page(root, exchange.url) or post_of_comment_page(exchange.url):
        return None  # a further page of a post, which is read with it
    claim, own = learned.classifier.identity(exchange.url, root), canonical(exchange.url)
    feed = comment_feed_url(root, exchange.url)
    services = embedded(root)
    paging = paging_of(root, exchange.url)
    page = Page(url=exchange.url, body=shown.body, fetched_at=exchange.seen_at)
    outcome = post_on_page(root, page, learned, is_split=bool(paging.text))
    if isinstance(outcome, Skip):
        return None
    stored = _Stored(blog, archive, held, templates)
    outcome = _with_stored_pages(outcome, paging, stored)
    if held is not None and is_told(held) and canonical(held.url) == own:
        outcome = checked_by_page(held, outcome)
    post = replace(outcome, blog=blog.home, origin=exchange.origin, captured=exchange.captured_at)
    keys = (own, claim, *(map(canonical, (held.url, *held.aliases)) if held is not None else ()))
    entry = entries.said_of(keys, held)
    post = filled(post, entry) if entry is not None else post
    post = replace(post, media=tuple(Media(url=url) for url in media_urls(post, entry, held)))
    if held is not None and held.comments_state == "off":
        post = replace(post, comments=(), comments_state="off", comment_count_claimed=None)
    else:
        post = _with_stored_comments(post, feed, services, rendered, stored, paging)
    original = archive.posts.find("http://" + claim) if claim != own else None
    if original is not None and canonical(original.url) != own and say_the_same(original, post):
        return None  # a copy, as the crawl found out: its original is read by itself
    return Visit(blog_id=blog.id, url=exchange.url, key=own, outcome="post", post=post)


class _Stored(NamedTuple):
    """Where the comments of a stored page may be found again."""

    blog: Blog
    archive: Archive
    held: Post | None
    templates: TemplateHistory

    def part(self, url: str) -> Part | None:
        """A further page of the post, if it is stored."""
        return stored_part(url, self.blog, self.archive, self.templates)


def _with_stored_pages(post: Post, paging: Paging, stored: _Stored) -> Post:
    """The post with the text of all its stored pages; with the text that is held, where one is not stored."""
    pages = TextPages.of(post, paging, {canonical(post.url)})
    if paging.told_by is not None and stored.held is not None:
        # What only the blog's interface told of: pages that were fetched with this one.
        for url in stored.held.aliases:
            if (number := page_of_post(url, post.url)) is not None:
                pages.expect(number, url)
    while (step := pages.trail.next()) is not None:
        part = stored.part(step[1])
        if part is None or canonical(step[1]) not in pages.sure or part.is_since(post.fetched):
            pages.take(step[0], part)
    return whole_as_held(pages.joined(), stored.held if pages.missing else None)


def _with_stored_comments(
    post: Post, feed: str | None, services: tuple[Service, ...], rendered: Exchange | None, stored: _Stored,
    paging: Paging,
) -> Post:
    """The post with the comments of its further stored pages, its stored comment feed, and what a browser rendered."""
    pages = CommentPages.of(post, paging)
    while (step := pages.trail.next()) is not None:
        part = stored.part(step[1])
        if part is not None:
            pages.take(step[0], part)
    gathered = Gathered(threads=[Thread(source="page", comments=pages.comments(), claimed=post.comment_count_claimed)])
    for service in services:
        thread = None
        if rendered is not None:
            root = parse(rendered.body, rendered.header("content-type"))
            # "3 days ago" counts from when it was rendered, as in the crawl.
            thread = read_service(root, post.url, service, fetched_at=rendered.fetched_at)
        if thread is not None:
            gathered.threads.append(thread)
        else:
            gathered.failures.append(f"{service.name} was not rendered")
    thread = stored_comment_feed(feed, stored.blog, stored.archive) if feed is not None else None
    if thread is not None:
        gathered.threads.append(thread)
    claims = [thread.claimed for thread in reversed(gathered.threads) if thread.claimed is not None]
    if not claims and stored.held is not None and stored.held.comment_count_claimed is not None:
        claims.append(stored.held.comment_count_claimed)
    claimed = claims[0] if claims else None
    # Today's rules may read dates better than those of the first time, but not than the blog's interface tells them.
    dates_stand = stored.held is not None and is_told(stored.held)
    return with_comments(post, gathered, claimed, stored.held, dates_stand=dates_stand)


def _is_lost_there(url: str, archive: Archive) -> bool:
    """Whether a post is held of this very address, and not another one's whose page this is as well.

    What the blog's interface told is a post, whatever its page looks like.
    """
    held = archive.posts.find(url)
    return held is not None and canonical(held.url) == canonical(url) and not is_told(held)


def _stored_rendering(exchange: Exchange, blog: Blog, archive: Archive) -> Exchange | None:
    capture = archive.captures.rendering(blog.id, exchange.url)
    return archive.files.exchange(capture, purpose="rendered") if capture is not None else None


def _learned(blog: Blog) -> LearnedBlog:
    learned = LearnedBlog.of(blog)
    if learned is None:
        raise UsageError(f"{blog.home} has no learned rules yet", advice=f"everlog crawl {blog.home}")
    return learned


def _keep(batch: list[Visit], archive: Archive, result: Reread) -> None:
    for safe in archive.commit(batch):
        result.new += safe.kept == "new"
        result.changed += safe.kept == "changed"
        result.same += safe.kept in {"same", "alias"}
    batch.clear()
