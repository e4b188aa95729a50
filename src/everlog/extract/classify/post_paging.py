"""Pages of one post: the pages its text is split over, and the pages of its comments.

    /a-post/2/, ?p=7&page=2                   further pages of the text
    /a-post/comment-page-2/, ?p=7&cpage=2     pages of the comments

Lists have pages as well (`/page/2/`), and so have calendars. Further pages of a text are those that the post's own
page links to by their numbers, whose addresses extend its own, and that link back to it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urldefrag, urlsplit

from everlog.core.links import resolved
from everlog.core.noise_names import names_comments
from everlog.core.tree import Element, drop, visible_pieces
from everlog.core.urls import absolute, canonical
from everlog.core.words import words
from everlog.extract.classify.page_statements import canonical_link

_COMMENT_PATH = re.compile(r"(?<=[^/])/comment-page-(\d{1,4})(/?)$", re.IGNORECASE)
_COMMENT_QUERY = re.compile(r"(?:^|&)cpage=(\d{1,4})(?=&|$)", re.IGNORECASE)
# A link to a comment, or to the form below it: it names the page that the comment stands on, which may be this one.
_ONE_COMMENT = re.compile(r"(?:[\w-]*comment|c)-?\d+", re.IGNORECASE)
_FORM = "respond"
# Three digits: a year in the path of a calendar has four.
_NUMBERED_PATH = re.compile(r"(.*[^/])/([1-9]\d{0,2})")
_NUMBERED_QUERY = re.compile(r"page=([1-9]\d{0,2})")
# What WordPress calls links to the pages of a text, whatever a theme makes of the words in them.
_NUMBERS = "post-page-numbers"
# How WordPress names its interface, and block themes the element of the text.
_INTERFACE, _BLOCK_TEXT = "https://api.w.org/", "wp-block-post-content"
# "2", "Page 2", "Seite 2 von 3": who says more than the number says a few words.
_FEW_WORDS = 4
# Elements that hold a text, not a row of links.
_CONTENT = ("p", "img", "figure", "video", "audio", "table", "pre", "blockquote", "h1", "h2", "h3", "form")

Numbered = tuple[tuple[int, str], ...]


class Paging(NamedTuple):
    """Further pages of a post that its page names, by their numbers.

    `shown` is the number, among the pages of the comments, of the page itself; None where it does not say. `told_by`
    is the address that tells which posts are split, where pages show no links to their further pages.
    """

    text: Numbered = ()
    comments: Numbered = ()
    shown: int | None = None
    told_by: str | None = None


NO_PAGES = Paging()


@dataclass(slots=True)
class Trail:
    """The way over a post's further pages: each page may name more of them; the lowest number comes first."""

    _waiting: dict[int, str] = field(default_factory=dict)
    _met: set[int] = field(default_factory=set)

    def name(self, pages: Numbered) -> None:
        """Add what a page names."""
        self._waiting.update((number, url) for number, url in pages if number not in self._met)

    def next(self) -> tuple[int, str] | None:
        """The next page to look at, and its number; None if there is none."""
        if not self._waiting:
            return None
        number = min(self._waiting)
        self._met.add(number)
        return number, self._waiting.pop(number)


def paging_of(root: Element, url: str, *, of: int = 1) -> Paging:
    """The further pages of the post at `url` that one of its pages names, the first or the one of another number.

    >>> from everlog.core.tree import parse
    >>> page = parse(b"<p>Pages: 1 <a href='/a/2/'>2</a></p><a href='/a/comment-page-4/#comments'>Older comments</a>")
    >>> paging_of(page, "https://a.org/a/")[:2]
    (((2, 'https://a.org/a/2/'),), ((4, 'https://a.org/a/comment-page-4/'),))
    """
    own = _own_keys(root, url)
    stems = tuple(map(_stem, own))
    links = [link for link in _links(root, url, numbered=True) if link.key.startswith(stems)]
    text = {number: link.url for link in links for number in _numbers_of(link, own, of=of) if number > 1}
    if any(_is_row(links, key) for key in own):
        text = {}
    comments, shown = _comment_pages(root, links, own)
    told_by = _index(root, url) if not text and of == 1 else None
    return Paging(text=tuple(sorted(text.items())), comments=comments, shown=shown, told_by=told_by)


