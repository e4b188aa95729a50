"""The short texts of a feed: titles, names of people, tags; plain, whatever markup they came in."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

# Files that one entry may attach: an episode has a recording or two, a set of photographs a few dozen.
MOST_ENCLOSURES = 50
# Only real tags are markup: "Map<K, V>" and "x <y> z" are words of a title. Attributes may not hold
# "<", so that a tag is found without backtracking over the rest of the text.
_TAG = re.compile(
    r"</?(?:a|abbr|acronym|b|bdi|big|br|cite|code|del|dfn|div|em|font|h[1-6]|i|img|ins|kbd|mark|nobr|p|q|rp|rt"
    r"|ruby|s|samp|small|span|strike|strong|sub|sup|tt|u|var|wbr)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_ANY_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
# What programs read, not people. It has to be closed: "Why <script> is slow" is about one.
_UNSEEN = re.compile(r"<(script|style)\b[^<>]*>.*?</\1\s*>|<!--.*?-->", re.IGNORECASE | re.DOTALL)
_BREAK = re.compile(r"<(?:br|/?p|/?div|/?h[1-6])\b[^<>]*>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_MAIL = re.compile(r"(?:mailto:)?[\w.+%'-]{1,64}@(?:[\w-]{1,63}\.){1,8}[\w-]{2,24}")
# What an address leaves behind: the brackets around it, or those around the name beside it.
_LEFT = re.compile(r"[(<\[]\s*[)>\]]|^\((.*)\)$")
_INVISIBLE = re.compile("[\ufeff\x00-\x08\x0e-\x1f\ud800-\udfff]")
# Long enough for any title, short enough that a broken feed's swallowed article is no title.
_LONGEST = 2000


def plain(text: str | None, *, is_html: bool = False) -> str | None:
    """Words without markup, entities and line breaks; None if nothing is left.

    Entities are decoded twice over, as generators escape what was escaped; `is_html` says that
    the source declared markup, so that every tag is one.

    >>> plain("<b>Fish</b> &amp;amp; Chips&amp;#8217;"), plain("Map<K, V> in 5 minutes")
    ('Fish & Chips’', 'Map<K, V> in 5 minutes')
    """
    if not text:
        return None
    text = _BREAK.sub(" ", _UNSEEN.sub("", text[: 4 * _LONGEST])[:_LONGEST])
    text = (_ANY_TAG if is_html else _TAG).sub("", text)
    for _ in range(3):
        if not _ENTITY.search(text):
            break
        text = html.unescape(text)
        text = _TAG.sub("", text) if not is_html else text
    text = _INVISIBLE.sub("", text)
    return " ".join(text.split()) or None


def names(texts: Iterable[str | None]) -> tuple[str, ...]:
    """People's names, each once; an address is a name only if there is no other.

    >>> names(["jo@a.org (Jo Doe)", "Al Roe <al@a.org>", "x@a.org", "Jo Doe"])
    ('Jo Doe', 'Al Roe')
    >>> names(["x@a.org"])
    ('x@a.org',)
    """
    found: list[str] = []
    addresses: list[str] = []
    for text in texts:
        words = " ".join(_unescaped(text).split())
        address = _MAIL.search(words)
        if not address:
            found += [words] if words else []
        elif name := _without_addresses(words):
            found.append(name)
        else:
            addresses.append(address[0].removeprefix("mailto:"))
    return _once(found or addresses[:1])


def tags(texts: Iterable[str | None]) -> tuple[str, ...]:
    """Tags, each once; terms that are addresses are some program's own bookkeeping.

    >>> tags(["Go", "http://schemas.example/kind#post", "R&amp;D", "Go", " "])
    ('Go', 'R&D')
    """
    words = (plain(text) for text in texts)
    return _once(word for word in words if word and not re.match(r"(?:https?|tag|urn):\S*$", word))


def _without_addresses(words: str) -> str:
    rest = " ".join(_MAIL.sub(" ", words).split()).strip(" ,;:\"'")
    return _LEFT.sub(r"\1", rest).strip(" ,;:\"'")


def _unescaped(text: str | None) -> str:
    # Not `plain`: "Jo <jo@a.org>" would be read as a tag by a looser rule than its own.
    text = _TAG.sub("", (text or "")[:_LONGEST])
    return _INVISIBLE.sub("", html.unescape(html.unescape(text)))


def _once(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))
