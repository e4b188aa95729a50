from __future__ import annotations

import pytest

from everlog.reading.language import as_language, guess, read_language
from everlog.reading.view import View
from everlog.rules import Rule
from everlog.tree import parse

GERMAN = (
    "Der Regen fiel den ganzen Tag, und wir saßen am Fenster und schauten auf die leere Straße hinaus. " * 5
)
ENGLISH = (
    "The rain fell all day long, and we sat at the window and looked out into the empty street below. " * 5
)
RULES = (Rule(method="html-lang", confidence=1.0), Rule(method="usual", where="de-DE"))


def view(lang: str, text: str) -> View:
    return View(parse(f"<html lang='{lang}'><body><p>{text}</p></body></html>".encode()), "https://a.blog/x")


def test_a_page_that_declares_the_blogs_language_is_believed():
    language, provenance = read_language(view("de-at", ""), RULES)
    assert (language, provenance.method, provenance.confidence) == ("de-AT", "html-lang", 1.0)


def test_a_page_in_another_language_that_says_so_is_believed_if_its_text_agrees():
    assert read_language(view("en", ENGLISH), RULES)[0] == "en"


def test_a_wrong_declaration_gives_way_to_the_blogs_language():
    language, provenance = read_language(view("en", GERMAN), RULES)
    assert (language, provenance.method) == ("de-DE", "usual")


def test_a_text_in_neither_language_is_what_it_is():
    language, provenance = read_language(view("fr", ENGLISH), RULES)
    assert (language, provenance.method) == ("en", "detected")


def test_short_texts_are_not_guessed():
    assert guess("Hallo") is None


def test_nothing_learned_and_nothing_said_is_no_language():
    assert read_language(view("", ""), (Rule(method="html-lang"),)) is None


@pytest.mark.parametrize("value", [None, 3, "", "english", "x"])
def test_what_is_not_a_language_tag_is_none(value: object):
    assert as_language(value) is None


def test_json_ld_and_meta_elements_declare_languages_too():
    page = (
        '<meta property="og:locale" content="pt_BR">'
        '<script type="application/ld+json">{"@type": "Article", "inLanguage": "pt"}</script>'
    )
    seen = View(parse(page.encode()), "")
    assert read_language(seen, (Rule(method="meta", where="og:locale"),))[0] == "pt-BR"
    assert read_language(seen, (Rule(method="json-ld", where="inLanguage"),))[0] == "pt"


def test_only_the_beginning_of_a_long_text_is_looked_at():
    long = "".join(f"<p>{ENGLISH}</p>" for _ in range(40))
    assert read_language(view("fr", long), RULES)[0] == "en"
