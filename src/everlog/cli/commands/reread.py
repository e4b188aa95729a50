"""`everlog reread`: all stored pages read again with today's rules."""

from __future__ import annotations

from everlog.cli.flags import Blogs, Flags, takes
from everlog.cli.options import archive_of
from everlog.cli.terminal.text import json_text, open_with


@takes("archive files spool config json quiet verbose")
def reread(
    blogs: Blogs = None,
    *, given: Flags,
) -> None:
    """Read all stored pages again with today's rules; no request is made.

    \b
    Examples:
      everlog reread
      everlog reread https://a.blog.example/
    """
    open_with("reading stored pages again: opening the archive", quiet=given.quiet)
    from everlog.cli.terminal.progress import progress
    from everlog.usecases.discover.held_blog import blog_named
    from everlog.usecases.reread import reread_blog

    with archive_of(given.settings()) as opened:
        chosen = [blog_named(url, opened) for url in blogs] if blogs else list(opened.blogs())
        results = []
        for blog in chosen:
            total = opened.blogs.counts(blog.id).pages
            with progress(total, f"pages of {blog.home}", quiet=given.quiet) as step:
                results.append(reread_blog(blog, opened, step=step))
    if given.json:
        keys = ("blog", "pages", "new", "changed", "same", "no_longer")
        print(json_text([{key: getattr(result, key) for key in keys} for result in results], indent=1))
        return
    for result in results:
        print(f"{result.blog}: {result.pages} pages read again: {result.same} posts as before, "
              f"{result.changed} changed, {result.new} new, {result.no_longer} no longer read as posts (copies kept)")
