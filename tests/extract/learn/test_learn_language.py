from __future__ import annotations

from small_blog import blog

from everlog.extract.fields.language_learn import learn_language
from everlog.records import Entry, Feed

GERMAN = "<p>" + "Der Regen fiel den ganzen Tag, und wir saßen am Fenster und schauten hinaus. " * 6


def learned(lang: str, feed: str | None, text: str = "") -> list[tuple[str, str]]:
    page = f"<html lang='{lang}'><body>x</body></html>"
    rules = learn_language(
        blog([(Entry(link="", content=text or None), page)] * 3), Feed(url=None, language=feed)
    )
    return [(rule.method, rule.where) for rule in rules]


def test_page_and_feed_that_agree_are_believed_unread():
    assert learned("de", "de-CH") == [("html-lang", ""), ("usual", "de-CH")]


def test_where_page_and_feed_disagree_the_text_decides():
    assert learned("en", "de", GERMAN) == [("usual", "de"), ("html-lang", "")]
    assert learned("de", "en", GERMAN) == [("html-lang", ""), ("usual", "de")]


def test_where_nothing_is_declared_the_text_tells():
    assert learned("", None, GERMAN) == [("usual", "de")]


def test_where_even_the_text_is_missing_each_page_is_to_tell():
    assert learned("", None) == [("detected", "")]


def test_where_they_disagree_without_text_the_majority_holds():
    assert learned("en", "de")[-1][0] == "usual"


def test_english_is_checked_for_engines_declare_it_unasked():
    english = "<p>" + "The rain fell all day, and we sat at the window of the house to look out. " * 6
    assert learned("en", "en-US", english) == [("html-lang", ""), ("usual", "en-US")]
    assert learned("en", "en-US", GERMAN) == [("usual", "de"), ("html-lang", "")]


def test_any_other_language_is_checked_as_well():
    assert learned("fr", "fr", GERMAN) == [("usual", "de"), ("html-lang", "")]


def test_a_declared_language_is_not_changed_for_one_that_is_nearly_the_same():
    croatian = "<p>" + "Cijeli dan je padala kiša, a mi smo sjedili pokraj prozora i gledali ulicu. " * 6
    assert learned("bs", "bs", croatian) == [("html-lang", ""), ("usual", "bs")]
