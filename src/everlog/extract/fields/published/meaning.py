"""What the names around a date say about it: published, changed, or of something else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everlog.core.tree import Element
    from everlog.extract.samples import Sample

# How much a place says that its date is the post's.
CALLED_PUBLISHED, CALLED_DATE, NAMELESS, ADDRESS, OF_SOMETHING_ELSE = 4, 3, 2, 1, 0

_PUBLISHED = re.compile(r"publish|pubdate|issued|posted|created")
_DATE = re.compile(r"date|time|datum|fecha|data\b|day")
_UPDATED = re.compile(r"modif|updat|revis|edited|lastmod|changed")
_ASIDE = re.compile(
    r"comment|reply|recent|latest|related|similar|popular|sidebar|widget|\bnav|archive|calendar|copyright"
    r"|\bnext\b|\bprev|(?<!entry.)(?<!post.)(?<!article.)foot"
)
_UPDATE_WORDS = frozenset(
    (
        "updated", "update", "modified", "edited", "revised", "aktualisiert", "geändert", "actualizado",
        "modifié", "modifiée", "jour", "обновлено", "изменено", "更新", "更新于", "更新日", "最終更新日",
        "修改", "aggiornato", "atualizado", "güncellendi", "zaktualizowano", "bijgewerkt",
    )
)  # fmt: skip
# `<aside class="post-meta">`
_OF_POST = re.compile(r"meta|entry|post|date|byline")
_ASIDE_TAGS = frozenset(("aside", "nav"))
# Without an article there is no knowing how far up the names are still about the date.
_CLIMB = 4


def meaning_of(method: str, name: str, label: str | None = None) -> int:
    """How much a place's name, and the word before a date, say that it is the post's.

    >>> meaning_of("meta", "article:published_time") == CALLED_PUBLISHED
    True
    >>> meaning_of("meta", "article:modified_time") == OF_SOMETHING_ELSE
    True
    """
    name = name.lower()
    if method == "url":
        # The day a draft was begun, where addresses are file names: behind any shown date.
        return ADDRESS
    if says_updated(name, label) or _ASIDE.search(name):
        # WordPress themes put both names on the date of a post that was never changed.
        both = _PUBLISHED.search(name) and not _ASIDE.search(name)
        return NAMELESS if both else OF_SOMETHING_ELSE
    if _PUBLISHED.search(name):
        return CALLED_PUBLISHED
    return CALLED_DATE if _DATE.search(name) else NAMELESS


def says_updated(name: str, label: str | None = None) -> bool:
    """Whether a place calls its date one of a change.

    >>> says_updated("og:updated_time"), says_updated("span.date", "updated"), says_updated("span.date")
    (True, True, False)
    """
    return _UPDATED.search(name.lower()) is not None or label in _UPDATE_WORDS


def is_aside(sample: Sample, number: int) -> bool:
    """Whether an element stands in a part of the page about something else, or calls itself a change.

    Only what the element does not share with the article is looked at: the names of a wrapper
    around both are about the page.
    """
    layout, article = sample.layout, sample.article
    if number < 0:
        return False
    own = _names(layout.elements[number])
    if _UPDATED.search(own) and not _PUBLISHED.search(own):
        return True
    for _ in range(_CLIMB if article is None else len(layout.tags)):
        if number < 0 or layout.tags[number] == "body":
            return False
        if article is not None and number <= article < layout.stop[number]:
            return False
        names = _names(layout.elements[number])
        if _ASIDE.search(names) or (layout.tags[number] in _ASIDE_TAGS and not _OF_POST.search(names)):
            return True
        number = int(layout.parent[number])
    return False


def _names(element: Element) -> str:
    get = element.get
    return f"{get('class') or ''} {get('id') or ''} {get('itemprop') or ''}".lower()
