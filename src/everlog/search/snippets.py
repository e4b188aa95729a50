"""What is shown of a text that was found: a piece of it with the words marked.

Made from the text as it stands in the archive, not from the index, which knows pieces only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from everlog.core.words import is_unspaced, squeeze
from everlog.search.tokenize import LETTER, PAIRED, SIGNS, is_paired, plain, units

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from everlog.search.query import Query, Term

# Text and whether it is marked.
Marked = tuple[tuple[str, bool], ...]

# About two lines of a terminal; signs of scripts without blanks are twice as wide.
WIDTH = 160
MORE = "…"
# A word that stands everywhere: its first places show as much as all of them.
_MOST_PLACES = 500
# As far a cut is moved to fall between words.
_LONGEST_WORD = 24
_GAP = re.compile(r"\s")
# Compiled once: a class of so many scripts takes milliseconds.
_LETTERS = re.compile(f"{LETTER}+")
_NO_LETTER = re.compile(rf"[^\w{PAIRED}{SIGNS}]|_")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where one of the terms stands."""

    start: int
    end: int
    term: int


@dataclass(frozen=True, slots=True)
class Sought:
    """A text, white space collapsed, and where it has what is looked for."""

    text: str
    places: tuple[_Place, ...]

    @property
    def terms(self) -> int:
        """How many of the terms it has."""
        return len({place.term for place in self.places})

    def marked(self) -> Marked:
        """All of it."""
        return _marked(self.text, self.places)

    def snippet(self) -> Marked:
        """The piece that shows most of the terms; the beginning if there is none."""
        text = self.text
        width = WIDTH // 2 if is_unspaced(text[:WIDTH]) else WIDTH
        start, end = _window(text, _best(self.places, width), width)
        inside = [
            _Place(place.start - start, place.end - start, place.term)
            for place in self.places if start <= place.start and place.end <= end
        ]
        pairs = list(_marked(text[start:end].rstrip(), inside))
        if start:
            pairs.insert(0, (MORE, False))
        if end < len(text):
            pairs.append((MORE, False))
        return _joined(pairs)


class Seeker:
    """Finds what a query asks for in texts."""

    def __init__(self, query: Query) -> None:
        self._wanted = [_Wanted(term) for term in query.shown]

    @property
    def size(self) -> int:
        """How many terms it looks for."""
        return len(self._wanted)

    def seek(self, text: str) -> Sought:
        """
        >>> from everlog.search.query import ask
        >>> Seeker(ask("cafe 京都")).seek("Ein Café in 東京都").marked()
        (('Ein ', False), ('Café', True), (' in 東', False), ('京都', True))
        """
        squeezed = squeeze(text)
        folded, starts = _folded(squeezed) if self._wanted else ("", None)
        blanked = _blanked(folded) if any(wanted.is_phrase for wanted in self._wanted) else folded
        found: list[_Place] = []
        for term, wanted in enumerate(self._wanted):
            for start, end in islice(wanted.spans(blanked), _MOST_PLACES):
                if starts is not None:
                    # A sign that became several is marked whole, an accent behind it too.
                    found.append(_Place(starts[start], max(starts[end], starts[end - 1] + 1), term))
                else:
                    found.append(_Place(start, end, term))
        return Sought(squeezed, tuple(sorted(found, key=lambda place: (place.start, -place.end))))


def blogs_meant(term: Term, known: Sequence[tuple[int, str, str]]) -> tuple[int, ...]:
    """Of these blogs (number, home, title) the ones a `blog:` names: by its home, or by a part of home or title.

    >>> from everlog.search.query import ask
    >>> known = [(1, "https://a.example/", "Tides"), (2, "https://a.example/two/", "Night tides")]
    >>> [blogs_meant(ask(text).wanted[0][0], known) for text in ("blog:http://a.example", "blog:two", "blog:tides")]
    [(1,), (2,), (1, 2)]
    """
    homes = [(number, home.partition("://")[2], title) for number, home, title in known]
    exact = tuple(number for number, home, _ in homes if units(home) == term.units)
    wanted = _Wanted(term)
    return exact or tuple(
        number for number, *texts in homes if any(any(wanted.spans(_blanked(_folded(text)[0]))) for text in texts)
    )


