from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from everlog.evaluate.commenting import shown_comments, taught
from everlog.evaluate.corpus import KnownComment, Truth
from everlog.evaluate.run import evaluate_blog
from everlog.evaluate.scoring import score_shown
from everlog.records import Comment, Post

if TYPE_CHECKING:
    from everlog.comments.comment_rules import CommentRules

POSTS = ("one", "two", "three", "four", "five", "six")
SAID = {name: tuple(f"The {name} comment number {at} is about rain." for at in (1, 2)) for name in POSTS}


class PlainReader:
    """Learns no comments."""

    def read(self, _page: bytes, url: str, *_rest: object) -> Post:
        return Post(url=url)


class TaughtReader(PlainReader):
    """Keeps the rules it was given."""

    rules: CommentRules | None = None

    def with_comments(self, rules: CommentRules | None) -> TaughtReader:
        reader = TaughtReader()
        reader.rules = rules
        return reader


def blog_page(name: str, style: str) -> str:
    items = "".join(
        f"<div class={style}><b class=who>Jo {at}</b><i>2024-01-0{at}</i><div class=words>{text}</div></div>"
        for at, text in enumerate(SAID[name], 1)
    )
    feed = f'<link rel=alternate type="application/rss+xml" title="Comments" href="/2024/{name}/feed/">'
    return f"<html><head>{feed}</head><h1>{name}</h1><p>The text of {name}.</p>{items}</html>"


def comment_feed(name: str) -> str:
    items = "".join(
        f"<item><title>By: Jo {at}</title><link>http://tiny.example/2024/{name}/#comment-{at}</link>"
        f"<pubDate>Mon, 0{at} Jan 2024 10:00:00 +0000</pubDate><description>{text}</description></item>"
        for at, text in enumerate(SAID[name], 1)
    )
    return f"<rss><channel><title>Comments on: {name}</title>{items}</channel></rss>"


def row(name: str) -> dict[str, object]:
    comments = [{"text": text, "author": f"Jo {at}", "date": f"2024-01-0{at}"} for at, text in enumerate(SAID[name], 1)]
    return {
        "url": f"http://tiny.example/2024/{name}/", "in_feed": name == "one", "title": name, "comments": comments,
        "comments_complete": True,
    }


@pytest.fixture
def commented(make_blog):
    """Two posts; the comments of each stand in elements of another name."""
    names = POSTS[:2]
    files = {f"2024/{name}/index.html": blog_page(name, f"talk{name}") for name in names}
    files |= {f"2024/{name}/feed/index.html": comment_feed(name) for name in names}
    return make_blog(files=files, rows=[row(name) for name in names])


def test_a_posts_own_comment_feed_never_helps_to_read_it(commented):
    rows = list(commented.truth())
    reader_for = taught(TaughtReader(), commented, rows)
    (one,), (two,) = (reader_for(each).rules.ranked for each in rows)
    assert (one.markup.comment, two.markup.comment) == ("div.talktwo", "div.talkone")


def test_a_reader_that_learns_no_comments_and_a_blog_without_comment_feeds_are_left_alone(commented, make_blog):
    plain, teachable = PlainReader(), TaughtReader()
    rows = list(commented.truth())
    assert taught(plain, commented, rows)(rows[0]) is plain
    without = make_blog("other")
    assert taught(teachable, without, list(without.truth()))(rows[0]) is teachable


def test_comments_of_a_real_blog_are_learned_and_scored(make_blog):
    import everlog

    def page(name: str) -> str:
        return blog_page(name, "talk").replace("<p>", "<div class=entry><p>", 1).replace("</p>", "</p></div>", 1)

    files = {f"2024/{name}/index.html": page(name) for name in POSTS}
    files |= {f"2024/{name}/feed/index.html": comment_feed(name) for name in POSTS}
    files["feed.xml"] = (
        "<rss><channel><link>http://tiny.example/</link><item><title>one</title><link>/2024/one/</link>"
        "<description>The text of one.</description></item></channel></rss>"
    )
    result = evaluate_blog(make_blog(files=files, rows=[row(name) for name in POSTS]), everlog.learn)
    for name in ("com_r", "com_p", "com_author", "com_date", "seen_r", "seen_p"):
        assert result.scores[name] == 1.0, name


TRUTH = Truth(
    url="http://a.org/", text="It rains all day here.",
    comments=(
        KnownComment(text="I like rain."),
        KnownComment(text="[…] It rains all day […]"),
        KnownComment(text="In reply to Jo.\nSo do I, very much."),
        KnownComment(text="Nobody sees this."),
    ),
)
PAGE = b"<article><p>It rains all day here.</p></article><p>Jo</p><p>I like rain.</p><p>So do I, very much.</p>"


def test_only_comments_that_stand_in_the_page_can_be_read_from_it():
    shown = shown_comments(PAGE, TRUTH)
    assert [comment.text for comment in shown.standing] == ["I like rain.", "So do I, very much."]
    assert len(shown.comments) == 4
    assert shown_comments(b"", TRUTH).standing == ()


def test_recall_and_precision_of_what_the_page_shows():
    shown = shown_comments(PAGE, TRUTH)
    some = Post(url="http://a.org/", comments=(Comment(text="I like rain."), Comment(text="Reply to this")))
    assert score_shown(shown, some) == {"seen_r": 0.5, "seen_p": 0.5}
    assert score_shown(shown, None) == {"seen_r": 0.0, "seen_p": 0.0}
    nothing = shown_comments(b"<p>Rain.</p>", TRUTH)
    assert score_shown(nothing, Post(url="http://a.org/")) == {}
    assert score_shown(nothing, some) == {"seen_p": 0.5}
