"""Open reading: which answers of the replay port pages of other origins may read, which is what CORS decides.

A captured page has no origin, so its fonts, masks and subtitles are files of another one, that browsers give it only
with `Access-Control-Allow-Origin: *`. That lets every website in the reader's browser read them, too: so it stands on
what a page is shown with, and not on pages, lists of captures, and bytes as they were stored.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# What pages are shown with. Pictures of lines are among it: masks of a style sheet are asked for like its fonts, and
# nothing but `fetch` would read their text.
_SHOWN_WITH = re.compile(
    r"(?:font|image|audio|video)/[^;]+|application/(?:(?:x-)?font-[^;]+|vnd\.ms-fontobject|ogg)|text/(?:css|vtt)"
)
# What may be a film or a sound, too: many servers say no more of these.
_MAY_BE_PLAYED = re.compile(r"(?:application|binary)/(?!.*(?:json|xml|script|pdf))[^;]+")
_PLAYED = frozenset(("audio", "video"))
ANYBODY = {"Access-Control-Allow-Origin": "*"}
# What programs for Memento need besides: the headers that tell of times, which a browser keeps from scripts otherwise,
# and leave to name a time, for which it asks before.
ANY_PROGRAM = ANYBODY | {"Access-Control-Expose-Headers": "Link, Memento-Datetime"}
MAY_NAME_TIMES = ANYBODY | {
    "Access-Control-Allow-Methods": "GET, HEAD", "Access-Control-Allow-Headers": "Accept-Datetime, Range",
    "Access-Control-Max-Age": "86400",
}
ASKED_FOR_AS = "Sec-Fetch-Dest"


def open_reading(sent_type: str, asked: Mapping[str, str]) -> dict[str, str]:
    """The headers that let other origins read a file of a type; none for what they may not.

    Browsers say what a file is for, which no script can change: `empty` is what `fetch` says.

    >>> open_reading("font/woff2", {"Sec-Fetch-Dest": "font"})
    {'Vary': 'Sec-Fetch-Dest', 'Access-Control-Allow-Origin': '*'}
    >>> open_reading("font/woff2", {"Sec-Fetch-Dest": "empty"})
    {'Vary': 'Sec-Fetch-Dest'}
    >>> open_reading("application/octet-stream", {"Sec-Fetch-Dest": "video"})
    {'Vary': 'Sec-Fetch-Dest', 'Access-Control-Allow-Origin': '*'}
    >>> open_reading("text/html; charset=utf-8", {})
    {}
    """
    kind, meant_for = sent_type.partition(";")[0].strip(), asked.get(ASKED_FOR_AS, "").lower()
    is_shown = bool(_SHOWN_WITH.fullmatch(kind))
    if not (is_shown or _MAY_BE_PLAYED.fullmatch(kind)):
        return {}
    vary = {"Vary": ASKED_FOR_AS}
    return vary | ANYBODY if meant_for in _PLAYED or (is_shown and not is_read_by_script(asked)) else vary


def is_read_by_script(asked: Mapping[str, str]) -> bool:
    """Whether a request is one of `fetch`, whose answer a script reads."""
    return asked.get(ASKED_FOR_AS, "").lower() == "empty"
