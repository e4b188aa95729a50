"""Article HTML made safe to store and show: only markup that carries text, structure or media."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urljoin

import nh3
from lxml import etree

from everlog.core.tree import UNSETTABLE, Element
from everlog.markup.revealing import reveal_media
from everlog.markup.srcset import candidates, spelled

_TAGS = frozenset(
    "a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup dd del details "
    "dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li mark ol p "
    "picture pre q rp rt ruby s samp section small source span strong sub summary sup table tbody td "
    "tfoot th thead time tr u ul var wbr audio video track".split()
)
_ATTRIBUTES = {
    "*": {"lang", "dir", "title", "id"},
    "a": {"href", "hreflang"},
    "img": {"src", "srcset", "sizes", "alt", "width", "height"},
    "source": {"src", "srcset", "type", "media"},
    "audio": {"src", "controls"},
    "video": {"src", "controls", "poster", "width", "height"},
    "track": {"src", "kind", "srclang", "label"},
    "time": {"datetime"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "ol": {"start", "type", "reversed"},
    "blockquote": {"cite"},
    "q": {"cite"},
    "pre": {"class"},
    "code": {"class"},
}
_LINKS = ("href", "src", "poster", "cite")
# Elements that say nothing where they stand around everything.
WRAPPERS = frozenset(("div", "article", "section"))
# A tag that holds what a wrapper holds and that cleaning takes away, content left in place.
_TAKEN_AWAY = "main"
_RULES: dict[str, Any] = {
    "tags": set(_TAGS), "attributes": _ATTRIBUTES, "link_rel": None, "url_schemes": {"http", "https", "mailto"},
}
# Made once where it can be: reading the rules takes thirty times as long as cleaning a short comment by them.
_clean: Callable[[str], str] = nh3.Cleaner(**_RULES).clean if hasattr(nh3, "Cleaner") else partial(nh3.clean, **_RULES)
# The elements that keep one of these, or a `srcset`.
_LINKING = ("a", "img", "source", "audio", "video", "track", "blockquote", "q")


def clean_html(article: Element, url: str) -> str:
    """The article's inner HTML with absolute links, late media in place, no scripts, styles and handlers.

    >>> from everlog.core.tree import parse
    >>> clean_html(parse(b'<div><p onclick="x()">Hi <a href="b">b</a><script>x</script></div>')[0][0], "http://a.org/c/")
    '<p>Hi <a href="http://a.org/c/b">b</a></p>'
    """
    reveal_media(article)
    for element in article.iter(*_LINKING):
        for name in _LINKS:
            value = element.get(name)
            if value and not value.startswith(("http://", "https://", "#", "data:")):
                element.set(name, _absolute(url, value))
        # Cleaning looks at what browsers follow by themselves. A reader that shows sources must be safe as well.
        if not element.get("cite", "#").startswith(("http:", "https:", "#")):
            del element.attrib["cite"]
        if sizes := element.get("srcset"):
            element.set("srcset", _absolute_sizes(url, sizes))
    return clean_text_markup(article)


def clean_text_markup(article: Element) -> str:
    """The same for an element without links and media, which have nothing to be made whole.

    >>> from everlog.core.tree import parse
    >>> clean_text_markup(parse(b'<div><p onclick="x()">Hi<script>x</script></div>')[0][0])
    '<p>Hi</p>'
    """
    # Cleaning is the last step: whatever is cut from markup that is safe may make it unsafe again.
    return _clean(_inner(article)).strip()


def _absolute(url: str, link: str) -> str:
    try:
        return UNSETTABLE.sub("", urljoin(url, link.strip()))
    except ValueError:  # an address that is none, such as //[x
        return ""


def _absolute_sizes(url: str, srcset: str) -> str:
    absolute = ((_absolute(url, link), descriptor) for link, descriptor in candidates(srcset))
    return spelled(pair for pair in absolute if pair[0].startswith(("http://", "https://")))


def _inner(article: Element) -> str:
    """The article as markup, yet to be cleaned, without the one element around everything."""
    whole = article
    while whole.tag not in _TAGS and len(whole) == 1 and not (whole.text or "").strip():
        if (whole[0].tail or "").strip():
            break
        whole = whole[0]
    tag = whole.tag
    # A name that only a parser gives, such as `t<div`, cannot be set, not even again.
    if tag not in WRAPPERS:
        return etree.tostring(whole, method="html", encoding="unicode", with_tail=False)
    whole.tag = _TAKEN_AWAY
    try:
        return etree.tostring(whole, method="html", encoding="unicode", with_tail=False)
    finally:
        whole.tag = tag
