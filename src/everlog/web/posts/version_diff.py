"""Diff of two versions of a post, side by side: paragraphs beside each other, with the words that changed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from everlog.web.mementos.capture_times import day_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from everlog.records import Post
    from everlog.versions import Changes, TextChanges
    from everlog.versions.compare import FieldChange

# Paragraphs that did not change, on both sides of those that did.
AROUND = 1
# Of links, pictures and tags, so many are named on each side.
MOST_NAMED = 50
_PARAGRAPH = re.compile(r"\n\s*\n\s*")

Mark = Literal["same", "del", "ins"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Words of one side: the same on both, or what went or came."""

    text: str
    mark: Mark = "same"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffRow:
    """A paragraph of the older version beside that of the newer one; either may be empty."""

    old: tuple[Span, ...] = ()
    new: tuple[Span, ...] = ()
    is_same: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffBlock:
    """Rows that are shown, or (`is_folded`) rows that are the same on both sides and folded away."""

    rows: tuple[DiffRow, ...]
    is_folded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedField:
    """A field of a post with another value: a text by its words, or what only one of two lists has.

    `kept` is what both lists have: a version with one author is not one without, because another came. Of links and
    pictures, which can be hundreds, only what differs is named (`differs_only`).
    """

    name: str
    old: tuple[Span, ...] = ()
    new: tuple[Span, ...] = ()
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    unnamed: int = 0
    differs_only: bool = False


def text_blocks(changes: TextChanges) -> tuple[DiffBlock, ...]:
    """Two texts side by side; paragraphs that did not change are folded, but for those beside a change.

    >>> from everlog.versions.text_diff import compare_texts
    >>> text = compare_texts("One.\\n\\nTwo.\\n\\nThree.\\n\\nFour five.", "One.\\n\\nTwo.\\n\\nThree.\\n\\nFour six.")
    >>> [(block.is_folded, len(block.rows)) for block in text_blocks(text)]
    [(True, 2), (False, 2)]
    """
    return tuple(_folded(list(_rows(changes))))


def changed_fields(changes: Changes, newer: Post) -> tuple[ChangedField, ...]:
    """The fields that changed up to the newer version: title and dates by their words, lists with what stayed."""
    return tuple(_field(change, newer) for change in changes.fields)


def _rows(changes: TextChanges) -> Iterator[DiffRow]:
    """Paragraphs beside each other. A row ends where both versions end a paragraph at the same place."""
    old: list[Span] = []
    new: list[Span] = []
    for piece in changes.pieces:
        if not piece.same:
            old += _spans(piece.old, "del")
            new += _spans(piece.new, "ins")
            if all(side == "" or _ends_paragraph(side) for side in (piece.old, piece.new)):
                yield _row(old, new)
                old, new = [], []
            continue
        left, right = _PARAGRAPH.split(piece.old), _PARAGRAPH.split(piece.new)
        if len(left) != len(right):
            # They differ in blanks only, and blanks are no change: what it looks like now is what is shown.
            left = right
        for number, (before, now) in enumerate(zip(left, right, strict=True)):
            if number:
                yield _row(old, new)
                old, new = [], []
            old += _spans(before, "same")
            new += _spans(now, "same")
    yield _row(old, new)


def _row(old: Sequence[Span], new: Sequence[Span]) -> DiffRow:
    is_same = all(span.mark == "same" for span in (*old, *new))
    return DiffRow(old=_ended(old), new=_ended(new), is_same=is_same)


def _ended(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Without the blanks at the end of a paragraph."""
    if not spans:
        return ()
    last = replace(spans[-1], text=spans[-1].text.rstrip())
    return (*spans[:-1], last) if last.text else _ended(spans[:-1])


def _spans(text: str, mark: Mark) -> list[Span]:
    return [Span(text=text, mark=mark)] if text else []


def _ends_paragraph(text: str) -> bool:
    return _PARAGRAPH.search(text[len(text.rstrip()):]) is not None


def _folded(rows: list[DiffRow]) -> Iterator[DiffBlock]:
    rows = [row for row in rows if any(span.text.strip() for span in (*row.old, *row.new))]
    changed = [place for place, row in enumerate(rows) if not row.is_same]
    shown = {place + step for place in changed for step in range(-AROUND, AROUND + 1)}
    block: list[DiffRow] = []
    is_folded = False
    for place, row in enumerate(rows):
        folds = place not in shown
        if folds is not is_folded and block:
            yield DiffBlock(rows=tuple(block), is_folded=is_folded)
            block = []
        is_folded = folds
        block.append(row)
    if block:
        yield DiffBlock(rows=tuple(block), is_folded=is_folded)


def _field(change: FieldChange, newer: Post) -> ChangedField:
    from everlog.versions.text_diff import as_seen, compare_texts  # noqa: PLC0415 - see post_page

    old, new = change.old, change.new
    if isinstance(old, tuple) or isinstance(new, tuple):
        removed, added, has = _named(old), _named(new), getattr(newer, change.name, None)
        kept = tuple(each for each in dict.fromkeys(map(as_seen, has or ())) if each not in added)
        return ChangedField(
            name=change.name, removed=removed[:MOST_NAMED], added=added[:MOST_NAMED], kept=kept[:MOST_NAMED],
            unnamed=sum(max(0, len(each) - MOST_NAMED) for each in (removed, added, kept)), differs_only=has is None,
        )
    if isinstance(old, str) and isinstance(new, str):
        pieces = compare_texts(old, new).pieces
        return ChangedField(
            name=change.name,
            old=tuple(span for piece in pieces for span in _spans(piece.old, "same" if piece.same else "del")),
            new=tuple(span for piece in pieces for span in _spans(piece.new, "same" if piece.same else "ins")),
        )
    return ChangedField(
        name=change.name, old=tuple(_spans(_value(old), "del")), new=tuple(_spans(_value(new), "ins")),
    )


def _named(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, tuple) else ()


def _value(value: object) -> str:
    if isinstance(value, datetime):
        return f"{day_in_words(value)}, {value:%H:%M:%S %Z}"
    return "" if value is None else str(value)
