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
ANYBODY = {"Access-Control-Allow-Origin": "*"}
ASKED_FOR_AS = "Sec-Fetch-Dest"


def open_reading(sent_type: str, asked: Mapping[str, str]) -> dict[str, str]:
    """The headers that let other origins read a file of a type; none for what they may not.

    Browsers say what a file is for, which no script can change: `empty` is what `fetch` says.

    >>> open_reading("font/woff2", {"Sec-Fetch-Dest": "font"})
    {'Vary': 'Sec-Fetch-Dest', 'Access-Control-Allow-Origin': '*'}
    >>> open_reading("font/woff2", {"Sec-Fetch-Dest": "empty"})
    {'Vary': 'Sec-Fetch-Dest'}
    >>> open_reading("text/html; charset=utf-8", {})
    {}
    """
    if not _SHOWN_WITH.fullmatch(sent_type.partition(";")[0].strip()):
        return {}
    vary = {"Vary": ASKED_FOR_AS}
    return vary if asked.get(ASKED_FOR_AS, "").lower() == "empty" else vary | ANYBODY
