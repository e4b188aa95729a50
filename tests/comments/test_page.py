from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from everlog.comments.comment_hints import Hints, PageNames, hints_of
from everlog.comments.comment_markup import Markup
from everlog.comments.comment_rules import CommentRule, CommentRules
from everlog.comments.css import Selection
from everlog.comments.known_engines import read_known
from everlog.comments.page_comments import read_comments
from everlog.core.rules import Rule
from everlog.core.tree import parse
from everlog.extract.article.article_read import Design
from everlog.extract.template import Template
from everlog.records import Post

URL = "https://a.org/2019/rain/"
ENGINES = Path(__file__).parent / "engines"
ARTICLE = "<div class=entry><h1>Rain</h1><p>It rains all day, and nobody minds. The roof is new.</p></div>"
LEARNED = CommentRules(
    ranked=(
        CommentRule(
            markup=Markup(name="page", comment="div.talk", text="div.words", author="b", date="i", cut=("a.answer",)),
            confidence=0.98,
        ),
    ),
)


def talk(author: str, text: str, day: int = 1) -> str:
    return (
        f"<div class=talk id=t{day}><b>{author}</b> <i>{day} March 2019</i>"
        f"<div class=words><p>{text}</p><a class=answer href=#>Answer</a></div></div>"
    )


def wordpress(*texts: str, heading: str = "") -> str:
    items = "".join(
        f'<li class="comment depth-1" id="comment-{at}"><cite class="fn">Ada</cite><div class="comment-meta">'
        f'<a href="#comment-{at}">March {at}, 2019 at 10:00</a></div>'
        f'<div class="comment-content"><p>{text}</p></div></li>'
        for at, text in enumerate(texts, 1)
    )
    return f'<div id="comments"><h3>{heading}</h3><ol class="commentlist">{items}</ol></div>'


def template(rules: CommentRules | None = None) -> Template:
    places = (Rule(method="selector", where="div.entry"),)
    return Template(designs=(Design(places=places, method="selector", confidence=1.0),), comments=rules)


def read(body: str, rules: CommentRules | None = None) -> Post:
    post = template(rules).read(f"<html><body>{body}</body></html>".encode(), URL)
    assert isinstance(post, Post)
    return post


def test_learned_rules_read_what_no_engine_writes():
    body = ARTICLE + talk("Ada", "It will stop.") + talk("Bob", "It never does.", 2)
    post = read(body, LEARNED)
    assert [(comment.author, comment.text) for comment in post.comments] == [
        ("Ada", "It will stop."), ("Bob", "It never does."),
    ]
    assert post.comments[1].published == datetime(2019, 3, 2, tzinfo=UTC)
    assert (post.comments_state, post.comment_count_claimed) == ("complete", None)
    found = post.provenance["comments"]
    assert (found.method, found.rule, found.confidence) == ("learned", "div.talk", 0.98)
    assert read(body).comments == ()


def test_known_markup_is_read_without_any_rules():
    post = read(ARTICLE + wordpress("It will stop.", "It never does.", heading="2 Comments"))
    assert [comment.text for comment in post.comments] == ["It will stop.", "It never does."]
    assert (post.comments_state, post.comment_count_claimed) == ("complete", 2)
    assert post.provenance["comments"].method == "known"


def test_pages_of_an_older_design_are_read_by_known_markup_though_rules_were_learned():
    assert read(ARTICLE + wordpress("It will stop."), LEARNED).provenance["comments"].method == "known"


def test_fewer_comments_than_stated_are_a_part_of_them():
    post = read(ARTICLE + wordpress("It will stop.", heading="3 Comments"))
    assert (len(post.comments), post.comments_state, post.comment_count_claimed) == (1, "partial", 3)


def test_no_comments_is_a_state_of_its_own_whatever_is_stated():
    assert (read(ARTICLE).comments_state, read(ARTICLE).comment_count_claimed) == ("none", None)
    stated = read(ARTICLE + "<div id=comments><h3>4 Comments</h3></div>")
    assert (stated.comments, stated.comments_state, stated.comment_count_claimed) == ((), "none", 4)
    assert "comments" not in stated.provenance