def first_page(root: Element, url: str) -> tuple[str, int] | None:
    """The address of the post that a page continues, and the page's number; None if it continues none.

    >>> from everlog.core.tree import parse
    >>> page = parse(b"<p>Pages: <a href='/a/'>1</a> 2</p>")
    >>> first_page(page, "https://a.org/a/2/"), first_page(page, "https://a.org/b/2/")
    (('https://a.org/a/', 2), None)
    """
    for above, number in (pair for own in sorted(_own_keys(root, url)) for pair in _above(own)):
        links = [link for link in _links(root, url) if link.key.startswith(_stem(above))]
        named = {found: link.url for link in links for found in _numbers_of(link, {above}, of=number)}
        if number > 1 and {1, number - 1} & named.keys() and not _is_row(links, above):
            return named.get(1) or f"{urlsplit(url).scheme}://{above}", number
    return None


def further_page(url: str, number: int) -> str:
    """The address of a further page of the text of a post of WordPress.

    >>> further_page("https://a.org/a/", 2), further_page("https://a.org/?p=7", 3)
    ('https://a.org/a/2/', 'https://a.org/?p=7&page=3')
    """
    parts = urlsplit(urldefrag(url).url)
    if parts.query:
        return parts._replace(query=f"{parts.query}&page={number}").geturl()
    return parts._replace(path=f"{parts.path.rstrip('/')}/{number}/").geturl()


def page_of_post(url: str, post: str) -> int | None:
    """Which further page of a post's text an address is spelled like; None if it is no such address.

    >>> page_of_post("https://a.org/a/2/", "https://a.org/a/"), page_of_post("https://a.org/a/amp/", "https://a.org/a/")
    (2, None)
    """
    number = _number(canonical(url), canonical(post))
    return number if number is not None and number > 1 else None


def drop_page_links(root: Element, url: str) -> None:
    """Take the links to the pages of a text out of its page: they are no part of the text."""
    own = _own_keys(root, url)
    posts = own | {above for key in own for above, _ in _above(key)}
    links = (link for link in _links(root, url) if link.element.tag == "a")
    marked = {link.element for link in links if any(_numbers_of(link, posts, of=0))}
    drop(list(dict.fromkeys(_row_around(element, marked) for element in marked)))


@lru_cache(maxsize=4_096)
def post_of_comment_page(url: str) -> tuple[str, int] | None:
    """The address of the post that a page of comments belongs to, and the page's number; None for other pages.

    >>> post_of_comment_page("https://a.org/a/comment-page-2/"), post_of_comment_page("https://a.org/?p=7&cpage=3")
    (('https://a.org/a/', 2), ('https://a.org/?p=7', 3))
    >>> post_of_comment_page("https://a.org/a/")
    """
    # Nearly all links of a page are none.
    if "comment-page-" not in url and "cpage=" not in url:
        return None
    parts = urlsplit(urldefrag(url).url)
    if match := _COMMENT_PATH.search(parts.path):
        return parts._replace(path=parts.path[: match.start()] + match[2]).geturl(), int(match[1])
    if match := _COMMENT_QUERY.search(parts.query):
        query = (parts.query[: match.start()] + parts.query[match.end():]).lstrip("&")
        return parts._replace(query=query).geturl(), int(match[1])
    return None


class _Link(NamedTuple):
    element: Element
    url: str
    key: str
    rel: str


def _links(root: Element, url: str, *, numbered: bool = False) -> Iterator[_Link]:
    """The links of a page; if `numbered`, those that may lead to a page with a number."""
    base = next((absolute(url, element.get("href")) for element in root.iter("base")), None) or url
    for element in root.iter("a", "link"):
        href = element.get("href")
        if not href or (numbered and not _may_be_numbered(href)):
            continue
        rel = next((word for word in (element.get("rel") or "").lower().split() if word in {"next", "prev"}), "")
        target = resolved(base, href) if element.tag == "a" or rel else None
        if target is not None:
            yield _Link(element, *target, rel)


def _may_be_numbered(href: str) -> bool:
    """Whether a part of an address ends with a number, or speaks of a page.

    Of the hundreds of links of a page nearly all do not, and need not be resolved to be told apart.

    >>> _may_be_numbered("/a/2/"), _may_be_numbered("/a/2 #top"), _may_be_numbered("?Page=2"), _may_be_numbered("/2/a")
    (True, True, True, False)
    """
    for part in href.replace("?", "#").split("#") if "?" in href or "#" in href else (href,):
        if part.rstrip().removesuffix("/")[-1:].isdecimal():
            return True
    return "page" in href.lower()


def _index(root: Element, url: str) -> str | None:
    """Where a blog of WordPress tells which posts are split over pages, if its theme does not show that.

    Block themes show links to the pages of texts that were split in the block editor, and of no others.
    """
    for link in root.iter("link"):
        if _INTERFACE in (link.get("rel") or "").lower().split():
            is_block_theme = any(_BLOCK_TEXT in (each.get("class") or "").split() for each in root.iter("div"))
            api = absolute(url, link.get("href")) if is_block_theme else None
            # Searching finds the mark that splits a text, without the signs that are taken out of a query.
            asked = "search=nextpage--&_fields=link&per_page=100"
            return f"{api}wp/v2/posts{'&' if '?' in api else '?'}{asked}" if api is not None else None
    return None


