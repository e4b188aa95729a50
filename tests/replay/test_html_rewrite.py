"""Pages rewritten for looking at: what becomes of each element, and what stays letter by letter."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest

from everlog.replay import Replayed, View, html_text, rewrite_html, rewrite_svg

URL = "https://a.org/p/"
VIEW = View(prefix="http://r", timestamp="20200202000000")
FRAMED = View(prefix="http://r", timestamp="20200202000000", modifier="mp_", interface="http://i")
# What stands before the address of a file that is held, and of a link.
AT = "http://r/web/20200101000000/"
LINK = "http://r/web/20200202000000/"
# The same of one that has no scheme in its page.
NEAR = LINK.removeprefix("http:")
SANDBOX = 'sandbox="allow-same-origin allow-top-navigation-by-user-activation"'


def held(urls):
    return {url: Replayed(timestamp="20200101000000", url=url) for url in urls if "missing" not in url}


def shown(text: str, view: View = VIEW, url: str = URL) -> str:
    return rewrite_html(text, url=url, resolve=held, view=view)


@pytest.mark.parametrize(
    "text",
    [
        "", "text", "a < b && c > d <3", "<!DOCTYPE html>\n<html lang=de><head></head><body class=x>é",
        "<p id='a' class=b title=it's hidden>x</p>", "<!-- a comment --><br/><hr />", "<p ", "<pre>\n\na</pre>",
        "<table><tr><td>x<td>y</table>", "<div a=1 a=2><span x='>'>y</span></div>", "<math><mi>x</mi></math>",
        "<svg viewBox='0 0 1 1'><path d='M0 0'/><linearGradient id=a></linearGradient></svg>",
        "<a name=x>y</a>", "<noscript><p>no scripts</p></noscript>", "<template><p>x</p></template>",
        "<select><option value=1 selected>x</select>", "<title>a &amp; b</title>", "<textarea>\n a &lt; b</textarea>",
        "<style>p > a { color: red } @media (width<600px) { b { color: blue } }</style>",
        "<details open><summary>x</summary>y</details>", "<input type=text value='x' placeholder=y>",
        "<meta name=viewport content='width=device-width'>", "<link rel=me>",
    ],
)
def test_what_asks_for_nothing_stays_letter_by_letter(text):
    assert shown(text) == (text if text != "<p " else "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Pictures.
        ("<img src=b.png alt=x>", f'<img src="{AT}https://a.org/p/b.png" alt=x>'),
        ("<img src='//b.org/c?d=1&amp;e=2'>", f'<img src="{AT}https://b.org/c?d=1&amp;e=2">'),
        ("<IMG SRC=/b.png>", f'<IMG src="{AT}https://a.org/b.png">'),
        ("<img src='data:image/gif;base64,R0=='>", '<img src="data:image/gif;base64,R0==">'),
        ("<img src=missing.png>", '<img src="data:,">'),
        ("<img src=missing-300x200.jpg>", '<img src="data:,">'),
        ("<img src=b.png loading=lazy>", f'<img src="{AT}https://a.org/p/b.png" loading=lazy>'),
        (
            "<img src=b.png srcset='c.png 1x, missing.png 2x, d,e.png, 3x'>",
            (f'<img src="{AT}https://a.org/p/b.png" srcset="{AT}https://a.org/p/c.png 1x, '
            f'{AT}https://a.org/p/d,e.png, {AT}https://a.org/p/3x">'),
        ),
        ("<img src=b.png srcset='missing 1x'>", f'<img src="{AT}https://a.org/p/b.png">'),
        (
            "<img src=missing.png srcset='b.png 100w, c.png 300w'>",
            f'<img src="{AT}https://a.org/p/c.png" srcset="{AT}https://a.org/p/b.png 100w, {AT}https://a.org/p/c.png 300w">',  # noqa: E501
        ),
        ("<input type=image src=b.png>", f'<input type=image src="{AT}https://a.org/p/b.png">'),
        ("<body background=b.png>", f'<body background="{AT}https://a.org/p/b.png">'),
        ("<td background=missing.png>", "<td>"),
        (
            "<picture><source srcset=missing.webp><source srcset='b.webp' media=print><img src=c.png></picture>",
            (f'<picture><source srcset="{AT}https://a.org/p/b.webp" media=print>'
            f'<img src="{AT}https://a.org/p/c.png"></picture>'),
        ),
        (
            "<picture><source srcset=b.webp><img src=missing></picture><img src=missing>",
            (f'<picture><source srcset="{AT}https://a.org/p/b.webp"><img src="{AT}https://a.org/p/b.webp"></picture>'
            '<img src="data:,">'),
        ),
        # Style sheets.
        ("<link rel=stylesheet href=b.css?ver=1>", f'<link rel=stylesheet href="{AT}https://a.org/p/b.css?ver=1">'),
        (
            "<link rel=stylesheet href=b.css integrity=x crossorigin nonce=y>",
            f'<link rel=stylesheet href="{AT}https://a.org/p/b.css">',
        ),
        ("<link rel=stylesheet href=missing.css>", "<link rel=stylesheet>"),
        ("<link rel=stylesheet media=print onload=\"this.media='all'\" href=b>", f'<link rel=stylesheet href="{AT}https://a.org/p/b">'),
        (
            "<link rel=preload as=style onload=\"this.rel='stylesheet'\" href=b>",
            f'<link rel="stylesheet" as=style href="{AT}https://a.org/p/b">',
        ),
        ("<link rel=stylesheet media='not all' onload=\"this.media='screen'\" href=b>", f'<link rel=stylesheet media="screen" href="{AT}https://a.org/p/b">'),  # noqa: E501
        ("<link rel='alternate stylesheet' onload=\"this.rel='stylesheet'\" href=b>", f'<link rel="stylesheet" href="{AT}https://a.org/p/b">'),
        ("<link rel='alternate stylesheet' media=print href=b>", f"<link rel='alternate stylesheet' media=print href=\"{AT}https://a.org/p/b\">"),
        ("<style media=none onload=\"this.media='all'\">a{}</style><style media=print>b{}</style>", "<style>a{}</style><style media=print>b{}</style>"),  # noqa: E501
        ("<link rel=preload href=b as=font><link rel=dns-prefetch href=//c>", "<link rel=preload as=font><link rel=dns-prefetch>"),  # noqa: E501
        ("<link rel='shortcut icon' href=b.ico>", f'<link rel=\'shortcut icon\' href="{AT}https://a.org/p/b.ico">'),
        ("<link rel=canonical href=https://b.org/>", "<link rel=canonical>"),
        ("<style>p{background:url(b)}</style>", f'<style>p{{background:url("{AT}https://a.org/p/b")}}</style>'),
        ("<p style='background:url(b)'>", f'<p style="background:url(&quot;{AT}https://a.org/p/b&quot;)">'),
        ("<style nonce=x>a{}</style>", "<style>a{}</style>"),
        ("<svg><style>a{b:url(c&amp;d)}</style></svg>", f'<svg><style>a{{b:url("{AT}https://a.org/p/c\\26 d")}}</style></svg>'),  # noqa: E501
        # Links.
        ("<a href=b>c</a>", f'<a href="{NEAR}https://a.org/p/b">c</a>'),
        ("<a href='#c'>d</a><a href='/p/#e'>f</a>", "<a href='#c'>d</a><a href=\"#e\">f</a>"),
        ("<a href=b#c target=_blank download ping=d rel=me>", f'<a href="{NEAR}https://a.org/p/b#c" rel=me>'),
        ("<a href='javascript:x()'>", '<a href="#everlog-dead">'),
        ("<a href=' JAVA\tSCRIPT:x()'>", '<a href="#everlog-dead">'),
        ("<a href='data:text/html,x'>", '<a href="#everlog-dead">'),
        ("<a href=mailto:a@b.org><a href=tel:1>", "<a href=mailto:a@b.org><a href=tel:1>"),
        ("<map><area href=b></map>", f'<map><area href="{NEAR}https://a.org/p/b"></map>'),
        # Forms.
        (
            "<form action=/c method=post target=d><button formaction=/e formmethod=post>f</button></form>",
            '<form method="dialog"><button>f</button></form>',
        ),
        # Scripts and what calls them.
        ("<script src=b async>c</script>d", "<script></script>d"),
        ("<script><!--<script>a</script>--></script>d", "<script></script>d"),
        ("<p onclick='a()' ONMOUSEOVER=b()>c", "<p>c"),
        ("<svg><script href=a /><script>b</script></svg>", "<svg><script></script><script></script></svg>"),
        # The head.
        ("<meta charset=latin-1>", '<meta charset="utf-8">'),
        ("<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>", '<meta http-equiv=Content-Type content="text/html; charset=utf-8">'),  # noqa: E501
        ("<meta http-equiv=refresh content='0;url=b'><a>x</a>", "<meta><a>x</a>"),
        (
            "<meta http-equiv=refresh content='0; url=b'>",
            f'<meta><p>This page leads on to <a href="{NEAR}https://a.org/p/b">b</a></p>',
        ),
        ("<meta http-equiv=refresh content=30>", "<meta>"),
        ("<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">", "<meta>"),
        ("<base href=/b/ target=_top><img src=c>", f'<img src="{AT}https://a.org/b/c">'),
        ("<base href=//b.org><base href=/c/><a href=d>", f'<a href="{NEAR}https://b.org/d">'),
        (
            "<template></template><template><base href=/b/></template></template><base href=/c/><img src=d>",
            f'<template></template><template></template></template><img src="{AT}https://a.org/c/d">',
        ),
        ("<html manifest=b>", "<html>"),
        # Sounds and films.
        (
            "<video src=b poster=c><source src=missing><source src=d><track src=e></video>",
            (f'<video src="{AT}https://a.org/p/b" poster="{AT}https://a.org/p/c" crossorigin="anonymous">'
            f'<source src="{AT}https://a.org/p/d"><track src="{AT}https://a.org/p/e"></video>'),
        ),
        # Subtitles that are held, and are of this film: a page without an origin shows them only if asked like this.
        (
            "<audio src=b crossorigin=use-credentials><p><track src=c></audio>",
            f'<audio src="{AT}https://a.org/p/b" crossorigin="anonymous"><p><track src="{AT}https://a.org/p/c"></audio>',
        ),
        ("<video src=b><track src=missing></video>", f'<video src="{AT}https://a.org/p/b"><track></video>'),
        ("<audio crossorigin></audio><track src=c>", f'<audio></audio><track src="{AT}https://a.org/p/c">'),
        (
            "<video src=b><video src=c><track src=d></VIDEO >",
            (f'<video src="{AT}https://a.org/p/b"><video src="{AT}https://a.org/p/c" crossorigin="anonymous">'
             f'<track src="{AT}https://a.org/p/d"></VIDEO>'),
        ),
        ("<audio src=missing controls></audio>", '<audio controls=""></audio>'),
        # Frames and objects.
        ("<iframe src=b width=3>c</iframe>", f'<iframe src="{AT}https://a.org/p/b" width=3 {SANDBOX}></iframe>'),
        ("<iframe src=javascript:x()></iframe>", f"<iframe {SANDBOX}></iframe>"),
        ("<iframe srcdoc='<img src=b>'></iframe>", f'<iframe srcdoc="&lt;img src=&quot;{AT}https://a.org/p/b&quot;&gt;" {SANDBOX}></iframe>'),  # noqa: E501
        ("<iframe src='data:text/html,<b>c'></iframe>", f'<iframe {SANDBOX} srcdoc="&lt;b&gt;c"></iframe>'),
        ("<object data=b type=image/svg+xml></object>", f'<object data="{AT}https://a.org/p/b" type=image/svg+xml></object>'),  # noqa: E501
        ("<object data=missing type=x><p>y</object>", "<object><p>y</object>"),
        ("<frame src=b><frame src=missing>", f'<frame src="{AT}https://a.org/p/b"><frame src="{LINK}https://a.org/p/missing">'),
        # SVG.
        ("<svg><use xlink:href='#a'/></svg>", "<svg><use xlink:href='#a' /></svg>"),
        ("<svg><use href=b.svg#a /></svg>", f'<svg><use href="{AT}https://a.org/p/b.svg#a" /></svg>'),
        ("<svg><use href=missing.svg#a /></svg>", "<svg><use /></svg>"),
        ("<svg><image href=b /></svg>", f'<svg><image href="{AT}https://a.org/p/b" /></svg>'),
        ("<svg><a xlink:href=b>c</a></svg>", f'<svg><a xlink:href="{NEAR}https://a.org/p/b">c</a></svg>'),
        ("<svg><rect fill='url(#a)' filter='url(b#c)'/></svg>", f'<svg><rect fill="url(&quot;#a&quot;)" filter="url(&quot;{AT}https://a.org/p/b#c&quot;)" /></svg>'),  # noqa: E501
        ("<svg><set attributeName=href to=b /></svg>", "<svg><set attributeName=href /></svg>"),
        ("<svg><![CDATA[a<b]]></svg>", "<svg>a&lt;b</svg>"),
        # Texts that could be taken for markup.
        ("<xmp>\n<b>&amp;</xmp>c", "<pre>\n\n&lt;b&gt;&amp;amp;</pre>c"),
        ("a<plaintext><b>", "a<pre>&lt;b&gt;"),
        ("<textarea><b></textarea>", "<textarea>&lt;b></textarea>"),
        ("<noframes><b></noframes>", "<noframes></noframes>"),
        ("<!-- <b> -->c<!-->d", "<!---->c<!-->d"),
        ("<?php a ?></ b></>c", "<!--?php a ?--><!-- b-->c"),
        ("<p title='<b>'>c", "<p title='&lt;b>'>c"),
        ("a<b title='c", "a"),
    ],
)  # fmt: skip
def test_every_reference_leads_to_the_archive(text, expected):
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "src"),
    [
        ("<img data-src=b.jpg src=data:,>", "b.jpg"),
        ("<img data-lazy-src=b.jpg src=missing.gif>", "b.jpg"),
        ("<img data-original=b.jpg>", "b.jpg"),
        ("<img data-orig-src=b.jpg src='data:image/svg+xml,x'>", "b.jpg"),
        ("<img data-cfsrc=b.jpg style='display:none;visibility:hidden'>", "b.jpg"),
        ("<img data-srcset='b.jpg 1x, c.jpg 2x' src=blank.gif>", "c.jpg"),
        ("<img data-src=missing.jpg src=b.jpg>", "b.jpg"),
        ("<img src=missing.jpg data-orig-file=b.jpg>", "b.jpg"),
        ("<img src=missing.jpg data-large-file=b.jpg?w=3>", "b.jpg?w=3"),
    ],
)
def test_a_picture_that_waits_for_a_script_is_shown(text, src):
    assert f' src="{AT}https://a.org/p/{src}"' in shown(text)


def test_a_waiting_picture_that_style_sheets_hide_is_in_sight():
    rewritten = shown("<img class='a lazyload' data-src=b.jpg style='width:3px'>")
    assert 'class="a lazyloaded"' in rewritten
    assert "width:3px;opacity:1!important" in rewritten
    assert "none" not in shown("<img data-src=b.jpg style='display:none; visibility:hidden'>")


def test_a_waiting_picture_is_as_wide_as_its_script_would_say():
    text = "<img data-srcset='b.jpg 300w, c.jpg 600w' data-sizes='(max-width: 600px) 100vw, 300px'>"
    assert 'sizes="(max-width: 600px) 100vw, 300px"' in shown(text)
    assert 'sizes="50vw"' in shown("<picture><source data-lazy-srcset='b.jpg 3w' data-lazy-sizes=50vw><img></picture>")
    # A script would measure it.
    assert " sizes=" not in shown("<img data-srcset='b.jpg 300w' data-sizes=auto>")
    assert " sizes=50vw" in shown("<img src=d.jpg srcset='b.jpg 300w' sizes=50vw data-sizes=9px>")


def test_another_size_of_a_picture_is_shown_where_its_own_is_not_held():
    only = {"https://a.org/p/b.jpg": Replayed(timestamp="20200101000000", url="https://a.org/p/b.jpg")}
    for src in ("b-300x200.jpg", "b.jpg?w=300", "b-1024x768.jpg?ssl=1"):
        rewritten = rewrite_html(f"<img src={src}>", url=URL, resolve=lambda _urls: only, view=VIEW)
        assert rewritten == f'<img src="{AT}https://a.org/p/b.jpg">'


def test_the_fallback_of_a_picture_that_is_shown_is_not_shown_as_well():
    lazy, fallback = "<img data-src=b.jpg class=lazy>", "<noscript><img src=b.jpg></noscript>"
    hiding = "<noscript><style>.lazy{display:none}</style></noscript>"
    assert shown(lazy + fallback).endswith("<noscript></noscript>")
    assert shown(fallback + lazy).startswith("<noscript></noscript>")
    assert shown(hiding + lazy).startswith("<noscript></noscript>")
    assert shown(fallback) == f'<noscript><img src="{AT}https://a.org/p/b.jpg"></noscript>'


@pytest.mark.parametrize("value", ["b.jpg", "url(b.jpg)", "url('b.jpg')"])
def test_a_background_that_waits_for_a_script_is_shown(value):
    assert f"background-image:url(&quot;{AT}https://a.org/p/b.jpg&quot;)" in shown(f'<div data-bg="{value}">')


def test_a_link_to_what_is_not_held_says_so_and_nothing_else_changes():
    rewritten = shown("<!DOCTYPE html><html><head><title>x</title><body><a href=/missing>a</a><a title=b href=/missing#c>")  # noqa: E501
    assert 'data-everlog-missing="" title="Not in the archive: https://a.org/missing"' in rewritten
    assert 'title="b (not in the archive)"' in rewritten
    assert rewritten.startswith("<!DOCTYPE html><html><head><style data-everlog>")
    assert rewritten.count("<style") == 1
    assert "class" not in rewritten


@pytest.mark.parametrize("start", ["", "<!DOCTYPE html>", " <!-- a --> <!doctype html>\n<html>", "<html><head>"])
def test_the_style_of_such_links_goes_where_the_head_begins(start):
    assert re.sub("<style data-everlog>.*?</style>", "@", shown(start + "<p><a href=/missing>")).startswith(start + "@")


def test_links_in_the_frame_of_the_interface_lead_out_of_it():
    rewritten = shown("<a href=b target=x>c</a><iframe src=d></iframe><img src=e>", FRAMED)
    assert '<a href="//i/web/20200202000000/https://a.org/p/b" target="_top">' in rewritten
    assert 'src="http://r/web/20200101000000mp_/https://a.org/p/d"' in rewritten
    assert 'src="http://r/web/20200101000000/https://a.org/p/e"' in rewritten


def test_a_link_begins_with_a_scheme_if_it_did():
    # Style sheets ask for it: a[href^="http"] are links to other sites.
    assert f'<a href="{NEAR}https://a.org/b">' in shown("<a href=/b>")
    assert f'<a href="{NEAR}https://b.org/">' in shown("<a href=//b.org/>")
    assert f'<a href="{LINK}https://b.org/">' in shown("<a href=https://b.org/>")
    # From one scheme to another nothing leads without naming it.
    apart = View(prefix="http://r", timestamp="20200202000000", modifier="mp_", interface="https://i")
    assert '<a href="https://i/web/20200202000000/https://a.org/b"' in shown("<a href=/b>", apart)


@pytest.mark.parametrize("text", ["<iframe src=missing width=3 height=4></iframe>", "<embed src=missing width=3 height=4>"])  # noqa: E501
def test_a_frame_that_is_not_held_says_so_in_the_same_size(text):
    rewritten = shown(text)
    assert re.match(r"<iframe (?=.*width=3 height=4).*srcdoc=\"[^\"]*Not in the archive[^\"]*\".*></iframe>$", rewritten)  # noqa: E501
    assert "src=" not in rewritten.replace("srcdoc=", "")


def test_what_a_browser_drew_in_a_frame_is_shown_in_it():
    rewritten = shown(
        "<iframe src=/missing></iframe><template data-everlog-frame='https://c.org/d/'><p>x<img src=e>"
        "<template shadowrootmode=open><b onclick=f()>g</b></template></template><p>after"
    )
    assert "data-everlog-frame" not in rewritten
    assert f"&lt;img src=&quot;{AT}https://c.org/d/e&quot;&gt;" in rewritten
    assert "&lt;template shadowrootmode=open&gt;&lt;b&gt;g" in rewritten
    assert rewritten.endswith("</iframe><p>after")


def test_documents_in_documents_have_an_end():
    text = "<img src=https://live.example/x>"
    for _ in range(7):
        text = f"<iframe srcdoc='{text.replace('&', '&amp;').replace(chr(39), '&#39;')}'></iframe>"
    assert "https://live.example/x" not in shown(text).replace(AT, "")


def test_all_references_of_a_page_and_its_frames_are_looked_up_at_once():
    asked = []
    rewrite_html(
        "<base href=/q/><a href=b>c</a><p style='background:url(d)'><iframe srcdoc='<img src=e>'></iframe><img src=b#f>",  # noqa: E501
        url=URL, resolve=lambda urls: asked.append(tuple(urls)) or {}, view=VIEW,
    )
    assert asked == [("https://a.org/q/b", "https://a.org/q/d", "https://a.org/q/e")]


def test_a_page_that_names_nothing_is_looked_up_by_nobody():
    assert rewrite_html("<p>x", url=URL, resolve=lambda _urls: 1 / 0, view=VIEW) == "<p>x"


def test_line_ends_are_those_of_the_standard():
    assert shown("<p\r\nclass=a>b\r<img\rsrc='c\r\nd'>") == f'<p\nclass=a>b\n<img src="{AT}https://a.org/p/cd">'


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        ("<p>é".encode(), None, "<p>é"),
        ("<p>é".encode("utf-16"), "text/html", "<p>é"),
        ("<p>é".encode("utf-16-le"), "text/html; charset=utf-16le", "<p>é"),
        (b"\xef\xbb\xbf<meta charset=latin-1>\xc3\xa9", "text/html; charset=latin-1", "<meta charset=latin-1>é"),
        ("<meta charset=windows-1251>мир".encode("cp1251"), "text/html", "<meta charset=windows-1251>мир"),
        ("<meta charset=utf-8>мир".encode("koi8-r"), "text/html; charset=koi8-r", "<meta charset=utf-8>мир"),
        ("日本".encode("shift_jis"), "text/html; charset=Shift_JIS", "日本"),
        ("中文".encode("gb18030"), "text/html; charset=gb2312", "中文"),
        (b"<!-- <meta charset=koi8-r> --><meta charset='latin-1'>\xe9\x80", None, "<!-- <meta charset=koi8-r> --><meta charset='latin-1'>é€"),  # noqa: E501
        (b"<meta http-equiv=Content-Type content='text/html; charset=iso-8859-2'>\xb1", None, "<meta http-equiv=Content-Type content='text/html; charset=iso-8859-2'>ą"),  # noqa: E501
        (b"\xe9\x81", "text/html", "é\x81"),
        (b"<meta charset=utf-16>\xc3\xa9", None, "<meta charset=utf-16>é"),
        (b"<meta charset=nonsense>\xe9", "text/html; charset=more-nonsense", "<meta charset=nonsense>é"),
        (b'<?xml version="1.0" encoding="iso-8859-2"?>\xb1', None, '<?xml version="1.0" encoding="iso-8859-2"?>ą'),
        # A page that lies is shown as browsers showed it.
        ("é".encode(), "text/html; charset=iso-8859-1", "Ã©"),
    ],
)  # fmt: skip
def test_a_page_is_decoded_as_browsers_do(body, content_type, text):
    assert html_text(body, content_type) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<a href="b" onclick="x()">c</a>', f'<a href="{NEAR}https://a.org/p/b">c</a>'),
        ('<base href="/q/"/><img src="b"/>', f'<img src="{AT}https://a.org/q/b"/>'),
        ("<script>//<![CDATA[\nx()\n//]]></script>", "<script></script>"),
        ("<style>a{b:url(c)}</style>", f'<style>a{{b:url("{AT}https://a.org/p/c")}}</style>'),
        ("<p>&nbsp;&eacute;<br/></p>", "<p>\xa0é<br/></p>"),
        ('<picture><source srcset="missing"/>x<source srcset="b"/></picture>', f'<picture>x<source srcset="{AT}https://a.org/p/b"/></picture>'),
        ('<audio><track src="b"/></audio>', f'<audio crossorigin="anonymous"><track src="{AT}https://a.org/p/b"/>'),
        ('<embed src="missing"/>', "<iframe srcdoc="),
        ('<iframe srcdoc="&lt;img src=b&gt;"/>', f'<iframe srcdoc="&lt;img src=&quot;{AT}https://a.org/p/b&quot;&gt;"'),
    ],
)  # fmt: skip
def test_a_page_that_was_sent_as_xml_is_written_as_xml(text, expected):
    page = f'<?xml version="1.0" encoding="latin-1"?><html xmlns="http://www.w3.org/1999/xhtml"><body>{text}</body></html>'
    assert expected in rewrite_html(page, url=URL, resolve=held, view=VIEW, is_xml=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<svg xmlns="{ns}" onload="x()"><g/></svg>', '<svg xmlns="{ns}"><g/></svg>'),
        ('<?xml-stylesheet href="b.css"?><svg xmlns="{ns}"/>', f'<?xml-stylesheet type="text/css" href="{AT}https://a.org/p/b.css" media="all"?><svg xmlns="{{ns}}"/>'),  # noqa: E501
        ('<?xml-stylesheet type="text/xsl" href="b"?><svg xmlns="{ns}"/>', '<svg xmlns="{ns}"/>'),
        ('<!DOCTYPE svg [<!ENTITY n "{ns}"><!ENTITY x "<script>y</script>">]><svg xmlns="&n;">&x;</svg>', '<svg xmlns="{ns}"><script></script></svg>'),  # noqa: E501
        ('<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="{ns}">a&x;b</svg>', '<svg xmlns="{ns}">ab</svg>'),  # noqa: E501
        ("<svg", "<svg/>"),
        ('<svg xmlns="{ns}"><p src="a" src="b" x:y="z"/></svg>', '<svg xmlns="{ns}"><p src="a"/></svg>'),
        ("<svg><x:script>y()</x:script></svg>", "<svg><script></script></svg>"),
        ("", '<svg xmlns="{ns}"/>'),
    ],
)  # fmt: skip
def test_a_picture_file_is_written_without_what_runs_or_asks(text, expected):
    space = "http://www.w3.org/2000/svg"
    rewritten = rewrite_svg(text.replace("{ns}", space), url=URL, resolve=held, view=VIEW)
    assert rewritten == expected.replace("{ns}", space)


def test_a_picture_in_an_embed_is_shown_as_a_picture():
    text = '<embed src=sign.svg type="image/svg+xml" width=9>'
    assert shown(text).startswith("<img ")
    assert f'src="{AT}' in shown(text)
    assert shown("<embed src=page.html>").startswith("<embed ")


def test_a_font_that_is_shown_only_if_it_comes_at_once_is_shown():
    text = "<style>@font-face { font-family: a; font-display: optional; src: url(a.woff2) }</style>"
    assert "font-display: block;" in shown(text)


def test_a_frame_shows_the_error_page_that_was_captured_and_nothing_else_does():
    def resolve(urls):
        return {url: Replayed(timestamp="20200101000000", url=url, is_error=True) for url in urls}

    def rewritten(text: str) -> str:
        return rewrite_html(text, url=URL, resolve=resolve, view=VIEW)

    assert rewritten("<iframe src=b></iframe>") == f'<iframe src="{AT}https://a.org/p/b" {SANDBOX}></iframe>'
    assert rewritten("<frame src=b>") == f'<frame src="{AT}https://a.org/p/b">'
    assert AT not in rewritten("<img src=b><link rel=stylesheet href=b><object data=b>c</object><a href=b>d</a>")
    assert AT not in rewritten("<style>p { background: url(b) }</style><p style='background: url(b)'>")
    assert "Not in the archive" in rewritten("<a href=b>d</a>")


def test_queries_are_asked_for_in_the_encoding_of_the_page():
    asked: list[str] = []

    def resolve(urls):
        asked.extend(urls)
        return {}

    text = "<img src='/q?n=мир'><p style='background:url(/мир?мир)'><iframe srcdoc='<img src=/q?s=мир>'></iframe>"
    rewrite_html(text, url=URL, resolve=resolve, view=VIEW, encoding="cp1251")
    # The text of a frame is UTF-8 whatever its page is.
    queries = [url.removeprefix("https://a.org/") for url in asked if "?" in url]
    assert sorted(queries) == ["q?n=%EC%E8%F0", "q?n=мир", "q?s=мир", "мир?%EC%E8%F0"]


def test_a_link_whose_query_was_followed_in_utf_8_leads_to_what_is_held():
    def resolve(urls):
        return {url: Replayed(timestamp="20240501120000", url=url) for url in urls if "tag?n=мир" in url}

    text = "<a href='/tag?n=мир'>a</a><a href='/none?n=мир'>b</a>"
    held, missing = rewrite_html(text, url=URL, resolve=resolve, view=VIEW, encoding="cp1251").split("</a>")[:2]
    assert "Not in the archive" not in held
    assert "tag?n=мир" in unquote(held)
    assert "Not in the archive" in missing
