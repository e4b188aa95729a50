"""Attributes of a tag, bounded before a parser sees them: libxml2 takes time with the square of their number.

A tag of 40,000 attributes took lxml 3 seconds in a page and 5 in a feed, and nothing interrupts a parse. No real tag
comes near the bound: the richest in 14,664 pages and feeds of 84 blogs has 46 attributes. What only looks like a tag,
in a script or a quoted text, would lose its end as well; the longest such stretch there has 476 words.
"""

from __future__ import annotations

import re

from lxml import etree

# At this number 8 MB of nothing but attributes parse in a second or two.
MOST_ATTRIBUTES = 512

# Atomic groups and possessive quantifiers: there is one way to read a tag, and no going back. A quote that is not
# closed is none.
_SPACE = rb"\t\n\f\r "
_VALUE = rb"""(?:[%b]*+=[%b]*+(?:"[^"]*+"|'[^']*+'|[^%b>"'][^%b>]*+)?+)?+""" % ((_SPACE,) * 4)
# As the HTML standard cuts tags, and libxml2 from 2.14 on: a slash parts attributes, and names may hold quotes. All
# that XML takes for an attribute is one here.
_STANDARD = rb"(?>[%b/]*+[^%b/>][^%b/>=]*+%b)" % (_SPACE, _SPACE, _SPACE, _VALUE)
# Before, what could be no name was passed over up to the next blank, quotes and all.
_FORMER = rb"(?>[%b]*+(?:[A-Za-z_:.][\w:.-]*+%b|(?:(?!/>)[^%b>])++))" % (_SPACE, _VALUE, _SPACE)


def _long_tags(attribute: bytes, most: int = MOST_ATTRIBUTES) -> re.Pattern[bytes]:
    # What goes: all attributes behind so many. Then the tag ends, or the document.
    return re.compile(rb"(<[A-Za-z_:\x80-\xff][^%b/>]*+%b{%d})%b++" % (_SPACE, attribute, most, attribute))


_LONG_XML_TAG = _long_tags(_STANDARD)
_LONG_TAG = _LONG_XML_TAG if etree.LIBXML_VERSION >= (2, 14) else _long_tags(_FORMER)
# What is cut may hold a quote that ended another tag's value, and lay bare more of that tag. Nobody writes such a page
# but to try this; without quotes, tags end at the first sign that can end them.
_PASSES = 3
_QUOTES = bytes.maketrans(b"\"'", b"  ")

# Looking at every tag takes a quarter of a parse. A look at the last ">" of every block takes a fiftieth, and leaves 7
# pages of 504 to be looked at closely. What it cannot tell is a tag no longer than the blocks to both sides of a place
# where a tag surely ends: smaller blocks in larger bodies keep all those tags together below two seconds.
_LARGEST_BLOCK = 16_384
_BLOCKS_TIMES_BYTES = 10**10
_DOUBTFUL_BYTES = 20_000


def bounded(body: bytes) -> bytes:
    """HTML in UTF-8 without the attributes of a tag that make it slow to parse.

    >>> tag = b"<p " + b" ".join(b"a%d='>'" % n for n in range(20_000)) + b">"
    >>> len(etree.fromstring(bounded(tag + b"x</p>")).attrib) == MOST_ATTRIBUTES
    True
    >>> bounded(b"<p class=a>b</p>")
    b'<p class=a>b</p>'
    """
    return _cut(body, _LONG_TAG) if _may_have_a_long_tag(body) else body


def bounded_xml(document: bytes) -> bytes:
    """The same for XML."""
    return _cut(document, _LONG_XML_TAG) if _may_have_a_long_tag(document) else document


def _may_have_a_long_tag(body: bytes) -> bool:
    size = min(_LARGEST_BLOCK, _BLOCKS_TIMES_BYTES // (len(body) or 1))
    doubtful = 0
    for start in range(0, len(body), size):
        end = start + size
        close = body.rfind(b">", start, end)
        if close < 0 or _is_quoted(body, b'"', start, close, end) or _is_quoted(body, b"'", start, close, end):
            doubtful += min(size, len(body) - start)
            if doubtful > _DOUBTFUL_BYTES:
                return True
    return False


def _is_quoted(body: bytes, quote: bytes, start: int, close: int, end: int) -> bool:
    """Whether a ">" may stand in a value between such quotes, other than one that fills the whole block.

    A value begins behind a "=". So where the last quote before the sign is behind something else, it is the end of a
    value, or a sign like any other, and no value is open.
    """
    last = body.rfind(quote, start, close)
    if last < 0:
        return body.find(quote, close, end) >= 0
    before = body[max(last - 8, 0):last].rstrip()
    return before.endswith(b"=") or not before


def _cut(body: bytes, long_tag: re.Pattern[bytes]) -> bytes:
    for _ in range(_PASSES):
        # It looks behind every "<": where it finds nothing there is nothing, whatever a parser takes for text.
        if long_tag.search(body) is None:
            return body
        body = long_tag.sub(rb"\1", body)
    return long_tag.sub(rb"\1", body.translate(_QUOTES)) if long_tag.search(body) else body
