"""The article among what is left."""

from __future__ import annotations

from compared_pages import TEXTS, blog, page

from everlog.extract.extractors.diffpost import RepeatCounts, find_article

DESIGN = (
    "<header><a href='/'>My blog</a></header><div id='main'><article><p>{}</p><p>And that was {} I swear.</p>"
    "<p class='share'>Share this</p></article>{more}</div><footer>Made with care</footer>"
)


def pages(more: str = "") -> list:
    return blog(DESIGN.replace("{more}", more))


def found(outline, others):
    pick = find_article(outline, RepeatCounts.learn(others))
    return pick.element.tag, ["".join(drop.itertext()) for drop in pick.drops]


def test_the_article_is_the_element_with_most_of_what_is_left():
    one, *others = pages()
    assert found(one, others) == ("article", ["Share this"])


def test_comments_are_different_on_every_page_and_no_article():
    one, *others = pages("<div id='comments'><p>What a {} that is, and how long I thought about it!</p></div>")
    assert found(one, others) == ("article", ["Share this"])


def test_a_short_article_among_long_comments_is_found():
    comment = "<div class='comment-body'><p>I do not agree with any of this: {} Again: {}</p></div>"
    one, *others = blog(f"<div><div class='text'><p>{{}}</p></div><div id='comments'>{comment * 20}</div></div>")
    assert found(one, others)[0] in {"div", "p"}
    assert find_article(one, RepeatCounts.learn(others)).element.xpath("string()").strip() == TEXTS[0]


def test_the_title_is_not_part_of_the_article():
    body = "<div><h1>The bridge</h1><p>{}</p><h2>Later</h2><p>{} Twice.</p></div>"
    one = page(body.replace("{}", TEXTS[0]), title="The bridge - My blog")
    assert found(one, [page("<p>Menu</p>")]) == ("div", ["The bridge"])


def test_a_greeting_that_some_posts_share_belongs_to_them_and_one_on_every_page_does_not():
    greeted = [f"<div><p>{text}</p><p>See you soon!</p><p>Bye from {text}</p></div>" for text in TEXTS[:2]]
    plain = [f"<div><p>{text}</p><p>Bye from {text}</p></div>" for text in TEXTS[2:5]]
    some = [page(body) for body in (*greeted, *plain)]
    assert "See you soon!" in kept_text(some[0], some[1:])
    assert "See you soon!" not in kept_text(some[0], some[1:2])


def test_lists_of_links_inside_an_article_stay():
    links = "<ul><li><a href='/a'>A book about boats</a></li><li><a href='/b'>Another {}</a></li></ul>"
    one, *others = blog(f"<nav><a href='/'>Home</a></nav><div><p>{{}}</p>{links}<p>So far {{}}</p></div>")
    assert "Another" in kept_text(one, others)


def test_a_box_around_everything_is_no_sidebar_whatever_its_name():
    one, *others = blog("<div class='has sidebar'><p>{}</p><p>Once more: {}</p></div><p>Made with care</p>")
    assert TEXTS[0] in kept_text(one, others)


def test_nothing_is_found_where_nothing_is_left():
    one = page("<nav><a href='/'>Home</a></nav><p>Menu</p>")
    assert find_article(
        one, RepeatCounts.learn([page("<nav><a href='/'>Home</a></nav><p>Menu</p><p>More</p>")]),
    ) is None
    assert find_article(page(""), RepeatCounts()) is None


def kept_text(outline, others) -> str:
    pick = find_article(outline, RepeatCounts.learn(others))
    dropped = {inner for drop in pick.drops for inner in drop.iter()}
    return "".join((e.text or "") + (e.tail or "") for e in pick.element.iter() if e not in dropped)
