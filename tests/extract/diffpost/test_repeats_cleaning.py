"""What is left of a page."""

from __future__ import annotations

import numpy as np
import pytest
from compared_pages import TEXTS, blog, left, page
from hypothesis import given
from hypothesis import strategies as st

from everlog.extract.extractors.diffpost import RepeatCounts, clean, clean_pages

DESIGN = "<header><h1>My blog</h1></header><main><p>{}</p></main><aside><h2>About</h2><p>I live by the sea.</p></aside>"


def test_elements_that_another_page_bears_too_are_noise():
    one, *others = blog(DESIGN, 2)
    assert left(one, others) == [TEXTS[0]]


def test_with_nothing_to_compare_with_only_link_lists_go():
    lonely = page("<p>Some text.</p><ul><li><a href='/'>Home</a></li></ul>")
    assert left(lonely, []) == ["Some text."]


def test_whole_elements_count_and_not_lines():
    one = page("<p>Roses are red,\nviolets are blue,\nthis is my post.</p>")
    other = page("<p>Roses are red,\nviolets are blue,\nthis is another.</p>")
    assert left(one, [other]) == ["Roses are red,\nviolets are blue,\nthis is my post."]


def test_the_line_breaks_of_the_source_make_no_difference():
    one, other = page("<p>All rights\n  reserved</p><p>Rain</p>"), page("<p>All rights reserved</p><p>Sun</p>")
    assert left(one, [other]) == ["Rain"]


def test_an_element_that_differs_in_one_part_loses_its_other_parts():
    one = page("<div><ul><li>First month</li><li>Second month</li></ul><p>Rain</p></div>")
    other = page("<div><ul><li>First month</li><li>Third month</li></ul><p>Sun</p></div>")
    assert left(one, [other]) == ["Second month", "Rain"]


def test_the_same_text_in_another_element_is_not_the_same_element():
    one, other = page("<h2>Winter</h2><p>Rain</p>"), page("<p>Winter</p><p>Sun</p>")
    assert left(one, [other]) == ["Winter", "Rain"]


@pytest.mark.parametrize("phrase", ["<em>Great Britain</em>", "<a href='/gb'>Great Britain</a>", "Great Britain"])
def test_a_repeated_phrase_inside_a_unique_paragraph_stays(phrase):
    pages = blog(f"<p>In {phrase} it is said: {{}}</p>")
    assert "Great Britain" in " ".join(left(pages[0], pages[1:]))


def test_a_label_in_a_box_goes_while_the_text_beside_it_stays():
    pages = blog("<div><span>Leave a comment</span> {} and so on until the end of it all</div>", 2)
    assert left(*pages[:1], pages[1:]) == [f"{TEXTS[0]} and so on until the end of it all"]


def test_a_sentence_with_gaps_that_each_page_fills_anew_is_noise():
    line = "<p>Posted on {day} in <a href='/x'>{tag}</a>. You can follow all answers by <a href='/rss'>RSS</a>.</p>"
    one = page(line.format(day="Friday", tag="Boats") + "<p>Rain</p>")
    other = page(line.format(day="Monday", tag="Trees") + "<p>Sun</p>")
    assert left(one, [other]) == ["Rain"]


def test_words_of_code_are_no_such_gaps():
    code = "<pre><b>def</b> {name}<b>(self):</b> <b>return</b> {name}</pre>"
    one, other = page(code.format(name="harbour")), page(code.format(name="bridge"))
    assert "".join(left(one, [other])) == "defharbour(self):returnharbour"


@pytest.mark.parametrize("numbers", [("3", "12"), ("1,024", "7"), ("2009-05-01", "2024-11-30")])
def test_numbers_make_no_difference(numbers):
    one, other = (page(f"<p>{number} comments</p><p>{text}</p>") for number, text in zip(numbers, TEXTS, strict=False))
    assert left(one, [other]) == [TEXTS[0]]


def test_a_number_alone_is_repeated_only_with_the_element_around_it():
    one = page("<table><tr><td>12</td><td>apples</td></tr></table>")
    other = page("<table><tr><td>12</td><td>pears</td></tr></table>")
    assert left(one, [other]) == ["12", "apples"]


@pytest.mark.parametrize(("words_outside", "stays"), [(5, False), (6, True), (7, True)])
def test_an_element_with_less_than_sixty_per_cent_of_its_text_outside_links_goes(words_outside, stays):
    linked = "word " * (10 - words_outside)
    one = page(f"<p>{'text ' * words_outside}<a href='/x'>{linked}</a></p>")
    assert bool(left(one, [])) is stays


