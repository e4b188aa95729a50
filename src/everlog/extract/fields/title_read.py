"""Title of a post: the first of the learned places that shows one."""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING

from everlog.core.rules import MANUAL, Ranked, Rule
from everlog.core.selectors import selectors_of
from everlog.core.words import squeeze
from everlog.extract.fields.small_texts_read import has_words, nearness_of, short_text
from everlog.extract.manual import texts_by_hand
from everlog.records import Provenance

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from everlog.markup.view import View


def read_title(view: View, rules: Ranked) -> tuple[str, Provenance] | None:
    """The title of a page and where it was found, or None for a post without one."""
    for rule in rules:
        title = title_by(view, rule)
        if title is not None:
            return title, Provenance(method=rule.method, rule=rule.where or None, confidence=rule.confidence)
    return None


def title_by(view: View, rule: Rule) -> str | None:
    """What one rule reads.

    >>> from everlog.markup.view import View
    >>> from everlog.core.rules import Rule
    >>> from everlog.core.tree import parse
    >>> view = View(parse(b"<title>Rain - A blog</title>"), "")
    >>> title_by(view, Rule(method="head-title", detail={"suffix": " - A blog"}))
    'Rain'
    """
    title = _READERS[rule.method](view, rule)
    return title if title and has_words(title) else None


def _by_selector(view: View, rule: Rule) -> str | None:
    elements = view.found.get(rule.where)
    if not elements:
        return None
    element = nearness_of(view).nearest(elements) if rule.detail.get("pick") == "nearest" else elements[0]
    cut = rule.detail.get("cut")
    if cut:
        names = frozenset(cut.split("\n"))
        shown = short_text(element, lambda e: not names.isdisjoint((e.tag, *selectors_of(e))))
    else:
        shown = short_text(element)
    return without_affix(shown, rule.detail) or None


def _by_meta(view: View, rule: Rule) -> str | None:
    values = view.meta.get(rule.where)
    return (without_affix(squeeze(values[0]), rule.detail) or None) if values else None


def _by_json_ld(view: View, rule: Rule) -> str | None:
    for node in view.json_ld:
        value = node.get(rule.where)
        if isinstance(value, str) and value.strip():
            return without_affix(squeeze(unescape(value)), rule.detail) or None
    return None


def _by_head_title(view: View, rule: Rule) -> str | None:
    shown = view.head_title
    title = without_affix(shown, rule.detail)
    if title is None and "loose" in rule.detail:
        return shown or None
    return title


def without_affix(shown: str, detail: Mapping[str, str]) -> str | None:
    """The text between what the blog puts before and after every title, None where that is missing.

    >>> without_affix("Blog: Rain | 2007", {"prefix": "Blog: "})
    'Rain | 2007'
    >>> without_affix("Search results", {"prefix": "Blog: "})
    """
    prefix, suffix = detail.get("prefix", ""), detail.get("suffix", "")
    if not (shown.startswith(prefix) and shown.endswith(suffix)) or len(shown) < len(prefix) + len(suffix):
        return None
    return shown[len(prefix) : len(shown) - len(suffix)].strip()


def _by_hand(view: View, rule: Rule) -> str | None:
    return next(iter(texts_by_hand(view, rule)), None)


_READERS: dict[str, Callable[[View, Rule], str | None]] = {
    MANUAL: _by_hand,
    "selector": _by_selector,
    "meta": _by_meta,
    "json-ld": _by_json_ld,
    "head-title": _by_head_title,
}
