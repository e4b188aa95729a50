"""Articles by their lines alone: what is kept, what is dropped, and pages that hold none."""

from __future__ import annotations

import hashlib
import json
import sys
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everlog.core.outline import Outline
from everlog.core.tree import parse, visible_text
from everlog.errors import UnreadablePage
from everlog.extract.extractors.line_classifier import extract, find_article, why_nothing
from everlog.extract.extractors.line_classifier.line_context import CONTEXT, surrounded
from everlog.extract.extractors.line_classifier.line_features import NAMES
from everlog.extract.extractors.line_classifier.linear_model import Classifier, shipped
from everlog.extract.extractors.line_classifier.page_lines import lines_of

MENU = '<ul class=menu><li><a href="/">Home</a></li><li><a href="/a">About</a></li><li><a href="/t">Tags</a></li></ul>'
PARAGRAPHS = (
    "The boat left the harbour at dawn, and nobody on the pier looked up. We had bread, two lamps and a map.",
    "By noon the wind had turned. The sail, which was older than either of us, held until the second reef.",
    "What happened then I can only tell from what others said later: the rocks, the light, the long row back.",
    "I still have the map, with its water stain, on the wall above the desk where I write this, years after.",
)
ARTICLE = "<h2>A day at sea</h2>" + "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
SIDE = '<div class="sidebar"><h3>Links</h3><ul>' + 8 * '<li><a href="/x">Some other blog</a></li>' + "</ul></div>"
FOOT = '<div class="footer"><p>Copyright 2009. <a href="/imprint">Imprint</a></p></div>'


def outline_of(body: str | bytes) -> Outline:
    if isinstance(body, str):
        body = f"<html><head><title>Blog</title></head><body>{body}</body></html>".encode()
    return Outline(parse(body))


def blog_page(article: str = ARTICLE, menu: str = MENU) -> str:
    return f'{menu}<div id="page"><div class="post"><div class="entry">{article}</div></div>{SIDE}</div>{FOOT}'


def kept_text(outline: Outline) -> str:
    extracted = extract(outline)
    if extracted is None:
        return ""
    return " ".join("".join(
        " " + segment for segment, kept in zip(outline.segments, extracted.kept, strict=True) if kept).split())


def test_the_paragraphs_are_kept_and_the_rest_of_the_page_is_not():
    text = kept_text(outline_of(blog_page()))
    assert all(paragraph in text for paragraph in PARAGRAPHS)
    assert "Imprint" not in text
    assert "Some other blog" not in text
    assert "About" not in text


def test_the_element_around_the_article_is_found():
    pick = find_article(outline_of(blog_page()))
    assert pick is not None
    assert pick.element.get("class") == "entry"
    assert all(paragraph in visible_text(pick.element) for paragraph in PARAGRAPHS)


def test_how_sure_it_is_lies_between_nothing_and_one():
    extracted = extract(outline_of(blog_page()))
    assert extracted is not None
    assert 0.5 < extracted.confidence <= 1


def test_a_page_in_one_line_reads_like_the_same_page_written_by_hand():
    one_line = blog_page()
    by_hand = one_line.replace("<", "\n      <").replace("\n      </p", "</p").replace(", ", ",\n        ")
    assert kept_text(outline_of(by_hand)) == kept_text(outline_of(one_line))


@given(st.lists(st.sampled_from(["Home", "About me", "Archive", "世界", "Photos"]), min_size=1, max_size=30))
def test_a_menu_of_links_more_does_not_change_the_article(names):
    nav = "<nav><ul>" + "".join(f'<li><a href="/{at}">{name}</a></li>' for at, name in enumerate(names)) + "</ul></nav>"
    assert kept_text(outline_of(nav + blog_page())) == kept_text(outline_of(blog_page()))


def test_a_long_line_that_stands_alone_is_dropped():
    advert = "<div><p>Buy our marine ropes, tested by generations of sailors, at half the price of last year.</p></div>"
    links = 12 * '<div><a href="/y">Another page of this site</a></div>'
    text = kept_text(outline_of(advert + links + blog_page()))
    assert PARAGRAPHS[0] in text
    assert "marine ropes" not in text


def test_articles_in_scripts_without_spaces_are_found():
    article = "".join(f"<p>{text}</p>" for text in (
        "今日は朝から海へ行った。風が強くて、波も高かったけれど、とても楽しかった。",
        "帰り道に小さな店で魚を食べた。店の人はとても親切だった。",
        "夜は友達と遅くまで話した。来年もまた同じ海へ行こうと約束した。"))
    text = kept_text(outline_of(blog_page(article)))
    assert "とても楽しかった" in text
    assert "約束した" in text


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("", "the page shows no text"),
        ("<img src=a><script>let a = 1</script>", "the page shows no text"),
        ("<p>&nbsp; \n</p>", "the page shows no text"),
        (MENU + 5 * '<p><a href="/z">One more link, to another page</a></p>', "the page consists of links only"),
        (MENU + "<footer>Copyright 2009</footer>", "the page shows hardly any text"),
    ],
)
def test_a_page_without_an_article_says_why(body, reason):
    outline = outline_of(body)
    assert why_nothing(outline) == reason
    assert extract(outline) is None
    assert find_article(outline) is None


