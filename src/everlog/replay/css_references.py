"""References of a style sheet: where they stand, and the sheet with others in their place.

One pass over the text with one expression that stops only at what can begin a reference or hide one: comments, strings,
brackets, at-rules, escapes. Each alternative begins with another sign and gives nothing back, so that the time grows
with the length of the text, whatever it says. A style sheet is not parsed: what is not a reference stays letter by
letter, and a rule that a browser passes over may be rewritten, which changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Literal

from w3lib.encoding import http_content_type_encoding, read_bom, resolve_encoding

CssKind = Literal["style", "font", "image"]

_BLANK = r"[ \t\n\r\f]"
_ESCAPE = r"\\(?:[0-9a-fA-F]{1,6}+(?:\r\n|[ \t\n\r\f])?+|[^\n\r\f0-9a-fA-F])"
_COMMENT = r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?+"
# A string ends at its quote, at the end of the text, or, broken, at the end of its line.
_DOUBLE = r'"(?:[^"\\\n\r\f]|\\(?:\r\n|[\s\S])?+)*+(?:"|\Z)?+'
_SINGLE = r"'(?:[^'\\\n\r\f]|\\(?:\r\n|[\s\S])?+)*+(?:'|\Z)?+"
_AT = rf"@(?:[-\w]|[^\x00-\x7f]|{_ESCAPE})*+"
# All begin with a sign of their own: the engine passes over everything else without a look at the alternatives.
_COMMON = rf"{_COMMENT}|{_DOUBLE}|{_SINGLE}|{_AT}|{_ESCAPE}|\("
_TOKEN = re.compile(_COMMON)
_FONT_TOKEN = re.compile(rf"{_COMMON}|\}}")
_SET_TOKEN = re.compile(rf"{_COMMON}|\)")
_STRING = re.compile(rf"{_DOUBLE}|{_SINGLE}")
_QUOTED = re.compile(rf"{_BLANK}*+({_DOUBLE}|{_SINGLE})")
_REST = re.compile(rf"(?:{_BLANK}|{_COMMENT})*+(?:\)|\Z)")
_UNQUOTED = re.compile(
    rf"{_BLANK}*+((?:[^\"'()\\ \t\n\r\f\x00-\x08\x0b\x0e-\x1f\x7f]|{_ESCAPE})*+){_BLANK}*+(?:\)|\Z)"
)
_BAD = re.compile(r"(?:[^)\\]|\\[\s\S]?+)*+\)?+")
_BETWEEN = re.compile(rf"(?:{_BLANK}|{_COMMENT})*+")
_PREFIX = re.compile(rf"(?:[-\w]|[^\x00-\x7f]|{_ESCAPE})*+")
_URL_START = re.compile(rf"(?:[-\w]|{_ESCAPE})++\(")
# A name read from its end: no longer than the longest function here, every letter as the longest escape.
_NAME_REVERSED = re.compile(r"(?:(?:\n\r|[ \t\n\r\f])?[0-9a-fA-F]{1,6}\\|[^\n\r\f0-9a-fA-F]\\|[-\w]|[^\x00-\x7f])*+")
_LONGEST_NAME = 160
_NAME_SIGN = re.compile(r"[-\w\\]|[^\x00-\x7f]")
_ESCAPED = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\n\r\f])?|(\r\n|[\s\S]))")
_SETS = frozenset(("image-set", "-webkit-image-set"))
# What may stand in an image-set as it is. Others, `var()` first, could bring an address that stands elsewhere as text.
_IN_SETS = frozenset((
    "url", "type", "calc", "linear-gradient", "radial-gradient", "conic-gradient", "repeating-linear-gradient",
    "repeating-radial-gradient", "repeating-conic-gradient",
))
_CHARSET = re.compile(rb'@charset "([^"\x80-\xff]{1,100})";')


@dataclass(frozen=True, slots=True, kw_only=True)
class CssReference:
    """A reference of a style sheet: its address as written (escapes read), where it stands, and what it is for.

    From `start` to `end` stands the whole `url(...)`, or the string where it is one without `url`.
    """

    url: str
    start: int
    end: int
    kind: CssKind
    is_function: bool = True

    def spelled(self, address: str) -> str:
        """The text that takes the reference's place.

        >>> CssReference(url="a", start=0, end=6, kind="image").spelled('/b"c')
        'url("/b\\\\22 c")'
        """
        string = f'"{_string(address)}"'
        return f"url({string})" if self.is_function else string


def css_references(text: str) -> Iterator[CssReference]:
    r"""The references of a style sheet, or of a `style` attribute, in the order of the text.

    >>> sheet = r"@import 'a.css' print; @font-face {src: url(f.woff2)} p {background: url('b\26 c.png')} /* url(d) */"
    >>> [(found.kind, found.url) for found in css_references(sheet)]
    [('style', 'a.css'), ('font', 'f.woff2'), ('image', 'b&c.png')]
    """
    return (found for found in _scan(text) if isinstance(found, CssReference))


def rewrite_css(text: str, replaced: Callable[[CssReference], str]) -> str:
    """A style sheet with other addresses in the place of its references; all else stays letter by letter.

    >>> rewrite_css("p { background: url( 'a.png' ) }", lambda found: "/web/" + found.url)
    'p { background: url("/web/a.png") }'
    """
    pieces: list[str] = []
    at = 0
    for found in _scan(text):
        if isinstance(found, CssReference):
            start, end = found.start, found.end
            new = found.spelled(replaced(found))
        else:
            start, end = found
            new = "unknown"
        pieces += (text[at:start], new)
        at = end
    return "".join((*pieces, text[at:])) if pieces else text


def css_text(body: bytes, content_type: str | None = None, fallback: str = "utf-8") -> str:
    """The text of a style sheet: by its byte order mark, its header, its @charset, or the page that asks for it.

    >>> css_text('@charset "windows-1252"; p::after {content: "é"}'.encode("cp1252"))
    '@charset "windows-1252"; p::after {content: "é"}'
    """
    mark, length = read_bom(body)
    if mark is not None and length is not None:
        return body[len(length):].decode(mark, "replace")
    declared = http_content_type_encoding(content_type) if content_type else None
    if declared is None and (found := _CHARSET.match(body)):
        declared = found[1].decode("ascii", "replace")
        # It could not be read as such if it were.
        declared = "utf-8" if declared.lower().startswith("utf-16") else declared
    for name in (declared, fallback, "utf-8"):
        encoding = resolve_encoding(name) if name else None
        if encoding is not None:
            return body.decode(encoding, "replace")
    return body.decode("utf-8", "replace")


def css_unescaped(text: str) -> str:
    r"""A name or the inside of a string, its escapes read.

    >>> css_unescaped(r"u\72 l\(\)")
    'url()'
    """
    return _ESCAPED.sub(_character, text) if "\\" in text else text


def _character(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return "" if escape[2] in {"\n", "\r", "\f", "\r\n"} else escape[2]
    code = int(escape[1], 16)
    return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\ufffd"


def _string(address: str) -> str:
    return re.sub(r'["\\<>\x00-\x1f\x7f]', lambda found: f"\\{ord(found[0]):x} ", address)


def _scan(text: str) -> Iterator[CssReference | tuple[int, int]]:
    """References, and the spans of names that must mean nothing."""
    at, token, kind = 0, _TOKEN, "image"
    while found := token.search(text, at):
        at = found.end()
        sign = text[found.start()]
        if sign == "(":
            name = _name_before(text, found.start())
            if name == "url":
                reference, at = _function(text, found.start(), "font" if kind == "font" else "image")
                if reference is not None:
                    yield reference
            elif name in _SETS:
                at = yield from _image_set(text, at)
        elif sign == "@":
            rule = css_unescaped(found[0]).lower()
            if rule == "@font-face":
                token, kind = _FONT_TOKEN, "font"
            elif rule == "@import":
                reference, at = _imported(text, at)
                if reference is not None:
                    yield reference
            elif rule == "@namespace":
                at = _past_namespace(text, at)
        elif sign == "}":
            token, kind = _TOKEN, "image"


def _name_before(text: str, bracket: int) -> str:
    """The name of the function that a bracket opens; "" where it can be none of ours."""
    last = text[bracket - 1:bracket]
    if last in {"l", "L"} and text[bracket - 3:bracket].lower() == "url":
        if bracket == 3 or not _NAME_SIGN.match(text[bracket - 4]):
            return "url"
    elif last not in {"t", "T"} and text.find("\\", max(bracket - _LONGEST_NAME, 0), bracket) < 0:
        return ""
    before = _NAME_REVERSED.match(text[max(bracket - _LONGEST_NAME, 0):bracket][::-1])
    return css_unescaped(before[0][::-1]).lower() if before else ""


def _function(text: str, bracket: int, kind: CssKind) -> tuple[CssReference | None, int]:
    """The reference of a `url(`, and where to go on."""
    start = _start_of_name(text, bracket)
    if quoted := _QUOTED.match(text, bracket + 1):
        if not _is_whole(text, quoted):
            return None, quoted.end()
        rest = _REST.match(text, quoted.end())
        end = rest.end() if rest else quoted.end()
        url = css_unescaped(_inside(quoted[1]))
        if rest is None:
            # Something else follows, a modifier perhaps: only the string is replaced.
            return CssReference(url=url, start=quoted.start(1), end=end, kind=kind, is_function=False), end
        return CssReference(url=url, start=start, end=end, kind=kind), end
    if plain := _UNQUOTED.match(text, bracket + 1):
        return CssReference(url=css_unescaped(plain[1]), start=start, end=plain.end(), kind=kind), plain.end()
    bad = _BAD.match(text, bracket + 1)
    return None, bad.end() if bad else bracket + 1


def _start_of_name(text: str, bracket: int) -> int:
    before = _NAME_REVERSED.match(text[max(bracket - _LONGEST_NAME, 0):bracket][::-1])
    return bracket - (before.end() if before else 0)


def _imported(text: str, at: int) -> tuple[CssReference | None, int]:
    between = _BETWEEN.match(text, at)
    at = between.end() if between else at
    if string := _STRING.match(text, at):
        if not _is_whole(text, string):
            return None, string.end()
        url = css_unescaped(_inside(string[0]))
        return CssReference(url=url, start=at, end=string.end(), kind="style", is_function=False), string.end()
    if (name := _URL_START.match(text, at)) and css_unescaped(name[0][:-1]).lower() == "url":
        return _function(text, name.end() - 1, "style")
    return None, at


def _past_namespace(text: str, at: int) -> int:
    """Behind the address of a namespace: a name that nobody asks for."""
    for part in (_BETWEEN, _PREFIX, _BETWEEN):
        found = part.match(text, at)
        if found and not text.startswith("(", found.end()):
            at = found.end()
    if string := _STRING.match(text, at):
        return string.end()
    if (name := _URL_START.match(text, at)) and css_unescaped(name[0][:-1]).lower() == "url":
        return _function(text, name.end() - 1, "image")[1]
    return at


def _image_set(text: str, at: int) -> Generator[CssReference | tuple[int, int], None, int]:
    """The references of an image-set, whose strings are addresses; returns where it ends."""
    depth = 1
    while depth and (found := _SET_TOKEN.search(text, at)):
        at = found.end()
        sign = text[found.start()]
        if sign == ")":
            depth -= 1
        elif sign in {'"', "'"}:
            if depth == 1 and _is_whole(text, found):
                url = css_unescaped(_inside(found[0]))
                yield CssReference(url=url, start=found.start(), end=at, kind="image", is_function=False)
        elif sign == "(":
            start = _start_of_name(text, found.start())
            name = css_unescaped(text[start:found.start()]).lower()
            if name == "url":
                reference, at = _function(text, found.start(), "image")
                if reference is not None:
                    yield reference
                continue
            if depth == 1 and name and name not in _IN_SETS:
                yield start, found.start()
            # A set within a set is none, but its strings are taken for addresses all the same.
            depth += 1
    return at


def _is_whole(text: str, string: re.Match[str]) -> bool:
    """Whether a string is closed, by its quote or by the end of the text, and not broken by the end of a line."""
    inside = string[string.lastindex or 0]
    return string.end() == len(text) or (len(inside) > 1 and inside[-1] == inside[0])


def _inside(string: str) -> str:
    closed = len(string) > 1 and string[-1] == string[0] and not _ends_escaped(string)
    return string[1:-1] if closed else string[1:].removesuffix("\\")


def _ends_escaped(string: str) -> bool:
    """Whether the last quote is escaped, in a string that the end of the text closes."""
    slashes = len(string) - 1 - len(string[:-1].rstrip("\\"))
    return slashes % 2 == 1

