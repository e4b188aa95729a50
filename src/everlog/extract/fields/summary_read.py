"""Summary of a post: how its page describes it in a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.core.rules import MANUAL, Ranked, Rule
from everlog.extract.manual import texts_by_hand
from everlog.feeds.labels import plain
from everlog.records import Provenance

if TYPE_CHECKING:
    from everlog.markup.view import View


def read_summary(view: View, rules: Ranked) -> tuple[str, Provenance] | None:
    """The description that a page gives of its post, or None."""
    for rule in rules:
        summary = summary_by(view, rule)
        if summary and summary != rule.detail.get("except"):
            return summary, Provenance(method=rule.method, rule=rule.where, confidence=rule.confidence)
    return None


def summary_by(view: View, rule: Rule) -> str | None:
    """What one rule reads.

    >>> from everlog.markup.view import View
    >>> from everlog.core.rules import Rule
    >>> from everlog.core.tree import parse
    >>> view = View(parse(b"<meta name=description content='On  rain.'>"), "")
    >>> summary_by(view, Rule(method="meta", where="description"))
    'On rain.'
    >>> view = View(parse(b"<meta name=description content='&lt;p&gt;On rain.&lt;/p&gt; x &amp;lt; y'>"), "")
    >>> summary_by(view, Rule(method="meta", where="description"))
    'On rain. x < y'
    """
    if rule.method == MANUAL:
        return next(iter(texts_by_hand(view, rule)), None)
    if rule.method == "json-ld":
        values = [node.get(rule.where) for node in view.json_ld]
    else:
        values = [*view.meta.get(rule.where, ())]
    # Some themes put the article's first paragraph there as it is written, tags and all.
    texts = (plain(value) for value in values if isinstance(value, str))
    return next(filter(None, texts), None)
