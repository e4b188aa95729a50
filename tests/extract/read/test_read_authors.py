from __future__ import annotations

import pytest

from everlog.core.rules import Rule
from everlog.core.selectors import Finder
from everlog.core.tree import parse
from everlog.extract.fields.authors_read import as_name, authors_by, between, read_authors
from everlog.markup.view import View


def view(page: str, *selectors: str) -> View:
    root = parse(page.encode())
    article = next((e for e in root.iter("div") if e.get("id") == "text"), None)
    return View(root, "https://a.blog/x", found=Finder(selectors).find(root), article=article)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ada Lovelace", "Ada Lovelace"),
        (" Ada, ", "Ada"),
        ("ada@example.org (Ada)", "Ada"),
        ("Ada <ada@example.org>", "Ada"),
        ("ada@example.org", "ada"),
        ("https://example.org/ada", None),
        ("this is a sentence that goes on for far too many words", None),
        ("x" * 99, None),
        ("—", None),
        ("元兒～", "元兒～"),
    ],
)
def test_a_text_is_a_name_or_it_is_not(text: str, name: str | None):
    assert as_name(text) == name


def test_the_name_nearest_the_article_is_the_authors():
    page = (
        "<div class=box><b class=author>Other</b></div>"
        "<div><div><b class=author>Ada</b></div><div id=text>words</div></div>"
        "<div id=comments><b class=author>Troll</b></div>"
    )
    assert authors_by(view(page, "b.author"), Rule(method="selector", where="b.author")) == ("Ada",)


def test_an_aside_beside_the_text_is_its_margin_and_one_further_out_is_not():
    rule = Rule(method="selector", where="b.author")
    margin = "<main><div><aside><b class=author>Ada</b></aside><div id=text>words</div></div></main>"
    assert authors_by(view(margin, "b.author"), rule) == ("Ada",)
    sidebar = "<main><div><div id=text>words</div></div></main><aside><b class=author>Ada</b></aside>"
    assert authors_by(view(sidebar, "b.author"), rule) == ()


def test_a_byline_without_its_usual_words_names_nobody():
    assert between("Thanks for reading", {"before": "by "}) is None
    assert between("by Ada", {"before": "by ", "after": " on"}) is None
    assert between("by Ada", {"before": "by ", "after": " on", "after_is": "optional"}) == "Ada"


def test_links_in_comments_are_not_followed_to_an_author():
    rule = Rule(method="link", where="/author/")
    page = "<div id=text>x</div><div class=comments><a href=/author/t/>Troll</a></div>"
    assert authors_by(view(page), rule) == ()
    assert authors_by(view(page + "<p><a href=/author/a/>Ada</a>"), rule) == ("Ada",)


def test_json_ld_may_name_several_people_once_each():
    page = (
        '<script type="application/ld+json">'
        '{"@type": "Article", "author": ["Ada", {"name": "Grace"}, "Ada", 7]}</script>'
    )
    assert authors_by(view(page), Rule(method="json-ld", where="author")) == ("Ada", "Grace")


def test_a_page_that_names_nobody_has_no_authors():
    assert read_authors(view("<p>text"), (Rule(method="meta", where="author"),)) is None


def test_parts_that_a_page_builder_calls_widgets_are_parts_of_the_post():
    rule = Rule(method="selector", where="b.author")
    page = (
        "<body class=has-sidebar><main><div class='el-widget info'><b class=author>Ada</b></div>"
        "<div class=el-widget><div id=text>words</div></div></main></body>"
    )
    assert authors_by(view(page, "b.author"), rule) == ("Ada",)
    assert authors_by(view(page.replace("<div class=el-widget>", "<div>"), "b.author"), rule) == ()


def test_the_lines_at_the_foot_of_a_post_belong_to_it():
    rule = Rule(method="selector", where="b.author")
    page = "<div><div id=text>words</div><div class='post-footer-line'><b class=author>Ada</b></div></div>"
    assert authors_by(view(page, "b.author"), rule) == ("Ada",)


def test_without_an_article_the_first_name_is_taken_and_the_bodys_names_mean_nothing():
    page = "<body class='comments-open'><b class=author>Ada</b><p><b class=author>Bob</b></p></body>"
    assert authors_by(view(page, "b.author"), Rule(method="selector", where="b.author")) == ("Ada",)
