"""Every way to find an article, behind one interface."""

from __future__ import annotations

import pytest

from everlog.core.outline import Outline
from everlog.core.rules import Rule
from everlog.core.tree import drop, parse, visible_text
from everlog.extract.extractors.diffpost import RepeatCounts
from everlog.extract.extractors.extractor import FEEDLESS, pick_at
from everlog.markup.view import View

SENTENCES = [
    "The ferry was late again, and nobody on the quay seemed to mind very much.",
    "We counted the gulls, lost count, and began anew with the boats instead.",
    "By the time it came, the light had gone from gold to a tired sort of grey.",
]


def page(text: str, *, holder: str = "<div class='x'>", close: str = "</div>") -> bytes:
    return (
        "<html><body><ul class='menu'><li><a href='/'>Home</a><li><a href='/about'>About this blog</a></ul>"
        f"{holder}{text}{close}<div class='end'>Made by hand in the north, all rights kept by the author.</div>"
        "<ul><li><a href='/1'>Older post</a><li><a href='/2'>Newer post</a></ul></body></html>"
    ).encode()


def article(seed: int) -> str:
    """Texts of other words for every seed: what differs in numbers only is the same."""
    letters = "abcdefghij"[seed] * 3
    return "".join(f"<p>{sentence.replace('a', letters)}</p>" for sentence in SENTENCES)


def picked(method: str, body: bytes, repeats: RepeatCounts | None = None) -> str | None:
    pick = pick_at(View(parse(body), "https://a.example/x"), Rule(method=method, where=method), repeats)
    if pick is None:
        return None
    drop(pick.drops)
    return visible_text(pick.element)


def test_all_methods_that_need_no_place_answer_to_one_call() -> None:
    repeats = RepeatCounts.learn(Outline(parse(page(article(n)))) for n in range(5))
    body = page(article(9), holder="<div itemprop='articleBody'>")
    expected = visible_text(parse(article(9).encode()))
    found = {method: picked(method, body, repeats) for method in FEEDLESS}
    assert found["repeats"] == found["metadata"] == expected
    # Lines know no other page: a closing sentence may read like a part of the article.
    assert found["lines"].startswith(expected)


def test_what_repeats_must_be_known_before_it_can_be_left_out() -> None:
    assert picked("repeats", page(article(1)), None) is None


class TestMetadata:
    def test_the_element_that_is_called_the_article_is_taken(self) -> None:
        assert picked("metadata", page("<p>one</p>", holder="<div class='e-content'>")) == "one"

    def test_a_page_with_several_articles_is_a_list(self) -> None:
        two = "<p class='e-content'>two</p><div class='e-content'>"
        assert picked("metadata", page("<p>one</p>", holder=two)) is None

    def test_an_element_that_says_what_the_linked_data_says_is_taken(self) -> None:
        body = " ".join(SENTENCES).replace("a", "ddd")
        data = f'<script type="application/ld+json">{{"@type": "BlogPosting", "articleBody": "{body}"}}</script>'
        assert picked("metadata", page(article(3), holder=data + "<div>")) == visible_text(parse(article(3).encode()))

    def test_linked_data_that_stands_nowhere_on_the_page_finds_nothing(self) -> None:
        data = '<script type="application/ld+json">{"@type": "BlogPosting", "articleBody": "Zebras!"}</script>'
        assert picked("metadata", page(article(3), holder=data + "<div>")) is None

    def test_a_page_that_says_nothing_of_itself_finds_nothing(self) -> None:
        assert picked("metadata", page(article(3))) is None


@pytest.mark.parametrize("method", FEEDLESS)
@pytest.mark.parametrize("body", [b"<p>", b"<html></html>", b"<a href='/'>only</a> <a href='/b'>links</a>", b"<img>"])
def test_pages_without_a_text_are_survived(method: str, body: bytes) -> None:
    picked(method, body, RepeatCounts())
