"""Bytes to a tree, and the visible text of its nodes."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, Protocol

from lxml import etree
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom, resolve_encoding

from everlog.errors import UnreadablePage

if TYPE_CHECKING:
    from collections.abc import Callable

Element = etree._Element

# Larger than any page of a blog that people read (the largest of 9,000 looked at: 3.4 MB), small
# enough that a page takes seconds, not minutes, and less than 300 MB.
MAX_PAGE_BYTES = 12_000_000

# Nothing a reader of the page sees as text.
INVISIBLE = frozenset(
    "head script style noscript template iframe svg math object embed canvas audio video map select "
    "option datalist textarea input button".split()
) - {"math"}

# Elements that end a line of text. Everything else is inline: `foo<b>bar</b>` is one word.
BLOCK = frozenset(
    "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html li main menu nav ol p pre "
    "section summary table tbody td tfoot th thead tr ul img".split()
)
# Elements whose bare text can be a byline or a label of its own. In a paragraph, bare text is text.
HOLDERS = frozenset("div article section main body td header footer aside center form".split())
_LINE = frozenset("br td th img dt tr".split())
_VOID = frozenset(("br", "img", "hr"))

_parsers: dict[str, etree.HTMLParser] = {}


def parse(body: bytes, content_type: str | None = None) -> Element:
    """The `html` element of a page.

    >>> parse(b"<p>caf\\xc3\\xa9").findtext("body/p")
    'café'
    """
    if len(body) > MAX_PAGE_BYTES:
        raise UnreadablePage(f"page too large: {len(body):,} bytes", advice=f"the limit is {MAX_PAGE_BYTES:,}")
    if b"\0" in body:
        body = _without_nul(body)
    body, encoding = _decodable(body, content_type)
    try:
        root = etree.fromstring(body, _parser(encoding))
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnreadablePage(f"no document in this page: {error}", advice="skip it or fetch it again") from None
    if root is None:
        raise UnreadablePage("no document in this page: it is empty", advice="skip it or fetch it again")
    return root


def _parser(encoding: str) -> etree.HTMLParser:
    # Making a parser costs as much as parsing a small page. Threads may share one: lxml locks it.
    parser = _parsers.get(encoding)
    if parser is None:
        parser = etree.HTMLParser(encoding=encoding, remove_comments=True, remove_pis=True, huge_tree=True)
        _parsers[encoding] = parser
    return parser


def _without_nul(body: bytes) -> bytes:
    bom, _ = read_bom(body)
    # In UTF-16 every other byte of Latin text is NUL: it must be decoded before NULs can go.
    if bom in {"utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"}:
        return body.decode(bom, "replace").lstrip("\ufeff").replace("\0", "").encode()
    return body.replace(b"\0", b"")


def _decodable(body: bytes, content_type: str | None) -> tuple[bytes, str]:
    """Bytes and the encoding they can be read in without loss.

    Pages lie about their charset; UTF-8 does not: text that decodes as UTF-8 by chance and holds
    anything beyond ASCII is next to impossible.
    """
    try:
        body.decode()
    except UnicodeDecodeError:
        pass
    else:
        return body, "utf-8"
    declared = (
        read_bom(body)[0]
        or (http_content_type_encoding(content_type) if content_type else None)
        or html_body_declared_encoding(body[:4096])
    )
    encoding = resolve_encoding(declared) if declared else None
    if encoding is None or codecs.lookup(encoding).name == "utf-8":
        # Mostly UTF-8 with a few broken bytes, or an old single-byte page that does not say so.
        encoding = "utf-8" if _mostly_utf8(body) else "cp1252"
    return body.decode(encoding, "replace").encode(), "utf-8"


def _mostly_utf8(body: bytes) -> bool:
    text = body.decode("utf-8", "replace")
    beyond = sum(c > "\x7f" for c in text) if len(text) < 200_000 else sum(c > "\x7f" for c in text[:200_000])
    return text.count("\ufffd") * 4 < max(beyond, 1)


def parse_fragment(markup: str) -> Element:
    """The `html` element around a piece of markup, such as a feed's content.

    >>> parse_fragment("a <b>c</b>").findtext("body//b")
    'c'
    """
    # The declaration keeps libxml2 from guessing; surrogates have no bytes.
    root = etree.fromstring(
        b"<html><body>" + markup.replace("\0", "").encode("utf-8", "replace") + b"</body></html>", _parser("utf-8")
    )
    assert root is not None  # noqa: S101 - the tags above always make a document
    return root


class Cuts(Protocol):
    """What a walk over an article asks about its pieces."""

    def is_cut(self, element: Element) -> bool:
        """Whether this element is left out."""

    def cuts_tail(self, element: Element) -> bool:
        """Whether the bare text behind this element is left out."""

    def cuts_rest(self, element: Element) -> bool:
        """Whether this element and all its later siblings are left out."""


def visible_text(element: Element, cuts: Cuts | None = None) -> str:
    """The text of an element: paragraphs parted by blank lines, white space collapsed.

    >>> print(visible_text(parse(b"<div><p>One <i>two</i></p><script>x</script><p>three<br>four")))
    One two
    <BLANKLINE>
    three
    four
    """
    out: list[str] = []
    _write(element, out, cuts)
    return tidy("".join(out))


_BLANKS = re.compile(r"[ \t\r\f\v\u00a0\u2002-\u200a\u202f\u3000]+")


def tidy(raw: str) -> str:
    """Collapse blanks; three line ends or more become two."""
    text = _BLANKS.sub(" ", raw)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r" *\n *", "\n", text)).strip()


def _write(element: Element, out: list[str], cuts: Cuts | None) -> None:
    walk = etree.iterwalk(element, events=("start", "end"))
    preformatted = 0
    # Elements whose remaining children are left out.
    closed: set[Element] = set()
    for event, node in walk:
        tag = node.tag
        if event == "start":
            skip = tag in INVISIBLE
            if cuts is not None and node is not element and not skip:
                above = node.getparent()
                if above in closed or cuts.cuts_rest(node):
                    closed.add(above)
                    skip = True
                else:
                    skip = cuts.is_cut(node)
            if skip:
                walk.skip_subtree()
                if tag in BLOCK:
                    out.append("\n\n")
                continue
            if tag in BLOCK:
                out.append("\n" if tag in _LINE else "\n\n")
            if tag == "pre":
                preformatted += 1
            text = node.text
            if text:
                out.append(text if preformatted else text.replace("\n", " "))
        else:
            if tag == "pre" and preformatted:
                preformatted -= 1
            if tag in BLOCK and tag not in _VOID:
                out.append("\n" if tag in _LINE else "\n\n")
            if node is element or not node.tail or node.getparent() in closed:
                continue
            if cuts is not None and cuts.cuts_tail(node) and node.getparent().tag in HOLDERS:
                continue
            out.append(node.tail if preformatted else node.tail.replace("\n", " "))
