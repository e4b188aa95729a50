"""Look-up of the blog of an archive that an address means."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from everlog.core.scope import home_scope, platform_name
from everlog.core.urls import canonical, host_of
from everlog.errors import UsageError
from everlog.usecases.discover.typed_address import fetchable

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.records import Blog

# Blogs that an error names; a screen of an archive of thousands would hide what is wrong.
BLOGS_NAMED = 20
# Addresses that lead to each other before the blog is found: a name that was recorded, then a move or two.
MOST_HOPS = 5


def blog_named(url: str, archive: Archive) -> Blog:
    """The blog of the archive that a user means; `UsageError` lists those there are."""
    try:
        whole = fetchable(url)
    except UsageError as error:
        raise UsageError(error.message, advice=f"blogs in this archive:{_held(archive)}") from error
    blog = home_known_as(whole, archive) or archive.blogs.find(whole) or _blog_around(whole, archive)
    if blog is None:
        raise UsageError(
            f"{url} is not in this archive", advice=f"to add it:  everlog crawl {url}\n  blogs in it:{_held(archive)}",
        )
    return blog


def _held(archive: Archive) -> str:
    homes = [blog.home for blog in archive.blogs()]
    held = "".join(f"\n    {home}" for home in homes[:BLOGS_NAMED]) or " none"
    if len(homes) > BLOGS_NAMED:
        held += f"\n    and {len(homes) - BLOGS_NAMED} more: 'everlog status' lists them"
    return held


def home_known_as(url: str, archive: Archive) -> Blog | None:
    """The blog of an archive that this address means: its home, in any spelling, another name of it, what led to it."""
    for spelling in dict.fromkeys((url, common_name(url))):
        home = spelling
        for _ in range(MOST_HOPS):
            led_to = archive.blogs.home_at(home)
            if led_to is None or canonical(led_to) == canonical(home):
                break
            home = led_to
        blog = archive.blogs.find(home)
        if blog is not None and canonical(blog.home) == canonical(home):
            return blog
    return None


def is_home_of_another(url: str, blog: Blog, archive: Archive) -> bool:
    """Whether another blog of the archive lives at an address."""
    other = archive.blogs.find(url)
    return other is not None and other.id != blog.id and canonical(other.home) == canonical(url)


def common_name(url: str) -> str:
    """An address at the one host that a platform has in every country; elsewhere as it is.

    >>> common_name("http://ann.blogspot.co.uk/2020/x.html"), common_name("http://ann.example/")
    ('http://ann.blogspot.com/2020/x.html', 'http://ann.example/')
    """
    name = platform_name(host_of(url))
    return url if name is None else urlsplit(url)._replace(netloc=f"{name}com").geturl()


def _blog_around(url: str, archive: Archive) -> Blog | None:
    """The blog that an address lies in, though no page of it is known by it; of several, the innermost."""
    around = [blog for blog in archive.blogs(forgotten=True) if home_scope(blog).is_own(url)]
    return max(around, key=lambda blog: len(canonical(blog.home)), default=None)
