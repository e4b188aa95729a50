"""A page to a post: the article first, then every field with its rules in the order of their trust."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from everlog.comments.comment_hints import hints_of
from everlog.comments.merging import state_of
from everlog.comments.page_comments import Reading, read_comments
from everlog.core.links import base_of
from everlog.core.outline import has_text
from everlog.core.rules import MANUAL, Ranked, Rule
from everlog.core.selectors import Finder, Finds, marked_among
from everlog.core.tree import Element, drop, parse, take_text
from everlog.errors import UnreadablePage
from everlog.extract.article.article_read import ArticleFinder, Found
from everlog.extract.article.witnesses import (
    DISAGREEMENT,
    NO_WITNESS,
    SMALL,
    agreement,
    any_article,
    has_share,
    share_of_page,
)
from everlog.extract.extractors.extractor import is_placed
from everlog.extract.fields import field_function
from everlog.extract.fields.small_texts_read import selectors_used
from everlog.extract.manual import elements_by_hand
from everlog.markup.cleaning import WRAPPERS, clean_html
from everlog.markup.cutting import remove_cuts
from everlog.markup.paragraphs import simple_body
from everlog.markup.revealing import without_words
from everlog.markup.view import View
from everlog.records import Post, Provenance, Role, Skip, post_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from everlog.core.selectors import Marked
    from everlog.extract.blog_rules import BlogRules

# A key-path merged from fewer pages still holds what these happen to share: learned from two pages, it
# refused five of six posts of one blog.
PAGES_TO_REFUSE = 3
# The chance that a post with nothing in the place of its article is read right. Not measured; there are such posts,
# of a picture that a script brings, and there are pages in a new dress.
EMPTY = 0.3
# How films and maps are put into posts: an article of one has no words.
_EMBEDS = ("iframe", "object", "embed")
# The fields that are read before the article is taken out of the page: what reads each of them.
_READERS: dict[str, Callable[[View, Ranked], tuple[Any, Provenance] | None]] = {
    name: field_function("read", name) for name in post_fields(Role.LEARNED)
}


def _count_places(view: View, rule: Rule) -> int:
    """How many articles a rule finds on a page."""
    if rule.method == MANUAL:
        return len(elements_by_hand(view, rule))
    return len(view.found[rule.where]) if rule.method == "selector" else 1


def _shows_media(article: Element) -> bool:
    return next(article.iter("img", "video", "audio", "picture"), None) is not None


def _comment_fields(comments: Reading) -> tuple[dict[str, Any], dict[str, Provenance]]:
    read = comments.thread.comments if comments.thread is not None else ()
    fields = {
        "comments": read,
        "comments_state": state_of(len(read), comments.claimed),
        "comment_count_claimed": comments.claimed,
    }
    if comments.method is None:
        return fields, {}
    found = Provenance(method=comments.method, rule=comments.rule, confidence=comments.confidence)
    return fields, {"comments": found}


class Doubt(NamedTuple):
    """An article that is a small part of its page's text, and how far other methods agree; None: nobody can tell."""

    share: float
    agreement: float | None
    is_odd: bool = False

    @property
    def worth(self) -> float:
        """What the article is worth at most."""
        return NO_WITNESS if self.agreement is None else self.agreement

    def __str__(self) -> str:
        what = "the article is in none of the blog's usual places" if self.is_odd else (
            f"the article is a small part of the page's text ({self.share:.0%})")
        said = "no other method finds an article" if self.agreement is None else "other methods find another text"
        return f"{what}; {said}"


def _source_of_text(used: Found, doubt: Doubt | None, *, is_empty: bool) -> Provenance:
    design = used.design
    if used.rule.method == MANUAL:
        # Nobody measured how well a person does.
        said = "the article's usual place is empty" if is_empty else None
        return Provenance(method=MANUAL, rule=used.rule.where, confidence=EMPTY if is_empty else None, disagrees=said)
    source = Provenance(method=design.method, rule=used.rule.where, confidence=design.confidence)
    if is_empty:
        return replace(source, confidence=min(EMPTY, design.confidence), disagrees="the article's usual place is empty")
    if doubt is None or (doubt.worth >= DISAGREEMENT and not doubt.is_odd):
        return source
    # An article in an odd place is worth what the methods agree on, however far that is.
    said = str(doubt) if doubt.worth < DISAGREEMENT else None
    return replace(source, confidence=round(min(design.confidence, doubt.worth), 4), disagrees=said)


