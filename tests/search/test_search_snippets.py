from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.search.query import MOST_TERMS, ask
from everlog.search.snippets import MORE, WIDTH, Seeker, _folded, _pattern
from everlog.search.tokenize import plain


def marked(query: str, text: str) -> str:
    return "".join(f"[{text}]" if is_marked else text for text, is_marked in Seeker(ask(query)).seek(text).marked())


def snippet(query: str, text: str) -> str:
    return "".join(f"[{text}]" if is_marked else text for text, is_marked in Seeker(ask(query)).seek(text).snippet())


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("night train", "The [Night] [Train] to Łódź"), ('"night train"', "The [Night Train] to Łódź"),
        ("lodz", "The Night Train to [Łódź]"), ("ni*", "The [Night] Train to Łódź"), ("ni", "The Night Train to Łódź"),
        ("rain", "The Night Train to Łódź"), ("author:night", "The Night Train to Łódź"),
        ("title:night -train", "The [Night] Train to Łódź"),
    ],
)
def test_words_are_marked_as_they_are_found(query, shown):
    assert marked(query, "The Night Train to Łódź") == shown


@pytest.mark.parametrize(
    ("query", "shown"),
    [("京都", "東[京都]の猫"), ("猫", "東京都の[猫]"), ("東京都の猫", "[東京都の猫]"), ("東京 都の", "[東京都の]猫")],
)
def test_scripts_without_blanks_are_marked_anywhere(query, shown):
    assert marked(query, "東京都の猫") == shown


def test_marks_stand_right_where_folding_moves_letters():
    assert marked("weiss", "Groß ﬁne cafe\u0301 weiß!") == "Groß ﬁne cafe\u0301 [weiß]!"
    assert marked("cafe", "ß cafe\u0301 x") == "ß [cafe\u0301] x"


def test_a_sign_that_stands_for_several_letters_is_marked_whole():
    assert marked("株", "㈱あ") == "[㈱]あ"
    assert marked("f*", "ﬃx y") == "[ﬃx] y"


def test_marks_that_overlap_are_one():
    assert marked('night "night train" train', "The night train") == "The [night train]"


def test_a_text_may_have_any_number_of_different_characters():
    everything = "".join(map(chr, range(0x20000, 0x3A000))) + " Night"
    assert marked("night", everything) == everything.replace("Night", "[Night]")


def test_texts_are_folded_for_marks_as_they_are_for_the_index():
    everything = "\x00".join(chr(number) for number in (*range(1, 0xD800), *range(0xE000, 0x20000)))
    assert _folded(everything)[0] == plain(everything)
    for text in ("أحمد", "أحمد café", "احمد é"):
        assert marked("أحمد", text) == marked("احمد", text) == text.replace(text[:4], f"[{text[:4]}]")


@pytest.mark.parametrize(
    ("query", "text", "shown"),
    [
        ("tide", "xtide tidex étide tideé ж tide", "xtide tidex étide tideé ж [tide]"),
        ('"tide tide"', "xtide tide tide", "xtide [tide tide]"), ('"a b"', "ab a_b a, b", "ab [a_b] [a, b]"),
        ("ti*", "étide tidé ti", "étide [tidé] [ti]"), ("tide", "手tide机", "手[tide]机"), ("क", "कि क", "कि [क]"),
        ('"iphone 手"', "iPhone手机 xiphone手", "[iPhone手]机 xiphone手"), ('"क 手"', "कि手 क手", "कि手 [क手]"),
        ('"party 🎉"', "party! 🎉 party 🎈🎉", "[party! 🎉] party 🎈🎉"),
    ],
)
def test_no_letter_of_any_script_touches_a_marked_word(query, text, shown):
    assert marked(query, text) == shown


def test_a_pattern_has_no_class_of_all_scripts_in_it():
    [[term]] = ask('"' + "tide " * MOST_TERMS + '"').wanted
    assert len(_pattern(term)) < 10 * MOST_TERMS


def test_a_phrase_of_pictures_among_pictures_is_looked_for_once():
    text = "🎉 " * 2_000
    assert marked('"' + "🎉 " * (MOST_TERMS - 1) + 'x"', text) == text.strip()


def test_a_phrase_may_have_signs_between_its_words():
    assert marked("don't", "I don’t, you don't") == "I [don’t], you [don't]"


def test_the_snippet_shows_most_of_what_was_looked_for():
    text = "train " + "filler " * 200 + "the night train leaves " + "filler " * 200
    shown = snippet("night train", text)
    assert "the [night] [train] leaves" in shown
    assert shown.startswith(MORE + "filler")
    assert shown.endswith("filler" + MORE)
    assert len(shown) < WIDTH + 10


def test_a_snippet_of_chinese_is_half_as_long_and_cut_anywhere():
    shown = snippet("猫", "日" * 500 + "猫" + "月" * 500)
    assert "日[猫]月" in shown
    assert len(shown) == WIDTH // 2 + 4


def test_a_text_without_the_words_shows_its_beginning():
    assert snippet("x", "Once   upon\na time") == "Once upon a time"
    assert snippet("x", "") == ""
    long = snippet("after:2020", "word " * 100)
    assert long.startswith("word word")
    assert long.endswith("word" + MORE)


def test_a_long_word_and_a_phrase_longer_than_a_snippet_do_no_harm():
    assert "[" + "x" * 1000 + "]" in snippet("x" * 1000, "a " * 300 + "x" * 1000 + " b" * 300)


@given(st.text(max_size=400), st.text(min_size=1, max_size=10))
def test_marking_changes_nothing_of_the_text(text, query):
    try:
        seeker = Seeker(ask(query))
    except Exception:  # noqa: BLE001 - other tests look at what is refused
        return
    pieces = seeker.seek(text).marked()
    assert "".join(text for text, _ in pieces) == " ".join(text.split())
    assert all(text for text, _ in pieces)
    shown = "".join(text for text, _ in seeker.seek(text).snippet())
    assert shown.strip(MORE).strip() in " ".join(text.split())
