"""The command that finds posts by their words."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from everlog.cli.flags import Flags, takes
from everlog.cli.options import archive_of
from everlog.cli.terminal.text import json_text
from everlog.cli.terminal.wrapping import print_styled, print_wrapped
from everlog.core.terminal import harmless
from everlog.errors import UsageError

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.archive.projection.filters import PostFilter
    from everlog.search.hit import Hit
    from everlog.search.snippets import Marked

NOTHING_FOUND = 4
# Around a word that was found, where letters cannot be bold.
BRACKETS = ("[[", "]]")
MARGIN = "  "
# More than anybody reads.
MOST_SHOWN = 1_000_000


class SearchCommand(TyperCommand):
    """Knows that what looks like an option may be a word that is not wanted."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            # By its name: where the class is to be had differs between versions of typer.
            name = getattr(error, "option_name", "")
            if type(error).__name__ != "NoSuchOption" or name.startswith("--"):
                raise
            raise UsageError(
                f"there is no option {name}",
                advice="a query that begins with - goes behind --, options before it:  everlog search -- "
                "'-winter tide'\n  or say NOT:  everlog search NOT winter tide",
            ) from None


@takes("archive config json quiet verbose")
def search(  # noqa: PLR0913 - one parameter per flag
    query: Annotated[list[str] | None, typer.Argument(metavar="QUERY", help="What to look for.")] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=MOST_SHOWN, help="How many posts to show at most."),
    ] = 10,
    blog: Annotated[str | None, typer.Option("--blog", metavar="BLOG", help="Only posts of this blog.")] = None,
    tag: Annotated[str | None, typer.Option("--tag", metavar="TAG", help="Only posts with this tag.")] = None,
    author: Annotated[str | None, typer.Option("--author", metavar="NAME", help="Only posts by this author.")] = None,
    language: Annotated[
        str | None, typer.Option("--language", metavar="LANGUAGE", help="Only posts in this language (en, de, ja)."),
    ] = None,
    month: Annotated[
        str | None, typer.Option("--month", metavar="MONTH", help="Only posts of a month, a day or a year (2024-05)."),
    ] = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Rebuild the search index and the lists from the posts."),
    ] = False,
    *, given: Flags,
) -> None:
    """Find posts by their words, the best first: titles, texts, comments, authors and tags, in any language.

    Quote the whole query, so that the shell leaves it alone: "phrases", -not, this OR that, begin*, title:,
    author:, tag:, blog:, before:2024-05, after:2023. A query that begins with - goes behind --, options before it.
    --tag and --author want the whole tag or name, where tag: and author: want words of it. Exits 4 if nothing is found.

    \b
    Examples:
      everlog search night train
      everlog search '"night train" author:"Ada Vale" -winter after:2023'
      everlog search tide --tag "Night trains" --language en --month 2024
      everlog search --limit 3 -- '-winter tide'
    """
    text = " ".join(query or ())
    if not text.strip() and not rebuild:
        raise UsageError("nothing to search for", advice="give a word:  everlog search tide")
    with archive_of(given.settings(), reading=not rebuild, quiet=given.quiet) as opened:
        if rebuild:
            opened.search.forget()
        indexed = index_posts(opened, quiet=given.quiet)
        listed = _list(opened, quiet=given.quiet) if rebuild else 0
        if not text.strip():
            if given.json:
                print(json_text({"indexed": indexed, "listed": listed}))
            return
        if any((blog, tag, author, language, month)):
            chosen = _chosen(opened, blog, month, tag=tag, author=author, language=language)
            hits, total = _chosen_hits(opened, text, chosen, limit)
        else:
            hits, total = opened.search(text, limit=limit), opened.search.count(text)
    if given.json:
        print(json_text({"found": total, "posts": [_plain(hit) for hit in hits]}, ensure_ascii=False, indent=1))
    else:
        _print(hits, verbose=given.verbose)
    if not given.quiet:
        _remark(text, shown=len(hits), total=total)
    if not hits:
        raise typer.Exit(NOTHING_FOUND)


