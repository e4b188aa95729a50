from __future__ import annotations

from datetime import UTC, datetime

import pytest

from everlog.comments.comment_feeds import comment_feed_url, read_comment_feed, read_site_comments
from everlog.core.tree import parse
from everlog.errors import UnreadableFeed
from everlog.records import Entry

POST = "https://a.org/2020/rain/"
POSTS_FEED = '<link rel="alternate" type="application/rss+xml" title="A » Feed" href="/feed/">'
ALL_COMMENTS = '<link rel="alternate" type="application/rss+xml" title="A » Comments Feed" href="/comments/feed/">'


def link(href: str, title: str = "", kind: str = "application/rss+xml") -> str:
    return f'<link rel="alternate" type="{kind}" title="{title}" href="{href}">'


def found(head: str, url: str = POST, entry: Entry | None = None) -> str | None:
    return comment_feed_url(parse(f"<head>{head}</head><body><p>Rain.</p>".encode()), url, entry=entry)


def rss(*items: str, title: str = "Comments on: Rain") -> bytes:
    return (
        '<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'
        ' xmlns:content="http://purl.org/rss/1.0/modules/content/"'
        ' xmlns:slash="http://purl.org/rss/1.0/modules/slash/"><channel>'
        f"<title>{title}</title><link>{POST}</link>{''.join(items)}</channel></rss>"
    ).encode()


def item(number: int, author: str = "Jo", text: str = "<p>Nice.</p>", day: int = 1, page: str = POST) -> str:
    return (
        f"<item><title>By: {author}</title><link>{page}#comment-{number}</link><dc:creator>{author}</dc:creator>"
        f"<pubDate>Wed, {day:02} Jan 2020 10:11:12 +0000</pubDate>"
        f"<guid isPermaLink='false'>https://a.org/?p=7#comment-{number}</guid>"
        f"<content:encoded><![CDATA[{text}]]></content:encoded></item>"
    )


def test_the_posts_own_feed_is_told_from_that_of_the_blog_and_that_of_all_comments():
    own = link("/2020/rain/feed/", "A » Rain Comments Feed")
    assert found(POSTS_FEED + ALL_COMMENTS + own) == "https://a.org/2020/rain/feed/"
    assert found(POSTS_FEED + ALL_COMMENTS) is None


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("/2020/rain/feed/index.html", POST),
        ("../rain/feed/", POST),
        ("/2020/rain/feed/", POST + "comment-page-2/"),
        ("/2020/rain/comments/atom.xml", "https://a.org/2020/rain.html"),
        ("/?feed=rss2&p=7", "https://a.org/?p=7"),
        ("/2020/rain/?feed=rss2", POST),
        ("/feeds/1234567/comments/default", "https://a.org/2020/01/rain.html"),
    ],
)
def test_engines_put_it_in_different_places(href, url):
    assert found(POSTS_FEED + ALL_COMMENTS + link(href, "Comments"), url) is not None


@pytest.mark.parametrize("href", ["/feeds/comments/default", "/?feed=comments-rss2", "/comments/feed/"])
def test_the_feed_of_all_comments_is_nobodys_own(href):
    assert found(POSTS_FEED + link(href, "A » Comments Feed")) is None


def test_a_page_at_another_address_than_its_canonical_one_has_the_feed_of_that():
    head = '<link rel="canonical" href="https://a.org/2020/rain/">' + link("/2020/rain/feed/", "Rain Comments")
    assert found(POSTS_FEED + head, "https://a.org/?p=7") == "https://a.org/2020/rain/feed/"


def test_a_feed_at_an_odd_address_is_known_by_the_title_of_the_page():
    head = "<title>Rain on the roof | A</title>" + link("/crss/node/7", "Comments on Rain on the roof")
    assert found(POSTS_FEED + ALL_COMMENTS + head) == "https://a.org/crss/node/7"


