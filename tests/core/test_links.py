"""Links of a page, the blog's borders, and addresses not worth asking for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.core.links import page_links, refresh_target, resolved, trap
from everlog.core.scope import Scope, home_scope, keys_elsewhere
from everlog.core.tree import parse
from everlog.records import Blog

HOME = Scope("https://a.org/")


def links(markup: str, url: str = "https://a.org/dir/page", within: Scope = HOME) -> list[str]:
    return [link.url for link in page_links(parse(markup.encode()), url, within=within)]


def test_links_are_absolute_in_document_order_and_without_fragments():
    found = links('<a href="b#c">1</a><map><area href="/x"></map><a href="?p=2">2</a><a href="//a.org/y">3</a>')
    assert found == ["https://a.org/dir/b", "https://a.org/x", "https://a.org/dir/page?p=2", "https://a.org/y"]


def test_spellings_of_one_page_are_one_link():
    assert links('<a href="/x/">1</a><a href="http://www.a.org/x?utm_source=f">2</a>') == ["https://a.org/x/"]


def test_what_is_no_page_of_the_blog_is_left_out():
    hrefs = ("mailto:a@a.org", "javascript:x()", "tel:1", "#top", "https://b.org/", "")
    markup = "".join(f'<a href="{href}">x</a>' for href in hrefs)
    assert links(markup + '<iframe src="/frame"></iframe><a name="x">x</a>') == []


def test_the_base_element_is_respected():
    assert links('<base href="/other/"><a href="x">1</a>') == ["https://a.org/other/x"]


def test_paging_links_of_the_head_are_followed_and_named():
    markup = '<link rel="next" href="/page/2"><link rel="icon" href="/i"><a rel="previous nofollow" href="/z">z</a>'
    found = page_links(parse(markup.encode()), "https://a.org/", within=HOME)
    assert [(link.url, link.rel) for link in found] == [("https://a.org/page/2", "next"), ("https://a.org/z", "prev")]


def test_a_page_that_sends_its_readers_on_leads_there():
    markup = "<meta http-equiv=refresh content=\"0;url='/blog/'\"><p>x"
    assert links(markup) == ["https://a.org/blog/"]
    assert refresh_target(parse(markup.encode()), "https://a.org/") == "https://a.org/blog/"
    assert refresh_target(parse(b"<meta http-equiv=refresh content=30><p>x"), "https://a.org/") is None


def test_pages_drawn_by_scripts_keep_their_fragment():
    assert links('<a href="https://a.org/#!/a-post">1</a><a href="https://a.org/#!/b-post">2</a>') == [
        "https://a.org/#!/a-post", "https://a.org/#!/b-post",
    ]


@pytest.mark.parametrize(
    ("mode", "url", "inside"),
    [
        ("path", "http://www.a.org/blog", True), ("path", "https://a.org/blog?p=1", True),
        ("path", "https://a.org/blog/x", True), ("path", "https://a.org/blog2", False),
        ("path", "https://a.org/", False), ("host", "https://a.org/shop", True), ("host", "https://b.a.org/", False),
        ("subdomains", "https://b.a.org/", True), ("subdomains", "https://ba.org/", False),
    ],
)
def test_the_scope_holds_what_its_mode_says(mode, url, inside):
    assert Scope("https://a.org/blog/", mode).is_own(url) is inside


def test_a_home_that_is_a_file_stands_for_its_folder():
    assert Scope("https://a.org/blog/home.html").is_own("https://a.org/blog/x")


@pytest.mark.parametrize(
    "url",
    [
        "https://a.org/x?replytocom=12", "https://a.org/x?share=twitter", "https://a.org/x/feed/", "https://a.org/feed",
        "https://a.org/wp-login.php?redirect_to=x", "https://a.org/wp-json/wp/v2/posts", "https://a.org/xmlrpc.php",
        "https://a.org/x?PHPSESSID=a1", "https://a.org/x;jsessionid=a1", "https://a.org/x.jpg", "https://a.org/x.PDF",
        "https://a.org/a/b/a/b/", "https://a.org/x/x/x/", "https://a.org/shop?color=1&size=2&cut=3&sort=4",
        "https://a.org/shop?orderby=price", "https://a.org/x/print/", "https://a.org/1970/01/",
        "https://a.org/events?month=2055-01", "https://a.org/?f[]=1&f[]=2", "https://a.org/" + "x" * 2000,
        "https://a.org/a-post/trackback/", "https://a.org/admin/", "https://a.org/calendar/2031/05/07",
    ],
)
def test_traps_are_seen(url):
    assert trap(url, this_year=2025)


@pytest.mark.parametrize(
    "url",
    [
        "https://a.org/", "https://a.org/2025/12/a-post/", "https://a.org/2026/01/", "https://a.org/?p=12",
        "https://a.org/?paged=2&cat=3", "https://a.org/tag/feed-readers/", "https://a.org/2014/02/14/14/",
        "https://a.org/author/admin/page/2/", "https://a.org/2542-2/", "https://a.org/1984/",
        "https://a.org/print-your-blog/",
        "https://a.org/why-i-log-in/", "https://a.org/blog/2017/02/22/2017/02/22/x/", "https://a.org/index.php/2010/a.html",
        "https://a.org/download-the.zip-file/", "https://a.org/1969/07/20/the-moon/", "https://a.org/x/x/",
    ],
)
def test_posts_and_lists_are_no_traps(url):
    assert trap(url, this_year=2025) is None


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_link_breaks_anything(base, href):
    found = resolved("https://a.org/" + base, href)
    if found is not None:
        trap(found[0], this_year=2025)
        HOME.is_own(found[0])


@pytest.mark.parametrize(
    ("key", "elsewhere"),
    [
        ("c.org/x", ("b.org/x", "a.org/notes/x")),
        ("a.org/notes/x?p=1", ("c.org/x?p=1", "b.org/x?p=1")),
        ("a.org/notes", ("c.org", "b.org")),
        ("a.org/notebook", ()),
        ("d.org/x", ()),
    ],
)
def test_a_page_of_a_blog_that_moved_twice_is_known_at_all_its_homes(key, elsewhere):
    blog = Blog(
        id=1, home="https://c.org/index.html", added_at=datetime(2024, 1, 1, tzinfo=UTC),
        former_homes=("https://a.org/notes/", "https://b.org/"),
    )
    assert keys_elsewhere(key, blog) == elsewhere
    assert home_scope(blog).is_own_key(key) is bool(elsewhere)