@pytest.mark.parametrize(("ratio", "stays"), [(0.0, True), (0.4, True), (0.6, False), (1.0, False)])
def test_how_much_text_must_stand_outside_of_links_can_be_chosen(ratio, stays):
    one = page("<p>text text <a href='/x'>word word</a></p>")
    assert bool(left(one, [], least_outside_links=ratio)) is stays


def test_an_anchor_without_an_address_is_no_link():
    assert left(page("<p><a name='top'>All of this is text.</a></p>"), []) == ["All of this is text."]


def test_a_long_menu_does_not_take_the_short_article_with_it():
    menu = "".join(f"<li><a href='/{place}'>A rather long name of a page</a></li>" for place in range(50))
    assert left(page(f"<div><ul>{menu}</ul><p>Short.</p></div>"), []) == ["Short."]


def test_what_nobody_sees_is_never_kept():
    assert left(page("<script>x()</script><noscript>turn it on</noscript><p> </p><p>Rain</p>"), []) == ["Rain"]


def test_more_pages_find_noise_that_not_every_page_bears():
    often = page(DESIGN.replace("{}", TEXTS[0]) + "<p>Buy my book</p>")
    without, with_it = page(DESIGN.replace("{}", TEXTS[1])), page(DESIGN.replace("{}", TEXTS[2]) + "<p>Buy my book</p>")
    assert left(often, [without]) == [TEXTS[0], "Buy my book"]
    assert left(often, [without, with_it]) == [TEXTS[0]]


def test_with_many_pages_one_of_them_is_not_enough():
    one, *others = blog(DESIGN, 10)
    once = page(f"<p>{TEXTS[0]}</p>")
    assert left(one, [*others, once]) == [TEXTS[0]]
    assert left(one, [*others[:3], page(f"<h6>Other</h6><p>{TEXTS[1]}</p>")]) == [TEXTS[0]]


def test_a_page_does_not_count_against_itself():
    pages = blog(DESIGN)
    assert left(pages[0], pages) == left(pages[0], pages[1:]) == [TEXTS[0]]
    assert left(pages[0], pages[:1]) == left(pages[0], [])


def test_the_same_post_at_another_address_is_no_company():
    one, *others = blog(DESIGN)
    copy = page(DESIGN.replace("{}", TEXTS[0]) + "<p>Printed by nobody</p>")
    assert left(one, [*others, copy]) == [TEXTS[0]]


def test_many_pages_at_once_are_cleaned_as_one_by_one():
    pages = [*blog(DESIGN, 10), page(""), page("<p>12</p>"), *blog("<p>{}</p>", 3)]
    repeats = RepeatCounts.learn(pages[:6])
    together = list(clean_pages(iter(pages), repeats))
    assert len(together) == len(pages)
    for outline, kept in zip(pages, together, strict=True):
        assert np.array_equal(kept, clean(outline, repeats))


MARKUP = st.recursive(
    st.sampled_from(["Menu", "3", "Rain today", "雨が降る", "  ", "Ελλάδα", "\u00a0", "&amp;"]),
    lambda inner: st.builds(
        "<{0}{1}>{2}</{0}>".format,
        st.sampled_from(["p", "div", "li", "span", "a", "pre", "td", "script", "h2", "blink", "section"]),
        st.sampled_from(["", " href='/'", " class='sidebar'", " id='comments'"]),
        st.lists(inner, max_size=4).map("".join),
    ),
    max_leaves=25,
)


@given(st.lists(MARKUP, min_size=1, max_size=5))
def test_whatever_pages_hold_only_shown_text_is_kept_and_more_comparison_never_adds(bodies):
    pages = [page(body) for body in bodies]
    one, others = pages[0], pages[1:]
    bare, compared = (clean(one, RepeatCounts.learn(company)) for company in ([], others))
    assert len(compared) == len(one.segments)
    assert all(one.segments[place].strip() for place in np.flatnonzero(bare))
    assert not (compared & ~bare).any()


@given(st.lists(MARKUP, min_size=2, max_size=5))
def test_the_order_of_the_other_pages_makes_no_difference(bodies):
    one, *others = [page(body) for body in bodies]
    assert np.array_equal(clean(one, RepeatCounts.learn(others)), clean(one, RepeatCounts.learn(others[::-1])))