def _chosen(archive: Archive, blog: str | None, month: str | None, **terms: str | None) -> PostFilter:
    """The filters of the web interface, by the same definitions."""
    from everlog.archive.projection.filters import PostFilter

    blog_id = None
    if blog:
        from everlog.usecases.discover.held_blog import blog_named

        blog_id = blog_named(blog, archive).id
    return PostFilter(blog_id=blog_id, month=month or None, kind=None, **terms)  # type: ignore[arg-type]


def _chosen_hits(archive: Archive, text: str, chosen: PostFilter, limit: int) -> tuple[tuple[Hit, ...], int]:
    """The best of those that a filter lets through, and how many these are."""
    scores = dict(archive.search.ranked(text, blog_id=chosen.blog_id))
    kept = archive.listing.among(list(scores), chosen)
    return archive.search.hits(text, [(number, scores[number]) for number in kept[:limit]]), len(kept)


def index_posts(archive: Archive, *, quiet: bool) -> int:
    """Bring in what is not in the index: all posts of an archive that is older than it. How many."""
    from everlog.cli.terminal.progress import progress

    waiting = archive.search.count_not_indexed()
    if waiting and not quiet:
        once = "" if archive.is_read_only else ", once"
        print(f"{waiting} posts are brought into the search index{once}", file=sys.stderr)
    with progress(waiting, "posts in the search index", quiet=quiet or not waiting) as step:
        return archive.search.index(step)


def _list(archive: Archive, *, quiet: bool) -> int:
    """Make the rows for lists anew. How many posts they are of."""
    from everlog.cli.terminal.progress import progress

    count = sum(archive.posts.count(blog.id) for blog in archive.blogs(forgotten=True))
    with progress(count, "posts in lists", quiet=quiet or not count) as step:
        return archive.listing.rebuild(step)


def _print(hits: tuple[Hit, ...], *, verbose: bool) -> None:
    for hit in hits:
        if not _print_marked(hit.marked_title):
            print_wrapped(_line(hit.url))
        about = [hit.published.strftime("%Y-%m-%d") if hit.published else None, ", ".join(hit.authors), hit.url]
        print_wrapped(_line("  ".join(filter(None, about))), margin=MARGIN)
        if hit.where == "comment":
            print_wrapped(_line(f"a comment by {hit.comment_author or 'somebody'}:"), margin=MARGIN)
        _print_marked(hit.snippet, margin=MARGIN)
        if verbose:
            print(f"  score {hit.score:.2f}, found in the {hit.where}")
        print()


def _print_marked(pieces: Marked, *, margin: str = "") -> bool:
    """Print a text with the words that were found: bold on a terminal, else in brackets. False if there is none."""
    texts = [(_line(text), marked) for text, marked in pieces]
    if not any(text for text, _ in texts):
        return False
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        from rich.text import Text

        print_styled(Text.assemble(*((text, "bold" if marked else "") for text, marked in texts)), margin=margin)
    else:
        print_wrapped("".join(text.join(BRACKETS) if marked else text for text, marked in texts), margin=margin)
    return True


def _line(text: str) -> str:
    return harmless(text).replace("\n", " ")


def _plain(hit: Hit) -> dict[str, Any]:
    return {
        "url": hit.url, "blog": hit.blog, "title": hit.title, "authors": list(hit.authors),
        "published": hit.published.isoformat() if hit.published else None, "score": round(hit.score, 4),
        "where": hit.where, "comment_id": hit.comment_id, "comment_author": hit.comment_author,
        "marked_title": _pieces(hit.marked_title), "snippet": _pieces(hit.snippet),
    }


def _pieces(pieces: Marked) -> list[dict[str, Any]]:
    return [{"text": text, "marked": marked} for text, marked in pieces]


def _remark(text: str, *, shown: int, total: int) -> None:
    if not shown:
        print(f"nothing found for {text}", file=sys.stderr)
        print("  fewer words find more; trai* finds train too; everlog status lists the blogs", file=sys.stderr)
    elif shown < total:
        print(f"{shown} of {total} posts; --limit shows more", file=sys.stderr)
    else:
        print(f"{total} posts", file=sys.stderr)
