"""How much of the truth's tags and authors the pages and the feed state at all, beside what is reached.

    python benchmarks/ceilings.py                     # the whole corpus, a row per blog that is not perfect
    python benchmarks/ceilings.py --json FOLDER/BLOG  # for programs

Three figures per field, means over the posts that `everlog evaluate` scores, then over blogs:

  reached  what everlog reads, scored as `everlog evaluate` does it
  stated   of tags, the F1 of a reader that takes every tag of the truth which the page states, and nothing
           else. Stated is what stands alone: the whole text of an element or one piece of its list, a part of
           a link's address, a value of the metadata or an attribute, a folder of the post's own address, a tag
           that the feed gives all posts. A word in a sentence or in the article is not stated, and what a page
           shows just as often as pages of posts *without* that tag (menus, clouds of tags) says nothing about
           its post.
           Of authors, the share of posts whose page states a name of the truth in the same sense or whose
           feed names it.
  found    the same reader with a search for the words in the whole page, sentences, menus and markup
           included. More cannot be had without guessing; much of it is chance.

Both are upper bounds: no reader of pages knows which of two lists, or which of a name and a login in a
link's address, the truth will turn out to mean. Where `reached` is above `stated` the definition would be
wrong; the last line counts such blogs.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from lxml import etree

import everlog
from blogs import add_corpus_arguments, chosen_blogs, learned, say
from everlog.core.tree import parse
from everlog.errors import EverlogError
from everlog.evaluate.scoring import mean, plain, plain_set, score_post, set_f1
from everlog.extract.fields.authors_read import as_name
from everlog.extract.fields.tags_read import as_tag, parts
from everlog.feeds import parse_feed
from tables import markdown_table, percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from everlog import Template
    from everlog.core.tree import Element
    from everlog.evaluate.corpus import Blog, Truth

FIELDS = ("tags", "author")
# A longer text is no name and no list of tags.
LONGEST = 400
# Letters beside an element in its paragraph from which on the paragraph is a sentence, not a list with a label.
PROSE = 60
# With as many words around it, an element that the truth's text holds is no chance match.
FEW_WORDS = 8
SENTENCES = frozenset(("p", "li", "td", "dd", "blockquote", "figcaption"))
# Text of these says what the post is about, not how it is tagged.
CODE = frozenset(("script", "style", "pre", "code"))
NO_PLACE = CODE | {"title", *(f"h{level}" for level in range(1, 7))}
TITLES = re.compile(r"title|headline|description|^name$|^text$|articlebody", re.IGNORECASE)
SEPARATORS = re.compile(r"[/?#&=;']+|\.html?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """What can be had of one field of one blog, each in [0, 1]."""

    reached: float
    stated: float
    found: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a page says of some names: how often each stands alone, and which of them are there at all."""

    alone: Counter[str]
    anywhere: frozenset[str]


def measure(blog: Blog) -> dict[str, Ceiling]:
    """The ceilings of both fields, where the truth knows the field."""
    rows = [row for row in blog.truth() if row.tags or row.authors]
    counted = [row for row in rows if row.counts]
    template = learned(blog) if counted else None
    if template is None:
        return {}
    names = frozenset().union(*(plain_set((*row.tags, *row.authors)) for row in rows))
    said = {row.url: _said(blog, row, names) for row in rows}
    reached = {row.url: _reached(blog, row, template) for row in counted}
    return {
        name: Ceiling(
            reached=sum(reached[row.url][name] for row in known) / len(known),
            stated=sum(stated) / len(known),
            found=sum(found) / len(known),
        )
        for name, bounds in (("tags", _tag_bounds), ("author", _author_bounds))
        if (known := [row for row in counted if plain_set(row.tags if name == "tags" else row.authors)])
        for stated, found in [bounds(blog, known, rows, said)]
    }


