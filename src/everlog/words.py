"""Text as everlog compares it: folded words, and single characters where words are not parted."""

from __future__ import annotations

import re
import unicodedata

# Scripts written without spaces (Thai, kana, Han, Hangul syllables): each character counts as a
# word, or a whole sentence would be one word that never matches.
UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"

_WORD = re.compile(rf"[^\W{UNSPACED}]+|[{UNSPACED}]")
_ASCII_WORD = re.compile(r"\w+", re.ASCII)
_UNSPACED = re.compile(rf"[{UNSPACED}]")


def fold(text: str) -> str:
    """One spelling for letters that mean the same.

    >>> fold("Ｓtraße")
    'strasse'
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold()


def words(text: str) -> list[str]:
    """The folded words of a text.

    >>> words("Don't panic, 世界!")
    ['don', 't', 'panic', '世', '界']
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    return _WORD.findall(fold(text))


def is_unspaced(text: str) -> bool:
    """Whether most of a text is in a script without spaces between words.

    >>> is_unspaced("你好，你好世界 world"), is_unspaced("hello 你")
    (True, False)
    >>> is_unspaced("今日はいい天気です")
    True
    """
    letters = sum(map(str.isalpha, text))
    return letters > 0 and len(_UNSPACED.findall(text)) * 3 > letters


def squeeze(text: str) -> str:
    """White space collapsed to single blanks, ends cut.

    >>> squeeze("  a \\n b ")
    'a b'
    """
    return " ".join(text.split())


def comparable(text: str) -> str:
    """A short text as it is compared with another: folded, without punctuation.

    >>> comparable("  Hello,   World! ")
    'hello world'
    """
    return " ".join(words(text.replace("_", " ")))
