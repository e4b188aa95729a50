"""Two texts beside each other."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from everlog.versions.text_diff import compare_texts, count_words, units_of

WORDS = ["the", "sea", "calm", "wild,", "boat.", "\n", "\n\n", "  ", "世", "界", "हिन्दी", "don't", "😀", "\xa0", ""]
TEXTS = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join))


def marked(old, new):
    return "".join(
        piece.new if piece.same else f"[-{piece.old}-]" * bool(piece.old) + f"{{+{piece.new}+}}" * bool(piece.new)
        for piece in compare_texts(old, new).pieces
    )


@given(TEXTS, TEXTS)
@example("\n", "")
@example("a\u2028b", "a b")
def test_the_pieces_give_both_texts_back(old, new):
    changes = compare_texts(old, new)
    assert "".join(piece.old for piece in changes.pieces) == old
    assert "".join(piece.new for piece in changes.pieces) == new
    assert changes.is_empty == (units_of(old) == units_of(new))
    for piece in changes.pieces:
        assert piece.old or piece.new
        assert not piece.same or units_of(piece.old) == units_of(piece.new)


@pytest.mark.parametrize(("old", "new", "shown"), [
    ("The sea was calm.", "The sea was wild.", "The sea was [-calm-]{+wild+}."),
    ("We slept.", "We slept, all of us.", "We slept{+, all of us+}."),
    ("One.\n\nTwo.\n\nThree.", "One.\n\nThree.", "One.\n\n[-Two.\n\n-]Three."),
    ("今天天气很好。", "今天天气不好。", "今天天气[-很-]{+不+}好。"),
    ("きょうは雨です", "きょうは晴れです", "きょうは[-雨-]{+晴れ+}です"),
    ("हिन्दी भाषा", "हिन्दी भाषाएँ", "हिन्दी [-भाषा-]{+भाषाएँ+}"),
    ("same  words\nhere", "same words here", "same words here"),
])
def test_words_are_compared_one_by_one_in_any_language(old, new, shown):
    assert marked(old, new) == shown


def test_a_rewritten_sentence_is_one_change_and_no_confetti():
    changes = compare_texts(
        "Nobody had expected a storm of such force at this time.", "Every forecast promised a week of sunshine.",
    )
    assert len([piece for piece in changes.pieces if not piece.same]) <= 2


def test_words_are_counted_and_signs_are_not():
    changes = compare_texts("It was cold, wet and dark.", "It was cold and very dark!")
    assert (changes.words_added, changes.words_removed) == (1, 1)
    assert count_words("今天 good — ...") == 3


def test_a_long_text_that_is_changed_everywhere_is_compared_word_by_word():
    old = [" ".join(f"word{number * place % 2_999}" for place in range(50)) for number in range(400)]
    new = [f"{paragraph} indeed" for paragraph in old]
    changes = compare_texts("\n\n".join(old), "\n\n".join(new))
    assert (changes.words_added, changes.words_removed) == (400, 0)
    changes = compare_texts(" ".join(old), " ".join(new))
    assert (changes.words_added, changes.words_removed) == (400, 0)


def test_the_same_line_a_hundred_thousand_times_is_no_trouble():
    changes = compare_texts("x\n" * 100_000, "y\n" + "x\n" * 99_000)
    assert changes.words_added >= 1
