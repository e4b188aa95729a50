"""What a page's markup says about the elements around a text: what they are, and what designs call them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from everlog.core.noise_names import NAMEABLE, names_comments, names_noise
from everlog.core.tree import BLOCK, INVISIBLE, Element

# A break and a picture stand inside a paragraph: lines that end at breaks too are a worse unit (the paper's
# features and window on 568 posts of 75 blogs: article F1 85.3 without, 84.3 with).
LINE_ENDS = BLOCK - {"br", "img"}

_TAGS = {
    "invisible": " ".join(INVISIBLE), "link": "a",
    "nav": "nav", "aside": "aside", "footer": "footer", "header": "header", "form": "form",
    "article": "article", "main": "main", "list": "ul ol", "table": "table", "code": "pre code",
    "quote": "blockquote", "figure": "figure", "heading": "h1 h2 h3 h4 h5 h6", "emphasis": "strong b em i",
    "time": "time", "terms": "dl",
}
_NAMES = ("comments", "noise", "content", "hidden")
SURROUNDINGS = (*_TAGS, *_NAMES)
"""What a line can stand in. An element has one bit for each of them, in this order."""
BIT = {name: 1 << at for at, name in enumerate((*SURROUNDINGS, "block", "image"))}
"""The bits of an element; two of them tell what it is itself."""

# An element that holds more of the page's text than this is not what its tag or name says: designs put
# all of a page into a form, a table, or something called "widget".
WIDE, _WIDE_COMMENTS = 0.5, 0.85
_NEVER_TOO_WIDE = sum(BIT[name] for name in ("invisible", "link", "article", "main", "code", "content", "hidden"))

_CONTENT = re.compile(
    r"(?:^|[-_ ])(?:content|entry|post|article|story|body|text|hentry|markdown|prose|blog|main)(?:$|[-_ ])",
)
# Where one of these stands, other names say how the text looks, not what it is: `entry-content no-share`.
_BODY = re.compile(
    r"(?:^|[-_ ])(?:(?:entry|post|article|story|blog)-?(?:content|body|text)|e-content|hentry)(?:$|[-_ ])",
)
# Labels of a post that designs write into its class: `tag-sponsor`, `category-ads`.
_LABELS = re.compile(r"(?:^| )(?:tag|category|cat|author|status|format|type)-\S+")
# More names of the line that says who wrote when.
_BYLINE = re.compile(
    r"(?:^|[-_ ])(?:(?:post|entry|article)?(?:meta(?:data)?|info|details|date|time)|posted\w*|dateline)(?:$|[-_ ])",
)
# `<a></a>` without its letters, and ` href=""`: names of attributes are short, and looking at each costs time.
_TAG_SIGNS, _ATTRIBUTE_SIGNS = 5, 8


def _bits_of_tags() -> dict[str, int]:
    bits: dict[str, int] = {"img": BIT["image"]} | dict.fromkeys(LINE_ENDS, BIT["block"])
    for name, tags in _TAGS.items():
        for tag in tags.split():
            bits[tag] = bits.get(tag, 0) | BIT[name]
    return bits


_TAG_BITS = _bits_of_tags()


def read_markup(elements: list[Element]) -> tuple[list[int], list[int]]:
    """The bits of every element and the characters of its markup, about; neither is read before the body.

    >>> from everlog.core.tree import parse
    >>> bits, sizes = read_markup(list(parse(b"<body><nav id=x>a</nav>").iter()))
    >>> bits[2] == BIT["nav"] | BIT["block"], sizes
    (True, [0, 13, 20])
    """
    nodes: list[Any] = list(elements)  # attributes of parsed HTML are never bytes, which their types allow
    tags = [node.tag for node in nodes]
    bits = [_TAG_BITS.get(tag, 0) for tag in tags]
    sizes = [0] * len(tags)
    start = tags.index("body") if "body" in tags else 0
    for place in range(start, len(tags)):
        tag, node = tags[place], nodes[place]
        if not isinstance(tag, str):  # a comment
            continue
        size = _TAG_SIGNS + 2 * len(tag)
        if tag in NAMEABLE:
            if attributes := dict(node.items()):
                size += _ATTRIBUTE_SIGNS * len(attributes) + len("".join(attributes.values()))
                bits[place] |= _named(attributes.get("class"), attributes.get("id"), attributes.get("style"))
        elif values := node.values():
            size += _ATTRIBUTE_SIGNS * len(values) + len("".join(values))
        sizes[place] = size
    return bits, sizes


def too_wide(share: float) -> int:
    """The bits that an element with this share of the page's text, more than WIDE, does not deserve."""
    wide = (BIT["block"] - 1) & ~_NEVER_TOO_WIDE
    return wide if share > _WIDE_COMMENTS else wide & ~BIT["comments"]


@lru_cache(maxsize=20_000)
def _named(classes: str | None, identity: str | None, style: str | None) -> int:
    hidden = BIT["hidden"] if style and "display:none" in style.replace(" ", "").lower() else 0
    names = _LABELS.sub("", f"{classes or ''} {identity or ''}")
    lowered = names.lower()
    if _BODY.search(lowered):
        return hidden | BIT["content"]
    bits = hidden | (BIT["comments"] if names_comments(names) else 0)
    if names_noise(names) or _BYLINE.search(lowered):
        return bits | BIT["noise"]
    return bits | (BIT["content"] if _CONTENT.search(lowered) else 0)
