"""`everlog hide`: blogs and posts that are kept, but neither shown nor exported."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from everlog.cli.flags import Flags, takes
from everlog.cli.options import archive_of
from everlog.cli.terminal.crawl_summary import counted
from everlog.errors import UsageError

if TYPE_CHECKING:
    from everlog.archive import Archive


@takes("archive config quiet verbose")
def hide(
    what: Annotated[list[str], typer.Argument(metavar="BLOG|POST", help="Blogs, or posts, of the archive.")],
    undo: Annotated[bool, typer.Option("--undo", help="Show them again.")] = False,
    *, given: Flags,
) -> None:
    """Keep a blog or a post without showing it: it is not exported, and not shown by a public web interface.

    `everlog export --hidden` exports it all the same; `everlog status` says what is hidden. Crawls and updates go on.

    \b
    Examples:
      everlog hide https://a.blog.example/2024/private/
      everlog hide https://a.blog.example/
      everlog hide --undo https://a.blog.example/
    """
    with archive_of(given.settings()) as opened:
        # All are looked up first: a mistake in the last address hides nothing.
        meant = [_meant(each, opened) for each in what]
        for blog_id, post_id, name in meant:
            if post_id is not None:
                changed, size = opened.hidden.set_post(post_id, hidden=not undo), ""
            else:
                changed = opened.hidden.set_blog(blog_id, hidden=not undo)
                size = f" with its {counted(opened.posts.count(blog_id), 'post')}"
            if not given.quiet:
                word = "shown again" if undo else "hidden"
                print(f"{name}{size} {'is' if changed else 'was already'} {word}", file=sys.stderr)


def _meant(url: str, archive: Archive) -> tuple[int, int | None, str]:
    """The blog, or the post, at an address; never the blog that a mistyped address lies in."""
    from everlog.usecases.discover.held_blog import home_known_as
    from everlog.usecases.discover.typed_address import fetchable

    whole = fetchable(url)
    blog = home_known_as(whole, archive)
    if blog is not None:
        return blog.id, None, blog.home
    post = archive.listing.find(whole)
    if post is not None:
        return post.blog_id, post.id, post.url
    raise UsageError(
        f"{url} is neither a blog nor a post of this archive",
        advice="'everlog status' lists the blogs, 'everlog search WORDS' finds posts",
    )
