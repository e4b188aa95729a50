"""Texts of strangers on a terminal: what would steer it is taken out, or spelled in the letters of a format.

harmless        for people: without it
harmless_json   for programs: JSON with `\\u` escapes in its place, the same data
harmless_html   HTML with character references in its place
"""

from __future__ import annotations

import re

# C0 but for tabs and line ends, DEL and C1 steer a terminal; marks, overrides and isolates of direction turn the order
# of what stands beside them, so that an address looks like another.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    """The text without what would steer a terminal.

    >>> harmless("a\\x1b]0;title\\x07 \\x9b31mb\\tc\\u202e")
    'a]0;title 31mb\\tc'
    """
    return CONTROLS.sub("", text)


def harmless_json(text: str) -> str:
    """A JSON text that says the same without such characters.

    >>> harmless_json('{"a": "\\x9b\\u202e"}')
    '{"a": "\\\\u009b\\\\u202e"}'
    """
    return CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def harmless_html(text: str) -> str:
    """An HTML text that shows the same without such characters.

    >>> harmless_html("<p>\\u200f</p>")
    '<p>&#x200f;</p>'
    """
    return CONTROLS.sub(lambda match: f"&#x{ord(match[0]):x};", text)
