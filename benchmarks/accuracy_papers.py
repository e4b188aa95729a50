"""The papers' experiments as sections of docs/internals/accuracy.md. Blogs are numbered there: it is about tools."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from everlog.evaluate.grouping import group_name
from papers.noise import anchor_sweep, noise_table
from papers.peers import FIGURES, measure_peers, total_rows
from papers.post_classifier import telling_rows
from papers.retrieval import measure_retrieval
from papers.retrieval_queries import NAME, Plan
from papers.retrieval_scores import SIGNIFICANT
from tables import markdown_table, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from everlog.evaluate.corpus import Blog
    from papers.peers import Site
    from papers.retrieval import Asked

    Row = Mapping[str, Any]

PEERS_HEADING = "Without a feed, beside other tools"
RETRIEVAL_HEADING = "What noise does to search"
NOISE_HEADING = "Noise left, content stripped"
TELLING_HEADING = "Posts told from other pages"
LEAST = Plan().least_relevant
# The paper on noise, Table 1: 25 queries, crawled every hour.
PAPER = {
    "raw pages": (0.591, 0.998, 0.668), "DiffPost, 1 page": (0.746, 0.996, 0.790),
    "DiffPost, 3 pages": (0.747, 0.982, 0.775), "DiffPost, 5 pages": (0.751, 0.980, 0.757),
}


def peers_section(sites: Sequence[Site]) -> str:
    """Precision, recall and F1 of words: the means over blogs, and each blog."""
    rows = total_rows(sites)
    means = [[row["tool"], *(percent(row[figure]) for figure in FIGURES)] for row in rows]
    tools = [row["tool"] for row in rows]
    each = [
        [number, *_about(site), site.posts, *(_three(site.figures[tool]) for tool in tools)]
        for number, site in enumerate(sites, 1)
    ]
    return f"""## {PEERS_HEADING}

Here every extractor is given one page and knows nothing of the blog; only `everlog, no feed` has walked through the \
blog before, perhaps over this very page, but was told nothing of it. {len(sites)} blogs, \
{sum(site.posts for site in sites):,} posts. Precision: the share of the words read that are the article's; recall: \
the share of the article's words that were read (characters for Chinese, Japanese, Korean and Thai); strict: the share \
of posts with an F1 of at least 0.95. In per cent, the mean over blogs of the mean over each blog's posts:

{markdown_table(["", "precision", "recall", "F1", "strict"], means)}

`everlog, lines` has the weights that it ships with, and those were trained on these very blogs; the other tools were \
not. The figures by which to compare it are those of [cross-validation by blog](lines.md).

Each blog, precision / recall / F1:

{markdown_table(["blog", "engine", "language", "posts", *tools], each)}"""


def retrieval_section(asked: Sequence[Asked], least: int = LEAST) -> str:
    """P, R and MAP of all editions, by kind of query, with comments as content, and what differs."""
    first, others = asked[0], asked[1:]
    kinds = Counter(query.kind for query in first.queries)
    drawn = ", ".join(f"{count} {'names' if kind == NAME else f'of {kind}'}" for kind, count in kinds.items())
    figures = [
        [row["edition"], *map(_figure, _means(row)), *map(_figure, PAPER.get(row["edition"], (None,) * 3))]
        for row in first.rows()
    ]
    heads = ["", "P", "R", "MAP", "P, the paper", "R, the paper", "MAP, the paper"]
    parts = [
        f"""## {RETRIEVAL_HEADING}

The same queries on the same {len(first.documents):,} posts, once for each edition of their text \
([how](evaluation.md)). The relevant documents of a query are those that the index of the true articles returns. \
{len(first.queries)} queries ({drawn}), each with at least {least} relevant documents. The paper asked 25 queries \
of its own blogs, so only columns of the same side can be compared. The queries are a sample: 1.000 says that none \
of them met a difference, not that there is none.

