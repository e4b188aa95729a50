"""Text of a captured page, decoded as a browser does it, right or wrong.

Reading an article forgives a page that lies about its encoding; looking at one does not: visitors saw the same signs.
"""

from __future__ import annotations

import codecs
import re

from w3lib.encoding import http_content_type_encoding, read_bom, resolve_encoding

# Where the HTML standard looks for a declaration, and where browsers look in practice: they wait for the head.
_PRESCAN_BYTES = 16_384
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_META = re.compile(rb"<meta[\s/][^>]*", re.IGNORECASE)
_CHARSET = re.compile(rb"""charset\s*=\s*["']?\s*([^\s"'/>;]+)""", re.IGNORECASE)
_XML = re.compile(rb"""\s*<\?xml[^>]*\sencoding\s*=\s*["']([^"']+)["']""")
_UNDECODED = "everlog-c1"


def html_text(body: bytes, content_type: str | None = None) -> str:
    """The text of a page: by its byte order mark, its header, its own declaration; undeclared UTF-8 is known as such.

    >>> html_text("<meta charset=koi8-r>мир".encode("koi8-r"))
    '<meta charset=koi8-r>мир'
    >>> html_text("<meta charset=utf-8>é".encode(), "text/html; charset=iso-8859-1")
    '<meta charset=utf-8>Ã©'
    """
    mark, length = read_bom(body)
    if mark is not None and length is not None:
        return body[len(length):].decode(mark, "replace")
    encoding = html_encoding(body, content_type)
    # Bytes that Windows' tables leave free are control characters, which nobody sees.
    return body.decode(encoding, _UNDECODED if encoding.startswith("cp125") else "replace")


def html_encoding(body: bytes, content_type: str | None = None) -> str:
    """The encoding of a page without a byte order mark, by Python's name: that of its style sheets, too."""
    declared = http_content_type_encoding(content_type) if content_type else None
    found = _usable(declared)
    if found is not None:
        return found
    found = _usable(_declared(body[:_PRESCAN_BYTES]))
    if found is not None:
        # In UTF-16 the declaration could not be read.
        return "utf-8" if found.startswith("utf-16") else found
    try:
        body.decode()
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def query_encoding(body: bytes, content_type: str | None = None) -> str | None:
    """The encoding that queries of a page's links are sent in; None if that is UTF-8, as it is for UTF-16, too.

    >>> query_encoding(b"<meta charset=windows-1251>"), query_encoding(b"<meta charset=utf-8>")
    ('cp1251', None)
    """
    encoding = "utf-8" if read_bom(body)[0] is not None else html_encoding(body, content_type)
    return None if encoding.startswith("utf-") else encoding


def _usable(name: str | None) -> str | None:
    encoding = resolve_encoding(name) if name else None
    if encoding is None or encoding in {"x-user-defined", "replacement"}:
        return None
    try:
        codecs.lookup(encoding)
    except LookupError:
        return None
    return encoding


def _declared(head: bytes) -> str | None:
    for tag in _META.findall(_COMMENT.sub(b"", head)):
        if found := _CHARSET.search(tag):
            return found[1].decode("ascii", "replace")
    found = _XML.match(head)
    return found[1].decode("ascii", "replace") if found else None


def _control(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(map(chr, error.object[error.start:error.end])), error.end


codecs.register_error(_UNDECODED, _control)
