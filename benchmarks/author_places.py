"""Authors: what a reader of author places could reach at most, and what is reached where the feed names nobody.

    python benchmarks/author_places.py                     # the whole corpus, a row per blog that is not perfect
    python benchmarks/author_places.py --json FOLDER/BLOG  # for programs

Four figures, means over the posts that `everlog evaluate` scores and whose author is known, then over blogs:

  reached    what everlog reads
  placed     a name of the truth stands where authors are named: in the feed, in the metadata or JSON-LD for
             authors, in a small element that is called after an author (or lies in one), in the text of a
             link to a person's page, or in a line that says "posted by"; the words of a byline cut off.
             A bound: a reader is not told which of these places means the post.
  addressed  the same, or the name is the last folder of an address of the same site behind such a place
  nameless   what everlog reads after learning from the same feed with all names taken out, for blogs whose
             feed has names
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

from lxml import etree

import everlog
from blogs import add_corpus_arguments, chosen_blogs, learned, say, training
from everlog.core.tree import parse
from everlog.errors import EverlogError
from everlog.evaluate.scoring import mean, plain_set, score_post
from everlog.extract.fields.authors_read import as_name, between, names_in
from everlog.extract.fields.authors_stated import AUTHOR_PATH, JSON_KEYS, SAID, STRONG, words_around
from everlog.extract.fields.small_texts_read import ELSEWHERE
from everlog.feeds import parse_feed
from everlog.markup.view import View
from rss import write_feed
from tables import markdown_table, percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from everlog import Template
    from everlog.core.tree import Element
    from everlog.evaluate.corpus import Blog, Truth

COLUMNS = ("reached", "placed", "addressed", "nameless")
# A longer text is a sentence about somebody.
LONGEST = 120
META = re.compile(f"{STRONG.pattern}|^profile:", re.IGNORECASE)
PARTS = re.compile(r",|&| and ")
NAMING = ("class", "id", "itemprop", "rel")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The figures of one blog, each in [0, 1]; `nameless` is None where the feed has no names to take out."""

    posts: int
    reached: float
    placed: float
    addressed: float
    nameless: float | None


def measure(blog: Blog) -> Figures | None:
    """The figures of one blog; None where no author is known."""
    rows = [row for row in blog.truth() if row.counts and plain_set(row.authors)]
    template = learned(blog) if rows else None
    if template is None:
        return None
    feed = parse_feed(blog.feed(), blog.feed_url)
    owners = [name for owner in (feed, *feed.entries) for name in owner.authors]
    in_feed = plain_set(name for raw in owners for name in (raw, as_name(raw) or ""))
    said = [_said(blog, row) for row in rows]
    wanted = [plain_set(row.authors) for row in rows]
    placed = [bool(names & (texts | in_feed)) for names, (texts, _) in zip(wanted, said, strict=True)]
    behind = [bool(names & slugs) for names, (_, slugs) in zip(wanted, said, strict=True)]
    return Figures(
        posts=len(rows),
        reached=_reached(blog, rows, template),
        placed=sum(placed) / len(rows),
        addressed=sum(map(max, placed, behind)) / len(rows),
        nameless=_reached(blog, rows, _nameless(blog)) if owners else None,
    )


def _nameless(blog: Blog) -> Template:
    feed, pages = training(blog)
    entries = parse_feed(feed, blog.feed_url).entries
    silent = (replace(entry, authors=(), content=entry.content or entry.summary) for entry in entries)
    return everlog.learn(write_feed(silent), pages, feed_url=blog.feed_url)


def _reached(blog: Blog, rows: Sequence[Truth], template: Template) -> float:
    total = 0.0
    for row in rows:
        post = template.read(blog.truth_page(row) or b"", row.url)
        total += score_post(row, post if isinstance(post, everlog.Post) else None)["author"]
    return total / len(rows)


def _said(blog: Blog, row: Truth) -> tuple[set[str], set[str]]:
    """What author places of a page say, and the last folders of the addresses behind them."""
    try:
        root = parse(blog.truth_page(row) or b"")
    except EverlogError:
        return set(), set()
    view = View(root, row.url)
    texts = [name for key in JSON_KEYS for node in view.json_ld for name in names_in(node.get(key))]
    texts += [value for name, values in view.meta.items() if META.search(name) for value in values]
    slugs: list[str] = []
    for element in root.iter(etree.Element):
        text = _text(element) if _is_author_place(element) and not _is_elsewhere(element) else ""
        if text:
            texts += _forms(text)
            slugs += _slugs(element, row.url)
    return plain_set(texts), plain_set(slugs)


def _forms(text: str) -> Iterator[str]:
    """A byline, and what is left of it without its words.

    >>> list(_forms("May 3 by Ada, Bo | 2 comments"))
    ['May 3 by Ada, Bo | 2 comments', 'Ada, Bo', 'Ada', 'Bo']
    """
    yield text
    detail = words_around([text])
    inside = between(text, detail) or text
    yield inside
    yield from (part.strip() for part in PARTS.split(inside))


def _is_author_place(element: Element) -> bool:
    above = element.getparent()
    return (
        _is_called(element)
        or (above is not None and _is_called(above))
        or (element.tag == "a" and AUTHOR_PATH.search(element.get("href") or "") is not None)
        or SAID.match((element.text or "").lstrip()) is not None
    )


def _is_called(element: Element) -> bool:
    return any(STRONG.search(f".{value}") for name in NAMING if (value := element.get(name)))


def _is_elsewhere(element: Element) -> bool:
    """Whether an element is part of the comments, a menu or a sidebar."""
    return any(
        above.tag != "body" and ELSEWHERE.search(f"{above.get('class', '')} {above.get('id', '')}")
        for above in (element, *element.iterancestors())
    )


def _text(element: Element) -> str:
    text = " ".join("".join(map(str, element.itertext())).split())
    return text if len(text) <= LONGEST else ""


def _slugs(element: Element, url: str) -> Iterator[str]:
    for link in element.iter("a"):
        address = urlsplit(urljoin(url, link.get("href") or ""))
        folders = [part for part in unquote(address.path).split("/") if part]
        if folders and address.netloc == urlsplit(url).netloc:
            yield folders[-1]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_corpus_arguments(parser)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    arguments = parser.parse_args()
    blogs = chosen_blogs(arguments)
    figures: dict[str, Figures] = {}
    with ProcessPoolExecutor(arguments.jobs, multiprocessing.get_context("spawn")) as pool:
        for count, (blog, measured) in enumerate(zip(blogs, pool.map(measure, blogs), strict=True), 1):
            say(f"{count}/{len(blogs)} {blog.id}")
            if measured:
                figures[blog.id] = measured
    if arguments.json:
        print(json.dumps({blog: asdict(one) for blog, one in figures.items()}, indent=1))
        return
    rows = [
        [blog, one.posts, *(percent(getattr(one, name)) for name in COLUMNS)]
        for blog, one in figures.items()
        if any(value is not None and value < 1 for value in (getattr(one, name) for name in COLUMNS))
    ]
    means = [mean(v for one in figures.values() if (v := getattr(one, name)) is not None) for name in COLUMNS]
    rows.append([f"mean over {len(figures)} blogs", sum(one.posts for one in figures.values()), *map(percent, means)])
    print(markdown_table(["author", "posts", *COLUMNS], rows))


if __name__ == "__main__":
    main()
