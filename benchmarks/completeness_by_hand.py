"""What must be missing of each real blog, as a person wrote it down from the blog's files.

`completeness_by_hand.json` has an entry per blog of the corpus. It was written before any verdict of everlog was
looked at, by reading the blogs: their sitemaps, feeds, archive pages, lists of posts and neighbour links. Blogs of the
corpus are cut, so most of them name posts that no file answers for. An entry says which these are, as a rule:

answer     no, unknown or yes; two of them where the files leave it open
posts      what the path of a post looks like on this blog (a regular expression for the whole, decoded path)
not        which of these are no posts: pages, folders, mistakes
from       the files of the site that list posts (globs; without it all pages)
unlinked   files that nothing on the blog leads to (globs): what they name is unclear
links      which links of a page list posts (XPath; without it all)
text       the class or id of an article's body and of comments: a link in them is running text, and lists nothing
also       paths of posts that no rule tells
unclear    further addresses that a verdict may name but need not (a regular expression)
hosts      other names of the blog in its own links (a regular expression)
why        what was seen, in a sentence
corrected  what was changed after verdicts had been compared, and why

Missing is what a list names, looks like a post and is answered by no file. An address that looks like a post's and is
named elsewhere (in running text, in a feed of one tag, in a comment) is unclear as well: it was a post once, or never.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, unquote, urljoin, urlsplit

from lxml import etree, html

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from everlog.evaluate.corpus import Blog

FILE = Path(__file__).with_name("completeness_by_hand.json")
ANSWERS = ("no", "unknown", "yes")
FIELDS = {"answer", "posts", "not", "from", "unlinked", "links", "text", "also", "unclear", "hosts", "why",
          "corrected"}

_ALL_LINKS = "//a[@href] | //area[@href] | //link[@rel='prev' or @rel='next']"
_LISTS_IN_XML = re.compile(
    rb"\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*)*<(rss|feed|rdf:RDF|urlset|sitemapindex)[\s>]",
    re.IGNORECASE | re.DOTALL,
)
_INDEX = re.compile(r"(^|/)index\.(?:html?|xml|rss)$")
# A feed's link to the post, not to the feed itself.
_TO_THE_POST = (None, "alternate")

Key = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What a verdict about a blog must say."""

    answers: frozenset[str]
    missing: frozenset[Key]
    why: str
    corrected: str | None = None


def entries(file: Path = FILE) -> dict[str, Mapping[str, Any]]:
    """The entries by blog, each checked for words that mean nothing."""
    found: dict[str, Mapping[str, Any]] = json.loads(file.read_text("utf-8"))
    for name, entry in found.items():
        unknown = entry.keys() - FIELDS
        if unknown or not set(_list(entry["answer"])) <= set(ANSWERS) or not entry.get("why"):
            raise ValueError(f"{file.name}: {name} has {sorted(unknown) or entry['answer']} that means nothing")
    return found


def expectation(entry: Mapping[str, Any], blog: Blog) -> Expectation:
    """The answer, and the keys of all posts that must be told to be missing."""
    missing = {
        key for url in _listed(entry, blog)
        if _is_post(entry, _path(url)) and not is_answered(blog, key := key_of(entry, blog, url))
    }
    missing |= {key_of(entry, blog, urljoin(blog.origin, quote(path))) for path in entry.get("also", ())}
    return Expectation(
        answers=frozenset(_list(entry["answer"])), missing=frozenset(missing), why=entry["why"],
        corrected=entry.get("corrected"),
    )


def may_be_named(entry: Mapping[str, Any], blog: Blog, url: str) -> bool:
    """Whether a verdict may tell an address that no list names: dead, and like a post's or unclear."""
    path = _path(url)
    further = entry.get("unclear")
    is_told = _is_post(entry, path) or bool(further and re.fullmatch(further, path))
    return is_told and not is_answered(blog, key_of(entry, blog, url))


