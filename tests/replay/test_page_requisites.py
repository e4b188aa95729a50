"""Requisites of a page: what Chromium asks for with scripts off, written down from its requests, is what is kept."""

from __future__ import annotations

import json

import pytest

from everlog.core.tree import parse
from everlog.replay.html_places import LAZY_PLACES
from everlog.replay.requisites import (
    MOST_ICONS,
    MOST_PER_PAGE,
    MOST_PER_SHEET,
    NONE_NEEDED,
    requisites_of,
    requisites_of_css,
    requisites_of_manifest,
    requisites_of_svg,
)

URL = "https://a.org/p/"


def named(html: str, url: str = URL) -> list[str]:
    body = html.encode()
    return [each.url.removeprefix("https://a.org/") for each in requisites_of(parse(body, "text/html"), url, body)]


# Pages, and the files that Chromium asks for.
CASES = [
    # Style sheets.
    ("<LINK REL=StyleSheet TYPE=Text/CSS HREF=/a.css?x=1&amp;y=2>", ["a.css?x=1&y=2"]),
    ("<link rel=stylesheet type=text/less href=/a.less>", []),
    ("<link rel='alternate stylesheet' title=x href=/a.css>", ["a.css"]),
    ("<link rel=stylesheet media=print onload=\"this.media='all'\" href=/a.css>", ["a.css"]),
    ("<link rel=stylesheet href='/css/\n a.css\t'>", ["css/%20a.css"]),
    ("<link rel=stylesheet href='\\css\\a.css'>", ["css/a.css"]),
    ("<link rel=stylesheet href=../../../a.css>", ["a.css"]),
    ("<link rel=stylesheet href=//b.org/a.css>", ["https://b.org/a.css"]),
    ("<link rel=stylesheet href=/a.css href=/b.css>", ["a.css"]),
    ("<p><!--[if IE]><link rel=stylesheet href=/ie.css><![endif]-->", []),
    ("<!--[if !IE]><!--><link rel=stylesheet href=/a.css><!--<![endif]-->", ["a.css"]),
    ("<noscript><link rel=stylesheet href=/a.css></noscript>", ["a.css"]),
    ("<base target=_blank><base href=/b/><base href=/c/><img src=d.png>", ["b/d.png"]),
    ("<base href=data:,x><img src=d.png>", ["p/d.png"]),
    # Style in pages.
    ("<style>@import url(/a.css) layer(x) supports(display: grid) screen;</style>", ["a.css"]),
    ("<style>@IMPORT'/a.css';</style>", ["a.css"]),
    ("<style>@import/**/url( '/a.css' );</style>", ["a.css"]),
    ("<style>@\\69mport '/a.css'</style>", ["a.css"]),
    ("<style>@charset 'utf-8'; @layer a; @import '/a.css';</style>", ["a.css"]),
    ("<style>@namespace url(/n.png); p { background: uRL( /a\\)b.png ) }</style>", ["a)b.png"]),
    ("<style>p { background: \\75rl(/\\61 .png) }</style>", ["a.png"]),
    ("<style>p { background: image-set('/a.avif' type('image/avif'), url(/b.png) 2x) }</style>",
     ["a.avif", "b.png"]),
    ("<style>p { background: -webkit-cross-fade(url(/a.png), url(/b.png), 50%) }</style>",
     ["a.png", "b.png"]),
    ("<style>:root { --a: url(/a.png) } @supports (x: y) { p { & b { mask: url(/b.svg#m) } } }</style>",
     ["a.png", "b.svg"]),
    ("<style>@counter-style x { symbols: url(/a.png) '*' }</style>", ["a.png"]),
    ("<style>p::before { content: 'url(/n.png)' url(/a.png) / 'x' } /* url(/n.png) */</style>", ["a.png"]),
    ("<style>p { background: url() } b { background: url(#x) } i { background: url(data:,x) }</style>", []),
    ("<p style='background: url(&quot;/a.png&quot;)'>", ["a.png"]),
    ("<p style=background:url(/a.png>", ["a.png"]),
    ("<p style='BACKGROUND-IMAGE: URL(/a.png)'>", ["a.png"]),
    ("<p style='background&#x3a;&#x20;url&#x28;&#x27;/a.png&#x27;&#x29;'>", ["a.png"]),
    ("<p style='background:\\75rl(/a.png)'><p style='background: u\\52\t\\l(/b.png)'>", ["a.png", "b.png"]),
    ("<p style='background-image:image-set(\"/a.png\" 1x, \"/b.png\" 2x)'>", ["a.png", "b.png"]),
    ("<p style='background:Image-Set(\"/a.png\" 1x)'>", ["a.png"]),
    ("<link rel=stylesheet href='data:text/css,@import &quot;/a.css&quot;; p { mask: url(/b.png) }'>",
     ["a.css", "b.png"]),
    ("<style>@import 'data:text/css;base64,cHttYXNrOnVybCgvYS5wbmcpfQ==';</style>", ["a.png"]),
    # Pictures.
    ("<img alt='x'src=/a.png><image src=/b.png>", ["a.png", "b.png"]),
    ("<img/src=/&#97;.png?a&notit=1>", ["a.png?a&notit=1"]),
    ("<img srcset='/w_1,h_2/a.png 1x, /w_2,h_2/b.png 2x' src=/c.png>", ["c.png", "w_1,h_2/a.png"]),
    ("<img srcset='/a.png, /b.png 2x' src=/c.png>", ["c.png", "a.png"]),
    ("<img srcset='/b.png 2x' src=/c.png>", ["c.png"]),
    ("<img srcset='/a.png 100w 50h' src=/c.png>", ["c.png", "a.png"]),
    ("<picture><source type=IMAGE/WEBP media=SCREEN srcset=/a.webp><img src=/c.png></picture>",
     ["c.png", "a.webp"]),
    ("<img data-orig-src=/a.png src='data:image/gif;base64,x'><img data-hi-res-src=/b.png src=/blank.gif>",
     ["a.png", "b.png", "blank.gif"]),
    ("<input type=image src=/a.png><video poster=/b.png></video>", ["a.png", "b.png"]),
    ("<body background=/a.png><table background=/b.png><tr><td background=/c.png>", ["a.png", "b.png", "c.png"]),
    # SVG.
    ("<svg><image href=/a.png /><image xlink:href=/b.png /><use href=/c.svg#d /></svg>",
     ["a.png", "b.png", "c.svg"]),
    ("<svg><filter id=f><feImage href=/a.png /></filter><rect filter=url(#f) /></svg>", ["a.png"]),
    ("<svg><rect mask='url(/a.svg#m)' fill='url(\"/b.svg#g\")' /></svg>", ["b.svg", "a.svg"]),
    ("<svg><rect fill='URL(/a.svg#m)' stroke='url(#x) Url(/b.svg#g)' mask='\\75rl(/c.svg#m)' /></svg>",
     ["a.svg", "b.svg", "c.svg"]),
    # Players and objects.
    ("<video><source data-src=/a.mp4></video><audio><source src=/b.ogg data-src=/c.ogg></audio>",
     ["a.mp4", "b.ogg", "c.ogg"]),
    ("<object type=image/svg+xml data=//b.org/x></object><embed src=//b.org/a.PNG?x=1>",
     ["https://b.org/x", "https://b.org/a.PNG?x=1"]),
    ("<object data=//b.org/x></object><embed type=text/html src=//b.org/a.png><iframe src=//b.org/a.svg></iframe>",
     []),
    # Documents in documents.
    ("<iframe srcdoc='<link rel=stylesheet href=/a.css><img src=b.png>'></iframe>", ["a.css", "p/b.png"]),
    ("<iframe srcdoc='<base href=/c/><p style=\"background:url(b.png)\">'></iframe><img src=d.png>",
     ["p/d.png", "c/b.png"]),
    ("<iframe src='data:text/html,<img src=/a.png><p style=background:url(b.png)>'></iframe>",
     ["a.png", "p/b.png"]),
    ("<iframe data-src='DATA: text/html;base64,PGltZyBzcmM9L2EucG5nPg'></iframe>", ["a.png"]),
    ("<iframe srcdoc='<img src=/a.png>' src='data:text/html,<img src=/n.png>'></iframe>", ["a.png"]),
    ("<?xml version='1.0'?><?xml-stylesheet href='/a.css?b&amp;c' type='text/css'?><html><p>x</html>",
     ["a.css?b&c"]),
    ("<div><template shadowrootmode=open><style>:host { background: url(/a.png) }</style></template></div>",
     ["a.png"]),
    ("<iframe></iframe><template data-everlog-frame='https://b.org/c/'><img src=d.png></template><img src=e.png>",
     ["p/e.png", "https://b.org/c/d.png"]),
    # What only looks like one.
    ("<textarea><img src=/n.png></textarea><title><img src=/n.png></title><!-- <img src=/n.png> -->", []),
]  # fmt: skip


