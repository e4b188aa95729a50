"""`everlog export`: posts of an archive in a format of the user's choice."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from everlog.cli.flags import Flags, takes
from everlog.cli.options import archive_of
from everlog.cli.terminal.crawl_summary import counted
from everlog.cli.terminal.text import open_with

if TYPE_CHECKING:
    from everlog.archive import Archive


@takes("archive files config quiet verbose")
def export(  # noqa: PLR0913, PLR0917 - one parameter per flag
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="jsonl|csv|markdown|wacz|cdxj", help="Default: by the suffix of -o, else jsonl.",
        ),
    ] = None,
    blog: Annotated[str | None, typer.Option("--blog", metavar="BLOG", help="Only this blog.")] = None,
    since: Annotated[str | None, typer.Option("--since", metavar="DATE", help="Only posts published since.")] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="DATE", help="Only posts published until then, that day included."),
    ] = None,
    tag: Annotated[str | None, typer.Option("--tag", metavar="TAG", help="Only posts with this tag.")] = None,
    author: Annotated[str | None, typer.Option("--author", metavar="NAME", help="Only posts by this author.")] = None,
    language: Annotated[
        str | None, typer.Option("--language", metavar="LANGUAGE", help="Only posts in this language (en, de, ja)."),
    ] = None,
    hidden: Annotated[
        bool, typer.Option("--hidden", help="Also blogs and posts that `everlog hide` has hidden."),
    ] = False,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="File, or folder for markdown; - is stdout."),
    ] = None,
    *, given: Flags,
) -> None:
    """Write posts in a format of your choice, to stdout by default.

    \b
    Examples:
      everlog export > posts.jsonl
      everlog export --blog https://a.blog.example/ -o posts.csv
      everlog export --tag trains --since 2023-01-01 --until 2023-12-31
      everlog export --format markdown -o notes/
      everlog export --blog https://a.blog.example/ -o blog.wacz
    """
    # On a terminal, the posts themselves come as soon as anything could be said.
    open_with("exporting: opening the archive", quiet=given.quiet or output in {None, "-"})
    from everlog.archive.projection.filters import PostFilter
    from everlog.core.moments import as_moment_or_none, end_of
    from everlog.export import FORMATS, format_for

    format_ = format_for(format_name, output)
    chosen = PostFilter(
        since=as_moment_or_none(since), until=end_of(until) if until is not None else None, tag=tag, author=author,
        language=language, public=not hidden, kind=None,
    )
    written: Counter[str] = Counter()
    settings = given.settings()
    with archive_of(settings, reading=True, quiet=given.quiet) as opened:
        blog_id = _blog_id(blog, opened) if blog else None
        count = opened.export(
            format_, Path(output) if output else None, blog_id=blog_id, chosen=chosen,
            on_post=lambda post: written.update({post.kind: 1, "comment": len(post.comments)}),
        )
        if output is not None and Path(output).is_dir():
            filters = {"--since": since, "--until": until, "--tag": tag, "--author": author, "--language": language}
            cut_by = [name for name, value in filters.items() if value is not None]
            _write_completeness(Path(output), blog_id, opened, hidden=hidden, cut_by=cut_by)
    if not given.quiet:
        pages = f" and {counted(written['page'], 'page')}" if written["page"] else ""
        said = f"{counted(written['post'], 'post')}{pages} with {counted(written['comment'], 'comment')}"
        if FORMATS[format_].captures == "alone":
            said = counted(count, "captured page")
        print(said + (f" in {output}" if output not in {None, "-"} else ""), file=sys.stderr)


def _blog_id(url: str, archive: Archive) -> int:
    from everlog.usecases.discover.held_blog import blog_named

    return blog_named(url, archive).id


def _write_completeness(
    folder: Path, blog_id: int | None, archive: Archive, *, hidden: bool, cut_by: list[str],
) -> None:
    """Write down beside the posts whether they are all: the folder may outlive the archive, and goes to others."""
    from everlog.cli.terminal.text import json_text
    from everlog.usecases.completeness import completeness_document

    left_out = frozenset() if hidden else archive.hidden.blogs()
    blogs = [
        blog for blog in archive.blogs(forgotten=True) if blog_id in {None, blog.id} and blog.id not in left_out
    ]
    said = completeness_document(blogs, archive, public=not hidden, cut_by=cut_by)
    document = json_text(said, ensure_ascii=False, indent=1)
    (folder / "completeness.json").write_text(document + "\n", "utf-8")
