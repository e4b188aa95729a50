"""Authors that only the pages name: where the feed says nothing, what a page calls its author counts."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from everlog.core.rules import Rule
from everlog.core.urls import host_of
from everlog.core.words import comparable
from everlog.extract.fields.authors_read import authors_by
from everlog.extract.fields.small_texts_learn import names_of
from everlog.extract.fields.small_texts_read import nearness_of, short_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from everlog.core.tree import Element
    from everlog.extract.samples import Sample
    from everlog.markup.view import View

KEPT_RULES = 4
# Words of a byline with its date; more is a biography, unless it says "posted by".
MAX_WORDS = 10
MAX_SAID_WORDS = 16
# "Veröffentlicht von" has 18 letters; addresses are longer only where they carry data.
MAX_OPENING = 40
MAX_ADDRESS = 400

# Class names, attributes and microformats that say "here stands who wrote this".
STRONG = re.compile(
    r"author|byline|by-line|posted-?by|creator|writer|nickname|[.\[ ]fn\b|h-card|vcard", re.IGNORECASE
)
# The words that engines and formats have agreed on, not a name that a design made up around them:
# `meta-prep-author` holds "Posted on", `author-link` holds "View all posts".
_AGREED = re.compile(r"(?<![\w-])(?:author|fn|vcard|p-author|h-card)(?![\w-])")
AUTHOR_PATH = re.compile(
    r"/(?:authors?|users?|profile|people|writers?|contributors?|redakteur|auteurs?|autores?)/", re.IGNORECASE
)
JSON_KEYS = ("author", "creator")
_META = ("author", "article:author", "dc.creator", "dcterms.creator", "byl", "parsely-author")
# How pages introduce a name. In a place called after an author a preposition will do; elsewhere
# "by" is also said of themes and engines.
_WRITTEN = (
    r"(?:posted|written|published|submitted|created)\s+by|(?:geschrieben|veröffentlicht|verfasst)\s+von"
    r"|(?:publié|posté|écrit|rédigé)\s+par|(?:publicado|escrito|postado)\s+por"
    r"|(?:scritto|pubblicato|postato)\s+da|(?:geplaatst|geschreven)\s+door"
)
SAID = re.compile(rf"(?:{_WRITTEN})\s*:?\s+|(?:автор|作者|投稿者|著者|글쓴이)\s*[:：]\s*", re.IGNORECASE)
_BY = re.compile(
    rf"(?:{_WRITTEN}|by|von|par|por|di|de|av|af|door|przez|autore?|author|auteur|автор|yazar)(?![a-zß-ɏЀ-ӿ])"
    r"\s*[:：]?\s*|(?:作者|投稿者|著者|글쓴이)\s*[:：]?\s*",
    re.IGNORECASE,
)
# The date may stand first. "de" and "di" are not looked for there: they stand in dates.
_BY_AFTER_DATE = re.compile(r"\d.*?(\s(?:by|von|par|por|door|przez)\s+)", re.IGNORECASE)
# What ends a name: a sign between the parts of a line; a word or another sign before a date.
_END = re.compile(
    r"\s*[|·•]\s*|(?:\s[-–—]|,?\s(?:at|on|am|um|le|el|il|em|op|den)|,)\s(?=(?:[^\W\d]+[\s.,]+){0,2}\d)",
    re.IGNORECASE,
)
# Rights, dates and links to more posts stand in what is called after an author, too.
_NO_NAME = re.compile(r"[©→»›]|(?<!\w)(?:19|20)\d\d(?!\w)|\d:\d\d")


def stated_candidates(samples: Sequence[Sample]) -> list[Rule]:
    """Rules for everything on the pages that is called an author or said to have written."""
    rules = [*_called_rules(samples), *_link_rules(samples)]
    rules += [Rule(method="json-ld", where=key) for key in JSON_KEYS]
    rules += [Rule(method="meta", where=name) for name in _META if any(name in s.view.meta for s in samples)]
    return rules


def rank_stated(rules: Sequence[Rule], views: Sequence[View], owner: Sequence[str]) -> list[Rule]:
    """The rules that name somebody on most pages, the surest first; in the order given among equals.

    `owner` is whom the feed as a whole names: one other name on all pages is then a nickname, a
    theme's maker or a licence; different names are the people who write for that owner.
    """
    wanted = set(map(comparable, owner))
    stated: list[tuple[tuple[bool, bool], Rule]] = []
    for rule in rules:
        read = [frozenset(map(comparable, names)) for view in views if (names := _names(view, rule))]
        agrees = not wanted or any(names & wanted for names in read) or len(set(read)) > 1
        if len(read) * 2 > len(views) and agrees:
            stated.append((_sureness(rule, differ=len(set(read)) > 1), rule))
    stated.sort(key=lambda pair: pair[0], reverse=True)
    return [rule for _, rule in stated[:KEPT_RULES]]


def _names(view: View, rule: Rule) -> tuple[str, ...]:
    names = authors_by(view, rule)
    return () if any(map(_NO_NAME.search, names)) else names


def _sureness(rule: Rule, *, differ: bool) -> tuple[bool, bool]:
    """What tells a name from a label, the more telling first: its place is called so by agreement; it differs.

    With the names taken out of 58 feeds, 72.4 % of the posts get their author in the order of
    `author_strength`, 75.9 with the first of these, 77.6 with both.
    """
    if rule.method != "selector":
        return False, False
    return _AGREED.search(rule.where.rpartition(">")[2]) is not None, differ


def _called_rules(samples: Sequence[Sample]) -> Iterator[Rule]:
    """Rules for the small elements outside sidebars and comments that are called after an author, or say so."""
    seen: dict[str, list[str]] = {}
    for sample in samples:
        for name, shown in _called_on(sample).items():
            seen.setdefault(name, []).append(shown)
    # Inner elements hold the name alone, outer ones the whole byline.
    for name, texts in sorted(seen.items(), key=lambda item: sum(map(len, item[1])) / len(item[1])):
        if len(texts) * 2 > len(samples):
            yield Rule(method="selector", where=name, detail=words_around(texts))


def words_around(texts: Sequence[str]) -> dict[str, str]:
    """What introduces and what ends the name in most of a place's texts.

    >>> words_around(["May 3rd by Ada", "June 7th by Bo"])
    {'before': ' by '}
    >>> words_around(["By Ada at 02:40", "By Bo at 17:05"])
    {'before': 'By ', 'after': ' at ', 'after_is': 'optional'}
    """
    detail: dict[str, str] = {}
    before = _in_most(
        match[0] if (match := _BY.match(text)) else match[1] if (match := _BY_AFTER_DATE.search(text)) else ""
        for text in texts
    )
    if before:
        detail["before"] = before
    rests = (text.partition(before)[2] if before else text for text in texts)
    after = _in_most(match[0] if (match := _END.search(rest)) else "" for rest in rests)
    if after:
        detail |= {"after": after, "after_is": "optional"}
    return detail


def _in_most(pieces: Iterator[str]) -> str:
    counts = Counter(pieces)
    piece, count = counts.most_common(1)[0]
    return piece if count * 2 > counts.total() else ""


def _called_on(sample: Sample) -> dict[str, str]:
    sizes = sample.layout.sizes()
    nearness = nearness_of(sample.view)
    found: dict[str, str] = {}
    for i in np.flatnonzero((sizes > 0) & (sizes <= MAX_SAID_WORDS)):
        element = sample.layout.elements[int(i)]
        names = names_of(element) if _says_written((element.text or "").lstrip()[:MAX_OPENING]) else ()
        if not names and sizes[i] <= MAX_WORDS:
            above = element.getparent()
            if _is_called(element) or (above is not None and _is_called(above)):
                names = tuple(name for name in names_of(element) if STRONG.search(name))
        if names and not nearness.is_elsewhere(element):
            shown = short_text(element)
            for name in names:
                found.setdefault(name, shown)
    return found


def _link_rules(samples: Sequence[Sample]) -> Iterator[Rule]:
    """Links outside sidebars and comments whose address says that they lead to a person's page on this site."""
    shapes: Counter[str] = Counter()
    for sample in samples:
        nearness = nearness_of(sample.view)
        own = {"", host_of(sample.url)}
        links = ((a, a.get("href") or "") for a in sample.view.root.iter("a"))
        people = ((a, shape) for a, href in links if (shape := _leads_to(href[:MAX_ADDRESS])) and host_of(href) in own)
        shapes.update({shape for a, shape in people if not nearness.is_elsewhere(a)})
    yield from (Rule(method="link", where=shape) for shape, pages in shapes.items() if pages * 2 > len(samples))


# Menus repeat on all pages.
@lru_cache(maxsize=20_000)
def _leads_to(href: str) -> str | None:
    match = AUTHOR_PATH.search(href)
    return match and match[0]


@lru_cache(maxsize=20_000)
def _says_written(text: str) -> bool:
    return SAID.match(text) is not None


def _is_called(element: Element) -> bool:
    get = element.get
    return _says_author(get("class"), get("id"), get("itemprop"), get("rel"))


@lru_cache(maxsize=20_000)
def _says_author(*names: str | None) -> bool:
    return STRONG.search(" ".join(f".{name}" for name in names if name)) is not None
