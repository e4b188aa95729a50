"""Is a page drawn by JavaScript? The feed knows what should stand on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.core.tree import Element, parse, parse_fragment, visible_text
from everlog.core.words import words
from everlog.errors import UnreadablePage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.records import Entry, Page

# Words in a row that are looked for: single words stand on every page.
ROW = 3
# Entries with fewer words say too little about a page.
FEWEST_WORDS = 8
# More words of an entry do not tell more; a hostile feed shall cost no more.
MOST_WORDS = 400
MOST_CHARACTERS = 40_000
# What share of an entry must stand on its page. On 811 pages of 83 blogs that need no browser it is 0.67 and
# more, but for two pages (0.0 and 0.03) of blogs whose other pages show all.
SHOWN = 0.3
# A page with fewer words, and scripts, is a shell. It speaks where the feed says too little.
SHELL_WORDS = 20


def needs_browser(pairs: Iterable[tuple[Entry, Page]]) -> bool:
    """Whether most pages of a feed's entries lack what the feed says of them: a script must write it there.

    >>> from everlog.records import Entry, Page
    >>> entry = Entry(link="/a", content="It was the best of times, it was the worst of times, and so on.")
    >>> said = Page(url="/a", body=b"<p>It was the best of times, it was the worst of times, and so on.</p>")
    >>> needs_browser([(entry, said)]), needs_browser([(entry, Page(url="/a", body=b"<div id=app></div>"))])
    (False, True)
    """
    shares = [share for entry, page in pairs if (share := share_shown(entry, page)) is not None]
    return bool(shares) and sorted(shares)[len(shares) // 2] < SHOWN


def share_shown(entry: Entry, page: Page) -> float | None:
    """How much of what a feed says of a post stands on its page, in [0, 1]; None if it says too little."""
    said = _words_of(max(entry.content or "", entry.summary or "", key=len))
    try:
        root = parse(page.body, page.content_type)
    except UnreadablePage:
        return None
    shown = words(_all_text(root))
    if len(said) < FEWEST_WORDS:
        is_shell = len(shown) < SHELL_WORDS and next(root.iter("script"), None) is not None
        return 0.0 if is_shell else None
    rows = _rows(said)
    return len(rows & _rows(shown)) / len(rows)


def _words_of(markup: str) -> list[str]:
    if not markup.strip():
        return []
    return words(visible_text(parse_fragment(markup[:MOST_CHARACTERS])))[:MOST_WORDS]


def _all_text(root: Element) -> str:
    """The text of a page, hidden parts too: those are shown by a click and need no browser to be read."""
    skipped = {"script", "style", "template", "noscript"}
    return " ".join(piece for element in root.iter() if element.tag not in skipped for piece in _pieces(element))


def _pieces(element: Element) -> tuple[str, ...]:
    own = element.text if isinstance(element.tag, str) else None
    return tuple(filter(None, (own, element.tail)))


def _rows(found: list[str]) -> set[tuple[str, ...]]:
    return set(zip(*(found[start:] for start in range(ROW)), strict=False))
