from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from everlog.comments.comment_markup import read_marked
from everlog.comments.comment_rules import CommentRules
from everlog.comments.learn.comment_rules_learn import learn_comments
from everlog.comments.page_comments import read_comments
from everlog.core.tree import parse
from everlog.records import Comment

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WORDS = (
    "harbour", "window", "yellow", "mountain", "paper", "silver", "bread", "engine", "carpet", "winter", "garden",
    "pocket", "island", "mirror", "thunder", "candle", "bridge", "ladder", "orange", "whistle",
)
NAMES = ("Ada Lovelace", "Bob", "Chloé Petit", "Dmitri", "Eve Ng")
START = datetime(2019, 3, 1, 10, 30, tzinfo=UTC)


@dataclass(frozen=True)
class Said:
    """A comment as the blog knows it."""

    id: int
    author: str
    text: str
    moment: datetime
    parent: int | None = None


def said(post: int, count: int) -> list[Said]:
    """Comments of one or two paragraphs; every fourth answers the one before."""
    made = []
    for at in range(count):
        number = post * 100 + at
        words = [WORDS[(number * 7 + step * (3 + number % 5)) % len(WORDS)] for step in range(6 + number % 9)]
        text = f"Comment {number}: " + " ".join(words) + ("\n\nAnd a second " + words[0] if at % 3 == 1 else "")
        parent = number - 1 if at % 4 == 3 else None
        made.append(Said(number, NAMES[number % 5], text, START + timedelta(days=number), parent))
    return made


def told(comments: Sequence[Said], limit: int = 10) -> tuple[Comment, ...]:
    """What the post's comment feed says of them: the newest."""
    return tuple(
        Comment(
            id=str(each.id), author=each.author, published=each.moment, text=each.text,
            html="".join(f"<p>{line}</p>" for line in each.text.split("\n\n")), source="feed",
        )
        for each in comments[-limit:]
    )


def paragraphs(text: str) -> str:
    return "".join(f"<p>{line}</p>" for line in text.split("\n\n"))


def article(post: int, below: str, sidebar: str = "") -> str:
    words = " ".join(WORDS[(post + step) % len(WORDS)] for step in range(40))
    return (
        f"<html lang=en><body><div id=page><article class=post id=post-{post}><h1>Post {post}</h1><div class=text>"
        f"<p>{words}.</p><p>{words} again.</p></div></article>{below}</div><aside>{sidebar}</aside></body></html>"
    )


def in_boxes(comments: Sequence[Said]) -> str:
    """A text of its own for every comment, answers nested."""
    answers = {each.parent: each for each in comments if each.parent is not None}

    def item(each: Said) -> str:
        nested = f"<ul class=answers>{item(answers[each.id])}</ul>" if each.id in answers else ""
        return (
            f"<li class='talk {'even' if each.id % 2 else 'odd'}' id=talk-{each.id}><div class=who><b class=name>"
            f"<a href='http://x.org/'>{each.author}</a></b> on <span class=when>{each.moment:%d %B %Y %H:%M}</span>"
            f" <a class=here href='#talk-{each.id}'>#</a></div><div class=words>{paragraphs(each.text)}</div>"
            f"<a class=answer href='?answer={each.id}'>Answer</a>{nested}</li>"
        )

    return f"<ul id=talks>{''.join(item(each) for each in comments if each.parent is None)}</ul>"


def in_bare_items(comments: Sequence[Said]) -> str:
    """No element around the text; bare words beside the name."""
    items = "".join(
        f"<li id=said-{each.id}><cite>{each.author}</cite> Says:<br><small>{each.moment:%B %d, %Y at %H:%M}</small>"
        f"{paragraphs(each.text)}<div class=tools><a href=#>Answer this</a></div></li>"
        for each in comments
    )
    return f"<div class=below><h2>They said</h2><ol class=talks>{items}</ol></div>"


def in_rows(comments: Sequence[Said]) -> str:
    """Everything in one element, the text bare in it."""
    return "<div id=talks>" + "".join(
        f"<div class=row><em>{each.author}</em> <tt>{each.moment:%Y-%m-%d}</tt> {each.text.replace(chr(10), '<br>')}"
        f"<span class=vote>+1</span></div>"
        for each in comments
    ) + "</div>"


def pairs(design: Callable[[Sequence[Said]], str], counts: Sequence[int]) -> list:
    return [
        (parse(article(post, design(comments)).encode()), f"https://a.org/{post}/", told(comments))
        for post, count in enumerate(counts, 1)
        for comments in [said(post, count)]
    ]


def check(rules: CommentRules | None, design: Callable[[Sequence[Said]], str], count: int = 23) -> list[Comment]:
    """The comments of a page that taught nothing, which must be those of the blog."""
    assert rules is not None
    wanted = said(9, count)
    root = parse(article(9, design(wanted)).encode())
    reading = read_comments(root, "https://a.org/9/", rules, article=next(root.iter("article")))
    assert reading.method == "learned"
    got = {" ".join(comment.text.split()): comment for comment in reading.thread.comments}
    assert len(reading.thread.comments) == count
    for each in wanted:
        comment = got[" ".join(each.text.split())]
        assert comment.author == each.author
        assert abs((comment.published - each.moment).total_seconds()) < 86_400
    return list(reading.thread.comments)


