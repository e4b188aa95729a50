"""Rows of the WordPress REST interface: which fields are asked for, and what posts and comments they become."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from everlog.feeds.labels import plain
from everlog.history.answers import (
    article_of,
    json_of,
    local_moment,
    number_at,
    numbers_at,
    own_url,
    rows_of,
    text_at,
)
from everlog.history.source import HistoryAnswer, HistoryRequest, ListedComment, ListedPost
from everlog.records import Comment, Entry

Row: TypeAlias = "Mapping[str, Any]"

# What the interface gives at most; more is refused with a 400.
PER_PAGE = 100
# A server that cannot put a page together is asked for less at once; 10 posts are in its feed, too.
SMALLER = {PER_PAGE: 25, 25: 10}
TOO_MUCH = frozenset({0, 500, 502, 503, 504})
POST_FIELDS = "id,link,date,date_gmt,modified,modified_gmt,title,content,author,categories,tags"
# Of few posts, the names come with them: for a hundred that takes a server five times as long.
WITH_NAMES: Mapping[str, str] = {"_embed": "author,wp:term", "_fields": f"{POST_FIELDS},_links,_embedded"}
LISTED_FIELDS = "id,link,modified_gmt"
COMMENT_FIELDS = "id,post,parent,author_name,author_url,date,date_gmt,content,link"
# Names of each kind that are kept with a cursor or a mark: more are asked for again, where posts have them.
MOST_KEPT = 5_000
PAGES = "pages"
# Types of a blog's own that are asked for: one request each, though most have no posts.
MOST_TYPES = 8
# What a site is put together of, and not what it says. WordPress' own parts begin with `wp_`; those of page builders
# have such words in their names. Which types have pages of their own is told to their editors alone.
_NO_PAGES = frozenset({"post", "page", "attachment", "nav_menu_item"})
_NO_PAGE = re.compile(
    r"^wp_|(?:^|[_-])(?:blocks?|templates?|navigation|menus?|fonts?|styles?|library|layouts?|forms?|popups?)(?:$|[_-])",
)
# The address of what has no page of its own, as of a type that the site only uses in others.
_HAS_NO_PAGE = re.compile(r"[?&]post_type=[^&]+&p=\d+")
_ROUTE = re.compile(r"[\w-]{1,60}", re.ASCII)
# Where names come from, and the name that posts have for them.
NAMES: Mapping[str, str] = {"users": "author", "categories": "categories", "tags": "tags"}
_TAXONOMIES: Mapping[str, str] = {"category": "categories", "post_tag": "tags"}


def request_for(root: str, what: str, **parameters: object) -> HistoryRequest:
    """A request for rows below the root of the interface, pretty or plain.

    >>> request_for("https://a.org/wp-json/", "posts", per_page=1).url
    'https://a.org/wp-json/wp/v2/posts?per_page=1'
    >>> request_for("https://a.org/?rest_route=/", "posts", per_page=1).url
    'https://a.org/?rest_route=/wp/v2/posts&per_page=1'
    """
    query = "&".join(f"{name}={value}" for name, value in parameters.items())
    url = f"{root}wp/v2/{what}{'&' if 'rest_route=' in root else '?'}{query}"
    return HistoryRequest(url=url.rstrip("?&"), purpose="api", tells="comments" if what == "comments" else "posts")


@dataclass(slots=True)
class Names:
    """The names of authors, categories and tags, by their numbers, and those that have none to be had."""

    known: dict[str, dict[int, str]] = field(default_factory=lambda: {what: {} for what in NAMES})
    # What the interface keeps to itself: security plug-ins hide the users.
    refused: set[str] = field(default_factory=set)
    # The most used were asked for; what is missing then is asked for by its number.
    asked: set[str] = field(default_factory=set)

    @classmethod
    def kept(cls, document: Any) -> Names:
        """The names that a walk left with its mark: an update asks for new ones alone."""
        names = cls()
        for what in NAMES:
            found = document.get(what) if isinstance(document, dict) else None
            if isinstance(found, dict):
                names.known[what] = {int(number): str(name) for number, name in found.items()}
                names.asked.add(what)
        return names

    def to_keep(self) -> dict[str, dict[str, str]]:
        """The names for a mark, as plain data."""
        return {
            what: {str(number): name for number, name in list(known.items())[:MOST_KEPT]}
            for what, known in self.known.items() if what in self.asked
        }

    def missing_from(self, rows: Iterable[Mapping[str, Any]]) -> tuple[str, tuple[int, ...]] | None:
        """What to ask for next before these posts can be told: names of one kind, by their numbers."""
        rows = tuple(rows)
        for what, name in NAMES.items():
            if what not in self.refused:
                wanted = sorted({number for row in rows for number in _numbers(row, name)} - self.known[what].keys())
                if wanted:
                    return what, tuple(wanted[:PER_PAGE])
        return None

    def request(self, root: str, what: str, wanted: Sequence[int]) -> HistoryRequest:
        """The most used names of a kind at first; later those that are missing."""
        if what not in self.asked:
            order = {} if what == "users" else {"orderby": "count", "order": "desc"}
            return request_for(root, what, per_page=PER_PAGE, _fields="id,name", **order)
        return request_for(root, what, per_page=PER_PAGE, include=",".join(map(str, wanted)), _fields="id,name")

    def take(self, answer: HistoryAnswer, what: str, wanted: Sequence[int]) -> None:
        """Take in what an answer names; what was asked for by number and is not there has no name."""
        rows = rows_of(answer)
        if rows is None:
            self.refused.add(what)
            return
        found = ((number_at(row, "id"), plain(text_at(row, "name"), is_html=True)) for row in rows)
        self.known[what] |= {number: name for number, name in found if number is not None and name}
        if what in self.asked or len(rows) < PER_PAGE:
            for number in wanted:
                self.known[what].setdefault(number, "")
        self.asked.add(what)

    def take_embedded(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Take in the names that posts bring with them.

        >>> names = Names()
        >>> names.take_embedded([{"_embedded": {"author": [{"id": 1, "name": "Jo"}]}}])
        >>> names.of({"author": 1}, "users")
        ('Jo',)
        """
        for row in rows:
            brought = row.get("_embedded")
            for each in _embedded(brought) if isinstance(brought, dict) else ():
                what = _TAXONOMIES.get(text_at(each, "taxonomy") or "", None if "taxonomy" in each else "users")
                number, name = number_at(each, "id"), plain(text_at(each, "name"), is_html=True)
                if what is not None and number is not None and name:
                    self.known[what].setdefault(number, name)

    def of(self, row: Mapping[str, Any], *kinds: str) -> tuple[str, ...]:
        """The names of these kinds that a post has, each once."""
        numbers = ((what, number) for what in kinds for number in _numbers(row, NAMES[what]))
        return tuple(dict.fromkeys(name for what, number in numbers if (name := self.known[what].get(number))))


