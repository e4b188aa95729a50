"""Bytes to text: feeds often say one encoding and use another."""

from __future__ import annotations

import codecs
import re

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
    text = _decode(body, content_type)
    return _NOT_XML.sub("", text) if _NOT_XML.search(text) else text


def _decode(body: bytes, content_type: str | None) -> str:
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return body.decode(encoding, "replace").lstrip("\ufeff")
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
    return body.decode("cp1252", "replace") if lost * 2 > beyond_ascii else text


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
