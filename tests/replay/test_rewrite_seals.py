"""No rewritten document asks anybody but replay: read again by an HTML5 parser that is not ours."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree
from selectolax.lexbor import LexborHTMLParser, LexborNode

from everlog.core.tree import MAX_TAGS
from everlog.markup.srcset import candidates
from everlog.replay import Replayed, View, css_references, rewrite_html, rewrite_style, rewrite_svg
from everlog.replay.css_references import css_unescaped
from everlog.replay.html_places import CSS_ATTRIBUTES, kind_of

VIEW = View(prefix="http://r", timestamp="20200202000000")
LIVE = "http://live.example/x"
# What no test measures; one that takes this long hangs.
HANGING_SECONDS = 300
TAGS = (
    "p img a script style svg math iframe noscript template textarea title xmp select option table td form object embed "  # noqa: E501  # noqa: E501
    "link meta base picture source video use image foreignObject desc animate set body head html frameset frame noframes "  # noqa: E501  # noqa: E501
    "plaintext input button feImage mtext annotation-xml mglyph li b font"
).split()
NAMES = (
    "src href srcset style onclick onerror data poster background action formaction xlink:href content http-equiv rel "
    "srcdoc data-src data-srcset data-bg class title to values attributeName shadowrootmode integrity color fill"
).split()
VALUES = (
    LIVE, "//live.example/y", f"url({LIVE})", f"background:url('{LIVE}')", "javascript:x()", "stylesheet", "refresh",
    f"0;url={LIVE}", f"{LIVE} 2x", f"<img src={LIVE} onerror=x()>", "a", "", "open", "href",
    f"</style><img src={LIVE}>",
    "icon", f"data:text/html,<script src={LIVE}></script>", f"@import '{LIVE}'", "--><script>x()</script>", "&quot;>",
    "preload", f"data:text/css,@import%20'{LIVE}'",
)
TEXTS = (
    "x", "<", ">", "'", '"', "<!--", "-->", "--!>", "<![CDATA[", "]]>", "<?", "</", "/>", "&lt;", "&amp;", "\0", "\r\n",
    f"@import '{LIVE}';", f"p{{background:url({LIVE})}}", "<!doctype html>", "<!", "</ ", "<a", " src=", "/", "=",
    "<script><!--<script>", "`",
)
QUOTES = st.sampled_from(["'", '"', ""])
ATTRIBUTES = st.tuples(st.sampled_from(NAMES), QUOTES, st.sampled_from(VALUES)).map(lambda it: f" {it[0]}={it[1]}{it[2]}{it[1]}")  # noqa: E501  # noqa: E501
STARTS = st.tuples(st.sampled_from(TAGS), st.lists(ATTRIBUTES, max_size=3), st.sampled_from([">", "/>", " ", "\n>"])).map(  # noqa: E501  # noqa: E501
    lambda it: f"<{it[0]}{''.join(it[1])}{it[2]}"
)
ENDS = st.sampled_from(TAGS).map(lambda name: f"</{name}>")
DOCUMENTS = st.lists(st.one_of(STARTS, ENDS, st.sampled_from(TEXTS)), max_size=25).map("".join)


def everything(urls):
    return {url: Replayed(timestamp="20200101000000", url=url) for url in urls}


def nothing(_urls):
    return {}


@given(DOCUMENTS, st.sampled_from([everything, nothing]))
@example("<svg><style><!--</style><img src=http://live.example/x onerror=x()>-->", nothing)
@example("<noscript><xmp></noscript><img src=http://live.example/x onerror=x()></xmp>", nothing)
@example("<select><style></select><img src=http://live.example/x></style>", nothing)
def test_no_page_asks_anybody_else(text, resolve):
    assert list(asked(rewrite_html(text, url="http://live.example/", resolve=resolve, view=VIEW))) == []


@given(DOCUMENTS, st.sampled_from([everything, nothing]))
def test_no_xml_asks_anybody_else(text, resolve):
    for start in ('<svg xmlns="http://www.w3.org/2000/svg">', '<html xmlns="http://www.w3.org/1999/xhtml"><body>'):
        written = rewrite_svg(start + text, url="http://live.example/", resolve=resolve, view=VIEW)
        assert list(asked_by_xml(written)) == []


@given(st.lists(st.sampled_from([*TEXTS, *VALUES, "image-set(", "url(", ")", "@import ", "\\", "@font-face{", "}", "var(--a)"]), max_size=25).map("".join))  # noqa: E501  # noqa: E501
def test_no_style_sheet_asks_anybody_else(text):
    assert list(asked_by_css(rewrite_style(text, url="http://live.example/", resolve=nothing, view=VIEW))) == []


def asked(text: str, depth: int = 0) -> Iterator[str]:
    """What a browser would run or ask of others."""
    for node in LexborHTMLParser(text).root.traverse(include_text=False):
        name = (node.tag or "").lower()
        attributes = {key.lower(): value or "" for key, value in node.attributes.items()}
        yield from asked_by_element(name, attributes)
        if name == "script" and (node.text(deep=True) or "").strip():
            yield f"script {node.text(deep=True)}"
        if name == "style":
            yield from asked_by_css(inside(node))
        if "srcdoc" in attributes and depth < 6:
            yield from asked(attributes["srcdoc"], depth + 1)


def asked_by_xml(text: str) -> Iterator[str]:
    for node in etree.fromstring(text.encode()).iter():
        name = etree.QName(node).localname.lower()
        yield from asked_by_element(name, {etree.QName(key).localname.lower(): value for key, value in node.items()})
        if name in {"script", "style"}:
            written = "".join(node.itertext())
            yield from asked_by_css(written) if name == "style" else filter(str.strip, [written])


def inside(node: LexborNode) -> str:
    return "".join(child.text(deep=True) or "" for child in node.iter(include_text=True))


def asked_by_element(name: str, attributes: dict[str, str]) -> Iterator[str]:
    for key, value in attributes.items():
        if key.startswith("on"):
            yield f"{name} {key}"
        elif key in {"integrity", "formaction", "ping", "manifest", "attributionsrc", "imagesrcset"}:
            yield f"{name} {key}={value}"
        elif key in CSS_ATTRIBUTES:
            yield from asked_by_css(value)
        elif key == "srcset":
            links = (link for link, _ in candidates(value)) if name in {"img", "source"} else ()
            yield from (f"{name} {link}" for link in links if not is_own(link))
        elif is_address(name, key, attributes) and not is_own(value):
            yield f"{name} {key}={value}"
    if name == "meta" and attributes.get("http-equiv", "").strip().lower() == "refresh":
        yield "meta refresh"
    if name == "base" and attributes:
        yield "base"


def is_address(name: str, key: str, attributes: dict[str, str]) -> bool:
    if key in {"to", "from", "values"}:
        return "href" in attributes.get("attributename", "")
    return (name, key) == ("link", "href") or kind_of(name, key) is not None


def asked_by_css(text: str) -> Iterator[str]:
    for found in css_references(text):
        if not is_own(found.url):
            yield f"css {found.url}"
        if found.url.startswith("data:text/css") and "live.example" in css_unescaped(found.url).replace("http%3A%2F%2Fr", ""):  # noqa: E501  # noqa: E501
            yield f"css {found.url}"


def is_own(link: str) -> bool:
    return link.strip() == "" or link.startswith(("http://r/", "#", "data:", "about:", "mailto:"))


@pytest.fixture
def _no_hang() -> Iterator[None]:
    def ring(_number, _frame):
        raise TimeoutError(f"still busy after {HANGING_SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(HANGING_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


# A beginning, and what is repeated behind it.
ENORMOUS = {
    "": (
        "<p>x ", "<div>", "<a href=b>", "<svg>", "<noscript>", "<template>", "<!--", "<![CDATA[", "<style>", "<script>",
        "<script><!--", "</p <", "<p a='", "<?", "<textarea>", "<picture><source srcset=a>", "&",
        "<img data-src=a><noscript><img src=a>",
        "<iframe srcdoc='<img src=a>'></iframe>", "<svg><style>", "<math><mtext><svg>",
    ),
    "<svg>": ("<![CDATA[", "<g>", "<style/>"), "<img srcset='": ("a 1x,",), "<p ": ("a=b ", "a='b' ", "on=<"),
    "<p style='": ("url(", "image-set("), "<noscript>" * 2_000: ("</noscript>",),
}
SHAPES = [(start, piece) for start, pieces in ENORMOUS.items() for piece in pieces]


def rewritten_at_length(start: str, piece: str, length: int) -> None:
    text = start + piece * (length // len(piece))
    rewritten = rewrite_html(text, url="https://a.org/", resolve=nothing, view=VIEW)
    assert len(rewritten) < 20 * len(text) + 1_000


@pytest.mark.usefixtures("_no_hang")
@pytest.mark.parametrize(("start", "piece"), SHAPES)
def test_a_large_page_that_is_made_to_be_slow_is_rewritten_all_the_same(start, piece):
    rewritten_at_length(start, piece, 100_000)


@pytest.mark.slow
@pytest.mark.usefixtures("_no_hang")
@pytest.mark.parametrize(("start", "piece"), SHAPES)
def test_an_enormous_page_is_rewritten_in_time_or_cut(start, piece):
    rewritten_at_length(start, piece, 10_000_000)


def test_a_page_that_is_cut_says_so():
    rewritten = rewrite_html("<p>x</p>" * (MAX_TAGS + 9), url="https://a.org/", resolve=nothing, view=VIEW)
    assert rewritten.endswith("The rest of this page is not shown: it is too large.</div>")
    assert rewritten.count("<p>") == MAX_TAGS
