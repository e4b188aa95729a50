"""Pages as lines: where a line ends, and what is counted of it."""

from __future__ import annotations

import numpy as np
import pytest

from everlog.core.outline import Outline
from everlog.core.tree import parse
from everlog.extract.extractors.line_classifier.characters import BLANK, CHARACTER, DIGIT, LETTER, SIGN, kinds_of
from everlog.extract.extractors.line_classifier.line_features import (
    FIVE,
    HIGH,
    LOW,
    MIDDLE,
    NAMES,
    Levels,
    described,
    five_of,
)
from everlog.extract.extractors.line_classifier.line_markup import SURROUNDINGS
from everlog.extract.extractors.line_classifier.page_lines import Lines, lines_of

MENU = b'<ul><li><a href="/">Home</a><li><a href="/about">About us</a></ul>'
LEVELS = Levels(least=(0.0,) * 5, mean=(10.0, 10.0, 0.5, 1.0, 1.0), most=(100.0, 100.0, 1.0, 5.0, 5.0))


def page(body: bytes) -> tuple[Outline, Lines]:
    outline = Outline(parse(b"<html><head><title>T</title></head><body>" + body + b"</body></html>"))
    return outline, lines_of(outline)


def written(outline: Outline, lines: Lines) -> list[str]:
    texts = [""] * len(lines)
    for segment, line in zip(outline.segments, lines.of_segment.tolist(), strict=True):
        if line >= 0:
            texts[line] += segment
    return [" ".join(text.split()) for text in texts]


def inside(lines: Lines, line: int) -> set[str]:
    return {name for name, there in zip(SURROUNDINGS, lines.inside[line].tolist(), strict=True) if there}


def test_a_line_ends_at_the_edges_of_blocks_and_nowhere_else():
    outline, lines = page(MENU + b"<div>bare <b>bold</b><br>text<p>one\ntwo</p>behind</div>")
    assert written(outline, lines) == ["Home", "About us", "bare boldtext", "one two", "behind"]


def test_the_five_features_are_counted_for_each_line():
    _, lines = page(b'<p>See <a href="/x">this</a> and <a href="/y">that</a> <img src="z.png"></p><p>Plain words</p>')
    five = dict(zip(FIVE, five_of(lines).T.tolist(), strict=True))
    assert five["shown"] == [14, 10]
    assert five["links"] == [2, 0]
    assert five["images"] == [1, 0]
    assert five["source"][1] == 10 + len("<p></p>")
    assert five["density"][1] == pytest.approx(10 / 17)
    assert five["density"][0] < 0.25
    assert lines.linked.tolist() == [8, 0]


def test_markup_counts_as_source_but_not_as_shown():
    _, bare = page(b"<p>Some words</p>")
    _, dressed = page(b"<p class='a b c' style='color: red'>Some <span class='x'>words</span></p>")
    assert dressed.shown.tolist() == bare.shown.tolist()
    assert dressed.source[0] > bare.source[0] + 20


def test_blanks_do_not_count_so_that_indentation_makes_no_difference():
    _, dense = page(b"<div><p>One two</p><p>three</p></div>")
    _, loose = page(b"<div>\n    <p>\n\tOne\n   two\n  </p>\n\n <p>three </p>\n</div>")
    assert loose.shown.tolist() == dense.shown.tolist()
    assert loose.source.tolist() == dense.source.tolist()


def test_a_character_of_a_script_without_spaces_counts_twice():
    _, lines = page("<p>世界</p><p>ab</p>".encode())
    assert lines.shown.tolist() == [4, 2]


def test_what_nobody_sees_is_in_no_line():
    outline, lines = page(b"<p>seen</p><script>x()</script><noscript>no</noscript><textarea>t</textarea>")
    assert written(outline, lines) == ["seen"]


def test_lines_without_text_are_none_and_their_pictures_count_nowhere():
    _, lines = page(b"<p><img src=a></p><p>text</p><div> &nbsp; </div>")
    assert lines.images.tolist() == [0]