def test_repeated_structure_is_read_where_the_page_counts_comments_and_nothing_else_reads_them():
    said = "".join(
        f"<div><b>{name}</b> <i>{day} March 2019</i><p>{text}</p></div>"
        for day, name, text in ((1, "Ada", "It will stop, I am sure."), (2, "Bob", "It never does, here at least."))
    )
    post = read(f"{ARTICLE}<div class='comments-box'><h3>2 Comments</h3>{said}</div>")
    assert [comment.author for comment in post.comments] == ["Ada", "Bob"]
    assert post.provenance["comments"].method == "repeated"


def test_comments_inside_the_articles_element_are_no_part_of_the_article():
    inside = "<div class=entry><p>It rains all day, and nobody minds.</p>" + wordpress("It will stop.") + "</div>"
    post = read(inside)
    assert [comment.text for comment in post.comments] == ["It will stop."]
    assert "It rains all day" in post.text
    assert "It will stop" not in post.text
    assert "It will stop" not in post.html
    assert "Ada" not in post.text


def test_what_holds_the_article_is_no_comment():
    post = read(f'<div class="comment" id="comment-9"><cite class="fn">Ada</cite>{ARTICLE}</div>')
    assert post.comments == ()
    assert "It rains all day" in post.text
    everything = Markup(name="page", comment="div", text="p", author="b")
    rules = CommentRules(ranked=(CommentRule(markup=everything, confidence=1),))
    post = read(ARTICLE + talk("Ada", "It will stop."), rules)
    assert all("It rains" not in comment.text for comment in post.comments)
    assert "It rains all day" in post.text


def test_listings_with_comments_in_their_code_are_no_comments():
    code = "<pre><span class='comment'># 2019-03-01 by Ada</span>\nx = 1\n<span class=comment># y</span></pre>"
    post = read(f"<div class=entry><p>It rains all day.</p>{code}</div><div class=comment-form></div>")
    assert post.comments == ()
    assert "# 2019-03-01 by Ada" in post.text


def test_a_link_from_another_blog_is_kept_and_counted_where_only_its_title_is_shown():
    ping = '<li class="pingback" id="comment-3"><p>Pingback: <a href="http://b.org/" class=url>More rain</a></p></li>'
    page = wordpress("It will stop.", heading="2 Comments").replace("</ol>", ping + "</ol>")
    post = read(ARTICLE + page)
    found = [(comment.author, comment.text) for comment in post.comments]
    assert found == [("Ada", "It will stop."), ("More rain", "")]
    assert (post.comments_state, post.comment_count_claimed) == ("complete", 2)


def test_links_from_other_blogs_are_kept_where_the_rules_of_the_blog_know_comments_only():
    ping = '<li class="pingback" id="comment-3"><p>Pingback: <a href="http://b.org/" class=url>More rain</a></p></li>'
    page = wordpress("It will stop.", heading="2 Comments").replace('<li class="comment', ping + '<li class="comment')
    learned = Markup(name="page", comment="li.comment", text="p", author="cite.fn")
    post = read(ARTICLE + page, CommentRules(ranked=(CommentRule(markup=learned, confidence=1),)))
    found = [(comment.author, comment.author_url, comment.text) for comment in post.comments]
    assert found == [("More rain", "http://b.org/", ""), ("Ada", None, "It will stop.")]
    assert "More rain" not in post.text


@pytest.mark.parametrize("place", ["replies", "post-discussion"])
def test_answers_in_a_place_of_another_name_are_read_where_its_heading_counts_them(place):
    said = "".join(
        f"<div class=reply><b>{name}</b> <i>3 May 2024</i><div class=said><p>{text}</p></div></div>"
        for name, text in (("Ada", "It will stop."), ("Bo", "It never did before."))
    )
    page = f"<html><body>{ARTICLE}<div id={place}><h3>2 replies</h3>{said}</div></body></html>"
    post = template().read(page.encode(), URL)
    assert [(comment.author, comment.text) for comment in post.comments] == [
        ("Ada", "It will stop."), ("Bo", "It never did before."),
    ]
    assert (post.comment_count_claimed, post.comments_state) == (2, "complete")


