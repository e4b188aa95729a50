"""The CSS selectors by which an element of a page may be known on other pages of the blog."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from everlog.core.selectors import NAMING, TELLING_TAGS

if TYPE_CHECKING:
    from everlog.core.tree import Element

_IDENTIFIER = re.compile(r"-?[A-Za-z_][\w-]*", re.ASCII)
# More classes on one element, or steps to a named one, are no design's: markup that was made to hurt.
_MOST_CLASSES = 12
_MOST_STEPS = 6
_TO_THE_NUMBER = re.compile(r"([A-Za-z_-]{2,})\d+", re.ASCII)


def names_of(element: Element) -> tuple[str, ...]:
    """Selectors made of what stands on an element: its classes, its id without the number, its meaning.

    >>> from lxml import etree
    >>> names_of(etree.fromstring('<li id="comment-7" class="comment depth-1"/>'))
    ('li.comment', 'li.depth-1', 'li[id^="comment-"]:numbered')
    """
    naming = next(((name, value) for name in NAMING if (value := element.get(name))), None)
    return _names(str(element.tag), element.get("class"), element.get("id"), naming)


def chain_of(element: Element, stop: Element | None = None) -> str | None:
    """A selector that leads down to an element from the nearest named one above it, or from `stop`; None from afar.

    >>> from lxml import etree
    >>> body = etree.fromstring('<body><ol id="all"><li><p/></li></ol></body>')
    >>> chain_of(body[0][0][0])
    'ol#all > li > p'
    """
    steps = [str(element.tag)]
    for above in islice(element.iterancestors(), _MOST_STEPS):
        own = names_of(above)
        if own or above is stop:
            return " > ".join((own[0] if own else str(above.tag), *reversed(steps)))
        steps.append(str(above.tag))
    return None


def plainness(name: str) -> tuple[bool, bool, bool, int]:
    """How much to be preferred a selector is to another for the same elements.

    Numbers differ from page to page, one name says more than a way, and a name that speaks of comments
    was given to them.

    >>> max(["li.depth-1", "li.grey", "ol.all > li", "li.comment"], key=plainness)
    'li.comment'
    """
    return not any(map(str.isdigit, name)), " > " not in name, "comment" in name.lower(), -len(name)


@lru_cache(maxsize=20_000)
def _names(
    tag: str, classes: str | None, ident: str | None, naming: tuple[str, str] | None
) -> tuple[str, ...]:
    tokens = islice(dict.fromkeys((classes or "").split()), _MOST_CLASSES)
    found = [f"{tag}.{name}" for name in tokens if _IDENTIFIER.fullmatch(name)]
    if ident and _IDENTIFIER.fullmatch(ident):
        numbered = _TO_THE_NUMBER.fullmatch(ident)
        found.append(f'{tag}[id^="{numbered[1]}"]:numbered' if numbered else f"{tag}#{ident}")
    if naming and '"' not in naming[1] and "\\" not in naming[1] and naming[1].isprintable():
        found.append(f'{tag}[{naming[0]}="{naming[1]}"]')
    if tag in TELLING_TAGS:
        found.append(tag)
    return tuple(found)
