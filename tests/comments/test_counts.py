"""How many comments a page says there are."""

from __future__ import annotations

import pytest

from everlog.comments.stated_counts import count_in, counted, stated_count
from everlog.core.tree import parse

URL = "http://a.org/2019/rain/"


def stated(html: str) -> int | None:
    return stated_count(parse(html.encode()), URL)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3 Comments", 3), ("One Response to “Rain”", 1), ("No comments:", 0), ("1,204 Responses", 1204),
        ("46 thoughts on “Top 10 Songs”", 46), ("14 Replies to “Rain”", 14), ("(7) comments", 7),
        ("Keine Kommentare", 0), ("Ein Kommentar", 1), ("13 Kommentare", 13), ("Kommentare 13", 13),
        ("2 réponses sur “Rain”", 2), ("Une réponse", 1), ("Aucun commentaire", 0), ("12 commentaires", 12),
        ("6 respostas para “x”", 6), ("Sin comentarios", 0), ("3 comentarios", 3), ("Nessun commento", 0),
        ("5 комментариев", 5), ("3件のコメント", 3), ("コメント (3)", 3), ("“雨”への2件のフィードバック", 2),
        ("《雨》有 12 条评论", 12), ("留言 3", 3), ("3 則留言", 3), ("댓글 4개", 4), ("4개의 댓글", 4),
        ("Comments: 0", 0),
        ("Leave a comment", None), ("Comments", None), ("3 cats", None), ("Comment le faire en 3 pas", None),
        ("10 commandments", None), ("Posted on March 3", None), ("", None),
    ],
)
def test_a_phrase_states_a_number(text, number):
    assert counted(text) == number


def test_an_element_that_only_counts_may_be_a_bare_number():
    assert count_in("17") == 17
    assert count_in("none of them") is None


@pytest.mark.parametrize(
    "html",
    [
        "<div id=comments><h3>3 Responses to A post</h3></div>",
        "<h3 id=comments>3 Responses</h3>",
        "<main><h3>3 Comments</h3><ol class=commentlist></ol></main>",
        "<h2 class=comments-title><span>3</span> thoughts on “Rain”</h2>",
        "<p id=comments>3 Responses to x</p>",
        "<a href='/2019/rain/#comments'>3 Comments</a>",
        "<a href='#respond'>3 Comments</a>",
        "<meta itemprop=commentCount content=3>",
        "<meta itemprop=interactionCount content='UserComments:3'>",
        "<script type='application/ld+json'>{\"@type\": \"BlogPosting\", \"commentCount\": 3}</script>",
        "<span class=comments-count>3 comments</span>",
    ],
)
def test_a_count_is_found_where_pages_state_it(html):
    assert stated(f"<body class='has-sidebar'><p>Rain.</p>{html}") == 3


@pytest.mark.parametrize(
    "html",
    [
        "<a href='/2019/snow/#comments'>3 Comments</a>",
        "<a href='/2019/rain/'>3 Comments</a>",
        "<a href='javascript:x()#comments'>3 Comments</a>",
        "<h2>3 thoughts on rain</h2>",
        "<div class=sidebar><div id=comments><h3>3 Comments</h3></div></div>",
        "<div class='widget_recent_comments'><h3 class=comments>3 Comments</h3></div>",
        "<div id=comments><h3>3 Comments</h3></div><div class=comments><h3>4 Comments</h3></div>",
        "<span class=comments-count>3 comments</span><span class=comments-count>4 comments</span>",
        "<span class=comments-count><a href='/2019/snow/'>3 comments</a></span>",
        "<meta itemprop=commentCount content=many><meta itemprop=interactionCount content='UserLikes:3'>",
        "<div class=comments-open><i><i><i><i><h3>3 Comments</h3></i></i></i></i><p>a<p>b<p>c<p>d</div>",
        "<h3>3 Comments</h3>",
        "",
    ],
)
def test_other_posts_and_contradictions_are_no_count(html):
    assert stated(f"<p>Rain.</p>{html}") is None


def test_the_heading_goes_before_what_else_is_said():
    assert stated("<a href='#comments'>2 comments</a><div id=comments><h3>3 comments</h3></div>") == 3