def _reached(blog: Blog, row: Truth, template: Template) -> dict[str, float]:
    page = blog.truth_page(row)
    post = template.read(page, row.url) if page else None
    return score_post(row, post if isinstance(post, everlog.Post) else None)


def _tag_bounds(
    blog: Blog, known: Sequence[Truth], rows: Sequence[Truth], said: Mapping[str, Said]
) -> tuple[list[float], list[float]]:
    entries = parse_feed(blog.feed(), blog.feed_url).entries
    constant = frozenset.intersection(*(frozenset(plain_set(entry.tags)) for entry in entries))
    least: dict[str, int] = {}
    for row in rows:
        own = plain_set(row.tags)
        for tag in {tag for other in rows for tag in plain_set(other.tags)} - own if row.tags else ():
            least[tag] = min(said[row.url].alone[tag], least.get(tag, LONGEST))
    stated, found = [], []
    for row in known:
        tags, page = plain_set(row.tags), said[row.url]
        alone = {tag for tag in tags if page.alone[tag] > least.get(tag, 0) or tag in constant}
        stated.append(set_f1(tags, alone))
        found.append(set_f1(tags, tags & (page.anywhere | constant)))
    return stated, found


def _author_bounds(
    blog: Blog, known: Sequence[Truth], _rows: Sequence[Truth], said: Mapping[str, Said]
) -> tuple[list[float], list[float]]:
    feed = parse_feed(blog.feed(), blog.feed_url)
    named = (name for owner in (feed, *feed.entries) for name in owner.authors)
    constant = plain_set(name for raw in named for name in (raw, as_name(raw) or ""))
    stated, found = [], []
    for row in known:
        authors, page = plain_set(row.authors), said[row.url]
        stated.append(float(any(page.alone[name] or name in constant for name in authors)))
        found.append(float(not authors.isdisjoint(page.anywhere | constant)))
    return stated, found


def _said(blog: Blog, row: Truth, names: frozenset[str]) -> Said:
    body = blog.truth_page(row)
    try:
        root = parse(body or b"")
    except EverlogError:
        return Said(alone=Counter(), anywhere=frozenset())
    alone: Counter[str] = Counter()
    article = plain(row.text)
    for text, element in (*_texts(root), *_values(root), *((piece, None) for piece in _pieces(row.url))):
        forms = _forms(text) & names
        if forms and (element is None or not _is_prose(element, article)):
            alone.update(forms)
    page = f" {plain(' '.join((*map(str, root.itertext()), *(value for value, _ in _values(root)), row.url)))} "
    return Said(alone=alone, anywhere=frozenset(name for name in names if f" {name} " in page) | alone.keys())


# Menus repeat on all pages.
@lru_cache(maxsize=200_000)
def _forms(text: str) -> frozenset[str]:
    """A text, and each piece of the list that it may be, with and without the word before it.

    >>> sorted(_forms("3 May, Tags: Rain (2)"))
    ['3 may', '3 may tags rain 2', 'rain', 'rain 2', 'tags rain', 'tags rain 2']
    """
    forms = {text, as_name(text) or ""}
    for piece in (text, *parts(text), *text.split(",")):
        for meant in (piece, piece.rpartition(":")[2]):
            forms |= {meant, as_tag(meant) or ""}
    return frozenset(plain_set(forms))


def _texts(root: Element) -> Iterator[tuple[str, Element]]:
    """The texts of small elements and the pieces between their children; no headings and code."""
    for element in root.iter(etree.Element):
        if element.tag in NO_PLACE:
            continue
        text = _short(element)
        if text:
            yield text, element
        if len(element):
            pieces = (element.text, *(child.tail for child in element))
            yield from ((piece, element) for piece in pieces if piece and len(piece) <= LONGEST)


def _short(element: Element) -> str | None:
    pieces: list[str] = []
    size = 0
    for piece in element.itertext():
        pieces.append(str(piece))
        size += len(piece.strip())
        if size > LONGEST:
            return None
    return " ".join("".join(pieces).split())


