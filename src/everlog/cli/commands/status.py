"""`everlog status`: all blogs of an archive, one of them in detail, or the ledger of requests and waits."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlog.cli.flags import Flags, takes
from everlog.cli.options import archive_of
from everlog.cli.terminal.blog_page import event_dict, figures_dict, print_blog, print_events
from everlog.cli.terminal.crawl_summary import counted, media_of, missing_of, posts_of
from everlog.cli.terminal.politeness_table import print_ledger
from everlog.cli.terminal.text import ago, json_text, more, say, table, time_or_none
from everlog.cli.terminal.wrapping import print_wrapped, room
from everlog.errors import UsageError

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.archive.models import BlogOutline

SHOWN = 20
# All that happens to blogs and posts but for edits: these are many, and `status BLOG` and `diff` have them.
MATTER = (
    "deleted", "dropped", "emptied", "missing", "back", "moved", "feed-moved", "feed-gone", "dead", "other-owner",
    "redesigned", "captures", "completeness",
)
# Always shown; the others only where there is something to tell.
ALWAYS = frozenset({"blog", "posts", "complete", "comments", "media", "last_crawl", "next_check"})
COLUMNS = (
    "blog", "posts", "complete", "comments", "media", "missing", "waiting", "deleted", "state", "last_crawl",
    "next_check",
)
TEXTS = frozenset({"blog", "complete", "state", "last_crawl", "next_check"})


@takes("archive config json quiet verbose")
def status(
    blog: Annotated[str | None, typer.Argument(metavar="BLOG", help="One blog in detail.")] = None,
    politeness: Annotated[
        bool, typer.Option("--politeness", help="The ledger of requests and waits, with the reason for each wait."),
    ] = False,
    plot: Annotated[
        str | None, typer.Option("--plot", metavar="FILE.svg", help="Also write the posts per year as a picture."),
    ] = None,
    *, given: Flags,
) -> None:
    """List the blogs of the archive and what happened to them; with a BLOG what is held, what is missing and why.

    With a BLOG it says whether all of it is held (yes, no or unknown), and who lists its posts.

    \b
    Examples:
      everlog status
      everlog status https://a.blog.example/
      everlog status https://a.blog.example/ --plot years.svg
      everlog status --politeness
    """
    with archive_of(given.settings(), reading=True, quiet=given.quiet) as opened:
        chosen = None
        if blog is not None:
            from everlog.usecases.discover.held_blog import blog_named

            chosen = blog_named(blog, opened)
        if plot is not None:
            if chosen is None:
                raise UsageError("--plot needs a blog", advice=f"everlog status BLOG --plot {plot}")
            from everlog.cli.terminal.completeness_page import refuse_other_pictures, write_plot

            refuse_other_pictures(plot)
            write_plot(plot, chosen, opened)
        if politeness:
            print_ledger(opened, chosen, given)
        elif chosen is None:
            _print_all(opened, given)
        else:
            print_blog(chosen, opened, given)


def _print_all(archive: Archive, given: Flags) -> None:
    outlines = list(archive.blogs.outlines())
    if given.json:
        happened: dict[int, list[dict[str, Any]]] = {}
        for event in archive.events(kinds=MATTER):
            happened.setdefault(event.blog_id, []).append(event_dict(event))
        rows = [_row(each) | {"events": happened.get(each.id, [])} for each in outlines]
        print(json_text(rows, ensure_ascii=False, indent=1))
        return
    now = datetime.now(UTC)
    _print_list(outlines, now)
    if not outlines and not given.quiet:
        print("no blog is in this archive yet:  everlog crawl URL", file=sys.stderr)
    gone = [each for each in outlines if each.gone is not None]
    if gone:
        print()
        say(f"gone from the web: {len(gone)} of {len(outlines)} blogs")
    for each in gone if given.verbose else gone[:SHOWN]:
        since = f"{ago(each.gone_at, now)}: " if each.gone_at is not None else ""
        say(f"  {each.home}  {since}{each.gone}")
    more(len(gone), SHOWN, verbose=given.verbose)
    _print_hidden(outlines, verbose=given.verbose)
    events = list(archive.events(kinds=MATTER, limit=None if given.verbose else SHOWN + 1))
    if events:
        print()
        deleted = sum(each.figures.deleted for each in outlines)
        say(f"deletions and other events ({counted(deleted, 'post is', 'posts are')} gone), the newest first")
        print_events(events if given.verbose else events[-SHOWN:], {each.id: each.home for each in outlines}, now)
        if len(events) > SHOWN and not given.verbose:
            say("  and earlier ones (-v shows all)")


def _print_hidden(outlines: list[BlogOutline], *, verbose: bool) -> None:
    """What is kept and not shown, so that nobody wonders why an export lacks it."""
    blogs = [each for each in outlines if each.is_hidden]
    posts = [each for each in outlines if each.figures.hidden and not each.is_hidden]
    if not blogs and not posts:
        return
    print()
    parts = [
        *([f"{len(blogs)} of {counted(len(outlines), 'blog')}"] if blogs else []),
        *([counted(sum(each.figures.hidden for each in posts), "single post")] if posts else []),
    ]
    say(f"hidden, and not exported: {' and '.join(parts)}")
    shown = [each.home for each in blogs]
    shown += [f"{each.home}  {counted(each.figures.hidden, 'post')}" for each in posts]
    for line in shown if verbose else shown[:SHOWN]:
        say(f"  {line}")
    more(len(shown), SHOWN, verbose=verbose)


def _row(outline: BlogOutline) -> dict[str, Any]:
    return {
        "blog": outline.home, "title": outline.title, **figures_dict(outline.figures), "state": _state(outline),
        "last_crawl": time_or_none(outline.crawled_at), "next_poll": time_or_none(outline.due_at),
        "poll_reason": outline.why, "poll_signal": outline.signal, "gone": outline.gone,
        "completeness": _short(outline),
        "gone_since": time_or_none(outline.gone_at), "hidden": outline.is_hidden,
    }


def _short(outline: BlogOutline) -> dict[str, Any]:
    """The last verdict for programs; nulls where there was none yet."""
    kept = outline.completeness or {}
    return {name: kept.get(name) for name in ("posts", "comments", "missing", "excused", "checked_at")}


def _in_part(outline: BlogOutline) -> int:
    """How many of its posts are held in part, which the verdict counts as missing; archives of before do not say."""
    return (outline.completeness or {}).get("in_part") or 0


def _state(outline: BlogOutline) -> str:
    return "forgotten" if outline.forgotten_at else "gone" if outline.gone is not None else outline.state


def _print_list(outlines: list[BlogOutline], now: datetime) -> None:
    """One line a blog; where the screen is too narrow for that, two."""
    rows = [_shown(each, now) for each in outlines]
    # A state that all blogs have tells nothing; neither does a figure that is nowhere.
    telling = {column for column in COLUMNS for row in rows if row[column] not in {0, "finished"}}
    columns = [column for column in COLUMNS if column in ALWAYS | telling]
    widths = (max((len(str(row[column])) for row in rows), default=0) for column in columns)
    needed = sum(max(len(name), width) + 2 for name, width in zip(columns, widths, strict=True)) - 2
    width = room()
    if width is None or needed <= width:
        table(rows, columns, left=TEXTS)
        return
    for outline in outlines:
        say(outline.home)
        print_wrapped(_told(outline, now), margin="  ")


def _shown(outline: BlogOutline, now: datetime) -> dict[str, Any]:
    """A blog as a row for people."""
    figures, in_part = outline.figures, _in_part(outline)
    wanted = figures.media + figures.media_missing + figures.waiting_media
    return {
        "blog": outline.home, "posts": posts_of(figures.posts, in_part) if in_part else figures.posts,
        "complete": _short(outline)["posts"],
        "comments": figures.comments,
        "media": f"{figures.media} of {wanted}" if wanted > figures.media else figures.media,
        "missing": figures.missing_posts, "waiting": figures.waiting_posts + figures.waiting_pages,
        "deleted": figures.deleted, "state": _state(outline),
        "last_crawl": ago(outline.crawled_at, now) if outline.crawled_at else None,
        "next_check": ago(outline.due_at, now) if outline.due_at else None,
    }


def _told(outline: BlogOutline, now: datetime) -> str:
    """A blog in a sentence."""
    figures, missing = outline.figures, missing_of(outline.figures.missing_posts, outline.figures.missing_pages)
    waiting = figures.waiting_posts + figures.waiting_pages
    in_part = _in_part(outline)
    posts = counted(figures.posts - in_part, "post") + (f" and {in_part:,} in part" if in_part else "")
    parts = [
        f"{posts} (complete: {_short(outline)['posts'] or '-'})",
        counted(figures.comments, "comment"),
        media_of(figures.media, figures.media_missing, figures.waiting_media),
        *([f"missing: {missing}"] if missing else []),
        *([f"{waiting:,} waiting"] if waiting else []),
        *([f"{figures.deleted:,} deleted"] if figures.deleted else []),
        f"{_state(outline)}, last crawl {ago(outline.crawled_at, now)}" if outline.crawled_at else _state(outline),
        *([f"next check {ago(outline.due_at, now)}"] if outline.due_at else []),
    ]
    return "; ".join(parts)