class PostReader:
    """A template made ready for many pages: selectors, cuts and paths are compiled once."""

    def __init__(self, template: BlogRules) -> None:
        self._template = template
        self._articles = ArticleFinder(template.designs, template.repeats)
        # The first rules read most pages; the others are looked up only where they are needed.
        first = [selector for design in template.designs for selector in design.tells]
        rest: list[str] = []
        for rules in (*(design.places for design in template.designs[:1]), *template.fields.values()):
            first.extend(selectors_used(rules[:1]))
            rest.extend(selectors_used(rules[1:]))
        # All rules of these are tried on every page: tags are a union, and most posts have no update.
        for name in ("tags", "updated"):
            first.extend(selectors_used(template.fields.get(name, ())))
        rest.extend(selector for design in template.designs[1:] for selector in design.selectors())
        self._hints = hints_of(template.comments)
        self._first = Finder(first)
        self._rest = Finder(rest)

    def read(
        self, body: bytes, url: str, content_type: str | None, fetched: datetime | None, *, html: bool = True,
        comments: bool = True,
    ) -> Post | Skip:
        """The post of a page, or why it is none. Without `html` or `comments` these are left out, and cost nothing."""
        if not body or body.isspace():
            return Skip(url=url, reason="the page is empty")
        try:
            root = parse(body, content_type)
        except UnreadablePage as error:
            return Skip(url=url, reason=error.message)
        may_have_comments = comments and self._hints.may_be_in(body)
        return self.read_parsed(root, url, fetched, html=html, may_have_comments=may_have_comments)

    def read_parsed(
        self, root: Element, url: str, fetched: datetime | None, *, html: bool = True, may_have_comments: bool = True,
        is_post: bool = False, marked: list[Marked] | None = None,
    ) -> Post | Skip:
        """The same for a page that is parsed already. Reading takes the tree apart.

        `is_post` says that the page is known to be a post, by its address or by a list: then it is not given up for
        its article alone. What no rule finds, other methods are asked for, with a confidence to match. `marked` are
        the page's marked elements, where somebody listed them before.
        """
        marked = marked if marked is not None else marked_among(root.iter("*"))
        view = View(root, url, found=Finds(root, self._first, self._rest, marked), fetched_at=fetched)
        candidates = self._articles.find(view)
        found = next(candidates, None)
        reason = self._why_no_post(view, found, is_post=is_post)
        if reason is None and found is None and is_post:
            found = any_article(view, self._template.repeats)
        if found is None or reason is not None:
            return Skip(url=url, reason=reason or self._why_nothing(view))
        view.article = found.pick.element
        comments = self._comments(view, marked) if may_have_comments else Reading()
        fields, provenance = _comment_fields(comments)
        for name, rules in self._template.fields.items():
            value = _READERS[name](view, rules)
            if value is not None:
                fields[name], provenance[name] = value
        # Whoever is asked for another opinion must see the page before it is taken apart.
        doubt = self._doubt(view, found, comments)
        # Comments that stand inside the article's element are no part of it.
        drop(comments.elements)
        taken = self._take(view, found, candidates, html=html)
        if taken is None and is_post and "title" in fields:
            taken = "", "", found
        if taken is None or not (taken[0] or "title" in fields):
            return Skip(url=url, reason="the article on the page is empty")
        text, markup, used = taken
        provenance["text"] = _source_of_text(used, doubt, is_empty=used is not found or not (text or markup))
        return Post(
            url=url, blog=self._template.home, text=text, html=markup, fetched=fetched,
            provenance=MappingProxyType(provenance), **fields,
        )

    def _is_usual(self, found: Found) -> bool:
        """Whether an article stands where this blog's articles stand, and is not found by a rule of last resort."""
        return found.design is self._template.designs[0] or bool(found.design.tells)

    def _doubt(self, view: View, found: Found, comments: Reading) -> Doubt | None:
        """What speaks against an article, if it is small for this blog, or in none of the learned places."""
        if found.rule.method == MANUAL:
            return None
        is_odd = not self._is_usual(found)
        least = SMALL * (self._template.share or 1.0)
        # Without the comments the article's share is larger still: most need not be measured.
        if not is_odd and has_share(view.root, found.pick.element, least):
            return None
        share = share_of_page(view.root, found.pick.element, comments.elements)
        if share >= least and not is_odd:
            return None
        enough = 1.0 if is_odd else DISAGREEMENT
        others = agreement(view, found.pick, self._template.repeats, but=found.rule.method, enough=enough)
        return Doubt(share, others, is_odd=is_odd)

    def _why_nothing(self, view: View) -> str:
        if all(design.method != "lines" for design in self._template.designs):
            return "no rule of this blog finds an article on the page"
        from everlog.extract.extractors.line_classifier import why_nothing  # noqa: PLC0415 - few pages need it

        return why_nothing(view.outline)

    def _comments(self, view: View, marked: list[Marked]) -> Reading:
        return read_comments(
            view.root, view.url, self._template.comments, article=view.article, fetched_at=view.fetched_at,
            rendered=view.root.get("data-everlog-rendered") is not None, marked=marked,
        )

    def _why_no_post(self, view: View, found: Found | None, *, is_post: bool) -> str | None:
        """Why a page with an article is no post of the blog; the key-path speaks only in doubt.

        On 2,885 posts the key-path is missing on 17; with a doubt about the article as well, on two.
        """
        key = self._template.key_paths.key
        if found is None or key is None or self._template.learned_from < PAGES_TO_REFUSE:
            return None
        is_usual = self._is_usual(found)
        if is_post and not is_usual:
            return None
        matches = _count_places(view, found.rule)
        if matches > found.design.most and not self._template.key_paths.matches(view.root):
            return f"a list of posts: {matches} articles on one page"
        if not is_usual and not self._template.key_paths.matches(view.root):
            return "not a post of this blog: the page has neither its usual article element nor its key-path"
        return None

    def _take(
        self, view: View, found: Found, others: Iterator[Found], *, html: bool,
    ) -> tuple[str, str, Found] | None:
        """Text and HTML of the first article that shows anything, less its cuts.

        Where a learned place is there but empty, the article is empty: methods that find something on any page
        would find something else.
        """
        for used in chain((found,), others):
            if is_placed(found.rule) and not is_placed(used.rule):
                break
            article = used.pick.element
            drop(used.pick.drops)
            embeds = next(article.iter(*_EMBEDS), None) is not None
            players = remove_cuts(article, used.cutter)
            without_words(players)
            if has_text(article) or _shows_media(article) or embeds:
                simple = simple_body(article) if article.tag in WRAPPERS else None
                if simple is not None:
                    return simple[0], simple[1] if html else "", used
                markup = clean_html(article, base_of(view.root, view.url)) if html else ""
                drop(players)
                return take_text(article), markup, used
        return None
