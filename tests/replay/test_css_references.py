"""References of style sheets: which are found, what they are for, and what stays as it is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.replay.css_references import css_references, css_text, rewrite_css


@pytest.mark.parametrize(
    ("sheet", "found"),
    [
        ("p{background:url(a.png)}", ["image a.png"]),
        ("p{background:URL( a.png )}", ["image a.png"]),
        ("p{background:url( 'a b.png' )}", ["image a b.png"]),
        ('p{background:url("a(b).png"/* c */)}', ["image a(b).png"]),
        (r"p{background:url(a\ b\(c\).png)}", ["image a b(c).png"]),
        (r"p{background:url('a\26 b\000026c')}", ["image a&b&c"]),
        ("p{background:url('a\\\nb')}", ["image ab"]),
        (r"p{background:\75\72\6c(a)}", ["image a"]),
        (r"p{background:u\72 l('a')}", ["image a"]),
        (r"p{background:\url(a)}", ["image a"]),
        ("p{background:url(a b)}", []),
        ("p{background:url(a'b)} q{background:url(c)}", ["image c"]),
        ("p{background:url('a\nb')}", []),
        ("p{content:'url(a)'} q{background:url(b)}", ["image b"]),
        ("/* url(a) */ q{background:url(b)} /* url(c)", ["image b"]),
        ("p{background:myurl(a) -url(b) 3url(c)}", []),
        (r"p\(url{} .a\"b{background:url(c)}", ["image c"]),
        ("p{background:url()}", ["image "]),
        ("p{background:url(a", ["image a"]),
        ("p{background:url('a", ["image a"]),
        ("p{background:url('a\\", ["image a"]),
        (r"p{background:url('a\'", ["image a'"]),
        ("p{background:url(data:image/png;base64,iVBO=)}", ["image data:image/png;base64,iVBO="]),
        ("p{filter:url(#f)}", ["image #f"]),
        ("@import 'a.css';", ["style a.css"]),
        ("@IMPORT url(a.css) layer(b) supports(display: grid) screen;", ["style a.css"]),
        ("@import/**/'a.css' print; @import url('b.css');", ["style a.css", "style b.css"]),
        (r"@\69mport 'a.css';", ["style a.css"]),
        (r"@import u\72l(a.css);", ["style a.css"]),
        ("@import", []),
        ("@import 'a\n';", []),
        ("@namespace url(http://www.w3.org/1999/xhtml); p{background:url(a)}", ["image a"]),
        ("@namespace svg 'http://www.w3.org/2000/svg'; p{background:url(a)}", ["image a"]),
        ("@charset 'utf-8'; @import 'a.css';", ["style a.css"]),
        (
            "@font-face{font-family:x;src:local('x'),url(a.woff2) format('woff2'),url(a.woff)}p{background:url(b)}",
            ["font a.woff2", "font a.woff", "image b"],
        ),
        ("p{background:image-set('a.png' 1x, url(b.png) 2x type('image/png'))}", ["image a.png", "image b.png"]),
        ("p{background:-webkit-image-set(url(a) 1x)} q{content:'b'}", ["image a"]),
        (r"p{background:image-\73 et('a' 1x)}", ["image a"]),
        ("p{background:image-set(linear-gradient(red, blue) 1x, 'a' 2x)}", ["image a"]),
        ("p{background:cross-fade(url(a), url(b), 50%)}", ["image a", "image b"]),
        ("p{--x: url(a)}", ["image a"]),
        (".a\\@2x{background:url(a)}", ["image a"]),
        ("<!-- p{background:url(a)} -->", ["image a"]),
    ],
)
def test_a_reference_is_found_where_browsers_find_it(sheet, found):
    assert [f"{each.kind} {each.url}" for each in css_references(sheet)] == found


@pytest.mark.parametrize(
    ("sheet", "expected"),
    [
        ("p { background : URL( a.png ) no-repeat }", 'p { background : url("X") no-repeat }'),
        ("@import 'a.css' layer(b) print;", '@import "X" layer(b) print;'),
        ("@import url(a.css)screen;", '@import url("X")screen;'),
        ("p{background:image-set('a' 1x,url(b) 2x)}", 'p{background:image-set("X" 1x,url("X") 2x)}'),
        ("p{background:url('a' crossorigin(anonymous))}", 'p{background:url("X" crossorigin(anonymous))}'),
        ("p{background:url(a", 'p{background:url("X")'),
        # A variable may hold the address as a text that nothing tells from other texts.
        ("p{background:image-set(var(--a) 1x)}", "p{background:image-set(unknown(--a) 1x)}"),
        ("p{color:var(--a)}", "p{color:var(--a)}"),
    ],
)
def test_all_but_the_references_stays_letter_by_letter(sheet, expected):
    assert rewrite_css(sheet, lambda _found: "X") == expected


@pytest.mark.parametrize(
    ("body", "content_type", "fallback", "text"),
    [
        ("é".encode(), None, "utf-8", "é"),
        (b"\xef\xbb\xbf" + "é".encode(), "text/css; charset=latin-1", "utf-8", "é"),
        ("é".encode("utf-16"), None, "utf-8", "é"),
        (b"\xe9", "text/css; charset=ISO-8859-1", "utf-8", "é"),
        (b"\xe9", "text/css", "windows-1252", "é"),
        (b'@charset "utf-16"; \xc3\xa9', None, "windows-1252", '@charset "utf-16"; é'),
        ("й".encode("koi8-r"), "text/css", "koi8-r", "й"),
        (b"\xc3\xa9", "text/css; charset=nonsense", "nonsense", "é"),
    ],
)
def test_a_style_sheet_is_decoded_as_the_standard_says(body, content_type, fallback, text):
    assert css_text(body, content_type, fallback) == text


PIECES = st.sampled_from([
    "url(", "image-set(", ")", "(", "'", '"', "/*", "*/", "@import ", "@font-face", "{", "}", "\\", "\n", "a.png", " ",
    "\\75 rl(", "var(", ";", "\r\n", "\0", "@namespace ", "é", "\\26 ",
])


@given(st.lists(PIECES, max_size=30).map("".join))
def test_rewriting_with_the_same_addresses_changes_no_reference(sheet):
    before = [(found.kind, found.url) for found in css_references(sheet)]
    again = rewrite_css(sheet, lambda found: found.url)
    assert [(found.kind, found.url) for found in css_references(again)] == before


@given(st.lists(PIECES, max_size=30).map("".join), st.text(max_size=20))
def test_no_address_breaks_out_of_its_place(sheet, address):
    rewritten = rewrite_css(sheet, lambda _found: address)
    assert all(not found.url or found.url == re.sub("\0", "�", address) for found in css_references(rewritten))
    assert "</" not in rewritten or "</" in sheet
