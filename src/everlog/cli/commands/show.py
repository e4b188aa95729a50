"""The command that prints one post, or tells its versions."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

import typer

from everlog.cli.flags import Flags, takes
from everlog.cli.options import archive_of
from everlog.cli.terminal.text import ago, json_text
from everlog.cli.terminal.wrapping import print_wrapped
from everlog.core.terminal import harmless_html
from everlog.errors import UsageError

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.archive.models import Version
    from everlog.records import Post
    from everlog.versions import Changes

INDENT = "  "
# Deeper answers stay in sight.
DEEPEST_INDENT = 8
# Who captured a page, if that was not everlog.
WHO = {"memento": "a web archive", "import": "another program"}


@takes("archive config json quiet verbose")
def show(
    url: Annotated[str, typer.Argument(metavar="URL", help="The address of a post.")],
    html: Annotated[bool, typer.Option("--html", help="The article as cleaned HTML.")] = False,
    versions: Annotated[
        bool, typer.Option("--versions", help="Its versions: when each was read, what changed; with --json all whole."),
    ] = False,
    original: Annotated[bool, typer.Option(
        "--original", help="The page as it was, in your web browser; served on this machine until Ctrl-C.",
    )] = False,
    *, given: Flags,
) -> None:
    """Print one post, as text; with --original, open its page as it was.

    \b
    Examples:
      everlog show https://a.blog.example/2024/05/a-post/
      everlog show https://a.blog.example/2024/05/a-post/ --json
      everlog show https://a.blog.example/2024/05/a-post/ --versions
      everlog show https://a.blog.example/2024/05/a-post/ --original
    """
    if original:
        _refuse_beside_original({"--html": html, "--versions": versions, "--json": given.json})
        from everlog.cli.commands.serve import show_original

        show_original(url, given)
        return
    with archive_of(given.settings(), reading=True, quiet=given.quiet) as opened:
        if versions:
            _show_versions(versions_of(url, opened, as_read=not (given.json or html)), given, html=html)
            return
        post = opened.posts.find(url)
    if post is None:
        raise not_here(url)
    if given.json:
        print(json_text(post.to_dict(), ensure_ascii=False, indent=1))
    elif html:
        print(harmless_html(post.html))
    else:
        _print_post(post)


def _refuse_beside_original(flags: dict[str, bool]) -> None:
    for flag, is_given in flags.items():
        if is_given:
            raise UsageError(f"{flag} and --original cannot be combined", advice="leave out one of them")


def versions_of(url: str, archive: Archive, *, as_read: bool) -> tuple[Version, ...]:
    """All versions of a post; an error with advice if there is none."""
    found = archive.posts.history(url, as_read=as_read)
    if not found:
        raise not_here(url)
    return found


def not_here(url: str) -> UsageError:
    """What is said of an address at which the archive has no post."""
    return UsageError(
        f"no post at {url} in this archive",
        advice="everlog export --format csv  lists all; everlog status BLOG says what is missing and why",
    )


def read_when(moment: datetime, *, exactly: bool) -> str:
    """When a version was read: for people on a terminal as they say it, to the second where it is kept or asked for."""
    exact = moment.strftime("%Y-%m-%d %H:%M:%S UTC")
    return exact if exactly or not sys.stdout.isatty() else ago(moment, datetime.now(UTC))


def seen_when(version: Version, *, exactly: bool) -> str:
    """When a version was read or, if others captured it, when they did."""
    post = version.post
    if post.captured is None:
        return f"read {read_when(version.read_at, exactly=exactly)}"
    return f"captured {read_when(post.captured, exactly=exactly)} by {WHO[post.origin]}"


def summary_of(changes: Changes, *, is_same_page: bool) -> str:
    """What changed, and whether it was the author at all: a page that is read by better rules says something else."""
    by_rules = is_same_page and (changes.fields or not changes.text.is_empty)
    return changes.summary() + (" (the same page, read by other rules)" if by_rules else "")


def _show_versions(found: tuple[Version, ...], given: Flags, *, html: bool) -> None:
    if given.json:
        plain = [each.post.to_dict() | {"read_at": each.read_at.isoformat()} for each in found]
        print(json_text(plain, ensure_ascii=False, indent=1))
    elif html:
        for each in found:
            print(harmless_html(each.post.html))
    else:
        for line in _version_lines(found, exactly=given.verbose):
            print_wrapped(line, hanging=INDENT)
        if not given.quiet:
            print(f"\nwhat changed:  everlog diff {found[-1].post.url}   all versions whole: --json", file=sys.stderr)


def _version_lines(found: tuple[Version, ...], *, exactly: bool) -> list[str]:
    from everlog.versions import compare

    def when(version: Version) -> str:
        return seen_when(version, exactly=exactly).removeprefix("read ")

    lines = [f"version {found[0].post.version}  {when(found[0])}  as it was found"]
    for before, each in pairwise(found):
        summary = summary_of(compare(before.post, each.post), is_same_page=each.same_page)
        lines.append(f"version {each.post.version}  {when(each)}  {summary}")
    return lines


def _print_post(post: Post) -> None:
    head = [post.title or post.url]
    line = ", ".join(filter(None, [", ".join(post.authors), _day(post.published), post.language]))
    head += [line] if line else []
    head += ["tags: " + ", ".join(post.tags)] if post.tags else []
    version = f"  (version {post.version})" if post.version > 1 else ""
    head += [f"{post.url}{version}" + (f"  gone: {post.gone}" if post.gone else "")]
    if post.captured is not None:
        head += [f"captured {_day(post.captured)} by {WHO[post.origin]}"]
    for text in (*head, "", post.text):
        print_wrapped(text)
    _print_comments(post)


def _print_comments(post: Post) -> None:
    """The comments below the article, answers set in below what they answer."""
    from everlog.comments.threads import depths

    claimed = post.comment_count_claimed
    if not post.comments:
        whys = {"failed": "its comments could not be fetched", "off": "its comments were not collected"}
        why = whys.get(post.comments_state) or (f"none of its {claimed} comments was found" if claimed else "")
        if why:
            print_wrapped(f"\n({why})\n")
        return
    count = f"{len(post.comments)} comments" + (f" of {claimed}" if claimed not in {None, len(post.comments)} else "")
    print_wrapped(f"\n-- {count}\n")
    for comment, depth in zip(post.comments, depths(post.comments), strict=True):
        margin = INDENT * min(depth, DEEPEST_INDENT)
        said_by = ", ".join(filter(None, [comment.author or "somebody", _day(comment.published)]))
        print_wrapped(f"{said_by}:", margin=margin)
        print_wrapped(comment.text, margin=margin + INDENT)
        print()


def _day(moment: datetime | None) -> str | None:
    return moment.strftime("%Y-%m-%d") if moment else None
