from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.errors import EverlogError, UsageError
from everlog.search.query import MOST_TERMS, Query, ask


def wanted(text: str) -> list[list[tuple[str | None, str]]]:
    return [[(term.field, " ".join(term.units)) for term in choice] for choice in ask(text).wanted]


def unwanted(text: str) -> list[tuple[str | None, str]]:
    return [(term.field, " ".join(term.units)) for term in ask(text).unwanted]


def test_words_are_all_wanted():
    assert wanted("Night  TRAIN") == [[(None, "night")], [(None, "train")]]


@pytest.mark.parametrize("text", ['"night train"', "“night train”", "„Night Train“", "«night train»"])
def test_a_phrase_is_one_thing_in_any_quotes(text):
    assert wanted(text) == [[(None, "night train")]]


def test_a_word_with_signs_in_it_is_a_phrase():
    assert wanted("don't well-known") == [[(None, "don t")], [(None, "well known")]]


@pytest.mark.parametrize("field", ["title", "author", "tag", "blog"])
def test_a_field_takes_a_word_or_a_phrase_in_either_colon(field):
    assert wanted(f'{field}:ada {field.upper()}:"Ada Vale" {field}：vale') == [
        [(field, "ada")], [(field, "ada vale")], [(field, "vale")],
    ]


def test_the_address_of_a_blog_is_taken_without_its_scheme():
    assert wanted("blog:https://a.example/x/") == wanted("blog:a.example/x") == [[("blog", "a example x")]]


@pytest.mark.parametrize("text", ["tide -winter", "tide NOT winter", "-winter tide", "NOT winter tide"])
def test_what_is_not_wanted(text):
    assert wanted(text) == [[(None, "tide")]]
    assert unwanted(text) == [(None, "winter")]


def test_fields_and_phrases_can_be_unwanted_too():
    assert unwanted('-author:ada -"night train" NOT tag:rain') == [
        ("author", "ada"), (None, "night train"), ("tag", "rain"),
    ]


def test_or_ties_its_neighbours():
    assert wanted("tide flood OR ebb OR spring moon") == [
        [(None, "tide")], [(None, "flood"), (None, "ebb"), (None, "spring")], [(None, "moon")],
    ]
    assert wanted("author:ada OR author:bo") == [[("author", "ada"), ("author", "bo")]]


@pytest.mark.parametrize("word", ["OR", "AND", "NOT", "or", "not", '"OR"'])
def test_a_tie_with_nothing_to_tie_is_a_word(word):
    assert wanted(word) == [[(None, word.strip('"').lower())]]
    assert wanted(f"tide AND {word.lower()}") == [[(None, "tide")], [(None, word.strip('"').lower())]]


def test_a_star_leaves_the_end_of_a_word_open():
    [[term]] = ask("trai*").wanted
    assert (term.units, term.beginning) == (("trai",), True)
    [[quoted]] = ask('"trai*"').wanted
    assert not quoted.beginning


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("after:2023", (2023, 1, 1), None), ("before:2024-05", None, (2024, 5, 1)),
        ("after:2023-2-3 before:2024/05/31", (2023, 2, 3), (2024, 5, 31)),
        ('after:"2023"', (2023, 1, 1), None), ("-before:2023", (2023, 1, 1), None),
        ("after:2023 after:2024 before:2030 before:2026", (2024, 1, 1), (2026, 1, 1)),
    ],
)
def test_dates_are_days_months_or_years(text, since, until):
    query = ask(text)
    assert query.since == (since and datetime(*since, tzinfo=UTC))
    assert query.until == (until and datetime(*until, tzinfo=UTC))


@pytest.mark.parametrize("text", ["before:soon", "after:2024-13", "before:2024-02-30", "after:0000", "before:20240501"])
def test_what_is_no_date_says_what_one_looks_like(text):
    with pytest.raises(UsageError, match=r"is not a date\n  write (before|after):2024, ") as refused:
        ask(text)
    assert refused.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ('"night train', "night|train"), ('night" train', "night|train"), ("foo:bar", "foo bar"),
        ("https://a.example/x?y=z", "https a example x y z"), ("author: ada", "author|ada"), ("(a OR", "a"),
        ("NEAR(a b)", "near a|b"), ("{title} : x", "title|x"), ("^a", "a"), ("a + b", "a|b"), ("a;drop", "a drop"),
    ],
)
def test_what_means_nothing_here_is_text(text, units):
    assert "|".join(" ".join(term.units) for choice in ask(text).wanted for term in choice) == units


@pytest.mark.parametrize("text", ["", "  ", '"', '""', "!!!", "-", "--", "***", 'author:"" -!'])
def test_nothing_to_look_for_is_an_error_with_advice(text):
    with pytest.raises(UsageError, match="\n  pass a word"):
        ask(text)


def test_too_many_words_are_refused():
    with pytest.raises(UsageError, match="too many"):
        ask(" ".join(f"w{number}" for number in range(MOST_TERMS + 1)))


def test_the_words_of_a_phrase_count():
    assert len(ask('"' + "tide " * MOST_TERMS + '"').wanted[0][0].units) == MOST_TERMS
    for text in ('"' + "tide " * (MOST_TERMS + 1) + '"', "tide-" * (MOST_TERMS + 1), "-" + "a:" * 100_000):
        with pytest.raises(UsageError, match="too many words\n  search for at most"):
            ask(text)


@pytest.mark.parametrize(
    ("text", "culprit"),
    [
        ("tide OR before:2020", "before:2020"), ("before:2020 OR tide", "before:2020"), ("tide OR -winter", "-winter"),
        ("-winter OR tide", "-winter"), ("tide OR NOT winter", "-winter"), ('tide OR -tag:"a b" x', '-tag:"a b"'),
        ("tide -winter OR flood", "-winter"), ("a OR b OR after:2020", "after:2020"), ("a OR ! -b", "-b"),
    ],
)
def test_or_beside_what_holds_for_the_whole_query_is_refused_with_advice(text, culprit):
    with pytest.raises(UsageError, match=f"OR cannot be combined with {culprit}, .*\n  leave out OR to require both"):
        ask(text)


def test_dates_and_what_is_not_wanted_may_stand_elsewhere():
    assert wanted("-winter tide OR flood before:2020") == [[(None, "tide"), (None, "flood")]]
    assert wanted('tide "OR" -winter') == [[(None, "tide")], [(None, "or")]]


def test_signs_between_do_not_loosen_an_or():
    assert wanted("tide OR ( flood )") == [[(None, "tide"), (None, "flood")]]


@given(st.text() | st.text('abc"-:* ORANDtileuhg2024猫', max_size=40))
def test_any_text_is_a_query_or_an_error_of_ours(text):
    try:
        found = ask(text)
    except EverlogError as error:
        found = error
    assert isinstance(found, Query) or found.advice
