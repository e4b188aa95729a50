"""Bytes to text: feeds often say one encoding and use another."""

from __future__ import annotations

import codecs
import re
from typing import cast

# Where Unicode has controls that nobody writes, Windows has quotation marks, dashes and the euro sign; five are free.
_WINDOWS = {
    code: mark for code in range(0x80, 0xA0) if (mark := bytes([code]).decode("cp1252", "ignore"))
}
_CONTROL = re.compile("[\x80-\x9f]")
_CONTROL_REFERENCE = re.compile(r"&#(?:(1(?:2[89]|[34][0-9]|5[0-9]))|[xX]0{0,4}([89][0-9a-fA-F]));")

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']?([\w.:-]{1,40})""", re.IGNORECASE)
_CHARSET = re.compile(r"""charset\s*=\s*["']?([\w.:-]{1,40})""", re.IGNORECASE)
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# What people mean by these names: the Windows code page that holds the same letters and more.
_MEANT = {"iso-8859-1": "cp1252", "latin-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252",
          "ascii": "cp1252", "iso-8859-9": "cp1254", "gb2312": "gb18030", "gbk": "gb18030",
          "ks_c_5601-1987": "cp949", "euc-kr": "cp949", "shift_jis": "cp932", "x-sjis": "cp932"}  # fmt: skip
# Encodings in which any bytes, or plain ASCII, mean something else than UTF-8 would say.
_SEVEN_BIT = {"iso-2022-jp", "iso-2022-jp-1", "iso-2022-jp-2", "iso-2022-kr", "hz-gb-2312", "utf-7"}


def decode(body: bytes, content_type: str | None = None) -> str:
    """The text of a feed, without the characters that no XML may hold.

    Valid UTF-8 is UTF-8 whatever the declaration says: text of another encoding is valid UTF-8
    by chance only when it is ASCII, where they agree.

    >>> decode(b'<?xml version="1.0" encoding="iso-8859-1"?><a>caf\\xc3\\xa9</a>')[-8:]
    'café</a>'
    """
    text = with_windows_marks(_decode(body, content_type))
    return _NOT_XML.sub("", text) if _NOT_XML.search(text) else text


def with_windows_marks(text: str) -> str:
    """The text with the marks that were meant by Windows' numbers for them, as characters or as references.

    >>> with_windows_marks("don\x92t, don&#146;t, don&#x92;t")
    'don’t, don’t, don’t'
    """
    if "&#" in text:
        text = _CONTROL_REFERENCE.sub(lambda found: _mark_of(found[1], found[2]) or found[0], text)
    return _CONTROL.sub(lambda found: _WINDOWS.get(ord(found[0]), found[0]), text)


def _mark_of(decimal: str | None, hexadecimal: str | None) -> str | None:
    return _WINDOWS.get(int(decimal) if decimal else int(hexadecimal or "0", 16))


def _decode(body: bytes, content_type: str | None) -> str:
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return body.decode(encoding, _STRAYS if encoding == "utf-8" else "replace").lstrip("\ufeff")
    if wide := _wide_encoding(body[:64].lstrip(b"\r\n\t ")):
        return body.decode(wide, "replace")
    declared = _declared(body, content_type)
    if declared in _SEVEN_BIT and b"\x1b" in body:
        return body.decode(declared, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        pass
    if declared and declared not in {"utf-8", "utf8"}:
        return body.decode(declared, "replace")
    # Mostly UTF-8 with a few foreign bytes, or cut inside a letter; a text that is wholly in a
    # one-byte encoding loses nearly every letter beyond ASCII.
    text = body.decode("utf-8", "replace")
    beyond_ascii = sum(1 for byte in body[:200_000] if byte >= 0x80)
    lost = text[:200_000].count("\ufffd")
    return body.decode("cp1252", "replace") if lost * 2 > beyond_ascii else body.decode("utf-8", _STRAYS)


_STRAYS = "everlog.windows-strays"


def _stray(error: UnicodeError) -> tuple[str, int]:
    """A byte that is no UTF-8, as Windows wrote it; what may be the rest of a letter that was cut stays lost."""
    broken = cast("UnicodeDecodeError", error)  # nothing is encoded with it
    stray, behind = broken.object[broken.start : broken.end], broken.object[broken.end : broken.end + 1]
    # Only 0xC2 to 0xF4 begin a letter of UTF-8; where that was cut, no other letter follows right away.
    is_cut = stray[0] >= 0xC2 and not behind.isalpha()
    if len(stray) > 1 or is_cut:
        return "\ufffd", broken.end
    return stray.decode("cp1252", "replace"), broken.end


codecs.register_error(_STRAYS, _stray)


def _wide_encoding(head: bytes) -> str | None:
    """UTF-16 or UTF-32 without a byte order mark: the zeros beside "<" or "{" tell."""
    for first in (b"<", b"{"):
        for encoding in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
            if head.startswith(first.decode().encode(encoding)) and head[:8].count(0) >= 4:
                return encoding
    return None


def _declared(body: bytes, content_type: str | None) -> str | None:
    """The first encoding that is named and known: by the document itself, then by its server."""
    names: list[str] = []
    if found := _DECLARED.search(body[:1000]):
        names.append(found[1].decode("ascii"))
    if content_type and (named := _CHARSET.search(content_type)):
        names.append(named[1])
    for name in (_MEANT.get(name.lower(), name.lower()) for name in names):
        try:
            if codecs.lookup(name)._is_text_encoding and not name.startswith(("utf-16", "utf-32")):
                return name
        except (LookupError, ValueError):
            continue
    return None
