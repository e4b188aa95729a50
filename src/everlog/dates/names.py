"""What a language calls its months, and in which order it writes a numeric date."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from everlog.core.words import fold

# Spellings that people use and the Unicode tables of months do not list.
_ALSO: Mapping[str, Mapping[str, int]] = {
    # The months of Syria, Lebanon and Iraq, then those of Algeria and Tunisia, then Morocco's own.
    "ar": {
        "كانون الثاني": 1, "شباط": 2, "آذار": 3, "نيسان": 4, "أيار": 5, "حزيران": 6, "تموز": 7, "آب": 8, "أيلول": 9,
        "تشرين الأول": 10, "تشرين الثاني": 11, "كانون الأول": 12,
        "جانفي": 1, "فيفري": 2, "أفريل": 4, "ماي": 5, "جوان": 6, "جويلية": 7, "أوت": 8,
        "يوليوز": 7, "غشت": 8, "شتنبر": 9, "نونبر": 11, "دجنبر": 12,
    },
    "en": {"sept": 9},
    # "22 במרץ 2023": "in" is written together with the name, as the long dates of the tables have it.
    "he": {
        f"ב{name}": number
        for number, name in enumerate(
            "ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר".split(), 1
        )
    },
    "de": {"jänner": 1, "jaenner": 1, "feber": 2, "mrz": 3, "maerz": 3},
    "es": {"setiembre": 9, "set": 9},
    "id": {"agt": 8, "ags": 8, "nop": 11},
    "vi": {
        f"tháng {name}": number
        for number, name in enumerate(
            ("một", "hai", "ba", "tư", "năm", "sáu", "bảy", "tám", "chín", "mười", "mười một", "mười hai"), 1
        )
    },
}
# "Mar" and "Sept" are cut from the names; fewer letters are no longer a name.
_SHORTEST_CUT = 3
_LONGEST_CUT = 4


@dataclass(frozen=True, slots=True)
class Names:
    """The folded month names of a language; `phrases` are those of several words.

    `numbered` languages also write a number with a word for "month": 3月, 3월, tháng 3.
    """

    locale: str
    months: Mapping[str, int]
    phrases: tuple[str, ...]
    day_first: bool
    numbered: bool


@lru_cache(maxsize=256)
def names_of(language: str) -> Names:
    """The names of a language; of English where the language is not known.

    >>> names_of("de").months["märz"], names_of("en-US").day_first, names_of("en-GB").day_first
    (3, False, True)
    """
    locale = _locale(language)
    months: dict[str, int] = dict(_ALSO.get(locale.language, {}))
    for number, name in _own_names(locale):
        for spelling in _spellings(name):
            months.setdefault(spelling, number)
    for cut, number in _cuts(months).items():
        months.setdefault(cut, number)
    return Names(
        locale=str(locale),
        months={name.replace(" ", "_"): number for name, number in months.items()},
        phrases=tuple(sorted((name for name in months if " " in name), key=len, reverse=True)),
        day_first=_day_first(locale),
        numbered=locale.language == "zh" or any(map(str.isdigit, locale.months["format"]["wide"][1])),
    )


def primary(language: str) -> str:
    """The language without its region, lower case.

    >>> primary("pt-BR"), primary("zh_Hant_TW")
    ('pt', 'zh')
    """
    return re.split(r"[-_]", language.strip(), maxsplit=1)[0].lower()


def is_known(language: str) -> bool:
    """Whether the tables know this language.

    >>> is_known("pt-BR"), is_known("tlh-AA"), is_known("")
    (True, False, False)
    """
    from babel.localedata import exists  # noqa: PLC0415 - 60 ms that pages with machine dates never need

    return bool(language.strip()) and exists(primary(language))


def _locale(language: str) -> Any:
    from babel import Locale  # noqa: PLC0415 - as above
    from babel.core import UnknownLocaleError  # noqa: PLC0415

    for tag in (language, primary(language)):
        try:
            return Locale.parse(tag.replace("_", "-"), sep="-")
        except (UnknownLocaleError, ValueError, TypeError):
            continue
    return Locale("en")


def _own_names(locale: Any) -> Iterator[tuple[int, str]]:
    wide = locale.months["format"]["wide"]
    yield from wide.items()
    for context, width in (
        ("format", "abbreviated"),
        ("stand-alone", "wide"),
        ("stand-alone", "abbreviated"),
    ):
        for number, name in locale.months[context][width].items():
            if is_kin(name, wide[number]):
                yield number, name


def is_kin(name: str, wide: str) -> bool:
    """Whether two names of a month can be of one language.

    Babel 2.18 fills the forms a locale does not have of its own with those of whichever locale was
    loaded first; and "listopad" is October in one language and November in the next.

    >>> is_kin("январь", "января"), is_kin("listopad", "studenoga")
    (True, False)
    """
    return _bare(name)[:2] == _bare(wide)[:2]


def _bare(name: str) -> str:
    """A folded name without the "of" that some languages write before it: `d’abril`."""
    return re.sub(r"^(?:de |d['’])", "", fold(name).strip()).strip(".")


def _spellings(name: str) -> set[str]:
    folded = _bare(name)
    # Names such as "3月" are numbers; the numeric forms read them.
    if re.search(r"\d", folded) or len(folded) < 2:
        return set()
    plain = "".join(c for c in unicodedata.normalize("NFD", folded) if unicodedata.category(c) != "Mn")
    return {folded, plain} if plain.isascii() else {folded}


def _cuts(months: Mapping[str, int]) -> dict[str, int]:
    cuts: dict[str, set[int]] = {}
    for name, number in months.items():
        for size in range(_SHORTEST_CUT, _LONGEST_CUT + 1):
            if len(name) > size and " " not in name:
                cuts.setdefault(name[:size], set()).add(number)
    return {cut: numbers.pop() for cut, numbers in cuts.items() if len(numbers) == 1}


def _day_first(locale: Any) -> bool:
    pattern = locale.date_formats["short"].pattern
    return bool(pattern.find("d") < pattern.find("M"))
