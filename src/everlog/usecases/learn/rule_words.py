"""Learned rules in words: the rules of each field, the best first, as `everlog rules` and the web pages tell them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlog.core.rules import MANUAL

if TYPE_CHECKING:
    from everlog.comments.comment_rules import CommentRule
    from everlog.extract.template import Template

# What the methods of rules are called on the screen; the others are called what they are.
METHODS = {
    MANUAL: "set by hand", "selector": "CSS", "css": "CSS", "time": "CSS", "xpath": "XPath", "key-path": "key path",
    "meta": "meta tag", "json-ld": "JSON-LD", "head-title": "<title>", "html-lang": "<html lang>", "url": "URL",
    "feed-constant": "always", "standard": "tag links", "link": "links to", "class": "class names",
    "repeats": "comparing", "lines": "text lines", "metadata": "page's markup",
}
# The same for who does not know the words of web pages.
_SENTENCES = {
    MANUAL: "in the element that was set by hand", "selector": "in an element of the page",
    "css": "in an element of the page", "time": "in a date in an element of the page",
    "xpath": "in an element of the page", "key-path": "in an element of the page",
    "meta": "in what the page states for other sites (meta tag)",
    "json-ld": "in what the page states for search engines (JSON-LD)", "head-title": "in the title of the window",
    "html-lang": "stated by the page", "url": "in the address", "feed-constant": "always the same in the feed",
    "standard": "in links that are marked as tags", "link": "in links to pages of tags", "class": "in names of styles",
    "repeats": "what is left when pages are compared", "lines": "lines that look like an article",
    "metadata": "stated in the page's markup", "feed-text": "in the element that has the feed's text",
    "excerpt": "in the element that begins with the feed's excerpts",
    "pages": "in the element in which pages of posts differ",
    "feed-entry": "told by the feed", "feed": "told by a feed",
    "api": "told by the blog's own interface", "detected": "recognised by its words",
    "usual": "as on most of its pages", "agreement": "where several methods agree", "page": "on the page",
    "text": "in the text of the page",
    "html": "in the markup of the page", "service": "told by a comment service", "known": "markup of known software",
    "repeated": "markup that repeats on the page",
}
_SHAPES = (
    (re.compile(r"\(\?:19\|20\)\\d\\d"), "YEAR"), (re.compile(r"\\d(?:\{[\d,]+\}|\+)?"), "NUMBER"),
    (re.compile(r"\[\^[^\]]*\](?:\+|\{[\d,]+\})?"), "WORDS"), (re.compile(r"\\(.)"), r"\1"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldRule:
    """A rule of a field: its score on the blog's own feed (None: nobody measured it), its method and its place."""

    score: float | None
    method: str
    where: str

    @property
    def called(self) -> str:
        """What its method is called."""
        return METHODS.get(self.method, self.method)


def ranked_rules(template: Template) -> dict[str, tuple[ToldRule, ...]]:
    """The rules that are in force, by field, the best of each first; none twice."""
    in_force = template.in_force
    ranked: dict[str, list[ToldRule]] = {"text": [
        ToldRule(score=None if place.method == MANUAL else design.score, method=place.method, where=place.where)
        for design in in_force.designs for place in design.places
    ]}
    for name, rules_of_field in in_force.fields.items():
        ranked[name] = [
            ToldRule(score=rule.confidence, method=rule.method, where=rule.where) for rule in rules_of_field
        ]
    comments = template.comments.ranked if template.comments is not None else ()
    ranked["comments"] = [
        ToldRule(score=rule.confidence, method="css", where=_comment_places(rule)) for rule in comments
    ]
    return {
        name: tuple({(rule.score, rule.called, rule.where): rule for rule in reversed(rows)}.values())[::-1]
        for name, rows in ranked.items()
    }


def how_found(method: str) -> str:
    """How a value was found, in a sentence; several methods that agreed are told together.

    >>> how_found("meta"), how_found("feed + page"), how_found("disqus")
    ('in what the page states for other sites (meta tag)', 'told by a feed, on the page', 'disqus')
    """
    return ", ".join(_SENTENCES.get(each, each) for each in method.split(" + "))


def address_shape(regex: str) -> str:
    r"""The addresses that a pattern means, for who does not read regular expressions.

    >>> address_shape(r"/(?:19|20)\d\d/\d{1,2}/[^/?#]+"), address_shape(r"/blog/[^/?#]+\.html")
    ('/YEAR/NUMBER/WORDS', '/blog/WORDS.html')
    """
    for pattern, words in _SHAPES:
        regex = pattern.sub(words, regex)
    return regex


def _comment_places(rule: CommentRule) -> str:
    markup = rule.markup
    parts = {"text": markup.text, "author": markup.author, "date": markup.date}
    return f"{markup.comment}: " + ", ".join(f"{name} {where}" for name, where in parts.items() if where)
