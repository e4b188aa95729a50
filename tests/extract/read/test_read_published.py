"""Reading a date with learned rules."""

from __future__ import annotations

from datetime import UTC, datetime
from types import MappingProxyType

import pytest

from everlog.core.rules import Rule
from everlog.core.selectors import Finder
from everlog.core.tree import parse
from everlog.extract.fields.published_read import linked_data, read_published, text_of, url_day, url_month
from everlog.extract.fields.small_texts_read import selectors_used
from everlog.markup.view import View


def rule(method: str, where: str = "", confidence: float | None = 1.0, **detail: str) -> Rule:
    return Rule(method=method, where=where, detail=MappingProxyType(detail), confidence=confidence)


def view_of(page: str, *rules: Rule, url: str = "http://a.blog/x", fetched: datetime | None = None) -> View:
    root = parse(page.encode())
    return View(root, url, found=Finder(selectors_used(rules)).find(root), fetched_at=fetched)


def test_the_first_rule_that_finds_a_date_answers() -> None:
    rules = (
        rule("meta", "article:published_time", formats="iso"),
        rule("selector", "p.date", 0.9, formats="d MMMM y|fr", offset="+01:00"),
    )
    answer = read_published(view_of("<p class=date>Le 14 juillet 2012</p>", *rules), rules)
    assert answer is not None
    moment, provenance = answer
    assert moment.isoformat() == "2012-07-14T00:00:00+01:00"
    assert (provenance.method, provenance.rule, provenance.confidence) == ("selector", "p.date", 0.9)
    assert provenance.precision == "day"


def test_an_attribute_is_named_in_the_provenance() -> None:
    rules = (rule("time", "time", attribute="datetime", formats="iso"),)
    answer = read_published(view_of("<time datetime='2012-07-14T10:00:00+02:00'>x</time>", *rules), rules)
    assert answer is not None
    assert answer[0].isoformat() == "2012-07-14T10:00:00+02:00"
    assert (answer[1].rule, answer[1].precision) == ("time@datetime", "minute")


def test_a_page_in_another_format_is_read_freely_where_a_rule_points() -> None:
    rules = (rule("selector", "p.date", formats="d MMMM y|fr", languages="fr en"),)
    answer = read_published(view_of("<p class=date>July 14, 2012</p>", *rules), rules)
    assert answer is not None
    assert answer[0].date().isoformat() == "2012-07-14"


def test_a_page_in_another_language_than_the_feed_is_read_in_its_own() -> None:
    rules = (rule("selector", "p.date", formats="MMMM d, y|en", languages="en"),)
    answer = read_published(view_of("<html lang=de-CH><p class=date>30. Oktober 2023</p>", *rules), rules)
    assert answer is not None
    assert answer[0].date().isoformat() == "2023-10-30"


def test_a_page_without_a_date_gives_none() -> None:
    rules = (
        rule("selector", "p.date", formats="iso"),
        rule("url"),
        rule("selector", "p", label="on", formats="iso"),
    )
    assert read_published(view_of("<p class=date>soon</p>", *rules), rules) is None
    assert read_published(view_of("<p>x</p>"), ()) is None


def test_dates_far_in_the_future_of_fetching_are_passed_over() -> None:
    rules = (rule("selector", "p", formats="iso"),)
    page = "<p>2031-01-01</p><p>2012-07-14</p>"
    answer = read_published(view_of(page, *rules, fetched=datetime(2019, 1, 1, tzinfo=UTC)), rules)
    assert answer is not None
    assert answer[0].year == 2012


def test_the_month_of_the_address_is_the_last_resort() -> None:
    rules = (rule("url", "month", None, formats="iso"), rule("selector", "p", formats="iso"))
    by_month = read_published(view_of("<p>x</p>", *rules, url="http://a.blog/2012/07/x"), rules)
    by_text = read_published(view_of("<p>2012-07-14</p>", *rules, url="http://a.blog/2012/07/x"), rules)
    assert by_month is not None
    assert by_text is not None
    assert (by_month[0].day, by_month[1].precision) == (1, "month")
    assert by_text[0].day == 14


@pytest.mark.parametrize(
    ("url", "day"),
    [
        ("http://a.blog/2012/07/14/x.html", "2012-07-14"),
        ("http://a.blog/2012-07-14-x", "2012-07-14"),
        ("http://a.blog/20120714/x", "2012-07-14"),
        ("http://a.blog/posts/2012/7/4/x", "2012-07-04"),
        ("http://a.blog/2012/07/x", None),
        ("http://a.blog/p/123456789", None),
    ],
)
def test_the_day_of_an_address(url: str, day: str | None) -> None:
    assert url_day(url) == day


def test_an_address_without_a_month_has_none() -> None:
    assert url_month("http://a.blog/about") is None


def test_the_text_of_an_element_leaves_scripts_out() -> None:
    root = parse(b"<p>1 <b>May</b> <script>2 June 2001</script>2012</p>")
    element = root.find("body/p")
    assert element is not None
    assert text_of(element).split() == ["1", "May", "2012"]


def test_broken_json_ld_still_gives_its_dates() -> None:
    page = '<script type="application/ld+json">{"@type": "Article", "datePublished": "2012-07-14", }</script>'
    assert linked_data(view_of(page)) == {"datePublished": ["2012-07-14"]}
    rules = (rule("json-ld", "datePublished", formats="iso"),)
    answer = read_published(view_of(page), rules)
    assert answer is not None
    assert answer[0].isoformat() == "2012-07-14T00:00:00+00:00"


def test_json_ld_that_can_be_read_is_read() -> None:
    page = (
        '<script type="application/ld+json">{"@type": "BlogPosting", "datePublished": "2012-07-14"}</script>'
    )
    assert linked_data(view_of(page)) == {"datePublished": ["2012-07-14"]}


def test_the_last_date_and_the_date_after_a_word_can_be_picked() -> None:
    page = "<h2>Begun 1 May 2011, written 2 June 2012, changed 3 July 2013</h2>"
    last = (rule("selector", "h2", pick="last", formats="d MMMM y|en"),)
    labelled = (rule("selector", "h2", label="written", formats="d MMMM y|en"),)
    by_last = read_published(view_of(page, *last), last)
    by_label = read_published(view_of(page, *labelled), labelled)
    assert by_last is not None
    assert by_label is not None
    assert (by_last[0].year, by_label[0].year) == (2013, 2012)