@pytest.mark.parametrize(("html", "files"), CASES)
def test_what_a_browser_asks_for_is_kept(html, files):
    assert sorted(named(html)) == sorted(files)


def test_documents_in_documents_have_an_end():
    text = "<img src=/deep.png>"
    for _ in range(6):
        text = f"<img src=/x.png><iframe srcdoc='{text.replace('&', '&amp;').replace(chr(39), '&#39;')}'></iframe>"
    assert named(text) == ["x.png"]


@pytest.mark.parametrize(
    ("css", "files"),
    [
        ("\ufeff@import 'sub/b.css';", ["s/sub/b.css"]),
        ("p { background: url(a.png", ["s/a.png"]),
        ("p { background: url('a.png", ["s/a.png"]),
        ("p { background: url('') } b { background: url(../../a.png) }", ["a.png"]),
        ("@font-face { src: url(a.eot); src: url(a.eot?#iefix) format('eot'), url(a.woff2) tech(variations) }",
         ["s/a.eot", "s/a.eot?", "s/a.woff2"]),
    ],
)
def test_a_style_sheet_names_files_beside_itself(css, files):
    found = requisites_of_css(css, "https://a.org/s/a.css")
    assert [each.url.removeprefix("https://a.org/") for each in found] == files


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_style_of_a_page_in_utf_16_is_found(encoding):
    html = "<p style='background: url(/a.png)'><svg><rect fill='url(/b.svg#c)'/></svg><p data-bg=/c.png>"
    body = html.encode(encoding)
    body = body if encoding == "utf-16" else b"\xfe\xff" + body
    root = parse(body, "text/html")
    attributes = {str(name) for element in root.iter("*") for name in element.keys()}  # noqa: SIM118 - an element
    found = requisites_of(root, URL, body, attributes)
    assert [each.url.removeprefix("https://a.org/") for each in found] == ["a.png", "b.svg", "c.png"]


