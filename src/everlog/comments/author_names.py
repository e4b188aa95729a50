"""The name of who wrote a comment, as it stands in a line such as "Ada says:"."""

from __future__ import annotations

import re
from functools import lru_cache

from everlog.core.words import squeeze

# What designs put behind a name, in the translations that blog engines ship. In small letters, or with a
# colon: "Edward Said" is a name.
_SPOKE = (
    r"says?|said|writes?|wrote|commented|replied|responds|sagt|sagte|schreibt|schrieb|meint|meinte|a dit|dit|dice|dijo"
    r"|escribió|ha escrito|comentó|ha dicho|disse|diz|escreveu|comentou|ha detto|scrive|ha scritto|zegt|schreef|zei"
    r"|пишет|писал|говорит|сказал(?:а|\(а\))?|каже|pisze|mówi|napisał(?:\(a\))?|napsal|říká|povedal|hovorí|säger"
    r"|skriver|siger|sier|sanoo|kirjoitti|diyor ki|dedi ki|diyor|ha dit|diu|szerint|mondta|írta|spune|λέει|يقول|אומר"
)
_SAYS = re.compile(
    rf"(?:\s(?:{_SPOKE})|\s(?i:{_SPOKE})\s?[:：]|\s?(?:より|说道|說道|说|說|表示|님의 말))?\s?[:：]?[\s.…]*$"
)
_BY = re.compile(
    r"^(?:(?:(?:posted|written|submitted|comment(?:ed)?|left)\s+)?by\b\s*[:：]?"
    r"|comment from\b\s*[:：]?|(?:von|par|por|di|door|autor|author|name|od|av|af|от|από)\s*[:：])\s*",
    re.IGNORECASE,
)
# Longer names are sentences that stand where a name was expected.
_LONGEST = 120
# What links here from elsewhere bears the title of a whole page.
_LONGEST_LINK = 400


# A line with a date in it: "Ada on 3 March 2004", "Le 5 mai 2010, 10:31 par Ada", "Ada | March 3, 2004".
_DATED = re.compile(r"\b(?:19|20)\d\d\b|\d[:h.]\d\d")
_NAME_LAST = re.compile(r"\d.*(?:\bby|\bpar|\bvon|\bpor|\bda|\bdi|\bdoor|\bот|,)\s+([^\d,|]{2,60})$")
_NAME_FIRST = re.compile(r"^(.{1,60}?)(?:\s*[|·•–—,(]|\s-\s|\s(?:on|at|am|le|el|em|il|op|den|dne|в|,)\s).*\d")
_SIGNS = " ,:：•·|—–-\u200b#"


def linked_name(shown: str) -> str | None:
    """The name that the link to an author's own pages shows.

    >>> linked_name(" Ada's trip of 2015 – part one | "), linked_name(" ")
    ("Ada's trip of 2015 – part one |", None)
    """
    name = squeeze(shown)
    return name if name.strip(_SIGNS) and len(name) <= _LONGEST_LINK else None


@lru_cache(maxsize=4096)
def author_name(shown: str) -> str | None:
    """The name in what a page shows as a comment's author.

    >>> author_name(" Ada Lovelace says: "), author_name("Posted by: Ada"), author_name(" : ")
    ('Ada Lovelace', 'Ada', None)
    >>> author_name("Edward Said"), author_name("Ada Says:"), author_name("von Neumann"), author_name("小明说：")
    ('Edward Said', 'Ada', 'von Neumann', '小明')
    >>> author_name("Submitted by Ada on Mon, 03/12/2012"), author_name("1. Le 5 mai 2010, 10:31 par Ada")
    ('Ada', 'Ada')
    """
    name = _BY.sub("", _SAYS.sub("", squeeze(shown)).strip(_SIGNS))
    if _DATED.search(name) and (match := _NAME_LAST.search(name) or _NAME_FIRST.search(name)):
        name = _BY.sub("", match[1]).strip(_SIGNS)
    return name if 0 < len(name) <= _LONGEST else None