def test_where_no_line_is_topical_the_best_paragraph_is_taken_and_nothing_shorter():
    data = shipped().to_dict()
    data["among"]["bias"] -= 1_000
    doubting = Classifier.from_dict(data)
    short = outline_of("".join(f"<p>Line number {number}</p>" for number in range(40)))
    assert extract(short, doubting) is None
    assert why_nothing(short) == "no part of the page looks like an article"
    found = extract(outline_of(blog_page()), doubting)
    assert found is None or found.confidence < 0.1
    long = outline_of(blog_page(f"<p>{' '.join(PARAGRAPHS)}</p>"))
    found = extract(long, doubting)
    assert found is not None
    assert found.confidence < 0.1
    assert [segment for segment, kept in zip(long.segments, found.kept, strict=True) if kept] == [" ".join(PARAGRAPHS)]


@pytest.mark.parametrize("times", [1, 20, 2_000])
def test_an_article_of_one_line_is_found(times):
    text = " ".join(times * PARAGRAPHS)
    assert kept_text(outline_of(f"<p>{text}</p>")) == text
    assert PARAGRAPHS[2] in kept_text(outline_of(blog_page(f"<p>{text}</p>")))


def test_a_page_of_nothing_but_links_has_no_article():
    assert extract(outline_of("<ul>" + 40 * '<li><a href="/z">Another page</a></li>' + "</ul>")) is None


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_are_read_without_an_error(body):
    try:
        outline = outline_of(b"<p>x</p>" + body)
    except UnreadablePage:
        return
    extracted = extract(outline)
    assert extracted is None or extracted.kept.shape == (len(outline.segments),)
    assert why_nothing(outline)
    find_article(outline)


PIECES = st.sampled_from([
    "<div>", "</div>", "<p>", "<table><tr><td>", "<a href=x>", "</a>", "<br>", "<li>", "<!-- c -->", "<pre>", "<body>",
    "<form class=widget>", "<div class='comments share'>", "<svg>", "word ", "Two words, a stop. ", "世界", "😀",
    "مرحبا", "&#xD800;",
])


@settings(deadline=None)
@given(st.lists(PIECES, max_size=40))
def test_any_markup_is_read_without_an_error(pieces):
    outline = outline_of("".join(pieces))
    lines = lines_of(outline)
    assert np.isfinite(shipped().odds(lines)).all() if len(lines) else extract(outline) is None
    extracted = extract(outline)
    assert extracted is None or (extracted.kept.any() and 0 <= extracted.confidence <= 1)
    find_article(outline)


def test_comments_in_the_tree_are_no_trouble():
    from lxml import etree

    root = etree.fromstring("<html><body><!-- a --><p>Text</p><?php b?></body></html>")
    assert len(lines_of(Outline(root))) == 1


@pytest.mark.parametrize(
    "body",
    [
        40_000 * "<div>" + "deep text" + 40_000 * "</div>",
        20_000 * "<p>one line of text, like all the others.</p>",
        "<p>" + 1_000_000 * "word " + "</p>",
        "<p>" + 50_000 * "<b>a</b> " + "</p>",
        50_000 * "<a href=/>b</a>",
    ],
    ids=["deep", "many lines", "one line", "many elements in a line", "many links"],
)
def test_huge_pages_are_read(body):
    outline = outline_of(body)
    extract(outline)
    assert why_nothing(outline)


def test_the_work_grows_with_the_page_and_not_faster():
    def steps(times: int) -> int:
        outline = outline_of(blog_page(times * ARTICLE))
        extract(outline)
        count = 0

        def note(*_: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(note)
        try:
            extract(outline)
        finally:
            sys.setprofile(None)
        return count

    one, two, four = steps(40), steps(80), steps(160)
    assert four - two <= 2.2 * (two - one)


def test_the_shipped_weights_are_those_that_were_trained():
    data = json.loads(files("everlog.extract.extractors.line_classifier").joinpath("weights.json").read_text("utf-8"))
    about = data.pop("about")
    assert about["fingerprint"] == hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]
    assert about["blogs"] >= 50
    assert list(data["alone"]["weights"]) == list(NAMES)
    assert len(data["among"]["weights"]) == len(NAMES) + len(CONTEXT)
    assert shipped().to_dict() == data
    assert Classifier.from_dict(data).to_dict() == data


def test_the_weights_are_small_enough_to_ship():
    assert len(files("everlog.extract.extractors.line_classifier").joinpath("weights.json").read_bytes()) < 20_000


def test_what_the_neighbours_are_changes_what_a_line_is():
    lines = lines_of(outline_of("".join(f"<p>{text}</p>" for text in 3 * PARAGRAPHS)))
    among = surrounded(lines, np.full(len(lines), 2.0))
    apart = surrounded(lines, np.array([2.0 if at == 5 else -2.0 for at in range(len(lines))]))
    at = CONTEXT.index("chance within 2")
    assert among.shape == (12, len(CONTEXT))
    assert apart[5, at] < among[5, at]
    assert among[0, CONTEXT.index("share before")] == 0
    assert among[-1, CONTEXT.index("share after")] == pytest.approx(0)
    assert among[:, CONTEXT.index("in the best element")].all()