def test_the_blogs_feed_may_name_it():
    entry = Entry(link=POST, comments_feed="https://a.org/2020/rain/feed/")
    assert found("", entry=entry) == "https://a.org/2020/rain/feed/"


def test_wordpress_has_one_even_where_nothing_is_declared():
    style = '<link rel="stylesheet" href="/wp-includes/css/style.css">'
    assert found(style) == "https://a.org/2020/rain/feed/"
    assert found(style + POSTS_FEED) is None, "where feeds are declared, this one is as well, if there is one"
    assert found(style, "https://a.org/") is None, "the home page is no post"
    assert found("") is None


def test_a_comment_feed_is_read_oldest_first():
    thread = read_comment_feed(rss(item(9, "Al", day=3), item(8, "Jo & Co", day=2)), POST + "feed/")
    assert thread is not None
    assert (thread.source, thread.claimed) == ("feed", None)
    first, second = thread.comments
    assert (first.id, first.author, first.text, first.html) == ("8", "Jo & Co", "Nice.", "<p>Nice.</p>")
    assert first.published == datetime(2020, 1, 2, 10, 11, 12, tzinfo=UTC)
    assert (first.url, first.source, second.id) == (POST + "#comment-8", "feed", "9")


def test_the_line_that_wordpress_puts_before_an_answer_tells_the_parent_and_is_no_text():
    text = f'<p>In reply to <a href="{POST}#comment-8">Jo</a>.</p><p>Thanks!</p>'
    answer, other = read_comment_feed(rss(item(9, text=text, day=3), item(8)), POST).comments[::-1]
    assert (answer.parent, answer.text, other.parent) == ("8", "Thanks!", None)


def test_the_same_line_stands_in_excerpts_without_a_paragraph():
    text = f'In reply to <a href="{POST}#comment-8">Jo</a>.\n\nThanks!'
    assert [c.text for c in read_comment_feed(rss(item(9, text=text)), POST).comments] == ["Thanks!"]


@pytest.mark.parametrize(
    "text",
    [
        f'<p>@<a href="{POST}#comment-8">Jo</a></p><p>No.</p>',
        f'<p><a href="{POST}#comment-8">Jo</a> is right about the rain, and about the roof as well.</p>',
        '<p>See <a href="/x">there</a>.</p>',
    ],
)
def test_a_commenter_who_links_to_another_comment_keeps_his_words(text):
    (comment,) = read_comment_feed(rss(item(9, text=text)), POST).comments
    assert comment.parent is None
    assert comment.text.split()[0] in {"@Jo", "Jo", "See"}


def test_names_come_from_titles_where_nothing_else_names_them():
    items = [
        f"<item><title>作者：{name}</title><link>{POST}#comment-{at}</link><description>好</description></item>"
        for at, name in enumerate(("wolf", "林: x"))
    ]
    assert [comment.author for comment in read_comment_feed(rss(*items), POST).comments] == ["wolf", "林: x"]
    alone = f"<item><title>By: Jo</title><link>{POST}#c7</link><description>x</description></item>"
    assert read_comment_feed(rss(alone), POST).comments[0].author == "Jo"


ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xmlns:thr="http://purl.org/syndication/thread/1.0">
<title>Comments on Rain</title>
<entry><id>tag:blogger.com,1999:blog-1.post-11</id><published>2020-01-01T10:00:00+02:00</published>
 <content type="html">First.</content><author><name>Jo</name><uri>http://jo.org/</uri></author>
 <link rel="alternate" href="https://a.org/rain.html?showComment=1#c11"/>
 <thr:in-reply-to ref="tag:blogger.com,1999:blog-1.post-7" href="https://a.org/rain.html"/></entry>