@pytest.mark.parametrize("design", [in_boxes, in_bare_items, in_rows])
def test_what_the_feeds_of_other_posts_taught_reads_a_page_of_more_comments_than_a_feed_holds(design):
    check(learn_comments(pairs(design, (3, 1, 6, 14))), design)


def test_one_page_is_enough_to_learn_from():
    check(learn_comments(pairs(in_boxes, (4,))), in_boxes)


def test_threads_ids_and_addresses_are_learned_too():
    comments = check(learn_comments(pairs(in_boxes, (4, 8))), in_boxes)
    by_id = {comment.id: comment for comment in comments}
    for each in said(9, 23):
        comment = by_id[str(each.id)]
        assert comment.parent == (None if each.parent is None else str(each.parent))
        assert comment.url == f"https://a.org/9/#talk-{each.id}"
        assert comment.author_url == "http://x.org/"


def test_what_stands_in_a_comment_and_never_in_the_feed_is_cut():
    rules = learn_comments(pairs(in_bare_items, (3, 5)))
    assert all("Answer" not in comment.text and "Says" not in comment.text for comment in check(rules, in_bare_items))


def test_what_is_usually_cut_is_cut_where_no_page_taught_it():
    rules = learn_comments(pairs(in_boxes, (3, 5)))
    note = "<em class=comment-awaiting-moderation>Your comment is awaiting moderation.</em>"

    def with_a_note(comments: Sequence[Said]) -> str:
        return in_boxes(comments).replace("<div class=words>", f"<div class=words>{note}", 1)

    check(rules, with_a_note)


def test_a_list_of_recent_comments_beside_the_post_loses():
    items = (
        f"<li class=talk><b class=name>{each.author}</b><div class=words>{paragraphs(each.text)}</div></li>"
        for each in said(9, 3)
    )
    sidebar = f"<ul>{''.join(items)}</ul>"
    taught = [
        (parse(article(post, in_boxes(comments), sidebar).encode()), f"https://a.org/{post}/", told(comments))
        for post in (1, 2, 3, 4)
        for comments in [said(post, post + 1)]
    ]
    rules = learn_comments(taught)
    root = parse(article(5, in_boxes(said(5, 12)), sidebar).encode())
    texts = [comment.text for comment in read_comments(root, "https://a.org/5/", rules).thread.comments]
    assert sorted(texts) == sorted(each.text for each in said(5, 12))


def test_an_article_that_a_comment_quotes_is_no_comment():
    quoted = said(1, 3)
    quoted[1] = replace(quoted[1], text=" ".join(WORDS[(1 + step) % len(WORDS)] for step in range(40)) + ".")
    first = (parse(article(1, in_boxes(quoted)).encode()), "https://a.org/1/", told(quoted))
    check(learn_comments([first, *pairs(in_boxes, (0, 3, 4))[1:]]), in_boxes)


def test_comments_that_only_the_feed_knows_do_not_disturb():
    taught = []
    for root, url, comments in pairs(in_boxes, (2, 3, 1)):
        ping = Comment(id="7", author="Another blog", text="[…] a nice post about rain […]", published=START)
        taught.append((root, url, (ping, *comments)))
    check(learn_comments(taught), in_boxes)


def test_pages_without_comments_show_what_is_no_comment():
    nobody = "<div class=who><b class=name>Nobody</b></div><div class=words>Be the first!</div>"
    empty = f"<ul id=talks><li class=talk>{nobody}</li></ul>"
    taught = [(parse(article(at, empty).encode()), f"https://a.org/{at}/", ()) for at in (5, 6)]
    check(learn_comments([*pairs(in_boxes, (3, 4)), *taught]), in_boxes)


def test_a_blog_that_changed_its_design_has_a_rule_for_each():
    rules = learn_comments([*pairs(in_boxes, (4, 6, 5)), *pairs(in_bare_items, (0, 0, 0, 4, 3))[3:]])
    assert len(rules.ranked) == 2
    check(rules, in_boxes)
    check(rules, in_bare_items)


def test_feeds_whose_comments_are_nowhere_in_the_pages_teach_nothing():
    hidden = [(parse(article(1, "").encode()), "https://a.org/1/", told(said(1, 5)))]
    assert learn_comments(hidden) is None
    assert learn_comments([]) is None
    assert learn_comments([(parse(article(1, in_boxes(said(1, 3))).encode()), "https://a.org/1/", ())]) is None


def test_the_confidence_is_that_on_pages_which_did_not_choose_the_rule():
    (rule,) = learn_comments(pairs(in_boxes, (3, 4, 5))).ranked
    assert 0.95 <= rule.confidence <= 1.0
    assert rule.markup.name == "page"


def test_rules_are_the_same_after_json():
    rules = learn_comments(pairs(in_boxes, (3, 4)))
    again = CommentRules.from_dict(rules.to_dict())
    page = parse(article(9, in_boxes(said(9, 5))).encode())
    assert read_marked(page, "https://a.org/9/", again.ranked[0].markup).comments
    assert again == rules


def test_hostile_names_do_no_harm():
    page = article(1, in_boxes(said(1, 3)).replace("class=words", """class='a"b \\ :is( > 7x 一' """))
    learn_comments([(parse(page.encode()), "https://a.org/1/", told(said(1, 3)))])
