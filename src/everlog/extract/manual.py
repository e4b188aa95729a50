"""Rules that a person set by hand: a place in standard CSS, ahead of all that was learned.

    article h1.title, .post > header h1      any selector of CSS that a page without a mouse can answer
    div#post->p                              everlog's own notation (`core.selectors`), where it says something else

Selectors are compiled once and remembered; a page costs one XPath of libxml2 for each.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from cssselect import HTMLTranslator, SelectorError, SelectorSyntaxError
from lxml import etree

from everlog.core.selectors import xpath
from everlog.core.tree import Element
from everlog.core.words import squeeze
from everlog.errors import UsageError
from everlog.extract.fields.small_texts_read import short_text

if TYPE_CHECKING:
    from everlog.core.rules import Rule
    from everlog.markup.view import View

# The detail of a rule that is in everlog's own notation.
NOTATION, OWN = "notation", "everlog"
_ONE = r"[a-z][a-z0-9]*(?:#[\w-]+|\.[\w-]+|\.\[[\w -]+\]|\[(?:itemprop|role|rel|property)=[\w:.-]+\])?"
_OWN = re.compile(rf"{_ONE}(?:>{_ONE})*")
_PLACE = re.compile(r" at (\d+)>?$")


def elements_by_hand(view: View, rule: Rule) -> list[Element]:
    """The elements that a rule set by hand points at, in document order."""
    return find_by_hand(view.root, rule)


def find_by_hand(root: Element, rule: Rule) -> list[Element]:
    """The same on a page that nobody has looked at yet."""
    found = _compiled(rule.where, is_own=rule.detail.get(NOTATION) == OWN)(root)
    return [element for element in found if isinstance(element, Element)] if isinstance(found, list) else []


def is_own_notation(selector: str) -> bool:
    """Whether a selector can be read as everlog's own notation.

    >>> is_own_notation("div#post->p"), is_own_notation("article h1")
    (True, False)
    """
    return _OWN.fullmatch(selector) is not None


def checked_css(selector: str) -> str:
    """A selector without blanks around it; `UsageError` says where it is wrong.

    >>> checked_css(" article > h1:nth-child(2), [itemprop=headline] ")
    'article > h1:nth-child(2), [itemprop=headline]'
    """
    text = selector.strip()
    try:
        _compiled(text, is_own=False)
    except (SelectorError, etree.XPathError) as error:
        raise UsageError(f"{selector!r} is not a CSS selector: {_said(error, text)}", advice=_ADVICE) from None
    return text


_ADVICE = "give a selector of CSS, as in:  --set title 'article h1.title'"


def _said(error: Exception, selector: str) -> str:
    if not selector:
        return "it is empty"
    place = _PLACE.search(str(error)) if isinstance(error, SelectorSyntaxError) else None
    if place is None:
        return str(error).rstrip(".").lower()
    rest = selector[int(place[1]) :]
    return f"it cannot be read from {rest!r} on (character {int(place[1]) + 1})" if rest else "it breaks off at its end"


def shown_value(element: Element) -> str:
    """What an element says: the content of one in the head of a page, else its text on one line."""
    return squeeze(element.get("content") or "") if element.tag == "meta" else short_text(element)


def texts_by_hand(view: View, rule: Rule) -> list[str]:
    """What the elements of a rule say, those that say anything."""
    return [text for element in elements_by_hand(view, rule) if (text := shown_value(element))]


@lru_cache(maxsize=512)
def _compiled(selector: str, *, is_own: bool) -> etree.XPath:
    return etree.XPath(xpath(selector) if is_own else HTMLTranslator().css_to_xpath(selector))
