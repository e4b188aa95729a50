from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.core.tree import parse
from everlog.markup.cleaning import clean_html
from everlog.markup.media import extension, is_page_instead, media_of, rewrite

URL = "https://a.blog/2024/post"
A, B, C = "https://a.blog/a.jpg", "https://a.blog/b.jpg", "https://a.blog/c.jpg"


def clean(markup: str) -> str:
    return clean_html(parse(f"<div>{markup}</div>".encode()).find("body")[0], URL)


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        ("<img src=/a.jpg>", [A]),
        ("<img src=/a.jpg><p><img src=/b.jpg><img src=/a.jpg>", [A, B]),
        ("<img src='/a.jpg' srcset='/b.jpg 300w, /c.jpg 1200w'>", [A, C]),
        ("<img srcset='/a.jpg, /b.jpg 1.5x, /c.jpg 3x'>", [C]),
        ("<img src='data:image/gif;base64,R0' data-src='/a.jpg'>", [A]),
        ("<img src=/blank.gif data-lazy-src=/a.jpg data-lazy-srcset='/b.jpg 1x, /c.jpg 2x'>", [A, C]),
        ("<img data-srcset='/a.jpg 100w, /b.jpg 200w'>", [B]),
        ("<img src=/img/placeholder.png data-full-url=/a.jpg>", [A]),
        ("<img src=/a.jpg data-full-url=/b.jpg>", [A]),
        ("<img src=/a.jpg data-src='{\"id\": 3}'>", [A]),
        ("<img src=/a.jpg data-original=/b.jpg>", [B]),
        ("<picture><source srcset='/b.jpg 1200w, /c.jpg 400w'><img src=/a.jpg></picture>", [A, B]),
        ("<noscript><img src=/a.jpg></noscript>", [A]),
        ("<img src='data:,' class=lazy><noscript><img src=/a.jpg></noscript>", [A]),
        ("<img data-src=/a.jpg><noscript><img src=/a-300.jpg></noscript>", [A]),
        ("<audio src=/x.mp3></audio>", ["https://a.blog/x.mp3"]),
        ("<audio><a href=/x.mp3>play</a></audio>", ["https://a.blog/x.mp3"]),
        ("<video poster=/a.jpg><source src=/v.mp4><track src=/v.vtt></video>",
         [A, "https://a.blog/v.mp4", "https://a.blog/v.vtt"]),
        ("<video><source src=/v.webm><source src=/v.mp4><p>Sorry <a href=/v.mp4>v</a></p></video>",
         ["https://a.blog/v.webm", "https://a.blog/v.mp4"]),
        ("<a href=/a.jpg><img src=/b.jpg></a>", [A, B]),
        ("<a href='/x.PDF?dl=1#page=2'>x</a><a href=/y.html>y</a><a href=/z>z</a>", ["https://a.blog/x.PDF?dl=1"]),
        ("<object data=/x.pdf type=application/pdf></object><embed src=/v.mp4>",
         ["https://a.blog/x.pdf", "https://a.blog/v.mp4"]),
        ("<object data=/a type=image/png></object>", ["https://a.blog/a"]),
        ("<img src=https://t.example/p width=1 height=1><img src=/a.jpg width=1 height=90>", [A]),
        ("<img src=https://t.example/p style='width:1px;height:1px'>", []),
        ("<img src=javascript:x><img src=file:///etc/passwd><img src=//[x><img src=''><img>", []),
        ("no markup at all", []),
    ],
)  # fmt: skip
def test_what_an_article_shows_is_found_before_and_after_cleaning(markup, found):
    assert sorted(media_of(markup, URL)) == sorted(found)
    assert sorted(media_of(clean(markup), URL)) == sorted(found)


def test_media_stand_in_the_order_of_the_text():
    assert media_of("<img src=/b.jpg>x<a href=/a.jpg>y</a><img src=/c.jpg>", URL) == (B, A, C)


@pytest.mark.parametrize(
    ("markup", "rewritten"),
    [
        ('<img src="A" alt="x">', '<img src="m/1.jpg" alt="x">'),
        ('<a href="A#top" title="t"><img src="C"></a>', '<a href="m/1.jpg#top" title="t"><img src="C"></a>'),
        ('<img src="C" srcset="A 300w, B 600w, C 900w">', '<img src="m/2.jpg" srcset="m/1.jpg 300w, m/2.jpg 600w">'),
        ('<img src="A" srcset="C 300w" sizes="x">', '<img src="m/1.jpg" sizes="x">'),
        ('<img src="A" srcset="A 300w, C 600w">', '<img src="m/1.jpg">'),
        ('<picture><source srcset="C 2x"><img src="A"></picture>', '<picture><img src="m/1.jpg"></picture>'),
        ('<picture><source srcset="C 2x"><source srcset="B"><img src="C"></picture>',
         '<picture><source srcset="m/2.jpg"><img src="C"></picture>'),
        ('<picture><source srcset="C 2x"><img src="C"></picture>', None),
        ('<video poster="A" controls=""><source src="B"></video>',
         '<video poster="m/1.jpg" controls=""><source src="m/2.jpg"></video>'),
        ("<img src='A'><IMG SRC=A>", '<img src="m/1.jpg"><IMG SRC="m/1.jpg">'),
        ('<p>A and <code>&lt;img src="A"&gt;</code></p>', None),
        # A reader of this sees one element, whose title names a picture.
        ('<p title="<img src=A onclick=x >">a</p>', None),
        ("<p title='<a href=\"A\">'>a</p><img src=\"A\">", "<p title='<a href=\"A\">'>a</p><img src=\"m/1.jpg\">"),
        ('<a href="https://a.blog/page">A</a>', None),
    ],
)  # fmt: skip
def test_stored_media_get_their_paths_and_nothing_else_changes(markup, rewritten):
    def spelled(text: str) -> str:
        return re.sub(r"\b([ABC])\b(?=[\"#' >])", lambda match: {"A": A, "B": B, "C": C}[match[1]], text)

    html = spelled(markup)
    assert rewrite(html, {A: "m/1.jpg", B: "m/2.jpg"}) == (html if rewritten is None else spelled(rewritten))


