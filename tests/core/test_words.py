from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.core.words import comparable, fold, is_unspaced, squeeze, words

plain = st.text(st.sampled_from("aZ9_ ,.'!éßÜжЯλ世界ทかᄀ한-—“”\n\t"), max_size=40)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("  \n ", []),
        ("Don't panic", ["don", "t", "panic"]),
        ("snake_case stays one", ["snake_case", "stays", "one"]),
        ("Straße, STRASSE", ["strasse", "strasse"]),
        ("ﬁne ①", ["fine", "1"]),
        ("Это — тест", ["это", "тест"]),
        ("“quoted” words", ["quoted", "words"]),
        ("x × y", ["x", "y"]),
    ],
)
def test_words_are_folded_and_without_signs(text, found):
    assert words(text) == found


@pytest.mark.parametrize("text", ["世界", "かな", "한국", "ไทย"])
def test_each_character_of_a_script_without_spaces_is_a_word(text):
    assert words(text) == list(text)


def test_letters_beside_such_characters_stay_whole():
    assert words("Python入門2024年") == ["python", "入", "門", "2024", "年"]


@given(plain, plain)
def test_words_do_not_depend_on_what_stands_beside_them(one, other):
    assert words(f"{one} {other}") == words(one) + words(other)


@given(plain)
def test_folding_twice_is_folding_once(text):
    assert fold(fold(text)) == fold(text)


@given(plain)
def test_words_have_no_blanks_and_no_upper_case(text):
    for word in words(text):
        assert word == fold(word)
        assert not any(map(str.isspace, word))


def test_a_few_foreign_characters_do_not_make_a_text_unspaced():
    assert not is_unspaced("A post about 漢字 and how to write them well")
    assert is_unspaced("PythonでHTMLを読む方法について書きます")
    assert not is_unspaced("")
    assert not is_unspaced("12345 !?")


def test_squeezing_leaves_single_blanks():
    assert squeeze("\t one\n\n two\u00a0three ") == "one two three"


def test_short_texts_compare_without_case_and_signs():
    assert comparable("Hello_World!") == comparable("hello,  WORLD")
    assert comparable("Hello") != comparable("Help")


@pytest.mark.parametrize("text", ["שָׁלוֹם", "مَرحَبا", "դա՞", "а҃б"])
def test_words_do_not_depend_on_the_company_they_keep(text):
    assert words(text + " €") == words(text)
