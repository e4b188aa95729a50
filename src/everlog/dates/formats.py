"""A date format: a CLDR-like pattern in a language, which renders days and reads them back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import lru_cache
from typing import Any

from everlog.core.words import fold, squeeze
from everlog.dates.clock import is_afternoon, read_clock
from everlog.dates.names import Names, is_kin, names_of
from everlog.dates.stamps import Stamp, full_year, offset_text, read_offset

_FIELD = re.compile(r"'((?:[^']|'')*)'|do|y+|M+|L+|d+|E+|H+|h+|m+|s+|a|Z+|([^A-Za-z']+)|(.)", re.DOTALL)
# A name of a month in any script, vowel signs included; which words are names the tables say.
WORD = r"[^\s\d.,،/|()\-–—:;·•'’]{2,16}"
# "1st", "1er", "1º", "1-го", "1."
ORDINAL = r"(?:\s?(?:st|nd|rd|th)\b|er\b|re\b|[oaeº°ª]\b|-?го\b|-?е\b|η\b|日|일)?\.?"
_PIECES = {
    "y": r"(?P<y>\d{4})",
    "yy": r"['’]?(?P<y>\d{2})",
    "d": r"(?P<d>\d{1,2})",
    "M": r"(?P<M>\d{1,2})",
    "N": rf"(?:de\s|d['’])?(?P<N>{WORD})\.?",
    "E": r"[^,]{1,30}?",
    "H": r"(?P<H>\d{1,2})",
    "m": r"(?P<m>\d{2})",
    "s": r"(?P<s>\d{2})",
    "a": r"(?P<a>[^\s\d]{1,6}(?:\s?m\.?)?)",
    "Z": r"(?P<Z>[a-z+\-−][\w+:]*)",
}
_NUMBERED = rf"(?:(?P<N>{WORD})|(?:tháng|thg)?\s*(?P<M>\d{{1,2}})\s?[月월]?)\.?"


@dataclass(frozen=True, slots=True)
class DateFormat:
    """A pattern such as `d MMMM y` in a language; its text form is `d MMMM y|de`.

    The letters are those of the Unicode date patterns, `do` is the English ordinal, words stand in
    quotes. A pattern reads its own rendering and every spelling that differs only in white space,
    leading zeros, ordinals, or the width of the month's name.

    >>> DateFormat.parse("d MMMM y|de").read("Geschrieben am 1. März 2019").day
    datetime.date(2019, 3, 1)
    >>> DateFormat("MMMM do, y", "en").render(datetime(2019, 3, 1))
    'March 1st, 2019'
    """

    pattern: str
    locale: str = "en"

    def __str__(self) -> str:
        return f"{self.pattern}|{self.locale}"

    @classmethod
    def parse(cls, text: str) -> DateFormat:
        """The format that `str` wrote."""
        pattern, _, locale = text.rpartition("|")
        return cls(pattern, locale)

    def read(self, text: str) -> Stamp | None:
        """The first date of this format in a text, the time after it included."""
        return next((stamp for _, stamp in self.read_all(prepare(text))), None)

    def read_all(self, prepared: str) -> Iterator[tuple[int, Stamp]]:
        """All dates of this format in a prepared text, with where they start."""
        regex, names = _compiled(self.pattern, self.locale)
        if names is not None and names.phrases:
            prepared = join_phrases(prepared, names)
        for match in regex.finditer(prepared):
            stamp = _stamp(match, names, prepared)
            if stamp is not None:
                yield match.start(), stamp

    def render(self, moment: datetime) -> str:
        """The moment as this format writes it."""
        return "".join(_render(kind, value, moment, self.locale) for kind, value in fields(self.pattern))


def prepare(text: str) -> str:
    """A text as formats read it: folded, white space collapsed."""
    return fold(squeeze(text))


def join_phrases(prepared: str, names: Names) -> str:
    """Month names of several words made one word each."""
    for phrase in names.phrases:
        if phrase in prepared:
            prepared = prepared.replace(phrase, phrase.replace(" ", "_"))
    return prepared


def fields(pattern: str) -> list[tuple[str, str]]:
    """A pattern as fields and literals.

    >>> fields("d 'de' MMMM")
    [('field', 'd'), ('literal', ' '), ('literal', 'de'), ('literal', ' '), ('field', 'MMMM')]
    """
    found = []
    for match in _FIELD.finditer(pattern):
        quoted, plain, other = match.groups()
        if quoted is not None:
            found.append(("literal", quoted.replace("''", "'") or "'"))
        elif plain or other:
            found.append(("literal", plain or other))
        else:
            found.append(("field", match[0]))
    return found


def quote(literal: str) -> str:
    """A literal as it stands in a pattern.

    >>> quote(", "), quote(" de ")
    (', ', "' de '")
    """
    if re.search(r"[A-Za-z']", literal):
        return "'" + literal.replace("'", "''") + "'"
    return literal


@lru_cache(maxsize=4096)
def _compiled(pattern: str, locale: str) -> tuple[re.Pattern[str], Names | None]:
    pieces: list[str] = []
    named = re.search(r"MMM|LLL", re.sub(r"'[^']*'", "", pattern)) is not None
    names = names_of(locale) if named else None
    seen: set[str] = set()
    for kind, value in fields(pattern):
        if kind == "literal":
            pieces.append(_literal(fold(value)))
            continue
        piece = _kind(value)
        if piece in seen:  # a field written twice must not name its group twice
            pieces.append(r"[^\s]+")
            continue
        seen.add(piece)
        pieces.append(_NUMBERED if piece == "N" and names and names.numbered else _PIECES[piece])
        if piece == "d" and named:
            pieces.append(ORDINAL)
    # Every repetition is bounded or followed by a character outside its class: no backtracking blow-up.
    body = "".join(pieces)
    regex = re.compile(rf"(?<!\d){body}(?!\d)" if pieces else r"(?!)")
    return regex, names


def _literal(text: str) -> str:
    core = text.strip()
    if not core:
        return r"\s{1,3}" if text else ""
    return r"\s{0,3}" + r"\s{1,3}".join(map(re.escape, core.split())) + r"\s{0,3}"


def _kind(field: str) -> str:
    letter = field[0]
    if field == "do":
        return "d"
    if letter == "y":
        return "yy" if field == "yy" else "y"
    if letter in "ML":
        return "N" if len(field) > 2 else "M"
    return "H" if letter == "h" else letter


def _stamp(match: re.Match[str], names: Names | None, prepared: str) -> Stamp | None:
    groups = match.groupdict()
    if groups.get("N") and names is not None:
        month = names.months.get(groups["N"].strip("."))
        if month is None:
            return None
    else:
        month = int(groups.get("M") or 1)
    try:
        day = date(full_year(groups["y"]), month, int(groups.get("d") or 1))
    except (ValueError, KeyError):
        return None
    if "H" not in groups:
        return Stamp(day, *read_clock(prepared, match.end()))
    return _with_clock(day, groups)


def _with_clock(day: date, groups: Mapping[str, Any]) -> Stamp:
    hour = int(groups["H"])
    half = groups.get("a")
    if half and hour <= 12:
        hour = hour % 12 + (12 if is_afternoon(half) else 0)
    try:
        clock = time(hour, int(groups.get("m") or 0), int(groups.get("s") or 0))
    except ValueError:
        return Stamp(day)
    return Stamp(day, clock, read_offset(groups.get("Z")))


def _render(kind: str, value: str, moment: datetime, locale: str) -> str:
    if kind == "literal":
        return value
    if value == "do":
        return f"{moment.day}{_english_ordinal(moment.day)}"
    if value[0] == "Z":
        return offset_text(offset) if (offset := read_offset(moment.isoformat()[19:])) else ""
    from babel.dates import format_datetime  # noqa: PLC0415 - only learning renders

    naive, known = moment.replace(tzinfo=None), names_of(locale).locale
    text = str(format_datetime(naive, value, locale=known))
    if value[:3] in {"MMM", "LLL"} and not is_kin(
        text, wide := str(format_datetime(naive, "MMMM", locale=known))
    ):
        return wide
    return text


def _english_ordinal(day: int) -> str:
    if day in {11, 12, 13}:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