def test_an_address_is_known_in_other_spellings():
    paths = {"https://a.blog/x%20y.jpg?a=1&b=2": "m/1.jpg"}
    assert rewrite('<img src="https://a.blog/x y.jpg?a=1&amp;b=2">', paths) == '<img src="m/1.jpg">'


def test_paths_are_escaped():
    assert rewrite(f'<img src="{A}">', {A: 'm/"><script>.jpg'}) == (
        '<img src="m/&quot;&gt;&lt;script&gt;.jpg">'
    )


pieces = st.lists(
    st.sampled_from([
        "<p>", "</p>", f"<img src='{A}'>", f"<a href={B}>", "</a>", "<picture>", "</picture>", "text & more", "=", "\n",
        "<video src='v.mp4'>", "</video>", f"<source srcset='{C} 2x'>", '"', "'", "<", ">", "<noscript>", "<pre>",
    ]), max_size=14,
)  # fmt: skip


@given(pieces)
def test_without_paths_the_html_is_the_same_object(parts):
    html = "".join(parts)
    assert rewrite(html, {}) is html
    assert rewrite(html, {"https://elsewhere.example/x.jpg": "m/1.jpg"}) == html


@given(pieces)
def test_what_was_found_can_be_replaced(parts):
    html = clean("".join(parts))
    paths = {url: f"m/{number}.bin" for number, url in enumerate(media_of(html, URL))}
    rewritten = rewrite(html, paths)
    assert not [url for url in media_of(rewritten, "https://b.example/") if "//a.blog/" in url]
    assert re.sub(r"<[^>]*>", "", rewritten) == re.sub(r"<[^>]*>", "", html)


@pytest.mark.parametrize(
    ("kind", "url", "ending"),
    [
        ("image/jpeg", "https://a.blog/a.png", "jpg"), ("IMAGE/PNG; q=1", "", "png"), ("image/svg+xml", "", "svg"),
        ("audio/mpeg", "", "mp3"), ("application/pdf", "", "pdf"), ("application/x-tar", "", "tar"),
        (None, "https://a.blog/a.webp?x=.exe", "webp"), ("binary/octet-stream", "https://a.blog/a.JPEG", "jpeg"),
        ("application/octet-stream", "https://a.blog/setup.exe", "bin"), ("image/../../x", "https://a.blog/", "bin"),
        ("", "https://a.blog/a.php", "bin"), (None, "//[x", "bin"), (None, "https://a.blog/a.jpg%2F..%2Fx", "bin"),
    ],
)
def test_the_ending_of_a_file_comes_from_its_type_then_from_its_address(kind, url, ending):
    assert extension(kind, url) == ending


@given(st.text(max_size=40), st.text(max_size=40))
def test_the_ending_of_a_file_is_always_safe(kind, url):
    assert re.fullmatch("[a-z0-9]{1,8}", extension(kind, url))


@pytest.mark.parametrize(
    ("kind", "start", "is_page"),
    [
        ("text/html", b"<!doctype html><title>x", True), ("Text/HTML; charset=x", b"Not found", True),
        ("application/xhtml+xml", b"<?xml version='1.0'?><html>", True), ("text/html", b"", True),
        ("image/png", b"  <!-- cached -->\n<html lang=de>", True), (None, b"\xef\xbb\xbf<!DOCTYPE HTML PUBLIC", True),
        ("text/html", b"\xff\xd8\xff\xe0", False), ("text/html", b"GIF89a", False), ("text/html", b"a\0b", False),
        ("text/html", b"<?xml version='1.0'?>\n<svg xmlns=", False), ("text/html", b"\0\0\0\x18ftypmp42", False),
        ("image/svg+xml", b"<svg>", False), ("text/plain", b"about <html>", False), ("application/json", b"{}", False),
        ("text/xml", b"<?xml version='1.0'?><gpx>", False), (None, b"", False),
    ],
)
def test_a_page_that_stands_for_a_file_is_told_by_its_type_and_its_beginning(kind, start, is_page):
    assert is_page_instead(kind, start) is is_page
