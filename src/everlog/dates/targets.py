"""One moment in all the ways in which a page may show it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache

from everlog.dates.formats import DateFormat, fields
from everlog.dates.names import names_of, primary
from everlog.dates.relative import render_relative

_NUMERIC = tuple(
    pattern.replace("-", mark)
    for mark in "-/."
    for pattern in (
        "y-MM-dd",
        "y-M-d",
        "dd-MM-y",
        "d-M-y",
        "MM-dd-y",
        "M-d-y",
        "dd-MM-yy",
        "MM-dd-yy",
        "yy-MM-dd",
    )
)
_NAMED = (
    "d MMMM y", "d. MMMM y", "d MMM y", "dd MMM y", "MMMM d, y", "MMM d, y", "MMMM d y", "d MMMM, y",
    "d-MMM-y", "y MMMM d", "y, MMMM d", "MMM dd, y", "d LLLL y", "d LLL y", "EEEE, MMMM d, y", "EEE, d MMM y",
    "EEEE d MMMM y", "d MMM ''yy",
)  # fmt: skip
# Where months are numbers with a word, dates are numbers with words.
_NUMBERED = ("y年M月d日", "y年MM月dd日", "y년 M월 d일")
_IBERIAN = ("d 'de' MMMM 'de' y", "MMMM d 'de' y")
_SPECIAL = {
    "en": ("MMMM do, y", "do MMMM y", "do 'of' MMMM y", "EEEE, MMMM do, y"),
    "es": _IBERIAN,
    "pt": _IBERIAN,
    "gl": _IBERIAN,
}
_TIMES = (
    "y-MM-dd HH:mm",
    "y-MM-dd'T'HH:mm:ssZ",
    "EEE, dd MMM y HH:mm:ss Z",
    "d MMMM y HH:mm",
    "MMMM d, y h:mm a",
)
_READABLE = frozenset("yMLdEHhmsaZ")


@lru_cache(maxsize=64)
def usual_formats(language: str) -> tuple[DateFormat, ...]:
    """The formats in which blogs of a language write dates, the language's own first.

    >>> [str(f) for f in usual_formats("de")[:2]]
    ['EEEE, d. MMMM y|de', 'd. MMMM y|de']
    """
    own = _own_patterns(language)
    extra = _SPECIAL.get(primary(language), ())
    named = _NUMBERED if names_of(language).numbered else _NAMED
    patterns = dict.fromkeys((*own, *named, *extra, *_NUMERIC, *_times(language)))
    return tuple(DateFormat(pattern, language) for pattern in patterns if _is_readable(pattern))


def targets(
    moment: datetime, languages: Iterable[str], fetched: datetime | None = None
) -> dict[str, DateFormat | None]:
    """Every text that may show this moment, with its format; relative texts have none.

    A page may show the day at the feed's offset or in UTC: both are rendered.

    >>> texts = targets(datetime(2019, 3, 1, tzinfo=UTC), ["fr"], datetime(2019, 3, 4, tzinfo=UTC))
    >>> str(texts["1 mars 2019"]), "il y a 3 jours" in texts
    ('d MMMM y|fr', True)
    """
    found: dict[str, DateFormat | None] = {}
    moments = [moment, moment.astimezone(UTC)] if moment.tzinfo else [moment]
    for language in languages:
        for shown in moments:
            for form in usual_formats(language):
                found.setdefault(form.render(shown), form)
        if fetched is not None:
            found |= dict.fromkeys(render_relative(moment, fetched, language))
    return found


def _times(language: str) -> tuple[str, ...]:
    numbered = names_of(language).numbered
    return tuple(pattern for pattern in _TIMES if not (numbered and "MMM" in pattern))


def _own_patterns(language: str) -> list[str]:
    from babel import Locale  # noqa: PLC0415 - 60 ms that pages with machine dates never need

    formats = Locale.parse(names_of(language).locale).date_formats
    return [formats[width].pattern for width in ("full", "long", "medium", "short")]


def _is_readable(pattern: str) -> bool:
    letters = [value[0] for kind, value in fields(pattern) if kind == "field"]
    has_unread = any(kind == "literal" and value.isascii() and value.isalpha() and f"'{value}'" not in pattern
                     for kind, value in fields(pattern))  # fmt: skip
    return not has_unread and set(letters) <= _READABLE and {"y", "d"} <= set(letters)
