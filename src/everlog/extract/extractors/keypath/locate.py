"""The nodes of one feed entry's values on its page: the article first, the others near it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from everlog.extract.extractors.keypath.match import Match, TextIndex, match_text, nearest, strip_markup, without_blanks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.etree import _Element


HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

# Parents that group a title and its subtitle are called after it. Blogs also set dates and names as
# headings beside the title; those stand in parents of other names (`article-meta`).
GROUPS = ("hgroup", "head")

# They structure a text and do not wrap it: a match that ends in one is a part of the article. The paper
# names `p` and `section`; inline markup, lists and headings do the same.
PARTS = HEADINGS | frozenset({
    "p", "section", "span", "a", "b", "i", "u", "em", "strong", "small", "font", "code", "pre",
    "blockquote", "ul", "ol", "li", "dl", "dd", "dt",
})

# What may stand around an author's name in its node ("Posted by", "Автор:"), in characters.
AROUND_A_NAME = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class PathSample:
    """A page and what the feed says of it, as text or with markup; None or empty where it says nothing."""

    root: _Element
    title: str | None = None
    content: str | None = None
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(slots=True)
class Located:
    """The nodes of a sample's values. For each tag, all nodes that are it and nothing else."""

    index: TextIndex
    title: _Element | None = None
    content: _Element | None = None
    author: _Element | None = None
    tags: list[list[_Element]] = field(default_factory=list)


def locate(sample: PathSample) -> Located:
    """Find a sample's values on its page; those that are not there are left out."""
    index = TextIndex(sample.root)
    located = Located(index)
    title, content = _divided(index, sample.title, sample.content)
    titles = _titles(index, title)
    articles = match_text(index, content) if content else []
    located.content = _article(articles, titles)
    if titles:
        located.title = generalised_title(nearest(titles, located.content))
    near = located.content if located.content is not None else located.title
    authors = [node for name in sample.authors for node in _named(index, name, AROUND_A_NAME)]
    if authors:
        located.author = nearest(authors, near)
    located.tags = [_innermost(index.names.get(tag_key(tag), [])) for tag in sample.tags]
    return located


def generalised_title(heading: _Element) -> _Element:
    """A title without the step of its heading if a parent does nothing but group headings.

    >>> from lxml import etree
    >>> page = etree.HTML("<hgroup><h1>Title</h1><h2>Subtitle</h2></hgroup><div><h1>Title</h1>by me</div>")
    >>> [generalised_title(heading).tag for heading in page.iter("h1")]
    ['hgroup', 'h1']
    """
    parent = heading.getparent()
    if heading.tag in HEADINGS and parent is not None and len(parent) > 1:
        named = f"{parent.tag} {parent.get('class') or ''}".lower()
        if any(word in named for word in GROUPS) and all(child.tag in HEADINGS for child in parent):
            return parent
    return heading


def generalised_article(element: _Element) -> _Element:
    """An article's node without the steps that only structure its text.

    A `section` is dropped if it is one of several: many themes call the whole text one.

    >>> from lxml import etree
    >>> page = etree.HTML("<article><section><p>a</p></section></article><div><section>b</section><section>")
    >>> [generalised_article(page.find(path)).tag for path in (".//p", ".//div/section")]
    ['section', 'div']
    """
    parent = element.getparent()
    while element.tag in PARTS and parent is not None and parent.tag != "body":
        if element.tag == "section" and len(parent.findall("section")) == 1:
            break
        element, parent = parent, parent.getparent()
    return element


def tag_key(tag: str) -> str:
    """A tag as it is compared, without what lists of tags put around it.

    >>> tag_key("#Web Archives, ")
    'webarchives'
    """
    return without_blanks(strip_markup(tag)).strip("#,;·|/")


def _divided(index: TextIndex, title: str | None, content: str | None) -> tuple[str | None, str | None]:
    """Title and content, told apart if a feed has put both into one field.

    The title comes first. Shrinking the field leaves what the page has in one place: the title; what
    was cut off is searched again, and is the content if the page has it elsewhere.
    """
    plain = strip_markup(content) if content else None
    named = strip_markup(title) if title else None
    if plain and named:
        head = without_blanks(named)
        if without_blanks(plain).startswith(head):
            rest = _cut(plain, len(head))
            if match_text(index, rest):
                return named, rest
        return named, plain
    both = plain or named
    if not both:
        return None, None
    squeezed = without_blanks(both)
    for node in index.outline.elements:
        head = index.text_of(node) if node.tag in HEADINGS else ""
        if head and squeezed.startswith(head):
            rest = _cut(both, len(head))
            if match_text(index, rest):
                return both[:len(both) - len(rest)], rest
    return named, plain


def _cut(text: str, length: int) -> str:
    """A text without its first characters, blanks not counted."""
    for place, character in enumerate(text):
        if length <= 0:
            return text[place:]
        length -= len(without_blanks(character))
    return ""


def _titles(index: TextIndex, title: str | None) -> list[_Element]:
    """The nodes that are the title: of nested ones the heading, else the innermost."""
    found = _named(index, title, 0) if title else []
    headings = [node for node in found
                if node.tag in HEADINGS or any(outer.tag in HEADINGS for outer in node.iterancestors())]
    return headings or found


def _named(index: TextIndex, name: str, around: int) -> list[_Element]:
    """The innermost nodes that are a name, else those that have little around it."""
    wanted = without_blanks(strip_markup(name))
    if not wanted:
        return []
    found = index.names.get(wanted)
    if not found and around:
        found = [node for text, nodes in index.names.items()
                 if wanted in text and len(text) <= len(wanted) + around for node in nodes]
    return _innermost(found or [])


def _innermost(found: Sequence[_Element]) -> list[_Element]:
    """The nodes without those that only wrap another of them; a heading stands for what is in it."""
    nodes = set(found)
    return [node for node in found if node.tag in HEADINGS or nodes.isdisjoint(node)]


def _article(matches: Sequence[Match], titles: Sequence[_Element]) -> _Element | None:
    """The article among the matches: the one nearest to the title, where that is in one place."""
    if not matches:
        return None
    title = titles[0] if len(titles) == 1 else None
    return generalised_article(nearest([match.element for match in matches], title))
