"""Tokens of an HTML document, as the HTML standard cuts them, in one pass and in place.

Attributes keep the text they were written with until one of them is changed. Each expression has one way to match and
gives nothing back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape, unescape
from html.entities import html5

_SPACE = r"\t\n\f "
_VALUE = rf"""(?:"[^"]*+"|'[^']*+'|[^{_SPACE}>"'][^{_SPACE}>]*+|(?=>))"""
# After the name of an attribute comes its value, or no sign of one: a quote that nobody closes ends the document.
_ATTRIBUTE = rf"[^{_SPACE}/>][^{_SPACE}/>=]*+(?:[{_SPACE}]*+=[{_SPACE}]*+{_VALUE}|(?![{_SPACE}]*+=))"
_ATTRIBUTES = rf"(?:[{_SPACE}/]*+{_ATTRIBUTE})*+[{_SPACE}/]*+"
# A start tag, an end tag, a comment, something that browsers take for a comment, or what the document ends in.
TOKEN = re.compile(
    rf"<(?:([a-zA-Z][^{_SPACE}/>]*+)({_ATTRIBUTES})>"
    rf"|/([a-zA-Z][^{_SPACE}/>]*+){_ATTRIBUTES}>"
    r"|(!--)"
    r"|([!?][^>]*+>?|/(?:>|[^a-zA-Z][^>]*+>?))"
    r"|([a-zA-Z]|/[a-zA-Z]))"
)
_ONE_ATTRIBUTE = re.compile(
    rf"""[{_SPACE}/]*+(([^{_SPACE}/>][^{_SPACE}/>=]*+)(?:[{_SPACE}]*+=[{_SPACE}]*+"""
    rf"""(?:"([^"]*+)"|'([^']*+)'|([^{_SPACE}>"'][^{_SPACE}>]*+)|(?=$)))?+)"""
)
_CHARACTER = re.compile(r"&(?:#(?:[0-9]+|[xX][0-9a-fA-F]+);?|([a-zA-Z][a-zA-Z0-9]*+)(;?))")


class Tag:
    """A start tag on its way: its attributes as they are written, and what is put in their place.

    >>> tag = Tag("a", " href=/b title='c'")
    >>> tag.set("href", '/"d"')
    >>> tag.written()
    '<a href="/&quot;d&quot;" title=\\'c\\'>'
    """

    __slots__ = ("_changed", "_source", "_values", "is_closed", "name", "spelled")

    def __init__(self, spelled: str, attributes: str) -> None:
        self.name = spelled.lower()
        self.spelled = spelled
        # In SVG a slash ends the element; elsewhere it means nothing, and stays.
        self.is_closed = attributes.endswith("/") and not _is_unquoted_end(attributes)
        self._source: dict[str, str] = {}
        self._values: dict[str, str] = {}
        self._changed: dict[str, str | None] = {}
        # Of two attributes with one name the first counts.
        for found in _ONE_ATTRIBUTE.finditer(attributes):
            name = found[2].lower()
            if name not in self._source:
                value = found[3] or found[4] or found[5] or ""
                # One without a value gets it in so many words: whatever is written behind it could be taken for it.
                self._source[name] = found[1] if value else f'{found[2]}=""'
                self._values[name] = value

    def forget(self) -> None:
        """The tag as it was written, for another pass."""
        self._changed.clear()

    def names(self) -> list[str]:
        """The names of the attributes, in small letters."""
        return list(self._source)

    def has(self, name: str) -> bool:
        return name in self._values

    def get(self, name: str) -> str | None:
        """The value of an attribute as the page has it, its character references read."""
        value = self._values.get(name)
        return attribute_value(value) if value is not None else None

    def set(self, name: str, value: str) -> None:
        self._changed[name] = value

    def drop(self, name: str) -> None:
        if name in self._source:
            self._changed[name] = None

    def current(self, name: str) -> str | None:
        """The value of an attribute as it will be."""
        return self._changed[name] if name in self._changed else self.get(name)

    def written(self, name: str | None = None) -> str:
        """The tag as it is now. No sign in it opens another tag, however it is read."""
        pieces = ["<", name or self.spelled.replace("<", "_")]
        for key, source in self._source.items():
            if key not in self._changed:
                if "<" in key:
                    continue
                pieces += (" ", source.replace("<", "&lt;"))
            elif (value := self._changed[key]) is not None:
                pieces.append(f' {key}="{escaped(value)}"')
        pieces += [
            f' {key}="{escaped(value)}"' for key, value in self._changed.items()
            if value is not None and key not in self._source
        ]
        pieces.append(" />" if self.is_closed else ">")
        return "".join(pieces)


def attribute_value(raw: str) -> str:
    """The value that an attribute's text means: ends of names count in another way here than in texts.

    >>> attribute_value("?a=1&copy=2&amp;b&#x26;c&lt")
    '?a=1&copy=2&b&c<'
    """
    if "&" not in raw:
        return raw

    def character(found: re.Match[str]) -> str:
        if found[1] is None:
            return unescape(found[0])
        if found[2]:
            return html5.get(found[1] + ";", found[0])
        return found[0] if raw.startswith("=", found.end()) else html5.get(found[1], found[0])

    return _CHARACTER.sub(character, raw)


def escaped(text: str) -> str:
    """A text for an attribute between double quotes, or between tags."""
    return escape(text).replace("\r", "&#13;").replace("&#x27;", "'")


def start_tags(text: str) -> Iterator[Tag]:
    """The start tags of a piece of markup, as if it held no texts without markup."""
    for found in TOKEN.finditer(text):
        if found[1]:
            yield Tag(found[1], found[2])


def _is_unquoted_end(attributes: str) -> bool:
    """Whether the last slash belongs to a value without quotes."""
    last = None
    for last in _ONE_ATTRIBUTE.finditer(attributes):  # noqa: B007 - the last of them is what is wanted
        pass
    return last is not None and last[5] is not None and last.end() == len(attributes)
