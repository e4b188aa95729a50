"""Pages that nobody wrote for readers: they must neither break anything nor take long."""

from __future__ import annotations

import signal

import numpy as np
import pytest
from compared_pages import page
from lxml import etree

from everlog.core.outline import Outline
from everlog.core.tree import parse
from everlog.extract.extractors.diffpost import RepeatCounts, clean, find_article

# No test measures time; one that takes this long hangs.
HANGING_SECONDS = 300


@pytest.fixture(autouse=True)
def _no_hang():
    def ring(_number, _frame):
        raise TimeoutError(f"still busy after {HANGING_SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(HANGING_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


HOSTILE = {
    "no text": "",
    "blanks": "<p> \n\u00a0\u3000</p>" * 50,
    "numbers": "<p>1</p><td>2</td>",
    "only links": "<a href='/'>Home</a>" * 1000,
    "links in links": "<a href='/'>" * 500 + "x",
    "one line": "<p>text <b>and</b> more</p>" * 5000,
    "mixed scripts": "<p>Тест 测试 テスト اختبار परीक्षण 시험 𝔘𝔫𝔦 \ufeff\u202e\u0301</p>" * 20,
    "deep": "<div>" * 5000 + "deep" + "</div>" * 5000,
    "deep inline": "<span>" * 5000 + "deep",
    "deep and invisible": "<noscript>" * 2000 + "deep",
    "many siblings": "<i>x</i>" * 50_000,
    "unknown tags": "".join(f"<tag{number}>x</tag{number}>" for number in range(2000)),
    "named": "<div class='comments'><div id='sidebar'><p class='share'>x</p></div></div>" * 500,
    "endless word": "<p>" + "a" * 1_000_000 + "</p>",
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_no_page_breaks_cleaning(body):
    outline = page(body)
    company = [page("<p>Menu</p>"), page(body + "<p>x</p>"), outline]
    for repeats in (RepeatCounts(), RepeatCounts.learn(company), RepeatCounts.learn(company[:1])):
        kept = clean(outline, repeats)
        assert kept.dtype == np.bool_
        assert len(kept) == len(outline.segments)
        find_article(outline, repeats)


def test_twenty_megabytes_are_cleaned():
    # More than `parse` takes: whoever has such a tree gets an answer too.
    paragraph = "<p>" + "Every lighthouse keeper has a story about bees. " * 40 + "</p>"
    root = etree.HTML("<body><div>" + paragraph * 10_500 + "</div></body>")
    outline = Outline(root)
    assert sum(map(len, outline.segments)) > 20_000_000
    repeats = RepeatCounts.learn([page("<p>Menu</p>")])
    assert clean(outline, repeats).sum() == 10_500
    assert find_article(outline, repeats).element.tag == "div"


def test_a_page_with_comments_and_instructions_in_its_tree_is_cleaned():
    outline = Outline(etree.fromstring("<body><!-- a --><?php b ?><p>c<!-- d -->e</p></body>"))
    kept = clean(outline, RepeatCounts())
    assert [outline.segments[place] for place in np.flatnonzero(kept)] == ["c", "e"]


def test_a_tree_of_any_root_is_cleaned():
    outline = Outline(etree.fromstring("<b>x</b>"))
    assert clean(outline, RepeatCounts.learn([outline])).tolist() == [True, False]
    assert find_article(Outline(parse(b"<frameset>")), RepeatCounts()) is None
