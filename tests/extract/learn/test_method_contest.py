"""Methods that need no place compete with learned places on the blog's own pages."""

from __future__ import annotations

from dataclasses import replace

import a_blog
import everlog
from everlog.core.rules import Rule
from everlog.extract.article.article_read import Design
from everlog.extract.article.designs import CLEARLY, _in_order
from everlog.extract.calibration import PRIORS, confidence
from everlog.records import Post, Skip


def learned() -> everlog.Template:
    return everlog.learn(a_blog.feed(), a_blog.pages())


def design(method: str, score: float) -> Design:
    return Design(places=(Rule(method=method, where=method),), method=method, confidence=0.9, score=score)


def test_a_learned_place_reads_first_and_the_other_methods_stand_by() -> None:
    template = learned()
    methods = [one.method for one in template.designs]
    assert methods[0] == "feed-text"
    assert {"repeats", "lines"} <= set(methods[1:])


def test_a_method_that_is_clearly_better_reads_first() -> None:
    rule, better, worse = design("feed-text", 0.9), design("repeats", 0.9 + 2 * CLEARLY), design("lines", 0.91)
    assert _in_order([rule], [better, worse]) == (better, rule, worse)


def test_a_post_of_an_unknown_design_is_read_where_the_key_path_vouches_for_it() -> None:
    template = learned()
    page = a_blog.page(9)
    post = template.read(page, "https://a.example/9")
    assert isinstance(post, Post)
    gone = replace(template.designs[0], places=(Rule(method="selector", where="div.gone"),), tells=())
    lost = replace(template, designs=(gone, *(one for one in template.designs if one.method != "feed-text")))
    other = lost.read(page, "https://a.example/9")
    assert isinstance(other, Post)
    assert other.provenance["text"].method in {"repeats", "lines"}
    assert other.text == post.text


def test_a_page_that_is_no_post_is_not_read_by_methods_that_read_anything() -> None:
    other = b"<p>" + b"A long text of something else, which is no post at all. " * 20
    outcome = learned().read(other, "https://a.example/x")
    assert isinstance(outcome, Skip)


def test_what_was_measured_survives_json() -> None:
    template = learned()
    again = everlog.Template.from_json(template.to_json())
    assert again.designs == template.designs
    assert again.repeats == template.repeats


def test_a_method_that_was_right_more_often_is_surer() -> None:
    for method in PRIORS:
        chances = [confidence(method, right, 10) for right in range(11)]
        assert chances == sorted(chances)
        assert 0 < chances[0] < chances[-1] < 1
