from __future__ import annotations

import pytest

from everlog.core.rules import Rule
from everlog.core.tree import parse
from everlog.languages.detect import UNCHECKED, as_language, guess, read_language
from everlog.markup.view import View

GERMAN = (
    "Der Regen fiel den ganzen Tag, und wir saßen am Fenster und schauten auf die leere Straße hinaus. " * 5
)
ENGLISH = (
    "The rain fell all day long, and we sat at the window and looked out into the empty street below. " * 5
)
RULES = (Rule(method="html-lang", confidence=1.0), Rule(method="usual", where="de-DE"))


def view(lang: str, text: str) -> View:
    return View(parse(f"<html lang='{lang}'><body><p>{text}</p></body></html>".encode()), "https://a.blog/x")


RUSSIAN = "Весь день шёл дождь, и мы сидели у окна и смотрели на пустую улицу, по которой никто не проходил. " * 5
CROATIAN = "Cijeli dan je padala kiša, a mi smo sjedili pokraj prozora i gledali praznu ulicu ispred kuće. " * 5
CHINESE = "雨下了一整天，我們坐在窗邊，看著空無一人的街道，誰也沒有說話。" * 5
CODE = "public static void main(String[] args) { for (int i = 0; i < the.length; i++) System.out.println(of[i]); } " * 9
THEME = (Rule(method="html-lang", confidence=1.0), Rule(method="usual", where="en-US"))


def test_a_page_that_declares_the_blogs_language_is_believed_and_the_text_makes_it_sure():
    language, provenance = read_language(view("de-at", GERMAN), RULES)
    assert (language, provenance.method, provenance.confidence) == ("de-AT", "html-lang", 1.0)


def test_a_declaration_that_no_text_bears_out_is_not_wholly_sure():
    language, provenance = read_language(view("de-at", "Kurz."), RULES)
    assert (language, provenance.method, provenance.confidence) == ("de-AT", "html-lang", UNCHECKED)


def test_what_the_text_is_written_in_wins_over_what_the_theme_and_the_blog_declare():
    language, provenance = read_language(view("en-US", RUSSIAN), THEME)
    assert (language, provenance.method) == ("ru", "detected")
    assert 0.9 < provenance.confidence < 1.0


def test_the_region_is_taken_from_whoever_names_the_language_of_the_text():
    rules = (*THEME, Rule(method="meta", where="og:locale", confidence=0.0))
    page = f"<html lang='en-US'><meta property='og:locale' content='ru_RU'><body><p>{RUSSIAN}</p></body></html>"
    language, provenance = read_language(View(parse(page.encode()), "https://a.blog/x"), rules)
    assert (language, provenance.method, provenance.confidence) == ("ru-RU", "meta", 1.0)


@pytest.mark.parametrize("declared", ["hr", "bs", "sr-Latn"])
def test_between_languages_that_are_nearly_the_same_the_page_is_believed(declared: str):
    rules = (Rule(method="html-lang", confidence=1.0), Rule(method="usual", where=declared))
    assert read_language(view(declared, CROATIAN), rules)[0] == declared


def test_a_text_that_is_surely_one_of_two_close_languages_is_not_what_the_theme_says():
    assert read_language(view("en-US", CROATIAN), THEME)[0] in {"hr", "bs", "sr"}


def test_names_alone_do_not_contradict_the_page():
    tools = "Kubernetes <i>Docker</i> Terraform <b>Ansible</b> Prometheus Grafana Jenkins Helm " * 5
    language, provenance = read_language(view("en-US", tools), THEME)
    assert (language, provenance.confidence) == ("en-US", UNCHECKED)


def test_a_text_too_short_to_tell_leaves_the_page_its_word():
    assert read_language(view("en-US", "Дождь."), THEME)[0] == "en-US"


@pytest.mark.parametrize("element", ["pre", "code", "script"])
def test_code_is_in_no_language(element: str):
    page = f"<html lang='en'><body><{element}>{CODE}</{element}><p>{GERMAN}</p></body></html>"
    rules = (Rule(method="html-lang", confidence=1.0), Rule(method="usual", where="en"))
    assert read_language(View(parse(page.encode()), "https://a.blog/x"), rules)[0] == "de"


def test_english_words_and_code_in_the_text_do_not_make_another_script_english():
    rules = (Rule(method="html-lang", confidence=1.0), Rule(method="usual", where="en"))
    assert read_language(view("en", CHINESE + CODE[:400]), rules)[0] == "zh"


def test_where_nobody_says_anything_the_text_tells():
    language, provenance = read_language(view("", RUSSIAN), (Rule(method="detected"),))
    assert (language, provenance.method) == ("ru", "detected")


def test_a_short_text_in_two_scripts_is_not_guessed():
    mixed = "Rain rained. " * 20 + "Шёл дождь весь день. " * 5
    assert read_language(view("en-US", mixed), THEME)[0] == "en-US"


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
