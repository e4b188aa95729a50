"""Tags of a post: the union of the learned places, each tag once."""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from everlog.core.rules import MANUAL, Ranked, Rule
from everlog.core.words import comparable, squeeze
from everlog.extract.fields.small_texts_read import Nearness, nearness_of, short_text
from everlog.extract.fields.tags_slugs_read import class_slugs, link_slug, spelled
from everlog.extract.manual import elements_by_hand, shown_value
from everlog.records import Provenance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from everlog.core.tree import Element
    from everlog.markup.view import View

# The most tags of a post in 3,600 looked at is 33; a place with many more is a cloud of all tags.
MAX_TAGS = 64
# Some people use whole error messages as tags; what is longer still is text.
MAX_TAG_LENGTH = 300
# Words of a tag in a list that only a label announces.
MAX_LISTED_WORDS = 5

_SEPARATORS = re.compile(r"\s*[,;|/·•、，；]+\s*")
_LABEL = re.compile(r"^[^\s:：]+(?: [^\s:：]+)?\s?[:：]\s*")
_COUNT = re.compile(r"\s*(?:\(\d+\)|\[\d+\]|×\s?\d+)$")
_EDGES = " \t\n,;|·•、，/\u200b"
_FALLBACK = "if-empty"


def read_tags(view: View, rules: Ranked) -> tuple[tuple[str, ...], Provenance] | None:
    """The tags of a page and where they were found, or None where it has none.

    All rules speak, except those that `use` only "if-empty": they are heard while no other did.
    """
    found: dict[str, str] = {}
    used: list[Rule] = []
    # Who set a rule by hand said all; where it finds nothing the others are asked.
    by_hand = [rule for rule in rules if rule.method == MANUAL and tags_by(view, rule)]
    for rule in by_hand or rules:
        if found and rule.detail.get("use") == _FALLBACK:
            continue
        tags = tags_by(view, rule)
        if tags:
            used.append(rule)
            for tag in tags:
                found.setdefault(comparable(tag) or tag, tag)
    if not found:
        return None
    confidences = [rule.confidence for rule in used if rule.confidence is not None]
    where = " + ".join(rule.where for rule in used)
    method = used[0].method
    return tuple(found.values()), Provenance(
        method=method, rule=where or None, confidence=min(confidences) if confidences else None
    )


def tags_by(view: View, rule: Rule) -> list[str]:
    """What one rule reads.

    >>> from everlog.markup.view import View
    >>> from everlog.core.rules import Rule
    >>> from everlog.core.tree import parse
    >>> view = View(parse(b"<meta name=keywords content='rain, #snow'>"), "")
    >>> tags_by(view, Rule(method="meta", where="keywords", detail={"split": "yes"}))
    ['rain', 'snow']
    """
    split = "split" in rule.detail
    shown = _READERS[rule.method](view, rule)
    tags = [tag for text in shown for part in (parts(text) if split else (text,)) if (tag := as_tag(part))]
    return tags if len(tags) <= MAX_TAGS else []


def parts(text: str) -> list[str]:
    """The tags in a text that lists several, without the word before them.

    >>> parts("Tags: rain, snow / hail")
    ['rain', 'snow', 'hail']
    """
    return _SEPARATORS.split(_LABEL.sub("", squeeze(text)))


def as_tag(text: str) -> str | None:
    """A tag without its hash sign, its count and the comma after it.

    >>> as_tag("#rain (3),"), as_tag("C#")
    ('rain', 'C#')
    """
    tag = _COUNT.sub("", squeeze(text).strip(_EDGES)).lstrip("#＃").strip(_EDGES)
    return tag if tag and len(tag) <= MAX_TAG_LENGTH and any(map(str.isalnum, tag)) else None


def link_shape(href: str) -> str:
    """The part of a link's address that says what kind of thing it leads to.

    >>> link_shape("https://example.org/blog/tag/rain/"), link_shape("/index.php?cat=7")
    ('/tag/', '?cat=')
    >>> link_shape("/tags/#rain"), link_shape("/rain")
    ('/tags/#', '/')
    """
    try:
        address = urlsplit(href)
    except ValueError:
        return ""
    path, _, last = address.path.removesuffix("index.html").rstrip("/").rpartition("/")
    if address.fragment:
        return f"/{last}/#"
    if address.query and "=" in address.query:
        return f"?{address.query.partition('=')[0]}="
    return f"/{path.rpartition('/')[2]}/" if path.strip("/") else "/"


def linked(element: Element) -> str:
    """The address of the link that an element is, holds or stands in."""
    href = element.get("href")
    if href is None:
        inner = next(element.iter("a"), None)
        if inner is not None:
            href = inner.get("href")
        else:
            above = element.getparent()
            href = above.get("href") if above is not None else None
    return href or ""


def _by_selector(view: View, rule: Rule) -> Iterable[str]:
    elements = tagged_elements(view, rule)
    if rule.detail.get("value") == "slug":
        return spelled((link_slug(linked(element)) for element in elements), rule.detail)
    texts = map(short_text, elements)
    label = rule.detail.get("label")
    return texts if label is None else (tag for text in texts for tag in behind_label(text, label))


def behind_label(text: str, label: str) -> list[str]:
    """The tags that a text lists behind a label, up to its end; none, if what stands there is a sentence.

    >>> behind_label("3 May 2024, Tags: rain, snow", "tags")
    ['rain', 'snow']
    """
    start = text.lower().rfind(label.lower())
    if start < 0:
        return []
    listed = parts(text[start:]) if _LABEL.match(text[start:]) else []
    return listed if all(len(tag.split()) <= MAX_LISTED_WORDS for tag in listed) and any(listed) else []


