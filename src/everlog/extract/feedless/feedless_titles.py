"""The titles of posts, when no feed says them: the place on the pages that most witnesses agree with.

A title is shown in many places of a page, and other texts stand in as many. The witnesses are what the
page calls itself in its head, the links that lead to it, and the words of its address.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from everlog.core.words import comparable, squeeze
from everlog.extract.fields.small_texts_learn import names_of
from everlog.extract.fields.small_texts_read import has_words, short_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from everlog.markup.view import View

Source = tuple[str, str]
"""How a title was found, and where: `("selector", "h1.entry-title")`."""

# The longest known title of 84 blogs has 40 words; a longer heading is a teaser.
MOST_WORDS = 50
# The evidence: titles guessed on the pages of 84 feeds, without links to them, beside the feeds' own: 98.6 % right.
# The same on blogs held out, with values that the other nine of ten folds choose (39 settings,
# docs/internals/without-feed.md).
# What stands beside the title on this share of the pages is the blog's name: 96.7 % right at 0.5 and 0.65, 97.5 at
# 0.8, 98.6 at 0.95. Writers call a dozen posts after one journey; a few pages of a blog may lack its name.
AFFIX_SHARE = 0.9
# "Blog » Archive » Rain": one affix at each end 97.4 %, two 98.6, three the same.
MOST_AFFIXES = 2
# The vote of a witness that says the title and more: 97.4 % right without it, 98.6 from 0.25 to 0.75.
VOTE_FOR_MORE = 0.5
_NAMED = re.compile(r"title|headline|p-name", re.IGNORECASE)
_HEADINGS = ("h1", "h2", "h3", "h4")
_PARTS = re.compile(r"(\s+[-–—|·•»«:~/>]+\s+|\s*[|»«]\s*|:\s+)")


def guess_titles(views: Sequence[View], anchors: Mapping[str, frozenset[str]]) -> list[str | None]:
    """The title of each page; `anchors` are the texts of links to it, comparable, by its URL."""
    shown: dict[Source, dict[int, str]] = defaultdict(dict)
    for page, view in enumerate(views):
        for source, text in (*_statements(view), *_headings(view)):
            shown[source].setdefault(page, text)
    shown = {source: without_affixes(texts) for source, texts in shown.items()}
    witnesses = [_witnesses(page, view, shown, anchors) for page, view in enumerate(views)]
    scores = {source: _score(source, texts, views, witnesses) for source, texts in shown.items()}
    ranked = sorted(scores, key=scores.__getitem__, reverse=True)
    return [
        next((shown[source][page] for source in ranked if page in shown[source]), None) for page in range(len(views))
    ]


def _statements(view: View) -> Iterator[tuple[Source, str]]:
    """What a page is called in its head."""
    said: dict[Source, str] = {("head-title", ""): view.head_title}
    for name in ("og:title", "twitter:title", "dc.title"):
        if values := view.meta.get(name):
            said["meta", name] = squeeze(unescape(values[0]))
    for node in view.json_ld[:1]:
        if isinstance(node.get("headline"), str):
            said["json-ld", "headline"] = squeeze(unescape(node["headline"]))
    return ((source, text) for source, text in said.items() if has_words(text))


def _headings(view: View) -> Iterator[tuple[Source, str]]:
    for element in view.root.iter(*_HEADINGS, "div", "p", "span", "a"):
        named = f"{element.get('class') or ''} {element.get('itemprop') or ''}"
        if element.tag not in _HEADINGS and not _NAMED.search(named):
            continue
        text = short_text(element)
        if text and has_words(text) and len(text.split()) <= MOST_WORDS:
            for name in names_of(element):
                yield ("selector", name), text


def _witnesses(
    page: int, view: View, shown: Mapping[Source, Mapping[int, str]], anchors: Mapping[str, frozenset[str]],
) -> dict[str, frozenset[str]]:
    """What each witness says of a page, comparable: its head by name, its headings and the links to it at once."""
    said: dict[str, frozenset[str]] = {}
    headings = set()
    for (method, where), texts in shown.items():
        if page in texts and method == "selector":
            headings.add(comparable(texts[page]))
        elif page in texts:
            said[f"{method} {where}"] = frozenset((comparable(texts[page]),))
    said["headings"] = frozenset(headings)
    if links := anchors.get(view.url):
        said["links"] = links
    return said


def _score(
    source: Source, texts: Mapping[int, str], views: Sequence[View], witnesses: Sequence[Mapping[str, frozenset[str]]],
) -> float:
    """How many witnesses agree with a place; a text that several posts share is no title of any."""
    times = Counter(map(comparable, texts.values()))
    method, where = source
    itself = "headings" if method == "selector" else f"{method} {where}"
    total = 0.0
    for page, text in texts.items():
        target = comparable(text)
        if times[target] == 1 or len(views) == 1:
            votes = [_vote(target, said) for name, said in witnesses[page].items() if name != itself]
            total += sum((*votes, _in_address(target, views[page].url))) / (len(votes) + 1)
    return total / len(views) + _prior(method, where)


def _prior(method: str, where: str) -> float:
    """A small push for places that are made for titles, where the witnesses cannot decide.

    It decides nothing on the pages of 84 feeds: 98.6 % without it, and when it is twice as strong.
    """
    if method != "selector":
        return 0.1 if method == "head-title" else 0.05
    tag = where.rsplit(">", 1)[-1].partition(".")[0].partition("#")[0]
    return {"h1": 0.05, "h2": 0.03, "h3": 0.01}.get(tag, 0.0) + (0.02 if _NAMED.search(where) else 0.0)


def _vote(target: str, said: frozenset[str]) -> float:
    """Full for the same words, less for a witness that says more."""
    if target in said:
        return 1.0
    return VOTE_FOR_MORE if any(f" {target} " in f" {words} " for words in said) else 0.0


def _in_address(target: str, url: str) -> float:
    """How well a title fits the last words of an address."""
    try:
        path = unquote(urlsplit(url).path).rstrip("/").rpartition("/")[2].rpartition(".")
    except ValueError:
        return 0.0
    slug = set(comparable(re.sub(r"[-_+]", " ", path[0] or path[2])).split())
    words = set(target.split())
    return 2 * len(slug & words) / (len(slug) + len(words)) if slug and words else 0.0


def without_affixes(texts: Mapping[int, str]) -> dict[int, str]:
    """Texts without what stands before or after them on nearly all pages: the blog's name, "Archive".

    >>> without_affixes({0: "Rain - A Blog", 1: "Snow - and ice - A Blog", 2: "Fog - A Blog"})
    {0: 'Rain', 1: 'Snow - and ice', 2: 'Fog'}
    """
    parts = {page: _PARTS.split(text) for page, text in texts.items()}
    least = max(3, AFFIX_SHARE * len(texts))
    # "Blog » Archive » Rain": what is left may have another one.
    for _ in range(MOST_AFFIXES):
        for edge, kept in ((-1, slice(None, -2)), (0, slice(2, None))):
            times = Counter(pieces[edge] for pieces in parts.values() if len(pieces) > 2)
            for page, pieces in parts.items():
                if len(pieces) > 2 and times[pieces[edge]] >= least:
                    parts[page] = pieces[kept]
    return {page: "".join(pieces).strip() or texts[page] for page, pieces in parts.items()}
