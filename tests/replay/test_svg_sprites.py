"""Signs of other files inside a page: shapes come along, under names of their own, and nothing else does."""

from __future__ import annotations

import pytest

from everlog.replay.svg_sprites import LONGEST_SPRITE, MOST_SPRITES, with_sprites

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
        '<a href="javascript:x()"><path/></a>', '<image href="http://live.org/x.png"/>', "<style>*{color:red}</style>",
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
    assert len(shown(page("x"), HEAD + "<g/>" * LONGEST_SPRITE)) < 4 * LONGEST_SPRITE


def test_an_address_that_is_spelled_with_escapes_is_no_colour():
    page = '<svg><use href="http://r/web/20200101000000/http://a.org/i.svg#x"></use></svg>'
    sign = '<svg xmlns="http://www.w3.org/2000/svg"><path id="x" d="M0" fill="u\\72l(http://live.example/)"/></svg>'
    assert "live.example" not in with_sprites(page, "http://r", lambda _at, _url: sign)