def tagged_elements(view: View, rule: Rule) -> list[Element]:
    """The elements of a selector that the rule's detail leaves: of one kind, of one place."""
    elements = view.found.get(rule.where, [])
    detail = rule.detail
    if not elements or not detail:
        return elements
    if "shape" in detail:
        elements = [element for element in elements if link_shape(linked(element)) == detail["shape"]]
    if "family" in detail:
        elements = [element for element in elements if family_of(element) == detail["family"]]
    if "pick" in detail and elements:
        levels = rule.where.count(">") or 1
        first = _container(elements[0], levels)
        elements = [element for element in elements if _container(element, levels) is first]
    return nearness_of(view).group(elements) if "near" in detail else elements


def _container(element: Element, levels: int) -> Element | None:
    """The element that holds a list of tags: as far up as its selector reaches."""
    node: Element | None = element
    for _ in range(levels):
        node = node.getparent() if node is not None else None
    return node


def _by_hand(view: View, rule: Rule) -> Iterator[str]:
    """The links of the elements, or what is listed in those without links."""
    for element in elements_by_hand(view, rule):
        links = list(element.iter("a"))
        yield from map(short_text, links) if links else parts(shown_value(element))


def _by_meta(view: View, rule: Rule) -> Iterable[str]:
    return view.meta.get(rule.where, ())


def _by_json_ld(view: View, rule: Rule) -> Iterable[str]:
    return (text for node in view.json_ld[:1] for text in _texts(node.get(rule.where)))


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [unescape(value)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return _texts(value.get("name")) if isinstance(value, dict) else []


def _by_class(view: View, rule: Rule) -> Iterable[str]:
    return spelled(class_slugs(view, rule.where), rule.detail)


def _by_feed(_view: View, rule: Rule) -> Iterable[str]:
    return (rule.where,)


def _by_url(view: View, rule: Rule) -> Iterable[str]:
    folders = [unquote(part) for part in urlsplit(view.url).path.split("/")[1:-1] if part]
    place = int(rule.where)
    return (folders[place].replace("-", " "),) if place < len(folders) else ()


# Words with which engines name the pages of a tag or a category in their addresses.
_FOLDERS = {
    "tag": "tag tags tagged label labels topic topics keyword keywords etiqueta etiquetas etiquette "
    "etiquettes schlagwort schlagworte mot-cle mots-cles tema temas",
    "category": "category categories categorie categoria categorias kategorie kategorien kategori kategoria "
    "cat cats rubrique rubriques rubrik rubriken",
}
FAMILIES = tuple(_FOLDERS)
_KINDS = {word: family for family, words in _FOLDERS.items() for word in words.split()}
_PIECES = re.compile(r"[/?#&]+")
_REL = {"tag": "tag", "category": "category", "category tag": "category", "tag category": "category"}
# Letters beside the links of a paragraph; a list of tags has a label, a sentence has more.
_PROSE_LETTERS = 60


def family_of(link: Element) -> str | None:
    """Whether a link leads to the page of a tag or of a category.

    >>> from everlog.core.tree import parse_fragment
    >>> links = parse_fragment("<a href=/tags/#x></a><a href='?cat=3'></a><a href=/x>").iter("a")
    >>> [family_of(a) for a in links]
    ['tag', 'category', None]
    """
    return _family(link.get("href"), link.get("rel"))


# The links of menus and sidebars are the same on all pages of a blog.
@lru_cache(maxsize=20_000)
def _family(href: str | None, rel: str | None) -> str | None:
    if href is None:
        return None
    *folders, last = _PIECES.split(href.lower().rstrip("/"))
    for folder in folders:
        family = _KINDS.get(folder.removesuffix(".html"))
        if family is not None:
            return family
    name, is_parameter, _ = last.partition("=")
    return (_KINDS.get(name) if is_parameter else None) or (_REL.get(rel) if rel else None)


def is_own_link(link: Element, view: View, nearness: Nearness) -> bool:
    """Whether a link to a tag stands with the post, not in a menu, a sidebar or a sentence."""
    href = link.get("href") or ""
    if "//" in href and _host(href) != _host(view.url):
        return False
    above = link.getparent()
    if above is not None and above.tag in {"p", "li", "blockquote", "em", "strong", "i", "b"}:
        bare = [above.text or "", *(child.tail or "" for child in above)]
        if sum(map(len, map(str.strip, bare))) > _PROSE_LETTERS:
            return False
    return not nearness.is_elsewhere(link)


def _host(url: str) -> str:
    return url.partition("//")[2].partition("/")[0].lower().removeprefix("www.")


def _by_standard(view: View, rule: Rule) -> Iterator[str]:
    families = [links for links in standard_links(view, rule.where.split()).values() if links]
    if "pick" in rule.detail:
        families = families[:1]
    return (short_text(link) for links in families for link in links)


def standard_links(view: View, families: Sequence[str]) -> dict[str, list[Element]]:
    """For each family the links near the article whose address or `rel` says that they lead to a tag."""
    links = [
        (family, link)
        for link in view.root.iter("a")
        if (family := _family(link.get("href"), link.get("rel"))) is not None and family in families
    ]
    if not links:
        return {}
    nearness = nearness_of(view)
    own = [(family, link) for family, link in links if is_own_link(link, view, nearness)]
    return {wanted: nearness.group([link for family, link in own if family == wanted]) for wanted in families}


_READERS: dict[str, Callable[[View, Rule], Iterable[str]]] = {
    MANUAL: _by_hand,
    "selector": _by_selector,
    "meta": _by_meta,
    "json-ld": _by_json_ld,
    "feed-constant": _by_feed,
    "class": _by_class,
    "url": _by_url,
    "standard": _by_standard,
}
