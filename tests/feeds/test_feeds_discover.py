"""The feeds of a page, the blog's own first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lxml import etree

from everlog.feeds import feed_links

if TYPE_CHECKING:
    from everlog.records import FeedLink

RSS = "application/rss+xml"


def links(markup: str, url: str = "https://a.org/") -> tuple[FeedLink, ...]:
    return feed_links(etree.fromstring(f"<html><body>{markup}</body></html>", etree.HTMLParser()), url)


def declared(markup: str, url: str = "https://a.org/") -> list[tuple[str, bool]]:
    return [(link.url, link.comments) for link in links(markup, url) if link.declared]


def link(href: str, title: str = "", kind: str = RSS) -> str:
    return f'<link rel="alternate" type="{kind}" title="{title}" href="{href}">'


@pytest.mark.parametrize(
    "markup",
    [
        link("/feed/"),
        link("feed/", kind="application/atom+xml"),
        link("//a.org/feed/", kind="text/xml"),
        link("/feed/", kind="application/feed+json"),
        '<LINK REL="Alternate feed" HREF=" /feed/ ">',
        '<base href="https://a.org/x/"><link rel="alternate" href="../feed/">',
        '<a href="/feed/">RSS</a>',
    ],
)
def test_a_page_may_point_to_its_feed_in_many_ways(markup: str) -> None:
    assert declared(markup) == [("https://a.org/feed/", False)]


@pytest.mark.parametrize(
    "markup",
    [
        link("/wp-json/x", kind="application/json"),
        link("/oembed?format=xml", kind="text/xml+oembed"),
        '<link rel="alternate" hreflang="de" href="/de/">',
        '<link rel="stylesheet" type="text/css" href="/feed">',
        link("javascript:feed()"),
        link(""),
        '<a href="https://other.org/feed/">RSS</a>',
        '<a href="/sitemap/index.xml">Map</a><a href="/sitemap.xml">Map</a>',
    ],
)
def test_other_alternates_and_links_are_not_feeds(markup: str) -> None:
    assert declared(markup) == []


@pytest.mark.parametrize(
    ("href", "title"),
    [
        ("/comments/feed/", ""),
        ("/feeds/123/comments/default", ""),
        ("/?feed=comments-rss2", ""),
        ("/x.xml", "Comments on: A post"),
        ("/x.xml", "Blog » Kommentar-Feed"),
        ("/x.xml", "Flux des commentaires"),
        ("/x.xml", "文章评论"),
        ("/x.xml", "Лента комментариев"),
    ],
)
def test_feeds_of_comments_are_told_from_feeds_of_posts_and_stand_last(href: str, title: str) -> None:
    found = links(link(href, title) + link("/posts.xml"))
    assert found[0].url == "https://a.org/posts.xml"
    assert found[-1].comments
    assert not any(other.comments for other in found[:-1])


def test_the_feed_below_a_post_is_its_conversation_where_the_blog_has_one_above() -> None:
    markup = link("/2020/a/feed/") + link("/feed/")
    assert declared(markup, "https://a.org/2020/a/") == [
        ("https://a.org/feed/", False),
        ("https://a.org/2020/a/feed/", True),
    ]


def test_the_feed_below_a_blogs_home_in_a_folder_is_its_own() -> None:
    assert declared(link("/blog/feed/"), "https://a.org/blog/") == [("https://a.org/blog/feed/", False)]


def test_the_whole_blog_goes_before_its_shelves_and_its_own_host_before_others() -> None:
    markup = link("/category/food/feed/") + link("https://feeds.example/a") + link("/feed/")
    assert [url for url, _ in declared(markup)] == [
        "https://a.org/feed/",
        "https://feeds.example/a",
        "https://a.org/category/food/feed/",
    ]


@pytest.mark.parametrize("part", ["Two Feeds - Weather", "Two Feeds » Weather", "two feeds: Weather"])
def test_a_feed_whose_title_goes_on_from_that_of_another_is_one_of_a_part_of_the_blog(part: str) -> None:
    markup = link("/feeds/weather.atom", part) + link("/feeds/posts.atom", "Two Feeds")
    assert [url for url, _ in declared(markup)] == [
        "https://a.org/feeds/posts.atom", "https://a.org/feeds/weather.atom",
    ]


def test_titles_that_only_begin_alike_leave_feeds_in_the_order_of_the_page() -> None:
    markup = link("/a.xml", "Two Feedsters") + link("/b.xml", "Two") + link("/c.xml", "Two-Feeds") + link("/d.xml", "")
    assert [url.rpartition("/")[2] for url, _ in declared(markup)] == ["a.xml", "b.xml", "c.xml", "d.xml"]


def test_without_any_link_the_usual_addresses_are_guessed_from_the_root_and_the_first_folder() -> None:
    guessed = [link.url for link in links("", "https://a.org/blog/2020/a.html")]
    assert guessed[:3] == ["https://a.org/feed/", "https://a.org/blog/feed/", "https://a.org/rss.xml"]
    assert len(guessed) == len(set(guessed))


def test_a_page_without_an_address_of_its_own_has_no_guesses() -> None:
    assert links("", "junk") == ()


def test_a_feed_is_listed_once_even_if_declared_linked_and_guessed() -> None:
    found = links(link("/feed/", "Posts") + '<a href="http://www.a.org/feed">RSS</a>')
    assert [
        (other.title, other.declared) for other in found if other.url.endswith("org/feed/")
    ] == [("Posts", True)]