@dataclass(slots=True)
class NamedRows:
    """Posts that wait until the names of their authors, categories and tags are known."""

    names: Names = field(default_factory=Names)
    _rows: list[Row] = field(default_factory=list)
    _kind: Literal["post", "page"] = "post"
    _total: int | None = None
    _wanted: tuple[str, tuple[int, ...]] | None = None

    @classmethod
    def resumed(cls, names: Any, wanted: Any) -> NamedRows:
        """As a walk left it: what was missing is asked for first, and then the posts again."""
        rows = cls(names=Names.kept(names))
        if isinstance(wanted, list | tuple) and len(wanted) == 2 and wanted[0] in NAMES:
            rows._wanted = (str(wanted[0]), tuple(map(int, wanted[1])))
        return rows

    @property
    def is_waiting(self) -> bool:
        return self._wanted is not None

    @property
    def wanted(self) -> tuple[str, tuple[int, ...]] | None:
        """What is asked for now: names of a kind, by their numbers."""
        return self._wanted

    def wait(self, rows: list[Row], kind: Literal["post", "page"], total: int | None) -> None:
        """These posts are to be told."""
        self._rows, self._kind, self._total = rows, kind, total
        self.names.take_embedded(rows)
        self._wanted = self.names.missing_from(rows)

    def request(self, root: str) -> HistoryRequest | None:
        """What to ask for before they can be; None if nothing is missing."""
        return None if self._wanted is None else self.names.request(root, *self._wanted)

    def take(self, answer: HistoryAnswer) -> None:
        """Take in an answer to that."""
        if self._wanted is not None:
            self.names.take(answer, *self._wanted)
        self._wanted = self.names.missing_from(self._rows)

    def told(self) -> tuple[list[Row], Literal["post", "page"], int | None]:
        """The posts, once; with the number of all."""
        rows, self._rows = self._rows, []
        return rows, self._kind, self._total