def test_a_line_knows_what_it_stands_in():
    _, lines = page(
        b"<nav><a href=/>Home</a></nav><article><div class=entry-content><p>Text of the post, long enough.</p>"
        b"<blockquote>said</blockquote></div></article><div id=comments>Nice</div>"
        b"<div style='display: none'>psst</div>",
    )
    assert inside(lines, 0) == {"nav", "link"}
    assert inside(lines, 1) == {"article", "content"}
    assert inside(lines, 2) == {"article", "content", "quote"}
    assert inside(lines, 3) == {"comments"}
    assert inside(lines, 4) == {"hidden"}


def test_labels_in_the_class_of_a_post_do_not_make_it_noise():
    _, lines = page(b"<div>other text of the page</div><div class='post tag-sponsor category-ads'>Text</div>"
                    b"<div class='entry-content no-share'>more</div><div class=share>Share</div>")
    assert [inside(lines, line) for line in range(4)] == [set(), {"content"}, {"content"}, {"noise"}]


def test_an_element_that_holds_most_of_the_page_is_not_what_it_is_called():
    _, lines = page(b"<form class=widget><p>Nearly all the text of this page.</p><ul><li>x</ul></form><p>rest</p>")
    assert inside(lines, 0) == set()
    assert inside(lines, 1) == {"list"}


def test_the_lines_of_every_element_are_a_run():
    outline, lines = page(b"<div><p>a</p><p>b</p></div><p>c</p>")
    spans = {element.tag: (int(start), int(stop)) for element, start, stop in
             zip(outline.elements, lines.start, lines.stop, strict=True)}
    assert spans["body"] == (0, 3)
    assert spans["div"] == (0, 2)


@pytest.mark.parametrize("body", [b"", b"<img>", b"<p> </p>", b"<script>var a</script>"])
def test_a_page_without_text_has_no_lines(body):
    _, lines = page(body)
    assert len(lines) == 0
    assert five_of(lines).shape == (0, 5)


def test_characters_have_kinds_in_any_plane():
    assert kinds_of("aЖ 7世").tolist() == [LETTER, LETTER, BLANK, DIGIT, CHARACTER]
    assert kinds_of("😀𠀀\ud800\u200b").tolist() == [SIGN, CHARACTER, SIGN, BLANK]
    assert kinds_of("").tolist() == []


def test_a_value_takes_the_level_it_is_most_a_member_of():
    levels = Levels(least=(0.0,), mean=(8.0,), most=(40.0,))
    # The cut points are 4 and 24; memberships are equal at 6 and at 16.
    assert levels.of(np.array([[0.0], [5.9], [6.1], [8.0], [15.9], [16.1], [1e9]])).ravel().tolist() == [
        LOW, LOW, MIDDLE, MIDDLE, MIDDLE, HIGH, HIGH]


def test_cut_points_weigh_topical_and_other_lines_the_same():
    topical, others = np.array([[10.0], [20.0], [60.0]]), np.array([[0.0], [2.0]])
    assert Levels.learned(topical, others) == Levels(least=(5.0,), mean=(15.5,), most=(31.0,))


def test_every_feature_has_a_name_and_a_finite_value():
    _, lines = page(MENU + b"<p>One, two. Three!</p><h2>123</h2>")
    features = described(lines, LEVELS)
    assert features.shape == (len(lines), len(NAMES))
    assert np.isfinite(features).all()
    assert len(set(NAMES)) == len(NAMES)


def test_features_stand_under_their_names():
    _, lines = page(MENU + b"<p>One, two. Three; four 12</p>")
    known = [dict(zip(NAMES, row, strict=True)) for row in described(lines, LEVELS).tolist()]
    home, text = known[0], known[2]
    assert (home["linked"], home["all linked"], home["any link"], home["in list"]) == (1, 1, 1, 1)
    assert (text["linked"], text["any link"], text["any comma"], text["any stop"]) == (0, 0, 1, 1)
    assert text["commas"] == pytest.approx(2 / 5)
    assert text["stops"] == pytest.approx(1 / 5)
    assert text["digits"] == pytest.approx(2 / 20)
    assert text["shown"] == pytest.approx(np.log1p(20))
    assert text["of the longest"] == 1
    assert text["shown > 10"] == 1
    assert text["shown > 25"] == 0
    assert home["at the start"] == 1
    assert home["place"] == 0 < text["place"] < 1