{markdown_table(heads, figures)}""",
        "By kind of query:\n\n" + markdown_table(
            ["kind", "edition", "P", "R", "MAP"],
            [[row["kind"], row["edition"], *map(_figure, _means(row))] for row in first.rows_by_kind()],
        ),
        *([_with_comments(others)] if others else ()),
        _differences(first),
    ]
    return "\n\n".join(parts)


def noise_section(noise: Sequence[Row], sweep: Sequence[Row]) -> str:
    """What DiffPost leaves and strips, and the sweep of the anchor-text test."""
    return f"""## {NOISE_HEADING}

Pages cleaned by what other pages of the same blog repeat ([how](repeats.md)), with 1, 3 and 5 pages to compare \
with:

{rows_table(noise)}

The least share of an element's text that must stand outside links:

{rows_table(sweep)}"""


def telling_section(rows: Sequence[Row]) -> str:
    """Posts and other pages, told with the feed and without."""
    return f"""## {TELLING_HEADING}

Every labelled page by itself: is it a post of the blog? ([how](evaluation.md)) `right %` is the mean over blogs.

{rows_table(rows)}

Of the 60 posts missed when this was written, 36 are episodes of one blog's podcast, which it shows in another design; \
most others are attachments and pages such as `/about/` that the labels call posts."""


def _telling(blogs: Sequence[Blog], jobs: int) -> str:
    return telling_section(telling_rows(blogs, jobs=jobs))


def _peers(blogs: Sequence[Blog], jobs: int) -> str:
    return peers_section(measure_peers(blogs, jobs=jobs))


def _noise(blogs: Sequence[Blog], jobs: int) -> str:
    return noise_section(noise_table(blogs, jobs=jobs), anchor_sweep(blogs, jobs=jobs))


def _retrieval(blogs: Sequence[Blog], jobs: int) -> str:
    return retrieval_section(measure_retrieval(blogs, jobs=jobs))


# In the order of the page.
PAPERS: dict[str, Callable[[Sequence[Blog], int], str]] = {
    "telling": _telling, "peers": _peers, "noise": _noise, "retrieval": _retrieval,
}


def rows_table(rows: Sequence[Row]) -> str:
    """Plain rows as Markdown."""
    heads = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[_cell(row.get(head)) for head in heads] for row in rows]
    return markdown_table(heads, cells)


def _with_comments(asked: Sequence[Asked]) -> str:
    documents, queries = len(asked[0].documents), len(asked[0].queries)
    rows = [
        [one.comments, row["edition"], *map(_figure, _means(row))] for one in asked for row in one.rows()
    ]
    heads = ["comments are", "edition", "P", "R", "MAP"]
    return f"""Comments as content: only the {documents:,} posts whose comments are all known, with {queries} queries \
drawn anew from their titles. Where comments are content, the index of the truth holds those that stand in the \
page, and everlog's those that it read.

{markdown_table(heads, rows)}"""


def _differences(asked: Asked) -> str:
    rows = [
        [row["edition"], row["beside"], *(_tested(row[name], row[f"p of {name}"]) for name in ("P", "R", "MAP"))]
        for row in asked.differences()
    ]
    return f"""The first less the second, over the same queries; in bold what a two-tailed paired t-test finds \
significant at {SIGNIFICANT}:

{markdown_table(["", "less", "P", "R", "MAP"], rows)}"""


def _about(site: Site) -> list[str]:
    return [group_name(site.blog, "engine") or "unknown", group_name(site.blog, "language") or "unknown"]


def _three(figures: Mapping[str, float | None]) -> str:
    return " / ".join(percent(figures[name]) or "–" for name in ("P", "R", "F1"))


def _means(row: Row) -> list[float | None]:
    return [row["P"], row["R"], row["MAP"]]


def _figure(value: float | None) -> str | None:
    return None if value is None else f"{value:.3f}"


def _tested(difference: float, p: float) -> str:
    shown = f"{difference:+.3f}".replace("-", "−")
    return f"**{shown}**" if p < SIGNIFICANT else shown


def _cell(value: object) -> str | int | None:
    if isinstance(value, float):
        return f"{value:.3f}"
    return value if isinstance(value, str | int) or value is None else str(value)