class _Wanted:
    """A term, and where it stands in texts that are folded and, if it is a phrase, blanked."""

    def __init__(self, term: Term) -> None:
        self.is_phrase = len(term.units) > 1
        self._is_open = term.beginning
        self._begins_word, self._ends_word = (not is_paired(term.units[place]) for place in (0, -1))
        self._pattern = re.compile(_pattern(term))

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """From where to where, with no letter before the first word or behind the last."""
        at = 0
        while (match := self._pattern.search(text, at)) is not None:
            start, end = match.span()
            at = start + 1
            if self._begins_word and start and _LETTERS.match(text, start - 1, start):
                continue
            if self._ends_word and (more := _LETTERS.match(text, end)):
                if not self._is_open:
                    continue
                end = more.end()
            yield start, end
            at = end


class _Plain(dict[str, str]):
    """Characters as they are compared, found out once each; `odd` are those that become none, or several."""

    def __init__(self) -> None:
        self.odd: set[str] = set()

    def __missing__(self, character: str) -> str:
        found = plain(character)
        # Unicode has ten times as many; what is seldom seen need not be kept.
        if len(self) < 100_000:
            self[character] = found
        if len(found) != 1:
            self.odd.add(character)
        return found


_plain = _Plain()


def _folded(text: str) -> tuple[str, Sequence[int] | None]:
    """A text as it is compared; for each of its characters where it stood, None if nothing moved.

    >>> _folded("Ｓtraße")
    ('strasse', [0, 1, 2, 3, 4, 4, 5, 6])
    """
    if text.isascii():
        return text.lower(), None
    folded = "".join(map(_plain.__getitem__, text))
    if len(folded) == len(text) and _plain.odd.isdisjoint(text):
        return folded, None
    starts = [place for place, character in enumerate(text) for _ in _plain[character]]
    return folded, [*starts, len(text)]


def _blanked(folded: str) -> str:
    """The text with blanks for all that is no letter, each where it stood.

    >>> _blanked("don’t_panic, 東京!")
    'don t panic  東京 '
    """
    return _NO_LETTER.sub(" ", folded)


def _pattern(term: Term) -> str:
    """The units with nothing but blanks between them; letters beyond ASCII around them are not looked at.

    Classes of a few signs only, so that it is compiled at once. No unit has a blank in it: it matches in one way.
    """
    parts: list[str] = []
    was_word = False
    for unit in term.units:
        is_word = not is_paired(unit)
        if parts:
            parts.append(" +" if was_word and is_word else " *")
        parts.append(re.escape(unit))
        was_word = is_word
    if not is_paired(term.units[0]):
        # What may not stand before it is looked for behind it: a pattern that begins with letters is searched
        # for several times as fast.
        parts[0] += f"(?<![a-z0-9]{parts[0]})"
    if was_word and not term.beginning:
        parts.append("(?![a-z0-9])")
    return "".join(parts)


def _best(places: Sequence[_Place], width: int) -> Sequence[_Place]:
    """The places within one width that show most of the terms, then most places; the first such."""
    best: Sequence[_Place] = ()
    most = (0, 0)
    last = 0
    for first, place in enumerate(places):
        last = max(last, first + 1)
        while last < len(places) and places[last].end <= place.start + width:
            last += 1
        inside = places[first:last]
        shows = (len({each.term for each in inside}), len(inside))
        if shows > most:
            best, most = inside, shows
    return best


def _window(text: str, inside: Sequence[_Place], width: int) -> tuple[int, int]:
    """From where to where a text is shown, cut between words where it has some."""
    first, last = (inside[0].start, inside[-1].end) if inside else (0, 0)
    start = max(0, min(first - max(0, width - (last - first)) // 2, len(text) - width))
    end = max(start + width, last)
    if start and (gap := _GAP.search(text, start, min(start + _LONGEST_WORD, first))):
        start = gap.end()
    if end < len(text):
        blank = text.rfind(" ", max(end - _LONGEST_WORD, last), end)
        end = blank if blank > 0 else end
    return start, min(end, len(text))


def _marked(text: str, places: Sequence[_Place]) -> Marked:
    pairs: list[tuple[str, bool]] = []
    at = 0
    for place in places:
        if place.end <= at:
            continue
        start = max(place.start, at)
        pairs += [(text[at:start], False), (text[start : place.end], True)]
        at = place.end
    return _joined([*pairs, (text[at:], False)])


def _joined(pairs: Sequence[tuple[str, bool]]) -> Marked:
    """Without empty pieces, and neighbours of one kind as one."""
    joined: list[tuple[str, bool]] = []
    for text, marked in pairs:
        if text and joined and joined[-1][1] == marked:
            joined[-1] = (joined[-1][0] + text, marked)
        elif text:
            joined.append((text, marked))
    return tuple(joined)
