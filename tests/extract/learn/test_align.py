from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from everlog.extract.article import align as room
from everlog.extract.article.align import align, gathered, without_chance

if TYPE_CHECKING:
    from numpy.typing import NDArray

texts = st.lists(st.integers(0, 6), max_size=40)


def numbers(values: list[int]) -> NDArray[np.int32]:
    return np.array(values, np.int32)


def marked(page: str, feed: str) -> str:
    """The page's words that the feed's text marks."""
    spoken = page.split()
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys([*spoken, *feed.split()]))}
    marks = align(numbers([vocabulary[w] for w in spoken]), numbers([vocabulary[w] for w in feed.split()]))
    return " ".join(word if mark else "." for word, mark in zip(spoken, marks, strict=True))


def is_subsequence(part: list[int], whole: list[int]) -> bool:
    rest = iter(whole)
    return all(any(value == other for other in rest) for value in part)


@given(texts, texts)
def test_the_marked_words_stand_in_the_feed_in_the_same_order(page, feed):
    marks = align(numbers(page), numbers(feed))
    assert is_subsequence([word for word, mark in zip(page, marks, strict=True) if mark], feed)


@given(st.lists(st.integers(0, 100), min_size=3, max_size=40))
def test_a_page_that_is_the_feeds_text_is_marked_whole(words):
    assert align(numbers(words), numbers(words)).all()


@given(texts)
def test_nothing_is_marked_without_a_text(page):
    assert not align(numbers(page), numbers([])).any()
    assert not align(numbers([]), numbers(page)).any()


@given(st.lists(st.booleans(), max_size=40))
def test_chance_only_takes_marks_away(bits):
    marks = np.array(bits, np.bool_)
    assert not (without_chance(marks) & ~marks).any()


@given(texts, st.lists(st.booleans(), max_size=40))
def test_gathering_keeps_the_words_that_are_marked(page, bits):
    page = page[:len(bits)]
    marks = np.array(bits[:len(page)], np.bool_)
    moved = gathered(numbers(page), marks)
    assert [w for w, m in zip(page, moved, strict=True) if m] == [w for w, m in zip(page, marks, strict=True) if m]


def test_design_around_the_text_is_not_marked():
    assert marked("home about the red fox ran home share", "the red fox ran home") == ". . the red fox ran home ."


def test_words_inserted_into_the_text_are_not_marked():
    assert marked("the red fox ADVERT ran home today", "the red fox ran home today") == "the red fox . ran home today"


def test_a_word_far_from_all_others_is_chance():
    page = "the menu of this blog is long and the red fox ran home"
    assert marked(page, "the red fox ran home") == ". . . . . . . . the red fox ran home"


def test_short_texts_are_found_although_they_are_shorter_than_chance():
    assert marked("home blog hello world footer", "hello world") == ". . hello world ."


def test_headings_are_marked_where_they_stand_not_in_the_table_of_contents():
    contents = "intro part one part two"
    text = "intro alpha beta gamma delta part one epsilon zeta eta theta part two iota kappa lambda mu"
    assert marked(f"contents {contents} end of list now {text}", text) == f"{'. ' * 10}{text}"


def test_enormous_texts_are_marked_by_their_three_word_sequences(monkeypatch):
    monkeypatch.setattr(room, "MAX_CELLS", 10)
    page = "x the red fox ran y home the z fox ran"
    assert marked(page, "the red fox ran home") == ". the red fox ran . home . . . ."
