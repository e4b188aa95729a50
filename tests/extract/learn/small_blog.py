"""Blogs of a few lines, as learning sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.core.layout import Layout, Vocabulary
from everlog.core.selectors import Finder
from everlog.core.tree import parse
from everlog.extract.fields.small_texts_read import selectors_used
from everlog.extract.samples import Sample
from everlog.markup.view import View

if TYPE_CHECKING:
    from everlog.core.rules import Ranked
    from everlog.records import Entry


def sample(entry: Entry, page: str, vocabulary: Vocabulary, url: str = "https://a.blog/x") -> Sample:
    """An entry and its page; the article is the element with the id `text`."""
    root = parse(page.encode())
    layout = Layout(root, vocabulary)
    article = next((i for i, e in enumerate(layout.elements) if e.get("id") == "text"), None)
    view = View(root, url, article=None if article is None else layout.elements[article])
    return Sample(entry=entry, url=url, view=view, layout=layout, article=article)


def blog(pages: list[tuple[Entry, str]]) -> list[Sample]:
    """The samples of a blog, with one vocabulary."""
    vocabulary = Vocabulary()
    return [sample(entry, page, vocabulary, f"https://a.blog/{i}") for i, (entry, page) in enumerate(pages)]


def view(page: str, rules: Ranked, url: str = "https://a.blog/old") -> View:
    """A page that is not in the feed, as a reader with these rules sees it."""
    root = parse(page.encode())
    found = Finder([*selectors_used(rules), "div#text"]).find(root)
    return View(root, url, found=found, article=next(iter(found["div#text"]), None))