# Chromium asks for these.
@pytest.mark.parametrize(
    ("encoding", "asked"),
    [
        ("windows-1251", "q?n=%EC%E8%F0"), ("koi8-r", "q?n=%CD%C9%D2"), ("utf-8", "q?n=мир"),
        ("iso-8859-1", "q?n=%26%231084%3B%26%231080%3B%26%231088%3B"),
    ],
)
def test_queries_are_in_the_encoding_of_the_page_and_paths_are_not(encoding, asked):
    html = f"<meta charset={encoding}><img src='/q?n=мир'><p style='background:url(/q?n=мир)'><img src=/мир.png>"
    body = html.encode(encoding, "xmlcharrefreplace")
    found = requisites_of(parse(body, "text/html"), URL, body, content_type="text/html")
    assert [each.url for each in found] == [f"https://a.org/{asked}", "https://a.org/мир.png"]


@pytest.mark.parametrize("place", list(LAZY_PLACES))
def test_what_scripts_would_show_is_found_wherever_replay_shows_it(place):
    tag, name = place
    around = {"source": "<video>{}</video>"}.get(tag, "{}")
    inside = f"<{tag} {name}='/late.png'></{tag}>"
    if LAZY_PLACES[place] == "srcset" and tag == "source":
        around, inside = "<picture>{}<img src=/a.png></picture>", f"<source {name}='/late.png'>"
    assert "late.png" in named(around.format(inside))


