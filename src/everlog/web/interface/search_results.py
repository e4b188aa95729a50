"""Results of a search over all blogs: the best posts, chosen by filters, with what they have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from everlog.archive.projection.filters import PostFilter
from everlog.archive.projection.overview import TermCount
from everlog.errors import UsageError
from everlog.web.mementos.replay_address import read_url

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.archive.projection.overview import BlogSummary, Facets
    from everlog.web.interface.post_list import Asked

PER_PAGE = 20
# Results that can be paged through, and counted.
MOST_FOUND = 2_000
# Filters of results: their names in links and on the page.
FILTERS: Mapping[str, str] = {
    "blog": "Blog", "year": "Year", "tag": "Tag", "author": "Author", "language": "Language",
}
# Those that the index does not know.
NARROW = ("year", "tag", "author", "language")
SEVERAL: Mapping[str, str] = {
    "blog": "Blogs", "year": "Years", "tag": "Tags", "author": "Authors", "language": "Languages",
}
# Of each, so many are offered.
FEW = 12


def results_of(archive: Archive, asked: Asked, page: int, *, public: bool) -> dict[str, Any]:
    """What the page of results says; `problem` if the query is none, or a filter is not one.

    The best 2,000 are looked at and counted; nobody reads further, and no query takes longer than that. Filters choose
    from as many as are ranked; that of a blog is the index's own, and chooses from all.
    """
    query = asked.get("q").strip()
    values: dict[str, Any] = {
        "asked": asked, "query": query, "problem": None, "hits": (), "count": 0, "is_all": True, "offered": [],
        "active": [(label, asked.get(name), asked.link(**{name: None}))
                   for name, label in FILTERS.items() if asked.get(name)],
        "page": page, "previous": None, "further": None,
    }
    if not query:
        return values
    try:
        found, is_all = found_by(archive, asked, public=public)
    except UsageError as error:
        return values | {"problem": error.message}
    kept = tuple(number for number, _ in found)
    here = found[(page - 1) * PER_PAGE:page * PER_PAGE]
    summaries = archive.listing.summaries([number for number, _ in here], public=public)
    hits = archive.search.hits(query, [each for each in here if each[0] in summaries])
    facets = archive.overview.facets(kept, public=public, most=FEW)
    blogs = archive.overview.blogs(
        ids=sorted({*facets.blogs, *(each.blog_id for each in summaries.values())}), public=public,
    )
    hidden = {blog.id for blog in blogs if blog.is_hidden}
    names = told_apart(blogs)
    return values | {
        "hits": hits, "count": len(kept), "is_all": is_all,
        "languages": {each.url: each.language for each in summaries.values()},
        "hidden": {each.url for each in summaries.values() if each.hidden or each.blog_id in hidden},
        "offered": _offered(asked, facets, {blog.id: (_short(blog.home), names[blog.home]) for blog in blogs}),
        "names": names,
        "previous": asked.link(page=str(page - 1) if page > 2 else None) if page > 1 else None,
        "further": asked.link(page=str(page + 1)) if len(kept) > page * PER_PAGE else None,
    }


def found_by(archive: Archive, asked: Asked, *, public: bool) -> tuple[Sequence[tuple[int, float]], bool]:
    """The posts that are found, with their scores, the best first; and whether that is all. `UsageError`: no query."""
    chosen = _chosen(archive, asked, public=public)
    is_narrow = any(map(asked.get, NARROW))
    most = archive.search.most_ranked if is_narrow else MOST_FOUND
    blog_id = chosen.blog_id if chosen is not None else None
    ranked = archive.search.ranked(asked.get("q").strip(), most=most, blog_id=blog_id)
    is_all = len(ranked) < min(most, archive.search.most_ranked)
    if chosen is not None and not is_narrow and not public:
        return ranked, is_all
    scores = dict(ranked)
    kept = archive.listing.among([number for number, _ in ranked], chosen)[:MOST_FOUND] if chosen is not None else ()
    return [(number, scores[number]) for number in kept], is_all


def _chosen(archive: Archive, asked: Asked, *, public: bool) -> PostFilter | None:
    """The filters of a link; None if they name a blog that is not there."""
    blog_id, year = None, asked.get("year")
    if asked.get("blog"):
        home = read_url(asked.get("blog"))
        blog = archive.blogs.find(home) if home else None
        if blog is None:
            return None
        blog_id = blog.id
    if year and not (year.isascii() and year.isdigit() and len(year) == 4 and int(year)):
        raise UsageError(f"{year} is not a year")
    return PostFilter(
        blog_id=blog_id, month=year or None, tag=asked.get("tag") or None, author=asked.get("author") or None,
        language=asked.get("language") or None, public=public, kind=None,
    )


def told_apart(blogs: Sequence[BlogSummary]) -> dict[str, str]:
    """What blogs are called, by their homes: by their titles; several of one title by their addresses, too."""
    titles = Counter(blog.title for blog in blogs)
    return {
        blog.home: _short(blog.home) if not blog.title
        else f"{blog.title} ({_short(blog.home)})" if titles[blog.title] > 1 else blog.title
        for blog in blogs
    }


def _offered(
    asked: Asked, facets: Facets, named: Mapping[int, tuple[str, str]],
) -> list[tuple[str, str, list[tuple[str, str, int, str]]]]:
    """Filters with their counts: name, heading, and of each value its words, how many posts, and the link."""
    terms: dict[str, tuple[TermCount, ...]] = {
        "blog": tuple(
            TermCount(term=named[number][0], label=named[number][1], posts=posts)
            for number, posts in facets.blogs.items() if number in named
        ),
        "year": tuple(sorted(facets.years, key=lambda each: each.term, reverse=True)), "tag": facets.tags,
        "author": facets.authors, "language": facets.languages,
    }
    return [
        (name, SEVERAL[name], [
            (each.term, each.label, each.posts, asked.link(**{name: each.term, "page": None})) for each in found
        ])
        for name, found in terms.items() if len(found) > 1
    ]


def _short(home: str) -> str:
    return home.partition("://")[2].removesuffix("/")
