"""Posts of feeds: which of them are told whole."""

from __future__ import annotations

import pytest

from everlog.feeds import parse_feed
from everlog.history.feed_posts import is_cut, listed_posts

URL = "https://a.example/2020/sea/"
FOOTER = '<p>The post <a href="https://a.example/2020/sea/">Sea</a> appeared first on <a href="https://a.example/">A</a>.</p>'


@pytest.mark.parametrize("markup", [
    "Once upon [&#8230;]", "<p>Once upon […]</p>" + FOOTER, "Once [...]",
    '<p>Once</p> <a href="https://a.example/2020/sea/#more-12" class="more-link">On</a>',
    '<a class="more-link" href="/2020/sea/">On</a>', '<a href="https://a.example/2020/sea">Continue reading →</a>',
    "<a href='https://a.example/2020/sea/?utm_source=rss'>Read more</a>",
])
def test_the_beginning_of_an_article_says_that_there_is_more(markup):
    assert is_cut(markup, URL)


@pytest.mark.parametrize("markup", [
    "<p>The end.</p>", "<p>And so on…</p>", "<p>The end.</p>" + FOOTER, "[…] at the beginning" + "<p>words</p>" * 100,
    '<p>See more <a href="https://b.example/sea/#more-10740">here</a>.</p>',
    '<p><a href="https://b.example/sea/">Read more</a> at B.</p>', '<a href="http://[">Read more</a>', "<a " * 5_000,
])
def test_an_article_may_link_to_what_others_wrote(markup):
    assert not is_cut(markup, URL)


def test_entries_without_an_address_are_left_out():
    feed = parse_feed(
        b"<rss><channel><item><title>A</title></item><item><guid isPermaLink='false'>https://a.example/?p=7</guid></item>"
        b"<item><link>/b</link><content:encoded xmlns:content='http://purl.org/rss/1.0/modules/content/'>Whole"
        b"</content:encoded></item></channel></rss>", "https://a.example/feed/",
    )
    assert [(post.url, post.is_whole) for post in listed_posts(feed)] == [
        ("https://a.example/?p=7", False), ("https://a.example/b", True),
    ]


@pytest.mark.parametrize(("stated", "total"), [
    (b"1524", 1524), (b" 7 ", 7), (b"-1", None), (b"many", None), (b"9" * 30, None), ("٣".encode(), None),
])
def test_a_feed_may_say_how_many_entries_it_has(stated, total):
    space = b"http://a9.com/-/spec/opensearchrss/1.0/"
    body = b"<feed xmlns='http://www.w3.org/2005/Atom' xmlns:o='%s'><o:totalResults>%s</o:totalResults></feed>"
    paging = parse_feed(body % (space, stated), "https://a.example/feed").paging
    assert (paging.total if paging is not None else None) == total
