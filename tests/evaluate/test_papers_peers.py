"""Extractors without a feed, on the bundled blogs and on pages whose figures can be counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from everlog.evaluate.corpus import find_blogs
from everlog.evaluate.scoring import word_scores
from papers.peers import FIGURES, TOOLS, Site, Tool, measure_peers, site_rows, tool, total_rows
from papers.readers import collected

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "corpus"
PACKAGES = ("boilerpy3", "justext", "readability", "trafilatura")


def test_precision_and_recall_of_words_as_counted_by_hand():
    # Four of five words read are right, and four of the eight right ones were read.
    scores = word_scores("one two three four five six seven eight", "One, two; three four SHARE")
    assert scores == pytest.approx((4 / 5, 4 / 8, 2 * 4 / 13))


def test_words_are_counted_as_often_as_they_stand():
    assert word_scores("row row row the boat", "row the boat") == pytest.approx((1.0, 3 / 5, 6 / 8))


def test_scripts_without_spaces_are_counted_by_character():
    assert word_scores("静かな海でした", "静かな海") == pytest.approx((1.0, 4 / 7, 8 / 11))


@pytest.mark.parametrize(("truth", "got", "expected"), [
    ("sea", "", (0, 0, 0)), ("sea", "!!!", (0, 0, 0)), ("...", "!!!", (1, 1, 1)), ("...", "sea", (0, 0, 0)),
])
def test_nothing_read_and_nothing_to_read(truth, got, expected):
    assert word_scores(truth, got) == expected


def test_a_tool_that_fails_has_read_nothing(make_blog):
    blog = make_blog()
    row = collected(blog)[0]
    broken = Tool(name="broken", module="json", article=lambda *_: str(1 / 0))
    echo = Tool(name="echo", module="json", article=lambda _, url, language: f"{language} {url}")
    assert broken.read(blog, row) == ""
    assert echo.read(make_blog(language="pt"), row) == f"pt {row.url}"


def test_the_mean_over_blogs_does_not_weigh_them_by_their_posts(make_blog):
    def site(name, posts, precision):
        return Site(blog=make_blog(name), posts=posts, figures={"x": dict.fromkeys(FIGURES, precision)})

    sites = [site("small", 1, 1.0), site("large", 99, 0.5)]
    assert total_rows(sites) == [{"tool": "x", "blogs": 2, "posts": 100, **dict.fromkeys(FIGURES, 0.75)}]
    assert [(row["blog"], row["P"]) for row in site_rows(sites)] == [("small", 1.0), ("large", 0.5)]
    assert total_rows([]) == []


def test_the_tools_of_the_paper_are_there_by_name():
    assert tool("trafilatura").module == "trafilatura"
    assert {each.module for each in TOOLS} >= set(PACKAGES)


@pytest.mark.parametrize("name", PACKAGES)
def test_each_tool_finds_most_of_an_english_article(name):
    pytest.importorskip(name)
    blog = next(blog for blog in find_blogs([EXAMPLES]) if blog.language.startswith("en"))
    used = next(each for each in TOOLS if each.module == name)
    for row in collected(blog)[:3]:
        assert word_scores(row.text, used.read(blog, row)).f1 > 0.8


def test_every_tool_is_measured_on_every_bundled_blog_and_two_processes_agree():
    for name in PACKAGES:
        pytest.importorskip(name)
    blogs = find_blogs([EXAMPLES])
    heard = []
    sites = measure_peers(blogs, done=heard.append)
    assert [site.blog.id for site in sites] == ["harbour-notes", "umibe", "werkbank"]
    assert len(heard) == 3
    for site in sites:
        assert {each.name for each in TOOLS} <= set(site.figures)
        assert all(0 <= value <= 1 for figures in site.figures.values() for value in figures.values())
    assert measure_peers(blogs, jobs=2) == sites