def _embedded(brought: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The authors, categories and tags that come with a post; those of a post stand in lists of lists."""
    for name in ("author", "wp:term"):
        waiting = brought.get(name)
        for each in waiting if isinstance(waiting, list) else ():
            yield from (one for one in (each if isinstance(each, list) else (each,)) if isinstance(one, dict))


def _numbers(row: Mapping[str, Any], name: str) -> tuple[int, ...]:
    own = number_at(row, name)
    return numbers_at(row, name) if own is None else (own,) if own else ()


def listed_post(row: Mapping[str, Any], root: str, names: Names, kind: Literal["post", "page"]) -> ListedPost | None:
    """A post as the interface tells it; None for a row that names no address of a page."""
    url, number = own_url(root, row, "link"), number_at(row, "id")
    if url is None or number is None or _HAS_NO_PAGE.search(url):
        return None
    content = row.get("content")
    is_locked = isinstance(content, dict) and content.get("protected") is True
    markup = text_at(row, "content", "rendered")
    published = local_moment(text_at(row, "date"), text_at(row, "date_gmt"))
    changed = local_moment(text_at(row, "modified"), text_at(row, "modified_gmt"))
    entry = Entry(
        link=url, title=plain(text_at(row, "title", "rendered")), content=None if is_locked else markup,
        authors=names.of(row, "users"), tags=names.of(row, "categories", "tags"), published=published,
        updated=changed if changed is not None and (published is None or changed > published) else None,
    )
    return ListedPost(
        url=url, id=str(number), entry=entry, is_whole=markup is not None and not is_locked, changed=changed, kind=kind,
        locked="password" if is_locked else None,
    )


def listed_address(
    row: Mapping[str, Any], root: str, kind: Literal["post", "page"] = "post",
) -> ListedPost | None:
    """The address of a post and when it changed, where no more was asked for."""
    url, number = own_url(root, row, "link"), number_at(row, "id")
    if url is None or number is None:
        return None
    return ListedPost(url=url, id=str(number), changed=local_moment(None, text_at(row, "modified_gmt")), kind=kind)


def listed_comment(row: Mapping[str, Any], root: str) -> ListedComment | None:
    """A comment as the interface tells it; None for a row that names no post."""
    post, number = number_at(row, "post"), number_at(row, "id")
    if not post or number is None:
        return None
    url = own_url(root, row, "link")
    text, html = article_of(text_at(row, "content", "rendered") or "", url or root)
    parent = number_at(row, "parent")
    comment = Comment(
        id=str(number), parent=str(parent) if parent else None, author=plain(text_at(row, "author_name"), is_html=True),
        author_url=own_url(root, row, "author_url"), text=text, html=html, url=url, source="api",
        published=local_moment(text_at(row, "date"), text_at(row, "date_gmt")),
    )
    return ListedComment(comment=comment, post_id=str(post))


def page_routes(answer: HistoryAnswer) -> tuple[str, ...]:
    """The routes of what is published beside posts: pages first, then types of the blog's own ("recipes", "books").

    >>> said = b'{"post": {"rest_base": "posts"}, "book": {"slug": "book", "rest_base": "books"}, "wp_block": {}}'
    >>> page_routes(HistoryAnswer(url="https://a.org/wp-json/wp/v2/types", status=200, body=said))
    ('pages', 'books')
    """
    found = json_of(answer.body) if answer.is_ok else None
    routes = []
    for slug, kind in found.items() if isinstance(found, dict) else ():
        if not isinstance(kind, dict) or slug in _NO_PAGES or _NO_PAGE.search(slug):
            continue
        route = text_at(kind, "rest_base")
        if route and _ROUTE.fullmatch(route) and text_at(kind, "rest_namespace") in {None, "wp/v2"}:
            routes.append(route)
    return (PAGES, *routes[:MOST_TYPES])


def rows_told(answer: HistoryAnswer) -> tuple[list[Mapping[str, Any]], str | None]:
    """The rows of an answer, or why there are none: an interface that is switched off says so in many ways."""
    rows = rows_of(answer)
    if rows is not None:
        return rows, None
    if not answer.is_ok:
        return [], f"the interface answers with HTTP {answer.status}" if answer.status else "it does not answer"
    return [], "the interface answers with something that is no list"
