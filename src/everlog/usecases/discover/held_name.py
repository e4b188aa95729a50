"""Blog of the archive under another name: the one that a blog just found says it is, and whose posts it shows.

Nothing is asked for this: what the front page and the feed say is compared with the posts that are held.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everlog.core.scope import Alias, rebased
from everlog.core.tree import parse
from everlog.core.urls import absolute, canonical
from everlog.errors import UnreadablePage
from everlog.extract.classify import canonical_link
from everlog.schedule.blog_names import NameEvidence, same_blog
from everlog.usecases.discover.blog_scope import keep_places, scope_of
from everlog.usecases.discover.held_blog import home_known_as
from everlog.usecases.page.post_identity import stands_in

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.records import Blog, Entry, Post
    from everlog.usecases.discover.discover_blog import Found

# Entries that are compared with posts that are held.
ENTRIES_COMPARED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldName:
    """A blog of the archive, and by which signs another address is a name of it."""

    blog: Blog
    signs: tuple[str, ...]


def held_by_name(found: Found, archive: Archive) -> HeldName | None:
    """The blog of the archive that a blog just found is, at another address; None if it is a blog of its own."""
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