def _own_keys(root: Element, url: str) -> set[str]:
    """The keys under which a page may be known to its links."""
    stated = canonical_link(root, url)
    return {canonical(url), *((canonical(stated),) if stated is not None else ())}


def _numbers_of(link: _Link, posts: Iterable[str], *, of: int = 1) -> Iterator[int]:
    """As which page of one of these posts a link names its target; `of` is the number of the page it stands on."""
    for post in posts:
        number = _number(link.key, post)
        if number is not None and number != of and _is_named(link, number, of):
            yield number


def _is_named(link: _Link, number: int, of: int) -> bool:
    """Whether a link is one to a page of a text: by its name, by the number it shows, by its relation."""
    if link.element.tag == "link":
        # Heads of pages name the posts before and after as well; these do not extend each other's addresses.
        return number == of + (1 if link.rel == "next" else -1)
    if _NUMBERS in (link.element.get("class") or "").split():
        return True
    said = words(" ".join(visible_pieces(link.element)))
    return str(number) in said[:_FEW_WORDS] and len(said) <= _FEW_WORDS and not _is_about_comments(link.element)


def _is_row(links: Iterable[_Link], post: str) -> bool:
    """Whether the first of numbered pages bears its number as well: then they are posts in a row, not pages of one."""
    return any(link.key != post and _number(link.key, post) == 1 for link in links)


def _stem(key: str) -> str:
    """What the keys of all pages of a post begin with."""
    return key.partition("?")[0]


def _is_about_comments(element: Element) -> bool:
    return any(
        above.tag not in {"body", "html"} and names_comments(f"{above.get('id') or ''} {above.get('class') or ''}")
        for above in element.iterancestors()
    )


def _number(key: str, post: str) -> int | None:
    """Which page of a post an address is, 1 for its own; None if it is none.

    >>> _number("a.org/a/2", "a.org/a"), _number("a.org?p=7&page=3", "a.org?p=7"), _number("a.org/a", "a.org/a")
    (2, 3, 1)
    >>> _number("a.org/a/page/2", "a.org/a"), _number("a.org/2", "a.org")
    (None, None)
    """
    if key == post:
        return 1
    if not key.startswith(_stem(post)) or not (key[-1:].isdigit() or "page=" in key):
        return None
    return next((number for above, number in _above(key) if above == post), None)


def _above(key: str) -> Iterator[tuple[str, int]]:
    """The posts that a key may be a further page of, and which."""
    path, _, query = key.partition("?")
    pairs = query.split("&") if query else []
    for pair in pairs:
        if match := _NUMBERED_QUERY.fullmatch(pair):
            rest = "&".join(other for other in pairs if other != pair)
            # The pages of a home are lists.
            if rest or "/" in path:
                yield path + ("?" + rest if rest else ""), int(match[1])
    if not query and (match := _NUMBERED_PATH.fullmatch(path)) and "/" in match[1]:
        yield match[1], int(match[2])


def _row_around(element: Element, marked: Collection[Element]) -> Element:
    """The whole row that a link to a page of a text stands in, with its label."""
    row = element
    above = row.getparent()
    while above is not None and above.tag not in {"body", "main", "article"}:
        links = sum(link in marked for link in above.iter("a"))
        said = words(" ".join(visible_pieces(above)))
        holds_text = any(found is not row and found is not above for found in above.iter(*_CONTENT))
        if holds_text or len(said) > _FEW_WORDS + 2 * (links + 1):
            break
        row, above = above, above.getparent()
    return row


def _comment_pages(root: Element, links: Iterable[_Link], own: Collection[str]) -> tuple[Numbered, int | None]:
    """The pages of a post's comments that its page links to, and which of them it is itself."""
    named = [(link, found) for link in links if (found := post_of_comment_page(link.url)) is not None]
    idents = {element.get("id") for element in root.iter("*")} if named else set()
    pages: dict[int, str] = {}
    here: Counter[int] = Counter()
    for link, found in named:
        target = resolved(link.url, found[0])
        if target is None or target[1] not in own:
            continue
        fragment = (link.element.get("href") or "").partition("#")[2]
        if _ONE_COMMENT.fullmatch(fragment):
            here[found[1]] += fragment in idents
        elif fragment != _FORM and "replytocom" not in link.url:
            pages.setdefault(found[1], link.url)
    shown = here.most_common(1)[0][0] if any(here.values()) else None
    return tuple(sorted((number, page) for number, page in pages.items() if number != shown)), shown
