"""Addresses of replay, and style sheets that are rewritten with them."""

from __future__ import annotations

import pytest

from everlog.replay import Replayed, View, rewrite_style
from everlog.replay.html_places import kind_of, link_kind, meta_kind
from everlog.replay.memento_links import reference

VIEW = View(prefix="http://r", timestamp="20200101000000")
FRAMED = View(prefix="http://r", timestamp="20200101000000", modifier="mp_", interface="http://i")


def held(urls):
    return {url: Replayed(timestamp="20191231000000", url=url) for url in urls if "missing" not in url}


@pytest.mark.parametrize(
    ("link", "meant"),
    [
        ("b.png", ("https://a.org/x/b.png", "")),
        ("//b.org/c", ("https://b.org/c", "")),
        ("https:\\\\b.org\\c", ("https://b.org/c", "")),
        ("https://b.org/../../c", ("https://b.org/c", "")),
        ("https://b.org/%2e%2E/./c/%2e", ("https://b.org/c/", "")),
        ("https://b.org/..", ("https://b.org/", "")),
        ("?x=/../#y", ("https://a.org/x/?x=/../", "y")),
        ("javascript:x", None),
        ("data:,x", None),
        ("mailto:a@b.org", None),
    ],
)
def test_a_reference_is_what_a_browser_would_ask_for(link, meant):
    assert reference("https://a.org/x/", link) == meant


def test_an_address_cannot_end_what_it_stands_in():
    assert VIEW.file(Replayed(timestamp="2", url='https://a.org/"<b>\\c d'), '"x') == (
        "http://r/web/2/https://a.org/%22%3Cb%3E%5Cc%20d#%22x"
    )


def test_links_of_a_framed_page_lead_to_the_interface_and_its_frames_to_replay():
    assert FRAMED.link("https://a.org/") == "http://i/web/20200101000000/https://a.org/"
    assert VIEW.link("https://a.org/") == "http://r/web/20200101000000/https://a.org/"
    assert FRAMED.frame(Replayed(timestamp="2", url="https://a.org/")) == "http://r/web/2mp_/https://a.org/"
    assert FRAMED.file(Replayed(timestamp="2", url="https://a.org/")) == "http://r/web/2/https://a.org/"


@pytest.mark.parametrize(
    ("sheet", "expected"),
    [
        ("@import 'b.css';", '@import "http://r/web/20191231000000/https://a.org/css/b.css";'),
        ("p{background:url(/missing.png)}", 'p{background:url("data:,")}'),
        ("p{filter:url(#a)}", 'p{filter:url("#a")}'),
        ("p{filter:url(b.svg#a)}", 'p{filter:url("http://r/web/20191231000000/https://a.org/css/b.svg#a")}'),
        ("p{background:url(data:image/gif;base64,R0=)}", 'p{background:url("data:image/gif;base64,R0=")}'),
        ("p{background:url(javascript:x)}", 'p{background:url("data:,")}'),
        ("p{background:url()}", 'p{background:url("data:,")}'),
        (
            "@import 'data:text/css,@import%20%22https://b.org/missing.css%22';",
            '@import "data:text/css;charset=utf-8,%40import%20%22data%3A%2C%22";',
        ),
        ("p{color:red}", "p{color:red}"),
    ],
)
def test_a_style_sheet_asks_the_archive_only(sheet, expected):
    assert rewrite_style(sheet, url="https://a.org/css/a.css", resolve=held, view=VIEW) == expected


def test_all_references_are_looked_up_at_once():
    asked = []
    rewrite_style(
        "@import 'b.css'; p{background:url(c.png#x)} q{background:url(c.png)} i{background:url(data:,x)}",
        url="https://a.org/", resolve=lambda urls: asked.append(tuple(urls)) or {}, view=VIEW,
    )
    assert asked == [("https://a.org/b.css", "https://a.org/c.png")]


def test_a_style_sheet_without_references_is_looked_up_by_nobody():
    assert rewrite_style("p{color:red}", url="https://a.org/", resolve=lambda _urls: 1 / 0, view=VIEW) == "p{color:red}"


@pytest.mark.parametrize(
    ("rel", "kind"),
    [
        ("stylesheet", "style"), ("alternate stylesheet", "style"), ("Shortcut Icon", "icon"), ("mask-icon", "icon"),
        ("manifest", "manifest"), ("preload", "dead"), ("dns-prefetch", "dead"), ("alternate", "link"), (None, "link"),
    ],
)
def test_what_a_link_element_names_depends_on_its_relation(rel, kind):
    assert link_kind(rel) == kind


def test_a_style_sheet_of_another_language_is_none():
    assert (link_kind("stylesheet", "text/css; charset=utf-8"), link_kind("stylesheet/less")) == ("style", "link")
    assert link_kind("stylesheet", "text/less") == "dead"


def test_places_have_kinds():
    assert (kind_of("use", "xlink:href"), kind_of("iframe", "src"), kind_of("div", "src")) == ("drawing", "frame", None)
    assert (meta_kind("msapplication-TileImage"), meta_kind("description"), meta_kind(None)) == ("icon", None, None)
