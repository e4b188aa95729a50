"""Extraction rules as the BlogForever crawler learns them."""

from __future__ import annotations

import pytest
from lxml import etree

from everlog.extract.extractors.blogforever import Target, best_node, best_rule, first_match, rule_of

POST = """<html><head><title>{title} - Blog</title></head><body>
  <div class="menu">Jane Doe &middot; About</div>
  <div id="content">
    <h1 class="title">{title}</h1>
    <div class="entry">{text}</div>
    <p class="meta">by <a class="fn">Jane Doe</a> on <span>3 May 2014</span></p>
  </div>
  <div class="entry">A comment by <a class="fn">Jane Doe</a>, 4 May 2014</div>
</body></html>"""


def post(title, text):
    return etree.HTML(POST.format(title=title, text=text))


PAIRS = [(post(f"Post {place}", text), text) for place, text in enumerate(
    ["The quick brown fox.", "Jumps over lazy dogs.", "Sphinx of black quartz."])]


def test_the_rule_that_is_best_on_most_pages_is_the_rule_of_the_blog():
    strange = (etree.HTML("<p id='x'>Something else entirely</p>"), "Something else entirely")
    assert best_rule([strange, *PAIRS]) == "//*[@class='entry']"


def test_a_rule_denotes_the_first_node_it_matches():
    page = etree.HTML("<p class='a'>first</p><p class='a'>Some words</p><div><p>Some words</p></div>")
    assert best_node(page, "Some words") is page.find(".//div")
    assert first_match(page, "//*[@class='a']").text == "first"


def test_of_equally_good_nodes_the_outermost_is_taken():
    page = etree.HTML("<div id='outer'><div id='inner'><p>Some words</p></div></div>")
    assert best_node(page, "Some words").tag == "html"


def test_an_author_is_found_near_the_article():
    page = PAIRS[0][0]
    article = best_node(page, PAIRS[0][1])
    rule = best_rule([(page, Target(texts=("Jane Doe",), near=article))])
    assert first_match(page, rule) is page.find(".//p/a")


def test_a_date_is_found_by_the_best_of_its_renderings():
    page = PAIRS[0][0]
    article = best_node(page, PAIRS[0][1])
    renderings = ("2014-05-03", "May 3rd, 2014", "3 May 2014")
    assert best_node(page, Target(texts=renderings, near=article)) is page.find(".//p/span")


def test_a_page_that_has_nothing_of_the_text_has_no_rule():
    assert best_node(PAIRS[0][0], "ξ ψ ω") is None
    assert best_node(PAIRS[0][0], Target(texts=())) is None
    assert best_rule([(PAIRS[0][0], "ξ ψ ω")]) is None


@pytest.mark.parametrize("name", ["it's", 'say "x"', """it's "x" and 'y'""", "plain", "日記"])
def test_names_with_quotes_are_quoted_safely(name):
    page = etree.HTML("<div><p>text</p></div>")
    page.find(".//p").set("class", name)
    assert first_match(page, rule_of(page.find(".//p"))) is page.find(".//p")


def test_every_node_without_a_name_has_a_path_that_finds_it():
    page = etree.HTML("<div><o:p>a</o:p><p>b</p>c<o:p>d</o:p><p>e<i>f</i></p><!-- g --></div><div><p>h</p>")
    for node in page.iter("*"):
        assert first_match(page, rule_of(node)) is node


def test_a_blank_id_is_no_name():
    page = etree.HTML("<div id=' ' class='post'>text</div>")
    assert rule_of(page.find(".//div")) == "//*[@class='post']"


def test_a_rule_that_matches_nothing_denotes_nothing():
    assert first_match(PAIRS[0][0], "//*[@id='nowhere']") is None


def test_a_path_too_long_for_xpath_denotes_nothing():
    root = node = etree.Element("div")
    for _ in range(5000):
        node = etree.SubElement(node, "div")
    assert first_match(root, rule_of(node)) is None
