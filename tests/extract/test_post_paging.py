"""Pages of one post: which links lead to them, and which only look as if they did."""

from __future__ import annotations

import pytest

from everlog.core.tree import parse
from everlog.extract.classify.post_paging import (
    Paging,
    Trail,
    drop_page_links,
    first_page,
    paging_of,
    post_of_comment_page,
)

POST = "https://a.org/a-post/"
TEXT = "<p>It rained for nine days and the roof held.</p>"


def page(inside: str, head: str = ""):
    body = f"<article><div class=entry>{TEXT}{inside}</div></article>"
    return parse(f"<html><head>{head}</head><body>{body}</body>".encode())


BLOCKS = (
    '<p class="post-nav-links">Pages: <span class="post-page-numbers current" aria-current="page">1</span> '
    '<a href="https://a.org/a-post/2/" class="post-page-numbers">2</a> '
    '<a href="https://a.org/a-post/3/" class="post-page-numbers">3</a></p>'
)
CLASSIC = (
    '<nav class="page-links" aria-label="Page"> <span class="post-page-numbers current">Page 1</span> '
    '<a href="https://a.org/a-post/2/" class="post-page-numbers">Page 2</a> '
    '<a href="https://a.org/a-post/3/" class="post-page-numbers">Page 3</a></nav>'
)
OLD = '<p><strong>Pages:</strong> 1 <a href="/a-post/2/">2</a> <a href="/a-post/3/"><span>3</span></a></p>'
NEXT = '<div class="page-link"><a class="post-page-numbers" href="/a-post/2/">Next page</a></div>'


@pytest.mark.parametrize("links", [BLOCKS, CLASSIC, OLD], ids=["block theme", "classic theme", "old theme"])
def test_the_pages_of_a_text_are_found_and_their_links_taken_out(links):
    root = page(links)
    assert paging_of(root, POST).text == ((2, POST + "2/"), (3, POST + "3/"))
    assert first_page(root, POST) is None
    drop_page_links(root, POST)
    assert "".join(root.itertext()).split() == "It rained for nine days and the roof held.".split()


def test_pages_that_only_name_the_next_one_are_followed():
    assert paging_of(page(NEXT), POST).text == ((2, POST + "2/"),)
    back = '<a class="post-page-numbers" href="/a-post/2/">Previous page</a>'
    assert first_page(page(back), POST + "3/") == ("https://a.org/a-post", 3)


def test_pages_that_the_head_alone_names_are_found():
    assert paging_of(page("", '<link rel=next href="/a-post/2/">'), POST).text == ((2, POST + "2/"),)
    second = page("", '<link rel=prev href="/a-post/"><link rel=next href="/a-post/3/">')
    assert first_page(second, POST + "2/") == (POST, 2)
    assert paging_of(second, POST, of=2).text == ((3, POST + "3/"),)


def test_pages_at_plain_addresses_are_found():
    root = page('<p>Pages: 1 <a href="https://a.org/?p=7&#038;page=2">2</a></p>')
    assert paging_of(root, "https://a.org/?p=7").text == ((2, "https://a.org/?p=7&page=2"),)
    back = page('<p>Pages: <a href="https://a.org/?p=7">1</a> 2</p>')
    assert first_page(back, "https://a.org/?p=7&page=2") == ("https://a.org/?p=7", 2)


@pytest.mark.parametrize(
    ("inside", "url"),
    [
        ('<a href="/page/2/">2</a>', "https://a.org/"),
        ('<a href="/?page=2">2</a>', "https://a.org/"),
        ('<a href="/a-post/page/2/">2</a>', POST),
        ('<a href="/a-post/2/">A post about two things that happened</a>', POST),
        ('<a href="/b-post/2/">2</a>', POST),
        ('<a href="/a-post/2/" rel=next>The next post</a>', POST),
        ('<a href="/a-post/2024/">2024</a>', POST),
        ('<a href="/a-post?page=1">2</a>', POST),
        ('<div id=comments><a href="/a-post?page=2">2</a></div>', POST),
        ('<a href="/a-post/1/">1</a> <a href="/a-post/2/">2</a>', POST),
    ],
    ids=[
        "a list", "a list at a plain address", "pages of a list below the post", "another post", "another post's page",
        "the next post", "a year", "numbers from nought", "pages of comments", "a row that begins with a number",
    ],
)
def test_what_looks_like_pages_of_a_text_and_is_not(inside, url):
    assert paging_of(page(inside), url) == Paging()


@pytest.mark.parametrize(
    ("inside", "url"),
    [
        ('<a href="/archives/1">1</a> <a href="/archives">All</a>', "https://a.org/archives/2"),
        ('<a href="/archives/1" rel=prev>The post before</a>', "https://a.org/archives/2"),
        ('<a href="/blog">Blog</a>', "https://a.org/blog/2"),
        ('<a href="/">1</a>', "https://a.org/2"),
    ],
    ids=["numbered posts", "the post before", "a list above", "a home"],
)
def test_posts_with_numbers_for_addresses_continue_none(inside, url):
    assert first_page(page(inside), url) is None


def test_pages_of_comments_are_those_that_the_ways_around_them_lead_to():
    root = page(
        "<div id=comments><ol><li id=comment-7><a href='/a-post/comment-page-3/#comment-7'>3 May</a>"
        "<a href='/a-post/comment-page-3/?replytocom=7#respond'>Reply</a></li></ol>"
        "<a href='/a-post/comment-page-2/#comments'>Older</a> <a href='/b-post/comment-page-9/#comments'>Other</a>"
        "<a href='/a-post/comment-page-1/#comment-2'>a comment on another page</a></div>"
    )
    assert paging_of(root, POST) == Paging(comments=((2, POST + "comment-page-2/"),), shown=3)


@pytest.mark.parametrize(
    ("url", "post"),
    [
        ("https://a.org/a/comment-page-12/#comment-3", ("https://a.org/a/", 12)),
        ("https://a.org/a/comment-page-2", ("https://a.org/a", 2)),
        ("https://a.org/?cpage=2&p=7", ("https://a.org/?p=7", 2)),
        ("https://a.org/?page_id=7&cpage=2#comments", ("https://a.org/?page_id=7", 2)),
        ("https://a.org/?name=a-post&cpage=3", ("https://a.org/?name=a-post", 3)),
        ("https://a.org/a/?cpage=2", ("https://a.org/a/", 2)),
        ("https://a.org/?paged=2", None),
        ("https://a.org/comment-page-2/", None),
        ("https://a.org/a/page/2/", None),
    ],
)
def test_the_post_of_a_page_of_comments_is_told_by_its_address(url, post):
    assert post_of_comment_page(url) == post


def test_each_page_comes_once_the_lowest_first():
    trail = Trail()
    trail.name(((4, "d"), (2, "b")))
    assert trail.next() == (2, "b")
    trail.name(((1, "a"), (2, "again"), (3, "c")))
    assert [trail.next() for _ in range(4)] == [(1, "a"), (3, "c"), (4, "d"), None]
