"""Fingerprint of a blog, by which it is known again, and whether it is still the blog at its address."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from everlog.archive.blog_state import KnownFingerprint
from everlog.core.scope import keys_elsewhere, url_now
from everlog.core.tree import Element, parse
from everlog.core.urls import absolute, canonical
from everlog.errors import EverlogError, UnreadablePage
from everlog.records import Blog, Failure, Feed, Page
from everlog.schedule.ownership import BlogFingerprint, Ownership, same_owner, traits_of
from everlog.usecases.page.post_identity import shows
from everlog.usecases.page.stored_pages import stored_feed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.archive import Archive
    from everlog.usecases.crawl.crawl_context import CrawlRun

# One old post may be an address that any blog has ("hello-world").
LEAST_KEPT = 2
# Links of a front page that are looked up, and posts that are asked for, to see whether a blog kept its posts.
LINKS_READ = 300
POSTS_ASKED = 2


def keep_fingerprint(blog: Blog, archive: Archive, feed: Feed | None = None) -> None:
    """Keep what the blog is known by, from its stored home page; again only when that is another by now."""
    capture = archive.captures.find(blog.id, start_page(blog, archive))
    kept = archive.blogs.state(blog.id).fingerprint
    number = capture.id if capture is not None else None
    if kept is not None and number in {None, kept.capture} and (kept.has_feed or feed is None):
        return
    feed = feed or stored_feed(blog, archive)
    traits = traits_of(_stored_home(blog, archive), blog.home, feed)
    known = KnownFingerprint(fingerprint=traits, capture=number, has_feed=feed is not None)
    archive.blogs.change_state(blog.id, lambda state: replace(state, fingerprint=known))


def start_page(blog: Blog, archive: Archive) -> str:
    """The page that the readers of a blog's home saw when it was learned."""
    return archive.blogs.state(blog.id).start_page or blog.home


def stored_fingerprint(blog: Blog, archive: Archive) -> BlogFingerprint:
    """What the blog was known by, when it was last seen well."""
    kept = archive.blogs.state(blog.id).fingerprint
    if kept is None:
        return traits_of(_stored_home(blog, archive), blog.home, stored_feed(blog, archive))
    return kept.fingerprint


async def ownership_of(blog: Blog, home: Page | None, feed: Feed | None, run: CrawlRun) -> Ownership:
    """Whether the blog that this home page and feed belong to is the one in the archive; asks for a few old posts."""
    root = root_of(home)
    at = home.url if home is not None else blog.home
    if canonical(at) == canonical(start_page(blog, run.archive)):
        at = blog.home
    now = traits_of(root, at, feed, kept=_keeps_posts(blog, root, at, feed, run.archive))
    before = stored_fingerprint(blog, run.archive)
    found = same_owner(before, now)
    if not found.is_same and await _answers_with_posts(blog, at, run):
        return same_owner(before, replace(now, kept=True))
    return found


def root_of(page: Page | None) -> Element | None:
    if page is None:
        return None
    try:
        return parse(page.body, page.content_type)
    except UnreadablePage:
        return None


def living_at(blog: Blog, home: str) -> Blog:
    """The blog as if it had moved to this address already."""
    if canonical(home) == canonical(blog.home):
        return blog
    return replace(blog, home=home, former_homes=(*blog.former_homes, blog.home))


def _keeps_posts(blog: Blog, root: Element | None, at: str, feed: Feed | None, archive: Archive) -> bool:
    """Whether a home page or feed leads to posts that are held."""
    there = living_at(blog, at)
    keys = dict.fromkeys(islice(_keys_on(root, at, feed), LINKS_READ))
    held = (archive.posts.key(blog.id, key, *keys_elsewhere(key, there)) for key in keys)
    return len(set(islice((key for key in held if key is not None), LEAST_KEPT * 2))) >= LEAST_KEPT


def _keys_on(root: Element | None, at: str, feed: Feed | None) -> Iterator[str]:
    for entry in feed.entries if feed is not None else ():
        whole = absolute(feed.url if feed is not None else at, entry.link)
        if whole is not None:
            yield canonical(whole)
    for anchor in root.iter("a") if root is not None else ():
        target = absolute(at, anchor.get("href") or "")
        if target is not None:
            yield canonical(target)


async def _answers_with_posts(blog: Blog, at: str, run: CrawlRun) -> bool:
    """Whether one of the newest posts that are held still answers with its text."""
    there = living_at(blog, at)
    for key in run.archive.posts.newest(blog.id, limit=POSTS_ASKED):
        post = run.archive.posts.find(f"http://{key}", as_read=True)
        if post is None:
            continue
        answer = await run.fetcher.fetch(url_now(post.url, there))
        run.tally.requests += 1
        if not isinstance(answer, Failure) and shows(answer.page, post):
            return True
    return False


def _stored_home(blog: Blog, archive: Archive) -> Element | None:
    capture = archive.captures.find(blog.id, start_page(blog, archive))
    if capture is None:
        return None
    with suppress(EverlogError):
        return parse(archive.files.exchange(capture).body, capture.content_type)
    return None
