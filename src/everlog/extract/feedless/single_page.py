"""One page of which nothing is known: no feed, no other page of its blog."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from functools import cache
from types import MappingProxyType

from everlog.core.rules import Rule
from everlog.core.tree import parse
from everlog.errors import UnreadablePage
from everlog.extract.article.article_read import Design
from everlog.extract.calibration import confidence
from everlog.extract.feedless.feedless_titles import guess_titles
from everlog.extract.fields.published_learn import standard_published
from everlog.extract.template import Template
from everlog.markup.view import View
from everlog.records import Post, Provenance, Skip

# What servers call pages; those without a name for them say text/plain, or nothing.
_TEXT = re.compile(r"html|text/plain|application/xml|text/xml", re.IGNORECASE)
_MAGIC = (
    (re.compile(rb"%PDF-"), "a PDF file"),
    (re.compile(rb"\x89PNG|GIF8|\xff\xd8\xff|PK\x03\x04|\x1f\x8b"), "a file of another kind"),
    (re.compile(rb'[{\[]\s*["{\[\]}]'), "JSON"),
    (re.compile(rb"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)?<(?:rss|feed|rdf:RDF)[\s>]", re.DOTALL), "a feed"),
)


def read_page(
    page: bytes, url: str, content_type: str | None = None, fetched: datetime | None = None,
) -> Post | Skip:
    """What a single page says, or a `Skip` with the reason why nothing can be made of it.

    The article is told by its lines (`extract.extractors.line_classifier`), the title by what the page calls itself,
    the date by the places where pages state it. A template that was learned of the blog reads better:
    this is for pages without one.

    >>> text = b"<p>The sea was calm, and nobody spoke. We rowed on, past the rocks, until it was dark.</p>" * 4
    >>> post = read_page(b"<title>At sea</title><h1>At sea</h1><div>" + text, "https://a.blog/at-sea")
    >>> post.title, post.text[:16], post.provenance["text"].method
    ('At sea', 'The sea was calm', 'lines')
    >>> read_page(b"<a href=/>Home</a>", "https://a.blog/").reason
    'the page consists of links only'
    """
    reason = _why_no_page(page, content_type)
    if reason is not None:
        return Skip(url=url, reason=reason)
    try:
        root = parse(page, content_type)
    except UnreadablePage as error:
        return Skip(url=url, reason=error.message)
    (title,) = guess_titles([View(root, url)], {})
    outcome = _anything().reader.read_parsed(root, url, fetched)
    if isinstance(outcome, Skip) or title is None:
        return outcome
    provenance = {**outcome.provenance, "title": Provenance(method="agreement")}
    return replace(outcome, title=title, provenance=MappingProxyType(provenance))


def _why_no_page(body: bytes, content_type: str | None) -> str | None:
    """What bytes are if they are no page: nobody else has looked at them before."""
    start = body[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start:
        return "the page is empty" if not body.strip() else None
    if content_type is not None and not _TEXT.search(content_type):
        return f"not a page but {content_type.partition(';')[0].strip()}"
    kind = next((kind for mark, kind in _MAGIC if mark.match(start)), None)
    return f"not a page but {kind}" if kind is not None else None


@cache
def _anything() -> Template:
    """A template that holds for no blog in particular."""
    lines = Design(places=(Rule(method="lines", where="lines"),), method="lines", confidence=confidence("lines", 0, 0))
    fields = {"published": standard_published(), "language": (Rule(method="html-lang"),)}
    return Template(designs=(lines,), fields=MappingProxyType(fields))
