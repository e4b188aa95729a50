"""Bytes to a tree, and the visible text of its nodes."""

from __future__ import annotations

import codecs
import re
from collections.abc import Container, Iterable, Iterator
from copy import deepcopy

from lxml import etree
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom, resolve_encoding

from everlog.core.attributes import bounded
from everlog.errors import UnreadablePage

Element = etree._Element

# Five times the largest of 13,168 pages of blogs (1.7 MB), and small enough to be read in seconds.
MAX_PAGE_BYTES = 8_000_000
# Six times as many as the richest of 11,147 pages has (25,275). A page of so many elements is read in one to three
# seconds; the two million that fit into 8 MB took fifteen, and 1.3 GB.
MAX_TAGS = 150_000

# Nothing a reader of the page sees as text.
INVISIBLE = frozenset(
    "head script style noscript template iframe svg object embed canvas audio video map select option "
    "datalist textarea input button".split()
)

# Elements that end a line of text. Everything else is inline: `foo<b>bar</b>` is one word.
BLOCK = frozenset(
    "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html li main menu nav ol p pre "
    "section summary table tbody td tfoot th thead tr ul img".split()
)
# Elements whose bare text can be a byline or a label of its own. In a paragraph, bare text is text.
HOLDERS = frozenset("div article section main body td header footer aside center form".split())

# Marks that no text holds (Unicode keeps these code points free): the end of a paragraph, of a
# line, and white space that must stay as it is.
PARAGRAPH, LINE, _KEPT_LINE, _KEPT_BLANK = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"
_LINE_TAGS = frozenset(("br", "td", "th", "dt", "tr", "img", "li"))

# Control bytes: no multi-byte character holds one.
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r"))
_CONTROL_REFERENCE = re.compile(
    rb"&#(?:0*(?:[0-8]|1[124-9]|2[0-9]|3[01]|6553[45])|[xX]0*(?:[0-8bBcCeEfF]|1[0-9a-fA-F]|[fF]{3}[efEF]))"
    rb"(?:;|(?![0-9a-fA-F]))"
)
# Characters that no tree takes.
UNSETTABLE = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")

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
    if len(body) > MAX_TAGS and (tags := body.count(b"<")) > MAX_TAGS:
        raise UnreadablePage(f"too many tags in one page: more than {MAX_TAGS:,}", advice=f"it has about {tags:,}")
    body, encoding = _decodable(body, content_type)
    body = bounded(_without_controls(body))
    try:
        root = etree.fromstring(body, _parser(encoding))
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnreadablePage(f"the page cannot be parsed: {error}", advice="skip it or fetch it again") from None
    if root is None:
        raise UnreadablePage("the page cannot be parsed: it has no content", advice="skip it or fetch it again")
    return _with_empty_embeds(root, body)


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


def _without_controls(body: bytes) -> bytes:
    """UTF-8 without characters that no XML text may hold, spelled out or as references.

    libxml2 lets them into a tree, and every rule, link or text made of them fails later.
    """
    body = body.translate(None, _CONTROLS)
    # A single sign is found at once, a pair of them as slowly as a word.
    if b"&" in body and b"&#" in body:
        body = _CONTROL_REFERENCE.sub(b"", body)
    if not body.isascii() and b"\xef\xbf" in body:
        body = body.replace(b"\xef\xbf\xbe", b"").replace(b"\xef\xbf\xbf", b"")
    return body


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
    """The `html` element around a piece of markup, such as a feed's content; of one that is too large, its start.

    >>> parse_fragment("a <b>c</b>").findtext("body//b")
    'c'
    """
    # The declaration keeps libxml2 from guessing; surrogates have no bytes.
    body = bounded(_first_tags(_without_controls(markup.encode("utf-8", "replace"))))
    root = etree.fromstring(b"<html><body>" + body + b"</body></html>", _parser("utf-8"))
    assert root is not None  # noqa: S101 - the tags above always make a document
    return _with_empty_embeds(root, body)


def _with_empty_embeds(root: Element, body: bytes) -> Element:
    """What stands behind an `embed`, where libxml2 puts it into the `embed` as long as nothing ends that.

    HTML knows no content of it, and whatever is in it counts as invisible: the rest of an article, often enough.

    >>> etree.tostring(parse(b"<p>a<embed src=x>b<i>c</i>d</p>")[0][0], method="html")
    b'<p>a<embed src="x"></embed>b<i>c</i>d</p>'
    """
    if b"mbed" not in body and b"MBED" not in body:
        return root
    for embed in list(root.iter("embed")):
        parent = embed.getparent()
        inside, behind = list(embed), embed.tail or ""
        if parent is None or not (inside or embed.text):
            continue
        embed.text, embed.tail = None, embed.text
        place = parent.index(embed) + 1
        parent[place:place] = inside
        last = inside[-1] if inside else embed
        last.tail = f"{last.tail or ''}{behind}"
    return root


