"""Comments read from a page by a table of selectors: the one reader of known engines, services and learned rules.

Every selector is looked up once for the whole page and its elements are handed to the comment they
stand in, so a page costs the same per comment whether it has ten or ten thousand, side by side or
nested in each other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everlog.comments.css import Nearest, Selection
from everlog.comments.markup_reader import Reader
from everlog.comments.parts import Parts, line_of
from everlog.comments.stated_counts import count_in
from everlog.comments.threads import short_id, threaded

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.core.tree import Element
    from everlog.records import Comment

# Lists of the latest comments of the whole blog.
ELSEWHERE = (
    ".widget_recent_comments, .recent-comments, .recent_comments, .recentcomments, #recent-comments, #recentcomments"
)
# One takes up to 0.3 ms, and 1.5 kB of a usual theme's page, of which 8 MB are read. Where a page holds more, so many
# are read and all are counted.
MOST_COMMENTS = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Markup:
    """How an engine, a service or a blog writes its comments, in CSS selectors.

    Alternatives parted by commas are tried in their order for every comment. All but `comment` and
    `cut` are looked for inside a comment, outside of comments nested in it; where nothing is inside, in
    what follows the comment's element beside it, up to the next (`dt`, `dd`, `dd`).
    """

    name: str
    # Each comment's element.
    comment: str
    # Its text: the first match, and further matches beside that one (`li > p`).
    text: str
    # The element whose text is the name.
    author: str | None = None
    # The element with the `href`; without it a link in, or around, the author's element.
    author_url: str | None = None
    # The element whose `datetime`, `content`, `data-*` or `title` is the date, or else its text.
    date: str | None = None
    # The element with the `href`.
    permalink: str | None = None
    # `@attribute` of the comment's element, or `SELECTOR@attribute`.
    id: str = "@id"
    # The id of the comment that is answered, in the same notation; without it nesting tells.
    parent: str | None = None
    # How deep a comment stands, in the same notation, or the prefix of a class such as `depth-`.
    depth: str | None = None
    # The element whose text states the number of comments.
    count: str | None = None
    # What stands inside the text and is not part of it.
    cut: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """The comments of one source, in the order of the page, and how many it says there are."""

    source: str
    comments: tuple[Comment, ...] = ()
    claimed: int | None = None


def read_marked(root: Element, url: str, markup: Markup, *, fetched_at: datetime | None = None) -> Thread:
    """The comments that stand in a page in this markup; the page stays as it is.

    >>> from everlog.core.tree import parse
    >>> page = parse(b"<ol><li id=c7><b>Ada</b><p>Fine.</p><ul><li id=c8><b>Bob</b><p>Not.</p></ul></ol>")
    >>> markup = Markup(name="mine", comment="li", text="p", author="b")
    >>> [(c.id, c.parent, c.author, c.text) for c in read_marked(page, "http://a.org/", markup).comments]
    [('7', None, 'Ada', 'Fine.'), ('8', '7', 'Bob', 'Not.')]
    """
    return read_selected(Selection(root), url, markup, fetched_at=fetched_at)


def read_selected(page: Selection, url: str, markup: Markup, *, fetched_at: datetime | None = None) -> Thread:
    """The same for a page that is asked for several markups."""
    stated = (count_in(line_of(element)) for element in (page.all(markup.count) if markup.count else ()))
    claimed = next((number for number in stated if number is not None), None)
    elements = comment_elements(page, markup)
    thread = read_elements(page, url, markup, elements, parts=_parts(page, markup), fetched_at=fetched_at)
    return thread if claimed is None else replace(thread, claimed=claimed)


def read_elements(
    page: Selection, url: str, markup: Markup, elements: list[Element], *, parts: Parts | None = None,
    fetched_at: datetime | None = None,
) -> Thread:
    """The same for comments whose elements, in document order, were found without the markup's selector."""
    if not elements:
        return Thread(source=markup.name)
    claimed = len(elements) if len(elements) > MOST_COMMENTS else None
    if claimed is not None:
        elements, parts = elements[:MOST_COMMENTS], None
    reader = Reader(page, url, markup, elements, parts)
    comments = reader.comments(reader.dates(fetched_at))
    answered = threaded(comments, reader.parents(), reader.answered())
    return Thread(source=markup.name, comments=answered, claimed=claimed)


def explained(page: Selection, markup: Markup) -> int:
    """How much of a page a markup understands, without reading it: texts that have a name and a date count most."""
    # Cheaper to tell than where the comments are, and enough to rule most markups out.
    if not page.may_have(markup.text) or not any(page.each(markup.text)):
        return 0
    if not comment_elements(page, markup):
        return 0
    parts = _parts(page, markup)
    texts = parts.some(markup.text)
    if not texts:
        return 0
    dates, authors = parts.some(markup.date), parts.some(markup.author)
    return sum(1 + (element in dates) + (element in authors) for element in texts)


def comment_elements(page: Selection, markup: Markup) -> list[Element]:
    """The elements of a page's own comments, each once: `li#li-comment-7` and `div#comment-7` in it are one."""
    # A page is asked four times: what a markup explains, how much that is, what it reads, where that stands.
    key = (markup.comment, markup.id)
    found = page.comments.get(key)
    if found is None:
        found = page.comments[key] = _comment_elements(page, markup)
    return found


def _parts(page: Selection, markup: Markup) -> Parts:
    """What belongs to the comments of a page: asked to see how much a markup explains, and to read what it does."""
    key = (markup.comment, markup.id)
    found = page.parts.get(key)
    if found is None:
        found = page.parts[key] = Parts(page, comment_elements(page, markup))
    return found


def _comment_elements(page: Selection, markup: Markup) -> list[Element]:
    found = page.all(markup.comment)
    if not found:
        return found
    elsewhere, nearest = Nearest(page.all(ELSEWHERE)), Nearest(found)
    idents = {element: short_id(element.get("id")) if markup.id == "@id" else None for element in found}
    return [
        element for element, ident in idents.items()
        if (ident is None or (above := nearest.above(element)) is None or idents[above] != ident)
        and elsewhere.at(element) is None and element not in page.no_comments
    ]