def key_of(entry: Mapping[str, Any], blog: Blog, url: str) -> Key:
    """The key of an address, whichever name of the blog it has."""
    parts = urlsplit(url)
    if entry.get("hosts") and re.fullmatch(entry["hosts"], parts.netloc.lower()):
        url = urljoin(blog.origin, parts.path)
    return blog.key(url)


def is_answered(blog: Blog, key: Key) -> bool:
    """Whether some file of the site answers for an address, in one spelling or another."""
    path = quote(key[1])
    return any(blog.file(urljoin(blog.origin, spelling)) for spelling in (path, f"{path}/", f"{path}.html"))


def _listed(entry: Mapping[str, Any], blog: Blog) -> Iterator[str]:
    """The addresses on the blog that its lists name."""
    root = blog.folder / "site"
    for file in _files(entry, blog, root):
        base = urljoin(blog.origin, "/" + quote(_INDEX.sub(r"\1", file.relative_to(root).as_posix())))
        data = file.read_bytes()
        names = _named_in_xml(data) if _is_xml(file, data) else _named_in_page(entry, data)
        for name in names:
            url = _joined(base, name.strip())
            if url and _is_own(entry, blog, url):
                yield url


def _files(entry: Mapping[str, Any], blog: Blog, root: Path) -> Iterator[Path]:
    """The files that list posts, the blog's feed among them. Feeds of a tag or of comments are no lists."""
    feed = blog.file(blog.feed_url)
    unlinked = {file for glob in entry.get("unlinked", ()) for file in root.glob(glob)}
    if "posts" in entry:
        for glob in entry.get("from", ("**/*.html", "**/*.htm")):
            for file in sorted(root.glob(glob)):
                if file.is_file() and file not in unlinked and not _is_feed_in_a_page(file):
                    yield file
        if feed is not None:
            yield feed


def _is_feed_in_a_page(file: Path) -> bool:
    return file.suffix in {".html", ".htm"} and _is_xml(file, file.read_bytes()[:3000])


def _is_xml(file: Path, data: bytes) -> bool:
    return file.suffix in {".xml", ".rss", ".atom", ".rdf"} or bool(_LISTS_IN_XML.match(data.lstrip(b"\xef\xbb\xbf")))


def _named_in_xml(data: bytes) -> Iterator[str]:
    tree = etree.fromstring(data, etree.XMLParser(recover=True, huge_tree=True))
    for element in [] if tree is None else tree.iter(etree.Element):
        name = etree.QName(element).localname
        if name == "loc" and element.text:
            yield element.text
        elif name == "link" and element.get("rel") in _TO_THE_POST:
            yield element.get("href") or element.text or ""


def _named_in_page(entry: Mapping[str, Any], data: bytes) -> Iterator[str]:
    try:
        page = html.fromstring(data, parser=html.HTMLParser(encoding="utf-8", huge_tree=True))
    except etree.ParserError:
        return
    text = set(entry.get("text", ()))
    for link in cast("list[html.HtmlElement]", page.xpath(entry.get("links", _ALL_LINKS))):
        if not text or not any(text & _marks(above) for above in link.iterancestors()):
            yield link.get("href") or ""


def _marks(element: html.HtmlElement) -> set[str]:
    return {*(element.get("class") or "").split(), element.get("id") or ""}


def _is_own(entry: Mapping[str, Any], blog: Blog, url: str) -> bool:
    host = urlsplit(url).netloc.lower()
    further = entry.get("hosts")
    return host.removeprefix("www.") in blog.hosts or bool(further and re.fullmatch(further, host))


def _is_post(entry: Mapping[str, Any], path: str) -> bool:
    shape, exception = entry.get("posts"), entry.get("not")
    return bool(shape and re.fullmatch(shape, path)) and not (exception and re.fullmatch(exception, path))


def _path(url: str) -> str:
    return re.sub(r"/{2,}", "/", unquote(urlsplit(url).path))


def _joined(base: str, name: str) -> str | None:
    try:
        return urljoin(base, name)
    except ValueError:  # brackets that are no address
        return None


def _list(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