def test_a_picture_that_is_shown_as_a_document_elsewhere_counts_as_one():
    body = b"<img src=/a.svg><svg><use href=/a.svg#b /></svg><img src=/c.svg>"
    found = requisites_of(parse(body, "text/html"), URL, body)
    assert [(each.url[-5:], each.is_document) for each in found] == [("a.svg", True), ("c.svg", False)]


SVG = "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'>{}</svg>"
DRAWINGS = [
    ("<image href='a.png'/><image xlink:href='/b.png'/>", ["s/a.png", "b.png"]),
    ("<filter><feImage href='a.png'/></filter><use xlink:href='b.svg#c'/><use href='#c'/>",
     ["s/a.png", "s/b.svg"]),
    ("<style>@import 'a.css'; rect { fill: url(b.svg#c) }</style>", ["s/a.css", "s/b.svg"]),
    ("<style><![CDATA[@import 'a.css';]]></style><rect fill='url(#a)'/>", ["s/a.css"]),
    ("<rect style='mask: URL(d.svg#m)' fill='url(b.svg#c)' marker-end='url(\"e.svg#e\")'/>",
     ["s/d.svg", "s/b.svg", "s/e.svg"]),
    ("<foreignObject><img xmlns='http://www.w3.org/1999/xhtml' src='/a.png'/></foreignObject>", ["a.png"]),
    ("<a xlink:href='/n'><text>x</text></a><linearGradient xlink:href='n.svg#g'/><image href='data:,'/>", []),
]


@pytest.mark.parametrize(("svg", "files"), DRAWINGS)
def test_a_drawing_names_files(svg, files):
    found = requisites_of_svg(SVG.format(svg), "https://a.org/s/a.svg")
    assert [each.url.removeprefix("https://a.org/") for each in found] == files


def test_a_drawing_has_style_sheets_before_it_and_entities_of_its_own():
    prologue = (
        "<?xml version='1.0' encoding='utf-8'?><?xml-stylesheet href='a.css'?><?xml-stylesheet href='n.xsl' "
        "type='text/xsl'?><!DOCTYPE svg [<!ENTITY b '/b.png'>]>"
    )
    found = requisites_of_svg(prologue + SVG.format("<image href='&b;'/>"), "https://a.org/s/a.svg")
    assert [each.url for each in found] == ["https://a.org/s/a.css", "https://a.org/b.png"]


def test_what_cannot_be_read_as_a_drawing_needs_nothing():
    assert requisites_of_svg("no drawing", "https://a.org/s/a.svg") == NONE_NEEDED


def test_how_much_is_beyond_the_limits_is_told():
    pictures = "".join(f"<img src=/{number}.png>" for number in range(MOST_PER_PAGE + 10)) + "<img src=/0.png>"
    of_page = requisites_of(parse(pictures.encode()), URL)
    assert (len(of_page), of_page.beyond) == (MOST_PER_PAGE, 10)
    sheet = "".join(f"p {{ mask: url({number}.png) }}" for number in range(MOST_PER_SHEET + 5))
    of_sheet = requisites_of_css(sheet, "https://a.org/s/a.css")
    assert (len(of_sheet), of_sheet.beyond) == (MOST_PER_SHEET, 5)
    icons = json.dumps({"icons": [{"src": f"{number}.png"} for number in range(MOST_ICONS + 2)]})
    of_manifest = requisites_of_manifest(icons.encode(), "https://a.org/a.webmanifest")
    assert (len(of_manifest), of_manifest.beyond) == (MOST_ICONS, 2)
