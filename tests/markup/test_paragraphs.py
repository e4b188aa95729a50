"""Elements with nothing but paragraphs, beside what the cleaner makes of them."""

from __future__ import annotations

from copy import deepcopy

import pytest

from everlog.core.tree import parse, take_text
from everlog.markup.cleaning import clean_html
from everlog.markup.paragraphs import simple_body

SHAPES = (
    "<p>A plain text.</p>", "<p> blanks \n around\tand  inside </p>", "<p>a &amp; b</p>", "<p>1 &lt; 2 &gt; 0</p>",
    "<p>caf\u00e9</p>", "<p>a\u00a0b</p>", "<p></p>", "<p> </p>", "before<p>in</p>", "<p>in</p>behind", " <p>in</p> ",
    "<p>one</p><p>two</p>", "<p>one<br>two</p>", "<p>one <em>two</em></p>", "no paragraph",
)


@pytest.mark.parametrize("markup", SHAPES)
def test_a_simple_body_is_what_cleaning_makes_of_it(markup):
    body = parse(f"<div>{markup}</div>".encode())[0][0]
    simple = simple_body(body)
    assert simple is not None
    whole = deepcopy(body)
    html = clean_html(deepcopy(body), "http://a.org/")
    assert simple == (take_text(whole), html)


@pytest.mark.parametrize("markup", ["<p class=a>x</p>", "<p>x<a href=/>y</a></p>", "<div>x</div>", "<p><i id=x>y</i>"])
def test_what_is_more_than_paragraphs_is_left_to_the_cleaner(markup):
    assert simple_body(parse(f"<div>{markup}</div>".encode())[0][0]) is None
