"""What changed between two texts: lines first, then words within the lines that changed, in any language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from everlog.core.words import UNSPACED
from everlog.versions.sequence_alignment import shared_runs

# Signs are words of their own, so that a comma does not change the word before it. Marks that belong to letters
# (vowels of Indian scripts, joiners) are no signs.
_SIGNS = (
    "!-/:-@\\[-^`{-~\u00a1-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u2010-\u206f\u2190-\u27bf\u3001-\u303f\uff01-\uff0f"
)
# With the white space behind it. Each alternative begins with another kind of character: there is one way to match.
_UNIT = re.compile(rf"(?:[^\s{_SIGNS}{UNSPACED}]+|[{UNSPACED}]|[{_SIGNS}])\s*|\s+")
# Soft hyphens, spaces and joiners of no width, byte order marks, marks of direction: nobody sees them come and go.
# (U+200C and U+200D stay: they change how the letters beside them look.)
_UNSEEN = dict.fromkeys((
    0x00AD, 0x061C, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), 0x2060, *range(0x2066, 0x206A), 0xFEFF,
))
_LINE = re.compile(r"[^\n]*\n\s*|[^\n]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece of both texts that is the same (but for white space), or what stands in the old and the new one there."""

    old: str
    new: str
    same: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TextChanges:
    """Two texts in pieces: all `old` in order are the old text, all `new` the new one."""

    pieces: tuple[Piece, ...] = ()

    @property
    def words_added(self) -> int:
        return sum(count_words(piece.new) for piece in self.pieces if not piece.same)

    @property
    def words_removed(self) -> int:
        return sum(count_words(piece.old) for piece in self.pieces if not piece.same)

    @property
    def is_empty(self) -> bool:
        return all(piece.same for piece in self.pieces)


def compare_texts(old: str, new: str) -> TextChanges:
    """The pieces that two texts share and those in which they differ.

    >>> for piece in compare_texts("The sea was calm. We slept.", "The sea was wild. We slept.").pieces:
    ...     print(repr(piece.old), repr(piece.new), piece.same)
    'The sea was ' 'The sea was ' True
    'calm' 'wild' False
    '. We slept.' '. We slept.' True
    """
    if is_same_text(old, new):
        return TextChanges(pieces=(Piece(old=old, new=new, same=True),) if old or new else ())
    return TextChanges(pieces=tuple(_joined(_by_lines(_LINE.findall(old), _LINE.findall(new)))))


def is_same_text(old: str, new: str) -> bool:
    """Whether two texts differ in nothing that anybody sees but white space between words and signs.

    >>> is_same_text("so , it ", "so, it"), is_same_text("alot", "a lot")
    (True, False)
    """
    if old == new:
        return True
    before, now = as_seen(old), as_seen(new)
    return before.replace(" ", "") == now.replace(" ", "") and units_of(before) == units_of(now)


def as_seen(text: str) -> str:
    """A text as readers see it: white space is one space, and what has no looks is not there.

    >>> as_seen("a  so\u00adft\u200e day ")
    'a soft day'
    """
    return " ".join(unicodedata.normalize("NFC", text).translate(_UNSEEN).split())


def units_of(text: str) -> list[str]:
    """The words and signs of a text, without what parts them; one by one where a script does not part words.

    >>> units_of("No, 世界!  Don't")
    ['No', ',', '世', '界', '!', 'Don', "'", 't']
    """
    return [unit.rstrip() for unit in _UNIT.findall(text) if not unit.isspace()]


def count_words(text: str) -> int:
    """How many words a text has, signs not counted.

    >>> count_words("No, 世界!"), count_words("...")
    (3, 0)
    """
    return sum(unit[0].isalnum() for unit in _UNIT.findall(text))


def _by_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[Piece]:
    """Equal lines whole, others word by word."""
    for same, before, now in _parts(old, new, [" ".join(line.split()) for line in old],
                                    [" ".join(line.split()) for line in new]):
        if same or not (before and now):
            yield Piece(old="".join(before), new="".join(now), same=same)
        else:
            yield from _readable(_by_words("".join(before), "".join(now)))


def _by_words(before: str, now: str) -> Iterator[Piece]:
    old, new = _UNIT.findall(before), _UNIT.findall(now)
    parts = _parts(old, new, [unit.rstrip() for unit in old], [unit.rstrip() for unit in new])
    return (Piece(old="".join(left), new="".join(right), same=same) for same, left, right in parts)


def _parts(
    old: Sequence[str], new: Sequence[str], old_keys: Sequence[str], new_keys: Sequence[str],
) -> Iterator[tuple[bool, Sequence[str], Sequence[str]]]:
    """What is shared (by its key) and what stands between, in turn."""
    at = place = 0
    for run in shared_runs(old_keys, new_keys):
        if at < run.old or place < run.new:
            yield False, old[at:run.old], new[place:run.new]
        at, place = run.old + run.length, run.new + run.length
        yield True, old[run.old:at], new[run.new:place]
    if at < len(old) or place < len(new):
        yield False, old[at:], new[place:]


def _readable(pieces: Iterable[Piece]) -> list[Piece]:
    """Where little that is the same stands between two longer changes, one change: nobody reads confetti."""
    read: list[Piece] = []
    for piece in pieces:
        read.append(piece)
        while len(read) > 2 and not read[-1].same and _is_confetti(*read[-3:]):
            left, same, right = read[-3:]
            read[-3:] = [Piece(old=left.old + same.old + right.old, new=left.new + same.new + right.new)]
    return read


def _is_confetti(left: Piece, same: Piece, right: Piece) -> bool:
    size = 2 * len(same.new.strip())
    return same.same and not left.same and size <= _size(left) and size <= _size(right)


def _size(piece: Piece) -> int:
    return max(len(piece.old.strip()), len(piece.new.strip()))


def _joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Neighbours of one kind as one piece."""
    kind: bool | None = None
    old: list[str] = []
    new: list[str] = []
    for piece in pieces:
        # White space that comes or goes changes nothing, wherever it stands.
        same = piece.same or not (piece.old.strip() or piece.new.strip())
        if same is not kind and kind is not None:
            yield Piece(old="".join(old), new="".join(new), same=kind)
            old, new = [], []
        kind = same
        old.append(piece.old)
        new.append(piece.new)
    yield Piece(old="".join(old), new="".join(new), same=bool(kind))
