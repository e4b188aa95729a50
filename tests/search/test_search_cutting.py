from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.search.tokenize import looked_up, pieces, plain, units

# Kana, Han, Hangul and Thai: letters that no folding joins or parts.
UNSPACED = "あいうかきくアイウカキク日本語東京都猫犬山川的我한국어사람กขคงจ"


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Café", "cafe\u0301"), ("STRASSE", "straße"), ("Łódź", "lodz"), ("Ærø", "aero"), ("ＴＯＫＹＯ", "tokyo"),
        ("ﾃｽﾄ", "テスト"), ("йод", "иод"), ("co\u00adoperate", "cooperate"), ("שָׁלוֹם", "שלום"), ("مُحَمَّد", "محمد"),
        ("İzmir", "izmir"), ("ΣΊΣΥΦΟΣ", "σισυφος"), ("②", "2"),
    ],
)
def test_what_a_searcher_takes_for_the_same_is_the_same(text, same):
    assert plain(text) == plain(same)


def test_letters_whose_marks_make_another_letter_keep_them():
    assert plain("がか") == "がか"
    assert plain("한국") == "한국"
    assert plain("कि") != plain("क")


def test_a_text_without_blanks_is_cut_into_pairs_and_its_last_character():
    assert pieces("東京都").split() == ["東京", "京都", "都"]
    assert pieces("猫").split() == ["猫"]
    assert pieces("iPhone手机").split() == ["iphone", "手机", "机"]


def test_signs_part_words_in_every_script():
    assert pieces("«да» “oui”—¿sí").split() == ["да", "oui", "si"]
    assert pieces("ジョン・スミス").split() == ["ジョ", "ョン", "ン", "スミ", "ミス", "ス"]
    assert pieces("हिन्दी भाषा।").split() == ["हिन्दी", "भाषा"]


def test_pictures_are_found_one_by_one():
    assert units("party🎉🎈") == ("party", "🎉🎈")
    assert looked_up(("🎉",)) == (("🎉",), True)


def test_lao_khmer_and_burmese_are_cut_too():
    for text in ("ພາສາລາວ", "ភាសាខ្មែរ", "မြန်မာ"):
        assert len(pieces(text).split()) == len(plain(text))


def test_a_run_inside_a_phrase_ends_where_it_ends():
    assert looked_up(units("東京 tower")) == (("東京", "京", "tower"), False)
    assert looked_up(units("tower 東京")) == (("tower", "東京"), False)
    assert looked_up(units("iphone手")) == (("iphone", "手"), True)


def test_what_becomes_of_a_character_is_the_same_whatever_stands_beside_it():
    assert pieces("أحمد café").split() == [*pieces("أحمد").split(), "cafe"]
    everything = [chr(number) for number in range(0x110000) if not 0xD800 <= number < 0xE000]
    alone = [plain(character) for character in everything]
    # Between characters that nothing joins, in one text that has all there is to be dropped.
    among = plain("\x00".join(everything[1:]) + " é")
    assert among == "\x00".join(alone[1:]) + " e"


@given(st.text())
def test_any_text_can_be_cut_and_its_pieces_are_letters(text):
    for piece in pieces(text).split():
        assert not set(piece) & set("\ue000“”«»…　")
    asked, _ = looked_up(units(text))
    assert all('"' not in piece and " " not in piece for piece in asked)


@given(st.text(UNSPACED + "ab .。", min_size=1), st.data())
def test_what_is_asked_for_stands_among_the_pieces_in_order(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    part = text[start : data.draw(st.integers(start + 1, len(text)))].strip(" .。ab")
    asked, beginning = looked_up(units(part))
    held = pieces(text).replace(".", " ").split()
    if not asked:
        return
    ends = [held[spot : spot + len(asked)] for spot in range(len(held) - len(asked) + 1)]
    fits = str.startswith if beginning else str.__eq__
    assert any(tuple(end[:-1]) == asked[:-1] and fits(end[-1], asked[-1]) for end in ends)