def _first_tags(body: bytes) -> bytes:
    """As much of some markup as has no more tags than a page may have."""
    if len(body) <= MAX_TAGS or body.count(b"<") <= MAX_TAGS:
        return body
    return b"<".join(body.split(b"<", MAX_TAGS + 1)[:MAX_TAGS + 1])


def is_hidden(element: Element) -> bool:
    """Whether an element says itself that it is not shown.

    >>> is_hidden(parse(b"<p style='display: none'>x")[0][0]), is_hidden(parse(b"<p>x")[0][0])
    (True, False)
    """
    style = element.get("style")
    if style is not None and "display:none" in style.replace(" ", "").lower():
        return True
    return element.get("hidden") is not None


def visible_pieces(element: Element, without: Container[Element] = ()) -> Iterator[str]:
    """The pieces of text that an element shows, in document order, blank ones and those inside `without` left out.

    >>> list(visible_pieces(parse(b"<p>One <i>two</i><script>x</script> three")))
    ['One ', 'two', ' three']
    """
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, node in walk:
        if event == "end":
            text = node.tail if node is not element else None
        elif node.tag in INVISIBLE or (node in without and node is not element):
            walk.skip_subtree()
            continue
        else:
            text = node.text
        if text and not text.isspace():
            yield text


def visible_text(element: Element) -> str:
    """The text of an element as a reader sees it; the element stays as it is.

    >>> visible_text(parse(b"<p>One <i>two</i><script>x</script>"))
    'One two'
    """
    copied = deepcopy(element)
    drop([inner for inner in copied.iter(*INVISIBLE) if inner is not copied])
    return take_text(copied)


def drop(elements: Iterable[Element]) -> None:
    """Takes elements out of their tree, in document order; the bare text behind them stays."""
    # Texts are joined at the end: with thousands of elements side by side, one by one is quadratic.
    texts: dict[Element, list[str]] = {}
    tails: dict[Element, list[str]] = {}
    for element in elements:
        above = element.getparent()
        if above is None:
            continue
        tail = element.tail
        if tail and not tail.isspace():
            before = element.getprevious()
            if before is not None:
                tails.setdefault(before, [before.tail or ""]).append(tail)
            else:
                texts.setdefault(above, [above.text or ""]).append(tail)
        above.remove(element)
    for element, parts in texts.items():
        element.text = "".join(parts)
    for element, parts in tails.items():
        element.tail = "".join(parts)


def take_text(article: Element) -> str:
    """The text of an article: paragraphs parted by blank lines. The element is of no use afterwards.

    >>> print(take_text(parse(b"<div><p>One <i>two</i></p><p>three<br>four</p><pre>a\\n  b</pre>")))
    One two
    <BLANKLINE>
    three
    four
    <BLANKLINE>
    a
      b
    """
    # First, and from a list: a walk ends where the element it stands on is taken out.
    for preformatted in list(article.iter("pre")):
        _keep_space(preformatted)
    for element in article.iter():
        tag = element.tag
        if tag not in BLOCK:
            continue
        mark = LINE if tag in _LINE_TAGS else PARAGRAPH
        text, tail = element.text, element.tail
        element.text = mark + text if text else mark
        element.tail = mark + tail if tail else mark
    raw = etree.tostring(article, method="text", encoding="unicode", with_tail=False)
    return tidy(raw)


def _keep_space(preformatted: Element) -> None:
    if all(element.tag not in BLOCK for element in preformatted.iterdescendants()):
        # Highlighted code has an element for every sign; its text is all that is wanted.
        text = etree.tostring(preformatted, method="text", encoding="unicode", with_tail=False)
        for child in list(preformatted):
            preformatted.remove(child)
        preformatted.text = text.replace("\n", _KEPT_LINE).replace(" ", _KEPT_BLANK)
        return
    for element in preformatted.iter():
        if element.text:
            element.text = element.text.replace("\n", _KEPT_LINE).replace(" ", _KEPT_BLANK)
        if element.tail and element is not preformatted:
            element.tail = element.tail.replace("\n", _KEPT_LINE).replace(" ", _KEPT_BLANK)


def tidy(raw: str) -> str:
    """A text whose paragraphs and lines are marked, as it is read: white space collapsed, nothing empty."""
    paragraphs = []
    for block in raw.split(PARAGRAPH):
        if not block or block.isspace():
            continue
        if LINE in block:
            lines = filter(None, (" ".join(line.split()) for line in block.split(LINE)))
            text = "\n".join(lines)
        else:
            text = " ".join(block.split())
        if text:
            paragraphs.append(text)
    text = "\n\n".join(paragraphs)
    if _KEPT_BLANK in text or _KEPT_LINE in text:
        text = text.replace(_KEPT_BLANK, " ").replace(_KEPT_LINE, "\n").strip("\n")
    return text
