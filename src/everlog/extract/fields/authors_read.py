"""Authors of a post: the first of the learned places that names some."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Any

from everlog.core.rules import MANUAL, Ranked, Rule
from everlog.core.words import comparable, squeeze
from everlog.extract.fields.small_texts_read import nearness_of, short_text
from everlog.extract.manual import texts_by_hand
from everlog.records import Provenance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from everlog.markup.view import View

# Of 2,950 names looked at none has more than four words or 28 letters; leave room for titles and
# institutions, not for sentences.
MAX_NAME_WORDS = 9
MAX_NAME_LENGTH = 80
# No post of a blog has more; a longer list is a list of commenters.
MAX_AUTHORS = 12

_EMAIL = re.compile(r"[(<\[]?\s*(?:mailto:)?[\w.+-]+@[\w-]+\.[\w.-]+\s*[)>\]]?")
_EDGES = " \t\n,;:|·•–—-/\u200b\u200e\u200f"


def read_authors(view: View, rules: Ranked) -> tuple[tuple[str, ...], Provenance] | None:
    """The authors of a page and where they were found, or None where nothing names them.

    A rule with `use: also` adds its names to those of the place that names some.
    """
    for rule in rules:
        names = authors_by(view, rule)
        if names:
            # Who set a rule by hand said all.
            more = () if rule.method == MANUAL else (also for also in rules if also.detail.get("use") == "also")
            others = (name for also in more for name in authors_by(view, also))
            known = {comparable(name) for name in names}
            every = (*names, *(name for name in others if comparable(name) not in known))
            return every, Provenance(method=rule.method, rule=rule.where or None, confidence=rule.confidence)
    return None


def authors_by(view: View, rule: Rule) -> tuple[str, ...]:
    """What one rule reads.

    >>> from everlog.markup.view import View
    >>> from everlog.core.rules import Rule
    >>> from everlog.core.tree import parse
    >>> view = View(parse(b"<meta name=author content='Ada (ada@example.org)'>"), "")
    >>> authors_by(view, Rule(method="meta", where="author"))
    ('Ada',)
    """
    names = (as_name(name) for name in _READERS[rule.method](view, rule))
    return tuple(dict.fromkeys(name for name in names if name))[:MAX_AUTHORS]


def as_name(text: str) -> str | None:
    """A text as a person's name, or None where it cannot be one.

    >>> as_name("Ada Lovelace <ada@example.org>"), as_name("https://example.org/ada")
    ('Ada Lovelace', None)
    """
    if "@" in text:
        text = _EMAIL.sub(" ", text) if _EMAIL.sub("", text).strip(" ()<>[]") else text.strip().split("@")[0]
    name = squeeze(text).strip(_EDGES)
    if name[:1] == "(" and name[-1:] == ")":
        name = name[1:-1].strip()
    if len(name) > MAX_NAME_LENGTH or len(name.split()) > MAX_NAME_WORDS or "://" in name:
        return None
    return name if any(map(str.isalnum, name)) else None


def between(shown: str, detail: Mapping[str, str]) -> str | None:
    """The part of a byline between the words that the blog puts around the name.

    >>> between("May 3rd, posted by Ada on a whim", {"before": "posted by ", "after": " on"})
    'Ada'
    >>> between("no byline", {"before": "posted by "})
    """
    before, after = detail.get("before", ""), detail.get("after", "")
    if before:
        start = shown.find(before)
        if start < 0:
            return None
        shown = shown[start + len(before) :]
    if after:
        end = shown.find(after)
        if end < 0:
            return shown if detail.get("after_is") == "optional" else None
        shown = shown[:end]
    return shown


def _by_selector(view: View, rule: Rule) -> Iterable[str]:
    elements = view.found.get(rule.where)
    if not elements:
        return ()
    nearness = nearness_of(view)
    near = nearness.nearest(elements)
    if nearness.is_elsewhere(near):
        return ()
    above = near.getparent()
    # Authors of one post are named side by side.
    together = [e for e in elements if e.getparent() is above] if len(elements) > 1 else elements
    shown = (between(short_text(element), rule.detail) for element in together)
    return [name for name in shown if name]


def _by_link(view: View, rule: Rule) -> Iterable[str]:
    links = [a for a in view.root.iter("a") if rule.where in (a.get("href") or "") and short_text(a)]
    nearness = nearness_of(view)
    links = [a for a in links if not nearness.is_elsewhere(a)]
    if not links:
        return ()
    return [short_text(nearness.nearest(links))]


def _by_meta(view: View, rule: Rule) -> Iterable[str]:
    return view.meta.get(rule.where, ())


def _by_json_ld(view: View, rule: Rule) -> Iterable[str]:
    return (name for node in view.json_ld[:1] for name in names_in(node.get(rule.where)))


def _by_feed(_view: View, rule: Rule) -> Iterable[str]:
    return rule.where.split("\n")


def names_in(value: Any) -> list[str]:
    """The names in a JSON-LD value: a text, a person, or a list of them.

    >>> names_in([{"@type": "Person", "name": "Ada"}, "Grace"])
    ['Ada', 'Grace']
    """
    if isinstance(value, str):
        return [unescape(value)]
    if isinstance(value, list):
        return [name for item in value for name in names_in(item)]
    return names_in(value.get("name")) if isinstance(value, dict) else []


_READERS: dict[str, Callable[[View, Rule], Iterable[str]]] = {
    MANUAL: texts_by_hand,
    "selector": _by_selector,
    "link": _by_link,
    "meta": _by_meta,
    "json-ld": _by_json_ld,
    "feed-constant": _by_feed,
}
