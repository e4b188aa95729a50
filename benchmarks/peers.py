"""The tools everlog is measured against, behind one face: bytes of a page -> `Post`.

None of them knows the blog; all are called as their documentation says, with the settings that suit
articles best. Where a tool wants text it gets the page decoded as a browser would; where it gives
HTML, everlog makes the text of it, so that all are compared by the same words. An exception of a
tool is a miss.

    python benchmarks/peers.py                    # extractors without a feed on the corpus, blog by blog
    python benchmarks/peers.py --blogs 8 --json
    python benchmarks/peers.py --page PAGE.html   # what each tool reads from a page
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boilerpy3.extractors
import trafilatura
from goose3 import Goose
from readability import Document
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import detect_encoding
from resiliparse.parse.html import HTMLTree
from w3lib.encoding import html_to_unicode

from accuracy_papers import peers_section
from blogs import add_corpus_arguments, chosen_blogs, say
from everlog.core.tree import parse_fragment, take_text
from everlog.errors import EverlogError
from everlog.records import Post
from papers.peers import measure_peers, site_rows, tool, total_rows

if TYPE_CHECKING:
    from collections.abc import Callable

logging.disable(logging.CRITICAL)  # they log every page they cannot read


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A tool. `text` is the least it can be asked for and what its speed is measured by."""

    name: str
    package: str
    text: Callable[[bytes, str], str]
    post: Callable[[bytes, str], Post]
    fields: tuple[str, ...]

    @property
    def label(self) -> str:
        """Name and version."""
        return f"{self.name} {version(self.package)}"

    def read(self, page: bytes, url: str) -> Post | None:
        """The post as this tool reads it; None if it fails."""
        try:
            return self.post(page, url)
        except Exception:  # noqa: BLE001 - whatever goes wrong in a peer is its miss
            return None

    def try_text(self, page: bytes, url: str) -> str:
        """The text, empty if the tool fails."""
        try:
            return self.text(page, url)
        except Exception:  # noqa: BLE001
            return ""


def _decoded(page: bytes) -> str:
    return html_to_unicode(None, page)[1]


def _text_of(name: str) -> Callable[[bytes, str], str]:
    """The text alone, as `papers.peers` asks for it; these tools need not be told the language."""
    article = tool(name).article
    return lambda page, url: article(page, url, "")


# trafilatura ------------------------------------------------------------------------------------


def _trafilatura_post(page: bytes, url: str) -> Post:
    found = trafilatura.bare_extraction(
        page, url=url, favor_precision=True, include_comments=False, with_metadata=True,
    )
    if found is None:
        return Post(url=url)
    return Post(
        url=url, text=found.text or "", title=found.title, authors=_split(found.author),
        published=_moment(found.date), tags=(*(found.tags or ()), *(found.categories or ())),
    )


# readability-lxml -------------------------------------------------------------------------------


def _readability_post(page: bytes, url: str) -> Post:
    document = Document(page)
    title = document.short_title()  # before the summary, which changes the document
    return Post(url=url, title=title, text=take_text(parse_fragment(document.summary(html_partial=True))))


# goose3 -----------------------------------------------------------------------------------------


@cache
def _goose() -> Goose:
    return Goose({"enable_image_fetching": False})


def _goose_text(page: bytes, _url: str) -> str:
    return _goose().extract(raw_html=_decoded(page)).cleaned_text


def _goose_post(page: bytes, url: str) -> Post:
    found = _goose().extract(raw_html=_decoded(page))
    return Post(
        url=url, text=found.cleaned_text, title=found.title, authors=tuple(found.authors or ()),
        published=_moment(found.publish_date), tags=tuple(found.tags or ()),
    )


# boilerpy3 --------------------------------------------------------------------------------------


def _boilerpy_post(page: bytes, url: str) -> Post:
    found = boilerpy3.extractors.ArticleExtractor(raise_on_failure=False).get_doc(_decoded(page))
    return Post(url=url, text=found.content, title=found.title)


# resiliparse ------------------------------------------------------------------------------------


def _resiliparse_tree(page: bytes) -> HTMLTree:
    return HTMLTree.parse_from_bytes(page, detect_encoding(page))


def _resiliparse_text(page: bytes, _url: str) -> str:
    return extract_plain_text(_resiliparse_tree(page), main_content=True, alt_texts=False)


def _resiliparse_post(page: bytes, url: str) -> Post:
    tree = _resiliparse_tree(page)
    return Post(url=url, text=extract_plain_text(tree, main_content=True, alt_texts=False), title=tree.title)


PEERS = (
    Peer(
        name="trafilatura (precision)", package="trafilatura", text=_text_of("trafilatura"),
        post=_trafilatura_post, fields=("title", "author", "date", "tags"),
    ),
    Peer(
        name="readability-lxml", package="readability-lxml", text=_text_of("readability"),
        post=_readability_post, fields=("title",),
    ),
    Peer(
        name="goose3", package="goose3", text=_goose_text, post=_goose_post,
        fields=("title", "author", "date", "tags"),
    ),
    Peer(
        name="boilerpy3 (article)", package="boilerpy3", text=_text_of("boilerpy3"), post=_boilerpy_post,
        fields=("title",),
    ),
    Peer(
        name="resiliparse", package="resiliparse", text=_resiliparse_text, post=_resiliparse_post,
        fields=("title",),
    ),
)


def peer(name: str) -> Peer:
    """The tool whose package or name begins so."""
    return next(each for each in PEERS if each.package.startswith(name))


def _split(names: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (names or "").split(";") if part.strip())


def _moment(value: Any) -> datetime | None:
    """The day at the beginning of an ISO date."""
    try:
        return datetime.strptime(str(value)[:10], "%Y-%m-%d").replace(tzinfo=UTC) if value else None
    except ValueError:
        return None


def show_page(file: Path, url: str) -> None:
    """Prints what each tool reads from a page."""
    for each in PEERS:
        post = each.read(file.read_bytes(), url)
        print(f"== {each.label}")
        if post is None:
            print("fails")
            continue
        print(f"title {post.title!r}, authors {post.authors}, published {post.published}, tags {post.tags}")
        print(post.text[:400])


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_corpus_arguments(parser)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--page", type=Path, metavar="FILE", help="show what each tool reads from this page")
    parser.add_argument("--url", default="http://blog.example/post", help="the address of that page")
    arguments = parser.parse_args()
    if arguments.page:
        show_page(arguments.page, arguments.url)
        return
    blogs = chosen_blogs(arguments)
    number = count(1)
    try:
        sites = measure_peers(blogs, jobs=arguments.jobs, done=lambda _: say(f"{next(number)}/{len(blogs)} blogs"))
    except EverlogError as error:
        sys.exit(str(error))
    tables = {"means": total_rows(sites), "sites": site_rows(sites)}
    print(json.dumps(tables, ensure_ascii=False, indent=1) if arguments.json else peers_section(sites))


if __name__ == "__main__":
    main()
