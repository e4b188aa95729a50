"""`everlog reread`: all stored pages read again with today's rules."""

from __future__ import annotations

from everlog.cli import flags
from everlog.cli.options import archive_of, settings_from
from everlog.cli.terminal.text import json_text, open_with


def reread(
    blogs: flags.Blogs = None,
    archive: flags.Archive = None,
    files: flags.Files = None,
    spool: flags.Spool = None,
    config: flags.Config = None,
    json: flags.Json = False,
    quiet: flags.Quiet = False,
    verbose: flags.Verbose = False,  # noqa: ARG001 - where a bug happened is said by the program itself
) -> None:
    """Read all stored pages again with today's rules; no request is made.

    \b
    Examples:
      everlog reread
      everlog reread https://a.blog.example/
    """
    open_with("reading stored pages again: opening the archive", quiet=quiet)
    from everlog.cli.terminal.progress import progress
    from everlog.usecases.discover.held_blog import blog_named
    from everlog.usecases.reread import reread_blog

    with archive_of(settings_from(config, archive=archive, files=files, spool=spool)) as opened:
        chosen = [blog_named(url, opened) for url in blogs] if blogs else list(opened.blogs())
        results = []
        for blog in chosen:
            total = opened.blogs.counts(blog.id).pages
            with progress(total, f"pages of {blog.home}", quiet=quiet) as step:
                results.append(reread_blog(blog, opened, step=step))
    if json:
        keys = ("blog", "pages", "new", "changed", "same", "no_longer")
        print(json_text([{key: getattr(result, key) for key in keys} for result in results], indent=1))
        return
    for result in results:
        print(f"{result.blog}: {result.pages} pages read again: {result.same} posts as before, "
              f"{result.changed} changed, {result.new} new, {result.no_longer} no longer read as posts (copies kept)")
