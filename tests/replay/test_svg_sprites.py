"""Signs of other files inside a page: shapes come along, under names of their own, and nothing else does."""

from __future__ import annotations

from urllib.parse import unquote

import pytest

from everlog.replay.svg_shapes import LONGEST_DRAWING
from everlog.replay.svg_sprites import MOST_SPRITES, with_filters, with_sprites

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
SPRITE = f"""{HEAD}
<symbol id="leaf" viewBox="0 0 9 9"><title>Leaf</title><path d="M0 0z" fill="url(#green)"/></symbol>
<linearGradient id="green"><stop offset="1" stop-color="red"/></linearGradient>
<svg id="old"><use xlink:href="#leaf"/></svg></svg>"""


def page(*names: str, file: str = "http://a.org/i.svg") -> str:
    return "".join(f'<svg><use href="http://r/web/20200101000000/{file}#{name}"></use></svg>' for name in names)


def shown(text: str, sprite: str | None) -> str:
    return with_sprites(text, "http://r", lambda *_: sprite)


def test_a_page_has_the_signs_that_it_uses_and_asks_for_them_once():
    asked = []

    def sprite(at: str, url: str) -> str:
        asked.append((at, url))
        return SPRITE

    text = with_sprites(page("leaf", "old", file="http://a.org/i.svg?a=1&amp;b=2"), "http://r", sprite)
    assert asked == [("20200101000000", "http://a.org/i.svg?a=1&b=2")]
    assert text.startswith('<svg><use href="#everlog-0-leaf"></use></svg><svg><use href="#everlog-0-old"></use></svg>')
    assert text.count('id="everlog-0-leaf" viewBox="0 0 9 9"') == 1
    # Names inside of the file are its own.
    assert 'fill="url(#everlog-0-green)"' in text
    assert '<linearGradient id="everlog-0-green"><stop offset="1" stop-color="red">' in text
    assert '<symbol id="everlog-0-old"><use href="#everlog-0-leaf">' in text


@pytest.mark.parametrize(
    "bad",
    [
        "<script>x()</script>", '<path onload="x()"/>', "<foreignObject><p>x</p></foreignObject>",
        '<a href="javascript:x()"><path/></a>', '<image href="http://live.org/x.png"/>',
        "<style>@import 'http://live.org/x'; p { background: url(http://live.org/x) }</style>",
        '<path fill="url(http://live.org/x)"/>', '<path style="background:url(http://live.org/x)"/>',
        '<use href="http://live.org/x#y"/>', '<animate attributeName="href" to="javascript:x()"/>',
        '<g id="&quot;&gt;&lt;script&gt;x()"/>', "<title>&lt;/title&gt;&lt;script&gt;x()</title>",
        "<text>&lt;script&gt;x()</text>", "<!-- --><p>x</p>",
    ],
)
def test_nothing_but_shapes_comes_along(bad):
    text = shown(page("x"), f'{HEAD}<symbol id="x">{bad}<path d="M1"/></symbol></svg>')
    assert '<path d="M1">' in text
    lowered = text.lower()
    for sign in ("<script", "onload", "<p>", "javascript:", "live.org", "<style", "style=\"b", "<animate", "foreign"):
        assert sign not in lowered


@pytest.mark.parametrize("sprite", [None, "", "no markup", "<html><body/></html>", "\0"])
def test_what_is_no_sprite_leaves_the_page_as_it_is(sprite):
    assert shown(page("leaf"), sprite) == page("leaf")


def test_a_page_takes_signs_out_of_so_many_files_and_no_more():
    text = "".join(page("leaf", file=f"http://a.org/{number}.svg") for number in range(MOST_SPRITES + 5))
    assert shown(text, SPRITE).count('href="http://r/') == 5


def test_other_addresses_and_pages_without_signs_are_left_alone():
    for text in ("<p>use</p>", '<use href="#own">', '<use href="http://live.org/web/20200101000000/x#y">'):
        assert shown(text, SPRITE) == text


