"""Look-up of the blog of an archive that an address means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.core.scope import home_scope
from everlog.core.urls import canonical
from everlog.errors import UsageError
from everlog.usecases.discover.typed_address import fetchable

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.records import Blog

# Blogs that an error names; a screen of an archive of thousands would hide what is wrong.
BLOGS_NAMED = 20


def blog_named(url: str, archive: Archive) -> Blog:
    """The blog of the archive that a user means; `UsageError` lists those there are."""
    whole = fetchable(url)
    blog = home_known_as(whole, archive) or archive.blogs.find(whole) or _blog_around(whole, archive)
    if blog is None:
        homes = [blog.home for blog in archive.blogs()]
        held = "".join(f"\n    {home}" for home in homes[:BLOGS_NAMED]) or " none"
        if len(homes) > BLOGS_NAMED:
            held += f"\n    and {len(homes) - BLOGS_NAMED} more: 'everlog status' lists them"
        raise UsageError(
            f"{url} is not in this archive", advice=f"to add it:  everlog crawl {url}\n  blogs in it:{held}",
        )
    return blog


def home_known_as(url: str, archive: Archive) -> Blog | None:
    """The blog of an archive that this address means: its home, in any spelling, or what led to it."""
    home = archive.blogs.home_at(url) or url
    wanted = canonical(home)
    blog = archive.blogs.find(home)
    return blog if blog is not None and canonical(blog.home) == wanted else None


def _blog_around(url: str, archive: Archive) -> Blog | None:
    """The blog that an address lies in, though no page of it is known by it; of several, the innermost."""
    around = [blog for blog in archive.blogs(forgotten=True) if home_scope(blog).is_own(url)]
    return max(around, key=lambda blog: len(canonical(blog.home)), default=None)
