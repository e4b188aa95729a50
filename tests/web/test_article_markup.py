"""Article markup on a page of ours: ids, footnotes, headings, lists, tables, pictures, and text that is no markup."""

from __future__ import annotations

import pytest

from everlog.core.tree import parse_fragment
from everlog.web.posts.article_markup import put_in_order, written

HERE = "https://a.example/post/"


def shown(html: str) -> str:
    root = parse_fragment(html)
    put_in_order(root, HERE)
    return written(root)


def test_footnotes_lead_there_and_back_however_they_are_linked():
    text = shown(
        '<p>Words<sup id="r1"><a href="#f1">1</a></sup></p><p id="f1">Note <a href="http://a.example/post#r1">up</a></p>',
    )
    assert '<sup id="in-r1"><a href="#in-f1">1</a></sup>' in text
    assert '<p id="in-f1">Note <a href="#in-r1">up</a></p>' in text


@pytest.mark.parametrize(("html", "expected"), [
    # Ids of our own page cannot be taken, nor be there twice.
    ('<p id="comments">a</p><p id="comments">b</p>', '<p id="in-comments">a</p><p>b</p>'),
    ('<p id=" a b ">a</p><a href="# a b ">x</a>', '<p id="in-a-b">a</p><a href="#in-a-b">x</a>'),
    # A mark that leads nowhere is no link.
    ('<a href="#respond">Reply</a>', "<a>Reply</a>"),
    ('<a href="https://b.example/x#f">x</a>', '<a href="https://b.example/x#f">x</a>'),
    # The title is the only first heading.
    ("<h1>a</h1><h2>b</h2><h6>c</h6>", "<h2>a</h2><h3>b</h3><h6>c</h6>"),
    ("<h2>a</h2>", "<h2>a</h2>"),
    # Lists.
    ("<li>a</li>", "<div>a</div>"),
    ("<ul><li>a</li><p>b</p></ul>", "<ul><li>a</li><li><p>b</p></li></ul>"),
    ("<ul></ul>", "<div></div>"),
    ("<dd>a</dd>", "<div>a</div>"),
    ("<dl><dt>a</dt><dd>b</dd></dl>", "<dl><dt>a</dt><dd>b</dd></dl>"),
    # Links and pictures have names.
    ('<a href="https://b.example/"></a>', "<span></span>"),
    ('<img src="https://b.example/cat.png">', '<img src="https://b.example/cat.png" alt="">'),
    ('<a href="https://b.example/"><img src="https://b.example/cat.png?w=1"></a>',
     '<a href="https://b.example/"><img src="https://b.example/cat.png?w=1" alt="Picture cat.png"></a>'),
    ('<img alt="A cat" width="100%" height="20">', '<img alt="A cat" height="20">'),
    # Languages that are none, and names of other pages' styles.
    ('<p lang="english please">a</p><p lang="pt-BR">b</p>', '<p>a</p><p lang="pt-BR">b</p>'),
    ('<pre class="bar">x</pre>', '<pre tabindex="0">x</pre>'),
    # What is text stays text.
    ("&lt;script&gt;alert(1)&lt;/script&gt;", "&lt;script&gt;alert(1)&lt;/script&gt;"),
    ("", ""),
])
def test_markup_of_strangers_is_put_in_order(html, expected):
    assert shown(html) == expected


def test_code_comes_without_the_column_of_its_line_numbers():
    text = shown("<table><tr><td><pre>1\n2\n</pre></td><td><pre>a\nb</pre></td></tr></table>after")
    assert text == '<pre tabindex="0">a\nb</pre>after'
    assert "<td>1</td>" in shown("<table><tr><td>1</td><td>2</td></tr></table>")


def test_a_table_of_one_cell_is_no_table():
    assert shown("<table><tr><td>a <b>b</b></td></tr></table>after") == "<div>a <b>b</b></div>after"


def test_wide_tables_scroll_by_themselves_and_inner_ones_with_them():
    text = shown("<table><caption>Tides</caption><tr><td><table><tr><td>x</td></tr></table></td></tr></table>after")
    assert text.count('<div class="scrolls" tabindex="0" role="region" aria-label="Tides">') == 1
    assert "scrolls" not in text.partition("<td>")[2]
    assert text.endswith("</div>after")