<entry><id>tag:blogger.com,1999:blog-1.post-12</id><published>2020-01-02T10:00:00+02:00</published>
 <content type="html">Second.</content><author><name>Al</name></author>
 <link rel="alternate" href="https://a.org/rain.html?showComment=2#c12"/>
 <thr:in-reply-to ref="tag:blogger.com,1999:blog-1.post-11"/></entry></feed>"""


def test_atom_says_which_comment_is_answered():
    first, second = read_comment_feed(ATOM.encode(), "https://a.org/feeds/7/comments/default").comments
    assert (first.id, first.parent, first.author_url) == ("11", None, "http://jo.org/")
    assert (second.id, second.parent) == ("12", "11")
    assert str(first.published) == "2020-01-01 10:00:00+02:00"


def test_a_feed_of_posts_is_none():
    posts = "".join(
        f"<item><title>Post {at}</title><link>https://a.org/{at}/</link><description>x</description></item>"
        for at in range(3)
    )
    assert read_comment_feed(rss(posts, title="A blog"), "https://a.org/feed/") is None
    counted = f"<item><title>Rain</title><link>{POST}#more</link><slash:comments>3</slash:comments></item>"
    assert read_comment_feed(rss(counted, title="Comments on life"), "https://a.org/feed/") is None


def test_a_feed_of_the_comments_on_many_posts_is_none():
    assert read_comment_feed(rss(item(1), item(2, page="https://a.org/snow/")), "https://a.org/comments/feed/") is None
    later = item(2, page=POST + "comment-page-2/")
    assert len(read_comment_feed(rss(item(1), later), POST + "feed/").comments) == 2


def test_a_feed_without_entries_has_no_comments_and_no_bytes_are_no_feed():
    assert read_comment_feed(rss(), POST + "feed/").comments == ()
    with pytest.raises(UnreadableFeed):
        read_comment_feed(b"<html><p>Not found", POST + "feed/")


def test_the_feed_of_all_comments_tells_which_posts_its_comments_are_on():
    atom = b"""<feed xmlns="http://www.w3.org/2005/Atom" xmlns:thr="http://purl.org/syndication/thread/1.0">
      <title>Comments for A Blog</title>
      <entry><title>Comment on Rain by Jo</title><author><name>Jo</name></author>
        <link rel="alternate" href="https://a.org/?p=7&amp;cpage=2#comment-9"/><id>https://a.org/?p=7#comment-9</id>
        <thr:in-reply-to ref="https://a.org/?p=7" href="https://a.org/rain/"/><content>Nice.</content></entry>
      <entry><title>Comment on Snow by Al</title><author><name>Al</name></author>
        <link rel="alternate" href="https://a.org/snow.html?showComment=15#c15"/><id>tag:a.org,1999:blog-1.post-15</id>
        <thr:in-reply-to ref="tag:a.org,1999:blog-1.post-3"/><content>Cold.</content></entry></feed>"""
    found = read_site_comments(atom, "https://a.org/comments/feed/atom/")
    assert [(each.posts[0], each.comment.id, each.comment.author, each.comment.text) for each in found] == [
        ("https://a.org/?p=7", "9", "Jo", "Nice."), ("https://a.org/snow.html?showComment=15", "15", "Al", "Cold."),
    ]


def test_a_feed_of_posts_is_no_feed_of_all_comments():
    posts = b"<rss><channel><title>A Blog</title><item><title>Rain</title><link>https://a.org/rain</link></item></channel></rss>"
    assert read_site_comments(posts, "https://a.org/feed/") is None


def test_a_posts_own_comment_feed_may_name_pages_of_comments_at_plain_addresses():
    items = "".join(
        f"<item><title>By: Jo</title><link>https://a.org/?p=7&amp;cpage={page}#comment-{page}</link>"
        f"<description>Text {page}.</description></item>"
        for page in (1, 2)
    )
    feed = f"<rss><channel><title>Comments on: Rain</title>{items}</channel></rss>".encode()
    assert [comment.id for comment in read_comment_feed(feed, "https://a.org/?feed=rss2&p=7").comments] == ["1", "2"]
