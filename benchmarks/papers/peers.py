"""Extractors that are given a page and nothing else, beside each other: word precision, recall and F1 for each site.

The other tools are called as their documentation says, with the settings that suit articles best. Where a
tool wants text it gets the page decoded as a browser would; where it gives HTML, everlog makes the text of
it, so that all are compared by the same words. An exception of a tool is a miss.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from w3lib.encoding import html_to_unicode

from everlog.core.outline import Outline
from everlog.core.tree import drop, parse, parse_fragment, take_text, visible_text
from everlog.evaluate.scoring import STRICT_F1, mean, word_scores
from papers.extras import needed
from papers.readers import EVERLOG, LEARNERS, collected, posts_of
from processes import over_blogs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from everlog.evaluate.corpus import Blog, Truth

FIGURES = ("P", "R", "F1", "strict")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """An extractor: page, its URL and the language of the blog -> text of the article."""

    name: str
    module: str
    article: Callable[[bytes, str, str], str]

    def read(self, blog: Blog, row: Truth) -> str:
        """The article of a post, empty if the tool fails."""
        try:
            return self.article(blog.truth_page(row) or b"", row.url, blog.language)
        except Exception:  # noqa: BLE001 - whatever goes wrong in a tool is its miss
            return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The figures of one blog: tool -> figure -> mean over its posts."""

    blog: Blog
    posts: int
    figures: dict[str, dict[str, float | None]]


def measure_peers(
    blogs: Sequence[Blog], *, jobs: int = 1, done: Callable[[str], None] = lambda _: None,
) -> list[Site]:
    """Every tool on the posts of each blog outside its feed; blogs without such posts are left out.

    All packages that everlog is compared with must be there.
    """
    for tool in TOOLS:
        needed(tool.module)
    sites = []
    for _, site in over_blogs(_measure, blogs, jobs=jobs):
        sites.append(site)
        done("")
    return sorted((site for site in sites if site.posts), key=lambda site: site.blog.id)


def total_rows(sites: Sequence[Site]) -> list[Row]:
    """A row for each tool: the means over blogs."""
    names = sites[0].figures if sites else ()
    return [
        {"tool": name, "blogs": len(sites), "posts": sum(site.posts for site in sites),
         **{figure: mean(site.figures[name][figure] for site in sites) for figure in FIGURES}}
        for name in names
    ]


def site_rows(sites: Sequence[Site]) -> list[Row]:
    """A row for each blog and tool."""
    return [
        {"blog": site.blog.id, "posts": site.posts, "tool": name, **figures}
        for site in sites for name, figures in site.figures.items()
    ]


def _measure(blog: Blog) -> Site:
    logging.disable(logging.CRITICAL)  # some tools log every page they cannot read
    try:
        rows = collected(blog)
        texts = {tool.name: [tool.read(blog, row) for row in rows] for tool in TOOLS}
        for name, learn in LEARNERS.items():
            if name != EVERLOG:
                texts[name] = [post.text if post else "" for post in posts_of(blog, rows, learn)]
    finally:
        logging.disable(logging.NOTSET)
    figures = {name: _figures(rows, found) for name, found in texts.items()}
    return Site(blog=blog, posts=len(rows), figures=figures)


def _figures(rows: Sequence[Truth], texts: Sequence[str]) -> dict[str, float | None]:
    scores = [word_scores(row.text or "", text) for row, text in zip(rows, texts, strict=True)]
    values = [(*one, float(one.f1 >= STRICT_F1)) for one in scores]
    return {figure: mean(value[place] for value in values) for place, figure in enumerate(FIGURES)}


def _lines(page: bytes, _url: str, _language: str) -> str:
    root = parse(page)
    pick = needed("everlog.extract.extractors.line_classifier").find_article(Outline(root))
    if pick is None:
        return ""
    drop(pick.drops)
    return visible_text(pick.element)


def _trafilatura(page: bytes, url: str, _language: str) -> str:
    text = needed("trafilatura").extract(page, url=url, favor_precision=True, include_comments=False)
    return str(text or "")


def _readability(page: bytes, _url: str, _language: str) -> str:
    return take_text(parse_fragment(needed("readability").Document(page).summary(html_partial=True)))


def _boilerpy(page: bytes, _url: str, _language: str) -> str:
    extractor = needed("boilerpy3.extractors").ArticleExtractor(raise_on_failure=False)
    return str(extractor.get_doc(_decoded(page)).content)


def _justext(page: bytes, _url: str, language: str) -> str:
    justext = needed("justext")
    stoplist = _stoplist(language)
    # Without a list it is to be used so that it does not depend on the language.
    limits = {} if stoplist else {"stopwords_low": 0, "stopwords_high": 0}
    paragraphs = justext.justext(_decoded(page), stoplist, **limits)
    return "\n\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)


@cache
def _stoplist(language: str) -> frozenset[str]:
    from babel import Locale  # noqa: PLC0415 - as everywhere: 60 ms
    from babel.core import UnknownLocaleError  # noqa: PLC0415

    justext = needed("justext")
    try:
        name = Locale.parse(language.partition("-")[0]).english_name
    except (UnknownLocaleError, ValueError):
        name = None
    return frozenset(justext.get_stoplist(name)) if name in justext.get_stoplists() else frozenset()


def _decoded(page: bytes) -> str:
    return html_to_unicode(None, page)[1]


TOOLS = (
    Tool(name="everlog, lines", module="everlog.extract.extractors.line_classifier", article=_lines),
    Tool(name="trafilatura (precision)", module="trafilatura", article=_trafilatura),
    Tool(name="readability-lxml", module="readability", article=_readability),
    Tool(name="boilerpy3 (article)", module="boilerpy3", article=_boilerpy),
    Tool(name="jusText", module="justext", article=_justext),
)


def tool(name: str) -> Tool:
    """The tool whose name begins so.

    >>> tool("boilerpy3").name
    'boilerpy3 (article)'
    """
    return next(each for each in TOOLS if each.name.startswith(name))
