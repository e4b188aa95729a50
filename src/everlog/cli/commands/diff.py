"""The command that shows what changed between two versions of a post."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from everlog.cli.commands.show import seen_when, summary_of, versions_of
from everlog.cli.flags import Flags, takes
from everlog.cli.options import archive_of
from everlog.cli.terminal.text import json_text
from everlog.cli.terminal.wrapping import print_styled, print_wrapped
from everlog.core.terminal import harmless
from everlog.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from everlog.archive.models import Version
    from everlog.records import Comment
    from everlog.versions import Changes, Piece, TextChanges

    Kind = Literal["plain", "faint", "added", "removed"]

# Around what changed, where letters have no colour; and the colours where they have.
BRACKETS = {"added": ("{+", "+}"), "removed": ("[-", "-]")}
STYLES = {"plain": "", "faint": "dim", "added": "green", "removed": "red strike"}
LEFT_OUT = "[...]"
INDENT = "  "


class Shown(NamedTuple):
    """Some letters of the answer, and how they are marked."""

    text: str
    kind: Kind = "plain"


@takes("archive config json quiet verbose")
def diff(
    post: Annotated[str, typer.Argument(metavar="POST", help="The address of a post.")],
    first: Annotated[
        int | None, typer.Option("--from", metavar="N", help="The older version (default: the previous one)."),
    ] = None,
    last: Annotated[
        int | None, typer.Option("--to", metavar="N", help="The newer version (default: the latest one)."),
    ] = None,
    *, given: Flags,
) -> None:
    """Show what changed between two versions of a post: fields, text and comments.

    Removed words are [-like this-], added ones {+like this+}, in colours on a terminal. Of the text only the
    paragraphs around a change are shown; -v shows all of it.

    \b
    Examples:
      everlog diff https://a.blog.example/2024/05/a-post/
      everlog diff https://a.blog.example/2024/05/a-post/ --from 1 --to 3
    """
    with archive_of(given.settings(), reading=True, quiet=given.quiet) as opened:
        found = versions_of(post, opened, as_read=True)
    newer = _numbered(last, found) if last is not None else found[-1]
    older = _numbered(first, found) if first is not None else found[max(0, found.index(newer) - 1)]
    from everlog.versions import compare

    changes = compare(older.post, newer.post)
    if given.json:
        print(json_text(_plain(older, newer, changes), ensure_ascii=False, indent=1))
    elif len(found) == 1:
        print_wrapped(f"{newer.post.url}\nonly one version, {seen_when(newer, exactly=given.verbose)}")
    else:
        _print([*_head(older, newer, changes, exactly=given.verbose), *_body(changes, whole=given.verbose)])


def _numbered(number: int, found: tuple[Version, ...]) -> Version:
    for each in found:
        if each.post.version == number:
            return each
    raise UsageError(
        f"no version {number} of {found[-1].post.url}",
        advice=f"it has {len(found)}:  everlog show {found[-1].post.url} --versions",
    )


def _head(older: Version, newer: Version, changes: Changes, *, exactly: bool) -> Iterator[Shown]:
    yield Shown(f"{newer.post.url}\n")
    for each in (older, newer):
        yield Shown(f"version {each.post.version}, {seen_when(each, exactly=exactly)}\n")
    is_same_page = older.post.warc is not None and older.post.warc == newer.post.warc
    yield Shown(f"changed: {summary_of(changes, is_same_page=is_same_page)}\n")


def _body(changes: Changes, *, whole: bool) -> Iterator[Shown]:
    for change in changes.fields:
        yield Shown(f"\n{change.name}: ")
        for value, kind in ((change.old, "removed"), (change.new, "added")):
            if text := _value(value):
                yield Shown(text, "removed" if kind == "removed" else "added")
        yield Shown("\n")
    if not changes.text.is_empty:
        yield Shown("\n-- text\n\n")
        yield from _text(changes.text, whole=whole)
        yield Shown("\n")
    comments = changes.comments
    if not comments.is_empty:
        yield Shown("\n-- comments\n")
    for comment in comments.removed:
        yield from _comment(comment, "removed", [Shown(comment.text, "removed")])
    for comment in comments.added:
        yield from _comment(comment, "new", [Shown(comment.text, "added")])
    for edited in comments.edited:
        renamed = f" (before: {edited.old.author or 'unknown'})" if edited.old.author != edited.new.author else ""
        yield from _comment(edited.new, f"edited{renamed}", _text(edited.text, whole=True))


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(value)
    return "" if value is None else str(value)


def _comment(comment: Comment, what: str, said: Iterable[Shown]) -> Iterator[Shown]:
    day = comment.published.strftime("%Y-%m-%d") if comment.published else None
    yield Shown("\n" + ", ".join(filter(None, [comment.author or "somebody", day])) + f", {what}:\n{INDENT}")
    for each in said:
        yield each._replace(text=each.text.replace("\n", "\n" + INDENT))
    yield Shown("\n")


def _text(changes: TextChanges, *, whole: bool) -> Iterator[Shown]:
    last = len(changes.pieces) - 1
    for number, piece in enumerate(changes.pieces):
        if piece.same:
            yield from _unchanged(piece.new, after=number > 0, before=number < last, whole=whole)
        else:
            yield from _changed(piece)


def _unchanged(text: str, *, after: bool, before: bool, whole: bool) -> Iterator[Shown]:
    """What did not change: whole, or the rest of the paragraph after a change and the start of that before one."""
    paragraphs = text.split("\n\n")
    if whole or len(paragraphs) <= after + before:
        yield Shown(text)
        return
    left_out = Shown(LEFT_OUT, "faint")
    if after:
        yield Shown(paragraphs[0] + "\n\n")
    yield left_out
    if before:
        yield Shown("\n\n" + paragraphs[-1])


def _changed(piece: Piece) -> Iterator[Shown]:
    """What was there, what is there; white space at the ends stays outside of the marks."""
    old, new = piece.old.strip(), piece.new.strip()
    space = piece.new or piece.old
    yield Shown(space[:len(space) - len(space.lstrip())] if space.strip() else "")
    if old:
        yield Shown(old, "removed")
    if new:
        yield Shown(new, "added")
    yield Shown(space[len(space.rstrip()):])


def _print(shown: Iterable[Shown]) -> None:
    # What only strangers' control characters would be in is left out, marks and all.
    clean = [each for each in (each._replace(text=harmless(each.text)) for each in shown) if each.text]
    has_colours = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    if not has_colours:
        clean = [each._replace(text=each.text.join(BRACKETS.get(each.kind, ("", "")))) for each in clean]
    if not sys.stdout.isatty():
        print("".join(text for text, _ in clean), end="")
        return
    from rich.text import Text

    styled = Text.assemble(*((text, STYLES[kind] if has_colours else "") for text, kind in clean))
    styled.rstrip()
    print_styled(styled)


def _plain(older: Version, newer: Version, changes: Changes) -> dict[str, Any]:
    """The answer as JSON has it; the text in pieces, whose old and new parts in a row are the two texts."""
    comments = changes.comments
    return {
        "url": newer.post.url,
        "from": {"version": older.post.version, "read_at": older.read_at.isoformat()},
        "to": {"version": newer.post.version, "read_at": newer.read_at.isoformat()},
        "summary": changes.summary(),
        "fields": {change.name: {"old": _json(change.old), "new": _json(change.new)} for change in changes.fields},
        "text": {
            "words_added": changes.text.words_added, "words_removed": changes.text.words_removed,
            "pieces": _pieces(changes.text),
        },
        "comments": {
            "added": [_plain_comment(comment) for comment in comments.added],
            "removed": [_plain_comment(comment) for comment in comments.removed],
            "edited": [
                {"old": _plain_comment(each.old), "new": _plain_comment(each.new), "pieces": _pieces(each.text)}
                for each in comments.edited
            ],
        },
    }


def _pieces(changes: TextChanges) -> list[dict[str, Any]]:
    return [{"old": piece.old, "new": piece.new, "same": piece.same} for piece in changes.pieces]


def _plain_comment(comment: Comment) -> dict[str, Any]:
    return {
        "id": comment.id, "author": comment.author, "published": _json(comment.published), "text": comment.text,
    }


def _json(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return value.isoformat() if hasattr(value, "isoformat") else value