def _is_prose(element: Element, article: str) -> bool:
    """Whether an element is code, stands in a sentence, or with the words around it in the article's text."""
    told = False
    for above in (element, *element.iterancestors()):
        if above.tag in CODE:
            return True
        if above.tag in SENTENCES:
            bare = (above.text or "", *(child.tail or "" for child in above))
            if sum(len(text.strip()) for text in bare) > PROSE:
                return True
        if not told and above is not element:
            around = _short(above)
            words = plain(around) if around is not None else ""
            told = around is None or words.count(" ") >= FEW_WORDS
            if around is not None and told and words in article:
                return True
    return False


def _values(root: Element) -> Iterator[tuple[str, Element | None]]:
    """The metadata, the attributes and the addresses of links; titles and descriptions left out."""
    for element in root.iter(etree.Element):
        if element.tag == "script":
            if "json" in (element.get("type") or ""):
                yield from ((text, None) for text in _strings(_loaded(element.text or "")))
        elif element.tag == "meta":
            if not TITLES.search(element.get("property") or element.get("name") or element.get("itemprop") or ""):
                yield element.get("content") or "", None
        elif element.tag not in NO_PLACE:
            for name, value in element.items():
                if len(value) <= LONGEST and not (name == "id" or value.startswith("#")):
                    yield from ((part, element) for part in _parts_of_value(name, value))


def _parts_of_value(name: str, value: str) -> Iterable[str]:
    if name in {"href", "onclick"}:
        return _pieces(value)
    if name == "class":
        # Engines call a post after its tags: `tag-rain category-garden`.
        return (form for token in value.split() for form in (token, token.partition("-")[2]))
    return (value,)


def _loaded(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _strings(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, str):
        if len(value) <= LONGEST and not TITLES.search(key):
            yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _strings(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item, key)


def _pieces(address: str) -> Iterable[str]:
    """The folders and values of an address.

    >>> list(_pieces("/tag/new-york/?x=a"))
    ['tag', 'new-york', 'x', 'a']
    """
    return filter(None, SEPARATORS.split(unquote(address)))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_corpus_arguments(parser)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    arguments = parser.parse_args()
    blogs = chosen_blogs(arguments)
    ceilings: dict[str, dict[str, Ceiling]] = {}
    with ProcessPoolExecutor(arguments.jobs, multiprocessing.get_context("spawn")) as pool:
        for blog, measured in zip(blogs, pool.map(measure, blogs), strict=True):
            ceilings[blog.id] = measured
            say(f"{len(ceilings)}/{len(blogs)} {blog.id}")
    print(_as_json(ceilings) if arguments.json else _page(ceilings))


def _as_json(ceilings: Mapping[str, Mapping[str, Ceiling]]) -> str:
    plain_data = {
        blog: {name: asdict(ceiling) for name, ceiling in fields.items()}
        for blog, fields in ceilings.items()
    }
    return json.dumps(plain_data, ensure_ascii=False, indent=1)


def _page(ceilings: Mapping[str, Mapping[str, Ceiling]]) -> str:
    sections = []
    for name in FIELDS:
        known = {blog: fields[name] for blog, fields in ceilings.items() if name in fields}
        rows = [
            [blog, *(percent(value) for value in (one.reached, one.stated, one.found))]
            for blog, one in known.items()
            if min(one.reached, one.stated) < 1
        ]
        means = [mean(getattr(one, key) for one in known.values()) for key in ("reached", "stated", "found")]
        rows.append([f"mean over {len(known)} blogs", *map(percent, means)])
        above = sum(one.reached > one.stated + 1e-9 for one in known.values())
        sections.append(
            markdown_table([name, "reached", "stated", "found"], rows) + f"\n\nreached above stated on {above} blogs"
        )
    return "\n\n".join(sections)


if __name__ == "__main__":
    main()
