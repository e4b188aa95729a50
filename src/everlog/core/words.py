"""Text as everlog compares it: folded words, and single characters where words are not parted."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Scripts written without spaces (Thai, kana, Han, Hangul syllables): each character counts as a
# word, or a whole sentence would be one word that never matches.
UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"

_WORD = re.compile(rf"[^\W{UNSPACED}]+|[{UNSPACED}]")
# Signs between the letters of texts that are otherwise plain (NFKC has made blanks and dots of others).
_COMMON_SIGNS = "«»·°©®§¡¿–—‘’“”„•→×÷"
_WORD_BYTES = {*b"0123456789_abcdefghijklmnopqrstuvwxyz", *range(0x80, 0x100)}
_TO_BLANKS = bytes(byte if byte in _WORD_BYTES else 0x20 for byte in range(256))
_TO_BLANKS_BUT_NUL = b"\0" + _TO_BLANKS[1:]
# ASCII, continuation bytes, and those first bytes behind which stand letters alone: Latin to U+02BF,
# most of Cyrillic, a row of Arabic (all code points were tried). Other scripts mix in signs and points.
_CERTAIN_BYTES = bytes([*range(0x80), *range(0x80, 0xC0), *range(0xC3, 0xCB), 0xD0, 0xD1, 0xD3, 0xDA])
_UNSPACED = re.compile(rf"[{UNSPACED}]")


def fold(text: str) -> str:
    """One spelling for letters that mean the same.

    >>> fold("Ｓtraße")
    'strasse'
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold()


def _split(text: str, table: bytes = _TO_BLANKS) -> list[str] | None:
    """The words of folded text in scripts with spaces, five times as fast as by pattern; None if unsure.

    Bytes are mapped to blanks by table. That can tell letters from signs only where all bytes
    beyond ASCII belong to letters: two-byte characters from U+00C0 on, and not even all of those.
    """
    if not text.isascii():
        for sign in _COMMON_SIGNS:
            if sign in text:
                text = text.replace(sign, " ")
    raw = text.encode("utf-8", "replace")
    if raw.translate(None, _CERTAIN_BYTES):
        return None
    return raw.translate(table).decode().split()


def words(text: str) -> list[str]:
    """The folded words of a text.

    >>> words("Don't panic, 世界!")
    ['don', 't', 'panic', '世', '界']
    """
    folded = fold(text)
    found = _split(folded)
    return _WORD.findall(folded) if found is None else found


def marked_words(text: str, mark: str) -> list[str]:
    """The folded words of a text in which a mark, a character that is no letter, counts as a word.

    >>> marked_words("One\\0two, 世界", "\\0")
    ['one', '\\x00', 'two', '世', '界']
    """
    folded = fold(text)
    found = _split(folded.replace(mark, f" {mark} "), _TO_BLANKS_BUT_NUL) if mark == "\0" else None
    return _marked(mark).findall(folded) if found is None else found


@lru_cache(maxsize=4)
def _marked(mark: str) -> re.Pattern[str]:
    return re.compile(rf"{_WORD.pattern}|{re.escape(mark)}")


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