def test_a_deep_and_a_long_file_take_no_time():
    deep = f"{HEAD}{'<g>' * 5_000}<path/>{'</g>' * 5_000}</svg>"
    assert shown(page("x"), deep).count("<g>") <= 51
    assert len(shown(page("x"), HEAD + "<g/>" * LONGEST_DRAWING)) < 4 * LONGEST_DRAWING


def test_an_address_that_is_spelled_with_escapes_is_no_colour():
    page = '<svg><use href="http://r/web/20200101000000/http://a.org/i.svg#x"></use></svg>'
    sign = '<svg xmlns="http://www.w3.org/2000/svg"><path id="x" d="M0" fill="u\\72l(http://live.example/)"/></svg>'
    assert "live.example" not in with_sprites(page, "http://r", lambda _at, _url: sign)


STYLED = f"""{HEAD}<style>/* x */ .cls-1 {{ fill: #f00 }} #owl path, g &gt; path {{ stroke: url(#green) }}
@media print {{ path {{ fill: none }} }} @import "http://live.org/x"; a:hover {{ fill: red }}
path {{ background: url(http://live.org/y); fill: u\\72l(http://live.org/z); opacity: .5 !important }}</style>
<symbol id="owl" class="a b"><path class="cls-1" d="M0" style="fill:url(#green); background:url(http://live.org/x)"/>
</symbol><linearGradient id="green"/></svg>"""


def test_a_sign_keeps_the_styles_of_its_file_which_reach_nothing_else():
    text = shown(page("owl"), STYLED)
    assert (
        "<style>.everlog-0-cls-1.everlog-0{fill:#f00}#everlog-0-owl path.everlog-0,g > path.everlog-0"
        "{stroke:url(#everlog-0-green)}path.everlog-0{opacity:.5 !important}</style>"
    ) in text
    assert '<symbol id="everlog-0-owl" class="everlog-0 everlog-0-a everlog-0-b">' in text
    assert '<path d="M0" style="fill:url(#everlog-0-green)" class="everlog-0 everlog-0-cls-1">' in text
    assert "live.org" not in text


@pytest.mark.parametrize(
    "text",
    [
        '<style>p { -webkit-filter: blur(2px) url("@#blue") }</style>', '<p style="filter: url(&quot;@#blue&quot;)">',
        '<svg><g filter="url(&quot;@#blue&quot;)"></g></svg>', 'p { backdrop-filter:url("@#blue") }',
    ],
)
def test_a_filter_of_another_file_stands_in_its_address(text):
    address = "http://r/web/20200101000000/http://a.org/f.svg?a=1&amp;b=2"
    file = (
        f'{HEAD}<filter id="red"><feFlood/></filter><filter id="blue"><feFlood flood-color="blue" onclick="x()"/>'
        '<feImage href="http://live.org/x"/></filter></svg>'
    )
    asked = []

    def sprite(at: str, url: str) -> str:
        asked.append((at, url))
        return file

    rewritten = with_filters(text.replace("@", address), "http://r", sprite)
    assert asked == [("20200101000000", "http://a.org/f.svg?a=1&b=2")]
    before, _, after = text.partition("@#blue")
    assert rewritten.startswith(f"{before}data:image/svg+xml;charset=utf-8,%3Csvg")
    assert rewritten.endswith(f"%3C%2Fsvg%3E#f-blue{after}")
    held = unquote(rewritten)
    assert '<filter id="f-blue"><feFlood flood-color="blue"></feFlood></filter>' in held
    assert "live.org" not in held
    assert "onclick" not in held


def test_a_filter_that_is_not_there_leaves_its_address_as_it_is():
    text = 'p { filter: url("http://r/web/20200101000000/http://a.org/f.svg#x"); background: url("http://r/web/2/b") }'
    for file in (None, "no markup", f"{HEAD}<g id='x'/></svg>"):
        assert with_filters(text, "http://r", lambda *_, file=file: file) == text
    assert with_filters("p { filter: url(#own) }", "http://r", lambda *_: SPRITE) == "p { filter: url(#own) }"
