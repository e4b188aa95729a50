"""Finder and rewriter together: what replay would show a document with is what a crawl looks for."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

import a_blog
from everlog.core.tree import parse
from everlog.core.urls import canonical
from everlog.replay import css_text, html_text, query_encoding
from everlog.replay.html_places import CSS_ATTRIBUTES, LAZY_BACKGROUNDS, LAZY_PLACES, PLACES, REQUISITE_KINDS
from everlog.replay.requisites import requisites_of, requisites_of_css, requisites_of_svg
from everlog.replay.shown_files import shown_by_style, shown_in_svg, shown_on_page
from replay.test_page_requisites import CASES, DRAWINGS, SVG

URL = "https://a.org/p/"
TESTS = Path(__file__).parent.parent
FILES = [
    *TESTS.glob("pages/*/page.html"), *TESTS.glob("made_sites/designs/**/*.html"),
    *TESTS.glob("made_sites/designs/**/*.css"), *TESTS.glob("made_sites/designs/**/*.svg"),
]
NAMED = sorted({place for place, kind in PLACES.items() if kind in REQUISITE_KINDS} | set(LAZY_PLACES))
STYLES = (
    "URL(/a.png)", "url( '/a.png' )", "\\75rl(/a.png)", "url(#x) url(/a.svg#b)", "image-set(&quot;/a.png&quot; 1x)",
    "Image-Set(url(/a.png) 1x, &quot;/b.png&quot; 2x)", "u\\52 l(/a.png)", "url(/q?n=мир)",
)


def overlooked(body: bytes, content_type: str = "text/html") -> set[str]:
    """What replay shows a page with, and no crawl would have looked for."""
    attributes = {str(name) for each in parse(body, content_type).iter("*") for name in each.attrib}
    found = requisites_of(parse(body, content_type), URL, body, attributes, content_type)
    encoding = query_encoding(body, content_type)
    is_xml = content_type == "application/xhtml+xml"
    shown = shown_on_page(html_text(body, content_type), URL, is_xml=is_xml, encoding=encoding)
    return set() if found.beyond else shown - {canonical(each.url) for each in found}


@pytest.mark.parametrize("html", [html for html, _ in CASES])
def test_all_that_replay_shows_of_odd_pages_is_looked_for(html):
    assert overlooked(html.encode()) == set()


@pytest.mark.parametrize(("tag", "name"), NAMED)
def test_all_places_that_replay_fills_are_looked_at(tag, name):
    for link, type_ in product(
        ("/a.png", "//b.org/a.svg", "/a", "b.mp4", "/q?n=мир"), ("", "type=image/png", "type=text/html"),
    ):
        inside = f"<{tag} {name}='{link}' {type_}></{tag}>"
        for page in (inside, f"<video>{inside}</video>", f"<picture>{inside}<img src=/c.png></picture>",
                     f"<svg>{inside}</svg>", f"<table><tr>{inside}</table>", f"<noscript>{inside}</noscript>"):
            assert overlooked(page.encode()) == set(), page


@pytest.mark.parametrize("name", sorted(CSS_ATTRIBUTES))
def test_all_style_that_replay_reads_is_looked_at(name):
    for written, encoding in product(STYLES, ("utf-8", "utf-16", "windows-1251")):
        for tag in ("p", "rect"):
            page = f"<meta charset={encoding}><svg><{tag} {name.upper()}=\"{written}\"></{tag}></svg>"
            assert overlooked(page.encode(encoding)) == set(), page


@pytest.mark.parametrize("name", LAZY_BACKGROUNDS)
def test_all_backgrounds_that_replay_shows_are_looked_for(name):
    sizes = ("/a.png 100w, /b.png 200w",) if name == "data-bgset" else ()
    for written in ("/a.png", "url(/a.png)", "URL('/a.png')", *sizes):
        for encoding in ("utf-8", "utf-16"):
            assert overlooked(f"<p {name}=\"{written}\">".encode(encoding)) == set(), written


@pytest.mark.parametrize("svg", [svg for svg, _ in DRAWINGS])
def test_all_that_replay_shows_of_drawings_is_looked_for(svg):
    found = {canonical(each.url) for each in requisites_of_svg(SVG.format(svg), URL)}
    assert shown_in_svg(SVG.format(svg), URL) - found == set()


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_all_that_replay_shows_of_the_made_sites_is_looked_for(file):
    body = file.read_bytes()
    if file.suffix == ".html":
        assert overlooked(body) == set()
        return
    text = css_text(body)
    is_sheet = file.suffix == ".css"
    found = requisites_of_css(text, URL) if is_sheet else requisites_of_svg(text, URL)
    shown = shown_by_style(text, URL) if is_sheet else shown_in_svg(text, URL)
    assert shown - {canonical(each.url) for each in found} == set()


def test_all_that_replay_shows_of_a_blog_is_looked_for():
    assert {url: lost for url, page in a_blog.pages().items() if (lost := overlooked(page))} == {}


def test_all_that_replay_shows_of_xhtml_is_looked_for():
    page = (
        "<?xml version='1.0'?><?xml-stylesheet href='/a.css' type='text/css'?>"
        "<html xmlns='http://www.w3.org/1999/xhtml'><head><base href='/b/'/><title>x</title></head><body>"
        "<img src='c.png' alt=''/><svg xmlns='http://www.w3.org/2000/svg' "
        "xmlns:xlink='http://www.w3.org/1999/xlink'><image xlink:href='d.png'/></svg></body></html>"
    )
    assert overlooked(page.encode(), "application/xhtml+xml") == set()
