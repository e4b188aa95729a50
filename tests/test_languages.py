"""One list of languages: every table of words is of languages on it."""

from __future__ import annotations

from itertools import chain

import pytest

from everlog.comments.stated_counts import counted
from everlog.dates.names import _ALSO, is_known, names_of
from everlog.languages.common_words import _COMMON, _SCRIPTS
from everlog.languages.detect import is_same
from everlog.languages.supported import COMMON_LANGUAGES, LANGUAGES

COMMENTS = {
    "en": "comments", "de": "Kommentare", "fr": "commentaires", "es": "comentarios", "pt": "comentários",
    "it": "commenti", "ru": "комментария", "pl": "komentarze", "nl": "reacties", "tr": "yorum", "cs": "komentáře",
    "uk": "коментарі", "sv": "kommentarer",
}


def test_no_language_is_named_twice():
    assert len(set(LANGUAGES)) == len(LANGUAGES)


@pytest.mark.parametrize("table", [_COMMON, _SCRIPTS, _ALSO], ids=["common words", "scripts", "odd months"])
def test_a_table_of_words_has_no_language_of_its_own(table):
    unknown = {code for code in table if not any(is_same(known, code) for known in LANGUAGES)}
    assert unknown == set()


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_months_of_every_language_are_known(code):
    assert is_known(code)
    names = names_of(code)
    assert names.numbered or set(names.months.values()) == set(range(1, 13))


def test_every_language_of_most_blogs_is_told_by_its_words_and_counts_comments():
    told = set(chain(_COMMON, _SCRIPTS))
    assert {"en", *COMMON_LANGUAGES} - told == set()
    assert {code: counted(f"3 {COMMENTS[code]}") for code in ("en", *COMMON_LANGUAGES)} == dict.fromkeys(COMMENTS, 3)
