"""Commands on an archive that ask nothing of the web: export, reread, forget, verify."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated

import typer

from everlog.cli import flags
from everlog.cli.options import archive_of, settings_from
from everlog.cli.summary import counted
from everlog.cli.terminal_text import json_text, open_with

if TYPE_CHECKING:
    from everlog.archive import Archive

VERIFY_FAILED = 8


def export(  # noqa: PLR0913, PLR0917 - one parameter per flag
    format_name: Annotated[
        str | None,
        typer.Option("--format", metavar="jsonl|csv|markdown", help="Default: by the suffix of -o, else jsonl."),
    ] = None,
    blog: Annotated[str | None, typer.Option("--blog", metavar="BLOG", help="Only this blog.")] = None,
    since: Annotated[str | None, typer.Option("--since", metavar="DATE", help="Only posts published since.")] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="File, or folder for markdown; - is stdout."),
    ] = None,
    archive: flags.Archive = None,
    files: flags.Files = None,
    config: flags.Config = None,
    quiet: flags.Quiet = False,
    verbose: flags.Verbose = False,  # noqa: ARG001 - where a bug happened is said by the program itself
) -> None:
    """Write posts in a format of your choice, to stdout by default.

    \b
    Examples:
      everlog export > posts.jsonl
      everlog export --blog https://a.blog.example/ -o posts.csv
      everlog export --format markdown -o notes/
    """
    # On a terminal, the posts themselves come as soon as anything could be said.
    open_with("exporting: opening the archive", quiet=quiet or output in {None, "-"})
    from everlog.core.moments import as_moment_or_none
    from everlog.export import format_for

    chosen = format_for(format_name, output)
    moment = as_moment_or_none(since)
    comments: Counter[str] = Counter()
    settings = settings_from(config, archive=archive, files=files)
    with archive_of(settings, reading=True, quiet=quiet) as opened:
        blog_id = _blog_id(blog, opened) if blog else None
        count = opened.export(
            chosen, Path(output) if output else None, blog_id=blog_id, since=moment,
            on_post=lambda post: comments.update({"kept": len(post.comments)}),
        )
    if not quiet:
        written = f"{counted(count, 'post')} with {counted(comments['kept'], 'comment')}"
        print(written + (f" in {output}" if output not in {None, "-"} else ""), file=sys.stderr)


def _blog_id(url: str, archive: Archive) -> int:
    from everlog.usecases.discover.held_blog import blog_named

    return blog_named(url, archive).id


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
    from everlog.cli.progress import progress
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


def forget(
    what: Annotated[str, typer.Argument(metavar="URL|BLOG", help="A blog of the archive.")],
    archive: flags.Archive = None,
    config: flags.Config = None,
    quiet: flags.Quiet = False,
    verbose: flags.Verbose = False,  # noqa: ARG001 - where a bug happened is said by the program itself
) -> None:
    """Stop updating a blog; the archive keeps what it has. `everlog crawl` takes it up again.

    \b
    Example:
      everlog forget https://a.blog.example/
    """
    from everlog.usecases.discover.held_blog import blog_named

    with archive_of(settings_from(config, archive=archive)) as opened:
        blog = blog_named(what, opened)
        opened.blogs.update(blog.id, forgotten_at=opened.jobs.now())
        if not quiet:
            held = opened.posts.count(blog.id)
            print(f"{blog.home} is no longer updated; its {held} posts stay in the archive", file=sys.stderr)


def verify(
    archive: flags.Archive = None,
    files: flags.Files = None,
    spool: flags.Spool = None,
    config: flags.Config = None,
    json: flags.Json = False,
    quiet: flags.Quiet = False,
    verbose: flags.Verbose = False,  # noqa: ARG001 - where a bug happened is said by the program itself
) -> None:
    """Check the archive: every record, WARC pointer, digest and media file. Exits 8 if something is wrong.

    \b
    Example:
      everlog verify
    """
    open_with("verifying: opening the archive", quiet=quiet)
    from everlog.archive.verify import count_to_verify
    from everlog.archive.verify import verify as findings_of
    from everlog.cli.progress import progress

    found = 0
    settings = settings_from(config, archive=archive, files=files, spool=spool)
    with (
        archive_of(settings, reading=True, quiet=quiet) as opened,
        TemporaryFile("w+", encoding="utf-8") as document,
    ):
        total = count_to_verify(opened)
        with progress(total, "records checked", quiet=quiet) as step:
            for finding in findings_of(opened, progress=step):
                found += 1
                if json:
                    # A ruined archive may have millions, and a check that breaks off prints no half document.
                    print(("," if found > 1 else "") + json_text(finding.to_dict()), file=document)
                else:
                    print(finding)
        if json:
            document.seek(0)
            print(f'{{"checked": {total}, "found": {found}, "findings": [')
            shutil.copyfileobj(document, sys.stdout)
            print("]}")
    if not quiet:
        print(f"{total} records checked, {found} findings", file=sys.stderr)
    if found:
        told = "restore damaged files from a backup; a crawl continues without them:  everlog crawl BLOG"
        print(f"  {told}", file=sys.stderr)
        raise typer.Exit(VERIFY_FAILED)
