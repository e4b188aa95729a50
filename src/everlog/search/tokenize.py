"""Text cut for an index, in any language.

Scripts with blanks between words are cut at what is no letter. In those without, nobody knows the words
before they are asked for, so each character is indexed together with its next one (the last of a run
alone): two characters are one look-up, more are a phrase, and one is the beginning of a pair.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from everlog.core.words import UNSPACED, fold

# Changes whenever the same text is cut otherwise: an index of other pieces has to be made anew.
CUT = 2
# What letters are, and how they are taken apart, Unicode says: another Python may know another one.
KIND = f"{CUT}/{unicodedata.unidata_version}"

# What `words.UNSPACED` has, and Lao, Burmese, Khmer, jamo, bopomofo, small kana, iteration marks, rare Han.
# Pictures too: they stand beside each other without blanks, and are looked for one by one.
_PAIRED = (
    rf"{UNSPACED}\u0e80-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u19e0-\u19ff\u3005-\u3007\u3100-\u318f"
    r"\u31f0-\u31ff\ua960-\ua97f\ua9e0-\ua9ff\uaa60-\uaa7f\ud7b0-\ud7ff\u2600-\u27bf"
    "\U0001f000-\U0001faff\U00020000-\U000323af"
)
# A dot between katakana names parts them like a blank.
PAIRED = _PAIRED.replace("\u3040-\u30ff", "\u3040-\u30fa\u30fc-\u30ff")
# Vowel signs that Python takes for no part of a word: Thaana, the scripts of India, Tibetan.
SIGNS = "\u0780-\u07b1\u0900-\u0963\u0966-\u096f\u0971-\u0df3\u0f18-\u0f39\u0f71-\u0f84\u0f86-\u0fbc"
# Accents, points, and what cannot be seen (soft hyphens, joiners): a word is the same without them.
_DROPPED = (
    "\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f"
    "\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u2060-\u2064\u20d0-\u20f0\ufe00-\ufe0f\ufe20-\ufe2f\ufeff"
)
# Letters that Unicode does not take apart, and people type without their strokes.
_STROKES = (("ł", "l"), ("ø", "o"), ("đ", "d"), ("ħ", "h"), ("ŧ", "t"), ("ı", "i"), ("æ", "ae"), ("œ", "oe"))
LETTER = rf"(?:[^\W_{PAIRED}]|[{SIGNS}])"

# All that has something dropped in it: Latin, Greek and Cyrillic letters, Arabic ones with a hamza or madda, signs
# struck through (all code points were tried). It stays all: letters that Unicode gains are taken apart by `fold`.
_ACCENTED = re.compile(f"[\u00c0-\u052f\u0622-\u0626\u06c0-\u06d3\u1e00-\u1fff\u219a-\u22ed{_DROPPED}]")
_DROP = re.compile(f"[{_DROPPED}]+")
_RUN = re.compile(f"[{PAIRED}]+")
# Signs of ASCII part words by themselves, in whatever index.
_PARTING = re.compile(rf"[^\x00-\x7f\w{PAIRED}{SIGNS}]+")
_UNIT = re.compile(rf"({LETTER}+)|([{PAIRED}]+)")


def plain(text: str) -> str:
    """One spelling for letters that a searcher takes for the same: without case, accents, widths.

    >>> plain("Ｃａｆé Łódź, naïve STRASSE, 한국")
    'cafe lodz, naive strasse, 한국'
    """
    folded = fold(text)
    # Without any of them nothing is changed below: what becomes of a letter is up to it, not to its neighbours.
    if folded.isascii() or not _ACCENTED.search(folded):
        return folded
    bare = unicodedata.normalize("NFC", _DROP.sub("", unicodedata.normalize("NFD", folded)))
    for letter, common in _STROKES:
        if letter in bare:
            bare = bare.replace(letter, common)
    return bare


def pieces(text: str) -> str:
    """A text as it goes into an index: its pieces, parted by blanks or signs of ASCII.

    >>> pieces("Das Café in 東京都 (2024)")
    'das cafe in  東京 京都 都  (2024)'
    """
    found = plain(text)
    if found.isascii():
        return found
    return _RUN.sub(_pairs, _PARTING.sub(" ", found))


def _pairs(run: re.Match[str]) -> str:
    characters = run[0]
    if len(characters) == 1:
        return f" {characters} "
    pairs = map(str.__add__, characters, characters[1:])
    return f" {' '.join(pairs)} {characters[-1]} "


@lru_cache(maxsize=256)
def units(text: str) -> tuple[str, ...]:
    """The words of what is looked for; a run of a script without blanks is one.

    >>> units("Don't panic, 東京都!")
    ('don', 't', 'panic', '東京都')
    """
    return tuple(word or run for word, run in _UNIT.findall(plain(text)))


def is_paired(unit: str) -> bool:
    """Whether a unit is of a script without blanks.

    >>> is_paired("東京"), is_paired("tokyo")
    (True, False)
    """
    return _RUN.match(unit) is not None


def looked_up(found: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """The pieces under which units stand in an index, in their order; whether the last is only a beginning.

    >>> looked_up(("night", "train"))
    (('night', 'train'), False)
    >>> looked_up(("東京都",)), looked_up(("都",))
    ((('東京', '京都'), False), (('都',), True))
    """
    asked: list[str] = []
    beginning = False
    for place, unit in enumerate(found):
        if not is_paired(unit):
            asked.append(unit)
            continue
        asked += map(str.__add__, unit, unit[1:])
        # Inside a phrase a run ends where it ends; at its end the text may go on.
        is_last = place == len(found) - 1
        beginning = is_last and len(unit) == 1
        if not is_last or beginning:
            asked.append(unit[-1])
    return tuple(asked), beginning
