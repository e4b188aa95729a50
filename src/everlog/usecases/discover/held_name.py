"""Blog of the archive under another name: the one that a blog just found says it is, and whose posts it shows.

What the front page and the feed say is compared with the posts that are held; nothing is asked for this. Where only the
entries of the feed lead to posts of another blog, as those of a site do that always names itself by one host, two pages
are asked for: who collects the posts of others does not have them at the same paths.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everlog.core.scope import Alias, rebased
from everlog.core.tree import parse
from everlog.core.urls import absolute, canonical, host_of
from everlog.errors import UnreadablePage
from everlog.extract.classify import canonical_link
from everlog.records import Fetched
from everlog.schedule.blog_names import LEAST_ENTRIES, LEAST_EQUAL, NameEvidence, same_blog
from everlog.usecases.discover.blog_scope import keep_places, scope_of
from everlog.usecases.discover.held_blog import home_known_as
from everlog.usecases.page.post_identity import shows, stands_in

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.core.fetcher import Fetcher
    from everlog.records import Blog, Entry, Post
    from everlog.usecases.discover.discover_blog import Found

# Entries that are compared with posts that are held.
ENTRIES_COMPARED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldName:
    """A blog of the archive, and by which signs another address is a name of it."""

    blog: Blog
    signs: tuple[str, ...]


async def held_by_name(found: Found, archive: Archive, fetcher: Fetcher) -> HeldName | None:
    """The blog of the archive that a blog just found is, at another address; None if it is a blog of its own."""
    return _held_as_stated(found, archive) or await _held_by_entries(found, archive, fetcher)


def _held_as_stated(found: Found, archive: Archive) -> HeldName | None:
    """The blog at the home that the front page or the feed states."""
    stated = _canonical_home(found)
    for home in dict.fromkeys(filter(None, (stated, found.feed.home))):
        blog = home_known_as(home, archive)
        if blog is None or canonical(blog.home) == canonical(found.home):
            continue
        evidence = NameEvidence(
            home=found.home, canonicals=int(home == stated), feed_home=home == found.feed.home,
        )
        for entry in found.feed.entries[:ENTRIES_COMPARED]:
            evidence = _with_entry(evidence, entry, found, blog, archive)
        sameness = same_blog(evidence)
        if sameness.is_same:
            return HeldName(blog=blog, signs=sameness.signs)
    return None


async def _held_by_entries(found: Found, archive: Archive, fetcher: Fetcher) -> HeldName | None:
    """The blog whose posts most entries of the feed are, if these posts are at the same paths here."""
    links = [absolute(found.feed_url, entry.link) for entry in found.feed.entries[:ENTRIES_COMPARED]]
    elsewhere = [link for link in links if link is not None and host_of(link) != host_of(found.home)]
    posts = [post for link in elsewhere if (post := archive.posts.find(link)) is not None]
    homes = Counter(post.blog for post in posts if post.blog is not None)
    if not homes:
        return None
    home, count = homes.most_common(1)[0]
    blog = archive.blogs.find(home)
    if blog is None or count < LEAST_ENTRIES or count * 2 <= len(links) or canonical(home) == canonical(found.home):
        return None
    evidence = NameEvidence(home=found.home, entries=count)
    for post in [post for post in posts if post.blog == home][:LEAST_EQUAL]:
        evidence = await _with_post_here(evidence, post, rebased(post.url, home, found.home), fetcher)
    sameness = same_blog(evidence)
    return HeldName(blog=blog, signs=sameness.signs) if sameness.is_same else None


async def _with_post_here(evidence: NameEvidence, post: Post, here: str, fetcher: Fetcher) -> NameEvidence:
    """The evidence with what stands at the path of a post here: the post itself, something else, or nothing.

    An answer from another host is nothing that this one has.
    """
    answer = await fetcher.fetch(here)
    if not isinstance(answer, Fetched) or host_of(answer.page.url) != host_of(here):
        return replace(evidence, missing_posts=evidence.missing_posts + 1)
    is_same = bool(shows(answer.page, post))
    return replace(
        evidence, equal_posts=evidence.equal_posts + is_same, other_posts=evidence.other_posts + (not is_same),
    )


def keep_name(blog: Blog, home: str, signs: tuple[str, ...], archive: Archive) -> None:
    """Write down that a blog of the archive has another name."""
    scope = scope_of(blog, archive)
    others = [each for each in scope.aliases if canonical(each.home) != canonical(home)]
    alias = Alias(home=home, here=True, evidence=signs)
    keep_places(blog, replace(scope, aliases=(*others, alias)), archive)


def _canonical_home(found: Found) -> str | None:
    page = found.home_page
    if page is None:
        return None
    try:
        return canonical_link(parse(page.page.body, page.page.content_type), page.page.url)
    except UnreadablePage:
        return None


def _with_entry(evidence: NameEvidence, entry: Entry, found: Found, blog: Blog, archive: Archive) -> NameEvidence:
    """The evidence with what an entry says: the text of the post that is held, another one, or nothing of it."""
    link = absolute(found.feed_url, entry.link)
    if link is None:
        return evidence
    keys = (canonical(link), canonical(rebased(link, found.home, blog.home)))
    own = archive.posts.key(blog.id, *keys)
    post = archive.posts.find(f"http://{own}", as_read=True) if own is not None else None
    if post is None:
        return replace(evidence, missing_posts=evidence.missing_posts + 1)
    is_same = _says(entry, post)
    return replace(
        evidence, entries=evidence.entries + (keys[0] == own), equal_posts=evidence.equal_posts + is_same,
        other_posts=evidence.other_posts + (not is_same),
    )


def _says(entry: Entry, post: Post) -> bool:
    said = None
    html = entry.content or entry.summary
    if html:
        try:
            said = stands_in(" ".join(map(str, parse(html.encode()).itertext())), post)
        except UnreadablePage:
            said = None
    return (entry.title or "").split() == (post.title or "").split() if said is None else said
