"""Requisites of a page: what Chromium asks for with scripts off, written down from its requests, is what is kept."""

from __future__ import annotations

import pytest

from everlog.core.tree import parse
from everlog.replay.requisites import requisites_of, requisites_of_css

URL = "https://a.org/p/"


def named(html: str, url: str = URL) -> list[str]:
    body = html.encode()
    return [each.url.removeprefix("https://a.org/") for each in requisites_of(parse(body, "text/html"), url, body)]


@pytest.mark.parametrize(
    ("html", "files"),
    [
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
        # Documents in documents.
        ("<iframe srcdoc='<link rel=stylesheet href=/a.css><img src=b.png>'></iframe>", ["a.css", "p/b.png"]),
        ("<iframe srcdoc='<base href=/c/><p style=\"background:url(b.png)\">'></iframe><img src=d.png>",
         ["p/d.png", "c/b.png"]),
        ("<div><template shadowrootmode=open><style>:host { background: url(/a.png) }</style></template></div>",
         ["a.png"]),
        ("<template data-everlog-frame='https://b.org/c/'><img src=d.png></template><img src=e.png>",
         ["p/e.png", "https://b.org/c/d.png"]),
        # What only looks like one.
        ("<textarea><img src=/n.png></textarea><title><img src=/n.png></title><!-- <img src=/n.png> -->", []),
    ],
)  # fmt: skip
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