def test_an_answer_that_is_counted_and_not_found_is_known_to_be_missing():
    page = f"<html><body>{ARTICLE}<div id=replies><h3>1 reply</h3><p>It will stop. <b>Ada</b></div></body></html>"
    post = template().read(page.encode(), URL)
    assert (post.comments, post.comment_count_claimed) == ((), 1)


def test_what_a_browser_drew_of_a_service_is_read_from_a_rendered_page():
    frame = (
        '<div id="disqus_thread"><iframe src="https://disqus.com/embed/comments/?base=default"></iframe>'
        '<template data-everlog-frame="https://disqus.com/embed/comments/?base=default">'
        '<ul id="post-list" class="post-list"><li class="post" id="post-7">'
        '<div data-role="post-content" class="post-content">'
        '<span class="post-byline"><span class="author publisher-anchor-color"><a>Ada</a></span></span>'
        '<a class="time-ago" title="Friday, March 1, 2019 10:00 AM" href="https://a.org/#comment-7">ago</a>'
        '<div class="post-message"><p>It will stop.</p></div></div></li></ul></template></div>'
    )
    page = f'<html data-everlog-rendered="settled"><body>{ARTICLE}{frame}</body></html>'
    post = template().read(page.encode(), URL)
    assert [comment.text for comment in post.comments] == ["It will stop."]
    assert (post.provenance["comments"].method, post.provenance["comments"].rule) == ("service", "disqus")


def test_what_a_service_drew_into_the_articles_element_is_no_part_of_the_article():
    isso = (
        '<section id="isso-thread"><div id="isso-root"><div class="isso-comment" id="isso-7">'
        '<div class="isso-text-wrapper">'
        '<span class="isso-author">Ada</span><time datetime="2019-03-01T10:00:00Z"></time>'
        '<div class="isso-text"><p>It will stop.</p></div></div></div></div></section>'
    )
    inside = f"<div class=entry><p>It rains all day, and nobody minds.</p>{isso}</div>"
    script = '<script data-isso="//isso.a.org/" src="//isso.a.org/js/embed.min.js"></script>'
    page = f'<html data-everlog-rendered="settled"><body>{inside}{script}</body></html>'
    post = template().read(page.encode(), URL)
    assert [comment.text for comment in post.comments] == ["It will stop."]
    assert post.text == "It rains all day, and nobody minds."


@pytest.mark.parametrize("file", sorted(ENGINES.glob("*.html")), ids=lambda file: file.stem)
def test_the_first_look_misses_no_engine(file):
    page = file.read_bytes()
    known = read_known(parse(page), URL)
    reading = read_comments(parse(page), URL)
    assert hints_of(None).may_be_in(page)
    assert reading.thread.comments == known.comments
    assert reading.claimed == known.claimed


@pytest.mark.parametrize(
    ("body", "speaks"),
    [
        (b'<p class="x">no comment', False),
        (b"<div id=comments>", True),
        (b"comment comment < comment", True),
        (b"comment > comment", False),
        ("<p id=comments>".encode("utf-16"), True),
    ],
)
def test_bytes_tell_whether_a_tag_speaks_of_comments(body, speaks):
    assert Hints(["li.comment"]).may_be_in(body) is speaks


def test_a_blogs_own_names_are_looked_for_as_well():
    hints = hints_of(LEARNED)
    root = parse(talk("Ada", "It will stop.").encode())
    assert hints.may_be_in(b"<p>")
    assert PageNames(root, hints.named(Selection(root).marked)).meet("div.talk")
    assert not PageNames(root, hints.named(Selection(root).marked)).meet("ol.talk > li.comment")
    assert hints_of(None).named(Selection(root).marked) == []


def test_a_selector_without_names_may_find_something_anywhere():
    root = parse(b"<div class=comments><p>x</div>")
    hints = Hints(["main > section"])
    assert hints.are_met(root, PageNames(root, hints.named(Selection(root).marked)))
