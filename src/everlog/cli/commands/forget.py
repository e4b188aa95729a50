"""`everlog forget`: a blog that is no longer updated."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from everlog.cli.flags import Flags, takes
from everlog.cli.options import archive_of


@takes("archive config quiet verbose")
def forget(
    what: Annotated[str, typer.Argument(metavar="URL|BLOG", help="A blog of the archive.")],
    *, given: Flags,
) -> None:
    """Stop updating a blog; the archive keeps what it has. `everlog crawl` takes it up again.

    \b
    Example:
      everlog forget https://a.blog.example/
    """
    from everlog.usecases.discover.held_blog import blog_named

    with archive_of(given.settings()) as opened:
        blog = blog_named(what, opened)
        opened.blogs.update(blog.id, forgotten_at=opened.jobs.now())
        if not given.quiet:
            held = opened.posts.count(blog.id)
            print(f"{blog.home} is no longer updated; its {held} posts stay in the archive", file=sys.stderr)
