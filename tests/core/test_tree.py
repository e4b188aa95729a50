from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.core.tree import MAX_PAGE_BYTES, drop, parse, parse_fragment, take_text, visible_text
from everlog.errors import UnreadablePage

BELL = "\x07"


def text_of(markup: str) -> str:
    return take_text(parse(f"<div>{markup}</div>".encode())[0][0])


class TestParsing:
    def test_comments_and_instructions_are_not_in_the_tree(self):
        body = parse(b"<p>a<!-- b -->c<?php d ?></p>").find("body")
        assert [element.tag for element in body.iter()] == ["body", "p"]
        assert body.findtext("p") == "ac"

    def test_unclosed_markup_is_closed(self):
        assert [e.tag for e in parse(b"<div><p>a<p>b<li>c").iter()] == ["html", "body", "div", "p", "p", "li"]

    @pytest.mark.parametrize("end", ["", "</embed>"])
    @pytest.mark.parametrize(("between", "words"), [
        ("", ""), ("<p>b</p>", "b"), ("<i>b</i>c<EMBED src=y>d", "bcd"), ("<Embed src=y>b", "b"),
    ])
    def test_what_stands_behind_a_film_is_not_in_it(self, between, words, end):
        page = parse(f"<div>a<embed src=x>{between}{end}<p>more</p>tail</div>last".encode())
        assert not any(len(film) or film.text for film in page.iter("embed"))
        assert "".join(visible_text(page).split()) == f"a{words}moretaillast"

    @pytest.mark.parametrize("body", [b"", b"   ", b"<!-- only this -->"])
    def test_nothing_gives_no_document(self, body):
        with pytest.raises(UnreadablePage, match="skip it or fetch it again"):
            parse(body)

    def test_a_page_beyond_the_limit_is_refused_with_the_limit(self):
        with pytest.raises(UnreadablePage, match=r"8,000,001 bytes\n  the limit is 8,000,000"):
            parse(b"x" * (MAX_PAGE_BYTES + 1))

    def test_utf_8_wins_over_what_the_page_declares(self):
        assert parse("<meta charset=latin1><p>żółw".encode()).findtext(".//p") == "żółw"

    def test_the_servers_charset_wins_over_the_pages(self):
        body = "<meta charset=utf-8><p>мир".encode("koi8-r")
        assert parse(body, "text/html; charset=koi8-r").findtext(".//p") == "мир"

    def test_the_pages_charset_is_used_without_the_servers(self):
        assert parse("<meta charset=koi8-r><p>мир".encode("koi8-r")).findtext(".//p") == "мир"

    def test_an_old_page_that_says_nothing_is_western(self):
        assert parse("<p>Köln – “Straße”".encode("cp1252")).findtext(".//p") == "Köln – “Straße”"

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
    def test_wide_encodings_are_read_in_spite_of_their_nul_bytes(self, encoding):
        assert parse("<p>wide".encode(encoding)).findtext(".//p") == "wide"

    @given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), min_size=1).filter(str.strip))
    def test_text_comes_back_as_it_was_written(self, text):
        markup = "".join(f"&#{ord(character)};" for character in text)
        assert parse(f"<p>x{markup}</p>".encode()).findtext("body/p") == "x" + text


class TestFragments:
    def test_bare_text_is_a_fragment(self):
        assert take_text(parse_fragment("only text")) == "only text"

    @pytest.mark.parametrize("markup", ["", "\0", "\ud800", "</div></body></html>", "<!--", "<"])
    def test_anything_is_a_fragment(self, markup):
        assert parse_fragment(markup).tag == "html"


class TestText:
    @pytest.mark.parametrize(
        ("markup", "text"),
        [
            ("<p>One <i>two</i>,<b>three</b>.</p>", "One two,three."),
            ("<p>one</p><p>two</p>", "one\n\ntwo"),
            ("<p>one<br>two</p>", "one\ntwo"),
            ("bare <p>one</p> behind", "bare\n\none\n\nbehind"),
            ("<ul><li>one</li><li>two</li></ul>", "one\ntwo"),
            ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a\nb\nc"),
            ("<p>  much \n  space\u00a0here </p>", "much space here"),
            ("<h2>Head</h2>text", "Head\n\ntext"),
            ("<p>before <img src=x alt=picture> after</p>", "before\nafter"),
            ("<p></p><p> </p>", ""),
            ("foo<span>bar</span>", "foobar"),
        ],
    )
    def test_paragraphs_are_parted_by_blank_lines_and_lines_by_line_ends(self, markup, text):
        assert text_of(markup) == text

    def test_code_keeps_its_lines_and_blanks(self):
        code = "def f():\n    return  1\n\n\nf()"
        assert text_of(f"<p>Look:</p><pre><code>{code}</code></pre><p>Done.</p>") == f"Look:\n\n{code}\n\nDone."

    def test_highlighted_code_is_one_text(self):
        markup = "<pre><span>if</span> <span>x</span>:\n  <b>y</b></pre>"
        assert text_of(markup) == "if x:\n  y"

    def test_characters_that_a_tree_refuses_do_no_harm(self):
        assert text_of("<p>a&#1;b</p><pre>c&#2;  d</pre>&#3;<p>e</p>").replace("\ufffd", "").split() == [
            "ab", "c", "d", "e",
        ]

    def test_raw_control_characters_do_no_harm(self):
        assert text_of(f"<p>a{BELL}b</p>{BELL}<pre>{BELL}c</pre>").replace(BELL, "") == "ab\n\nc"

    def test_visible_text_leaves_out_what_is_not_shown_and_leaves_the_tree_alone(self):
        root = parse(b"<div>a<script>b</script>c<style>d</style><button>e</button><select><option>f</select></div>")
        size = sum(1 for _ in root.iter())
        assert visible_text(root) == "ac"
        assert sum(1 for _ in root.iter()) == size


class TestDropping:
    def test_the_text_behind_a_dropped_element_stays(self):
        root = parse(b"<div>a<b>1</b>c<i>2</i>d<b>3</b>e</div>")
        drop(list(root.iter("b")))
        assert "".join(root.itertext()) == "ac2de"

    def test_a_root_cannot_be_dropped(self):
        root = parse(b"<p>a")
        drop([root])
        assert "".join(root.itertext()) == "a"

    def test_an_element_inside_a_dropped_one_may_be_dropped_too(self):
        root = parse(b"<div><p>a<b>c</b>d</p>e</div>")
        drop([root.find(".//p"), root.find(".//b")])
        assert "".join(root.itertext()) == "e"


def test_paragraphs_after_highlighted_code_stay_apart():
    code = "<pre><code>x <b>y</b>\n z</code></pre>"
    page = f"<p>a</p>{code}<p>b</p><ul><li>c</li><li>d</li></ul><pre><i>e</i></pre>f"
    assert text_of(page) == "a\n\nx y\n z\n\nb\n\nc\nd\n\ne\n\nf"
