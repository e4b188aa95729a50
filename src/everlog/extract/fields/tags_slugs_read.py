"""Tags that a page states only as slugs: in the addresses of links, or in the classes of the post.

A slug is a name made fit for addresses: `new-york`. Engines drop accents, and where two terms would get
the same slug they append the slug of the parent or a number: `linux-news`, `android-2`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import unquote

from everlog.core.words import comparable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from everlog.markup.view import View

_ENDS = re.compile(r"/?(?:index)?(?:\.html?|\.php)?/*$")
_PIECES = re.compile(r"[/?#&=]+")
# What engines write before the slug in the classes of a post's element.
KINDS = ("category", "tag")


@lru_cache(maxsize=20_000)
def link_slug(href: str) -> str:
    """The last piece of an address, where the slug of a tag stands.

    >>> link_slug("/tag/new-york/"), link_slug("/?cat=rain"), link_slug("/tags/rain.html")
    ('new-york', 'rain', 'rain')
    """
    return _PIECES.split(unquote(_ENDS.sub("", href)))[-1]


def class_slugs(view: View, kind: str) -> list[str]:
    """The slugs of one kind in the classes of the nearest element around the article that has any.

    >>> from everlog.core.tree import parse
    >>> root = parse(b"<div class='post-7 category-rain tag-wet'><p>It rained.")
    >>> from everlog.markup.view import View
    >>> class_slugs(View(root, "", article=root.find(".//p")), "tag")
    ['wet']
    """
    article = view.article
    if article is None:
        return []
    start = f"{kind}-"
    for element in (article, *article.iterancestors()):
        tokens = element.get("class", "").split() if element.tag != "body" else ()
        found = [token.removeprefix(start) for token in tokens if token.startswith(start)]
        if found:
            return found
    return []


def spelled(slugs: Iterable[str], detail: Mapping[str, str]) -> Iterator[str]:
    """The tags that slugs stand for, as the feed spells those it has.

    >>> list(spelled(["video-news", "new-york"], {"names": "video=Vidéo", "endings": "news"}))
    ['Vidéo', 'new york']
    """
    names = dict(line.split("=", 1) for line in detail.get("names", "").split("\n") if line)
    endings = [f" {ending}" for ending in detail.get("endings", "").split("\n") if ending]
    for slug in slugs:
        plain = comparable(slug)
        if plain not in names:
            plain = next((plain.removesuffix(end) for end in endings if plain.endswith(end)), plain)
        yield names.get(plain, plain)
